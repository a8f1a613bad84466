#!/usr/bin/env python3
"""What the page of `tune report` draws is what `tune plot --data` has: each launch of every problem, with the same throughput."""
import contextlib
import csv
import io
import json
import math
import os
import pathlib
import re
import shutil
import sqlite3
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
    part = next(part for part in data_of(page)["parts"] if part["experiment"] != "occupancy")
    for problem in part["problems"]:
        done = subprocess.run([os.environ["TUNE"], "plot", "occupancy", "--data", "-o", "-", "--db", database, "--problem", problem["problem"], "--n",
                               str(problem["n"])], capture_output=True, text=True, check=True)
        rows = list(csv.DictReader(io.StringIO(done.stdout), delimiter="\t"))
        plotted = sorted((float(row["occupancy_percent"]), float(row["gbs"])) for row in rows if row["layer"] == "points")
        points = problem["points"]
        columns = [rows_of(points.get(name), points["count"]) for name in ("occupancy_percent", "final_ns", "sweep_ns")]
        drawn = sorted((occupancy, problem["bytes_moved"] / (final or sweep)) for occupancy, final, sweep in zip(*columns)
                       if occupancy is not None and (final or sweep))
        assert len(plotted) == len(drawn) > 1, (problem["problem"], len(plotted), len(drawn))
        for one, other in zip(plotted, drawn):
            assert all(math.isclose(a, b, rel_tol=1e-4) for a, b in zip(one, other)), (problem["problem"], one, other)
        # Behind and above them: the winner's occupancy by each limit of an SM, and the curves of the family
        # `occupancy`.
        layer = {name: [row for row in rows if row["layer"] == name] for name in ("limits", "family")}
        assert [[row["series"], float(row["occupancy_percent"])] for row in layer["limits"]] == problem.get("limits"), (problem.get("limits"), layer["limits"])
        assert len(problem.get("limits", [])) == 3 and min(percent for _, percent in problem["limits"]) == winner_occupancy(problem), problem["limits"]
        family = [[f"family occupancy, {curve:g} bytes per thread", percent] for curve, percent, _ in part["family"]]
        assert [[row["series"], float(row["occupancy_percent"])] for row in layer["family"]] == family, layer["family"]
        assert len({curve for curve, _, _ in part["family"]}) == 2, part["family"]


def winner_occupancy(problem):
    point = next(mark["point"] for mark in problem["marks"] if mark["name"] == "winner")
    return rows_of(problem["points"]["occupancy_percent"], problem["points"]["count"])[point]


def add_family(database, folder):
    """A database with the same launches twice: the other experiment is called occupancy, with 16 or 32 bytes per thread."""
    other, both = folder / "other.db", folder / "both.db"
    with contextlib.closing(sqlite3.connect(database)) as sql, sql:
        sql.execute("""UPDATE devices SET facts = json_set(facts, '$.max_threads_per_sm', 2048, '$.max_blocks_per_sm', 32,
            '$.registers_per_sm', 65536, '$.shared_bytes_per_sm', 233472)""")
    shutil.copy(database, other)
    with contextlib.closing(sqlite3.connect(other)) as sql, sql:
        sql.execute("UPDATE experiments SET name = 'occupancy'")
        sql.execute("UPDATE problems SET key = 'occupancy.' || key")
        sql.execute("UPDATE trials SET metrics = json_object('bytes_per_thread', 16 + 16 * (configuration_id % 2))")
    subprocess.run([os.environ["TUNE"], "merge", both, database, other], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return both


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


def compare_thinned(database, page):
    """A page has not every launch of a large database, and says so of the problems with many; all that were compared stay."""
    with contextlib.closing(sqlite3.connect(database)) as sql, sql:
        sql.execute("""WITH RECURSIVE more(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM more WHERE i < 13000)
            INSERT INTO configurations (experiment_id, key, parameters)
            SELECT experiment_id, 'more=' || i, json_object('more', i) FROM more, (SELECT experiment_id FROM problems ORDER BY id LIMIT 1)""")
        names = [name for _, name, *_ in sql.execute("PRAGMA table_info(trials)") if name not in ("id", "configuration_id")]
        listed = ", ".join(names)
        sql.execute(f"""INSERT INTO trials (configuration_id, {listed}) SELECT c.id, {', '.join('t.' + name for name in names)}
            FROM configurations AS c, (SELECT * FROM trials WHERE stage = 'sweep' AND status = 'ok' AND same_as_trial_id IS NULL
                AND problem_id = (SELECT min(id) FROM problems) LIMIT 1) AS t WHERE c.key LIKE 'more=%'""")
    subprocess.run([os.environ["TUNE"], "report", "--db", database, "-o", page], check=True)
    problems = [problem for part in data_of(page)["parts"] for problem in part["problems"]]
    thinned = [problem for problem in problems if "every" in problem]
    assert len(thinned) == 1 and thinned[0]["every"] == 2 and 6500 < thinned[0]["points"]["count"] < 7000, [problem["points"]["count"] for problem in thinned]


def main():
    with tempfile.TemporaryDirectory(prefix="tune-data.") as folder:
        database, page = pathlib.Path(folder) / "test.db", pathlib.Path(folder) / "test.html"
        subprocess.run([os.environ["FIXTURE"], database], check=True)
        subprocess.run([os.environ["TUNE"], "report", "--db", database, "-o", page], check=True)
        data = data_of(page)
        compare_with_show(database, data)
        assert "\n" + data["parts"][0]["problems"][0]["problem"] + " n=" in data["conf"], "no line of tuned.conf"
        both = add_family(database, pathlib.Path(folder))
        subprocess.run([os.environ["TUNE"], "report", "--db", both, "-o", page], check=True)
        compare_with_plot(both, page)
        compare_thinned(database, page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
