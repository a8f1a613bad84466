"""launchtune.kernel_tuner: what scripts for Kernel Tuner get from it, on the stand-in driver of tests/faults (no GPU).

    kernel_tuner_test.py TUNE DRIVER_FOLDER [unittest's options]

Needs numpy; exit code 77 where no Python has it."""
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "bindings" / "python"


def restart():
    """Goes on with a Python that has numpy."""
    for python in ("python3", "/usr/bin/python3"):
        found = subprocess.run([python, "-c", "import numpy, sys; print(sys.executable)"], capture_output=True, text=True, check=False)
        if found.returncode == 0 and "KERNEL_TUNER_TEST" not in os.environ:
            os.environ["KERNEL_TUNER_TEST"] = "restarted"
            os.execv(found.stdout.strip(), [found.stdout.strip(), "-B", *sys.argv])
    print("skipped: no Python here has numpy")
    sys.exit(77)


try:
    import numpy
except ImportError:
    restart()
sys.path.insert(0, str(PACKAGES))
from launchtune import kernel_tuner  # noqa: E402
from launchtune.kernel_tuner import _formulas, _interface, _problem, _run  # noqa: E402

LOCKS = tempfile.TemporaryDirectory()  # other tests use the same stand-in device at the same time
os.environ["TUNE_LOCK_DIR"] = LOCKS.name
TUNE, DRIVER = "", ""
START = """
import numpy
from kernel_tuner import tune_kernel, run_kernel
source = 'extern "C" __global__ void copy_elements(const int *in, int *out, long long n);'
data = numpy.arange(1000, dtype=numpy.int32)
arguments = [data, numpy.zeros_like(data), numpy.int64(1000)]
"""
QUICK = ("--effort", "quick", "--no-report", "--set", "warm_window_ms=1", "--set", "warm_least_ms=1", "--set", "warm_most_ms=20")


def run(folder, script, *options, faults=None, ends=0):
    """Runs a script's text; returns standard output and error."""
    pathlib.Path(folder, "script.py").write_text(START + textwrap.dedent(script), "utf-8")
    environment = dict(os.environ, PYTHONPATH=str(PACKAGES), TUNE=TUNE, LD_LIBRARY_PATH=DRIVER, TUNE_NVRTC_PATH=DRIVER, PYTHONDONTWRITEBYTECODE="1",
                       TUNE_CACHE_DIR=str(pathlib.Path(folder, "cache")), TUNE_FAULTS_STATE=str(pathlib.Path(folder, "state")),
                       TUNE_FAULTS=faults or "devices=big")
    done = subprocess.run([sys.executable, "-m", "launchtune.kernel_tuner", *options, "script.py"], cwd=folder, env=environment, capture_output=True,
                          text=True, check=False)
    if done.returncode != ends:
        raise AssertionError(f"exit code {done.returncode}, not {ends}:\n{done.stdout}\n{done.stderr}")
    return done.stdout, done.stderr


