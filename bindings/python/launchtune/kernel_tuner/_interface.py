"""tune_kernel and run_kernel with Kernel Tuner's arguments."""
import difflib
import inspect
import json
import math
import os
import pathlib
import re
import sys
import time

import numpy

from . import _driver, _formulas, _problem, _run
from ._formulas import Refused
from ._run import session

STRATEGIES = {"brute_force": "auto", "random_sample": "random", "simulated_annealing": "local", "dual_annealing": "local",
              "genetic_algorithm": "local", "diff_evo": "local", "pso": "local", "firefly_algorithm": "local", "mls": "local",
              "greedy_mls": "local", "ordered_greedy_mls": "local", "greedy_ils": "local", "minimize": "local", "basinhopping": "local",
              "bayes_opt": "surrogate", "skopt": "surrogate", "pyatf_strategies": "auto", "hybrid_vndx": "auto",
              "adaptive_tabu_greywolf": "auto"}
LIMITS = ("--budget", "--points")
HIGHER = {"time": False, "energy": False, "fitness": True, "cost": False, "loss": False, "GFLOP/s": True, "TFLOP/s": True, "GB/s": True,
          "TB/s": True, "GFLOPS/W": True, "TFLOPS/W": True, "GFLOP/J": True, "TFLOP/J": True}
# Names that a metric may read, and tune's names for them: milliseconds, joules and watts of one launch.
READABLE = {"num_regs": "registers", "time": "(time_ns / 1e6)", "nvml_energy": "energy_j", "nvml_power": "power_w", "energy": "energy_j"}
ENERGIES = ("nvml_energy", "nvml_power", "energy")
CLOCKS = ("core_freq", "mem_freq", "temperature")
OBSERVABLES = (*ENERGIES[:2], *CLOCKS, "num_regs")


def note(text):
    sys.stderr.write(f"launchtune: {text}\n")


class Tunable(dict):
    """An argument that is another array for each value of a parameter."""

    def __init__(self, param_key, arrays):
        super().__init__(enumerate(arrays) if isinstance(arrays, (list, tuple)) else arrays)
        self.param_key = param_key


class Observer:
    """An observer: of the quantities that it is to observe, those that the database has. No code of it runs."""

    def __init__(self, *given, **named):
        lists = [item for item in (*given, *named.values()) if isinstance(item, (str, list, tuple, dict))]
        names = [lists[0]] if lists and isinstance(lists[0], str) else lists[0] if lists else []
        self.given = [str(name[0] if isinstance(name, tuple) else name) for name in names]


# ---- arguments that are no part of the kernel ----

def observables(observers):
    """Returns the quantities of all observers that the database has, and for each observer those that it has not."""
    found, without = [], {}
    for observer in observers or []:
        observer = observer({}) if callable(observer) and not isinstance(observer, Observer) else observer
        given = getattr(observer, "given", [])
        found += [name for name in given if name in OBSERVABLES]
        others = [name for name in given if name not in OBSERVABLES]
        if others or not given:
            without[type(observer).__name__] = others
    return list(dict.fromkeys(found)), without


def other_arguments(function, others):
    """Says that arguments of other versions of Kernel Tuner are not used; raises the usual error for misspelt ones."""
    for name in others:
        close = difflib.get_close_matches(name, inspect.signature(function).parameters, 1, 0.8)
        if close:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'; did you mean '{close[0]}'?")
        note(f"{name}: Kernel Tuner 1.5 has no such argument, and it is not used")


