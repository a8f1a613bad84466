#!/usr/bin/env python3
"""What each command asks of a database grows with it at most as its trials, problems, runs and devices do: counted in
statements and, of each, in steps of SQLite's machine, which are the same on every computer. TUNE is a tune that counts
(steps.c), BUILD the build folder, SOURCE the sources.

    test_growth.py [WORD]    only commands with this in their names; a line for each
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SOURCE"], "bench"))
import growth  # pylint: disable=wrong-import-position
import make_trials  # pylint: disable=wrong-import-position

TUNE, BUILD = os.environ["TUNE"], os.environ["BUILD"]
TIMES = 10  # as many in the second database of a pair as in the first
MOST = 1.25  # times as much as is due
# Only larger sizes of a winner's problem are read, which are few: the cost grows with the number of sizes.
BY_SIZE = "-- Of one winner: what it is the winner of"
# Devices are put side by side with the first: two are one pair, twenty are nineteen.
BY_PAIR = ("-- The winners by time of an environment as one JSON array", "-- The winners by time of an environment beside others")
FEW = 500  # steps of a statement that may be asked of any database, empty ones too
# Only winners are read, not all trials: the same cost however many trials a problem has.
LEVEL = ("`show`", "`show --baselines`", "`show --trust`", "`show --searches`", "`export`",
         "`export --header`", "`plot gain size samples`")


def commands(folder, trials):
    """Those that bench/growth.py measures; the figures without gnuplot."""
    for name, arguments, gone in growth.commands(folder, trials):
        if not name.startswith("`plot"):
            yield name, arguments, gone
    yield "`show --ranges`", ["show", "--ranges"], ()
    yield "`plot`", ["plot", "--data", "-o", "plots"], ()
    yield "`plot gain size samples`", ["plot", "gain", "size", "samples", "--data", "-o", "plots"], ()


def count(folder, arguments):
    """The steps of each statement, and how many there were."""
    path = os.path.join(folder, "steps")
    if os.path.exists(path):
        os.remove(path)
    environment = dict(make_trials.environment(BUILD, folder), TUNE_STEPS=path)
    done = subprocess.run([TUNE] + arguments, cwd=folder, env=environment, stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(arguments)}: {done.stderr.decode()}")
    steps = {}
    statements = 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            number, _, sql = line.split("\t", 2)
            steps[sql] = steps.get(sql, 0) + int(number)
            statements += 1
    return dict(steps, statements=statements)


def ask(folder, trials, only):
    found = {}
    for name, arguments, gone in commands(folder, trials):
        if only not in name:
            continue
        for path in gone:
            for end in ("", "-wal", "-shm"):
                if os.path.exists(os.path.join(folder, path + end)):
                    os.remove(os.path.join(folder, path + end))
        found[name] = count(folder, arguments)
    return found


def make(work, name, trials, problems):
    """A folder with a database of its own, made once for each size."""
    made = os.path.join(work, f"{trials}-{problems}")
    if not os.path.exists(made):
        make_trials.make(made, BUILD, trials, problems)
    folder = os.path.join(work, name)
    shutil.copytree(made, folder)
    return folder


def add_runs(folder, runs):
    """The trials of the sweep were made in so many runs, one after the other."""
    database = sqlite3.connect(os.path.join(folder, "tune.db"))
    names = [row[1] for row in database.execute("PRAGMA table_info(runs)") if row[1] != "id"]
    first = database.execute("SELECT max(id) FROM runs").fetchone()[0]
    for run in range(1, runs):
        database.execute(f"INSERT INTO runs (id, {', '.join(names)}) SELECT {first + run}, {', '.join(names)} "
                         f"FROM runs WHERE id = {first}")
    database.execute(f"UPDATE trials SET run_id = {first} + id % {runs} WHERE stage = 'sweep'")
    database.commit()
    database.close()


def add_devices(folder, devices):
    """The same again, of so many devices: each is another database, merged."""
    original = os.path.join(folder, "original.db")
    shutil.copy(os.path.join(folder, "tune.db"), original)
    for number in range(1, devices):
        other = os.path.join(folder, "other.db")
        shutil.copy(original, other)
        database = sqlite3.connect(other)
        database.execute("UPDATE devices SET uuid = uuid || ?, name = name || ?", (number, number))
        database.commit()
        database.close()
        subprocess.run([TUNE, "merge", "tune.db", "other.db"], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)


def compare(what, few, many, level):
    """Whether it grew no more than it may."""
    good = True
    for name, after in many.items():
        due = 1 if level and name in LEVEL else TIMES
        all_steps = [sum(found.values()) - found["statements"] for found in (few[name], after)]
        print(f"{what:<9} {name:<26} {all_steps[0]:>9} {all_steps[1]:>9} steps, {few[name]['statements']:>5} "
              f"{after['statements']:>5} statements", flush=True)
        for sql, high in after.items():
            grown = high / max(few[name].get(sql, 0), 1 if sql == "statements" else FEW)
            more = TIMES if sql.startswith(BY_SIZE) and what == "problems" else 1
            more = 2 if sql.startswith(BY_PAIR) and what == "devices" else more
            if grown > MOST * due * more:
                print(f"FAILED: {TIMES} times the {what}: {name}: {grown:.1f} times as much, at most {MOST * due * more:g} "
                      f"times are due ({high}): {sql.strip()}")
                good = False
    return good


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory(prefix="tune-growth.") as work:
        good = compare("trials", ask(make(work, "trials", 1000, 1), 1000, only),
                       ask(make(work, "trials-many", 1000 * TIMES, 1), 1000 * TIMES, only), True)
        few = ask(make(work, "problems", 1000, 10), 1000, only)
        many = make(work, "problems-many", 1000 * TIMES, 10 * TIMES)
        good = compare("problems", few, ask(many, 1000 * TIMES, only), False) and good
        some = (500, 5)  # trials and problems
        runs = make(work, "runs", *some)
        add_runs(runs, 4)
        few = ask(runs, some[0], only)
        runs = make(work, "runs-many", *some)
        add_runs(runs, 4 * TIMES)
        good = compare("runs", few, ask(runs, some[0], only), False) and good
        devices = make(work, "devices", *some)
        add_devices(devices, 2)
        few = ask(devices, some[0], only)
        devices = make(work, "devices-many", *some)
        add_devices(devices, 2 * TIMES)
        good = compare("devices", few, ask(devices, some[0], only), False) and good
    sys.exit(0 if good else 1)


main()
