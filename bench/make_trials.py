#!/usr/bin/env python3
"""Makes a database as large as wanted, to see what tune costs as databases grow.

    bench/make_trials.py --build build/release --trials 100000 [--problems 1] FOLDER

tune itself sweeps, races and confirms one problem of 100 configurations on the stand-in driver (tests/faults), some
of which fail; what it stored is then repeated, through the real schema, for TRIALS trials of the sweep over all
problems: with values of parameters that no binary depends on (so that every hash is the right one, and 'tune run'
takes every trial as known), times that differ, and launches that are the same as another's. FOLDER gets tune.db and
the experiment grown.yaml with its source; 'tune run' in it needs environment() below.
"""

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys

WAYS, BLOCKS, TILES = 25, (64, 128, 256, 512), ("tile_x", "tile_y", "depth", "unroll")
SEEDS = WAYS * len(BLOCKS)
N_FIRST = 1000
FAULTS = "kernel@WAY=5: wrong; kernel@WAY=6: 700; cuModuleLoadData@WAY=7: 300; noise=3; " + "; ".join(
    f"kernel@WAY={way}: slower={1 + way / 40}" for way in range(8, WAYS + 1))
QUICK = ["--no-report", "--set", "warm_window_ms=1", "--set", "warm_least_ms=1", "--set", "warm_most_ms=20",
         "--set", "confirm_processes=3", "--set", "confirm_rounds=8"]

EXPERIMENT = """experiment: grown
about: Copies n elements.
device: cuda
source: grown.cu
axes: {{type: [i32], batch: {batches}}}
sizes: {{n: {sizes}}}
parameters:
  way: {ways}
  block: {blocks}
{tiles}derived: {{grid: 'ceil_div(n, block)'}}
defines: {{WAY: way}}
launches:
  - {{kernel: copy_elements, grid: grid, block: block, arguments: [in, out, n]}}
arguments:
  - {{name: in, type: "${{type}}", count: n, fill: random}}
  - {{name: out, type: "${{type}}", count: n, output: true}}
  - {{name: n, type: i64, value: n}}
check: {{reference: copy_reference, source: grown_reference.c, output: out, tolerance: 0}}
baselines:
  - {{name: textbook, about: the first way, set: {{way: 1, block: 64, tile_x: 1, tile_y: 1, depth: 1, unroll: 1}}}}
metrics: {{bytes: 2 * n * sizeof(type)}}
"""
SOURCE = 'extern "C" __global__ void copy_elements(const int *in, int *out, long long n);\n'
REFERENCE = """void copy_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    const long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n; i++)
        expected[i].integer = in[i];
}
"""


def environment(build, folder):
    """Of every tune that works in such a folder."""
    driver = os.path.join(os.path.abspath(build), "tests", "faults")
    folder = os.path.abspath(folder)
    return dict(os.environ, LD_LIBRARY_PATH=driver, TUNE_NVRTC_PATH=driver, TUNE_FAULTS=FAULTS,
                TUNE_FAULTS_STATE=os.path.join(folder, "driver.state"), TUNE_CEILING_BYTES="1048576",
                TUNE_CACHE_DIR=os.path.join(folder, "cache"), TUNE_LOCK_DIR=os.path.join(folder, "locks"))


def run_command(build):
    return [os.path.join(os.path.abspath(build), "bin", "tune"), "run", "./grown.yaml", "--device", "cuda:0"] + QUICK


def write_experiment(folder, batches, sizes, tiles):
    lists = {"batches": list(range(1, batches + 1)), "sizes": sizes, "ways": list(range(1, WAYS + 1)),
             "blocks": list(BLOCKS)}
    lists["tiles"] = "".join(f"  {name}: {list(range(1, count + 1))}\n" for name, count in zip(TILES, tiles))
    with open(os.path.join(folder, "grown.yaml"), "w", encoding="utf-8") as file:
        file.write(EXPERIMENT.format(**lists))


