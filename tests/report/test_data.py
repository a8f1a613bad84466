#!/usr/bin/env python3
"""What the page of `tune report` draws is what `tune plot --data` has: each launch of every problem, with the same throughput."""
import csv
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.S)[1])


def rows_of(column, count):
    if column is None or isinstance(column, list):
        return column or [None] * count
    width = len(column["codes"]) // count
    codes = [column["codes"][width * row:width * (row + 1)] for row in range(count)]
    return [column["values"][sum(DIGITS.index(digit) * 64 ** (len(code) - 1 - at) for at, digit in enumerate(code))] for code in codes]


def compare_with_plot(database, page):
    """Each launch of the page is a point of the figure, and the other way round, with the same throughput."""
    part = data_of(page)["parts"][0]
    for problem in part["problems"]:
        done = subprocess.run([os.environ["TUNE"], "plot", "occupancy", "--data", "-o", "-", "--db", database, "--problem", problem["problem"], "--n",
                               str(problem["n"])], capture_output=True, text=True, check=True)
        plotted = sorted((float(row["occupancy_percent"]), float(row["gbs"])) for row in csv.DictReader(io.StringIO(done.stdout), delimiter="\t")
                         if row["layer"] == "points")
        points = problem["points"]
        columns = [rows_of(points.get(name), points["count"]) for name in ("occupancy_percent", "final_ns", "sweep_ns")]
        drawn = sorted((occupancy, problem["bytes_moved"] / (final or sweep)) for occupancy, final, sweep in zip(*columns)
                       if occupancy is not None and (final or sweep))
        assert len(plotted) == len(drawn) > 1, (problem["problem"], len(plotted), len(drawn))
        for one, other in zip(plotted, drawn):
            assert all(math.isclose(a, b, rel_tol=1e-4) for a, b in zip(one, other)), (problem["problem"], one, other)


def compare_with_show(database, data):
    """A winner is its row of `tune show --json`, and what it is explained by that of `--why --json`; numbers have nine digits."""
    problems = {(problem["problem"], problem["n"]): problem for part in data["parts"] for problem in part["problems"] if "winner" in problem}
    for options, member in ((), "winner"), (("--why",), "why"):
        rows = json.loads(subprocess.run([os.environ["TUNE"], "show", *options, "--json", "--db", database], capture_output=True, check=True).stdout)
        assert len(rows) == len(problems) > 1, (member, len(rows), len(problems))
        for row in rows:
            own = problems[row["problem"], row["n"]][member]
            own = own[0] if isinstance(own, list) else own
            assert len(own) > 5 and set(own) <= set(row), (member, set(own) - set(row))
            for name, value in own.items():
                assert math.isclose(value, row[name], rel_tol=1e-8) if isinstance(value, float) else isinstance(value, list) or value == row[name], (name, value, row[name])


def main():
    with tempfile.TemporaryDirectory(prefix="tune-data.") as folder:
        database, page = pathlib.Path(folder) / "test.db", pathlib.Path(folder) / "test.html"
        subprocess.run([os.environ["FIXTURE"], database], check=True)
        subprocess.run([os.environ["TUNE"], "report", "--db", database, "-o", page, "--no-figures"], check=True)
        compare_with_plot(database, page)
        data = data_of(page)
        compare_with_show(database, data)
        assert "\n" + data["parts"][0]["problems"][0]["problem"] + " n=" in data["conf"], "no line of tuned.conf"
    return 0


if __name__ == "__main__":
    sys.exit(main())
