#!/usr/bin/env python3
"""The parts of results.py that need no program, on databases and tables made up here: the right figure at the right
place, nothing where nothing was recorded, whatever the name of the database."""
import json
import lzma
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bench"))
import results  # noqa: E402
import results_base  # noqa: E402
import results_families  # noqa: E402
import results_ideas  # noqa: E402
import results_measuring  # noqa: E402
import results_own  # noqa: E402
import results_peers  # noqa: E402


class Made:
    """A database with one device and one run; problems and trials as they are added."""

    def __init__(self, path):
        self.path = path
        self.connection = sqlite3.connect(path)
        self.connection.executescript((ROOT / "db" / "schema.sql").read_text())
        self.ids = {}
        self.device()

    def insert(self, table, **values):
        """A row, with something in every other column that must not be empty."""
        for _, name, kind, required, default, is_key in self.connection.execute(f"PRAGMA table_info({table})"):
            if required and default is None and not is_key and name not in values:
                values[name] = "" if kind == "TEXT" else 0
        columns = ", ".join(values)
        marks = ", ".join("?" * len(values))
        return self.connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})",
                                       list(values.values())).lastrowid

    def device(self):
        device = self.insert("devices", uuid="GPU-1", kind="cuda", name="Made up", facts="{}")
        self.environment = self.insert("environments", device_id=device)
        self.insert("ceilings", environment_id=self.environment, read_gbs=4500.0, write_gbs=4600.0, copy_gbs=4300.0)
        self.run = self.insert("runs", environment_id=self.environment, l2_mode="cold", effort="quick",
                               started_at="2026-01-02T03:04:05Z")

    def once(self, table, once, **values):
        if (table, once) not in self.ids:
            self.ids[table, once] = self.insert(table, **values)
        return self.ids[table, once]

    def trial(self, key, n, parameters, time_ns, status="ok", same_as=None, bytes_moved=None, ceiling="read"):
        experiment = self.once("experiments", key.split(".")[0], name=key.split(".")[0], device_kind="cuda",
                               definition_hash=key.split(".")[0])
        problem = self.once("problems", (key, n), experiment_id=experiment, key=key, axes="{}", n=n,
                            bytes_moved=bytes_moved or 4 * n, ceiling=ceiling)
        text = " ".join(f"{name}={value}" for name, value in parameters.items())
        configuration = self.once("configurations", (experiment, text), experiment_id=experiment, key=text,
                                  parameters=json.dumps(parameters))
        return self.insert("trials", run_id=self.run, environment_id=self.environment, problem_id=problem,
                           configuration_id=configuration, stage="sweep", l2_mode="cold", status=status,
                           median_ns=time_ns, same_as_trial_id=same_as), problem

    def winner(self, trial, problem):
        self.insert("winners", environment_id=self.environment, problem_id=problem, l2_mode="cold", trial_id=trial,
                    run_id=self.run, stage="sweep", trust="noisy")

    def close(self):
        self.connection.commit()
        self.connection.close()


def check(lines, *wanted, absent=()):
    for line in wanted:
        assert line in lines, f"no line {line!r} in\n" + "\n".join(lines)
    for text in absent:
        assert not any(text in line for line in lines), f"{text!r} in\n" + "\n".join(lines)