def write_files(folder):
    for name, text in (("grown.cu", SOURCE), ("grown_reference.c", REFERENCE)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def columns(database, table):
    return [row[1] for row in database.execute(f"PRAGMA table_info({table})")]


class Growth:
    """Repeats what is stored of the first problem."""

    def __init__(self, database, tiles, chance):
        self.db, self.chance = database, chance
        self.columns = {name: columns(database, name) for name in (
            "problems", "configurations", "trials", "samples", "resources", "searches", "baselines", "rounds",
            "gauntlets", "winners", "contenders")}
        self.rows = {name: self.read(name) for name in self.columns}
        self.samples, self.resources = self.by_trial("samples"), self.by_trial("resources")
        self.next_trial = 1 + max(row["id"] for row in self.rows["trials"])
        self.combinations = self.all_combinations(tiles)
        self.configurations = {}

    def read(self, table):
        return [dict(zip(self.columns[table], row)) for row in self.db.execute(f"SELECT * FROM {table}")]

    def by_trial(self, table):
        found = {}
        for row in self.rows[table]:
            found.setdefault(row["trial_id"], []).append(row)
        return found

    def add(self, table, rows):
        names = self.columns[table]
        self.db.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
                            ([row[name] for name in names] for row in rows))

    @staticmethod
    def all_combinations(tiles):
        found = [()]
        for count in tiles:
            found = [one + (value,) for one in found for value in range(1, count + 1)]
        return found[1:]  # the first was measured

    def add_configurations(self):
        """Of each combination and each configuration that was measured; ids as if tried in any order."""
        pairs = [(seed, at) for at in range(len(self.combinations)) for seed in self.rows["configurations"]]
        self.chance.shuffle(pairs)
        first = 1 + max(row["id"] for row in self.rows["configurations"])
        rows = []
        for number, (seed, at) in enumerate(pairs, first):
            values = json.loads(seed["parameters"])
            values.update(zip(TILES, self.combinations[at]))
            rows.append(dict(seed, id=number, key=" ".join(f"{name}={value}" for name, value in values.items()),
                             parameters=json.dumps(values, separators=(",", ":"))))
            self.configurations[seed["id"], at] = number
        self.add("configurations", rows)

    def repeat_trial(self, trial, changes, factor, with_samples=True):
        """A trial like another, so many times as slow."""
        row = dict(trial, id=self.next_trial, **changes)
        self.next_trial += 1
        for name in ("median_ns", "mad_ns", "min_ns", "max_ns", "value"):
            row[name] = row[name] * factor if row[name] is not None else None
        samples = self.samples.get(trial["id"], []) if with_samples else []
        self.add("samples", (dict(one, trial_id=row["id"], elapsed_ns=one["elapsed_ns"] * factor) for one in samples))
        self.add("resources", (dict(one, trial_id=row["id"]) for one in self.resources.get(trial["id"], [])))
        return row

    def sweep(self, problem_id, factor):
        """The trials of all combinations on one problem."""
        seeds = [row for row in self.rows["trials"] if row["stage"] == "sweep"]
        pairs = [(seed, at) for at in range(len(self.combinations)) for seed in seeds]
        self.chance.shuffle(pairs)
        rows, earlier = [], None
        for seed, at in pairs:
            changes = {"problem_id": problem_id, "configuration_id": self.configurations[seed["configuration_id"], at]}
            is_ok = seed["status"] == "ok"
            if is_ok and earlier and self.chance.random() < 0.05:
                changes.update(status="skipped_by_constraint", same_as_trial_id=earlier["id"], sample_count=0,
                               detail="launches the same as another", median_ns=None, mad_ns=None, min_ns=None,
                               max_ns=None, value=None, binary_hash=seed["binary_hash"])
                rows.append(self.repeat_trial(seed, changes, 1.0, with_samples=False))
                continue
            rows.append(self.repeat_trial(seed, changes, factor * (1.05 + self.chance.expovariate(1.0))))
            earlier = rows[-1] if is_ok else earlier
        self.add("trials", rows)

    def add_problem(self, batch, n):
        """What the first problem has, of another: its own trials, and what race and confirmation came to."""
        first = self.rows["problems"][0]
        problem_id = self.db.execute("SELECT max(id) + 1 FROM problems").fetchone()[0]
        axes = dict(json.loads(first["axes"]), batch=batch)
        key = first["key"].rsplit(".", 1)[0] + f".{batch}"
        factor = n / N_FIRST
        self.add("problems", [dict(first, id=problem_id, key=key, axes=json.dumps(axes, separators=(",", ":")), n=n,
                                   bytes_moved=first["bytes_moved"] * n / first["n"])])
        trials = {}
        for trial in self.rows["trials"]:
            trials[trial["id"]] = self.repeat_trial(trial, {"problem_id": problem_id}, factor)
        for trial in trials.values():
            if trial["same_as_trial_id"] is not None:
                trial["same_as_trial_id"] = trials[trial["same_as_trial_id"]]["id"]
        self.add("trials", trials.values())
        for table in ("searches", "baselines", "rounds", "gauntlets"):
            self.add(table, (dict(row, problem_id=problem_id) for row in self.rows[table]))
        for winner in self.rows["winners"]:
            winner_id = self.db.execute("SELECT max(id) + 1 FROM winners").fetchone()[0]
            times = {name: winner[name] and winner[name] * factor for name in ("value", "time_low_ns", "time_high_ns")}
            self.add("winners", [dict(winner, id=winner_id, problem_id=problem_id,
                                      trial_id=trials[winner["trial_id"]]["id"], **times)])
            self.add("contenders", (
                dict(row, winner_id=winner_id, trial_id=row["trial_id"] and trials[row["trial_id"]]["id"])
                for row in self.rows["contenders"] if row["winner_id"] == winner["id"]))
        return problem_id, factor


