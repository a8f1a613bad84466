"""samples: the samples of the finalists, their medians and intervals."""
from lib import DATE, Database, close, draw, main, refuse, rows


def add_samples(db, trial, times, invalid=()):
    """One sample a time; those whose place is in `invalid` do not count."""
    for ordinal, time in enumerate(times):
        db.insert("samples", trial_id=trial, ordinal=ordinal, process=1 + ordinal // 2, round=ordinal, runs=1,
                  invalid=int(ordinal in invalid), elapsed_ns=time)


def raced(db, times, stage="confirm", mad_ns=5, **parameters):
    """A configuration of the sweep and of `stage`, with these samples there. Gives (configuration, trial)."""
    median = sorted(times)[len(times) // 2]
    configuration, _ = db.measure(median * 2, **parameters)
    trial = db.trial(configuration, median, stage=stage, mad_ns=mad_ns)
    add_samples(db, trial, times)
    return configuration, trial


def three(db):
    a, first = raced(db, [1000, 1010, 1020], tile=256, variant="atomic", cache="on")
    b, second = raced(db, [1030, 1040, 1050], tile=512, variant="atomic", cache="on")
    c, third = raced(db, [1035, 1041, 1060], tile=512, variant="tree", cache="on")
    winner = db.winner(first, time_low_ns=1005, time_high_ns=1015,
                       contenders=[(a, 0, 0, 0), (b, 0.03, 0.02, 0.04), (c, 0.031, -0.01, 0.05)])
    for trial, configuration, proven in ((first, a, 1), (second, b, 0), (third, c, 1)):
        db.sql.execute("UPDATE contenders SET trial_id = ?, proven = ? WHERE winner_id = ? AND configuration_id = ?",
                       (trial, proven, winner, configuration))
    return [first, second, third]


def test_numbers():
    db = Database()
    trials = three(db)
    db.sql.execute("UPDATE samples SET invalid = 1 WHERE trial_id = ? AND ordinal = 2", (trials[2],))
    figure = draw(db, "samples")
    points = figure.layer("points")
    assert [float(p["elapsed_ns"]) for p in points if p["row"] == "1"] == [1000, 1010, 1020]
    assert [float(p["elapsed_ns"]) for p in points if p["row"] == "3"] == [1035, 1041], "a dropped sample is drawn"
    assert {(p["row"], p["series"]) for p in points} == {("1", "winner"), ("2", "slower"), ("3", "as fast")}
    # In the order taken, and their places among the row's own.
    close(points[0]["turn"], 0.5 / 3)
    close(points[2]["turn"], 2.5 / 3)
    assert [float(p["quantile"]) for p in points if p["row"] == "1"] == [0, 0.5, 1]
    medians = {m["row"]: m for m in figure.layer("medians")}
    close(medians["1"]["elapsed_ns"], 1010)
    close(medians["1"]["low_ns"], 1005)
    close(medians["1"]["high_ns"], 1015)
    close(medians["2"]["low_ns"], 1010 * 1.02)
    close(medians["2"]["high_ns"], 1010 * 1.04)
    close(medians["3"]["low_ns"], 1010 * 0.99)
    assert medians["2"]["configuration"] == "tile=512 variant=atomic", "rows are named by what differs"
    assert figure.layer("alike")[0]["configuration"] == "cache=on"
    assert not figure.layer("left_out")
    figure.shows("reduce.sum", "1048576 (2^20)", "Test GPU", DATE, "test.db", "all: cache=on", "1.01 µs, winner",
                 "[1.005, 1.015] µs", "+3.00 %, slower", "[+2.00, +4.00] %", "+3.10 %, as fast",
                 "tile=512 variant=tree", "1 of 2 other finalists is as fast as the winner, within 3.1 %")


def test_what_was_not_compared_is_no_tie():
    """A row without bounds is never as fast, whatever its column `tied` says."""
    db = Database()
    _, second, third = three(db)
    db.sql.execute("UPDATE contenders SET difference_low = NULL, difference_high = NULL, tied = 1, proven = 0 WHERE trial_id = ?",
                   (third,))
    figure = draw(db, "samples")
    assert figure.series() == ["winner", "slower", "not compared"]
    figure.shows("None of 2 other finalists is shown to be as fast as the winner; 1 was not compared to the end")
    db.sql.execute("UPDATE contenders SET proven = 1 WHERE trial_id = ?", (second,))
    draw(db, "samples").shows("1 of 2 other finalists is as fast as the winner, within 3 %; 1 was not compared to the end")


def test_another_stage_does_not_compare():
    db = Database()
    three(db)
    loser, trial = raced(db, [900, 900, 900], stage="race", tile=64, variant="atomic", cache="on")
    db.sql.execute("INSERT INTO contenders VALUES (1, ?, ?, 1, -0.1, -0.2, 0, 0, 1, NULL)", (loser, trial))
    assert [row["row"] for row in rows(db, "samples") if row["layer"] == "medians"] == ["1", "3", "2"]
    assert min(float(row["elapsed_ns"]) for row in rows(db, "samples") if row["layer"] == "points") == 1000


def test_slow_ones_and_many_are_counted():
    db = Database()
    slow, trial = raced(db, [5000], number=100)
    contenders = []
    for i in range(20):
        contenders.append((*raced(db, [1000 + i, 1001 + i], mad_ns=1, number=i), i * 0.001))
    winner = db.winner(contenders[14][1])
    for place, (configuration, trial_id, difference) in enumerate([*contenders, (slow, trial, 4.0)], 1):
        db.insert("contenders", winner_id=winner, configuration_id=configuration, trial_id=trial_id, place=place,
                  difference=difference, difference_low=difference, difference_high=difference, proven=1, tied=1)
    db.baseline("plain", contenders[3][0])
    figure = draw(db, "samples")
    assert len(figure.layer("medians")) == 12
    names = [m["configuration"] for m in sorted(figure.layer("medians"), key=lambda m: int(m["row"]))]
    assert names == [f"{'plain: ' if i == 3 else ''}number={i}" for i in [*range(11), 14]], names
    assert figure.series() == ["winner", "as fast", "baseline"]
    assert figure.layer("left_out")[0]["row"] == "9"
    figure.shows("finalists not drawn: 9", "plain: number=3", "+1.40 %, winner", "fastest")


def test_a_slow_one_does_not_squeeze_the_rest():
    db = Database()
    three(db)
    slow, trial = raced(db, [1500, 1501], tile=1, variant="tree", cache="on")
    near, other = raced(db, [1059, 1060], tile=2, variant="tree", cache="on")
    for place, (configuration, trial_id) in enumerate(((near, other), (slow, trial)), 4):
        db.sql.execute("INSERT INTO contenders VALUES (1, ?, ?, ?, 0.05, 0.04, 0.06, 0, 0, NULL)",
                       (configuration, trial_id, place))
    got = rows(db, "samples")
    assert max(float(row["elapsed_ns"]) for row in got if row["layer"] == "points") == 1060, "5 % or ten times the MAD"
    assert [row["row"] for row in got if row["layer"] == "left_out"] == ["1"]


def test_outliers_do_not_squeeze_the_rest():
    db = Database()
    times = [1000 + i % 10 for i in range(200)] + [90000]
    _, trial = raced(db, times, stage="race", number=1)
    db.winner(trial, stage="race")
    figure = draw(db, "samples")
    assert len(figure.layer("points")) == 201
    figure.shows("samples beyond the axis (< >): 1", ">", "1.005 µs, winner")
    assert "90" not in figure.texts


def test_two_outliers_among_few_samples():
    """Of 40 samples two are more than the outer 4 %."""
    db = Database()
    _, trial = raced(db, [1000 + i % 10 for i in range(38)] + [30000, 31000], stage="race", number=1)
    db.winner(trial, stage="race")
    figure = draw(db, "samples")
    assert max(float(p["elapsed_ns"]) for p in figure.layer("points") if p["is_inner"] == "1") == 1009
    figure.shows("samples beyond the axis (< >): 2")


def test_equal_samples():
    """Where the middle half is one value, that is no measure: all but the outer 4 % are shown."""
    db = Database()
    _, trial = raced(db, [1000] * 35 + [1040 + i for i in range(5)] + [990] * 5, stage="race", number=1)
    db.winner(trial, stage="race")
    figure = draw(db, "samples")
    assert {float(p["elapsed_ns"]) for p in figure.layer("points") if p["is_inner"] == "1"} == {1000, 1040, 1041, 1042, 1043}
    assert not any("beyond" in text for text in figure.texts), figure.texts


def test_one_finalist_one_sample():
    db = Database()
    _, trial = db.measure(1000, variant="only")
    add_samples(db, trial, [1000])
    db.winner(trial, stage="sweep")
    figure = draw(db, "samples")
    assert len(figure.layer("points")) == 1
    figure.shows("variant=only", "1 µs, winner")


def test_odd_names():
    db = Database()
    odd = "a'b\"c`d\\e%s\t{f}_g^h; system('x')" + "x" * 80
    _, first = raced(db, [1000, 1001], name=odd, size="1")
    _, second = raced(db, [1002, 1003], name="täglich ½", size="2")
    winner = db.winner(first)
    for place, trial in enumerate((first, second), 1):
        db.insert("contenders", winner_id=winner, trial_id=trial, place=place, difference=0.001 * (place - 1),
                  difference_low=0, difference_high=0.01, proven=0, tied=1, configuration_id=db.sql.execute(
                      "SELECT configuration_id FROM trials WHERE id = ?", (trial,)).fetchone()[0])
    figure = draw(db, "samples")
    figure.shows("%s")


def test_long_names_are_values_alone():
    db = Database()
    contenders = []
    for i in range(3):
        parameters = {f"a_long_parameter_name_{k}": f"v{k * i}" for k in range(6)}
        contenders.append(raced(db, [1000 + i, 1001 + i], **parameters))
    winner = db.winner(contenders[0][1])
    for place, (configuration, trial) in enumerate(contenders, 1):
        db.insert("contenders", winner_id=winner, configuration_id=configuration, trial_id=trial, place=place,
                  difference=0.001 * (place - 1), difference_low=0, difference_high=0.01, proven=0, tied=1)
    figure = draw(db, "samples")
    names = " ".join(f"a_long_parameter_name_{k}" for k in range(1, 6))
    assert figure.layer("names")[0]["configuration"] == names
    assert [m["configuration"] for m in figure.layer("medians")] == ["v0 v0 v0 v0 v0", "v1 v2 v3 v4 v5", "v2 v4 v6 v8 v10"]
    figure.shows("rows: a_long_parameter_name_1", "all: a_long_parameter_name_0=v0", "v1 v2 v3 v4 v5")


def test_many_samples():
    db = Database()
    _, trial = db.measure(1000, variant="only", stage="race")
    db.sql.execute("""WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 99999)
        INSERT INTO samples SELECT ?, i, 0, i, 1, 0, 1000 + (i * 7919) % 1000, NULL FROM k""", (trial,))
    db.winner(trial, stage="race")
    figure = draw(db, "samples")
    assert len(figure.layer("points")) == 100000


def test_nothing():
    db = Database()
    _, trial = db.measure(1000, variant="only")
    refuse(db, "samples", "nothing to draw", "a winner with its samples")
    db.winner(trial, stage="sweep")
    refuse(db, "samples", "nothing to draw", "a winner with its samples")


main(globals())