def test_ideas(folder):
    made = Made(folder / "tune.db")
    for n, factor in ((1024, 1), (2**20, 10)):
        made.trial("reduce.sum.i32", n, {"variant": "flagged", "step": "shuffle", "loads": 4}, 100.0 * factor)
        made.trial("reduce.sum.i32", n, {"variant": "flagged", "step": "tree", "loads": 4}, 130.0 * factor)
        first, _ = made.trial("reduce.sum.i32", n, {"variant": "atomic", "step": "shuffle", "loads": 8}, 100.2 * factor)
        # Launches the same: it has the other's time.
        made.trial("reduce.sum.i32", n, {"variant": "atomic", "step": "shuffle", "loads": 16}, None, same_as=first)
    made.trial("reduce.sum.i32", 1024, {"variant": "cluster", "step": "shuffle", "loads": 4}, 150.0)
    # As fast as none may be: its result is wrong.
    made.trial("reduce.sum.i32", 1024, {"variant": "bulk", "step": "shuffle", "loads": 4}, 1.0, status="wrong_result")
    made.close()
    check(results_ideas.ideas([made.path]),
          "#### reduce.sum.i32", "| best with | 2^10 | 2^20 |",
          "| variant = flagged | **1** | **1** |", "| variant = atomic | 1.002 | 1.002 |",
          "| variant = cluster | 1.50 | - |", "| step = tree | 1.30 | 1.30 |",
          "| loads = 4 | **1** | **1** |", "| loads = 8 | 1.002 | 1.002 |", "| loads = 16 | 1.002 | 1.002 |",
          absent=("reduce.sum.u8", "bulk", "block ="))


def add_families(made):
    made.winner(*made.trial("elementwise.add.i32", 1024, {"block": 256}, 1000.0, bytes_moved=2150e3, ceiling="copy"))
    made.winner(*made.trial("elementwise.fill.i32", 1024, {"block": 256}, 1000.0, bytes_moved=2300e3, ceiling="write"))
    for variant, time_ns in (("static_thread", 400.0), ("grid_stride", 200.0), ("queue_warp", 100.0),
                             ("queue_block", 110.0)):
        made.trial("work_queue.skewed", 65536, {"variant": variant}, time_ns)
    for step, time_ns in (("guarded", 150.0), ("redux", 100.0)):
        trial = made.trial("reduce_rows.sum_i32.32", 512, {"step": step, "lanes": 32}, time_ns)
    made.winner(*trial)
    for warps, time_ns in ((1, 400.0), (64, 100.0), (2, 200.0)):
        trial = made.trial("occupancy", 2**24, {"warps": warps, "block": 32}, time_ns, bytes_moved=4e5)
    made.winner(*trial)
    made.winner(*made.trial("reduce_ordered.affine_u32", 2**20, {"variant": "flagged", "loads": 4}, 102.0,
                            bytes_moved=2**23))
    made.winner(*made.trial("reduce_ordered.matrix_u32", 2**20, {"variant": "flagged", "loads": 8}, 210.0,
                            bytes_moved=2**24))


