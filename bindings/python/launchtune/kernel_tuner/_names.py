"""The modules that scripts import beside tune_kernel, each with its counterpart in tune."""
import contextlib
import json
import pathlib
import sys
import types

import numpy

from . import _formulas, _interface, _problem, _run
from ._formulas import Refused
from ._interface import Observer


class NVMLObserver(Observer):
    """Values of NVML, which tune measures itself and keeps in the database."""


class RegisterObserver(Observer):
    def __init__(self):
        super().__init__("num_regs")


class BenchmarkObserver:
    """The base of observers of one's own, whose code is not called."""

    def __init__(self, *_, **__):
        pass


def refused(name, reason):
    """Returns a class or function that says why tune has none like it."""
    def refuse(*_, **__):
        raise Refused(f"{name}: {reason}")

    refuse.__name__ = name
    return refuse


CLOCKS = "clocks and power limits are no parameters of tune, which leaves the device's settings alone"


def precision(name, array, dtypes=None):
    """Returns an argument in each precision that a parameter names."""
    kinds = {"half": numpy.float16, "float": numpy.float32, "double": numpy.float64}
    wanted = dtypes if isinstance(dtypes, dict) else {key: kinds.get(key, key) for key in dtypes or kinds}
    return _interface.Tunable(name, {key: array.astype(kind) for key, kind in wanted.items()})


class AccuracyObserver(Observer):
    def __init__(self, metric=None, key="error", *_, **__):
        super().__init__(key)


class PythonKernel:
    """A kernel of given parameters as a function; launched as run_kernel does."""

    def __init__(self, kernel_name, kernel_string, problem_size, arguments, params=None, inputs=None, outputs=None, device=0, platform=0,
                 block_size_names=None, grid_div_x=None, grid_div_y=None, grid_div_z=None, verbose=True, lang=None, results_file=None):
        if params is None and results_file:
            params = _results(results_file).get_best_config()
        self.outputs = outputs
        self.call = {"kernel_name": kernel_name, "kernel_source": kernel_string, "problem_size": problem_size, "params": params,
                     "device": device, "platform": platform, "block_size_names": block_size_names, "grid_div_x": grid_div_x,
                     "grid_div_y": grid_div_y, "grid_div_z": grid_div_z, "lang": lang}

    def __call__(self, *arguments):
        results = _interface.run_kernel(arguments=list(arguments), **self.call)
        wanted = [result for result, output in zip(results, self.outputs) if output] if self.outputs else results
        return wanted[0] if len(wanted) == 1 else wanted

    run_kernel = __call__


# ---- files of results ----

def store_output_file(output_filename, results, tune_params, objective="time"):
    """Writes results as T4, as Kernel Tuner does (milliseconds)."""
    kept, apart = [], {"compile_time", "benchmark_time", "framework_time", "strategy_time", "verification_time", "timestamp", "times"}
    words = {"CompilationFailedConfig": "compile", "InvalidConfig": "constraints", "RuntimeFailedConfig": "runtime"}
    for result in results:
        kept.append({
            "timestamp": result.get("timestamp", ""), "configuration": {name: result[name] for name in tune_params},
            "times": {"compilation": result.get("compile_time", 0), "benchmark": result.get("benchmark_time", 0),
                      "framework": result.get("framework_time", 0), "search_algorithm": result.get("strategy_time", 0),
                      "validation": result.get("verification_time", 0), "runtimes": result.get("times", [])},
            "invalidity": words.get(str(result["__error__"]), "runtime") if "__error__" in result else "correct", "correctness": 1,
            "measurements": [{"name": name, "value": value if isinstance(value, (int, float)) else str(value),
                              "unit": "ms" if name.startswith("time") else ""}
                             for name, value in result.items() if name not in apart and name not in tune_params],
            "objectives": [objective] if isinstance(objective, str) else list(objective)})
    _write(output_filename, {"results": kept, "schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds"}})


def store_metadata_file(metadata_filename):
    """Writes the facts about the machine as T4's metadata."""
    place, devices = _run.session.value("--db", f"{_run.session.stem}.db"), []
    if pathlib.Path(place).exists():
        with contextlib.closing(_run.open_database(place)) as database:
            devices = [dict(row) for row in database.execute("SELECT name, uuid, architecture, memory_bytes, facts FROM devices")]
    _write(metadata_filename, {"metadata": {"operating_system": sys.platform.capitalize(), "hardware": {"hardware_description": []},
                                            "environment": {"device_query": {"tune": devices}, "requirements": []}},
                               "schema_version": "1.0.0"})


