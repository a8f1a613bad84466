#!/usr/bin/env python3
"""How far independent tunings of the same problems agree, and what their winners lose.

    bench/agreement.py BUILD_FOLDER OUT_FOLDER [options] [-- OPTIONS OF tune run]

Runs `tune run` several times, each with a database and a seed of its own and with nothing known, then once
more at length for reference, and compares:

  winners     the same in all tunings? The same launch (two configurations may launch exactly the same)? The
              same, or each tuning declares the other's winner tied?
  regret      how much slower each winner is than the reference's fastest: by the reference's confirmation
              where the winner was in it, else by its race, else by its sweep; paired within its rounds
  time        what the measuring took, against measuring every configuration in as many blocks as a finalist
              got: blocks of a finalist x configurations x wall time of a block, the last two of each problem

OUT_FOLDER gets agreement.csv (a row per problem and tuning), agreement-runs.csv (a row per tuning) and
agreement.txt (tables). Databases stay in the --work folder, where a tuning that is complete is not run again:
a run of this script that was cut off goes on there.
"""
import argparse
import collections
import csv
import itertools
import math
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCE = "reference"

Winner = collections.namedtuple("Winner", "key launch tied launches_tied median_ns trust stage")
Run = collections.namedtuple("Run", "name device started_at seed effort wall_s measuring_s points blocks equal_s options")


# ---- running ----

def is_complete(database):
    if not database.exists():
        return False
    with sqlite3.connect(database) as connection:
        row = connection.execute("SELECT outcome FROM runs ORDER BY id DESC LIMIT 1").fetchone()
    return bool(row) and row[0] == "complete"


def tune(arguments, name, seed, options):
    """One tuning with nothing known. Its database; None when it came to nothing."""
    database = arguments.work / f"{name}.db"
    if is_complete(database):
        print(f"{name}: done before")
        return database
    for left in arguments.work.glob(f"{name}.db*"):
        left.unlink()
    command = [str(arguments.build / "bin" / "tune"), "run", *arguments.problems, "--db", str(database), "--conf",
               str(arguments.work / f"{name}.conf"), "--no-report", "--seed", str(seed)] + options
    with open(arguments.work / f"{name}.txt", "w") as log:
        code = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    print(f"{name}: seed {seed}, exit code {code}", flush=True)
    if not is_complete(database):
        sys.stderr.write((arguments.work / f"{name}.txt").read_text())
        return None
    return database


# ---- reading ----

def launches_of(connection):
    """Of each problem and configuration the name of what it launches: the first of those that launch the same."""
    rows = connection.execute("""
        SELECT p.key, p.n, c.key, coalesce(m.key, c.key)
        FROM trials AS t
        JOIN problems AS p ON p.id = t.problem_id
        JOIN configurations AS c ON c.id = t.configuration_id
        LEFT JOIN trials AS o ON o.id = t.same_as_trial_id
        LEFT JOIN configurations AS m ON m.id = o.configuration_id
        WHERE t.stage = 'sweep'""").fetchall()
    alike = collections.defaultdict(set)
    for problem, n, key, measured in rows:
        alike[problem, n, measured].update((key, measured))
    return {(problem, n, key): min(alike[problem, n, measured]) for problem, n, key, measured in rows}


def winners_of(connection, launches):
    winners = {}
    rows = connection.execute("""
        SELECT w.id, p.key, p.n, c.key, t.median_ns, coalesce(w.trust, 'unknown'), w.stage
        FROM winners AS w
        JOIN problems AS p ON p.id = w.problem_id
        JOIN trials AS t ON t.id = w.trial_id
        JOIN configurations AS c ON c.id = t.configuration_id
        WHERE w.objective = 'time'""").fetchall()
    for identity, problem, n, key, median_ns, trust, stage in rows:
        tied = {row[0] for row in connection.execute("""
            SELECT c.key FROM contenders AS k JOIN configurations AS c ON c.id = k.configuration_id
            WHERE k.winner_id = ? AND k.tied = 1 AND k.out IS NULL""", (identity,))} | {key}
        launch = launches.get((problem, n, key), key)
        winners[problem, n] = Winner(key, launch, tied,
                                     {launches.get((problem, n, other), other) for other in tied},
                                     median_ns, trust, stage)
    return winners


def problems_of(connection):
    return connection.execute("SELECT id, key, n FROM problems ORDER BY key, n").fetchall()