def test_families(folder):
    reduce = Made(folder / "tune.db")
    reduce.winner(*reduce.trial("reduce.sum.i32", 2**21, {"variant": "flagged"}, 100.0, bytes_moved=2**23))
    reduce.close()
    made = Made(folder / "families.db")
    add_families(made)
    made.close()
    lines = results_families.families([reduce.path, made.path], "false", folder)
    check(lines,
          "`families.db`: Made up, 2026-01-02, `tune run`, effort quick, caches cold.",
          "| elementwise.add.i32 | 2^10 | 1.00 | 2150 | 50.0 % of copy | nearly sure | `block=256` |",
          "| elementwise.fill.i32 | 2^10 | 1.00 | 2300 | 50.0 % of write | nearly sure | `block=256` |",
          "| problem | n | fastest, us | static_thread | grid_stride | queue_warp | queue_block | gain of the queue |",
          "| work_queue.skewed | 2^16 | 0.100 | 4.00 | 2.00 | 1.00 | 1.10 | 2.00x |",
          "| problem | rows | fastest, us | GB/s | guarded | redux |",
          "| reduce_rows.sum_i32.32 | 2^9 | 0.100 | 20.48 | 1.50 | 1.00 |",
          "| 1 | 1000 |", "| 2 | 2000 |", "| 64 | 4000 |",
          "| reduce_ordered.affine_u32 | 2^20 | 0.102 | 8.224e+04 | reduce.sum.i32, n = 2^21 | 0.100 | 1.020 | nearly sure | "
          "`variant=flagged loads=4` |",
          "| reduce_ordered.matrix_u32 | 2^20 | 0.210 | 7.989e+04 | - | - | - | nearly sure | `variant=flagged loads=8` |")
    assert lines.index("| 2 | 2000 |") < lines.index("| 64 | 4000 |"), "warps are in order"
    assert not results_families.families([reduce.path], "false", folder), "reduce is no family on request"
    # A later recording of one family replaces the earlier one's table of that family, if it took no less effort and has as many points.
    for effort, count in (("normal", 1), ("quick", 1), (None, 2)):
        later = Made(folder / f"{effort}.db")
        later.trial("reduce_rows.sum_i32.32", 512, {"step": "guarded", "lanes": 32}, 95.0)
        later.winner(*later.trial("reduce_rows.sum_i32.32", 512, {"step": "redux", "lanes": 32}, 90.0))
        later.connection.execute("UPDATE runs SET started_at = '2026-01-03T00:00:00Z', effort = ?", (effort or "quick",))
        later.close()
        if effort is None:
            careful = sqlite3.connect(made.path)
            careful.execute("UPDATE runs SET effort = 'normal'")
            careful.commit()
            careful.close()
        both = results_families.families([reduce.path, made.path, later.path], "false", folder)
        assert both.count("#### reduce_rows") == count and both.count("#### elementwise") == 1, (effort, both)
    assert results_base.newest([reduce.path, made.path]) == reduce.path
    assert results_base.newest([reduce.path, folder / "all.db"]) == folder / "all.db"


def slimmed(source, target):
    subprocess.run([sys.executable, str(ROOT / "bench" / "slim.py"), str(source), str(target)], check=True,
                   stdout=subprocess.DEVNULL)


def made_with_samples(path):
    """A sweep, a race and a confirmation, each with a sample and what its launch takes."""
    made = Made(path)
    trial, problem = made.trial("reduce.sum.i32", 2**20, {"variant": "flagged", "step": "tree"}, 1000.0)
    made.trial("reduce.sum.i32", 2**20, {"variant": "atomic", "step": "tree"}, 1500.0)
    configuration, = made.connection.execute("SELECT configuration_id FROM trials WHERE id = ?", (trial,)).fetchone()
    trials = [trial] + [made.insert("trials", run_id=made.run, environment_id=made.environment, problem_id=problem,
                                    configuration_id=configuration, stage=stage, l2_mode="cold", status="ok",
                                    median_ns=900.0) for stage in ("race", "confirm")]
    for identity in trials:
        made.insert("samples", trial_id=identity, ordinal=0, elapsed_ns=900.0)
        made.insert("resources", trial_id=identity, launch=0, kernel="k")
    made.close()
    return trials


def test_recorded(folder):
    """Slimmed and compressed, and read again: what is kept is there, and only that."""
    device, work = folder / "device", folder / "work"
    device.mkdir()
    sweep, _, confirm = made_with_samples(folder / "tune.db")
    before = (folder / "tune.db").read_bytes()
    slimmed(folder / "tune.db", device / "tune.db.xz")
    slimmed(folder / "tune.db", device / "families.db")
    assert (folder / "tune.db").read_bytes() == before, "the source stays as it is"
    assert lzma.decompress((device / "tune.db.xz").read_bytes()).startswith(b"SQLite format 3")
    copies = results_base.databases_of(device, work)
    assert [copy.relative_to(work).as_posix() for copy in copies] == ["tune.db", "families.db"], copies
    for copy in copies:
        with results_base.opened(copy) as connection:
            rows = {table: [row[0] for row in connection.execute(f"SELECT trial_id FROM {table}")]
                    for table in ("samples", "resources")}
            assert rows == {"samples": [confirm], "resources": [sweep]}, rows
            assert connection.execute("SELECT count(*) FROM trials").fetchone()[0] == 4
    check(results_ideas.ideas(copies[:1]), "| variant = atomic | 1.50 |")
    assert sorted(path.name for path in device.iterdir()) == ["families.db", "tune.db.xz"], "nothing beside them"
    (device / "tune.db.xz").unlink()
    assert not results_base.databases_of(device, folder / "none"), "nothing without a tune.db"


