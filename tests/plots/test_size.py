"""size: throughput by size of the winner, the baselines and other implementations."""
from lib import DATE, Database, close, draw, main, refuse


def test_numbers():
    db = Database()
    sizes = [1 << 10, 1 << 20, 100000000]
    for n in sizes:
        _, fast = db.measure(n / 100, n=n, variant="fast", mad_ns=n / 1000)
        slow, _ = db.measure(n / 50, n=n, variant="slow")
        db.winner(fast)
        db.baseline("plain", slow, db.problem(n=n))
    db.peer("lib::Reduce", 20000, mad_ns=5000)
    db.peer("other", 30000)
    db.peer("not here", 1000, l2_mode="hot")
    db.peer("not this", 1000, key="reduce.max")
    db.peer("nor here", 1000, environment=db.environment("Another GPU"))
    db.peer("no such size", 1000, n=12345)
    db.ceilings(read=500)
    figure = draw(db, "size")
    assert figure.series() == ["winner", "plain", "lib::Reduce", "other"]
    winner = [row for row in figure.layer("points") if row["series"] == "winner"]
    assert [int(row["n"]) for row in winner] == sizes
    for row in winner:
        close(row["gbs"], 400)
        close(row["low_gbs"], 400 / 1.1)
        close(row["high_gbs"], 400 / 0.9)
    library = [row for row in figure.layer("points") if row["series"] == "lib::Reduce"]
    assert [(row["n"], row["is_rival"], row["configuration"]) for row in library] == [(str(1 << 20), "1", "")]
    close(library[0]["gbs"], 4 * (1 << 20) / 20000)
    close(library[0]["low_gbs"], 4 * (1 << 20) / 25000)
    close(library[0]["high_gbs"], 4 * (1 << 20) / 15000)
    figure.shows("reduce.sum", "Test GPU", DATE, "test.db", "winner", "plain", "lib::Reduce", "other",
                 "measured read ceiling: 500 GB/s", "1 Ki", "1 Mi", "64 Mi",
                 "The winner reaches 80 % of the measured read ceiling, and nine tenths of that from n = 1024 on")


def test_many_baselines_and_libraries():
    """Each has a line in the legend, and none leaves the page."""
    db = Database()
    for n in (1 << 10, 1 << 20):
        for number in range(9):
            configuration, trial = db.measure(1000 + number, n=n, number=number)
            db.baseline(f"baseline {number}", configuration, db.problem(n=n))
    for number in range(6):
        db.peer(f"library::of::a::long::name::Operation<{number}>", 900)
    figure = draw(db, "size")
    assert len(figure.series()) == 15
    figure.shows(*[f"baseline {number}" for number in range(9)], "library::of::a::long::name::Operation<5>")


def test_one_size():
    db = Database()
    _, fast = db.measure(1000, number=1)
    db.winner(fast)
    figure = draw(db, "size")
    assert len(figure.layer("points")) == 1
    figure.shows("winner", "1 Mi")


def test_a_size_without_bytes():
    """Sizes whose throughput is unknown are left out; runs are not held against bytes."""
    db = Database()
    for n, bytes_moved in ((1 << 10, 0), (1 << 20, None)):
        _, trial = db.measure(1000, n=n, bytes_moved=bytes_moved, number=1)
        db.winner(trial)
    assert [row["n"] for row in draw(db, "size", n=1 << 20).layer("points")] == [str(1 << 20)]


def test_library_alone():
    db = Database()
    db.measure(1000, number=1)
    db.peer("lib::Reduce", 20000)
    assert draw(db, "size").series() == ["lib::Reduce"]


def test_objective_of_another_is_not_drawn():
    db = Database()
    configuration, swept = db.measure(1000, number=1)
    db.winner(swept, objective="energy")
    refuse(db, "size", "size: nothing to draw", "a winner, a baseline or another implementation")


main(globals())
