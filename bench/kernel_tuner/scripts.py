#!/usr/bin/env python3
"""Scripts for Kernel Tuner, run as they are by launchtune and by Kernel Tuner on one GPU, with the same seconds for each call.

    bench/kernel_tuner/scripts.py TUNE SCRIPTS [--kernel-tuner SITE] [--seconds 4] [--within 540] [--only A,B] [--effort quick]
        [--modes cold,hot] [--device 0] [--out OUT]
    bench/kernel_tuner/scripts.py --document FILE.md [--name gpu-others] OUT/scripts.json...

TUNE is the program; SCRIPTS a folder of scripts, or a list (listed.py) beside the repositories that it names, as pack.sh leaves it; SITE
what Kernel Tuner is installed in. First launchtune runs every script, then Kernel Tuner does, and tune times both winners in
turns, with cold and with hot caches: the ratios are ours over theirs, below 1 where ours is faster. --seconds are a call's:
`--budget` of tune, `time_limit` of Kernel Tuner (and `random_sample` where the script tries all). A script ends after the seconds
that its line gives, and everything after --within. OUT/scripts.json has all that is known at any time, also of a run that is cut
off; the second form puts it into a document as a table."""
import argparse
import contextlib
import json
import os
import pathlib
import platform
import runpy
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import listed

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_SURE = 6  # the exit code of a run without a proven winner
HEADER = ["| repository | script | kernel | timed by tune | by Kernel Tuner | ratio, cold | ratio, hot | verdict | seconds | Kernel Tuner's "
          "| exit | Kernel Tuner's |", "|---|---|---|---:|---:|---:|---:|---|---:|---:|---|---|"]


# ---- inside a script's process ----

def record(calls, names, results, environment, kernel, seconds):
    best = environment.get("best_config") or {}
    timed = [result for result in results if "__error__" not in result and isinstance(result.get("time"), float)]
    calls.append({"kernel": kernel, "best": {name: best[name] for name in names if name in best}, "time_ms": best.get("time"),
                  "timed": len(timed), "failed": len(results) - len(timed), "seconds": seconds, **environment.get("launchtune", {})})
    write_json(pathlib.Path(os.environ["CALLS"]), calls)


def watched(module, calls, change):
    """Wraps a module's tune_kernel, so that its arguments are changed and its results kept."""
    original = module.tune_kernel

    def tune_kernel(kernel_name, kernel_source, problem_size, arguments, tune_params, *rest, **more):
        started = time.monotonic()
        results, environment = original(kernel_name, kernel_source, problem_size, arguments, tune_params, *rest, **change(more))
        record(calls, list(tune_params), results, environment, kernel_name, time.monotonic() - started)
        return results, environment

    module.tune_kernel = tune_kernel


def run_inside(which, words):
    """Runs a script in this process, by `ours` or `theirs`."""
    calls, seconds = [], float(os.environ["SECONDS_A_CALL"])
    if which == "ours":
        import launchtune.kernel_tuner as module
        from launchtune.kernel_tuner import _names
        from launchtune.kernel_tuner._run import session

        session.options += ["--budget", f"{seconds:g}s", "--no-report", "--device", os.environ["DEVICE"]]
        watched(module, calls, lambda more: more)
        sys.modules["kernel_tuner"] = module
        _names.install("kernel_tuner")
    else:
        import kernel_tuner as module

        def limited(more):
            options = dict(more.get("strategy_options") or {}, time_limit=seconds)
            if more.get("strategy") in (None, "brute_force"):
                more, options = dict(more, strategy="random_sample"), dict(options, max_fevals=1 << 30)
            return dict(more, strategy_options=options, **({"device": int(os.environ["DEVICE"])} if "device" in more else {}))

        watched(module, calls, limited)
    sys.path[0] = os.getcwd()
    is_module = words[0] == "-m"
    sys.argv = words[is_module:]
    if is_module:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(os.path.abspath(sys.argv[0]), run_name="__main__")


# ---- outside ----