def test_older_schema(folder):
    """A database of the schema before the last migration is brought up to date, in the copy alone."""
    made = Made(folder / "new.db")
    made.winner(*made.trial("reduce.sum.i32", 2**20, {"variant": "flagged"}, 1000.0))
    newest, = made.connection.execute("PRAGMA user_version").fetchone()
    # Back to schema 2, undoing the later migrations.
    for view, in made.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
        made.connection.execute(f"DROP VIEW {view}")
    made.connection.executescript("""
        DROP TABLE states; DROP TABLE domains; DROP TABLE outdated;
        DROP TABLE arithmetic_ceilings; DROP TABLE peers;
        DROP INDEX gauntlets_failed; DROP INDEX gauntlets_failed_of; DROP INDEX gauntlets_by_binary;
        DROP INDEX trials_wrong_of; DROP INDEX trials_twins_of; ALTER TABLE problems DROP COLUMN family; ALTER TABLE winners DROP COLUMN inputs;
        ALTER TABLE winners DROP COLUMN points;
        ALTER TABLE winners DROP COLUMN failures; ALTER TABLE winners DROP COLUMN chance_of_better;
        ALTER TABLE winners DROP COLUMN most_better; ALTER TABLE winners DROP COLUMN coverage;
        ALTER TABLE problems DROP COLUMN operations; ALTER TABLE problems DROP COLUMN operations_type;
        ALTER TABLE runs DROP COLUMN command; ALTER TABLE winners DROP COLUMN compared;
        DROP TABLE searches; ALTER TABLE trials DROP COLUMN metrics; ALTER TABLE trials DROP COLUMN deviation;
        ALTER TABLE resources DROP COLUMN cluster_x; ALTER TABLE resources DROP COLUMN cluster_y;
        ALTER TABLE resources DROP COLUMN cluster_z; ALTER TABLE resources DROP COLUMN cooperative;
        ALTER TABLE problems DROP COLUMN ceiling; DROP INDEX trials_raced;
        DROP INDEX ceilings_by_environment; DROP TRIGGER trials_added; DROP TRIGGER trials_changed; DROP TABLE tried;
        CREATE VIEW points AS SELECT 1; CREATE VIEW latest_problems AS SELECT 1; PRAGMA user_version = 2;""")
    made.close()
    (folder / "tune.db.xz").write_bytes(lzma.compress((folder / "new.db").read_bytes()))
    (folder / "new.db").unlink()
    before = (folder / "tune.db.xz").read_bytes()
    copy, = results_base.databases_of(folder, folder / "work")
    with results_base.opened(copy) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == newest
        row, = results_families.winners_of(connection, "reduce")
        assert (row["key"], row["ceiling"], row["ceiling_gbs"]) == ("reduce.sum.i32", "read", 4500.0), tuple(row)
    assert (folder / "tune.db.xz").read_bytes() == before


def test_common_words(_):
    lines, rest = results_base.without_common(["a=1 b=2 c=3", "a=1 b=3 c=3"])
    assert (lines, rest) == (["All of them: `a=1 c=3`.", ""], ["b=2", "b=3"]), (lines, rest)
    assert results_base.without_common(["a=1", "a=2"]) == ([], ["a=1", "a=2"])
    assert results_base.without_common(["a=1 b=2"]) == ([], ["a=1 b=2"]), "one alone is shown whole"


def winner_row(problem, n, time_ns, configuration):
    return {"problem": problem, "n": str(n), "time_ns": str(time_ns), "gbs": "4.5", "ceiling_percent": "12.345",
            "textbook_ns": str(2 * time_ns), "textbook_gain": "2", "as_fast": "", "claim_percent": "0.1", "verdict": "sure",
            "configuration": configuration}


