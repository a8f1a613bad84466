#!/usr/bin/env python3
"""Whether those who half of the confirming processes show to be slower need to be timed by the others: settled.py [DATABASE...]

Chooses again among recorded finalists (all of db/recorded unless named; .db or .db.xz), once by all eight processes and once as a run
does now: who is shown by the first four to be slower than a tie has no further levels, but for baselines. Prints how often the winner is the
same, ties that differ, the mean claims, and the visits that this saves. Problems are left out whose finalists were not all timed by all eight.
A level is the mean of the middle half of a process's rounds; the incumbent's privilege is left out."""
import collections
import lzma
import math
import pathlib
import sqlite3
import statistics
import sys
import tempfile

RECORDED = pathlib.Path(__file__).resolve().parent.parent / "db" / "recorded"
PROCESSES, HALF = 8, 4
STUDENT = {4: 5.841, 8: 3.499}  # at 99 %, of so many processes


def middle_mean(values):
    values = sorted(values)
    cut = len(values) // 4
    return statistics.fmean(values[cut:len(values) - cut])


def levels_of(database, trials):
    """Of each trial a level for each process."""
    rounds = collections.defaultdict(dict)
    for index, (trial, *_) in enumerate(trials):
        for process, ordinal, time in database.execute("""SELECT process, round, elapsed_ns FROM samples WHERE trial_id = ? AND
                invalid = 0 ORDER BY ordinal""", (trial,)):
            rounds[process, ordinal].setdefault(index, []).append(time)
    found = [collections.defaultdict(list) for _ in trials]
    for (process, _), visits in rounds.items():
        logs = {index: math.log(statistics.median(times)) for index, times in visits.items()}
        centre = statistics.median(logs.values())
        for index, value in logs.items():
            found[index][process].append(value - centre)
    return [[middle_mean(of[process]) for process in sorted(of)] for of in found]


def difference(a, b):
    """Of a - b, over the processes that both have: low, high."""
    off = [x - y for x, y in zip(a, b)]
    if not any(off):
        return 0, 0
    half = STUDENT[len(off)] * statistics.stdev(off) / math.sqrt(len(off))
    return statistics.fmean(off) - half, statistics.fmean(off) + half


def choose(levels, order, delta):
    """The winner, the ties, the claim; levels of fewer processes are those of the first."""
    most = max(map(len, levels))
    everybody = range(len(levels))
    fastest = min((i for i in everybody if len(levels[i]) == most), key=lambda i: sum(levels[i]))
    off = [difference(levels[i], levels[fastest]) for i in everybody]
    winner = min((i for i in everybody if off[i][1] <= delta), key=lambda i: order[i])
    return winner, {i for i in everybody if off[i][0] <= delta}, max(difference(levels[winner], of)[1] for of in levels)


def problems(database):
    """Delta, levels, places in the fixed order, and who is a baseline, of each confirmed problem."""
    for problem, environment, delta in database.execute("""SELECT problem_id, environment_id, delta FROM winners WHERE
            objective = 'time' AND stage = 'confirm' ORDER BY id""").fetchall():
        trials = database.execute("""SELECT t.id, coalesce(t.launch_count, 0), coalesce(max(coalesce(r.dynamic_shared_bytes, 0) +
            max(coalesce(r.static_shared_bytes, 0), 0)), 0), coalesce(max(coalesce(r.registers, 0)), 0), coalesce(t.block, 0), c.key,
            t.configuration_id IN (SELECT configuration_id FROM baselines WHERE problem_id = t.problem_id)
            FROM trials t JOIN configurations c ON c.id = t.configuration_id LEFT JOIN resources r ON r.trial_id = t.id
            WHERE t.problem_id = ? AND t.environment_id = ? AND t.stage = 'confirm' AND t.objective = 'time' AND t.status = 'ok'
            GROUP BY t.id""", (problem, environment)).fetchall()
        levels = levels_of(database, trials)
        if len(levels) > 1 and all(len(of) == PROCESSES for of in levels):
            yield delta, levels, [trial[1:6] for trial in trials], [trial[6] for trial in trials]


def main():
    if "-h" in sys.argv or "--help" in sys.argv:
        sys.exit(__doc__)
    total = collections.Counter()
    claims = [0.0, 0.0]
    for path in map(pathlib.Path, sys.argv[1:] or sorted(RECORDED.glob("*/*.db.xz"))):
        with tempfile.NamedTemporaryFile(suffix=".db") as copy:
            copy.write(lzma.open(path).read() if path.suffix == ".xz" else path.read_bytes())
            copy.flush()
            for delta, levels, order, baseline in problems(sqlite3.connect(copy.name)):
                whole = choose(levels, order, delta)
                half = choose([of[:HALF] for of in levels], order, delta)
                settled = [i not in half[1] and not baseline[i] for i in range(len(levels))]
                again = choose([of[:HALF] if out else of for of, out in zip(levels, settled)], order, delta)
                total.update(problems=1, same=whole[0] == again[0], ties=len(whole[1]), others=len(whole[1] ^ again[1]),
                             visits=PROCESSES * (len(levels) + 1), saved=(PROCESSES - HALF) * sum(settled))
                claims = [claims[0] + whole[2], claims[1] + again[2]]
    count = max(total["problems"], 1)
    print(f"{total['problems']} problems: {total['same']} with the same winner; {total['others']} of {total['ties']} ties are others; claims of "
          f"{100 * claims[0] / count:.3f} % and now {100 * claims[1] / count:.3f} % in the mean; "
          f"{total['saved']} of {total['visits']} visits are saved")


if __name__ == "__main__":
    main()
