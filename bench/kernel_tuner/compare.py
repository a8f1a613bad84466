#!/usr/bin/env python3
"""Configurations a minute, of tune and of Kernel Tuner: the same file of T1, the same GPU, the same time, both at random.

    pip install --target FOLDER kernel_tuner==1.5.0 cuda-bindings      # or packed by bench/kernel_tuner/pack.sh
    bench/kernel_tuner/compare.py TUNE --kernel-tuner FOLDER [--device 0] [--seconds 20] [--only gemm] [--out FOLDER]

TUNE is the program, FOLDER what Kernel Tuner is installed in. Each runs as a process of its own, with an empty cache, and
tries points of the whole space until its time is over: Kernel Tuner by `random_sample` with its `time_limit`, tune by
`--strategy random` with its `--budget`. A configuration counts when it was compiled, launched and timed; of those that come to the same
machine code tune times one, and the others do not count. *Whole* is by the time from the process's start to its end, with
tune's races and confirmation of the winner, *sweep* by the time in which configurations were tried. tune holds each
result against what the default configuration gives; Kernel Tuner is given no answer to compare with, which is its default.
Kernel Tuner reads NVRTC where the loader or CUDA_HOME has it. Exit code 1: one of the two failed."""
import argparse
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PIECE = "(tile_size_{0} * block_size_{0} + filter_{1} - 1)"
# Many points of the convolution do not compile (too many threads, too much shared memory), which ends a run of Kernel
# Tuner: both get the space without them.
FITS = ["block_size_x * block_size_y <= 1024",
        "4 * " + PIECE.format("y", "height") + " * (" + PIECE.format("x", "width") + " + 32 * use_padding) <= 49152"]
CASES = {  # file, overlays, further conditions
    "gemm": ("examples/t1/bat-gemm.json", ["examples/t1/bat-gemm-2048.overlay.json"], []),
    "convolution": ("examples/t1/kerneltuner-test.json", ["examples/t1/kerneltuner-test.overlay.json"], FITS),
    "stencil": ("bench/kernel_tuner/stencil.json", [], []),
}


def merge(value, over):
    """As `--overlay` does it: RFC 7396, and an object over a list changes those of its names."""
    if isinstance(over, dict) and isinstance(value, list):
        return [merge(item, over[item["Name"]]) if item.get("Name") in over else item for item in value]
    if not isinstance(over, dict) or not isinstance(value, dict):
        return over
    merged = {name: item for name, item in value.items() if over.get(name, item) is not None}
    merged.update((name, merge(value.get(name, {}), item)) for name, item in over.items() if item is not None)
    return merged


def write_file(name, folder):
    path, overlays, conditions = CASES[name]
    whole = json.loads((ROOT / path).read_text())
    for overlay in overlays:
        whole = merge(whole, json.loads((ROOT / overlay).read_text()))
    for left_out in ("Budget", "Search", "tune"):
        whole.pop(left_out, None)
    whole["ConfigurationSpace"]["Conditions"] += [{"Expression": text, "Parameters": []} for text in conditions]
    kernel = whole["KernelSpecification"]
    kernel["KernelFile"] = str((ROOT / path).parent.joinpath(kernel["KernelFile"]).resolve())
    file = folder / f"{name}.json"
    file.write_text(json.dumps(whole, indent=1))
    return file


def kernel_tuner(path, device, seconds):
    """In a process of its own: what Kernel Tuner's reader of T1 does, and blocks and grids that have other names."""
    import numpy
    import kernel_tuner
    from kernel_tuner.strategies import random_sample

    class Timed:
        size = seconds = 0

        def tune(self, searchspace, runner, options):
            self.size, started = searchspace.size, time.perf_counter()
            results = random_sample.tune(searchspace, runner, options)
            self.seconds = time.perf_counter() - started
            return results

    whole = json.loads(pathlib.Path(path).read_text())
    kernel, space = whole["KernelSpecification"], whole["ConfigurationSpace"]
    values = {item["Name"]: eval(item["Values"]) for item in space["TuningParameters"]}
    generator, arguments, constants = numpy.random.default_rng(1), [], {}
    for item in kernel["Arguments"]:
        kind = {"float": numpy.float32, "int32": numpy.int32}[item["Type"]]
        if item["MemoryType"] == "Scalar":
            arguments.append(kind(item["FillValue"]))
            continue
        count = eval(str(item["Size"]), dict(values, ProblemSize=kernel.get("ProblemSize")))
        data = (generator.standard_normal(count, dtype=kind) if item["FillType"] == "Random"
                else numpy.full(count, item["FillValue"], dtype=kind))
        if item.get("MemType") == "Constant":
            constants[item["Name"]] = data
        else:
            arguments.append(data)
    size = kernel.get("ProblemSize") or [kernel["GlobalSize"][axis] for axis in "XYZ"]
    grid = {f"grid_div_{axis.lower()}": kernel.get(f"GridDiv{axis}") or [1] for axis in "XYZ"}
    strategy = Timed()
    results, environment = kernel_tuner.tune_kernel(
        kernel["KernelName"], kernel["KernelFile"], tuple(size), arguments, values, device=device, cmem_args=constants or None,
        restrictions=[item["Expression"] for item in space["Conditions"]], lang="CUDA", quiet=True, strategy=strategy,
        strategy_options={"max_fevals": 1 << 30, "time_limit": seconds},
        block_size_names=[kernel["LocalSize"][axis] for axis in "XYZ" if kernel["LocalSize"][axis] in values], **grid)
    timed = [item["time"] for item in results if isinstance(item["time"], float)]
    print(json.dumps({"space": strategy.size, "configurations": len(timed), "sweep": strategy.seconds,
                      "device": environment["device_name"]}))


