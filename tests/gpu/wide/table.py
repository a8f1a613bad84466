#!/usr/bin/env python3
"""What searches of wide spaces found, against all of a shipped one:

    tests/gpu/wide/table.py SHIPPED.db WIDE.db...

The times of the winners, in us, as fresh processes confirmed them, and how much longer a wide one takes than the shipped
one; trials of each problem; the seconds of each run. Exit code 1 where a wide winner is slower by more than the two
differences that count as none (the winners' delta)."""
import json
import pathlib
import sqlite3
import sys

WINNERS = """
SELECT p.key, p.n, t.median_ns, coalesce(w.delta, 0), w.stage, c.parameters,
       (SELECT count(*) FROM trials AS s WHERE s.problem_id = p.id AND s.stage = 'sweep') AS trials
FROM winners AS w JOIN problems AS p ON p.id = w.problem_id JOIN trials AS t ON t.id = w.trial_id
JOIN configurations AS c ON c.id = t.configuration_id
WHERE w.objective = 'time' ORDER BY p.key, p.n"""


def read(path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    seconds, compiled = database.execute("SELECT sum(wall_ns) / 1e9, sum(binaries_compiled) FROM runs").fetchone()
    return {row[:2]: row[2:] for row in database.execute(WINNERS)}, seconds, compiled


def short(parameters):
    return " ".join(f"{name}={value}" for name, value in json.loads(parameters).items())


def main(shipped_path, *wide_paths):
    shipped, seconds, compiled = read(shipped_path)
    wide = [(pathlib.Path(path).stem, *read(path)) for path in wide_paths]
    slower = []
    print(f"{'':16} {'n':>10}  {'shipped us':>10} {'trials':>6}" +
          "".join(f"  {name + ' us':>14} {'trials':>6} {'longer':>8}" for name, *_ in wide))
    for (key, n), (time, delta, _, _, trials) in shipped.items():
        line = f"{key:16} {n:10}  {time / 1000:10.3f} {trials:6}"
        for name, winners, *_ in wide:
            if (key, n) not in winners:
                line += f"  {'none':>14} {'':15}"
                slower.append(f"{name} has no winner of {key} n={n}")
                continue
            own, own_delta, stage, parameters, own_trials = winners[key, n]
            line += f"  {own / 1000:14.3f} {own_trials:6} {100 * (own / time - 1):+7.2f}%" + ("" if stage == "confirm" else f" ({stage})")
            if own > time * (1 + delta + own_delta):
                slower.append(f"{name} is slower at {key} n={n}: {short(parameters)}")
        print(line)
    print(f"shipped: {seconds:.1f} s, {compiled} binaries compiled")
    for name, winners, wide_seconds, wide_compiled in wide:
        ratios = sorted(winners[at][0] / shipped[at][0] for at in shipped if at in winners)
        product = 1.0
        for ratio in ratios:
            product *= ratio
        print(f"{name}: {wide_seconds:.1f} s, {wide_compiled} binaries compiled"
              + (f"; times over the shipped ones': {ratios[0]:.3f} to {ratios[-1]:.3f}, geometric mean {product ** (1 / len(ratios)):.4f}" if ratios else ""))
    for at, (_, _, _, parameters, _) in shipped.items():
        print(f"  {at[0]} {at[1]} shipped: {short(parameters)}")
        for name, winners, *_ in wide:
            if at in winners:
                print(f"  {at[0]} {at[1]} {name}: {short(winners[at][3])}")
    print("\n".join(slower) if slower else "no wide winner is slower than the shipped one by more than what counts as none")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
