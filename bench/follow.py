#!/usr/bin/env python3
"""What a page that follows a long run costs: the process that serves it, and a browser's tab.

    bench/follow.py TUNE [--every 30] [RUN_OPTION...]     reduce --device null --effort quick, unless other words are given

Runs it with --watch in a folder of its own, opens the page in headless Chromium, and prints a line every so many seconds: the database, memory
and processor time of the server, the heap, nodes and processor time of the tab. Last, the most of each. On the null device hours of
trials come in minutes, so that what grows with them is seen, and the page is drawn anew far more often than a GPU makes it.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "report"))
import browsers  # noqa: E402

COLUMNS = (("database", "MB"), ("server", "MB"), ("server", "s"), ("tab's heap", "MB"), ("tab's nodes", ""), ("tab", "s"))


def server_of(run):
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if b"__watch" in words and parent == run.pid:
            return folder
    return None


def seen(database, server, browser):
    fields = (server / "stat").read_text().rsplit(")", 1)[1].split()
    held_kb = int(re.search(r"VmRSS:\s+(\d+)", (server / "status").read_text())[1])
    metrics = {metric["name"]: metric["value"] for metric in browser.call("Performance.getMetrics")["metrics"]}
    return (database.stat().st_size / 1e6, held_kb / 1e3, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
            metrics["JSHeapUsedSize"] / 1e6, metrics["Nodes"], metrics["TaskDuration"])


def follow(options, folder):
    database = folder / "followed.db"
    words = options.words or ["reduce", "--device", "null", "--effort", "quick"]
    environment = dict(os.environ, TUNE_LOCK_DIR=str(folder), TUNE_CACHE_DIR=str(folder / "cache"))
    kind, program = next(found for found in browsers.installed() if found[0].name == "chromium")
    with open(folder / "log", "wb") as log:
        run = subprocess.Popen([os.path.abspath(options.tune), "run", *words, "--watch", "0", "--no-report", "--db", database], cwd=folder, env=environment,
                               stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    most = None
    try:
        while not (address := re.search(r"http://\S+", (folder / "log").read_text(errors="replace"))):
            if run.poll() is not None:
                sys.exit((folder / "log").read_text(errors="replace"))
            time.sleep(0.1)
        server = server_of(run)
        with kind(program, folder) as browser:
            browser.call("Performance.enable")
            browser.open(address[0])
            begun = time.monotonic()
            print("second " + " ".join(f"{name + (', ' + unit if unit else ''):>15}" for name, unit in COLUMNS), flush=True)
            while run.poll() is None:
                browser.seen.clear()
                try:
                    row = seen(database, server, browser)
                except OSError:  # has just ended
                    break
                most = row if most is None else tuple(map(max, most, row))
                print(f"{time.monotonic() - begun:6.0f} " + " ".join(f"{value:>15,.1f}" for value in row), flush=True)
                time.sleep(options.every)
    finally:
        if run.poll() is None:
            run.send_signal(signal.SIGINT)
        run.wait()
    print("most   " + " ".join(f"{value:>15,.1f}" for value in most))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tune")
    parser.add_argument("--every", type=float, default=30, help="seconds between two lines")
    options, options.words = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="tune-follow.") as folder:
        follow(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