def wall_of_block(connection, problem_id):
    """Median wall time of a block in the last stage, with what lies before it (flush, gate) and the anchor's
    share; in ns. None when there were no rounds."""
    for stage in ("confirm", "race"):
        ends = connection.execute("""SELECT process, ordinal, at_ns FROM rounds
            WHERE problem_id = ? AND stage = ? AND objective = 'time' ORDER BY process, ordinal""",
                                  (problem_id, stage)).fetchall()
        blocks = {(process, ordinal): count for process, ordinal, count in connection.execute("""
            SELECT s.process, s.round, count(*) FROM samples AS s JOIN trials AS t ON t.id = s.trial_id
            WHERE t.problem_id = ? AND t.stage = ? AND t.objective = 'time' GROUP BY 1, 2""",
                                                                                      (problem_id, stage))}
        times = [(after[2] - before[2]) / blocks[after[:2]] for before, after in zip(ends, ends[1:])
                 if before[0] == after[0] and blocks.get(after[:2])]
        if times:
            return statistics.median(times)
    return None


def equal_ns(connection, problem_id):
    """What it would take to measure every configuration in as many blocks as a finalist of the problem got."""
    points, = connection.execute("""SELECT count(*) FROM trials
        WHERE problem_id = ? AND stage = 'sweep' AND status = 'ok'""", (problem_id,)).fetchone()
    finalists = [count for count, in connection.execute("""
        SELECT sum(t.sample_count) FROM trials AS t
        WHERE t.problem_id = ?1 AND t.objective = 'time' AND t.configuration_id IN (
            SELECT k.configuration_id FROM contenders AS k
            JOIN winners AS w ON w.id = k.winner_id AND w.problem_id = ?1 AND w.objective = 'time'
            JOIN trials AS l ON l.id = k.trial_id AND l.stage = w.stage)
        GROUP BY t.configuration_id""", (problem_id,))]
    block_ns = wall_of_block(connection, problem_id)
    return points * statistics.median(finalists) * block_ns if finalists and block_ns else 0


def run_of(connection, name, options):
    device, started_at, seed, effort, wall_ns, measuring_ns = connection.execute("""
        SELECT d.name, r.started_at, r.seed, r.effort, r.wall_ns, r.measuring_ns
        FROM runs AS r
        JOIN environments AS e ON e.id = r.environment_id
        JOIN devices AS d ON d.id = e.device_id
        ORDER BY r.id DESC LIMIT 1""").fetchone()
    points, = connection.execute("""SELECT count(*) FROM trials
        WHERE stage = 'sweep' AND status = 'ok'""").fetchone()
    blocks, = connection.execute("SELECT count(*) FROM samples").fetchone()
    equal = sum(equal_ns(connection, identity) for identity, _, _ in problems_of(connection))
    return Run(name, device, started_at, seed, effort, (wall_ns or 0) / 1e9, (measuring_ns or 0) / 1e9,
               points, blocks, equal / 1e9, " ".join(options))


# ---- regret ----

def levels_in_rounds(connection, problem_id, stage):
    """Of each configuration: ln of its time, relative to the middle of the round, median over the valid rounds
    of a process, mean over the processes. The middle is that of the configurations that were in all rounds."""
    visits = collections.defaultdict(lambda: collections.defaultdict(list))
    for key, process, round_, elapsed_ns in connection.execute("""
            SELECT c.key, s.process, s.round, s.elapsed_ns
            FROM samples AS s
            JOIN trials AS t ON t.id = s.trial_id
            JOIN configurations AS c ON c.id = t.configuration_id
            WHERE t.problem_id = ? AND t.stage = ? AND t.objective = 'time' AND t.status = 'ok'
              AND s.invalid = 0 AND s.elapsed_ns > 0""", (problem_id, stage)):
        visits[process, round_][key].append(math.log(elapsed_ns))
    rounds = {at: {key: statistics.median(times) for key, times in visit.items()} for at, visit in visits.items()}
    if not rounds:
        return {}
    always = set.intersection(*(set(visit) for visit in rounds.values()))
    off = collections.defaultdict(lambda: collections.defaultdict(list))
    for (process, _), visit in rounds.items():
        centre = statistics.median([visit[key] for key in always] if always else list(visit.values()))
        for key, y in visit.items():
            off[key][process].append(y - centre)
    return {key: statistics.fmean(statistics.median(values) for values in processes.values())
            for key, processes in off.items()}


def levels_in_sweep(connection, problem_id):
    return {key: math.log(median_ns) for key, median_ns in connection.execute("""
        SELECT c.key, t.median_ns FROM trials AS t JOIN configurations AS c ON c.id = t.configuration_id
        WHERE t.problem_id = ? AND t.stage = 'sweep' AND t.status = 'ok' AND t.median_ns > 0""", (problem_id,))}