def write_json(path, value):
    """Writes a file that is whole at any time."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(value, indent=1, default=lambda item: item.item() if hasattr(item, "item") else str(item)), "utf-8")
    partial.replace(path)


def ended(words, seconds, **options):
    """Runs a program with all that it starts, for so many seconds; returns its exit code (124: too late) and what it said."""
    with tempfile.TemporaryFile() as said, subprocess.Popen(words, stdout=said, stderr=subprocess.STDOUT, start_new_session=True,
                                                            **options) as program:
        try:
            code = program.wait(seconds)
        except subprocess.TimeoutExpired:
            code = 124
        finally:
            for sign, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 1)):
                with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                    os.killpg(program.pid, sign)
                    program.wait(patience)
        said.seek(0)
        return code, said.read().decode(errors="replace")


def run(which, script, given, seconds):
    """Runs a script in a copy of the files that it needs; returns the calls, the seconds and the end."""
    work = given.work / str(given.scripts.index(script)) / which
    folder = script.copy(given.sources, work)
    environment = dict(os.environ, TUNE=str(given.tune), CALLS=str(work / "calls.json"), SECONDS_A_CALL=str(given.seconds), DEVICE=given.device,
                       PYTHONPATH=os.pathsep.join(map(str, filter(None, [given.python if which == "ours" else None, given.kernel_tuner,
                                                                         os.environ.get("PYTHONPATH")]))),
                       MPLBACKEND="agg", PYTHONDONTWRITEBYTECODE="1")
    started = time.monotonic()
    code, text = ended([sys.executable, __file__, f"--{which}", *script.words()], seconds, cwd=folder, env=environment)
    last = next((line.strip() for line in reversed(text.split("Exception ignored in")[0].splitlines()) if line.strip()), "")
    (given.out / f"{script.repository.replace('/', '_')}_{script.name}.{which}.txt").write_text(text[-20000:], "utf-8")
    calls = json.loads((work / "calls.json").read_text("utf-8")) if (work / "calls.json").exists() else []
    return {"calls": calls, "seconds": time.monotonic() - started, "exit": code,
            "last": "" if code == 0 else f"after {seconds:.0f} s" if code == 124 else last[:160]}


def compared(ours, theirs, mode, given, seconds):
    """Times two configurations of one call in turns; returns ours over theirs."""
    if not ours.get("best") or not theirs.get("best") or "file" not in ours or ours["kernel"] != theirs["kernel"]:
        return None
    if ours["best"] == theirs["best"]:
        return 1.0
    file = pathlib.Path(ours["file"])
    overlay, database = file.with_suffix(".theirs.json"), file.with_suffix(f".{mode}.db")
    write_json(overlay, {"tune": {"baselines": [{"name": "theirs", "set": theirs["best"]}]}})
    device = json.loads(file.read_text("utf-8"))["tune"].get("device", given.device)
    words = [str(given.tune), "run", str(file), "--overlay", str(overlay), "--device", device, "--l2", mode, "--effort",
             given.effort, "--no-report", "--quiet", "--db", str(database), "--conf", str(file.with_suffix(".compared.conf"))]
    for name, value in ours["best"].items():
        words += ["--only", f"{name}={json.dumps(value) if not isinstance(value, str) else value}"]
    code, text = ended(words, seconds)
    (given.out / f"{file.stem}.{mode}.txt").write_text(text, "utf-8")
    if code not in (0, NOT_SURE):
        return None
    with contextlib.closing(sqlite3.connect(database)) as opened:
        rows = opened.execute("SELECT c.parameters, t.stage, t.median_ns FROM trials t JOIN configurations c ON c.id = t.configuration_id "
                              "JOIN problems p ON p.id = t.problem_id WHERE t.status = 'ok' AND p.key = ? AND t.l2_mode = ?",
                              (ours["problem"], mode)).fetchall()
    times = {}
    for parameters, stage, median in rows:
        for which in (ours, theirs):
            if json.loads(parameters) == which["best"]:
                times.setdefault(stage, {})[id(which)] = median
    both = [times[stage] for stage in ("confirm", "race", "sweep") if len(times.get(stage, {})) == 2]
    return both[0][id(ours)] / both[0][id(theirs)] if both else None


def rows(entry, repository):
    """Returns the table's lines of a script, one for each call."""
    ours, theirs = entry["ours"], entry.get("theirs", {"calls": []})
    ratio = lambda value: "" if value is None else f"{value:.3f}"  # noqa: E731
    end = lambda run: f"{run.get('exit', '')} {run.get('last', '')}".strip().replace("|", "/")  # noqa: E731
    lines = []
    for i in range(max(len(ours["calls"]), 1)):
        mine, other, pair = (found[i] if i < len(found) else {} for found in (ours["calls"], theirs["calls"], entry.get("ratios", [])))
        cells = [repository if i == 0 else "", entry["script"] if i == 0 else "", mine.get("kernel", ""), mine.get("timed", ""),
                 other.get("timed", ""), ratio(pair.get("cold")), ratio(pair.get("hot")), mine.get("verdict") or "", f"{ours['seconds']:.0f}",
                 f"{theirs['seconds']:.0f}" if "seconds" in theirs else "", end(ours), end(theirs)]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def table(entries):
    lines, last = list(HEADER), None
    for entry in entries:
        if "ours" in entry:
            lines += rows(entry, entry["repository"] if entry["repository"] != last else "")
            last = entry["repository"]
    return lines


