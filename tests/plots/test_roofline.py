"""roofline: operations per byte against operations per second, with the measured ceilings."""
from lib import DATE, MOMENT, Database, close, draw, main, refuse, rows


def arithmetic(db, **gops):
    for type_, value in gops.items():
        db.insert("arithmetic_ceilings", environment_id=db.environment(), type=type_, measured_at=MOMENT, gops=value)


def two(db):
    """sum (1 operation for 4 bytes) with winner and baseline at two sizes, and mul (8 operations per byte)."""
    for n in (1 << 10, 1 << 20):
        db.problem("reduce.sum", n, operations=n, operations_type="f32")
        c, trial = db.measure(1000 * n / (1 << 20), "reduce.sum", n, size=1, mad_ns=100)
        db.winner(trial)
        plain, _ = db.measure(4000 * n / (1 << 20), "reduce.sum", n, size=2)
        db.baseline("plain", plain, problem=db.problem("reduce.sum", n))
    db.problem("reduce.mul", 4096, operations=8 * 4 * 4096, operations_type="i64")
    _, trial = db.measure(500, "reduce.mul", 4096, size=1)
    db.winner(trial)
    return db


def test_numbers():
    db = two(Database())
    db.ceilings(read=5000)
    arithmetic(db, f32=60000, i64=300)
    figure = draw(db, "roofline", problem="reduce.sum")
    points = {(p["problem"], p["series"]): p for p in figure.layer("points")}
    assert set(points) == {("reduce.sum", "winner"), ("reduce.sum", "plain"), ("reduce.mul", "winner")}
    best = points["reduce.sum", "winner"]
    close(best["intensity"], 0.25)
    close(best["gops"], (1 << 20) / 1000)
    close(best["low_gops"], (1 << 20) / 1100)
    close(best["high_gops"], (1 << 20) / 900)
    close(best["roof_gops"], 1250)
    assert best["n"] == str(1 << 20)
    close(points["reduce.sum", "plain"]["gops"], (1 << 20) / 4000)
    close(points["reduce.mul", "winner"]["intensity"], 8)
    close(points["reduce.mul", "winner"]["gops"], 32 * 4096 / 500)
    close(points["reduce.mul", "winner"]["roof_gops"], 300), "the lower of the two ceilings is the roof"
    assert {m["series"] for m in figure.layer("marks")} == {"winner", "plain"}
    assert {m["problem"] for m in figure.layer("marks")} == {"reduce.sum"}
    assert [(a["series"], a["rank"]) for a in figure.layer("arithmetic")] == [("f32", "0")], "the roof of the type in use alone"
    close(figure.layer("memory")[0]["gops"], 5000)
    assert not any("i64" in text for text in figure.texts), "the roof of another type"
    figure.shows("reduce.sum", "1048576 (2^20)", "Test GPU", DATE, "test.db", "measured read ceiling: 5000 GB/s",
                 "f32 peak: 60 Top/s (ridge at 12 op/byte)", "1.049 Top/s", "83.9 % of its roof", "262.1 Gop/s", "21 % of its roof",
                 "other problems", "The winner reaches 83.9 % of its roof, the measured read ceiling of the memory")
    assert {"sum", "mul"} <= set(figure.texts), "problems are named at their intensities"


def test_the_chosen_size():
    db = two(Database())
    db.ceilings(read=5000)
    got = [r for r in rows(db, "roofline", problem="reduce.sum", n=1024) if r["layer"] == "points"]
    assert {(r["problem"], r["n"]) for r in got} == {("reduce.sum", "1024"), ("reduce.mul", "4096")}


def test_far_from_the_ridge():
    """The axis reaches the ridge, and the roof is flat from there on, wherever the points are."""
    db = Database()
    db.problem("reduce.sum", 1 << 20, operations=1 << 20, operations_type="f32")
    db.winner(db.measure(700, size=1)[1])
    db.ceilings(read=5000)
    arithmetic(db, f32=60000)
    figure = draw(db, "roofline")
    figure.shows("f32 peak: 60 Top/s (ridge at 12 op/byte)", "measured read ceiling: 5000 GB/s",
                 "The winner is above its roof, the measured read ceiling of the memory (1.2x), as data from a cache can")
    assert "10" in figure.texts and "10000" in figure.texts