def test_gains(_):
    row = {"a_gain": "1.31", "a_gain_low": "1.2", "a_gain_high": "1.5", "a_gain_standing": "slower"}
    assert results.gain_over(row, "a") == "1.31x"
    assert results.gain_over({**row, "a_gain_standing": "as fast"}, "a") == "none"
    assert results.gain_over({**row, "a_gain_high": "5"}, "a") == "over 1.20x"
    assert results.gain_over({**row, "a_gain_low": "0.1"}, "a") == "unknown"
    assert results.gain_over({**row, "a_gain": ""}, "a") == ""
    assert results.gain_over({**row, "verdict": "not sure"}, "a") == "unknown"
    assert results.gain_over({"a_gain": "1.31"}, "a") == "1.31x", "no bounds"


def test_problems(_):
    rows = [winner_row(problem, n, n, f"a={n} b=1") for problem in ("reduce.max.f32", "reduce.sum.i32", "reduce.sum.u8")
            for n in (1024, 4096)]
    lines = results.problems(rows, {("reduce.sum.i32", 1024): 1.5})
    check(lines, "| problem | 2^10 | 2^12 |", "| reduce.max.f32 | 1.02 (12.3 %) | 4.10 (12.3 %) |",
          "### reduce.sum.i32", "All of them: `b=1`.", "<summary>reduce.sum.u8: 2.00x to 2.00x over textbook</summary>",
          "| 2^10 | 1.02 | 4.500 | 12.3 % | 2.05 | 2.00x | 1.50x | - | 0.10 % | sure | `a=1024` |",
          "| 2^12 | 4.10 | 4.500 | 12.3 % | 8.19 | 2.00x |  | - | 0.10 % | sure | `a=4096` |",
          "| 2^12 | 4.10 | 4.500 | 12.3 % | 8.19 | 2.00x | - | 0.10 % | sure | `a=4096` |",
          absent=("### reduce.max.f32", "<summary>reduce.sum.i32"))
    assert lines.count("<details>") == lines.count("</details>") == 2, "all but the main problem are folded"


def test_ranges(_):
    rows = [{"problem": "p", "n_low": "1", "n_high": "1024", "bound_percent": "0.1", "between_loss_percent": "",
             "configuration": "a=1 b=2", "within_percent": "0.5"},
            {"problem": "p", "n_low": "1025", "n_high": "4096", "bound_percent": "0.4", "between_loss_percent": "2.5",
             "configuration": "a=1 b=3", "within_percent": "0.5"},
            {"problem": "q", "n_low": "1", "n_high": "2", "bound_percent": "0", "between_loss_percent": "",
             "configuration": "a=1", "within_percent": "0.5"}]
    check(results_measuring.ranges(lambda *_: rows), "| p | 2 | 0.40 % | 2.50 % |", "| q | 1 | 0.00 % | - |",
          "All of them: `a=1`.", "| 1 | 2 | 0.00 % | - | `a=1` |",
          "| 1 | 1,024 | 0.10 % | - | `b=2` |", "| 1,025 | 4,096 | 0.40 % | 2.50 % | `b=3` |")


PEERS = """\
problem,element_bytes,n,issue,mode,rival,runs,draws,rounds,tune_ns,tune_mad_ns,rival_ns,rival_mad_ns,ratio,ratio_low,\
ratio_high,grade,configuration,reason
sum.i32,4,1024,graph,clean,cub::DeviceReduce::Sum,9,24,48,1000.00,1.00,2000.00,1.00,2.00000,1.99000,2.01000,"exact","a=1","x"
sum.i32,4,4096,graph,clean,cub::DeviceReduce::Sum,9,24,48,2000.00,1.00,1000.00,1.00,0.50000,0.49000,0.51000,\
"exact, not launched","a=2","x, y"
sum.i32,4,4096,eager,dirty,cub::DeviceReduce::Sum,9,24,48,2000.00,1.00,1000.00,1.00,0.99900,0.98000,1.01000,"exact","a=2","x"
ordered.affine_u32,8,2048,graph,clean,cub::DeviceScan::InclusiveScan,9,24,48,2020.00,1.00,4040.00,1.00,2.00000,1.9,2.1,\
"none","a=3","x"
"""


