"""blocks: grid in blocks per SM against throughput, #SM x 2 marked."""
from lib import DATE, Database, close, draw, main, refuse


def test_numbers():
    db = Database()
    _, fast = db.measure(1000, variant="a", mad_ns=250, grid=200, block=256)
    b, _ = db.measure(4000, variant="b", grid=1, block=1024)
    db.measure(2000, variant="a", vector=4, grid=6400, block=256)
    db.winner(fast)
    db.baseline("plain", b)
    db.ceilings(read=5000)
    figure = draw(db, "blocks")
    points = {row["configuration"]: row for row in figure.layer("points")}
    assert {name: float(row["blocks_per_sm"]) for name, row in points.items()} == {
        "variant=a": 2, "variant=b": 0.01, "variant=a vector=4": 64}
    close(points["variant=a"]["gbs"], 4 * (1 << 20) / 1000)
    close(points["variant=a"]["low_gbs"], 4 * (1 << 20) / 1250)
    close(points["variant=a"]["high_gbs"], 4 * (1 << 20) / 750)
    assert all(abs(float(row["shift_octaves"])) <= 0.12 for row in points.values())
    assert figure.series() == ["a", "b"]
    assert figure.series("marks") == ["winner", "plain"]
    assert [(row["blocks_per_sm"], row["grid"]) for row in figure.layer("double")] == [("2", "200")]
    figure.shows("reduce.sum", "1048576 (2^20)", "Test GPU", DATE, "test.db", "winner", "plain", "4194 GB/s",
                 "2 blocks per SM (#SM x 2 = 200)", "measured read ceiling: 5000 GB/s",
                 "The winner launches 2 blocks per SM (#SM x 2); the best other grid, 64 per SM, reaches 50 % of it")
    assert {"1/64", "1/4", "1", "2", "16", "64"} <= set(figure.texts), "the axis is in octaves"


def test_baseline_on_no_curve():
    """A curve is of what was tuned: a baseline is marked, and joined by no line, as on the page."""
    db = Database()
    _, fast = db.measure(1000, variant="a", grid=200, block=256)
    slow, _ = db.measure(9000, variant="a", vector=2, grid=400, block=256)
    db.measure(1100, variant="a", vector=4, grid=800, block=256)
    db.winner(fast)
    db.baseline("plain", slow)
    curve = draw(db, "blocks").layer("curves")
    assert [(row["grid"], row["covered"]) for row in curve] == [("200", "0"), ("400", "1"), ("800", "0")], curve


def test_single_point_away_from_the_line():
    for grid in (1, 200, 1000000):
        db = Database()
        db.measure(1000, number=1, grid=grid, block=256)
        figure = draw(db, "blocks")
        close(figure.layer("points")[0]["blocks_per_sm"], grid / 100)
        figure.shows("all configurations", "#SM x 2 = 200")


def test_every_grid_of_many_points():
    """However many points there are, each grid is seen, and its fastest configuration."""
    db = Database()
    problem, environment = db.problem(), db.environment()
    grids = [1, 3, 7, 100, 133, 200, 4097]
    for number in range(6006):
        configuration = db.configuration(number=number)
        db.trial(configuration, 1000 + number // 7, problem, environment, grid=grids[number % 7], block=64)
    db.measure(733, number=-1, grid=50, block=64)
    figure = draw(db, "blocks")
    points = figure.layer("points")
    assert len(points) == 6007
    for grid in grids:
        seen = [float(row["gbs"]) for row in points if row["covered"] == "0" and row["grid"] == str(grid)]
        close(max(seen), 4 * (1 << 20) / 1000)
    assert sum(row["covered"] == "0" for row in points) < 2000


def test_no_grid():
    db = Database()
    db.measure(1000, number=1)
    refuse(db, "blocks", "blocks: nothing to draw", "needs configurations whose grid is known")


def test_cpu():
    db = Database()
    db.measure(1000, kind="cpu", number=1, grid=8, block=1, threads=2)
    refuse(db, "blocks", "Test CPU", "a GPU")


main(globals())