def test_memory_alone():
    db = two(Database())
    db.ceilings(read=5000)
    figure = draw(db, "roofline", problem="reduce.sum")
    assert not figure.layer("arithmetic")
    figure.shows("measured read ceiling: 5000 GB/s", "83.9 % of its roof")


def test_arithmetic_alone():
    db = two(Database())
    arithmetic(db, f32=60000)
    figure = draw(db, "roofline", problem="reduce.sum")
    assert not figure.layer("memory")
    figure.shows("f32 peak: 60 Top/s", "1.75 % of its roof")


def test_bound_by_arithmetic():
    db = Database()
    db.problem("gemm", 2048, bytes_moved=3 * 4 * 2048**2, operations=2 * 2048**3, operations_type="f32")
    _, trial = db.measure(400000, "gemm", 2048, size=1)
    db.winner(trial)
    db.ceilings(read=4600)
    arithmetic(db, f32=51200, f64=30000, i32=16000, f16=400000)
    figure = draw(db, "roofline")
    close(figure.layer("points")[0]["roof_gops"], 51200)
    figure.shows("42.95 Top/s", "83.9 % of its roof", "f32 peak: 51.2 Top/s (ridge at 11.1 op/byte)",
                 "The winner reaches 83.9 % of its roof, the measured arithmetic of f32",
                 "measured read ceiling: 4600 GB/s")
    assert not any("f16" in text for text in figure.texts), "no problem here computes with it"
    assert not any("other problems" in text for text in figure.texts)


def test_each_ceiling_that_a_problem_names():
    db = two(Database())
    db.problem("reduce.copy", 4096, operations=4096, operations_type="f32", ceiling="copy")
    db.winner(db.measure(500, "reduce.copy", 4096, size=1)[1])
    db.ceilings(read=5000, copy=4000)
    figure = draw(db, "roofline", problem="reduce.sum")
    assert [(m["series"], m["rank"]) for m in figure.layer("memory")] == [
        ("measured read ceiling", "0"), ("measured copy ceiling", "1")]
    roofs = {(p["problem"], p["series"]): p["roof_gops"] for p in figure.layer("points")}
    close(roofs["reduce.copy", "winner"], 1000)
    close(roofs["reduce.sum", "winner"], 1250)
    figure.shows("measured copy ceiling: 4000 GB/s")


def test_odd_names():
    db = Database()
    for i in range(12):
        key = f"odd.it's `x` %s {{a}}_b^c {i}"
        db.problem(key, 4096, operations=4096, operations_type="f'3`2")
        configuration, trial = db.measure(500 + i, key, 4096, size=1)
        db.winner(trial)
        db.baseline("b'a`s %d\\e", configuration, problem=db.problem(key, 4096))
    db.ceilings(read=5000)
    arithmetic(db, **{"f'3`2": 100})
    figure = draw(db, "roofline")
    figure.shows("%d")


def test_many_baselines():
    db = two(Database())
    for i in range(12):
        configuration, _ = db.measure(5000 + i, "reduce.sum", 1 << 20, size=3 + i)
        db.baseline(f"baseline_{i:02}", configuration)
    db.ceilings(read=5000)
    draw(db, "roofline", problem="reduce.sum").shows("baseline_11 209.3 Gop/s", "winner 1.049 Top/s")


def test_nothing():
    db = two(Database())
    refuse(db, "roofline", "nothing to draw", "says its operations", problem="reduce.sum")
    db.ceilings(read=5000)
    db.measure(1000, "plain.sum", 4096, size=1)
    refuse(db, "roofline", "nothing to draw", "says its operations", problem="plain.sum")


def test_no_winner_and_no_baseline():
    """Operations, bytes and a ceiling are there: what lacks is named."""
    db = Database()
    db.ceilings(read=5000)
    db.problem("reduce.sum", 1 << 20, operations=1 << 20, operations_type="f32")
    db.measure(1000, "reduce.sum", 1 << 20, size=1)
    refuse(db, "roofline", "nothing to draw", "a winner or a baseline", problem="reduce.sum")


main(globals())