class Formulas(unittest.TestCase):
    """Functions and texts mean the same to tune as to Python."""

    PARAMETERS = {"x": [1, 2, 3, 4, 6, 8], "y": [16, 32, 64], "kind": ["a", "b"], "share": [0.5, 1.5]}

    def check_same(self, function, whole):
        names = list(self.PARAMETERS)
        points = [dict(zip(names, values)) for values in itertools.product(*self.PARAMETERS.values())]
        text = _formulas.condition(function, self.PARAMETERS, "restrictions")
        self.assertEqual(whole, not any("] >>" not in one and "[" in one.replace("[a", "") and "//" in one for one in text))
        plain = _formulas.caller(function, self.PARAMETERS) if callable(function) else _formulas.function_of_text(function, "restrictions")
        for point in points:
            held = all(eval(one, dict(_formulas.ALREADY, ceil_div=None), point) for one in text)  # noqa: S307
            self.assertEqual(bool(plain(point)), bool(held), (point, text))
        return text

    def test_branches(self):
        for function in (lambda p: p["x"] * p["y"] <= 128, lambda p: 32 <= p["x"] * p["y"] <= 128 or p["kind"] == "b",
                         lambda x, y: (x if y > 16 else x * 2) % 2 == 0 and not x == 4, lambda p: max(p["x"], p["y"] // 8) >= 4,
                         lambda p: p["x"] in (2, 4, 8) and p["share"] < 1, lambda p: numpy.int64(3) * p["x"] > 7):
            text = self.check_same(function, True)
            self.assertFalse(any(">>" in one for one in text), text)  # no table: the function's own arithmetic

    def test_tables(self):
        for function in (lambda p: [1, 0, 1, 1, 1, 0, 1, 0, 1][p["x"]] and p["y"] != 32, lambda p: sum(range(p["x"])) % 3 == 0,
                         lambda p: p["kind"] in {"a"}, "kind.upper() == 'A' or x > 3"):
            text = self.check_same(function, True)
            self.assertTrue(any(">>" in one for one in text), text)

    def test_functions_of_named_parameters(self):
        text = _formulas.condition((lambda i, j: i * j <= 64, ["x", "y"]), self.PARAMETERS, "restrictions")
        self.assertEqual(["((x * y) <= 64)"], text)
        for function in (lambda *values, **_: values[0] * values[1] <= 64, lambda a, b, c, d: a * b <= 64):  # all, in their order
            self.assertEqual(text, _formulas.condition(function, self.PARAMETERS, "restrictions"))

    def test_numbers_in_quotes(self):
        parameters = {"x": [16, 32, 64], "most": ["40"], "mode": ["1", "2"]}
        text, = _formulas.condition("x * 2 <= most", parameters, "restrictions")
        self.assertEqual([True, False, False], [bool(eval(text, {}, {"x": x, "most": "40"})) for x in parameters["x"]])  # noqa: S307
        self.assertEqual(["mode == '1'"], _formulas.condition("mode == '1'", parameters, "restrictions"))

    def test_lists_beside_in(self):
        self.assertEqual(["x in [1, 2]"], _formulas.condition("x in [1, 2]", self.PARAMETERS, "restrictions"))
        self.check_same("(x, y) in [(1, 16), (2, 32)] or (x, y) == (4, 16)", True)

    def test_texts_stay(self):
        text = "x == 0 or (y % 32 != 0)"
        self.assertEqual([text], _formulas.condition(text, self.PARAMETERS, "restrictions"))

    def test_long_tables_are_divided(self):
        parameters = {"a": list(range(60)), "b": list(range(300)), "c": list(range(40))}
        texts = _formulas.condition(lambda p: hash((p["a"], p["b"], p["c"])) % 7 > 0, parameters, "restrictions")
        self.assertTrue(len(texts) > 1 and all(len(text) <= 32768 for text in texts))

    def test_sizes_and_divisors(self):
        self.assertEqual(["x"], _problem.sizes_of("x", self.PARAMETERS))
        self.assertEqual(["1000", "(x * y)"], _problem.sizes_of(lambda p: (1000, p["x"] * p["y"]), self.PARAMETERS))
        self.assertEqual(["int(x/y)"], _problem.divisors(["x/y"], "x", self.PARAMETERS, "grid_div_x"))
        self.assertEqual(["x"], _problem.divisors(None, "x", self.PARAMETERS, "grid_div_x"))
        self.assertEqual([], _problem.divisors(None, "z", self.PARAMETERS, "grid_div_x"))

    def test_pragma_of_an_unrolled_loop(self):
        text = _problem.unrolled("{\n#pragma unroll loop_unroll_factor_0\nfor (;;) {}\n}", ["loop_unroll_factor_0"])
        self.assertIn("constexpr int loop_unroll_factor_0 = loop_unroll_factor_0_;", text)
        self.assertIn("#if loop_unroll_factor_0_\n#pragma unroll loop_unroll_factor_0\n#endif", text)


class Calls(unittest.TestCase):
    """Each argument: accepted, mapped, or refused by its name."""

    ARGUMENTS = [numpy.zeros(8, numpy.float32), numpy.int32(8)]
    SOURCE = "__global__ void k(float *x, int n) {}"

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)

    def translated(self, **more):
        names = ("kernel_source", "problem_size", "lang", "restrictions", "answer", "verify", "smem_args", "cmem_args", "texmem_args", "compiler",
                 "compiler_options", "defines", "block_size_names", "grid_div_x", "grid_div_y", "grid_div_z", "metrics", "objectives", "objective",
                 "objective_higher_is_better")
        call = {**dict.fromkeys(names), "kernel_name": "k", "kernel_source": self.SOURCE, "problem_size": 8, "arguments": self.ARGUMENTS,
                "tune_params": {"block_size_x": [4, 8], "a": [1, 2]}, "atol": 1e-6, **more}
        self.problem = _problem.Problem(call, "k", _problem.Arrays(pathlib.Path.cwd(), False), False)
        return self.problem.json

    def test_refused(self):
        call = dict(kernel_name="k", kernel_source=self.SOURCE, problem_size=8, arguments=self.ARGUMENTS, tune_params={"block_size_x": [4]})
        for name, value, reason in (
                ("lang", "OpenCL", "OpenCL"), ("lang", "HIP", "HIP"), ("platform", 1, "OpenCL"), ("compiler", "gcc", "host"),
                ("objectives", {"time": False, "energy": False}, "one winner"),
                ("objective", ["time", "energy"], "one winner"), ("texmem_args", {"t": numpy.zeros((2, 2, 2), numpy.float32)}, "dimensions"),
                ("tune_params", {"nvml_gr_clock": [1000]}, "clocks"), ("smem_args", {"size": 4, "banks": 2}, "banks"),
                ("restrictions", [3], "functions"), ("arguments", [numpy.zeros(8, "datetime64[s]"), numpy.int32(8)], "type")):
            with self.assertRaises((ValueError, TypeError), msg=name) as caught:
                kernel_tuner.tune_kernel(**{**call, name: value})
            self.assertRegex(str(caught.exception), rf"^({name}|block_size_names).*{reason}", name)
        for name, value in (("strategy", object()), ("strategy", "annealed_herring")):
            with self.assertRaisesRegex(ValueError, "^strategy: "):
                _interface.search_options(value, None, 1)

    def test_a_cache_may_have_clocks(self):
        call = {"tune_params": {"nvml_gr_clock": [1000]}, "platform": 0, "compiler": None, "seed": None, "simulation_mode": True}
        _interface.check_call(call)
        with self.assertRaisesRegex(ValueError, "leaves the device's settings alone"):
            _interface.check_call({**call, "simulation_mode": None})

    def test_every_argument_is_known(self):
        names = ("kernel_name kernel_source problem_size arguments tune_params grid_div_x grid_div_y grid_div_z restrictions answer atol verify verbose "
                 "lang device platform smem_args cmem_args texmem_args compiler compiler_options defines log iterations block_size_names quiet strategy "
                 "strategy_options cache metrics simulation_mode parallel observers objective objective_higher_is_better objectives seed").split()
        self.assertEqual(names, list(_interface.tune_kernel.__code__.co_varnames[:_interface.tune_kernel.__code__.co_argcount]))
        page = (ROOT / "docs" / "kernel-tuner.md").read_text("utf-8")
        self.assertEqual([], [name for name in names if f"`{name}`" not in page])

    def test_block_and_grid(self):
        kernel = self.translated(tune_params={"BX": [4, 8], "BY": [1]}, block_size_names=["BX", "BY"], problem_size=(8, 8))["KernelSpecification"]
        self.assertEqual({"X": "BX", "Y": "BY", "Z": "1"}, kernel["LocalSize"])
        self.assertEqual((["BX"], ["BY"]), (kernel["GridDivX"], kernel["GridDivY"]))
        kernel = self.translated(grid_div_x=lambda p: p["block_size_x"] / 2)["KernelSpecification"]
        self.assertEqual((["ceil((8) / ((block_size_x / 2)))"], []), (kernel["ProblemSize"], kernel["GridDivX"]))

    def test_memories(self):
        found = self.translated(smem_args={"size": lambda p: 4 * p["block_size_x"]}, cmem_args={"filter": numpy.ones(3, numpy.float32)},
                                texmem_args={"image": {"array": numpy.ones((8, 8), numpy.float32), "address_mode": "border", "filter_mode": "linear"}})
        self.assertEqual("int((4 * block_size_x))", found["KernelSpecification"]["Arguments"][0]["Size"])
        constant, texture = found["tune"]["arguments"][2:]
        self.assertEqual(("filter", "f32", 3), (constant["symbol"], constant["type"], constant["count"]))
        self.assertEqual({"width": 8, "height": 8, "address": "border", "filter": "linear"}, texture["texture"])

    def test_answers_and_unchecked(self):
        self.assertEqual([{"unchecked": ["x"]}], self.translated()["tune"]["check"])
        check = self.translated(answer=[numpy.ones(8), None])["tune"]["check"][0]
        self.assertEqual(("x", 1e-6, 1e-5), (check["output"], check["absolute"], check["relative"]))
        self.assertTrue((numpy.fromfile(check["file"], numpy.float32) == 1).all())

    def test_host_code_of_cuda(self):
        call = dict(kernel_source='extern "C" float k(const float *x, float *y, int n) { cudaMemcpy(0, 0, 0, cudaMemcpyDefault); return 1; }',
                    arguments=[self.ARGUMENTS[0], *self.ARGUMENTS], lang="C", compiler_options=["-arch=sm_52", "-gencode", "arch=x", "-lcublas"])
        translated = self.translated(**call)
        self.assertEqual(["-lcublas"], translated["tune"]["flags"])
        self.assertEqual([{"function": "launchtune::k"}], translated["tune"]["launches"])
        self.assertEqual([{"Expression": "block_size_x <= 1024"}], translated["ConfigurationSpace"]["Conditions"])
        self.assertNotIn("device", translated["tune"])
        self.assertEqual([None, True, None], [argument.get("update") for argument in translated["tune"]["arguments"]])
        self.assertIn("taken k(const float *a0, float *a1, int a2, cudaStream_t stream)", self.problem.source.host)
        self.assertEqual(1, self.problem.source.host.count("* sizeof *a1, true, stream)"))
        self.assertNotIn("* sizeof *a0, true, stream)", self.problem.source.host)

    def test_defines(self):
        found = self.translated(defines={"A": "block_size_x * 2", "T": "unsigned int", "F": lambda p: p["a"] + 1})["tune"]["defines"]
        self.assertEqual(("block_size_x * 2", "'unsigned int'", "(a + 1)", None), (found["A"], found["T"], found["F"], found["kernel_tuner"]))

    def test_sources_of_a_generator(self):
        found = self.translated(kernel_source=lambda p: self.SOURCE.replace("{}", f"{{ x[0] = {p['a']}; }}"), lang="CUDA")
        self.assertEqual({"LAUNCHTUNE_SOURCE": "((a - 1) // 1)"}, found["tune"]["defines"])
        file = json.loads(pathlib.Path(self.problem.write(pathlib.Path.cwd())).read_text("utf-8"))["KernelSpecification"]["KernelFile"]
        for number in (0, 1):  # a compilation reads its own text alone
            done = subprocess.run(["cc", "-E", "-P", f"-DLAUNCHTUNE_SOURCE={number}", "-x", "c", file], capture_output=True, text=True, check=True)
            self.assertEqual([str(number + 1)], re.findall(r"x\[0\] = (\d)", done.stdout))

    def test_objectives(self):
        call = {"objectives": None, "objective": "rate", "objective_higher_is_better": True,
                "metrics": {"rate": lambda p: 5 / p["time"], "cost": "time * a", "power": lambda p: p["nvml_power"]}}
        self.assertEqual(None, _interface.objective_of(call, {"a": [1, 2]})[0])  # the fastest has it
        call.update(objective="cost", objective_higher_is_better=False)
        self.assertEqual("((time_ns / 1e6) * a)", _interface.objective_of(call, {"a": [1, 2]})[0])
        call.update(objective="num_regs")
        self.assertEqual("registers + 0 * time_ns", _interface.objective_of(call, {"a": [1, 2]})[0])
        call.update(objective="power")
        self.assertEqual("power_w", _interface.objective_of(call, {"a": [1, 2]})[0])

    def test_strategies(self):
        self.assertEqual(["--strategy", "local", "--points", "9", "--budget", "2s"],
                         _interface.search_options("genetic_algorithm", {"max_fevals": 9, "time_limit": 1.5}, 10))
        self.assertEqual([], _interface.search_options(None, None, 10))
        self.assertEqual(["--strategy", "local"], _interface.search_options(kernel_tuner.strategies.minimize, None, 10))