def test_peers(folder):
    assert not results_peers.peers(folder), "nothing where nothing was recorded"
    (folder / "peers.csv").write_text(PEERS)
    (folder / "peers-ceilings.csv").write_text('kind,bytes,gbs,way\nread,8589934592,4096.0,"ld, 8 blocks"\n')
    (folder / "peers.txt").write_text("2026-01-02: reduce_peers --conf tuned.conf\nNVIDIA ...\n")
    lines = results_peers.peers(folder)
    check(lines,
          "| read | 4096 | 8.0 GiB | ld, 8 blocks |",
          "| sum.i32 | graph | clean | cub::DeviceReduce::Sum | 1.000 | 0.500 | 2 |",
          "At 1 of 4 points CUB is shown to be faster:",
          "- `sum.i32`, 1 of 3 points (n = 2^12), at least 0.500 (n = 2^12, graph, clean): the reason is not known.",
          "| 2^10 | 1.00 | 2.00 | 2.000 | 1.990 to 2.010 | 4.096 | 0.100 % | `a=1` |",
          "| 2^12 | 2.00 | 1.00 | **0.500** | 0.490 to 0.510 | 8.192 | 0.200 % | `a=2` (exact, not launched) |",
          "| ordered.affine_u32 | clean | 2^11 | 0.015625 MiB | 2.02 | sum.i32, n = 2^12 | 2.00 | 1.010 | - | - | - |")
    assert any("`reduce_peers --conf tuned.conf`, 2026-01-02." in line for line in lines), "day and command"
    assert results_peers.cub_times(folder)["reduce.sum.i32", 4096] == 0.5


STRATEGIES = """\
problem,n,configurations,failed,strategy,seed,share,trials,best_over_found
bat_gemm,1,1000,7,random,1,0.01,10,0.5
bat_gemm,1,1000,7,random,2,0.01,10,0.75
bat_gemm,1,1000,7,random,3,0.01,10,0.7
bat_gemm,1,1000,7,random,1,0.1,100,1.0
bat_gemm,1,1000,7,genetic,1,0.01,10,0.25
reduce.sum.i32,1024,64,0,random,1,0.01,1,0.125
"""


def test_own(folder):
    assert not results_own.own(folder, []), "nothing where nothing was recorded"
    (folder / "compile.txt").write_text("2026-01-02: bench_compile\n1000 kernels\ncold  3.1 s\n")
    lines = results_own.own(folder, [])
    check(lines, "### Kernels and files of others' own", "#### Compiling", "cold  3.1 s",
          "1,000 different kernels by the pool of compilers. `bench_compile`, 2026-01-02.",
          absent=("#### T1", "#### Spaces", "#### Search", "2026-01-02: bench_compile"))
    (folder / "t1.txt").write_text("no day here\nbat_gemm n=1 on X\n")
    (folder / "strategies.csv").write_text(STRATEGIES)
    check(results_own.own(folder, []), "no day here", "bat_gemm n=1 on X",
          "bat_gemm: 1,000 configurations, 7 of them failed, 3 seeds.",
          "| strategy | 1 % (10 points) | 1 % (10 points): worst | 10 % (100 points) | 10 % (100 points): worst |",
          "| `random` | 70.00 % | 50.00 % | 100.00 % | 100.00 % |", "| `genetic` | 25.00 % | 25.00 % | - | - |",
          "<summary>reduce.sum.i32, n = 2^10: 64 configurations, 0 of them failed, 1 seeds</summary>",
          "| `random` | 12.50 % | 12.50 % |")


