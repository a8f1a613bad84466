"""devices: the winners of several devices."""
from lib import Database, close, draw, main, refuse


def two_devices(second="Test CPU", kind="cpu", **columns):
    db = Database()
    first = db.environment()
    other = db.environment(second, kind=kind, units=2, **columns)
    for n in (1 << 10, 1 << 20):
        _, trial = db.measure(n / 100, n=n, number=1, mad_ns=0)
        db.winner(trial)
    _, trial = db.measure(8000, kind=kind, device=other, number=2, mad_ns=2000, measured_at="2026-02-03T00:00:00Z")
    db.winner(trial)
    db.ceilings(read=500, environment=first)
    db.ceilings(read=600, environment=other)
    return db, first, other


def test_numbers():
    db, _, other = two_devices()
    figure = draw(db, "devices")
    assert figure.series() == ["Test CPU, 2026-02-03", "Test GPU, 2026-01-02"]
    points = figure.layer("points")
    assert [row["n"] for row in points] == [str(1 << 20), str(1 << 10), str(1 << 20)]
    close(points[0]["gbs"], 4 * (1 << 20) / 8000)
    close(points[0]["low_gbs"], 4 * (1 << 20) / 10000)
    close(points[0]["high_gbs"], 4 * (1 << 20) / 6000)
    close(points[1]["gbs"], 400)
    assert [(row["series"], float(row["gbs"])) for row in figure.layer("limits")] == [("Test CPU", 600), ("Test GPU", 500)]
    figure.shows("2 devices", "reduce.sum", "test.db", "Test CPU, 2026-02-03", "Test GPU, 2026-01-02",
                 "Test CPU: read ceiling, 600 GB/s", "Test GPU: read ceiling, 500 GB/s", "1 Ki", "1 Mi",
                 "At n = 1048576 Test CPU is fastest: 1.31x as fast as Test GPU")


def test_devices_of_one_name():
    db, _, _ = two_devices("Test GPU", kind="cuda", uuid="GPU-4711-0815-xxxx")
    figure = draw(db, "devices")
    assert figure.series() == ["Test GPU (GPU-4711-081), 2026-02-03", "Test GPU (GPU-Test GPU), 2026-01-02"]


def test_newest_of_a_device():
    """Of one size under two drivers the newer counts, and the device is one series."""
    db, first, _ = two_devices()
    newer = db.environment(driver="2")
    _, trial = db.measure(5000, device=newer, number=3)
    db.winner(trial, chosen_at="2026-03-01T00:00:00Z")
    points = [row for row in draw(db, "devices").layer("points") if row["series"].startswith("Test GPU")]
    assert [row["configuration"] for row in points] == ["number=1", "number=3"]


def test_no_ceiling():
    db, _, _ = two_devices()
    db.sql.execute("DELETE FROM ceilings")
    figure = draw(db, "devices")
    assert not figure.layer("limits")
    figure.shows("Test CPU", "Test GPU")


def test_one_device():
    db = Database()
    _, trial = db.measure(1000, number=1)
    db.winner(trial)
    refuse(db, "devices", "devices: nothing to draw", "needs measurements of two devices")


main(globals())