class Reference:
    def __init__(self, connection):
        self.launches = launches_of(connection)
        self.levels = {}
        for identity, problem, n in problems_of(connection):
            for stage in ("confirm", "race", "sweep"):
                levels = levels_in_sweep(connection, identity) if stage == "sweep" else \
                    levels_in_rounds(connection, identity, stage)
                named = {}
                for key, level in levels.items():
                    launch = self.launches.get((problem, n, key), key)
                    named[launch] = min(level, named.get(launch, math.inf))
                self.levels[problem, n, stage] = named

    def regret(self, problem, n, launch):
        """A share, and the stage that it comes from; (None, "") when the reference has not measured it."""
        for stage in ("confirm", "race", "sweep"):
            levels = self.levels.get((problem, n, stage), {})
            if launch in levels:
                return math.expm1(levels[launch] - min(levels.values())), stage
        return None, ""


# ---- comparing ----

def same(a, b):
    return bool(a and b) and a.key == b.key


def same_launch(a, b):
    return bool(a and b) and a.launch == b.launch


def tied(a, b):
    """The same launch, or each declares the other's winner tied."""
    return same_launch(a, b) or bool(a and b and a.launch in b.launches_tied and b.launch in a.launches_tied)


def rows_of(tunings, reference):
    """A row per problem and tuning: with which tunings it agrees, by number."""
    problems = sorted({at for winners in tunings for at in winners})
    for (problem, n), number in itertools.product(problems, range(len(tunings))):
        winner = tunings[number].get((problem, n))
        others = [tuning.get((problem, n)) for tuning in tunings]
        regret, stage = reference.regret(problem, n, winner.launch) if winner and reference else (None, "")
        yield {
            "problem": problem, "n": n, "tuning": number + 1,
            "winner": winner.key if winner else "",
            "stage": winner.stage if winner else "",
            "trust": winner.trust if winner else "",
            "median_ns": f"{winner.median_ns:.2f}" if winner else "",
            "tied": len(winner.tied) if winner else 0,
            "same": numbers(others, lambda other: same(winner, other)),
            "same_launch": numbers(others, lambda other: same_launch(winner, other)),
            "same_or_tied": numbers(others, lambda other: tied(winner, other)),
            "regret_percent": "" if regret is None else f"{100 * regret:.4f}",
            "regret_stage": stage,
        }


def numbers(others, agrees):
    return " ".join(str(i + 1) for i, other in enumerate(others) if agrees(other))


def agreement(rows, column, count):
    """Sizes in which all agree, sizes, pairs that agree, pairs."""
    problems = collections.defaultdict(list)
    for row in rows:
        problems[row["problem"], row["n"]].append(row)
    alike = sum(len(row[column].split()) - (1 if str(row["tuning"]) in row[column].split() else 0) for row in rows)
    everywhere = sum(all(len(row[column].split()) == count for row in group) for group in problems.values())
    return everywhere, len(problems), alike // 2, len(problems) * count * (count - 1) // 2


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def tables(rows, runs, count):
    lines = [f"{runs[0].device}, {runs[0].started_at[:10]}: {count} independent tunings, "
             f"{len({(row['problem'], row['n']) for row in rows})} sizes", "", f"{'':32} {'all agree in':>20}   {'pairs agree':>20}"]
    for column, label in (("same", "the same winner"), ("same_launch", "the same launch"),
                          ("same_or_tied", "the same or declared tied")):
        everywhere, sizes, alike, pairs = agreement(rows, column, count)
        lines.append(f"{label:32} {everywhere:4} of {sizes:<4} {percent(everywhere, sizes):>7}   "
                     f"{alike:4} of {pairs:<4} {percent(alike, pairs):>7}")
    regrets = [float(row["regret_percent"]) for row in rows if row["regret_percent"]]
    if regrets:
        stages = collections.Counter(row["regret_stage"] for row in rows if row["regret_percent"])
        lines += ["", f"regret against the reference: mean {statistics.fmean(regrets):.3f} %, "
                  f"median {statistics.median(regrets):.3f} %, most {max(regrets):.3f} % "
                  f"({', '.join(f'{number} by its {stage}' for stage, number in stages.most_common())})"]
    trust = collections.Counter(row["trust"] or "no winner" for row in rows)
    lines += [f"trust: {', '.join(f'{number} {word}' for word, number in trust.most_common())}", "",
              f"{'':10} {'seed':>5} {'effort':9} {'wall s':>8} {'measuring s':>12} {'points':>7} {'blocks':>8} "
              f"{'all equally long, s':>20} {'times':>6}"]
    for run in runs:
        times = f"{run.equal_s / run.measuring_s:.1f}" if run.measuring_s and run.equal_s else "-"
        lines.append(f"{run.name:10} {run.seed:5} {run.effort:9} {run.wall_s:8.1f} {run.measuring_s:12.1f} "
                     f"{run.points:7} {run.blocks:8} {run.equal_s:20.1f} {times:>6}")
    lines += ["", f"{'problem':16} {'n':>10}  {'winners':>7} {'launches':>8} {'regret %':>9}  "
              "the most frequent winner"]
    groups = itertools.groupby(rows, key=lambda row: (row["problem"], row["n"]))
    for (problem, n), group in groups:
        group = list(group)
        winners = collections.Counter(row["winner"] or "none" for row in group)
        launches = len({row["same_launch"] for row in group})
        regrets = [float(row["regret_percent"]) for row in group if row["regret_percent"]]
        mean = f"{statistics.fmean(regrets):.3f}" if regrets else "-"
        lines.append(f"{problem:16} {n:>10}  {len(winners):7} {launches:8} {mean:>9}  "
                     f"{winners.most_common(1)[0][0]}")
    return "\n".join(lines) + "\n"


