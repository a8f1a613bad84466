#!/usr/bin/env python3
"""What a trial costs when it is carried to another host (docs/fleet.md), beside here.

    bench/hosts.py BUILD_FOLDER [--rounds 3] [--device null] [--on COMMAND]...
    bench/hosts.py BUILD_FOLDER --scale 1,2,4,8 [--block-us 5000] [--lanes 1] [--on COMMAND]

Without --on: through `env`, which is an agent on this machine. With the device null nothing is run, so that a trial is what
tune and the way to it take; any other times that as well. Here and each command take turns; told are the 10th percentile
(what it takes on a machine that is busy otherwise) and the median of a trial of the sweep, as the parent waited for it, and of a
round of the race; then the medians of what it takes from one process that confirms to the first round of the next, and of a whole
run's start and wall time.

With --scale: how long a sweep of 600 points takes so many hosts, each an agent on this machine with a null device whose
blocks take so long (and no processor), and which share that is of the speed that as many times one host's would be. In
COMMAND {} is the host's number, from 1 on (--on 'srun -N1 -w n{}'). With --lanes each host has so many such devices. The
parent's own share of a processor is told, and what a trial costs it: what more devices would, follows from that."""
import argparse
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time


def run(tune, device, folder, cache, command):
    for file in folder.glob("tune.db*"):
        file.unlink()
    where = ["--on", command, "--remote-tune", tune] if command else []
    done = subprocess.run([tune, "run", "reduce.sum.i32", "--device", device, "--no-report", "--effort", "quick", "--strategy", "exhaustive",
                           "--sizes", "1048576", "--points", "300", "--set", "confirm_processes=3", "--set", "confirm_rounds=4", *where],
                          env=dict(os.environ, TUNE_CACHE_DIR=str(cache)),
                          capture_output=True, text=True, cwd=folder)
    if done.returncode not in (0, 6):
        sys.exit(f"{command or 'here'}: exit code {done.returncode}\n{done.stderr}")
    with sqlite3.connect(folder / "tune.db") as database:
        trials = [row[0] / 1e6 for row in database.execute("SELECT duration_ns FROM trials WHERE stage = 'sweep'")]
        gaps = database.execute("SELECT stage, process <> lag(process) OVER told, at_ns - lag(at_ns) OVER told FROM rounds "
                                "WINDOW told AS (PARTITION BY stage ORDER BY process, ordinal)").fetchall()
    rounds = [gap / 1e6 for stage, _, gap in gaps if stage == "race" and gap]
    fresh = [gap / 1e6 for stage, is_fresh, gap in gaps if stage == "confirm" and is_fresh and gap]
    start = re.search(r"([\d.]+) s to start", done.stderr)
    wall = re.search(r"in ([\d.]+) s on", done.stderr)
    return trials, rounds, fresh, [float(start.group(1)) if start else 0], [float(wall.group(1)) if wall else 0]


def processor_s(pid):
    """Which a process has had itself; None: it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def sweep(tune, folder, count, command, options, block_us):
    """Seconds of the sweep, of a trial in it, and of the parent's processor, by so many hosts with null devices."""
    for file in folder.glob("tune.db*"):
        file.unlink()
    where = []
    for i in range(count):
        where += ["--on", f"{command.replace('{}', str(i + 1))} env TUNE_LOCK_DIR={folder}/locks-{i}"]
        (folder / f"locks-{i}").mkdir(exist_ok=True)
    log = folder / "log"
    with open(log, "w", encoding="utf-8") as errors, \
         subprocess.Popen([tune, "run", "reduce.sum.i32", "--device", ",".join(f"null:{i}" for i in range(options.lanes)), "--no-report",
                           "--effort", "quick", "--strategy", "exhaustive", "--sizes", "1048576", "--points", "600", "--remote-tune", tune, *where],
                          env=dict(os.environ, TUNE_CACHE_DIR=str(folder / "cache"), TUNE_NULL_BLOCK_US=str(block_us), TUNE_HOST_GRACE_MS="120000"),
                          stdout=subprocess.DEVNULL, stderr=errors, cwd=folder) as parent:
        looks = [(0.0, 0.0)]  # when, and the processor's seconds by then
        while (spent_s := processor_s(parent.pid)) is not None:
            looks.append((time.monotonic(), spent_s))
            time.sleep(0.02)
    told = log.read_text(encoding="utf-8")
    if parent.returncode not in (0, 6):
        sys.exit(f"{count} hosts: exit code {parent.returncode}\n{told}")
    with sqlite3.connect(folder / "tune.db") as database:
        trial_s, = database.execute("SELECT avg(duration_ns) / 1e9 FROM trials WHERE stage = 'sweep'").fetchone()
    sweep_s = float(re.search(r"([\d.]+) s sweeps", told).group(1))
    # The steepest time of the run as long as the sweep is the sweep.
    parent_s, last = 0.0, 1
    for when, spent_s in looks[1:]:
        while when - looks[last][0] > sweep_s:
            last += 1
        parent_s = max(parent_s, spent_s - looks[last][1])
    return sweep_s, trial_s, parent_s