def search_options(strategy, options, size):
    """Returns the options of tune for a strategy, and a sentence about them."""
    name = getattr(strategy, "__name__", strategy)
    name = name.rsplit(".", 1)[-1] if isinstance(name, str) else None
    if strategy is not None and name not in STRATEGIES:
        raise Refused(f"strategy: {strategy!r}: strategies of your own call Kernel Tuner's runner; tune's are listed by "
                      "'tune run --list-strategies'" if not isinstance(strategy, str) else
                      f"strategy: '{strategy}': tune has none like it; known are {', '.join(STRATEGIES)}")
    words, rest = [], dict(options or {})
    if strategy is not None and name != "brute_force" and not session.has("--strategy"):
        words += ["--strategy", STRATEGIES[name]]
    evaluations, limit = rest.pop("max_fevals", None), rest.pop("time_limit", None)
    if evaluations is not None and not session.has("--points"):
        words += ["--points", str(max(1, min(int(evaluations), 1 << 31)))]
    if limit is not None and not session.has("--budget"):
        seconds = limit.total_seconds() if hasattr(limit, "total_seconds") else float(limit)
        words += ["--budget", f"{max(1, math.ceil(seconds))}s"]
    if words or rest:
        note(f"strategy {name or 'brute_force'}: {' '.join(words) or 'as by tune itself'}"
             + (f"; not used: {', '.join(map(str, rest))}" if rest else ""))
    elif size > 1500 and not session.has("--points", "--budget"):
        note("the space is large: tune searches it, and '--points 100%' tries all of it")
    return words


def objective_of(call, parameters):
    """Returns the objective as tune's formula; None for the time."""
    if call["objectives"]:
        raise Refused(f"objectives: tune proves one winner, by one number, and these are {len(call['objectives'])}; "
                      "give one as objective")
    name, higher = call["objective"] or "time", call["objective_higher_is_better"]
    if isinstance(name, (list, tuple)):
        if len(name) > 1:
            raise Refused(f"objective: tune proves one winner, by one number, and these are {len(name)}")
        name, higher = name[0], higher[0] if isinstance(higher, (list, tuple)) else higher
    if higher is None and name not in HIGHER:
        raise ValueError(f"objective_higher_is_better is missing: is a higher '{name}' better?")
    higher = HIGHER[name] if higher is None else higher
    known = {**{key: key for key in parameters}, **READABLE}
    for key, given in (call["metrics"] or {}).items():
        known[key] = _formulas.over(given, {k: v for k, v in known.items() if v})
    if not known.get(name):
        raise Refused(f"objective: '{name}' is no formula of time, energy, power, registers and parameters, and tune knows no other numbers")
    text = f"1 / ({known[name]})" if higher else known[name]
    if not any(word in text for word in ("time_ns", "energy_j", "power_w")):
        text += " + 0 * time_ns"  # tune's objectives are measured
    if not any(word in text for word in ("energy_j", "power_w", "registers", *parameters)):
        low, high = (eval(text, {"time_ns": ns, "__builtins__": {}}, _formulas.ALREADY) for ns in (1e3, 1e6))  # noqa: S307 - made above
        if low < high:
            return None, name, higher
    return text, name, higher


def check_call(call):
    """Refuses a call that no translation can express."""
    for key, value in call["tune_params"].items():
        if key in ("grid_size_x", "grid_size_y", "grid_size_z", "time"):
            raise ValueError(f"tune_params: '{key}' is a name that results have already")
        device_setting = key.startswith(("nvml_", "tegra_")) or key == "cuda_sm_percentage"
        if device_setting and not call.get("simulation_mode"):
            raise Refused(f"tune_params['{key}']: clocks, power limits and shares of a GPU are no parameters of tune, which leaves the "
                          "device's settings alone; lock them by nvidia-smi before the run")
        if not isinstance(value, (list, tuple, numpy.ndarray, range)):
            raise TypeError(f"tune_params['{key}'] must be a list of values")
    if call["platform"]:
        raise Refused("platform: it chooses among OpenCL's, and tune tunes kernels in CUDA")
    if call["seed"] is not None and not isinstance(call["seed"], (int, numpy.integer)):
        raise TypeError("seed must be an integer")


def device_options(call):
    if session.has("--device", "-d", "--on", "--hosts"):
        return []
    if call["parallel"] is True:
        return ["--device", "all"]
    count = int(call["parallel"] or 1)
    first = int(call["device"] or 0)
    return ["--device", ",".join(str(first + i) for i in range(count))]


