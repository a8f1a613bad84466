#!/usr/bin/env python3
"""agreement_test.py BUILD_FOLDER: what agreement.py compares, on winners and databases that are made up here; and
one whole comparison on the CPU, for its shape. No timing is part of the verdict."""
import csv
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import agreement  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
QUICK = ["--device", "cpu", "--effort", "quick", "--sizes", "2**10", "--set", "warm_least_ms=0", "--set",
         "warm_most_ms=50", "--set", "look_rounds.0=4", "--set", "anchor_shift=10", "--set", "clock_shift=10"]


def winner(key, tied=(), launch=None):
    return agreement.Winner(key, launch or key, {key, *tied}, {launch or key, *tied}, 1000.0, "sound", "confirm")


def made_up(rounds, sweep=()):
    """A database with the rounds of a confirmation: {(process, round): {configuration: ns}}."""
    connection = sqlite3.connect(":memory:")
    connection.executescript((agreement.ROOT / "db" / "schema.sql").read_text())
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("INSERT INTO problems (id, experiment_id, key, axes, n, bytes_moved) VALUES (1, 1, 'p', '{}', 64, 0)")
    keys = sorted({key for visit in rounds.values() for key in visit} | set(dict(sweep)))
    for i, key in enumerate(keys, 1):
        connection.execute("INSERT INTO configurations VALUES (?, 1, ?, '{}')", (i, key))
        for stage, offset, median in (("sweep", 0, dict(sweep).get(key)), ("confirm", 100, 1.0)):
            if stage == "confirm" and not any(key in visit for visit in rounds.values()):
                continue
            connection.execute("""INSERT INTO trials (id, run_id, environment_id, problem_id, configuration_id, stage,
                l2_mode, status, sample_count, median_ns, duration_ns, measured_at)
                VALUES (?, 1, 1, 1, ?, ?, 'cold', 'ok', 1, ?, 1, '')""", (i + offset, i, stage, median))
    for ordinal, ((process, round_), visit) in enumerate(rounds.items()):
        for key, elapsed_ns in visit.items():
            connection.execute("INSERT INTO samples VALUES (?, ?, ?, ?, 1, 0, ?, NULL)",
                               (100 + keys.index(key) + 1, ordinal, process, round_, elapsed_ns))
    return connection


class Comparing(unittest.TestCase):
    def test_a_tie_counts_only_when_both_declare_it(self):
        self.assertTrue(agreement.tied(winner("a", ["b"]), winner("b", ["a"])))
        self.assertFalse(agreement.tied(winner("a", ["b"]), winner("b")))
        self.assertFalse(agreement.tied(winner("a", ["b"]), None))

    def test_two_names_of_one_launch_agree(self):
        a, b = winner("a", launch="x"), winner("b", launch="x")
        self.assertFalse(agreement.same(a, b))
        self.assertTrue(agreement.same_launch(a, b))
        self.assertTrue(agreement.tied(a, b))

    def test_sizes_and_pairs(self):
        tunings = [{("p", 1): winner("a"), ("p", 2): winner("a", ["b"])},
                   {("p", 1): winner("a"), ("p", 2): winner("b", ["a"])},
                   {("p", 1): winner("a")}]
        rows = list(agreement.rows_of(tunings, None))
        self.assertEqual(len(rows), 6)
        self.assertEqual(agreement.agreement(rows, "same", 3), (1, 2, 3, 6))
        self.assertEqual(agreement.agreement(rows, "same_or_tied", 3), (1, 2, 4, 6))

    def test_missing_winners_are_told(self):
        rows = list(agreement.rows_of([{("p", 1): winner("a")}, {}], None))
        run = agreement.Run("1", "D", "2026-01-01T00:00:00Z", 1, "normal", 1.0, 1.0, 1, 1, 5.0, "")
        self.assertIn("1 no winner", agreement.tables(rows, [run], 2))


class Regret(unittest.TestCase):
    def test_pairs_within_rounds_so_that_drift_is_none(self):
        # Everything drifts by 10 % a round; b is always 1 % slower, but was not in the first rounds.
        rounds = {(process, r): {"a": 100 * 1.1 ** r, "c": 120 * 1.1 ** r} for process in (1, 2) for r in range(5)}
        for (_, r), visit in rounds.items():
            if r > 1:
                visit["b"] = 101 * 1.1 ** r
        reference = agreement.Reference(made_up(rounds))
        self.assertAlmostEqual(reference.regret("p", 64, "b")[0], 0.01, places=9)
        self.assertEqual(reference.regret("p", 64, "a"), (0.0, "confirm"))

    def test_the_sweep_where_nothing_else_has_seen_it(self):
        reference = agreement.Reference(made_up({(1, 0): {"a": 100}}, {"a": 100, "z": 150}.items()))
        share, stage = reference.regret("p", 64, "z")
        self.assertEqual(stage, "sweep")
        self.assertAlmostEqual(share, 0.5)
        self.assertEqual(reference.regret("p", 64, "never measured"), (None, ""))


class Whole(unittest.TestCase):
    def test_two_tunings_on_the_cpu(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "locks").mkdir(mode=0o700)
            environment = dict(os.environ, TUNE_CACHE_DIR=str(folder / "cache"), TUNE_LOCK_DIR=str(folder / "locks"))
            command = [sys.executable, agreement.__file__, str(BUILD), str(folder / "out"), "--work",
                       str(folder / "work"), "--tunings", "2", "--problems", "reduce.sum.i32",
                       "--reference", "--effort quick", "--", *QUICK]
            first = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
            again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            self.assertEqual(again.stdout.count("done before"), 3, again.stdout + again.stderr)
            rows, runs = (list(csv.DictReader((folder / "out" / name).read_text().splitlines()))
                          for name in ("agreement.csv", "agreement-runs.csv"))
            self.assertEqual([(row["problem"], row["n"], row["tuning"]) for row in rows],
                             [("reduce.sum.i32", "1024", "1"), ("reduce.sum.i32", "1024", "2")])
            # The reference's search may never have measured a winner.
            self.assertTrue(all(row["winner"] and bool(row["regret_percent"]) == bool(row["regret_stage"]) for row in rows), rows)
            self.assertEqual([run["name"] for run in runs], ["1", "2", "reference"])
            self.assertTrue(all(float(run["equal_s"]) > 0 for run in runs))
            self.assertIn("the same or declared tied", (folder / "out" / "agreement.txt").read_text())


if __name__ == "__main__":
    unittest.main()
