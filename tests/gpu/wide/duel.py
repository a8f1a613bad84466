#!/usr/bin/env python3
"""What a search found, in the same rounds as the best that a recording knows:

    tune devices --device 0 --json | tests/gpu/wide/duel.py recording RECORDED_FOLDER NAME.db.xz
    tests/gpu/wide/duel.py entries WIDE.db WIDE.conf >DUEL.conf
    tune check DUEL.conf ... --from SHIPPED.db --db DUEL.db
    tests/gpu/wide/duel.py times WIDE.db DUEL.db SECONDS_MOST

`recording`: of the recordings of that name the one of this model of device. `entries`: each problem's winner as an entry of
its own, whatever ranges of sizes WIDE.conf has them in. `times`: the times of each winner and of the fastest of the others
that `tune check` measured beside it, the mean of how much longer it takes, and how long the search took; exit code 1 where
that is over SECONDS_MOST, or where a winner had nothing but baselines beside it. What is slower says `tune check`."""
import json
import math
import pathlib
import re
import sqlite3
import sys

WINNERS = """
SELECT p.key, p.n, c.key, t.median_ns FROM winners AS w JOIN problems AS p ON p.id = w.problem_id
JOIN trials AS t ON t.id = w.trial_id JOIN configurations AS c ON c.id = t.configuration_id
WHERE w.objective = 'time' ORDER BY p.key, p.n"""
# The fastest besides the winner counts, be it a baseline.
MEASURED = """
SELECT c.key, t.median_ns, EXISTS (SELECT 1 FROM baselines AS b WHERE b.environment_id = t.environment_id
                                   AND b.problem_id = t.problem_id AND b.configuration_id = t.configuration_id)
FROM trials AS t JOIN problems AS p ON p.id = t.problem_id
JOIN configurations AS c ON c.id = t.configuration_id
WHERE p.key = ? AND p.n = ? AND t.status = 'ok' AND t.stage = ? ORDER BY t.median_ns"""


def open_read(path):
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def recording(folder, name):
    here = json.load(sys.stdin)["devices"][0]["device"]
    for devices in sorted(pathlib.Path(folder).glob("*/devices.json")):
        names = {device.get("name", device["device"]) for device in json.loads(devices.read_text(encoding="utf-8"))["devices"]}
        if here in names and (devices.parent / name).exists():
            print((devices.parent / name).resolve())
            return 0
    print(f"duel.py: {folder}: no {name} of {here}: name a recording of it by WIDE_KNOWN", file=sys.stderr)
    return 1


def entries(wide_path, conf_path):
    with open(conf_path, encoding="utf-8") as conf:
        text = conf.read()
    print(re.match(r"tuned-conf \d+", text)[0])
    print(re.search(r"^\[.*$", text, re.MULTILINE)[0])
    for key, n, configuration, median_ns in open_read(wide_path).execute(WINNERS):
        print(f"{key} n={n} {configuration} | time_ns={median_ns:.1f}")
    print("end")


def times(wide_path, duel_path, seconds_most):
    wide, duel, logarithms, alone = open_read(wide_path), open_read(duel_path), [], []
    print(f"{'':16} {'n':>10}  {'wide us':>9} {'known us':>9} {'longer':>8}")
    for key, n, configuration, _ in wide.execute(WINNERS):
        # In fresh processes, if one that is known came so far; else in the race.
        for stage in ("confirm", "race"):
            measured = duel.execute(MEASURED, (key, n, stage)).fetchall()
            own = [time for name, time, _ in measured if name == configuration]
            others = [time for name, time, _ in measured if name != configuration]
            is_alone = all(is_baseline for name, _, is_baseline in measured if name != configuration)
            if own and not is_alone:
                break
        if not (own and others):
            print(f"{key:16} {n:10}  not measured beside others")
            continue
        if is_alone:
            alone.append(f"{key} n={n}")
        logarithms.append(math.log(own[0] / others[0]))
        print(f"{key:16} {n:10}  {own[0] / 1000:9.3f} {others[0] / 1000:9.3f} {100 * math.expm1(logarithms[-1]):+7.2f}%")
    seconds, compiled = wide.execute("SELECT sum(wall_ns) / 1e9, sum(binaries_compiled) FROM runs").fetchone()
    trials = wide.execute("SELECT count(*) FROM trials WHERE stage = 'sweep'").fetchone()[0]
    if logarithms:
        print(f"geometric mean: {math.exp(sum(logarithms) / len(logarithms)):.4f} of the fastest known")
    in_time = seconds <= seconds_most
    print(f"the search: {seconds:.1f} s ({'within' if in_time else 'over'} {seconds_most:g}), {trials} trials, {compiled} binaries compiled")
    if alone:
        print(f"duel.py: {duel_path}: nothing but baselines raced beside the winner of {', '.join(alone)}: "
              "give `tune check` a recording that knows them")
    return 0 if in_time and logarithms and not alone else 1


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "recording":
        sys.exit(recording(*sys.argv[2:]))
    if len(sys.argv) == 4 and sys.argv[1] == "entries":
        sys.exit(entries(*sys.argv[2:]))
    if len(sys.argv) == 5 and sys.argv[1] == "times":
        sys.exit(times(sys.argv[2], sys.argv[3], float(sys.argv[4])))
    sys.exit(__doc__)