def _write(name, contents):
    path = pathlib.Path(name if str(name).endswith(".json") else f"{name}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(contents, default=_interface.plain, indent=1), "utf-8")


class _results:
    """A file of store_results."""

    def __init__(self, results_filename):
        path = pathlib.Path(results_filename)
        if not path.is_file():
            raise ValueError(f"results_filename: there is no file {results_filename}")
        self.meta = json.loads(path.read_text("utf-8"))
        self.data = self.meta.pop("data")
        self.objective, self.higher = self.meta["objective"], self.meta.get("objective_higher_is_better", False)
        self.names = self.meta["tunable_parameters"]

    def get_best_config(self, gpu_name="default", problem_size=None):
        """Returns the best parameters for a device and size; else those that lose least over all that there are."""
        gpu = gpu_name.replace("-", "_").replace(" ", "_")
        found = [entry for entry in self.data if entry["device_name"] == gpu] or self.data
        size = size_text(problem_size) if problem_size else None
        exact = [entry for entry in found if size and entry["problem_size"] == size]
        pick = max if self.higher else min
        if exact or len({(entry["device_name"], entry["problem_size"]) for entry in found}) == 1:
            best = pick(exact or found, key=lambda entry: entry[self.objective])
            return {name: best[name] for name in self.names}
        groups = {}
        for entry in found:
            groups.setdefault((entry["device_name"], entry["problem_size"]), []).append(entry)
        shares = {}
        for entries in groups.values():
            best = pick(entry[self.objective] for entry in entries)
            for entry in entries:
                share = entry[self.objective] / best if self.higher else best / entry[self.objective]
                shares.setdefault(tuple(entry[name] for name in self.names), []).append(share)
        best = max(shares, key=lambda key: (len(shares[key]), sum(shares[key])))
        return dict(zip(self.names, best))


def size_text(problem_size):
    return problem_size if isinstance(problem_size, str) else "x".join(str(i) for i in (
        problem_size if isinstance(problem_size, (list, tuple)) else [problem_size]))


def defaults(objective, higher):
    objective = objective or "time"
    if higher is None and objective not in _interface.HIGHER:
        raise ValueError(f"objective_higher_is_better is missing: is a higher '{objective}' better?")
    return objective, _interface.HIGHER[objective] if higher is None else higher


def store_results(results_filename, kernel_name, kernel_string, tune_params, problem_size, results, env, top=3, objective=None,
                  objective_higher_is_better=None):
    """Keeps the results within `top` percent of the best in a file, for this device and size."""
    objective, higher = defaults(objective, objective_higher_is_better)
    timed = [result for result in results if "__error__" not in result and objective in result]
    best = (max if higher else min)(result[objective] for result in timed)
    kept = [result for result in timed if abs(result[objective] - best) < abs(best) * top / 100 or result[objective] == best]
    path = pathlib.Path(results_filename)
    contents = json.loads(path.read_text("utf-8")) if path.is_file() else {
        "version_number": "1.0", "tunable_parameters": list(tune_params), "kernel_name": kernel_name,
        "kernel_string": str(kernel_string),
        "objective": objective, "objective_higher_is_better": higher, "data": []}
    if contents["tunable_parameters"] != list(tune_params) or contents["objective"] != objective:
        raise ValueError(f"{results_filename} has results of other parameters or another objective")
    device, size = env["device_name"].replace("-", "_").replace(" ", "_"), size_text(problem_size)
    contents["data"] = [entry for entry in contents["data"] if (entry["device_name"], entry["problem_size"]) != (device, size)]
    for result in kept:
        contents["data"].append({"device_name": device, "problem_size": size, "tunable_parameters": list(tune_params),
                                 **{name: result[name] for name in tune_params}, objective: result[objective]})
    _write(results_filename, contents)


def create_device_targets(header_filename, results_filename, objective=None, objective_higher_is_better=None):
    """Writes a header with the best parameters of each device as macros."""
    results = _results(results_filename)
    blocks = []
    for device in dict.fromkeys(entry["device_name"] for entry in results.data):
        lines = "".join(f"#define {name} {value}\n" for name, value in results.get_best_config(device).items())
        blocks.append((f"TARGET_{device}", lines))
    text = "".join(f"#{'el' if i else ''}if{'' if i else ''} defined({target})\n{lines}" for i, (target, lines) in enumerate(blocks))
    rest = "".join(f"#define {name} {value}\n" for name, value in results.get_best_config().items())
    pathlib.Path(header_filename).write_text(f"/* {results.meta['kernel_name']}: by create_device_targets */\n#ifndef "
                                             f"kernel_tuner\n{text}#else /* the best over all */\n{rest}#endif\n#endif\n", "utf-8")


def best_config(results, objective, objective_higher_is_better=False):
    """Returns the best of a list of results."""
    found = _interface.best_of(results, objective, objective_higher_is_better)
    if found is None:
        raise ValueError(f"no result has a number for '{objective}'")
    return found


def read_file(filename):
    path = pathlib.Path(filename)
    return path.read_text("utf-8") if path.is_file() else None


OBSERVERS = ("BenchmarkObserver", "IterationObserver", "ContinuousObserver", "OutputObserver", "PrologueObserver")
STRATEGIES = {name: types.ModuleType(f"kernel_tuner.strategies.{name}") for name in _interface.STRATEGIES}
MODULES = {
    "util": {"get_best_config": best_config, "get_config_string": _interface.config_string, "ErrorConfig": _run.ErrorConfig,
             "InvalidConfig": _run.InvalidConfig, "CompilationFailedConfig": _run.CompilationFailedConfig,
             "RuntimeFailedConfig": _run.RuntimeFailedConfig, "read_file": read_file, "looks_like_a_filename": _problem.is_file_name,
             "get_objective_defaults": defaults, "replace_param_occurrences": _formulas.replaced,
             "get_instance_string": lambda params: "_".join(str(value) for value in params.values())},
    "interface": {name: getattr(_interface, name) for name in ("tune_kernel", "run_kernel", "tune_kernel_T1", "tune_cache")},
    "integration": {"store_results": store_results, "create_device_targets": create_device_targets, "TuneResults": _results},
    "file_utils": {"store_output_file": store_output_file, "store_metadata_file": store_metadata_file},
    "kernelbuilder": {"PythonKernel": PythonKernel},
    "accuracy": {"Tunable": _interface.Tunable, "TunablePrecision": precision, "AccuracyObserver": AccuracyObserver,
                 "error_metric_from_name": refused("error_metric_from_name", "errors are compared with a tolerance, not measured")},
    "observers": {name: BenchmarkObserver for name in OBSERVERS},
    "observers.observer": {name: BenchmarkObserver for name in OBSERVERS},
    "observers.register": {"RegisterObserver": RegisterObserver},
    "observers.nvml": {"NVMLObserver": NVMLObserver, **{name: refused(name, CLOCKS) for name in (
        "get_nvml_gr_clocks", "get_nvml_mem_clocks", "get_nvml_pwr_limits", "get_idle_power", "nvml")}},
    **{f"observers.{module}": {name: type(name, (Observer,), {})} for module, name in {
        "ncu": "NCUObserver", "pmt": "PMTObserver", "powersensor": "PowerSensorObserver", "tegra": "TegraObserver", "amd": "AMDSMIObserver"}.items()},
    "energy": {},
    "energy.energy": {name: refused(name, CLOCKS) for name in ("create_power_frequency_model", "get_frequency_range_around_ridge",
                                                                 "estimated_power")},
    "strategies": STRATEGIES,
}
MODULES["observers.tegra"]["get_tegra_gr_clocks"] = refused("get_tegra_gr_clocks", CLOCKS)


def install(package):
    """Makes the modules importable below a package."""
    for name, contents in MODULES.items():
        module = sys.modules.get(f"{package}.{name}") or types.ModuleType(f"{package}.{name}")
        module.__dict__.update(contents, __path__=[])
        sys.modules[f"{package}.{name}"] = module
        parent, _, child = name.rpartition(".")
        setattr(sys.modules[f"{package}.{parent}" if parent else package], child, module)
    for name, module in STRATEGIES.items():
        sys.modules[f"{package}.strategies.{name}"] = module
