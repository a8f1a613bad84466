"""What the tests of figures share: databases with known content, and what `tune plot` makes of them.

A test is a file test_NAME.py with functions test_*, each on a database of its own:

    from lib import Database, close, draw, main, refuse

    def test_one_point():
        db = Database()
        db.measure(variant="a", time_ns=1000, grid=100, block=256, occupancy=0.5)
        figure = draw(db, "occupancy")
        close(figure.layer("points")[0]["gbs"], 4096.0)
        assert "a" in figure.texts

    main(globals())
"""
import json
import math
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback
import xml.etree.ElementTree as ET

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MOMENT = "2026-01-02T03:04:05Z"
DATE = MOMENT[:10]

_folder = None  # of the running test


class Database:
    """A database of the newest schema. `measure` and the others make whatever they need around a row; a test names
    only what it is about."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(dir=_folder)) / "test.db"
        self.sql = sqlite3.connect(self.path)
        self.sql.executescript((SOURCE / "db/schema.sql").read_text())
        self.known = {}
        self.configuration_places = {}

    def insert(self, table, **columns):
        """A row as it is; gives its id."""
        names = ", ".join(columns)
        marks = ", ".join("?" * len(columns))
        values = [json.dumps(v) if isinstance(v, dict) else v for v in columns.values()]
        return self.sql.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values).lastrowid

    def _once(self, key, make):
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def environment(self, device="Test GPU", kind="cuda", units=100, uuid=None, driver="1"):
        uuid = uuid or f"GPU-{device}"
        device_id = self._once(("device", uuid), lambda: self.insert(
            "devices", uuid=uuid, kind=kind, name=device, architecture="sm_90", memory_bytes=1 << 30,
            unit_count=units, facts={"name": device, "cores" if kind == "cpu" else "sm_count": units}, first_seen_at=MOMENT))
        return self._once(("environment", uuid, driver), lambda: self.insert(
            "environments", device_id=device_id, driver=driver, compiler="test", tool_version="0", host="host",
            first_seen_at=MOMENT))

    def run(self, environment, l2_mode="cold", **columns):
        return self._once(("run", environment, l2_mode), lambda: self.insert(
            "runs", **{**dict(environment_id=environment, started_at=MOMENT, seed=1, l2_mode=l2_mode, tick_ns=1,
                              empty_pair_ns=1), **columns}))

    def experiment(self, name="reduce", kind="cuda"):
        return self._once(("experiment", name, kind), lambda: self.insert(
            "experiments", name=name, device_kind=kind, definition_hash="d", content_hash="c", path="x.yaml", text="",
            first_seen_at=MOMENT))

    def problem(self, key="reduce.sum", n=1 << 20, bytes_moved=None, ceiling="read", kind="cuda", **columns):
        """bytes_moved: 4 n where not said."""
        experiment = self.experiment(key.split(".")[0], kind)
        bytes_moved = 4 * n if bytes_moved is None else bytes_moved
        return self._once(("problem", experiment, key, n), lambda: self.insert(
            "problems", experiment_id=experiment, key=key, axes={}, n=n, bytes_moved=bytes_moved, ceiling=ceiling,
            **columns))

    def configuration(self, key="reduce.sum", kind="cuda", **parameters):
        experiment = self.experiment(key.split(".")[0], kind)
        text = " ".join(f"{k}={v}" for k, v in parameters.items())
        return self._once(("configuration", experiment, text), lambda: self.insert(
            "configurations", experiment_id=experiment, key=text, parameters=parameters))

    def trial(self, configuration, time_ns, problem=None, environment=None, mad_ns=None, stage="sweep", l2_mode="cold",
              grid=None, block=None, occupancy=None, threads=0, measured_at=MOMENT, status="ok", **columns):
        problem = problem or self.problem()
        environment = environment or self.environment()
        trial = self.insert(
            "trials", **{**dict(run_id=self.run(environment, l2_mode), environment_id=environment, problem_id=problem,
                                configuration_id=configuration, stage=stage, l2_mode=l2_mode, status=status,
                                launch_count=1, grid=grid, block=block, occupancy=occupancy, sample_count=0,
                                median_ns=time_ns, mad_ns=mad_ns, min_ns=time_ns, max_ns=time_ns, value=time_ns,
                                duration_ns=1, measured_at=measured_at), **columns})
        if grid is not None:
            self.insert("resources", trial_id=trial, launch=0, kernel="kernel", grid_x=grid, grid_y=1, grid_z=1,
                        block_x=block or 1, block_y=1, block_z=1, threads=threads, dynamic_shared_bytes=0,
                        occupancy=occupancy)
        return trial

    def measure(self, time_ns, key="reduce.sum", n=1 << 20, kind="cuda", device=None, bytes_moved=None, trial=None,
                **parameters):
        """A configuration that was timed: `parameters` are what it is told by, but for those that `trial` takes.
        Gives (configuration, trial)."""
        names = ("mad_ns", "stage", "l2_mode", "grid", "block", "occupancy", "threads", "measured_at")
        columns = {name: parameters.pop(name) for name in names if name in parameters}
        if device is None:
            device = self.environment() if kind == "cuda" else self.environment("Test CPU", kind="cpu", units=2)
        problem = self.problem(key, n, bytes_moved, kind=kind)
        if not parameters:
            parameters = {"number": len(self.known)}
        configuration = self.configuration(key, kind, **parameters)
        return configuration, self.trial(configuration, time_ns, problem, device, **columns)

    def first_trial(self, configuration):
        return self.sql.execute("SELECT min(id) FROM trials WHERE configuration_id = ?", (configuration,)).fetchone()[0]

    def baseline(self, name, configuration, problem=None, environment=None):
        self.insert("baselines", environment_id=environment or self.environment(), problem_id=problem or self.problem(),
                    name=name, about="", configuration_id=configuration)

    def winner(self, trial, stage="confirm", contenders=(), **columns):
        """contenders: (configuration, difference, low, high), with or without the winner itself. Gives the id."""
        run, environment, problem, l2_mode, objective = self.sql.execute(
            "SELECT run_id, environment_id, problem_id, l2_mode, objective FROM trials WHERE id = ?",
            (trial,)).fetchone()
        values = dict(environment_id=environment, problem_id=problem, l2_mode=l2_mode, objective=objective,
                      trial_id=trial, run_id=run, stage=stage, candidate_count=1, chosen_at=MOMENT)
        winner = self.insert("winners", **{**values, **columns})
        for place, (configuration, difference, low, high) in enumerate(contenders, 1):
            raced = self.sql.execute(
                "SELECT max(id) FROM trials WHERE configuration_id = ? AND problem_id = ?",
                (configuration, problem)).fetchone()[0]
            self.insert("contenders", winner_id=winner, configuration_id=configuration, trial_id=raced, place=place,
                        difference=difference, difference_low=low, difference_high=high, proven=0, tied=0)
        return winner

    def ceilings(self, read=None, write=None, copy=None, environment=None):
        self.insert("ceilings", environment_id=environment or self.environment(), measured_at=MOMENT,
                    buffer_bytes=1 << 30, read_gbs=read, write_gbs=write, copy_gbs=copy)

    def peer(self, name, time_ns, key="reduce.sum", n=1 << 20, environment=None, l2_mode="cold", **columns):
        self.insert("peers", environment_id=environment or self.environment(), problem_key=key, n=n, l2_mode=l2_mode,
                    name=name, time_ns=time_ns, source="peers.csv", imported_at=MOMENT, **columns)


class Figure:
    """What was drawn. rows: those of --data, each a dict of texts by column; texts: all words of the SVG."""

    def __init__(self, rows, texts, svg, png):
        self.rows, self.texts, self.svg, self.png = rows, texts, svg, png

    def layer(self, name):
        return [row for row in self.rows if row["layer"] == name]

    def series(self, layer="points"):
        """In the order in which they are drawn."""
        return list(dict.fromkeys(row["series"] for row in self.layer(layer)))

    def shows(self, *texts):
        """Each is a part of some text of the figure."""
        for text in texts:
            assert any(text in shown for shown in self.texts), f"'{text}' is not on the figure: {self.texts}"


def _tune(db, *words, limit=None):
    db.sql.commit()
    environment = dict(os.environ, PATH=f"{_folder}/bin:{os.environ['PATH']}", GNUPLOT_SAID=f"{_folder}/said")
    return subprocess.run([os.environ["TUNE"], "plot", *words, "--db", str(db.path)], env=environment, text=True,
                          capture_output=True, timeout=120, preexec_fn=limit)


def _words(**options):
    return [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]


def draw(db, figure, **options):
    """Draws PNG and SVG with `tune plot FIGURE` (options: problem=, n=, device=, l2=), and fails if that fails or
    gnuplot says a word. Gives a Figure."""
    out = pathlib.Path(tempfile.mkdtemp(dir=_folder))
    said = _folder / "said"
    said.write_text("")
    got = _tune(db, figure, "--data", "--format", "png,svg", "-o", str(out), *_words(**options))
    assert got.returncode == 0, f"exit code {got.returncode}: {got.stderr}"
    assert said.read_text() == "", f"gnuplot said: {said.read_text()}"
    files = {kind: next(out.glob(f"{figure}-*.{kind}")) for kind in ("tsv", "svg", "png")}
    lines = files["tsv"].read_text().split("\n")[:-1]
    names = lines[0].split("\t")
    rows = [dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:]]
    png = files["png"].read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and png.rstrip(b"\0")[-8:-4] == b"IEND", "no whole PNG"
    svg = files["svg"].read_text()
    texts = ["".join(element.itertext()).strip() for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    return Figure(rows, texts, svg, png)


def rows(db, figure, **options):
    """The rows of --data alone, without gnuplot, in little memory: SQLite copies a query's parts at each reference."""
    out = pathlib.Path(tempfile.mkdtemp(dir=_folder))
    got = _tune(db, figure, "--data", "-o", str(out), *_words(**options),
                limit=lambda: resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20)))
    assert got.returncode == 0, f"exit code {got.returncode}: {got.stderr}"
    lines = next(out.glob("*.tsv")).read_text().split("\n")[:-1]
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines[1:]]


