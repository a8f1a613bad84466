"""Runs of `tune` and what they leave in the database."""
import json
import os
import pathlib
import re
import shlex
import sqlite3
import subprocess
import sys

import launchtune


class ErrorConfig(str):
    """Why a configuration has no time; prints as its name, as Kernel Tuner's do."""

    def __new__(cls, detail=""):
        return super().__new__(cls, detail)

    def __str__(self):
        return type(self).__name__

    __repr__ = __str__


class InvalidConfig(ErrorConfig):
    pass


class CompilationFailedConfig(ErrorConfig):
    pass


class RuntimeFailedConfig(ErrorConfig):
    pass


class Failed(RuntimeError):
    """`tune run` measured no configuration; its output says why."""

    def __init__(self, code, last):
        super().__init__(f"'tune run' ended with exit code {code}: {last}")


FAILURES = {"compile_failed": CompilationFailedConfig, "skipped_by_constraint": InvalidConfig}  # the others failed when they ran
NOT_SURE = 6  # the exit code of a run without a proven winner
OWN = {"--db": ".db", "--conf": ".conf", "--report": ".html"}
OBSERVED = {"core_freq": "sm_clock_mhz", "mem_freq": "memory_clock_mhz", "temperature": "temperature_c"}


def without(options, *names):
    """Returns options without those of these names, each of which has a value."""
    kept, dropped = [], False
    for option in options:
        if not dropped and option.split("=")[0] not in names:
            kept.append(option)
        dropped = not dropped and option in names
    return kept


class Session:
    """What the calls of one script share: the program, its options, the files."""

    def __init__(self):
        self.options = shlex.split(os.environ.get("LAUNCHTUNE_OPTIONS", ""))
        self.writing = False  # the experiments, and nothing is run
        self.check = bool(os.environ.get("LAUNCHTUNE_CHECK"))
        self.names = {}
        self.dry = 0  # calls that were compiled or written, and not launched

    @property
    def dry_run(self):
        return self.writing or "--dry-run" in self.options

    @property
    def stem(self):
        return pathlib.Path(sys.argv[0] if sys.argv and sys.argv[0] not in ("", "-c") else "launchtune").stem or "launchtune"

    def name(self, kernel):
        """Returns a name that no other call of this script has; the same in each run of the script."""
        name = re.sub(r"\W", "_", re.sub(r"<.*", "", kernel).split("::")[-1])[:48] or "kernel"
        name = name if not name[0].isdigit() else f"_{name}"
        self.names[name] = self.names.get(name, 0) + 1
        return name if self.names[name] == 1 else f"{name}_{self.names[name]}"

    def folder(self):
        folder = pathlib.Path(f"{self.stem}.tune").resolve()
        folder.mkdir(exist_ok=True)
        return folder

    def has(self, *names):
        return any(option == name or option.startswith(f"{name}=") for option in self.options for name in names)

    def value(self, name, otherwise):
        for i, option in enumerate(self.options):
            if option == name and i + 1 < len(self.options):
                return self.options[i + 1]
            if option.startswith(f"{name}="):
                return option[len(name) + 1:]
        return otherwise

    def compiles(self, path):
        """Returns whether a file's default configuration compiles."""
        words = [str(launchtune.program()), "run", str(path), "--dry-run", "--default", "--arch", self.value("--arch", "sm_90")]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0  # noqa: S603

    def run(self, words, quiet=False, stem=None, options=None):
        """Runs `tune run`; returns the exit code. Raises tune's message if it ended with an error. `options`: in place of the session's."""
        if self.writing:
            self.dry += 1
            sys.stderr.write(f"launchtune: wrote {words[0]}; 'tune run {words[0]}' tunes it\n")
            return 0
        words = [str(launchtune.program()), "run", *words, *(self.options if options is None else options)]
        if not self.dry_run:
            for option, suffix in OWN.items():
                if not self.has(option) and not (option == "--report" and self.has("--no-report")):
                    words += [option, f"{stem or self.stem}{suffix}"]
        if quiet and not self.has("--quiet", "-q"):
            words.append("--quiet")
        sys.stdout.flush()
        last = "no message"
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, errors="replace") as running:
            for line in running.stderr:
                last = line.strip() or last
                sys.stderr.write(line)
        sys.stderr.flush()
        if running.returncode not in (0, NOT_SURE):
            raise Failed(running.returncode, last)
        self.dry += self.dry_run
        return running.returncode


session = Session()


def open_database(path):
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    return database