def machine(given):
    """Returns what the results are of."""
    code, text = ended(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "-i", given.device], 20) \
        if any(os.access(pathlib.Path(folder, "nvidia-smi"), os.X_OK) for folder in os.environ["PATH"].split(os.pathsep)) else (1, "")
    return {"device": text.strip() if code == 0 else "", "python": platform.python_version(), "processors": os.cpu_count(),
            "date": time.strftime("%Y-%m-%d"), "seconds_a_call": given.seconds, "effort": given.effort}


def run_all(given):
    """Runs the scripts: launchtune all of them, then Kernel Tuner each, which is compared."""
    over = time.monotonic() + given.within
    entries = [{"repository": script.repository, "commit": script.commit, "script": script.name} for script in given.scripts]
    whole = {"machine": machine(given), "scripts": entries}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    def left(script):
        return min(float(script.seconds or 320), over - time.monotonic())

    for script, entry in zip(given.scripts, entries):
        if left(script) > given.seconds:
            entry["ours"] = run("ours", script, given, left(script))
            write_json(given.out / "scripts.json", whole)
            print("\n".join(rows(entry, entry["repository"])), flush=True)
    for script, entry in zip(given.scripts, entries):
        if given.kernel_tuner and "ours" in entry and left(script) > given.seconds:
            entry["theirs"] = run("theirs", script, given, left(script))
            entry["ratios"] = []
            write_json(given.out / "scripts.json", whole)
            for mine, other in zip(entry["ours"]["calls"], entry["theirs"]["calls"]):
                entry["ratios"].append({mode: compared(mine, other, mode, given, max(min(60, over - time.monotonic()), 0.1))
                                        for mode in given.modes.split(",")})
                write_json(given.out / "scripts.json", whole)
    print("\n" + "\n".join(table(entries)))
    missing = [entry["script"] for entry in entries if "ours" not in entry]
    if missing:
        print(f"\nleft out, as the time was over: {', '.join(missing)}")


def main():
    if len(sys.argv) > 2 and sys.argv[1] in ("--ours", "--theirs"):
        return run_inside(sys.argv[1][2:], sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--kernel-tuner", type=pathlib.Path)
    parser.add_argument("--python", type=pathlib.Path, default=ROOT / "bindings" / "python")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--within", type=float, default=540)
    parser.add_argument("--only")
    parser.add_argument("--effort", default="quick", help="of the comparison of the winners")
    parser.add_argument("--modes", default="cold,hot", help="of the caches in which the winners are compared")
    parser.add_argument("--device", default="0")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("scripts"))
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--name", default="gpu-others", help="of the table in the document")
    given = parser.parse_args()
    if given.document:
        entries = [entry for file in given.files for entry in json.loads(file.read_text("utf-8"))["scripts"]]
        listed.write_table(given.document, given.name, "bench/kernel_tuner/scripts.py", table(entries))
        return 0
    given.tune, place, given.out, given.python = (path.resolve() for path in (*given.files, given.out, given.python))
    given.kernel_tuner = given.kernel_tuner.resolve() if given.kernel_tuner else None
    scripts, given.sources = listed.found(place)
    given.scripts = [script for script in scripts if not given.only or script.name in given.only.split(",")]
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        given.work = pathlib.Path(work)
        run_all(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
