#!/usr/bin/env python3
"""Scripts for Kernel Tuner, run by Kernel Tuner and by launchtune on one GPU for the same seconds a call, unchanged.

    bench/kernel_tuner/scripts.py TUNE FOLDER --kernel-tuner SITE [--seconds 8] [--within 320] [--compare A,B] [--alone C,D]
        [--seconds-alone 4] [--effort normal] [--modes cold,hot] [--out OUT]

TUNE is the program, FOLDER has the scripts with their sources, SITE is what Kernel Tuner is installed in; test_*.py run by pytest.
Scripts of --compare (without it and --alone, all) are run by both; Kernel Tuner's calls get `time_limit` (and `random_sample` where the script names no strategy),
tune's `--budget`. Then tune times both winners in turns, with cold and with hot caches: the ratios are ours over theirs, below 1
where ours is faster. Scripts of --alone are run by launchtune alone, for --seconds-alone a call. A table in Markdown on standard
output, OUT/scripts.json with all numbers; it ends after --within seconds, and says which scripts it left out."""
import argparse
import contextlib
import json
import os
import pathlib
import runpy
import shutil
import sqlite3
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_SURE = 6  # the exit code of a run without a proven winner


def plain(value):
    return value.item() if hasattr(value, "item") else str(value)


def record(calls, names, results, environment, kernel, seconds):
    best = environment.get("best_config") or {}
    timed = [result for result in results if "__error__" not in result and isinstance(result.get("time"), float)]
    calls.append({"kernel": kernel, "best": {name: best[name] for name in names if name in best}, "time_ms": best.get("time"),
                  "timed": len(timed), "failed": len(results) - len(timed), "seconds": seconds, **environment.get("launchtune", {})})
    with open(os.environ["CALLS"], "w", encoding="utf-8") as file:
        json.dump(calls, file, default=plain)


def watched(module, calls, change):
    """Wraps a module's tune_kernel, so that its arguments are changed and its results kept."""
    original = module.tune_kernel

    def tune_kernel(kernel_name, kernel_source, problem_size, arguments, tune_params, *rest, **more):
        started = time.monotonic()
        results, environment = original(kernel_name, kernel_source, problem_size, arguments, tune_params, *rest, **change(more))
        record(calls, list(tune_params), results, environment, kernel_name, time.monotonic() - started)
        return results, environment

    module.tune_kernel = tune_kernel


def run_inside(which, script):
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
            if more.get("strategy") is None:
                more, options = dict(more, strategy="random_sample"), dict(options, max_fevals=1 << 30)
            return dict(more, strategy_options=options)

        watched(module, calls, limited)
    sys.argv = [script]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    if script.startswith("test_"):
        import pytest
        sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", script]))
    runpy.run_path(script, run_name="__main__")


def run(which, script, folder, given, left, seconds):
    """Runs a script in a copy of its folder; returns the calls, the seconds and the end."""
    work = folder / which
    work.mkdir(parents=True)
    for file in given.folder.iterdir():
        if file.is_file():
            shutil.copy(file, work)
    paths = [str(given.python)] if which == "ours" else [str(given.kernel_tuner)]
    paths += [path for path in [os.environ.get("PYTHONPATH")] if path]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(paths), TUNE=str(given.tune), CALLS=str(work / "calls.json"),
                       SECONDS_A_CALL=str(seconds), DEVICE=given.device, MPLBACKEND="agg", PYTHONDONTWRITEBYTECODE="1")
    started = time.monotonic()
    try:
        done = subprocess.run([sys.executable, __file__, f"--{which}", script], cwd=work, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=left, check=False)
        code, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        code, text = 124, late.stdout.decode(errors="replace") if late.stdout else ""
    seconds = time.monotonic() - started
    (given.out / f"{pathlib.Path(script).stem}.{which}.txt").write_text(text[-20000:], "utf-8")
    calls = json.loads((work / "calls.json").read_text("utf-8")) if (work / "calls.json").exists() else []
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "")
    return {"calls": calls, "seconds": seconds, "exit": code, "last": "" if code == 0 else last[:160], "folder": str(work)}


