#!/usr/bin/env python3
"""python_kernels.py TUNE SOURCE WORK [DEVICE]: tunes examples/transpose.yaml, runs transpose_cupy, _torch and _numba by
the tuned.conf of that, each in a process of its own, and tells what a look-up adds to a call and what the file's launch
gains over the program's own. Fails where a result is wrong, or where an example that can be imported does not take the
file's launch at a tuned size and its own at a far one.

In the environment: PYTHON_BUDGET (15s), PYTHON_SIZES (1024x1024,8192x8192,3000x2000), PYTHON_EXAMPLES (the three names)."""
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

PACKAGES = {"transpose_cupy": "cupy", "transpose_torch": "torch", "transpose_numba": "numba"}
FAR = (8, 8)  # nothing was tuned near this size


class Cupy:
    def __init__(self):
        self.cupy = importlib.import_module("cupy")

    def matrices(self, n, m):
        return self.cupy.random.random((n, m), self.cupy.float32), self.cupy.zeros((m, n), self.cupy.float32)

    def is_right(self, matrix, out):
        return bool((out == matrix.T).all())

    def wait(self):
        self.cupy.cuda.Device().synchronize()


class Torch:
    def __init__(self):
        self.torch = importlib.import_module("torch")

    def matrices(self, n, m):
        return self.torch.rand((n, m), device="cuda"), self.torch.zeros((m, n), device="cuda")

    def is_right(self, matrix, out):
        return self.torch.equal(out, matrix.T)

    def wait(self):
        self.torch.cuda.synchronize()


class Numba:
    def __init__(self):
        self.numpy, self.cuda = importlib.import_module("numpy"), importlib.import_module("numba.cuda")

    def matrices(self, n, m):
        return (self.cuda.to_device(self.numpy.random.default_rng(1).random((n, m), self.numpy.float32)),
                self.cuda.to_device(self.numpy.zeros((m, n), self.numpy.float32)))

    def is_right(self, matrix, out):
        return (out.copy_to_host() == matrix.copy_to_host().T).all()

    def wait(self):
        self.cuda.synchronize()


def per_call_ns(call, calls, wait=lambda: None):
    """Wall time of `calls` calls and the wait for them, for one."""
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    wait()
    return (time.perf_counter_ns() - start) / calls


def medians_ns(calls, count, rounds, wait):
    """Medians of alternating rounds, of each of the calls."""
    for call in calls:
        per_call_ns(call, count, wait)
    return [statistics.median(times) for times in
            zip(*([per_call_ns(call, count, wait) for call in calls] for _ in range(rounds)))]


def check(kind, it, kernel, n, m):
    matrix, out = kind.matrices(n, m)
    it.launch(kernel(n, m=m), matrix, out)
    kind.wait()
    if not kind.is_right(matrix, out):
        sys.exit(f"a wrong result at {n} x {m}: {kernel(n, m=m)}")
    return matrix, out


def check_stream(torch, it, kernel, n, m):
    """A graph captures the launch, so it goes to PyTorch's current stream."""
    matrix, out = check(Torch(), it, kernel, n, m)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        it.launch(kernel(n, m=m), matrix, out)
    out.zero_()
    graph.replay()
    if not torch.equal(out, matrix.T):
        sys.exit("the launch is not in the graph that was captured around it")