class Measured:
    """The trials of one problem."""

    def __init__(self, path, name, objective):
        self.database = open_database(path)
        self.objective = objective
        row = self.database.execute(
            "SELECT p.id AS problem, t.environment_id AS environment, t.l2_mode AS mode, max(t.run_id) AS run "
            "FROM problems p JOIN trials t ON t.problem_id = p.id "
            "LEFT JOIN winners w ON w.problem_id = p.id WHERE ?1 IS NULL OR p.key = ?1 "
            "GROUP BY p.id, t.environment_id, t.l2_mode ORDER BY max(coalesce(w.run_id, 0), max(t.run_id)) DESC, p.id DESC LIMIT 1",
            (name,)).fetchone()
        self.place = (row["environment"], row["problem"], row["mode"]) if row else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.database.close()

    def _rows(self, query, *more):
        return self.database.execute(query, (*self.place, *more)) if self.place else []

    def trials(self):
        """Yields configuration, status, detail and numbers of each; those of the latest stage that timed it."""
        order = {"sweep": 0, "race": 1, "confirm": 2}
        found, trials = {}, {}
        for row in self._rows("SELECT * FROM trials WHERE environment_id = ? AND problem_id = ? AND l2_mode = ? "
                              "AND stage IN ('sweep', 'race', 'confirm') ORDER BY id"):
            trials[row["id"]] = row
            best = found.get(row["configuration_id"])
            objective_fits = row["stage"] == "sweep" or row["objective"] == "time"
            if objective_fits and (best is None or (row["status"] == "ok" and order[row["stage"]] >= order[best["stage"]])):
                found[row["configuration_id"]] = row
        energies = {row["configuration_id"]: row["energy_j"] for row in trials.values() if row["energy_j"]}
        for configuration, row in found.items():
            same = trials.get(row["same_as_trial_id"])
            same = found.get(same["configuration_id"], same) if same else row
            text, = self.database.execute("SELECT parameters FROM configurations WHERE id = ?", (configuration,)).fetchone()
            yield json.loads(text), same, energies.get(configuration)

    def samples(self, trial):
        return [row["elapsed_ns"] / 1e6 for row in self.database.execute(
            "SELECT elapsed_ns FROM samples WHERE trial_id = ? AND invalid = 0 ORDER BY ordinal", (trial,))]

    def registers(self, trial):
        row = self.database.execute("SELECT registers FROM resources WHERE trial_id = ? ORDER BY launch", (trial,)).fetchone()
        return row[0] if row else None

    def winner(self):
        """Returns the parameters of the winner and its row."""
        for row in self._rows("SELECT w.*, c.parameters, h.headline AS verdict FROM winners w JOIN trials t ON t.id = w.trial_id "
                              "JOIN configurations c ON c.id = t.configuration_id JOIN headlines h ON h.winner_id = w.id "
                              "WHERE w.environment_id = ? AND w.problem_id = ? AND w.l2_mode = ? AND w.objective = ?", self.objective):
            return json.loads(row["parameters"]), row
        return None, None

    def observed(self):
        """Returns what NVML said in the rounds of the problem's races, in the mean."""
        row = self.database.execute(
            f"SELECT {', '.join(f'avg({column}) AS {name}' for name, column in OBSERVED.items())} FROM rounds WHERE problem_id = ?",
            (self.place[1],)).fetchone() if self.place else {}
        return {name: row[name] for name in OBSERVED if row and row[name] is not None}

    def environment(self):
        row = self.database.execute(
            "SELECT d.name, d.uuid, d.architecture, d.facts, e.driver, e.compiler, e.tool_version FROM environments e "
            "JOIN devices d ON d.id = e.device_id WHERE e.id = ?", (self.place[0],)).fetchone() if self.place else None
        if not row:
            return {}
        return {"device_name": row["name"], "uuid": row["uuid"], "cuda_version": row["driver"],
                "compute_capability": re.sub(r"\D", "", row["architecture"]), "device_properties": row["facts"],
                "compiler": row["compiler"], "tune_version": row["tool_version"]}

    def costs(self):
        """Returns the milliseconds that the problem's runs waited for compilers, and those of its trials."""
        row = self.database.execute(
            "SELECT sum(compile_wait_ns) FROM runs WHERE id IN (SELECT DISTINCT run_id FROM trials WHERE problem_id = ?)",
            (self.place[1],)).fetchone() if self.place else None
        return (row[0] or 0) / 1e6 if row else 0.0
