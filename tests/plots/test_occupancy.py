"""occupancy: theoretical occupancy against throughput."""
from lib import DATE, Database, close, draw, main, refuse, rows


def test_numbers():
    db = Database()
    a, fast = db.measure(1000, variant="a", mad_ns=100, occupancy=0.5)
    b, _ = db.measure(4000, variant="b", mad_ns=0, occupancy=1.0)
    db.measure(2000, variant="a", vector=4, occupancy=0.75)
    db.winner(fast)
    db.baseline("plain", b)
    db.ceilings(read=5000)
    figure = draw(db, "occupancy")
    points = {row["configuration"]: row for row in figure.layer("points")}
    assert len(points) == 3
    point = points["variant=a"]
    close(point["occupancy_percent"], 50)
    close(point["gbs"], 4 * (1 << 20) / 1000)
    close(point["low_gbs"], 4 * (1 << 20) / 1100)
    close(point["high_gbs"], 4 * (1 << 20) / 900)
    close(points["variant=a vector=4"]["occupancy_percent"], 75)
    assert figure.series() == ["a", "b"]
    assert [(row["series"], row["configuration"]) for row in figure.layer("marks")] == [
        ("winner", "variant=a"), ("plain", "variant=b")]
    close(figure.layer("ceiling")[0]["gbs"], 5000)
    figure.shows("reduce.sum", "1048576 (2^20)", "Test GPU", DATE, "test.db", "a", "b", "winner", "plain", "4194 GB/s",
                 "1049 GB/s", "measured read ceiling: 5000 GB/s")


def test_single_point():
    db = Database()
    db.measure(1000, number=1, occupancy=0.5)
    figure = draw(db, "occupancy")
    assert figure.series() == ["all configurations"]
    figure.shows("all configurations", "Test GPU")


def test_no_occupancy():
    db = Database()
    db.measure(1000, number=1)
    refuse(db, "occupancy", "occupancy: nothing to draw for reduce.sum", "needs a device whose occupancy is known")


main(globals())
