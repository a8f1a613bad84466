#!/usr/bin/env python3
"""Makes db/recorded/prior.db, the rankings that searches begin with (docs/search.md, "Learning from elsewhere"), out of
the recordings of GPUs beside it: of each device and problem what its newest recording says, of that the fastest
configurations and others at even distances behind them, failed ones last. A database that `tune` reads where it lies,
without a program that unpacks it.

    bench/prior.py [--check] [--without DEVICE] [TO]

--check: says whether TO has what the recordings have, and changes nothing. --without: DEVICE's recordings are left out
(nvidia-h100: what a board of that model begins with that is not its own).
"""

import glob
import lzma
import os
import sqlite3
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
RECORDED = os.path.join(HERE, "db/recorded")
KEPT = 32  # per problem: a model takes 96 of all its sources (tuner/search/model.c)

RANKS = """SELECT d.kind, d.name, x.name, p.key, p.n, c.parameters,
    CASE WHEN t.status = 'ok' THEN t.median_ns WHEN twin.status = 'ok' THEN twin.median_ns END{day}
FROM trials AS t JOIN problems AS p ON p.id = t.problem_id JOIN experiments AS x ON x.id = p.experiment_id
JOIN configurations AS c ON c.id = t.configuration_id JOIN environments AS e ON e.id = t.environment_id
JOIN devices AS d ON d.id = e.device_id LEFT JOIN trials AS twin ON twin.id = t.same_as_trial_id
WHERE t.stage = 'sweep' AND t.l2_mode = 'cold' AND d.kind = 'cuda' AND x.name <> 'occupancy'"""


def thin(ranked):
    """The best half of those that are kept, and others at even distances behind it."""
    half = KEPT // 2
    if len(ranked) <= KEPT:
        return ranked
    return ranked[:half] + [ranked[half + i * (len(ranked) - half) // half] for i in range(half)]


def read(path):
    """By device and problem: its day, and (parameters, time or None) of each configuration."""
    problems = {}
    with tempfile.NamedTemporaryFile() as copy:
        with lzma.open(path) as packed:
            copy.write(packed.read())
        copy.flush()
        database = sqlite3.connect(f"file:{copy.name}?mode=ro&immutable=1", uri=True)
        for row in database.execute(RANKS.format(day=", t.measured_at")):
            trials = problems.setdefault(row[:5], ["", []])
            trials[0] = max(trials[0], row[7])
            trials[1].append(row[5:7])
        database.close()
    return problems


def newest(without):
    """Of the recordings of whole families; what one problem or file of others had is no prior."""
    problems = {}
    for path in sorted(glob.glob(f"{RECORDED}/*/*.db.xz")):
        folder, name = path.split(os.sep)[-2:]
        if folder == without or name not in ("tune.db.xz", "wide.db.xz", "families.db.xz", "segments.db.xz"):
            continue
        for problem, trials in read(path).items():
            if problem not in problems or trials[0] > problems[problem][0]:
                problems[problem] = trials
    rows = []
    for problem in sorted(problems):
        ranked = sorted(problems[problem][1], key=lambda trial: (trial[1] is None, trial[1] or 0, trial[0]))
        rows += [(*problem, *trial) for trial in thin(ranked) if len(ranked) > 1]
    return rows


def insert(database, ids, table, **values):
    """The row's id; one that is there already is not put in again."""
    key = (table, *values.values())
    if key not in ids:
        ids[key] = database.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
                                    list(values.values())).lastrowid
    return ids[key]


def tables():
    """Returns the schema's tables, which `tune` asks for, without their constraints: a ranking has few of a trial's columns."""
    with open(os.path.join(HERE, "db/schema.sql"), encoding="utf-8") as file:
        schema = file.read()
    made = sqlite3.connect(":memory:")
    made.executescript(schema)
    made_of = [line for line in schema.splitlines() if line.startswith("PRAGMA ")]
    for (table,) in made.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall():
        columns = [f"{name} {of} {'PRIMARY KEY' if name == 'id' else ''}" for _, name, of, *_ in made.execute(f"PRAGMA table_info({table})")]
        made_of.append(f"CREATE TABLE {table} ({', '.join(columns)});")
    made.close()
    return "\n".join([*made_of, "CREATE INDEX trials_by_problem ON trials (problem_id, environment_id);"])


def write(rows, target):
    if os.path.exists(target):
        os.remove(target)
    ids = {}
    database = sqlite3.connect(target)
    database.executescript(tables())
    for kind, device, experiment, key, n, parameters, time in rows:
        device_id = insert(database, ids, "devices", kind=kind, name=device)
        environment = insert(database, ids, "environments", device_id=device_id)
        experiment_id = insert(database, ids, "experiments", name=experiment)
        problem = insert(database, ids, "problems", experiment_id=experiment_id, key=key, n=n)
        configuration = insert(database, ids, "configurations", parameters=parameters)
        insert(database, ids, "trials", environment_id=environment, problem_id=problem, configuration_id=configuration,
               stage="sweep", l2_mode="cold", status="ok" if time else "launch_failed",
               median_ns=float(f"{time:.5g}") if time else None)
    database.commit()
    database.execute("VACUUM")
    database.close()


def content(path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = database.execute(RANKS.format(day="")).fetchall()
    database.close()
    return sorted(map(repr, rows))


def main():
    arguments = sys.argv[1:]
    checks = "--check" in arguments
    without = None
    if checks:
        arguments.remove("--check")
    if "--without" in arguments[:-1]:
        without = arguments.pop(arguments.index("--without") + 1)
        arguments.remove("--without")
        if not os.path.isdir(f"{RECORDED}/{without}"):
            sys.exit(f"{without}: nothing is recorded of it")
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        sys.exit("use: bench/prior.py [--check] [--without DEVICE] [TO]")
    target = arguments[0] if arguments else os.path.join(RECORDED, "prior.db")
    rows = newest(without)
    if not checks:
        write(rows, target)
        print(f"{target}: {len(rows)} configurations, {os.path.getsize(target) / 1e6:.1f} MB")
        return
    with tempfile.TemporaryDirectory() as folder:
        write(rows, f"{folder}/prior.db")
        if content(f"{folder}/prior.db") != content(target):
            sys.exit(f"{target}: is not what the recordings say; bench/prior.py makes it anew")


if __name__ == "__main__":
    main()