def refuse(db, figure, *parts, **options):
    """There is nothing to draw: `tune plot FIGURE` says so on stderr, with each of `parts`, and makes no file."""
    out = pathlib.Path(tempfile.mkdtemp(dir=_folder))
    got = _tune(db, figure, "-o", str(out), *_words(**options))
    assert got.returncode == 3, f"exit code {got.returncode}, not 3: {got.stdout}{got.stderr}"
    for part in parts:
        assert part in got.stderr, f"'{part}' is not said: {got.stderr}"
    assert not list(out.iterdir()), "a file was made"


def close(got, expected, share=1e-6):
    """Both are that number, as numbers or texts."""
    assert math.isclose(float(got), float(expected), rel_tol=share, abs_tol=1e-12), f"{got} is not {expected}"


def _gnuplot_that_is_overheard(folder):
    """A gnuplot on the PATH whose words on stderr are kept: tune shows them only when it fails."""
    real = shutil.which("gnuplot")
    (folder / "bin").mkdir()
    script = folder / "bin/gnuplot"
    script.write_text(f'#!/bin/sh\n"{real}" "$@" 2>"$GNUPLOT_SAID.now"\ncode=$?\n'
                      'cat "$GNUPLOT_SAID.now" >>"$GNUPLOT_SAID"\ncat "$GNUPLOT_SAID.now" >&2\nexit $code\n')
    script.chmod(0o755)


def main(names, only=None):
    """Runs every test_* of `names`; ends the program: 0, 1 when one failed, 77 without gnuplot."""
    global _folder
    if not shutil.which("gnuplot"):
        print("gnuplot is not there: skipped")
        sys.exit(77)
    only = only or sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="tune-plots.") as folder:
        _folder = pathlib.Path(folder)
        os.environ["TMPDIR"] = folder
        os.environ.pop("TUNE_DATA_DIR", None)
        _gnuplot_that_is_overheard(_folder)
        for name, test in names.items():
            if not name.startswith("test_") or (only and name not in only):
                continue
            try:
                test()
            except Exception:  # the others are still worth running
                failed += 1
                print(f"FAILED: {name}")
                traceback.print_exc(file=sys.stdout)
    sys.exit(1 if failed else 0)
