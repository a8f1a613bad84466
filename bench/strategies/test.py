#!/usr/bin/env python3
"""test.py BENCH_STRATEGIES: games against a small made space, as a database and as files of others, give tables and CSV of
the right shape, and the numbers in them follow from its times."""

import contextlib
import csv
import itertools
import json
import math
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

from made import make_database


def bowl():
    """400 points whose best, 1000 ns, has the last values of both numbers and 'b'; a third of them fail."""
    rows = []
    for x, y, letter in itertools.product((8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096), range(20), "ab"):
        near = (12 - x.bit_length() + 1) + (19 - y) + (letter == "a")
        rows.append(({"x": x, "letter": letter, "y": y}, None if (x + y) % 3 == 1 else 1000.0 * (1 + 0.1 * near), None))
    return rows


def run(*arguments, succeeds=True):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == succeeds, done.stderr
    return done.stdout if succeeds else done.stderr


def test_games(folder):
    database, games = os.path.join(folder, "made.db"), os.path.join(folder, "games.csv")
    same = [({"x": 1, "y": 1}, 500.0, None), ({"x": 1, "y": 2}, None, 0), ({"x": 2, "y": 1}, None, None)]
    rows = bowl()
    make_database(database, {("made.bowl", 400): rows, ("made.same", 3): same})
    table = run("--db", database, "--csv", games, "--seeds", "5")
    failed = sum(time is None for _, time, _ in rows)
    assert f"made.bowl n=400: 400 configurations, {failed} failed, best 1.00 us" in table, table
    assert "made.same n=3: 3 configurations, 1 failed, best 0.50 us" in table, table
    assert "all 2 problems" in table, table
    with open(games, encoding="utf-8", newline="") as opened:
        lines = list(csv.DictReader(opened))
    strategies = {line["strategy"] for line in lines}
    assert {"random", "local", "surrogate", "auto"} <= strategies, strategies
    assert len(lines) == 2 * len(strategies) * 5 * 3
    best = min(time for _, time, _ in rows if time)
    possible = {f"{best / time:.6f}" for _, time, _ in rows if time} | {f"{0:.6f}"}
    for name in strategies:
        for seed in "12345":
            game = [line for line in lines
                    if (line["problem"], line["strategy"], line["seed"]) == ("made.bowl", name, seed)]
            assert [line["trials"] for line in game] == ["4", "20", "40"], game
            found = [float(line["best_over_found"]) for line in game]
            assert found == sorted(found), game
            assert all(line["best_over_found"] in possible for line in game), game
    with open(games, "rb") as first:
        before = first.read()
    run("--db", database, "--csv", games, "--seeds", "5")
    with open(games, "rb") as second:
        assert before == second.read(), "the same games again differ"


def test_everything_is_found(folder):
    database, games = os.path.join(folder, "all.db"), os.path.join(folder, "all.csv")
    make_database(database, {("made.bowl", 400): bowl()})
    table = run("--db", database, "--csv", games, "--seeds", "2", "--trials", "100", "--strategy", "local",
                "--strategy", "auto", "--ahead", "1")
    assert "(exhaustive)" in table, table
    with open(games, encoding="utf-8", newline="") as opened:
        assert {line["strategy"] for line in csv.DictReader(opened)} == {"local", "auto"}