# ---- all of it ----

def arguments_of(argv):
    own, options = (argv[:argv.index("--")], argv[argv.index("--") + 1:]) if "--" in argv else (argv, [])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve(), metavar="BUILD_FOLDER")
    parser.add_argument("out", type=lambda text: pathlib.Path(text).resolve(), metavar="OUT_FOLDER")
    parser.add_argument("--tunings", type=int, default=5, metavar="T", help="how many (5)")
    parser.add_argument("--problems", default="reduce.sum.i32", metavar="KEYS",
                        help="what is tuned, as `tune run` takes it (reduce.sum.i32)")
    parser.add_argument("--reference", default="--effort thorough", metavar="OPTIONS",
                        help="what the reference has besides the tunings' own options; '': no reference")
    parser.add_argument("--work", type=lambda text: pathlib.Path(text).resolve(), metavar="FOLDER",
                        help="where databases stay (a temporary folder, removed)")
    arguments = parser.parse_args(own)
    arguments.options = options
    arguments.problems = arguments.problems.split()
    return arguments


def read(database, name, options):
    with sqlite3.connect(database) as connection:
        return winners_of(connection, launches_of(connection)), run_of(connection, name, options)


def write(folder, rows, runs, text):
    folder.mkdir(parents=True, exist_ok=True)
    for name, fields, table in (("agreement.csv", list(rows[0]), rows),
                                ("agreement-runs.csv", list(Run._fields), [run._asdict() for run in runs])):
        with open(folder / name, "w", newline="") as file:
            writer = csv.DictWriter(file, fields, lineterminator="\n")
            writer.writeheader()
            for row in table:
                writer.writerow({key: f"{value:.3f}" if isinstance(value, float) else value
                                 for key, value in row.items()})
    (folder / "agreement.txt").write_text(text)
    print(text, end="")


def compare(arguments):
    tunings, runs = [], []
    for number in range(1, arguments.tunings + 1):
        database = tune(arguments, f"tuning-{number}", 1000 + number, arguments.options)
        if not database:
            sys.exit(f"tuning {number} came to no end")
        winners, run = read(database, str(number), arguments.options)
        tunings.append(winners)
        runs.append(run)
    reference = None
    if arguments.reference.split():
        options = arguments.options + arguments.reference.split()
        database = tune(arguments, REFERENCE, 1, options)
        if not database:
            sys.exit("the reference came to no end")
        with sqlite3.connect(database) as connection:
            reference = Reference(connection)
        runs.append(read(database, REFERENCE, options)[1])
    rows = list(rows_of(tunings, reference))
    if not rows:
        sys.exit("no tuning has a winner")
    write(arguments.out, rows, runs, tables(rows, runs, arguments.tunings))


def main():
    arguments = arguments_of(sys.argv[1:])
    os.environ.setdefault("TUNE_DATA_DIR", str(ROOT))
    with tempfile.TemporaryDirectory(prefix="tune-agreement.") as folder:
        arguments.work = arguments.work or pathlib.Path(folder) / "work"
        arguments.work.mkdir(parents=True, exist_ok=True)
        compare(arguments)


if __name__ == "__main__":
    main()