class Scripts(unittest.TestCase):
    """Whole scripts."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def test_results(self):
        run(self.at, """
            import json
            results, environment = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64, 128], "WAY": [1, 2, 3]},
                answer=[None, data, None], restrictions=[lambda p: p["WAY"] < 3 or p["block_size_x"] > 32], cache="copies", quiet=True,
                metrics={"GB/s": lambda p: 8e-6 / p["time"], "half": "time / 2"}, objective="GB/s")
            assert len(results) == 8, results
            wrong = [result for result in results if "__error__" in result]
            assert [str(result["__error__"]) for result in wrong] == 3 * ["RuntimeFailedConfig"], results
            assert {result["WAY"] for result in wrong} == {2}, results
            best = environment["best_config"]
            assert best["WAY"] == 1 and best["block_size_x"] == 32 and best["GB/s"] == 8e-6 / best["time"] and best["half"] == best["time"] / 2
            assert environment["device_name"].startswith("Stand-in") and environment["launchtune"]["verdict"] in ("sure", "nearly sure")
            _, environment = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64, 128], "NOT_READ": list(range(999))},
                strategy="random_sample", strategy_options={"max_fevals": 2}, quiet=True)
            assert environment["launchtune"]["verdict"] == "not sure", environment
            kept = json.load(open("copies.json"))
            assert len(kept["cache"]) == 8 and kept["tune_params_keys"] == ["block_size_x", "WAY"] and kept["cache"]["32,2"]["__error__"]
            again, _ = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64, 128], "WAY": [1, 2, 3]}, cache="copies",
                simulation_mode=True, quiet=True)
            assert {result["time"] for result in again if "time" in result} == {result["time"] for result in results if "time" in result}
            from kernel_tuner.file_utils import store_output_file
            store_output_file("t4", results, {"block_size_x": 0, "WAY": 0})
            assert len(json.load(open("t4.json"))["results"]) == 8
            from kernel_tuner.integration import store_results, TuneResults, create_device_targets
            store_results("kept.json", "copy_elements", source, {"block_size_x": 0, "WAY": 0}, 1000, results, environment, top=50)
            assert TuneResults("kept.json").get_best_config(environment["device_name"], 1000)["block_size_x"] == 32
            create_device_targets("kept.h", "kept.json")
            assert "#define block_size_x 32" in open("kept.h").read()
            """, *QUICK, faults="kernel@WAY=2: wrong")
        conf = (self.at / "script.conf").read_text("utf-8")
        self.assertIn("copy_elements", conf)

    def test_blocks_of_too_many_threads(self):
        """They are no results, as in Kernel Tuner: scripts take the least time of all."""
        run(self.at, """
            results, _ = tune_kernel("copy_elements", source, 1000, arguments, {"wide": [32, 64, 2048]}, block_size_names=["wide"])
            assert sorted(result["wide"] for result in results) == [32, 64] and min(result["time"] for result in results) > 0
            """, *QUICK)

    def test_time_that_is_over_at_once(self):
        """As in Kernel Tuner, one configuration is measured, however slow its compiler is."""
        _, said = run(self.at, """
            results, environment = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64, 128]},
                strategy="random_sample", strategy_options={"time_limit": 1})
            assert len(results) == 1 and results[0]["time"] > 0, results
            assert environment["best_config"]["block_size_x"] == results[0]["block_size_x"]
            """, *QUICK, faults="devices=big; nvrtcCompileProgram: slow=3000")
        self.assertIn("copy_elements: the time was over before a configuration was measured", said)
        _, said = run(self.at, """
            results, environment = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64, 96, 128]},
                strategy="random_sample", strategy_options={"time_limit": 1}, seed=1)
            assert any("__error__" in result for result in results) and environment["best_config"]["time"] > 0, results
            """, *QUICK, "--db", "failing.db", faults="devices=big; nvrtcCompileProgram: slow=3000; kernel@block_size_x=32|64|96: 700")
        self.assertIn("up to 8 are tried", said)
        _, said = run(self.at, """
            results, environment = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64]},
                strategy="random_sample", strategy_options={"time_limit": 5})
            assert all("__error__" in result for result in results), results
            """, *QUICK, "--db", "failed.db", faults="kernel@block_size_x=32|64: 700")
        self.assertNotIn("the time was over", said)

    def test_calls_share_a_database(self):
        run(self.at, """
            for n in (500, 1000):
                results, environment = tune_kernel("copy_elements", source, n, [data[:n], data[:n] * 0, numpy.int64(n)], {"block_size_x": [32, 64]})
                assert len(results) == 2, results
            assert environment["launchtune"]["problem"] == "copy_elements_2"
            """, *QUICK)
        found = subprocess.run([TUNE, "show", "--db", "script.db", "--json"], cwd=self.at, capture_output=True, text=True, check=True)
        self.assertEqual({"copy_elements", "copy_elements_2"}, {row["problem"] for row in json.loads(found.stdout)})

    def test_verify_and_energy(self):
        _, said = run(self.at, """
            from kernel_tuner.observers.nvml import NVMLObserver
            from kernel_tuner.observers.register import RegisterObserver
            seen = []
            def verify(answer, result, atol=None):
                seen.append(result)
                return len(seen) > 1
            results, environment = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64, 128]}, verify=verify,
                observers=[NVMLObserver(["nvml_energy"]), RegisterObserver()], metrics={"per J": lambda p: 1 / p["nvml_energy"]})
            assert len(seen) == 2 and (seen[0][1] == data).all()
            assert sum("__error__" in result for result in results) == 1 and environment["best_config"]["nvml_energy"] > 0
            assert environment["best_config"]["num_regs"] > 0
            """, *QUICK)
        self.assertIn("verify: 1 configurations were faster and are wrong", said)

    def test_one_launch(self):
        run(self.at, """
            from kernel_tuner.kernelbuilder import PythonKernel
            results = run_kernel("copy_elements", source, 1000, arguments, {"block_size_x": 64})
            assert (results[1] == data).all() and results[2] == 1000 and not arguments[1].any()
            copy = PythonKernel("copy_elements", source, 1000, arguments, {"block_size_x": 64}, outputs=[False, True, False])
            assert (copy(*arguments) == data).all()
            """)

    def test_dry_run(self):
        _, said = run(self.at, """
            results, _ = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64]})
            run_kernel("copy_elements", source, 1000, arguments, {})
            print(min(results, key=lambda result: result["time"]))
            """, "--dry-run")
        self.assertIn("the script ended here", said)
        self.assertRegex(said, "2 of the script's calls")
        self.assertFalse(list(self.at.glob("*.db")))

    def test_the_page_of_the_documents(self):
        """Its script prints its output, up to the numbers of a compiler."""
        page = (ROOT / "docs" / "kernel-tuner.md").read_text("utf-8")
        script = re.search(r"## A script and its output\n\n```python\n(.*?)```", page, re.S)[1]
        shown = re.search(r"<!-- output: .*? -->\n(.*?) +compiled: ", page, re.S)[1]
        pathlib.Path(self.at, "scale.py").write_text(script, "utf-8")
        environment = dict(os.environ, PYTHONPATH=str(PACKAGES), TUNE=TUNE, PYTHONDONTWRITEBYTECODE="1", TUNE_CACHE_DIR=str(pathlib.Path(self.at, "cache")))
        done = subprocess.run([sys.executable, "-m", "launchtune.kernel_tuner", "--dry-run", "--arch", "sm_90", "scale.py"], cwd=self.at,
                              env=environment, capture_output=True, text=True, check=False)
        self.assertIn(textwrap.dedent(shown), done.stdout)

    def test_a_script_that_fails(self):
        """Its own lines are shown, not those of the program that runs it."""
        _, said = run(self.at, "def inner():\n    raise KeyError('lost')\n\nassert __file__.startswith('/')\ninner()", ends=1)
        self.assertRegex(said, r"^Traceback.*\n  File \"/.*/script.py\"")
        self.assertNotIn("__main__", said)

    def test_shared_memory_beside_arguments(self):
        said, _ = run(self.at, """
            tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [64, 128]}, smem_args={"size": lambda p: 8 * p["block_size_x"]})
            """, "--dry-run")
        self.assertRegex(said, r"copy_elements\(in, out, n\) grid 16 block 64 shared 512")

    def test_answers_that_a_parameter_chooses(self):
        said, _ = run(self.at, """
            from kernel_tuner.accuracy import Tunable
            arguments[0] = Tunable("kind", {1: data, 2: data + 1})
            tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [64, 128], "kind": [1, 2]},
                answer=[None, Tunable("kind", {1: data, 2: data + 1}), None])
            """, "--dry-run")
        self.assertRegex(said, "copy_elements_1: 2 points.*\n(?s:.*)copy_elements_2: 2 points")

    def test_one_line_says_which_answer_and_which_name(self):
        for more, why in (("answer=[None, data[:7], None]", r"answer\[1\] has the shape \(7,\), and the argument out \(1000,\)"),
                          ("restrictions=['blocksize > 3']", "restrictions: 'blocksize > 3': there is no parameter blocksize")):
            _, said = run(self.at, f"""
                try:
                    tune_kernel("copy_elements", source, 1000, arguments, {{"block_size_x": [64, 128]}}, {more})
                except (TypeError, ValueError) as error:
                    import sys
                    sys.exit(str(error))
                """, "--dry-run")
            self.assertRegex(said, why)

    def test_defines_replace_those_of_parameters(self):
        run(self.at, """
            tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64], "WAY": [1]}, defines={"TWICE": "block_size_x * 2"})
            """, "--dry-run")
        shown = subprocess.run([TUNE, "run", "script.tune/copy_elements.json", "--show-experiment"], cwd=self.at, capture_output=True, text=True,
                               check=True).stdout
        self.assertIn('defines:\n  TWICE: "block_size_x * 2"\nlaunches:', shown)

    def test_init_writes_the_calls(self):
        pathlib.Path(self.at, "script.py").write_text(START + textwrap.dedent("""
            tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64]}, answer=[None, data, None])
            """), "utf-8")
        environment = dict(os.environ, PATH=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"], TUNE_DATA_DIR=str(ROOT))
        done = subprocess.run([TUNE, "init", "script.py"], cwd=self.at, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("wrote script.tune/copy_elements.json", done.stderr)
        found = json.loads((self.at / "script.tune" / "copy_elements.json").read_text("utf-8"))["tune"]
        self.assertTrue((numpy.fromfile(found["check"][0]["file"], numpy.int32) == numpy.arange(1000)).all())
        self.assertFalse(list(self.at.glob("*.db")))

    def test_refusal(self):
        _, said = run(self.at, """
            from kernel_tuner.energy import energy
            energy.create_power_frequency_model(device=0)
            """, ends=3)
        self.assertRegex(said, "^launchtune: create_power_frequency_model: ")

    def test_observers_without_an_instrument(self):
        """The kernel is tuned all the same; one line names what its results lack. An objective of it is refused."""
        script = """
            from kernel_tuner.observers import BenchmarkObserver
            from kernel_tuner.observers.ncu import NCUObserver
            from kernel_tuner.observers.nvml import NVMLObserver
            from kernel_tuner.observers.pmt import PMTObserver
            from kernel_tuner.observers.tegra import TegraObserver
            class Lamp(BenchmarkObserver):
                def __init__(self, wire):
                    self.wire = wire
                def get_results(self):
                    return {"light": 1 / 0}
            results, environment = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64, 128]},
                observers=[NCUObserver(metrics=["dram__bytes.sum"]), PMTObserver([("nvidia", 0), "rapl"]), NVMLObserver(["core_freq", "gr_voltage"]),
                           TegraObserver(["core_freq"]), Lamp(7)],
                metrics={"lit": lambda p: p["light"] / p["time"], "read": lambda p: p["dram__bytes.sum"], "per ms": lambda p: 1 / p["time"],
                         "clock": lambda p: p["core_freq"]}%s)
            best = environment["best_config"]
            assert best["per ms"] == 1 / best["time"] and best["clock"] == best["core_freq"] > 0, best
            assert not any("lit" in result or "read" in result for result in results)
            """
        _, said = run(self.at, script % "", *QUICK)
        lines = [line for line in said.splitlines() if line.startswith("launchtune: observers: ")]
        self.assertEqual(["launchtune: observers: tune has no instrument for these, and results are without them: NCUObserver: dram__bytes.sum; "
                          "PMTObserver: nvidia, rapl; NVMLObserver: gr_voltage; Lamp: its own values. Left out, too: the metrics lit, read"], lines)
        _, said = run(self.at, script % ', objective="read", objective_higher_is_better=False', *QUICK, ends=3)
        self.assertIn("objective: 'read' is no formula of time", said)

    def test_host_code(self):
        """A function of the host tells its own time, which counts; the results are checked; a negative time is a failure."""
        run(self.at, """
            text = '''
            #include <cstdint>
            float copied(const int32_t *in, int32_t *out, int64_t n) {
                for (int64_t i = 0; i < n; i++)
                    out[i] = in[i] + (WAY == 2);
                return WAY == 4 ? -1.f : EXTRA + grid_size_x * block_size_y;
            }'''
            results, environment = tune_kernel("copied", text, 1000, arguments, {"WAY": [1, 2, 3, 4], "tile": [10, 100]}, grid_div_x=["tile"],
                answer=[None, data, None], compiler_options=["-O3", "-DEXTRA=.25f"], compiler="g++")
            times = {(result["WAY"], result["tile"]): result.get("time") for result in results}
            assert times[1, 10] == times[3, 10] == 100.25 and times[1, 100] == 10.25, times
            assert not any(times[way, tile] for way in (2, 4) for tile in (10, 100)), times
            assert environment["best_config"]["tile"] == 100
            once = run_kernel("copied", text, 1000, arguments, {"WAY": 2}, lang="C", compiler_options=["-DEXTRA=0"])
            assert (once[1] == data + 1).all() and once[2] == 1000 and not arguments[1].any()
            parallel = "#include <omp.h>\\nfloat threads(int *x) { x[0] = omp_get_max_threads(); return 1; }"
            assert tune_kernel("threads", parallel, 1, [numpy.zeros(1, numpy.int32)], {"WAY": [1]}, lang="C")[0][0]["time"] == 1
            assert run_kernel("threads", parallel, 1, [numpy.zeros(1, numpy.int32)], {"WAY": 1}, lang="C")[0][0] > 0
            """, *QUICK)
        _, said = run(self.at, """
            tune_kernel("copied", "float copied(int *x) { return 1; }", 1000, arguments[:1], {"WAY": [1]}, lang="C", smem_args={"size": 4})
            """, ends=3)
        self.assertIn("smem_args: ", said)
        _, said = run(self.at, """
            tune_kernel("copied", "float copied(int *x) { return 1; }", 1000, arguments[:1], {"WAY": [1]}, lang="C")
            """, "--dry-run", "--arch", "sm_90")
        self.assertRegex(said, "1 of the script's calls compiled")

    def test_an_objective_without_time(self):
        run(self.at, """
            _, environment = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64, 128]}, metrics={"width": "block_size_x"},
                objective="width", objective_higher_is_better=True)
            assert environment["best_config"]["block_size_x"] == 128
            """, *QUICK)

    def test_arguments_of_other_versions(self):
        _, said = run(self.at, """
            _, environment = tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32, 64]}, parallel_runner=1024)
            assert environment["best_config"]["time"] > 0
            """, *QUICK)
        self.assertIn("launchtune: parallel_runner: Kernel Tuner 1.5 has no such argument, and it is not used\n", said)
        _, said = run(self.at, """tune_kernel("copy_elements", source, 1000, arguments, {"block_size_x": [32]}, restriction=[])""", ends=1)
        self.assertIn("TypeError: tune_kernel() got an unexpected keyword argument 'restriction'; did you mean 'restrictions'?", said)

    def test_same_space_as_t1(self):
        """A script's call and the T1 file of the same kernel have the same points and launches."""
        path = ROOT / "examples" / "t1" / "kerneltuner-test.json"
        whole = json.loads(path.read_text("utf-8"))
        values = {item["Name"]: eval(item["Values"]) for item in whole["ConfigurationSpace"]["TuningParameters"]}  # noqa: S307
        conditions = [item["Expression"] for item in whole["ConfigurationSpace"]["Conditions"]]
        kernel = whole["KernelSpecification"]
        values.update(filter_width=[17], filter_height=[17])
        run(self.at, f"""
            import json
            whole = json.load(open({str(path)!r}))["KernelSpecification"]
            tune_kernel("convolution_kernel", {str(path.parent / "convolution.cu")!r}, {tuple(kernel["ProblemSize"])!r},
                [numpy.zeros(4096 * 4096, numpy.float32), numpy.zeros(4112 * 4112, numpy.float32)], {values!r}, restrictions={conditions!r},
                grid_div_x=whole["GridDivX"], grid_div_y=whole["GridDivY"], cmem_args={{"d_filter": numpy.ones(289, numpy.float32)}})
            """, "--dry-run")
        shown = []
        for words in ([str(path), "--overlay", str(path.with_suffix(".overlay.json"))], ["script.tune/convolution_kernel.json"]):
            text, points = (subprocess.run([TUNE, "run", *words, *more], cwd=self.at, capture_output=True, text=True, check=True).stdout
                            for more in (["--show-experiment"], ["--dry-run"]))
            part = {name: re.search(rf"^{name}:\n((?:  .*\n)+)", text, flags=re.M)[1] for name in ("constraints", "launches")}
            shown.append((part["constraints"], re.sub(r"\s+arguments:.*", "", part["launches"]),
                          re.findall(r"([\d,]+) points, ([\d,]+) legal", points)))
        self.assertEqual(shown[0], shown[1])
        self.assertTrue(shown[0][2])


if __name__ == "__main__":
    TUNE, DRIVER = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