def scale(tune, options):
    counts = [int(count) for count in options.scale.split(",")]
    command = (options.on or [""])[0]
    with tempfile.TemporaryDirectory(prefix="tune-hosts-") as name:
        folder = pathlib.Path(name)
        sweep(tune, folder, 1, command, options, 0)  # fills the caches
        rows = {count: [sweep(tune, folder, count, command, options, options.block_us) for _ in range(options.rounds)] for count in counts}
    one = min(sweep_s for sweep_s, _, _ in rows[counts[0]]) * counts[0]
    print(f"{'hosts':>5} {'lanes':>5} {'trial ms':>9} {'sweep s':>8} {'of ideal':>9} {'parent, % of a core':>20} {'its ms a trial':>14}"
          f"   (the shortest of {options.rounds} sweeps of 600 points)")
    for count, row in rows.items():
        sweep_s, trial_s, parent_s = min(row)
        print(f"{count:5} {count * options.lanes:5} {1000 * trial_s:9.1f} {sweep_s:8.2f} {one / count / sweep_s:9.2f} "
              f"{100 * parent_s / sweep_s:20.0f} {1000 * parent_s / 600:14.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="null")
    parser.add_argument("--on", action="append", metavar="COMMAND", help="may be given several times (default: env)")
    parser.add_argument("--scale", metavar="COUNTS", help="of hosts: 1,2,4,8")
    parser.add_argument("--lanes", type=int, default=1, help="null devices on each host of --scale (1)")
    parser.add_argument("--block-us", type=int, default=5000, help="what a block takes on the null devices of --scale (5000)")
    options = parser.parse_args()
    tune = str((options.build / "bin" / "tune").resolve())
    if options.scale:
        scale(tune, options)
        return
    found = {command: ([], [], [], [], []) for command in [None, *(options.on or ["env"])]}
    with tempfile.TemporaryDirectory(prefix="tune-hosts-") as name:
        folder = pathlib.Path(name)
        for i in range(options.rounds + 1):
            for command, lists in found.items():
                for all_of, some in zip(lists, run(tune, options.device, folder, folder / "cache", command)):
                    all_of += some if i > 0 else []  # the first fills the caches
    print(f"{'':24} {'trials':>7} {'p10 ms':>8} {'median ms':>10} {'round p10':>10} {'median ms':>10} {'process ms':>11} {'start s':>8} {'run s':>7}")
    for command, (trials, rounds, fresh, starts, walls) in found.items():
        print(f"{(command or 'here')[:24]:24} {len(trials):7} {statistics.quantiles(trials, n=10)[0]:8.3f} {statistics.median(trials):10.3f} "
              f"{statistics.quantiles(rounds, n=10)[0]:10.3f} {statistics.median(rounds):10.3f} {statistics.median(fresh):11.0f} "
              f"{statistics.median(starts):8.1f} {statistics.median(walls):7.1f}")


if __name__ == "__main__":
    main()