def shape(trials, problems):
    """Values of the tiles, batches, sizes."""
    each, rest = divmod(trials, problems)
    tiles = [1] * len(TILES)
    at = 0
    while rest == 0 and each > SEEDS and each % 10 == 0 and at < len(tiles):
        tiles[at] = 10
        each //= 10
        at += 1
    batches = 10 if problems % 10 == 0 else 1
    if rest or each != SEEDS or problems // batches * batches != problems:
        sys.exit(f"trials must be problems times {SEEDS}, {SEEDS}0, ... {SEEDS}0000")
    return tiles, batches, [N_FIRST + 10 * i for i in range(problems // batches)]


def grow(folder, batches, sizes, tiles):
    database = sqlite3.connect(os.path.join(folder, "tune.db"), isolation_level=None)
    for statement in ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -1000000", "BEGIN"):
        database.execute(statement)
    growth = Growth(database, tiles, random.Random(1))
    growth.add_configurations()
    for batch in range(1, batches + 1):
        for n in sizes:
            problem_id, factor = (1, 1.0) if (batch, n) == (1, N_FIRST) else growth.add_problem(batch, n)
            growth.sweep(problem_id, factor)
    database.execute("COMMIT")
    database.execute("PRAGMA journal_mode = WAL")
    database.close()


def make(folder, build, trials, problems):
    tiles, batches, sizes = shape(trials, problems)
    os.makedirs(folder)
    write_files(folder)
    write_experiment(folder, 1, sizes[:1], [1] * len(TILES))
    done = subprocess.run(run_command(build), cwd=folder, env=environment(build, folder), check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 6):
        sys.exit(f"tune run: {done.stderr}")
    write_experiment(folder, batches, sizes, tiles)
    grow(folder, batches, sizes, tiles)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release", help="a build with its tests")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--problems", type=int, default=1)
    parser.add_argument("folder", help="made anew")
    options = parser.parse_args()
    make(options.folder, options.build, options.trials, options.problems)


if __name__ == "__main__":
    main()