def run_one(name, conf, sizes):
    """Prints one line of JSON for an example."""
    if name == "transpose_numba": # some versions of numba-cuda want a name that numpy 2.5 dropped
        numpy = importlib.import_module("numpy")
        numpy.row_stack = numpy.vstack
    it, libtuned = importlib.import_module(name), importlib.import_module("libtuned")
    kind = {"transpose_cupy": Cupy, "transpose_torch": Torch, "transpose_numba": Numba}[name]()
    configurations, gpu = libtuned.load(conf), libtuned.Device.cuda(0)
    kernel, own = it.make_kernel(configurations, gpu), it.make_kernel(None, None)
    told = {"name": name, "sizes": []}
    start = time.monotonic()
    for each in (kernel, own):
        check(kind, it, each, *sizes[0])
    told["first_calls_s"] = time.monotonic() - start
    for n, m in sizes:
        matrix, out = check(kind, it, kernel, n, m)
        choice, plain = kernel(n, m=m), own(n, m=m)
        times = medians_ns([lambda: it.launch(plain, matrix, out), lambda: it.launch(choice, matrix, out)], 100, 15,
                           kind.wait)
        told["sizes"].append({"n": n, "m": m, "values": choice.values, "grade": str(choice.grade), "own_us": times[0] / 1e3,
                              "tuned_us": times[1] / 1e3})
        if choice.grade == libtuned.Grade.NONE:
            sys.exit(f"no launch at {n} x {m}: {choice.reason}")
    matrix, out = check(kind, it, kernel, *FAR)
    plain = own(*FAR[:1], m=FAR[1])
    if kernel(FAR[0], m=FAR[1]).grade != libtuned.Grade.NONE:
        sys.exit("the far size has a launch of the file")
    told["look_up_ns"] = statistics.median(per_call_ns(lambda: kernel(8, m=8), 10000) - per_call_ns(lambda: None, 10000)
                                           for _ in range(31))
    told["call_us"], told["call_looked_up_us"] = (
        each / 1e3 for each in medians_ns([lambda: it.launch(plain, matrix, out),
                                           lambda: it.launch(kernel(8, m=8), matrix, out)], 200, 31, kind.wait))
    if name == "transpose_torch":
        check_stream(kind.torch, it, kernel, *sizes[0])
    print(json.dumps(told))


def main():
    tune, source, work = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
    device = sys.argv[4] if len(sys.argv) > 4 else "0"
    sizes = os.environ.get("PYTHON_SIZES", "1024x1024,8192x8192,3000x2000")
    work.mkdir(parents=True, exist_ok=True)
    os.environ["PYTHONPATH"] = os.pathsep.join(str(source / each) for each in ("bindings/python", "examples"))
    os.environ["TORCH_EXTENSIONS_DIR"] = str(work / "extensions")
    conf, failed = work / "transpose.conf", 0
    with open(work / "transpose.txt", "w", encoding="utf-8") as log:
        status = subprocess.run([tune, "run", source / "examples/transpose.yaml", "--device", device, "--no-report", "--budget",
                                 os.environ.get("PYTHON_BUDGET", "15s"), "--db", work / "transpose.db", "--conf", conf],
                                stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    print(f"tune run examples/transpose.yaml: exit code {status}")
    for name in os.environ.get("PYTHON_EXAMPLES", ",".join(PACKAGES)).split(","):
        done = subprocess.run([sys.executable, "-B", __file__, "--one", name, conf, sizes], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0 and f"{name}.py: " in done.stderr and " is missing (" in done.stderr:
            print(f"{name}: left out, since there is no {PACKAGES[name]}")
            continue
        if done.returncode != 0:
            print(f"FAILED {name}: {done.stderr.strip().splitlines()[-1:]}")
            failed = 1
            continue
        told = json.loads(done.stdout.splitlines()[-1])
        print(f"\n{name}.py: a look-up takes {told['look_up_ns']:.0f} ns; a call at {FAR[0]} x {FAR[1]} {told['call_us']:.2f} us, "
              f"{told['call_looked_up_us']:.2f} us with it; both configurations built in {told['first_calls_s']:.1f} s")
        for row in told["sizes"]:
            print(f"  {row['n']:5} x {row['m']:<5} {row['own_us']:8.2f} us by itself {row['tuned_us']:8.2f} us as tuned "
                  f"{row['own_us'] / row['tuned_us']:5.2f}x  {row['grade']}: "
                  + " ".join(f"{key}={value}" for key, value in row["values"].items()))
    return failed


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        run_one(sys.argv[2], sys.argv[3], [tuple(map(int, size.split("x"))) for size in sys.argv[4].split(",")])
    else:
        sys.exit(main())
