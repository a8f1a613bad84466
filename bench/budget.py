#!/usr/bin/env python3
"""What small budgets are spent on: runs on the null device, which runs nothing (tuner/device/scripted/), with made-up times
of compilers, blocks and starts of processes.

    bench/budget.py [--build build/release] [--only WORD] [--compile-ms N] [--start-ms N] [--block-us N] [--write]

Prints a table; with --write it takes the place of the one in docs/measuring.md. Needs no GPU; takes the budgets' sum.
"""

import argparse
import datetime
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "docs", "measuring.md")
BEGIN, END = "<!-- budget: made by bench/budget.py --write -->\n", "<!-- budget end -->\n"
SUMS = [f"reduce.sum.{kind}" for kind in ("i32", "u32", "f32", "i64", "u64", "f64", "f16")]
SIZES = ["--sizes", ",".join(f"2**{power}" for power in range(10, 28, 2))]
CONVOLUTION = """experiment: convolution
about: The space of Kernel Tuner's convolution with a filter of 15 x 15.
device: cuda
source: none.cu
sizes: {n: [4096]}
parameters:
  block_size_x: [16, 32, 48, 64, 80, 96, 112, 128]
  block_size_y: [1, 2, 4, 8, 16, 32]
  tile_size_x: [1, 2, 3, 4, 5, 6, 7, 8]
  tile_size_y: [1, 2, 3, 4, 5, 6, 7, 8]
  use_padding: [0, 1]
  read_only: [0, 1]
constraints:
  - use_padding == 0 or block_size_x % 32 != 0
  - block_size_x * block_size_y <= 1024
defines: {BX: block_size_x, BY: block_size_y, TX: tile_size_x, TY: tile_size_y, PADDING: use_padding, READ_ONLY: read_only}
launches:
  - kernel: none
    grid: ['ceil_div(n, block_size_x * tile_size_x)', 'ceil_div(n, block_size_y * tile_size_y)']
    block: [block_size_x, block_size_y]
    arguments: [out]
arguments: [{name: out, type: f32, count: n * n, output: true}]
check: {reference: none_reference, source: none.c, output: out}
"""
RUNS = (  # name, experiments, seconds, compilers
    ("63 sums", SUMS + SIZES, 75, 14),
    ("63 sums", SUMS + SIZES, 30, 14),
    ("63 sums", SUMS + SIZES, 75, 1),
    ("a convolution", ["./convolution.yaml"], 22, 14),
    ("a convolution", ["./convolution.yaml"], 22, 1),
)
COLUMNS = ("run", "compilers", "budget", "took", "trials", "problems", "only baselines", "no winner", "sure or nearly",
           "set-ups", "sweeps", "races, checks", "confirming")
STAGES = ("setting up problems", "sweeps", "races", "checks", "watching winners", "confirming")


def stages(said):
    """Seconds by stage, as the run's summary says."""
    found = {}
    for line in said.splitlines():
        for part in line.removeprefix("tune: ").split(", "):
            number, _, stage = part.partition(" s ")
            if stage in STAGES:
                found[stage] = float(number)
    return [found.get("setting up problems", 0), found.get("sweeps", 0),
            sum(found.get(stage, 0) for stage in STAGES[2:5]), found.get("confirming", 0)]


def measure(tune, asked, seconds, compilers, environment):
    """The row of one run, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("convolution.yaml", CONVOLUTION), ("none.cu", ""), ("none.c", "")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        environment = dict(environment, TUNE_CACHE_DIR=os.path.join(folder, "cache"))
        started = time.monotonic()
        done = subprocess.run([tune, "run", *asked, "--device", "null", "--no-report", "--budget", f"{seconds}s", "--jobs",
                               str(compilers)], cwd=folder, env=environment, capture_output=True, text=True, check=False)
        took = time.monotonic() - started
        if done.returncode not in (0, 6):
            sys.exit(f"{' '.join(done.args)}: exit code {done.returncode}\n{done.stderr}")
        database = sqlite3.connect(os.path.join(folder, "tune.db"))

        def count(sql):
            return database.execute(sql).fetchone()[0]
        numbers = (count("SELECT count(*) FROM trials WHERE stage = 'sweep'"), count("SELECT count(*) FROM problems"),
                   count("SELECT count(*) FROM winners WHERE trust_reason LIKE '%nothing was measured but%'"),
                   count("SELECT count(*) FROM problems WHERE id NOT IN (SELECT problem_id FROM winners)"),
                   count("SELECT count(*) FROM winners WHERE trust <> 'unstable'"))
        database.close()
        return [str(compilers), f"{seconds} s", f"{took:.1f} s", *(f"{number:,}" for number in numbers),
                *(f"{number:.1f} s" for number in stages(done.stderr))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(HERE, "..", "build", "release"))
    parser.add_argument("--only", default="", help="runs whose name contains this")
    parser.add_argument("--compile-ms", type=int, default=700)
    parser.add_argument("--start-ms", type=int, default=1200)
    parser.add_argument("--block-us", type=int, default=300)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    environment = dict(os.environ, TUNE_NULL_COMPILE_MS=str(asked.compile_ms), TUNE_NULL_START_MS=str(asked.start_ms),
                       TUNE_NULL_BLOCK_US=str(asked.block_us))
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * (len(COLUMNS) - 1)]
    for name, experiments, seconds, compilers in RUNS:
        if asked.only not in name:
            continue
        row = measure(os.path.join(os.path.abspath(asked.build), "bin", "tune"), experiments, seconds, compilers, environment)
        lines.append("| " + " | ".join([name, *row]) + " |")
        print(lines[-1], file=sys.stderr, flush=True)
    text = (f"A start of a process takes {asked.start_ms} ms here, a binary from {asked.compile_ms / 2:.0f} ms to "
            f"{asked.compile_ms * 10 / 1000:.0f} s, half of them\nless than {asked.compile_ms / 1.05:.0f} ms, a block "
            f"{asked.block_us} us ({os.cpu_count()} cores, {datetime.date.today()}):\n\n" + "\n".join(lines) + "\n")
    if not asked.write:
        print(text)
        return
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + text + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