def place_of(problem, path, call):
    """Returns the session's options for a problem, and the words that name it and its device: the CPU of host code without CUDA."""
    if problem.json["tune"].get("device") == "cpu":
        return _run.without(session.options, "--device", "-d", "--arch"), [os.path.relpath(path), "--device", "cpu"]
    return session.options, [os.path.relpath(path), *([] if session.dry_run else device_options(call))]


# ---- a cache of Kernel Tuner ----

def plain(value):
    """Numbers of numpy for json."""
    return value.item() if isinstance(value, numpy.generic) else value.tolist() if isinstance(value, numpy.ndarray) else str(value)


def cache_file(given):
    path = str(given)
    return pathlib.Path(path if path.endswith(".json") else path + ".json")


def read_cache(path):
    """Returns a cache's contents, also of one that was not closed."""
    text = path.read_text("utf-8").rstrip().rstrip(",")
    for end in ("", "}}", "}\n}"):
        try:
            return json.loads(text + end)
        except ValueError:
            continue
    raise ValueError(f"{path} is no cache of Kernel Tuner")


def key_of(parameters, result):
    return ",".join(str(result[name]) for name in parameters)


def write_cache(path, call, results, environment, earlier):
    entries = dict(earlier)
    for result in results:
        entry = {name: str(value) if name == "__error__" else value for name, value in result.items()}
        entries[key_of(call["tune_params"], result)] = entry
    size = call["problem_size"]
    contents = {"device_name": environment.get("device_name"), "kernel_name": call["kernel_name"],
                "problem_size": "callable" if callable(size) else size, "tune_params_keys": list(call["tune_params"]),
                "tune_params": {name: list(values) for name, values in call["tune_params"].items()},
                "objective": call["objective"] or "time", "cache": entries}
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(contents, default=plain, indent=0), "utf-8")
    partial.replace(path)


# ---- results ----

def add_metrics(result, metrics, unmeasured=()):
    """Adds the metrics to a result, but those of quantities that were measured for other configurations alone, or not at all."""
    for name, given in (metrics or {}).items():
        function = _formulas.function_of_text(given, "metrics") if isinstance(given, str) else given
        try:
            result[name] = function(result)
        except KeyError as missing:
            if not unmeasured and missing.args and missing.args[0] not in (*ENERGIES, *CLOCKS):
                raise
        except NameError:
            pass


def say_unmeasured(call):
    """Names the observers' quantities that no result has, and the metrics of them."""
    result = {**{name: values[0] for name, values in call["tune_params"].items()}, "times": [1.0],
              **dict.fromkeys(("time", *ENERGIES, *OBSERVABLES), 1.0)}
    if call["unmeasured"] and not call["simulation_mode"]:
        add_metrics(result, call["metrics"], call["unmeasured"])
        lost = [name for name in call["metrics"] or {} if name not in result]
        said = "; ".join(f"{name}: {', '.join(names) or 'its own values'}" for name, names in call["unmeasured"].items())
        note(f"observers: tune has no instrument for these, and results are without them: {said}"
             + (f". Left out, too: the metrics {', '.join(lost)}" if lost else ""))