def write_table(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as opened:
        out = csv.writer(opened)
        out.writerow([*rows[0][0], "time_ns", "cost_ms"])
        for configuration, time, _ in rows:
            out.writerow([*configuration.values(), "" if time is None else time, 1.5])


def write_cache(path, rows):
    """As Kernel Tuner leaves it when it is interrupted: neither closed, nor without a last comma."""
    text = json.dumps({"device_name": "made", "tune_params_keys": list(rows[0][0]), "objective": "time", "cache": {}})
    with open(path, "w", encoding="utf-8") as opened:
        opened.write(text[:-2] + "\n")
        for configuration, time, _ in rows:
            entry = {**configuration, "time": "InvalidConfig()" if time is None else time / 1e6}
            opened.write(f'"{",".join(map(str, configuration.values()))}": {json.dumps(entry)},\n')


def write_t4(path, rows):
    results = [{"configuration": configuration, "objectives": ["time"],
                "invalidity": "compile" if time is None else "correct",
                "measurements": [{"name": "GFLOP/s", "value": 1, "unit": ""}]
                + ([] if time is None else [{"name": "time", "value": time / 1e9, "unit": "s"}])}
               for configuration, time, _ in rows]
    never = {"configuration": {"x": 1, "letter": "a", "y": 1}, "invalidity": "constraints", "measurements": []}
    with open(path, "w", encoding="utf-8") as opened:
        json.dump({"schema_version": "1.0.0", "results": [*results, never]}, opened)


def score_range(rows):
    """Where random sampling without replacement is expected to have come 50 % and 95 % of the way from the median."""
    times = sorted(time for _, time, _ in rows if time)
    median, count = statistics.median(times), len(rows)

    def come(drawn):
        ways = [math.comb(count - i - 1, drawn - 1) / math.comb(count, drawn) for i in range(len(times))]
        best = sum(way * time for way, time in zip(ways, times)) + (1 - sum(ways)) * median
        return (median - best) / (median - times[0])

    return [next(drawn for drawn in range(1, count) if come(drawn) >= share) for share in (0.5, 0.95)]


def test_score(folder):
    rows = bowl()
    paths = [os.path.join(folder, name) for name in ("table.csv", "cache.json", "t4.json")]
    for path, write in zip(paths, (write_table, write_cache, write_t4)):
        write(path, rows)
    start, cut_off = score_range(rows)
    references = os.path.join(folder, "references.csv")
    with open(references, "w", encoding="utf-8") as opened:
        opened.write("name,one_by_one,late\nperfect,1,1\nblind,-9,\n")
    names = ("random", "local", "surrogate")
    table = run(*paths, "--seeds", "25", "--jobs", "2", "--reference", references,
                *itertools.chain(*(("--strategy", name) for name in names)))
    lines = [line.split() for line in table.splitlines()]
    failed = sum(time is None for _, time, _ in rows)
    for path in paths:
        assert (f"{os.path.basename(path)}: 400 configurations, {failed} failed, best 1.00 us, score from {start} to "
                f"{cut_off} evaluations") in table, table
    for name in names:
        games = [line[:9] for line in lines if line and line[0] == name and len(line) > 9]
        assert len(games) == 4 and all(game == games[0] for game in games), games
    scores = {line[0]: line[1:] for line in lines[-len(names) - 2:]}
    assert list(scores) == ["perfect", "surrogate", "local", "random", "blind"], table
    assert scores["blind"] == ["-9.000", "-", "(reference)"], table
    assert abs(float(scores["random"][0])) < 0.15 and float(scores["surrogate"][0]) > 0.4, table
    assert scores["random"][0] == scores["random"][1], table


def test_prior(folder):
    """What another device found, by the same times, is where a search begins; turned over it is not."""
    table = os.path.join(folder, "own.csv")
    write_table(table, [row for row in bowl() if row[1] is not None])
    arguments = (table, "--seeds", "5", "--strategy", "surrogate", "--until", "1")
    after = {}
    for name, more in (("alone", ()), ("prior", ("--prior", table)), ("misled", ("--prior", table, "--mislead"))):
        text = run(*arguments, *more)
        after[name] = next(int(line.split()[9]) for line in text.splitlines() if line.startswith("  surrogate"))
        assert "at most 1 % better with 90 %: said in " in text, text
        forgot = {"alone": "", "prior": "0 of 5 games one by one, 0 late", "misled": "5 of 5 games one by one, 5 late"}[name]
        assert ("forgot what it was told of elsewhere in " + forgot in text) == (name != "alone"), text
    assert after["prior"] <= 2 < after["alone"] and after["prior"] < after["misled"], after


def test_series(folder):
    """Sizes whose configurations share binaries: fewer are needed where those that exist go first, and what is found is
    as good."""
    database = os.path.join(folder, "series.db")
    make_database(database, {("made.bowl", n): bowl() for n in (400, 800, 1600)})
    with contextlib.closing(sqlite3.connect(database)) as opened, opened:
        opened.execute("UPDATE trials SET binary_hash = (SELECT json_extract(parameters, '$.x') || "
                       "json_extract(parameters, '$.letter') || (json_extract(parameters, '$.y') / 4) FROM configurations WHERE id = configuration_id)")
    table = run("--db", database, "--series", "--seeds", "10")
    assert "3 problems, 10 % of each, mean of 10 series" in table, table
    rows = {line[:30].strip(): line[30:].split() for line in table.splitlines()[2:]}
    any_binary, made_first = rows["whichever promises most"], rows["binaries that exist first"]
    assert any_binary[0] == made_first[0] == "120", table
    assert 0 < int(made_first[1]) < int(any_binary[1]) <= 100, table
    assert float(made_first[2]) < 1.02, table
    assert 0 <= float(any_binary[8]) < 50 and 0 <= float(made_first[8]) < 50, table
    assert 0 < int(any_binary[7]) <= 120 and 0 < int(made_first[7]) <= 120, table
    # Winners of elsewhere are named; so many trials are had at most, and few until one is as good.
    spent = {}
    for name, more in (("alone", ()), ("winners", ("--winners", database)), ("misled", ("--prior", database, "--mislead")),
                       ("prior", ("--prior", database))):
        table = run("--db", database, "--series", "--seeds", "5", "--points", "12", *more)
        row = table.splitlines()[-1][30:].split()
        assert row[0] == "36", table
        spent[name] = int(row[7])
    assert spent["winners"] <= 9 and spent["prior"] <= 9, spent
    assert min(spent["alone"], spent["misled"]) > 9, spent
    # As long as a run goes on that is told neither trials nor time: here all are about as good.
    flat = os.path.join(folder, "flat.db")
    make_database(flat, {("made.flat", n): [(row[0], 1 + i * 1e-6, *row[2:]) for i, row in enumerate(bowl())] for n in (400, 800)})
    table = run("--db", flat, "--series", "--seeds", "2", "--trials", "100", "--settles")
    assert table.splitlines()[-1][30:].split()[0] == "520", table


def test_refusals(folder):
    broken = os.path.join(folder, "broken.json")
    for text, why in (("{", "line 1"), ('{"a": 1}', "neither a T4 file"), ("a,b\n1,2\n", "time_ns"),
                      ("a,time_ns\n1,2\n1,3\n", "two rows"), ("a,time_ns\n1\n", "1 fields")):
        with open(broken, "w", encoding="utf-8") as opened:
            opened.write(text)
        message = run(broken, succeeds=False)
        assert "broken.json" in message and why in message, message

    database = os.path.join(folder, "none.db")
    make_database(database, {("made.none", 1): [({"x": 1}, None, None)], ("made.one", 1): [({"x": 1}, 2.0, None)]})
    assert "no configuration" in run("--db", database, "--problem", "made.none", succeeds=False)
    assert "made.one n=1" in run("--db", database, "--problem", "made.one")
    assert "no such problem" in run("--db", database, "--problem", "made.other", succeeds=False)
    assert "did you mean 'local'" in run("--db", database, "--problem", "made.one", "--strategy", "locals",
                                         succeeds=False)
    assert "--help" in run(succeeds=False)
    assert "no number" in run("--db", database, "--seeds", "0", succeeds=False)
    absent = os.path.join(folder, "absent.db")
    assert run("--db", absent, "--upgrade", succeeds=False)
    assert not os.path.exists(absent)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test_games(folder)
        test_everything_is_found(folder)
        test_score(folder)
        test_prior(folder)
        test_series(folder)
        test_refusals(folder)


if __name__ == "__main__":
    main()
