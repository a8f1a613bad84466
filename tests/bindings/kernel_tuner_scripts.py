#!/usr/bin/env python3
"""Runs scripts written for Kernel Tuner through launchtune.kernel_tuner, unchanged, up to a dry run, and prints a table.

    tests/bindings/kernel_tuner_scripts.py SCRIPTS [--sources FOLDER] [--only WORD] [--python PYTHON] [--tune TUNE] [--arch sm_90]
        [--limit SECONDS] [--logs FOLDER] [--document FILE.md]

SCRIPTS is a script, a folder of them, or a list (bench/kernel_tuner/listed.py) whose repositories are FOLDER/OWNER/NAME; --only chooses
those with a word in their path. Each runs in a copy of the files that it needs; test_*.py by pytest. --document replaces the table in a
document, too. PYTHON is one that has numpy and the scripts' own packages. `compiled` counts calls of tune_kernel, run_kernel and
PythonKernel whose kernel compiled; two points of each space are. Exit code 1: a script ended otherwise than by its end, by a refusal
or for want of a package."""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "kernel_tuner"))
import listed  # noqa: E402


def outcome_of(code, text):
    """Returns how a script ended: a word and the reason."""
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "")
    missing = re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", text)
    if missing:
        return "no package", missing[1]
    refused = re.findall(r"^launchtune: (.*)", text, flags=re.M)
    if code == 3 and refused:
        return "refused", refused[-1]
    if code == 124:
        return "time is over", ""
    counted = re.findall(r"^launchtune: (\d+) of the script's calls compiled", text, flags=re.M)
    ended = re.findall(r"^launchtune: the script ended here.*?: (\w+: .*)", text, flags=re.M)
    if code == 0 and counted:
        return ("compiled" if int(counted[-1]) else "no call"), (f"then {ended[-1]}" if ended else "")
    return "failed", (re.findall(r"^tune run: .*", text, flags=re.M) or [last])[-1]


def brief(reason):
    """Returns a reason without temporary folders, in one cell."""
    reason = re.sub(r"/tmp/\S*/scripts/|^tune run: | \(/\S*\)$", "", reason)
    return re.sub(r"(.{110}\S*) .*", r"\1 ...", reason).replace("|", "/")


def run(script, sources, given):
    with tempfile.TemporaryDirectory() as work:
        folder = script.copy(sources, pathlib.Path(work) / "scripts")
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "bindings" / "python"), TUNE=given.tune, TMPDIR=work, MPLBACKEND="agg")
        words = [given.python, "-m", "launchtune.kernel_tuner", "--dry-run", "--arch", given.arch, "--points", "2", *script.words()]
        try:
            done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=given.limit, check=False)
            code, text = done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            code, text = 124, (late.stdout or b"").decode(errors="replace")
        if given.logs:
            given.logs.mkdir(parents=True, exist_ok=True)
            (given.logs / f"{script.repository.replace('/', '_')}_{script.script.replace('/', '_')}.txt").write_text(text, "utf-8")
    return (*outcome_of(code, text), len(re.findall(r"^      compiled:", text, flags=re.M)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scripts", type=pathlib.Path)
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--tune", default=str(ROOT / "build/dev/bin/tune"))
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--logs", type=pathlib.Path)
    parser.add_argument("--document", type=pathlib.Path)
    given = parser.parse_args()
    given.tune = str(pathlib.Path(given.tune).resolve())
    scripts, sources = listed.found(given.scripts, given.sources)
    table, ends, last = [], collections.Counter(), None
    for script in (script for script in scripts if given.only in script.script):
        word, reason, calls = run(script, sources, given)
        ends[word] += 1
        row = f"| {script.name} | {word} | {calls} | {brief(reason)} |"
        table.append(f"| {script.repository if script.repository != last else ''} {row}" if given.sources else row)
        last = script.repository
        print(table[-1], flush=True)
    table[:0] = ["| repository | script | outcome | compiled | |", "|---|---|---|---:|---|"] if given.sources else [
        "| script | outcome | compiled | |", "|---|---|---:|---|"]
    print("\n" + ", ".join(f"{word}: {count}" for word, count in ends.most_common()))
    if given.document:
        listed.write_table(given.document, "others" if given.sources else "scripts", "tests/bindings/kernel_tuner_scripts.py", table)
    return int(ends["failed"] + ends["time is over"] > 0)


if __name__ == "__main__":
    sys.exit(main())
