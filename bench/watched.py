#!/usr/bin/env python3
"""How pages that follow a run end: a visible and a hidden one, of replays of a recorded GPU, in headless Chromium.

    bench/watched.py TUNE [--runs 10] [--experiment reduce.sum.i32] [--sizes 2**16,2**20]

Prints for each run what both pages say at its end, and how many pages of all had the final winners and said that the run is over."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "report"))
from browsers import Chromium  # noqa: E402

HIDDEN = """for (const [name, value] of [['hidden', true], ['visibilityState', 'hidden']]) Object.defineProperty(document, name, { get: () => value });"""
STATE = """const text = (name) => document.querySelector(name)?.textContent ?? '';
    return [text('#watch-line'), text('.lead'), state.data ? state.data.problems.filter((problem) => problem.winner).map((problem) => problem.winner.time_ns) : []];"""


def tab(browser, script=""):
    browser.session = None
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log"):
        browser.call(domain + ".enable")
    if script:
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=script)
    return browser.session


def one(options, browser, tabs, seed):
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([options.tune, "run", options.experiment, "--device", "replay", "--sizes", options.sizes, "--watch", "0", "--seed", str(seed), "--no-report"],
                                   cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        url = None
        while not url:
            line = process.stderr.readline()
            url = re.search(r"http://\S+", line)
            if not line:
                sys.exit("bench/watched.py: the run ended at once")
        for session in tabs.values():
            browser.session = session
            browser.call("Page.navigate", url=url[0])
        process.stderr.read()
        process.wait()
        rows = json.loads(subprocess.run([options.tune, "show", "--json", "--db", "replayed.db"], cwd=folder, check=True, capture_output=True, text=True).stdout)
    good = 0
    for name, session in tabs.items():
        browser.session = session
        line, lead, times = browser.run(STATE)
        right = line.startswith("The run is over") and len(times) == len(rows) and all(abs(a / row["time_ns"] - 1) < 1e-6 for a, row in zip(sorted(times), sorted(rows, key=lambda row: row["time_ns"])))
        good += right
        print(f"run {seed}, {name}: {'right' if right else 'WRONG'}: {len(times)} of {len(rows)} winners; {line[:60]} {lead[-70:]}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--experiment", default="reduce.sum.i32")
    parser.add_argument("--sizes", default="2**16,2**20")
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, Chromium.programs)), None)
    if not program:
        sys.exit("bench/watched.py: there is no Chromium")
    with tempfile.TemporaryDirectory() as folder, Chromium(program, pathlib.Path(folder)) as browser:
        tabs = {"visible": tab(browser), "hidden": tab(browser, HIDDEN)}
        good = sum(one(options, browser, tabs, seed) for seed in range(options.runs))
    print(f"{good} of {2 * options.runs} pages ended with the final winners and said that the run is over")
    return 0 if good == 2 * options.runs else 1


if __name__ == "__main__":
    sys.exit(main())