def results_of(measured, call, watched):
    """Returns the list of dictionaries that Kernel Tuner returns."""
    results = []
    originals = {name: {_problem.values_of({name: [value]})[name][0]: value for value in values}
                 for name, values in call["tune_params"].items()}
    rows = list(measured.trials())
    waited = measured.costs() / max(len(rows), 1)
    block = _problem.block_parameters(call.get("block_size_names"), call["tune_params"])
    seen = measured.observed() if any(name in CLOCKS for name in watched) else {}
    for parameters, trial, energy in rows:
        if any(name not in originals or value not in originals[name] for name, value in parameters.items()):
            continue  # of an earlier run with other values
        if math.prod(parameters[name] for name in block) > _problem.THREADS:
            continue
        result = {name: originals[name][parameters[name]] for name in call["tune_params"]}
        if trial["status"] == "ok":
            result["time"] = trial["median_ns"] / 1e6
            result["times"] = measured.samples(trial["id"])
            if energy and any(name in ENERGIES for name in watched):
                result.update(nvml_energy=energy, nvml_power=energy / (trial["median_ns"] / 1e9))
            if "num_regs" in watched:
                result["num_regs"] = measured.registers(trial["id"])
            if trial["stage"] != "sweep":
                result.update({name: value for name, value in seen.items() if name in watched})
        else:
            result["__error__"] = _run.FAILURES.get(trial["status"], _run.RuntimeFailedConfig)(trial["detail"] or trial["status"])
        result.update(compile_time=waited, verification_time=0.0, benchmark_time=trial["duration_ns"] / 1e6, strategy_time=0.0,
                      framework_time=0.0, timestamp=trial["measured_at"])
        if "__error__" not in result:
            add_metrics(result, call["metrics"], call.get("unmeasured"))
        results.append(result)
    return results


def best_of(results, objective, higher):
    timed = [result for result in results if "__error__" not in result and isinstance(result.get(objective), (int, float))]
    return (max if higher else min)(timed, key=lambda result: result[objective]) if timed else None


def config_string(config, keys=None, units=None):
    """Returns a configuration in one line."""
    shown = []
    for key, value in config.items():
        if not keys or key in keys:
            number = f"{value:.3f}" if isinstance(value, float) else str(value)
            shown.append(f"{key}={number}{(units or {}).get(key, '') if isinstance(units, dict) else ''}")
    return ", ".join(shown)


def verify_results(call, results, objective, higher, best):
    """Runs the fastest configurations here, until the script's own function accepts one; the others become errors."""
    if not call["verify"] or not results:
        return best
    function = call["verify"]
    takes = "atol" in getattr(getattr(function, "__code__", None), "co_varnames", ())
    refused = 0
    while best:
        params = {name: best[name] for name in call["tune_params"]}
        outputs = run_kernel(**{name: call[name] for name in RUN if name in call}, params=params)
        if function(call["answer"], outputs, **({"atol": call["atol"]} if takes else {})):
            if refused:
                note(f"verify: {refused} configurations were faster and are wrong; {call['kernel_name']}'s entry in tuned.conf may "
                     "be one of them: give an answer for tune to check by, or restrict the space")
            return best
        refused += 1
        times = [name for name in ("time", "times") if name in best]
        best.update(__error__=_run.RuntimeFailedConfig("refused by the script's verify"))
        for name in times:
            del best[name]
        best = best_of(results, objective, higher)
    note("verify: the script's function accepts no configuration")
    return None


def simulate(call):
    """Replays a cache of Kernel Tuner: its configurations, in the order in which tune asks for them."""
    if not call["cache"] or not cache_file(call["cache"]).exists():
        raise ValueError("simulation_mode needs a cache that exists")
    path = cache_file(call["cache"])
    contents = read_cache(path)
    words = ["--device", f"replay:{path}"] if not session.has("--device", "-d") else []
    stem = f"{session.stem}.{path.stem}.replayed"
    for suffix in _run.OWN.values():
        if os.path.exists(stem + suffix):
            os.remove(stem + suffix)
    code = session.run(words + search_options(call["strategy"], call["strategy_options"], 0), call["quiet"], stem)
    found, results = dict(contents["cache"]), []
    with _run.Measured(session.value("--db", f"{stem}.db"), None, "time") as measured:
        asked, environment = [wanted for wanted, _, _ in measured.trials()], measured.environment()
    for wanted in asked:
        entry = found.get(",".join(str(wanted.get(name)) for name in contents["tune_params_keys"]))
        if entry is None:
            continue
        result = dict(entry)
        error = result.get("__error__") or (result.get("time") if isinstance(result.get("time"), str) else None)
        if error:
            kind = {"InvalidConfig": _run.InvalidConfig, "CompilationFailedConfig": _run.CompilationFailedConfig}
            result["__error__"] = kind.get(error, _run.RuntimeFailedConfig)(error)
            result.pop("time", None)
        else:
            add_metrics(result, call["metrics"])
        results.append(result)
    return {**environment, "device_name": contents.get("device_name"), "launchtune": {"exit_code": code}}, results


