#!/usr/bin/env python3
"""test.py BENCH_STRATEGIES: games against a small made database give tables and CSV of the right shape, and the numbers
in them follow from its times."""

import csv
import itertools
import os
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
    assert {"random", "local", "annealing", "genetic", "surrogate", "auto"} <= strategies, strategies
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
    table = run("--db", database, "--csv", games, "--seeds", "2", "--trials", "100", "--strategy", "genetic",
                "--strategy", "auto", "--ahead", "1")
    assert "(exhaustive)" in table, table
    with open(games, encoding="utf-8", newline="") as opened:
        assert {line["strategy"] for line in csv.DictReader(opened)} == {"genetic", "auto"}


def test_refusals(folder):
    database = os.path.join(folder, "none.db")
    make_database(database, {("made.none", 1): [({"x": 1}, None, None)], ("made.one", 1): [({"x": 1}, 2.0, None)]})
    assert "no configuration" in run("--db", database, "--problem", "made.none", succeeds=False)
    assert "made.one n=1" in run("--db", database, "--problem", "made.one")
    assert "no such problem" in run("--db", database, "--problem", "made.other", succeeds=False)
    assert "did you mean 'genetic'" in run("--db", database, "--problem", "made.one", "--strategy", "genetics",
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
        test_refusals(folder)


if __name__ == "__main__":
    main()
