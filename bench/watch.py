#!/usr/bin/env python3
"""Whether a page that follows a run (tune run --watch) disturbs what is measured.

    bench/watch.py TUNE [--device cpu] [--experiment reduce.sum.i32] [--sizes 2**18,2**22] [--pairs 12] [--pages 4] [--json FILE]

Runs the same short tuning again and again, in three ways, in an order that is drawn anew each time: alone, alone once more, and with --watch and
so many clients, each of which asks for the news five times a second (a browser: once in two) and for the page and its data every two seconds.
The seed is the same, so the same configurations are timed. Of two runs beside each other the median over all configurations of
ln(time / time) is one number; printed are their mean over all pairs and its 95 % interval: alone against alone, which is what the
machine's own noise comes to, and watched against alone. Likewise for the wall time of the whole run.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

WAYS = ("alone", "again", "watched")
TIMES = """SELECT p.key || ' ' || p.n || ' ' || c.key || ' ' || t.stage, t.median_ns FROM trials AS t
           JOIN problems AS p ON p.id = t.problem_id JOIN configurations AS c ON c.id = t.configuration_id
           WHERE t.status = 'ok' AND t.same_as_trial_id IS NULL AND t.median_ns > 0"""


def poll(url, stop, answers):
    """As a browser does, but ten times as often; when no other wants the processor, as if it were on another machine."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    parts = ["live.json"] * 9 + ["", "data.json"]
    while not stop.is_set():
        for part in parts:
            with contextlib.suppress(OSError):
                with urllib.request.urlopen(url + part, timeout=60) as answer:
                    answers.append(len(answer.read()))
            if stop.wait(0.2):
                return


def run(arguments, folder, way):
    """Times by problem, configuration and stage; seconds of the run; answers to clients."""
    database = folder / f"{way}.db"
    command = [str(arguments.tune), "run", arguments.experiment, "--device", arguments.device, "--sizes", arguments.sizes, "--effort", "quick",
               "--points", str(arguments.points), "--seed", "1", "--db", str(database), "--conf", str(folder / "tuned.conf"), "--no-report"]
    command += ["--watch", "0"] if way == "watched" else []
    begun = time.monotonic()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    stop, answers, clients, said = threading.Event(), [], [], []
    if way == "watched":
        said.append(process.stderr.readline())
        url = re.search(r"http://\S+", said[0])
        if url:
            clients = [threading.Thread(target=poll, args=(url[0], stop, answers)) for _ in range(arguments.pages)]
            for client in clients:
                client.start()
    # A run waits some seconds for its pages at its end: the time until the last message counts.
    ended = begun
    for line in process.stderr:
        said.append(line)
        ended = time.monotonic()
    stop.set()
    code = process.wait()
    for client in clients:
        client.join()
    if code not in (0, 6):  # 6: no winner is sure enough
        sys.exit("bench/watch.py: " + "".join(said))
    with contextlib.closing(sqlite3.connect(database)) as sql:
        times = dict(sql.execute(TIMES).fetchall())
    database.unlink()
    return {"times": times, "wall_s": ended - begun, "answers": len(answers)}


def interval(values):
    """Mean of logarithms, as a share, with a 95 % interval by Student's t."""
    t_95 = [0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09]
    count = len(values)
    mean = statistics.fmean(values)
    half = (t_95[count - 1] if count - 1 < len(t_95) else 1.96 + 2.5 / count) * statistics.stdev(values) / math.sqrt(count)
    return {"percent": 100 * math.expm1(mean), "low": 100 * math.expm1(mean - half), "high": 100 * math.expm1(mean + half), "pairs": count}


def difference(one, other):
    shared = one["times"].keys() & other["times"].keys()
    return statistics.median(math.log(one["times"][key] / other["times"][key]) for key in shared)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--experiment", default="reduce.sum.i32")
    parser.add_argument("--sizes", default="2**18,2**22")
    parser.add_argument("--points", type=int, default=16)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--pages", type=int, default=4)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.pairs < 2:
        parser.error("--pairs: at least 2")
    rows = {"time, alone": [], "time, watched": [], "wall, alone": [], "wall, watched": []}
    answers = 0
    order = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="tune-bench-watch.") as name:
        run(arguments, pathlib.Path(name), "alone")  # compiles, and knows the ceilings
        for pair in range(arguments.pairs):
            ways = list(WAYS)
            order.shuffle(ways)
            seen = {way: run(arguments, pathlib.Path(name), way) for way in ways}
            for label, way in (("alone", "again"), ("watched", "watched")):
                rows["time, " + label].append(difference(seen[way], seen["alone"]))
                rows["wall, " + label].append(math.log(seen[way]["wall_s"] / seen["alone"]["wall_s"]))
            answers += seen["watched"]["answers"]
            print(f"pair {pair + 1} of {arguments.pairs}: {len(seen['alone']['times'])} times; alone {100 * rows['time, alone'][-1]:+.3f} %, "
                  f"watched {100 * rows['time, watched'][-1]:+.3f} %", file=sys.stderr, flush=True)
    result = {name: interval(values) for name, values in rows.items()}
    print(f"{arguments.device}, {arguments.experiment}, {arguments.pages} pages, {answers} answers")
    print("against alone   difference   95 % interval")
    for name, row in result.items():
        print(f"{name:15} {row['percent']:+9.3f} %   {row['low']:+.3f} to {row['high']:+.3f} %")
    if arguments.json:
        arguments.json.write_text(json.dumps({"device": arguments.device, "experiment": arguments.experiment, "pages": arguments.pages,
                                              "answers": answers, **result}, indent=1) + "\n")


if __name__ == "__main__":
    main()
