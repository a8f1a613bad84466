"""threads: threads against throughput, on a CPU."""
from lib import DATE, Database, close, draw, main, refuse


def test_numbers():
    db = Database()
    cpu = dict(kind="cpu", grid=64, block=1)
    one, _ = db.measure(4000, **cpu, schedule="static", threads=1, mad_ns=0)
    fast, swept = db.measure(2000, **cpu, schedule="queued", variant="blocks", threads=2)
    db.measure(3000, **cpu, schedule="static", number=2, threads=2)
    environment, problem = db.environment("Test CPU", kind="cpu", units=2), db.problem(kind="cpu")
    # The trial of a race may lack its launch: its configuration's sweep has it.
    raced = db.trial(fast, 2500, problem, environment, stage="race", mad_ns=500)
    db.winner(raced)
    db.baseline("plain", one, problem, environment)
    db.ceilings(read=5000, environment=environment)
    figure = draw(db, "threads")
    assert figure.series() == ["queued", "static"]
    points = [(row["series"], row["threads"]) for row in figure.layer("points")]
    assert points == [("queued", "2"), ("static", "1"), ("static", "2")]
    close(figure.layer("points")[0]["gbs"], 4 * (1 << 20) / 2500)
    close(figure.layer("points")[0]["low_gbs"], 4 * (1 << 20) / 3000)
    assert [(row["series"], row["threads"]) for row in figure.layer("marks")] == [("winner", "2"), ("plain", "1")]
    assert [row["threads"] for row in figure.layer("cores")] == ["2"]
    figure.shows("reduce.sum", "1048576 (2^20)", "Test CPU", DATE, "test.db", "queued", "static", "winner", "plain",
                 "a thread per core (2)", "measured read ceiling: 5000 GB/s", "1678 GB/s",
                 "The winner runs 2 threads, 1.6x as fast as the best of one thread")


def test_points_stand_at_their_number():
    """Side by side, yet none where another number of threads would be."""
    db = Database()
    for number in range(9):
        db.measure(1000 + number, kind="cpu", number=number, schedule="ab"[number % 2], grid=8, block=1, threads=2)
    shifts = [float(row["shift_octaves"]) for row in draw(db, "threads").layer("points")]
    assert len(set(shifts)) == 9
    assert all(1.95 < 2 * 2**shift < 2.05 for shift in shifts), shifts


def test_single_point():
    db = Database()
    db.measure(1000, kind="cpu", number=1, grid=8, block=1, threads=1)
    draw(db, "threads").shows("all configurations", "a thread per core (2)")


def test_gpu():
    db = Database()
    db.measure(1000, number=1, grid=100, block=256)
    refuse(db, "threads", "threads: nothing to draw", "a CPU")


main(globals())
