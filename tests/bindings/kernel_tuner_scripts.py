#!/usr/bin/env python3
"""Runs scripts written for Kernel Tuner through launchtune.kernel_tuner, unchanged, up to a dry run, and prints a table.

    tests/bindings/kernel_tuner_scripts.py FOLDER|SCRIPT... [--tree FOLDER] [--arguments 'WORD ...'] [--python PYTHON]
        [--tune TUNE] [--arch sm_90] [--limit SECONDS]

Each runs in a copy of its folder, or in its place within a copy of the folder of --tree; test_*.py by pytest. PYTHON is one that has numpy
and the scripts' own packages. `compiled` counts calls of tune_kernel, run_kernel and PythonKernel whose kernel compiled; two points
of each space are. Exit code 1: a script ended otherwise than by its end, by a refusal or for want of a package."""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


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
    return "failed", last


def brief(reason):
    """Returns a reason without temporary folders, in one cell."""
    reason = re.sub(r"/tmp/\S*/scripts/", "", re.sub(r"RuntimeError: 'tune run' ended with exit code \d: tune run: ", "", reason))
    return re.sub(r"(.{110}\S*) .*", r"\1 ...", reason).replace("|", "/")


def run(script, given):
    with tempfile.TemporaryDirectory() as work:
        tree = given.tree.resolve() if given.tree else script.parent
        shutil.copytree(tree, pathlib.Path(work) / "scripts", symlinks=True, ignore=shutil.ignore_patterns(".git"))
        folder = pathlib.Path(work) / "scripts" / script.parent.relative_to(tree)
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "bindings" / "python"), TUNE=given.tune, TMPDIR=work, MPLBACKEND="agg")
        words = [given.python, "-m", "launchtune.kernel_tuner", "--dry-run", "--arch", given.arch, "--points", "2", script.name]
        words += shlex.split(given.arguments)
        if script.name.startswith("test_"):
            words = [*words[:words.index(script.name)], "-m", "pytest", "-q", "-p", "no:cacheprovider", script.name]
        try:
            done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=given.limit, check=False)
            code, text = done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            code, text = 124, (late.stdout or b"").decode(errors="replace") if isinstance(late.stdout, bytes) else late.stdout or ""
        calls = len(re.findall(r"^      compiled:", text, flags=re.M))
        if given.logs:
            (pathlib.Path(given.logs) / f"{script.stem}.txt").write_text(text, "utf-8")
    return (*outcome_of(code, text), calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scripts", nargs="+", type=pathlib.Path)
    parser.add_argument("--tree", type=pathlib.Path)
    parser.add_argument("--arguments", default="", help="of the scripts")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--tune", default=str(ROOT / "build/dev/bin/tune"))
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--logs")
    given = parser.parse_args()
    given.tune = str(pathlib.Path(given.tune).resolve())
    scripts = [script for place in given.scripts for script in (sorted(place.glob("*.py")) if place.is_dir() else [place])]
    failed = False
    print("| script | outcome | compiled | |\n|---|---|---:|---|")
    for script in scripts:
        word, reason, calls = run(script.resolve(), given)
        failed |= word in ("failed", "time is over")
        print(f"| {script.name} | {word} | {calls} | {brief(reason)} |", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
