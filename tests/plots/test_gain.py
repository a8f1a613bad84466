"""gain: how many times faster the winner is, by size."""
from lib import DATE, Database, close, draw, main, refuse


def by_series(figure):
    return {(row["series"], int(row["n"])): row for row in figure.layer("points")}


def expect(row, ratio, low=None, high=None):
    close(row["ratio"], ratio)
    assert row["raced"] == ("1" if low else "0"), row
    if low:
        close(row["ratio_low"], low)
        close(row["ratio_high"], high)
    else:
        assert row["ratio_low"] == row["ratio_high"] == "", row


def test_numbers():
    db = Database()
    small, large = 1 << 10, 1 << 20
    # Raced, and the winner is not the fastest but tied with it.
    fast, trial = db.measure(1000, n=large, variant="fast")
    slow, _ = db.measure(2500, n=large, variant="slow")
    db.winner(trial, contenders=[(fast, 0.01, 0.0, 0.02), (slow, 1.02, 1.0, 1.04)])
    db.baseline("plain", slow, db.problem(n=large))
    # Swept only: no gain is claimed.
    _, trial = db.measure(100, n=small, variant="fast")
    db.measure(300, n=small, variant="slow")
    db.winner(trial, stage="sweep")
    db.baseline("plain", slow, db.problem(n=small))
    # Raced side by side by another program, and merely timed.
    db.peer("lib::Reduce", 1200, n=large, tuned_ns=1100, ratio=1.09, ratio_low=1.08, ratio_high=1.1)
    db.peer("lib::Reduce", 150, n=small)
    figure = draw(db, "gain")
    assert figure.series() == ["plain", "lib::Reduce"]
    points = by_series(figure)
    assert len(points) == 3
    expect(points["plain", large], 2.02 / 1.01, 2.0 / 1.02, 2.04 / 1.0)
    expect(points["lib::Reduce", large], 1.09, 1.08, 1.1)
    expect(points["lib::Reduce", small], 1.5)
    figure.shows("reduce.sum", "Test GPU", DATE, "test.db", "plain", "lib::Reduce", "as fast as the winner",
                 "of two medians, no interval", "1 Ki", "1 Mi",
                 "The winner is 2.00x as fast as plain, 1.09x to 1.50x as fast as lib::Reduce")


def test_no_shared_rounds_no_gain():
    """Times of two stages cannot be compared, and of one stage alone claim nothing."""
    db = Database()
    fast, _ = db.measure(1000, variant="fast")
    slow, _ = db.measure(2000, variant="slow")
    raced = db.trial(fast, 500, stage="race")
    db.winner(raced, contenders=[(fast, 0, 0, 0), (slow, None, None, None)])
    db.baseline("plain", slow)
    refuse(db, "gain", "gain: nothing to draw")


def test_bounds_that_say_nothing_draw_nothing():
    """What two processes of a busy machine leave: from nothing to 639127 times as fast."""
    db = Database()
    fast, trial = db.measure(1000, variant="fast")
    slow, _ = db.measure(3500, variant="slow")
    db.winner(trial, contenders=[(fast, 0, 0, 0), (slow, 2.5, -0.999999, 639126)])
    db.baseline("plain", slow)
    refuse(db, "gain", "gain: nothing to draw")


def test_an_unstable_winner_has_no_gain():
    db = Database()
    fast, trial = db.measure(1000, variant="fast")
    slow, _ = db.measure(3500, variant="slow")
    db.winner(trial, contenders=[(fast, 0, 0, 0), (slow, 2.5, 2.4, 2.6)], trust="unstable")
    db.baseline("plain", slow)
    refuse(db, "gain", "gain: nothing to draw")


def test_all_raced_has_no_rings():
    db = Database()
    fast, trial = db.measure(1000, variant="fast")
    slow, _ = db.measure(20000, variant="slow")
    db.winner(trial, contenders=[(fast, 0, 0, 0), (slow, 19, 18, 20)])
    db.baseline("plain", slow)
    figure = draw(db, "gain")
    expect(by_series(figure)["plain", 1 << 20], 20, 19, 21)
    assert not any("no interval" in text for text in figure.texts)


def test_a_baseline_that_is_launched_like_another():
    """A baseline may be a duplicate: what was raced is what it launches. One that won is as fast as itself."""
    db = Database()
    fast, trial = db.measure(1000, variant="fast")
    slow, swept = db.measure(2000, variant="slow")
    twin = db.configuration(variant="twin")
    db.trial(twin, None, status="skipped_by_constraint", same_as_trial_id=swept)
    db.winner(trial, contenders=[(fast, 0, 0, 0), (slow, 1.5, 1.4, 1.6)])
    db.baseline("twin", twin)
    db.baseline("winner too", fast)
    points = by_series(draw(db, "gain"))
    expect(points["twin", 1 << 20], 2.5, 2.4, 2.6)
    expect(points["winner too", 1 << 20], 1, 1, 1)


def test_winner_slower_than_the_library():
    db = Database()
    _, trial = db.measure(1000, variant="fast")
    db.winner(trial)
    db.peer("lib::Reduce", 500, ratio=0.5, ratio_low=0.49, ratio_high=0.51)
    figure = draw(db, "gain")
    expect(by_series(figure)["lib::Reduce", 1 << 20], 0.5, 0.49, 0.51)
    figure.shows("The winner is 0.50x as fast as lib::Reduce (faster at 0 of 1 sizes)")


def test_nothing_to_compare_with():
    db = Database()
    _, trial = db.measure(1000, variant="fast")
    db.winner(trial)
    refuse(db, "gain", "gain: nothing to draw", "a winner, and a baseline or another implementation")


def test_no_winner():
    db = Database()
    slow, _ = db.measure(1000, variant="slow")
    db.baseline("plain", slow)
    refuse(db, "gain", "gain: nothing to draw")


main(globals())