def compared(ours, theirs, mode, folder, given):
    """Times two configurations of one call in turns; returns ours over theirs."""
    if not ours.get("best") or not theirs.get("best") or "file" not in ours:
        return None
    if ours["best"] == theirs["best"]:
        return 1.0
    overlay, database = folder / "theirs.json", folder / f"compared.{mode}.db"
    overlay.write_text(json.dumps({"tune": {"baselines": [{"name": "theirs", "set": theirs["best"]}]}}), "utf-8")
    words = [str(given.tune), "run", ours["file"], "--overlay", str(overlay), "--device", given.device, "--l2", mode, "--effort",
             given.effort, "--no-report", "--quiet", "--db", str(database), "--conf", str(folder / "compared.conf")]
    for name, value in ours["best"].items():
        words += ["--only", f"{name}={json.dumps(value) if not isinstance(value, str) else value}"]
    with open(given.out / f"{pathlib.Path(ours['file']).stem}.{mode}.txt", "w", encoding="utf-8") as said:
        try:
            subprocess.run(words, stdout=said, stderr=subprocess.STDOUT, check=True, timeout=60)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as failure:
            if getattr(failure, "returncode", 1) != NOT_SURE:
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


def ratio(value):
    return "" if value is None else f"{value:.3f}"


def row(script, found):
    """Returns the table's lines of a script, one for each call."""
    ours, theirs = found["ours"], found.get("theirs", {"calls": []})
    took = f"{theirs['seconds']:.0f}" if "seconds" in theirs else ""
    lines = []
    for i in range(max(len(ours["calls"]), 1)):
        mine = ours["calls"][i] if i < len(ours["calls"]) else {}
        other = theirs["calls"][i] if i < len(theirs["calls"]) else {}
        pair = found.get("ratios", [])[i] if i < len(found.get("ratios", [])) else {}
        lines.append(f"| {script if i == 0 else ''} | {mine.get('kernel', '')} | {mine.get('timed', '')} | {other.get('timed', '')} | "
                     f"{ratio(pair.get('cold'))} | {ratio(pair.get('hot'))} | {mine.get('verdict') or ''} | "
                     f"{ours['seconds']:.0f} | {took} | "
                     f"{ours['exit']}{' ' + ours['last'].replace('|', '/') if ours['last'] else ''} | "
                     f"{theirs.get('exit', '')}{' ' + theirs.get('last', '').replace('|', '/') if theirs.get('last') else ''} |")
    return lines


def main():
    if len(sys.argv) == 3 and sys.argv[1] in ("--ours", "--theirs"):
        return run_inside(sys.argv[1][2:], sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kernel-tuner", type=pathlib.Path)
    parser.add_argument("--python", type=pathlib.Path, default=ROOT / "bindings" / "python")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--seconds-alone", type=float, default=4)
    parser.add_argument("--effort", default="normal", help="of the comparison of the winners")
    parser.add_argument("--within", type=float, default=86400)
    parser.add_argument("--compare")
    parser.add_argument("--alone", default="")
    parser.add_argument("--modes", default="cold,hot", help="of the caches in which the winners are compared")
    parser.add_argument("--device", default="0")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("scripts"))
    given = parser.parse_args()
    given.tune, given.folder, given.out, given.python = (path.resolve() for path in (given.tune, given.folder, given.out, given.python))
    given.kernel_tuner = given.kernel_tuner.resolve() if given.kernel_tuner else None
    given.out.mkdir(parents=True, exist_ok=True)
    started, found, left_out = time.monotonic(), {}, []
    every = [] if given.alone else sorted(path.name for path in given.folder.glob("*.py"))
    scripts = given.compare.split(",") if given.compare else every
    print("| script | kernel | timed by tune | by Kernel Tuner | ratio, cold | ratio, hot | verdict | seconds | Kernel Tuner's | exit | "
          "Kernel Tuner's |\n|---|---|---:|---:|---:|---:|---|---:|---:|---|---|", flush=True)
    for script in [*scripts, *(name for name in given.alone.split(",") if name)]:
        left = given.within - (time.monotonic() - started)
        if left < 3 * (given.seconds if script in scripts else given.seconds_alone):
            left_out.append(script)
            continue
        folder = given.out / "work" / pathlib.Path(script).stem
        both = script in scripts and given.kernel_tuner
        entry = found[script] = {"ours": run("ours", script, folder, given, left, given.seconds if both else given.seconds_alone)}
        if both:
            entry["theirs"] = run("theirs", script, folder, given, max(left - entry["ours"]["seconds"], 1), given.seconds)
            entry["ratios"] = [{mode: compared(mine, other, mode, folder, given) for mode in given.modes.split(",")}
                               for mine, other in zip(entry["ours"]["calls"], entry["theirs"]["calls"])]
        print("\n".join(row(script, entry)), flush=True)
        (given.out / "scripts.json").write_text(json.dumps(found, indent=1), "utf-8")
        shutil.rmtree(folder, ignore_errors=True)
    if left_out:
        print(f"\nleft out, as the time was over: {', '.join(left_out)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