# ---- the calls ----

def written(problem):
    """Writes a problem's file; where NVRTC does not compile its source, which includes more than device code has, for nvcc."""
    path = problem.write(session.folder())
    specification = problem.json["KernelSpecification"]
    if problem.source.host is None and "Compiler" not in specification and re.search(r"#\s*include\b", problem.source.text) and not session.compiles(path):
        specification["Compiler"] = "nvcc"
        path = problem.write(session.folder())
        if session.compiles(path):
            note(f"{problem.name}: NVRTC does not compile this source, and nvcc does")
        else:
            del specification["Compiler"]
            path = problem.write(session.folder())
    return path


def is_answered(database, name, objective, size):
    """Returns whether a configuration was measured, or all of them failed."""
    with _run.Measured(database, name, objective) as measured:
        statuses = [trial["status"] for _, trial, _ in measured.trials()]
    return "ok" in statuses or len(statuses) >= size


def tuned(call, name, arrays, watched):
    """Tunes one problem; returns its results, environment and winner."""
    problem = _problem.Problem(call, name, arrays, session.check)
    formula, objective, higher = objective_of(call, problem.parameters)
    path = written(problem)
    size = math.prod(len(values) for values in problem.parameters.values())
    given, words = place_of(problem, path, call)
    searching = search_options(call["strategy"], call["strategy_options"], size)
    words += [] if session.dry_run else searching
    words += ["--seed", str(int(call["seed"]))] if call["seed"] is not None and not session.dry_run and not session.has("--seed") else []
    if problem.outputs and not problem.checks and not session.check:
        note(f"{name}: no results are compared, as the call gives no answer"
             + (" but a verify, which runs for the winner" if call["verify"] else
                "; --check compares them with the first configuration's"))
    if session.dry_run:
        session.run(words, call["quiet"], options=given)
        return [], {}, None, objective, higher
    if formula and not session.has("--objective"):
        words += ["--objective", formula]
    code = session.run(words, call["quiet"], options=given)
    database = session.value("--db", f"{session.stem}.db")
    limited = session.has("--budget") or "--budget" in words
    for points in ("1", "8"):  # the first may fail
        if code != _run.NOT_SURE or not limited or is_answered(database, name, session.value("--objective", formula or "time"), size):
            break
        note(f"{name}: the time was over before a configuration was measured; up to {points} are tried without a limit")
        code = session.run([*_run.without(words, *LIMITS), "--points", points], call["quiet"], options=_run.without(given, *LIMITS))
    if any(quantity in ENERGIES for quantity in watched) and not formula:
        note(f"{name}: once more for the energy of the fastest, which {' and '.join(watched)} ask for")
        session.run([words[0], "--objective", "energy", *words[1:]], True, options=given)
    with _run.Measured(database, name, session.value("--objective", formula or "time")) as measured:
        results, environment = results_of(measured, call, watched), measured.environment()
        parameters, row = measured.winner()
    wanted = {key: [value] for key, value in (parameters or {}).items()}
    best = next((result for result in results if wanted and "__error__" not in result
                 and _problem.values_of({key: [result[key]] for key in wanted}) == wanted), None)
    environment["launchtune"] = {
        "problem": name, "database": database, "file": str(path), "exit_code": code, "verdict": row["verdict"] if row else None,
        **({"time_low": row["time_low_ns"] / 1e6, "time_high": row["time_high_ns"] / 1e6} if row and row["time_low_ns"] else {})}
    return results, environment, best or best_of(results, objective, higher), objective, higher