def finish(command, env, folder):
    started = time.monotonic()
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=False)
    took = time.monotonic() - started
    (folder / "log.txt").open("a").write(f"$ {' '.join(map(str, command))}\n{done.stdout}{done.stderr}\n")
    if done.returncode not in (0, 6):
        sys.exit(f"{command[0]}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done, took


def of_kernel_tuner(file, folder, given):
    env = dict(os.environ, PYTHONPATH=str(given.kernel_tuner), CUDA_CACHE_PATH=str(folder / "jit"), PYTHONDONTWRITEBYTECODE="1")
    if os.path.isdir("/usr/local/cuda"):
        env.setdefault("CUDA_HOME", "/usr/local/cuda")
    done, took = finish([sys.executable, __file__, "--one", str(file), "--device", given.device, "--seconds", str(given.seconds),
                         given.tune], env, folder)
    found = json.loads(done.stdout.splitlines()[-1])
    return found["configurations"], took, found["sweep"], found["space"]


def of_tune(file, folder, given):
    env = dict(os.environ, TUNE_CACHE_DIR=str(folder / f"{file.stem}.cache"))
    database = folder / f"{file.stem}.db"
    done, took = finish([given.tune, "run", str(file), "--device", given.device, "--strategy", "random", "--points", "100%", "--budget",
                         f"{given.seconds}s", "--no-report", "--db", str(database), "--conf", str(folder / f"{file.stem}.conf")],
                        env, folder)
    count = sqlite3.connect(database).execute("SELECT count(*) FROM trials WHERE stage = 'sweep' AND status = 'ok' AND "
                                              "same_as_trial_id IS NULL").fetchone()[0]
    sweep = sum(float(found) for found in re.findall(r"([0-9.]+) s sweeps", done.stderr))
    legal = re.findall(r"of ([0-9,]+) legal configurations", done.stderr)
    return count, took, sweep, int(legal[-1].replace(",", "")) if legal else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune")
    parser.add_argument("--kernel-tuner", metavar="FOLDER", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--device", default="0")
    parser.add_argument("--seconds", type=int, default=20, help="for each of the two, a kernel (20)")
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--out", type=pathlib.Path, help="keeps the files of T1, databases and log.txt there")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        return kernel_tuner(given.one, int(given.device), given.seconds)
    if not given.kernel_tuner or not (given.kernel_tuner / "kernel_tuner").is_dir():
        parser.error("--kernel-tuner: no such folder, or no Kernel Tuner in it")
    given.tune = str(pathlib.Path(given.tune).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        folder = (given.out or pathlib.Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        print("| kernel | points | | seconds | configurations | whole, per minute | sweep, per minute |\n|---|---|---|---|---|---|---|")
        for name in [given.only] if given.only else CASES:
            file = write_file(name, folder)
            rates = []
            for who, measure in (("Kernel Tuner", of_kernel_tuner), ("tune", of_tune)):
                count, took, sweep, points = measure(file, folder, given)
                rates.append((60 * count / took, 60 * count / sweep if sweep else 0))
                print(f"| {name} | {points or ''} | {who} | {took:.1f} | {count} | {rates[-1][0]:.0f} | {rates[-1][1]:.0f} |", flush=True)
            print(f"| {name} | | ratio | | | {rates[1][0] / max(rates[0][0], 1e-9):.1f}x | {rates[1][1] / max(rates[0][1], 1e-9):.1f}x |",
                  flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
