#!/usr/bin/env python3
"""What tune itself costs: whole runs on the null device, which runs nothing (tuner/device/scripted/).

    bench/overhead.py [--build build/release] [--only WORD] [--whole] [--work FOLDER] [--record]

Prints a table: trials per second, processor time per trial of the parent and of its workers, and the most memory that
the parent and its largest worker held at a time. With --record the figures are added to docs/overhead.json, and
docs/overhead.md is made of its first and its last record. --whole adds all 528 problems of `reduce` with every
configuration (a quarter of an hour).
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDS = os.path.join(HERE, "..", "docs", "overhead.json")
FEW = ["--points", "50"]
RUNS = (
    ("the default run", []),
    ("`reduce`, one size, 50 configurations each", ["reduce", "--sizes", "2**24"] + FEW),
    ("`reduce`, four sizes, 50 configurations each", ["reduce", "--sizes", "2**10,2**16,2**20,2**24"] + FEW),
    ("`reduce`, all sizes, 50 configurations each", ["reduce"] + FEW),
    ("`reduce`, one size", ["reduce", "--sizes", "2**24"]),
)
WHOLE = (("`reduce`", ["reduce"]),)
TICKS = os.sysconf("SC_CLK_TCK")
COLUMNS = ("problems", "trials", "trials/s", "parent", "workers", "parent holds", "a worker holds", "database")


def status_of(pid):
    """(parent's id, most bytes held, seconds of the processor) of a process; None: it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            lines = dict(line.split(":", 1) for line in file)
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        held = int(lines.get("VmHWM", "0 kB").split()[0]) * 1024
        return int(lines["PPid"]), held, (int(fields[11]) + int(fields[12])) / TICKS
    except (OSError, ValueError, KeyError):
        return None


def watch(process):
    """Bytes that the parent held, that its largest child held, and the parent's seconds, until it ends."""
    parent, worker, seconds = 0, 0, 0.0
    while True:
        for name in os.listdir("/proc"):
            found = status_of(name) if name.isdigit() else None
            if found and int(name) == process.pid:
                parent, seconds = max(parent, found[1]), max(seconds, found[2])
            elif found and found[0] == process.pid:
                worker = max(worker, found[1])
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return parent, worker, seconds, used.ru_utime + used.ru_stime
        time.sleep(0.05)


def measure(tune, arguments, work):
    folder = tempfile.mkdtemp(dir=work)
    environment = dict(os.environ, TUNE_CACHE_DIR=os.path.join(folder, "cache"), TUNE_LOCK_DIR=os.path.join(folder, "locks"))
    started = time.monotonic()
    with open(os.path.join(folder, "output"), "wb") as output:
        process = subprocess.Popen([tune, "run"] + arguments + ["--device", "null", "--seed", "1", "--no-report", "--quiet"],
                                   cwd=folder, env=environment, stdout=output, stderr=output)
        parent, worker, own, total = watch(process)
    wall = time.monotonic() - started
    if process.returncode != 0:
        with open(os.path.join(folder, "output"), encoding="utf-8") as output:
            sys.exit(f"tune run {' '.join(arguments)}: {output.read()}")
    database = os.path.join(folder, "tune.db")
    trials, problems = sqlite3.connect(database).execute(
        "SELECT count(*), count(DISTINCT problem_id) FROM trials WHERE same_as_trial_id IS NULL AND status = 'ok'").fetchone()
    found = {"problems": problems, "trials": trials, "wall_s": wall, "parent_s": own, "workers_s": total - own,
             "parent_bytes": parent, "worker_bytes": worker, "database_bytes": os.path.getsize(database)}
    shutil.rmtree(folder)
    return found


def cells(row):
    """As COLUMNS has them."""
    trials = row["trials"]
    return (f"{row['problems']:,}", f"{trials:,}", f"{trials / row['wall_s']:,.0f}",
            f"{1e6 * row['parent_s'] / trials:,.0f} us", f"{1e6 * row['workers_s'] / trials:,.0f} us",
            f"{row['parent_bytes'] / 1e6:,.0f} MB", f"{row['worker_bytes'] / 1e6:,.0f} MB",
            f"{row['database_bytes'] / 1e6:,.1f} MB")


def table(records):
    """Rows of the last record, with those of the first behind them where they differ."""
    first, last = records[0], records[-1]
    lines = ["| run | " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
    for name in last["runs"]:
        shown = cells(last["runs"][name])
        if first is not last and name in first["runs"]:
            before = cells(first["runs"][name])
            shown = [f"{a} ({b})" if a != b else a for a, b in zip(shown, before)]
        lines.append(f"| {name} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


PAGE = """# The cost of tune itself

Made by `bench/overhead.py --record` out of [overhead.json](overhead.json): commit {commit}, {date}, {cores} cores of {processor}{before}.
Whole runs (sweep, race, checks, confirmation in fresh processes, ranges, tuned.conf) on the null device (`--device null`), which runs
nothing and answers from a formula, so that only the harness is measured. Trials are launched trials; times are processor time per
trial, of the parent and of all workers with their compilers; memory is the maximum of one process. Trials per second depend on the
load of the machine{load}; processor times hardly do.

{table}
"""


def page(records):
    last, first = records[-1], records[0]
    before = "" if first is last else f"; in brackets commit {first['commit']}, {first['date']}, where it differs"
    load = f" (load before: {last['load']:.1f})" if "load" in last else ""
    return PAGE.format(before=before, load=load, table=table(records).rstrip(), **{k: last[k] for k in ("commit", "date", "cores", "processor")})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--only", default="", metavar="WORD", help="runs whose name has it")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--work", metavar="FOLDER", help="where databases are put for the time being")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    tune = os.path.join(os.path.abspath(given.build), "bin", "tune")
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    runs = {}
    for name, arguments in RUNS + (WHOLE if given.whole else ()):
        if given.only in name:
            runs[name] = measure(tune, arguments, given.work)
            print(f"{name:<46} " + "  ".join(cells(runs[name])), file=sys.stderr, flush=True)
    record = {"commit": commit.stdout.strip(), "date": str(datetime.date.today()), "load": os.getloadavg()[0], "cores": len(os.sched_getaffinity(0)),
              "processor": processor(), "runs": runs}
    if not given.record:
        print(table([record]), end="")
        return
    records = []
    if os.path.exists(RECORDS):
        with open(RECORDS, encoding="utf-8") as file:
            records = json.load(file)
    records.append(record)
    with open(RECORDS, "w", encoding="utf-8") as file:
        json.dump(records[:1] + records[-1:] if len(records) > 1 else records, file, indent=1)
        file.write("\n")
    with open(RECORDS[:-len("json")] + "md", "w", encoding="utf-8") as file:
        file.write(page(records))


if __name__ == "__main__":
    main()