def variants(call):
    """Yields the call, or one for each value of the parameter by which an argument chooses its array."""
    answers = call["answer"] if isinstance(call["answer"], (list, tuple)) else [call["answer"]]
    chosen = [argument for argument in [*call["arguments"], *answers] if isinstance(argument, Tunable)]
    if not chosen:
        yield "", call
        return
    keys = {argument.param_key for argument in chosen}
    key = next(iter(keys))
    if len(keys) > 1 or callable(key) or key not in call["tune_params"]:
        raise Refused("arguments: arrays that a parameter chooses are tuned apart, one run for each of its values: all must name the "
                      "same parameter")
    for value in call["tune_params"][key]:
        def chosen_of(given, value=value):
            return [argument[value] if isinstance(argument, Tunable) else argument for argument in given]

        part = dict(call, tune_params={**call["tune_params"], key: [value]}, arguments=chosen_of(call["arguments"]))
        part["answer"] = chosen_of(answers) if isinstance(call["answer"], (list, tuple)) else chosen_of(answers)[0]
        yield f"_{value}", part


def tune_kernel(kernel_name, kernel_source, problem_size, arguments, tune_params, grid_div_x=None, grid_div_y=None, grid_div_z=None,
                restrictions=None, answer=None, atol=1e-6, verify=None, verbose=False, lang=None, device=0, platform=0, smem_args=None,
                cmem_args=None, texmem_args=None, compiler=None, compiler_options=None, defines=None, log=None, iterations=7,
                block_size_names=None, quiet=False, strategy=None, strategy_options=None, cache=None, metrics=None,
                simulation_mode=None, parallel=None, observers=None, objective=None, objective_higher_is_better=None, objectives=None,
                seed=None, **others):
    """Tunes a kernel by `tune run`. Arguments, results and environment are as Kernel Tuner 1.5 has them (docs/kernel-tuner.md)."""
    call, started = locals(), time.perf_counter()
    other_arguments(tune_kernel, others)
    check_call(call)
    call["tune_params"] = {name: list(values) for name, values in tune_params.items()}
    if metrics is not None and not isinstance(metrics, dict):
        raise ValueError("metrics must be a dictionary")
    watched, call["unmeasured"] = observables(observers)
    say_unmeasured(call)
    if simulation_mode:
        environment, results = simulate(call)
        _, objective, higher = objective_of(call, call["tune_params"])
        best = best_of(results, objective, higher)
    else:
        results, environment, winners = [], {}, {}
        name = session.name(kernel_name)
        arrays = _problem.Arrays(session.folder(), session.dry_run and not session.writing)
        for suffix, part in variants(call):
            found, made, best, objective, higher = tuned(part, re.sub(r"\W", "_", name + suffix), arrays, watched)
            results += found
            environment = environment or made
            if best:
                winners[id(best)] = (best, made)
        candidates = [winner for winner, _ in winners.values()]
        best = best_of(candidates, objective, higher) if len(candidates) > 1 else candidates[0] if candidates else None
        environment = winners[id(best)][1] if best else environment
        best = verify_results(call, results, objective, higher, best) if not session.dry_run else None
    if cache and not simulation_mode and not session.dry_run:
        path = cache_file(cache)
        earlier = read_cache(path) if path.exists() else {}
        if earlier and (earlier.get("tune_params_keys") != list(call["tune_params"]) or earlier.get("kernel_name") != kernel_name):
            raise ValueError(f"cache: {path} is of another kernel or of other parameters")
        if earlier and earlier.get("device_name") not in (None, environment.get("device_name")):
            raise ValueError(f"cache: {path} is of another device, {earlier.get('device_name')}")
        known = {key_of(call["tune_params"], result) for result in results}
        results += [dict(entry) for key, entry in earlier.get("cache", {}).items() if key not in known and "__error__" not in entry]
        write_cache(path, call, results, environment, earlier.get("cache", {}))
    environment.update(iterations=iterations, compiler_options=compiler_options or [])
    if best:
        environment["best_config"] = best
        if not quiet:
            keys = [*call["tune_params"], objective, *(metrics or {})]
            print(f"\n{kernel_name}, fastest by {objective}: {config_string(best, keys, {'time': 'ms'})}")
    elif not session.dry_run and not quiet:
        print(f"{kernel_name}: no configuration works")
    total = 1000 * (time.perf_counter() - started)
    for kind in ("framework", "strategy", "compile", "verification", "benchmark"):
        environment[f"total_{kind}_time"] = sum(result.get(f"{kind}_time", 0) for result in results)
    environment["overhead_time"] = total - sum(environment[f"total_{kind}_time"] for kind in ("compile", "benchmark"))
    return results, environment


