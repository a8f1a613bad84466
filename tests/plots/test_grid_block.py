"""grid_block: grid by block as a heat map."""
import re

from lib import DATE, Database, close, draw, main, refuse


def test_numbers():
    db = Database()
    db.measure(2000, number=1, grid=100, block=128)
    _, best = db.measure(1000, number=2, grid=100, block=128)
    slow, _ = db.measure(4000, number=3, grid=250, block=1024)
    db.measure(500, number=4, grid=100, block=128, n=1 << 10)
    db.winner(best)
    db.baseline("plain", slow)
    db.baseline("same", slow)
    figure = draw(db, "grid_block", n=1 << 20)
    cells = [(row["blocks_per_sm"], row["block"], row["configurations"]) for row in figure.layer("points")]
    assert cells == [("1.0", "128", "2"), ("2.5", "1024", "1")]
    close(figure.layer("points")[0]["gbs"], 4 * (1 << 20) / 1000)
    assert figure.layer("points")[0]["configuration"] == "number=2"
    marks = [(row["series"], row["x"], row["y"], float(row["side"])) for row in figure.layer("cell_marks")]
    assert sorted(marks) == [("plain", "2", "2", 0.5), ("same", "2", "2", -0.5), ("winner", "1", "1", 0)], marks
    figure.shows("reduce.sum", "1048576 (2^20)", "Test GPU", DATE, "test.db", "3 configurations", "winner", "plain", "same",
                 "4194", "1049", "128", "1024", "2.5", "(GB/s)",
                 "Best: 1 block of 128 threads per SM; 1 of 2 pairs of grid and block are within 5 %")


def test_marks_in_cells_of_other_values():
    """The cell has its best configuration's number; a mark's own stands in the legend. Grids that rounding to clusters made
    larger are in the column of the others."""
    db = Database()
    plain, _ = db.measure(2000, number=1, grid=200, block=256)
    _, best = db.measure(1000, number=2, grid=202, block=256)
    db.measure(1100, number=3, grid=205, block=256)
    db.winner(best)
    db.baseline("plain", plain)
    figure = draw(db, "grid_block")
    assert [float(row["blocks_per_sm"]) for row in figure.layer("columns")] == [2, 2.05]
    figure.shows("winner: 4194 GB/s", "plain: 2097 GB/s, not the fastest of its cell (4194)")


def test_colours_tell_cells_apart():
    """From the slowest cell to the fastest, however near they are: else all are one yellow."""
    db = Database()
    for number, (time, grid) in enumerate(((1000, 100), (1030, 200), (1050, 300))):
        db.measure(time, number=number, grid=grid, block=128)
    figure = draw(db, "grid_block")
    cells = [float(row["gbs"]) for row in figure.layer("points")]
    shown = [float(text) for text in figure.texts if text.replace(".", "").isdigit() and 3900 <= float(text) <= 4200]
    assert min(shown) > 0.99 * min(cells), shown
    colours = {tuple(map(int, one)) for one in re.findall(r"rgb\( *(\d+), *(\d+), *(\d+)\)", figure.svg)}
    assert colours >= {(0x44, 0x01, 0x54), (0xfd, 0xe7, 0x25)}, "the slowest and the fastest have the scale's ends"


def test_single_cell():
    db = Database()
    db.measure(1000, number=1, grid=100, block=256)
    draw(db, "grid_block").shows("4194", "256", "1 configuration")


def test_many_grids_and_blocks():
    """Columns and rows that can be told apart: each half of an octave."""
    db = Database()
    problem, environment = db.problem(), db.environment()
    for number in range(1, 1001):
        configuration = db.configuration(number=number)
        trial = db.trial(configuration, 2000 - number, problem, environment, grid=number, block=number)
        if number == 900:
            db.winner(trial)
    figure = draw(db, "grid_block")
    # 1, 2, 3, 4, 6, 8, 12 ... 512, 768
    edges = [1] + [edge for k in range(1, 10) for edge in (2**k, 3 * 2**(k - 1))]
    assert [row["block"] for row in figure.layer("rows")] == [str(edge) for edge in edges]
    assert [round(100 * float(row["blocks_per_sm"])) for row in figure.layer("columns")] == edges
    assert sum(int(row["configurations"]) for row in figure.layer("points")) == 1000
    last = figure.layer("points")[-1]
    assert last["configurations"] == str(1000 - 768 + 1) and last["configuration"] == "number=1000"
    assert [(row["x"], row["y"]) for row in figure.layer("cell_marks")] == [("19", "19")]
    figure.shows("grid (blocks per SM, from)", "block (threads, from)", "1000 configurations")


def test_no_grid():
    db = Database()
    db.measure(1000, number=1)
    refuse(db, "grid_block", "grid_block: nothing to draw", "a GPU")


main(globals())
