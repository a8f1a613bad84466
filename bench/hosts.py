#!/usr/bin/env python3
"""What a trial costs when it is carried to another host (docs/fleet.md), beside here.

    bench/hosts.py BUILD_FOLDER [--rounds 3] [--device null] [--on COMMAND]...

Without --on: through `env`, which is an agent on this machine. With the device null nothing is run, so that a trial is what
tune and the way to it take; any other times that as well. Here and each command take turns; told are the 10th percentile
(what it takes on a machine that is busy otherwise) and the median of a trial of the sweep, as the parent waited for it, and the median of a whole run's start and of its wall time."""
import argparse
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile


def run(tune, device, folder, cache, command):
    for file in folder.glob("tune.db*"):
        file.unlink()
    where = ["--on", command, "--remote-tune", tune] if command else []
    done = subprocess.run([tune, "run", "reduce.sum.i32", "--device", device, "--no-report", "--effort", "quick", "--strategy", "exhaustive",
                           "--sizes", "1048576", "--points", "300", *where], env=dict(os.environ, TUNE_CACHE_DIR=str(cache)),
                          capture_output=True, text=True, cwd=folder)
    if done.returncode not in (0, 6):
        sys.exit(f"{command or 'here'}: exit code {done.returncode}\n{done.stderr}")
    with sqlite3.connect(folder / "tune.db") as database:
        trials = [row[0] / 1e6 for row in database.execute("SELECT duration_ns FROM trials WHERE stage = 'sweep'")]
    start = re.search(r"([\d.]+) s to start", done.stderr)
    wall = re.search(r"in ([\d.]+) s on", done.stderr)
    return trials, float(start.group(1)) if start else 0, float(wall.group(1)) if wall else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="null")
    parser.add_argument("--on", action="append", metavar="COMMAND", help="may be given several times (default: env)")
    options = parser.parse_args()
    tune = str((options.build / "bin" / "tune").resolve())
    found = {command: ([], [], []) for command in [None, *(options.on or ["env"])]}
    with tempfile.TemporaryDirectory(prefix="tune-hosts-") as name:
        folder = pathlib.Path(name)
        for i in range(options.rounds + 1):
            for command, (trials, starts, walls) in found.items():
                some, start, wall = run(tune, options.device, folder, folder / "cache", command)
                if i > 0:  # the first fills the caches
                    trials += some
                    starts.append(start)
                    walls.append(wall)
    print(f"{'':40} {'trials':>7} {'p10 ms':>8} {'median ms':>10} {'start s':>8} {'run s':>7}")
    for command, (trials, starts, walls) in found.items():
        print(f"{(command or 'here')[:40]:40} {len(trials):7} {statistics.quantiles(trials, n=10)[0]:8.3f} "
              f"{statistics.median(trials):10.3f} {statistics.median(starts):8.1f} {statistics.median(walls):7.1f}")


if __name__ == "__main__":
    main()