RUN = ("kernel_name", "kernel_source", "problem_size", "arguments", "grid_div_x", "grid_div_y", "grid_div_z", "lang", "device",
       "platform", "smem_args", "cmem_args", "texmem_args", "compiler", "compiler_options", "defines", "block_size_names", "quiet")


def run_kernel(kernel_name, kernel_source, problem_size, arguments, params, grid_div_x=None, grid_div_y=None, grid_div_z=None, lang=None,
               device=0, platform=0, smem_args=None, cmem_args=None, texmem_args=None, compiler=None, compiler_options=None, defines=None,
               block_size_names=None, quiet=False, log=None, **others):
    """Compiles one configuration by NVRTC, runs it once in this process, and returns the arguments as they are after it."""
    call = dict(locals(), tune_params={name: [value] for name, value in params.items()}, restrictions=None, answer=None, verify=None,
                atol=0)
    other_arguments(run_kernel, others)
    check_call(dict(call, seed=None))
    if session.dry_run:
        call["tune_params"] = call["tune_params"] or {"launchtune": [1]}  # a space has a parameter
        problem = _problem.Problem(call, session.name(kernel_name), _problem.Arrays(session.folder(), True), False)
        given, words = place_of(problem, written(problem), call)
        session.run(words, quiet, options=given)
        return [argument if numpy.isscalar(argument) else _problem.host_array(argument).copy() for argument in arguments]
    if (lang or "").upper() == _problem.HOST_CODE:
        return _driver.run_host(call)
    if texmem_args:
        raise Refused("texmem_args: run_kernel has no textures; tune_kernel has")
    return _driver.run(call)


def tune_kernel_T1(input_filepath, cache_filepath=None, objective="time", objective_higher_is_better=False, simulation_mode=False,
                   output_T4=True, iterations=7, device=None, strategy=None, strategy_options=None):
    """Tunes the kernel of a T1 file: `tune run FILE`."""
    path = pathlib.Path(input_filepath)
    contents = json.loads(path.read_text("utf-8"))
    if objective != "time" or simulation_mode:
        raise Refused("tune_kernel_T1: a T1 file is tuned for its time; give a script's tune_kernel an objective or simulation_mode")
    parameters = contents["ConfigurationSpace"]["TuningParameters"]
    plain_names = {"__builtins__": {"range": range, "list": list}}
    call = {"tune_params": {item["Name"]: eval(item["Values"], plain_names)  # noqa: S307 - T1's own form
                            if isinstance(item["Values"], str) else item["Values"] for item in parameters},
            "metrics": None, "kernel_name": contents["KernelSpecification"]["KernelName"]}
    words = [str(path)]
    if not session.dry_run:
        words += device_options({"parallel": None, "device": device if isinstance(device, int) else 0})
        words += search_options(strategy, strategy_options, 0)
    code = session.run(words)
    if session.dry_run:
        return [], {}
    with _run.Measured(session.value("--db", f"{session.stem}.db"), None, "time") as measured:
        results, environment = results_of(measured, call, []), measured.environment()
    environment.update(best_config=best_of(results, "time", False), launchtune={"exit_code": code})
    return results, environment


def tune_cache(cache_path, restrictions=None, **kwargs):
    """Replays a cache of Kernel Tuner."""
    contents = read_cache(cache_file(cache_path))
    return tune_kernel(contents["kernel_name"], "", contents.get("problem_size", 1), [], contents["tune_params"],
                       restrictions=restrictions, cache=cache_path, simulation_mode=True, **kwargs)