def test_tuned_figures(folder):
    made = Made(folder / "t1.db")
    made.connection.execute("UPDATE runs SET started_at = '2026-01-02T03:04:05Z', wall_ns = 200000000000, "
                            "measuring_ns = 150000000000, compile_wait_ns = 10000000000, binaries_compiled = 3, "
                            "binaries_cached = 1")
    made.trial("bat_gemm", 1, {"a": 1}, 2000)
    made.trial("bat_gemm", 1, {"a": 2}, 1000)
    made.trial("bat_gemm", 1, {"a": 3}, None, status="compile_failed")
    made.connection.execute("UPDATE trials SET measured_at = '2026-01-02T03:05:45Z'")
    made.insert("searches", run_id=made.run, problem_id=made.once("problems", ("bat_gemm", 1)), strategy="genetic",
                product_count=20, space_count=12, points=3, trials=3, unlaunchable=1, duplicates=2)
    made.close()
    told = subprocess.run([sys.executable, str(ROOT / "bench" / "tuned_figures.py"), str(made.path),
                           "bat_gemm=4000000"], check=True, capture_output=True, text=True).stdout.split("\n")
    check(told, "bat_gemm n=1 on Made up", "  3 of 12 points (the product has 20) tried by genetic in 100 s: 0.0 a second, 2 a minute",
          "  set aside without the device: 1 of which no block fits, 2 that repeat others' machine code", "  2 ok, 1 compile_failed",
          "  200.0 s in all: 75.0 % measuring, 5.0 % waiting for the compiler, 20.0 % other; 3 binaries compiled, "
          "1 cached",
          "  best: 1.00 us, 4000 GFLOP/s, of the sweep: a=2")


def test_wrapped(_):
    """Sentences are cut between words; rows, pictures, headings and printed lines are not."""
    sentence, row = "word " * 40 + "end.", "| " + "cell " * 40 + "|"
    printed = ["```", "x " * 100, "```"]
    made = list(results.wrapped([sentence, "", row, *printed, "short"]))
    assert made[-6:] == ["", row, *printed, "short"] and " ".join(made[:-6]) == sentence
    assert len(made) == 8 and all(len(line) <= 138 for line in made[:2]), made


def test_search(folder):
    """The table of docs/search.md: without what depends on the machine, and as it stands without the program."""
    text = (ROOT / "docs" / "search.md").read_text()
    recorded = [(folder, [folder / "tune.db"])]
    assert results.search(folder, recorded) == text
    (folder / "bench").mkdir()
    program = folder / "bench" / "bench_strategies"
    program.write_text("""#!/bin/sh
echo "a n=1: 1050 configurations, 0 failed, best 5.53 us"
echo "b n=1: 27 configurations, 0 failed, best 5.53 us"
echo "  strategy       median  worst   us/point"
echo
echo "all 12 problems"
echo "                          1 %"
echo "  strategy       median  worst   us/point"
echo "  local           99.02  73.39        3.9"
""")
    program.chmod(0o755)
    made = results.search(folder, recorded)
    check(made[made.index(results.GAMES_BEGIN):made.index(results.GAMES_END)].split("\n"),
          "The 12 problems with the most configurations (reductions, 27 to 1,050 of them each, on an H200):",
          "    all 12 problems", "                              1 %", "      strategy       median  worst",
          "      local           99.02  73.39")
    before, after = text.split(results.GAMES_BEGIN)[0], text.split(results.GAMES_END)[1]
    assert made.startswith(before) and made.endswith(after)


def main():
    for test in (test_ideas, test_families, test_recorded, test_older_schema, test_common_words, test_problems,
                 test_ranges, test_peers, test_own, test_tuned_figures, test_wrapped,
                 test_search):
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
        print(f"{test.__name__}: ok")


if __name__ == "__main__":
    main()
