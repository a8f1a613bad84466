"""occupancy: theoretical occupancy against throughput."""
from lib import DATE, Database, close, draw, main, refuse, rows


def test_numbers():
    db = Database()
    _, fast = db.measure(1000, variant="a", mad_ns=100, occupancy=0.5)
    b, _ = db.measure(4000, variant="b", mad_ns=0, occupancy=1.0)
    db.measure(2000, variant="a", vector=4, occupancy=0.75)
    db.winner(fast)
    db.baseline("plain", b)
    db.ceilings(read=5000, write=6000)
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
    assert [row["series"] for row in figure.layer("ceiling")] == ["measured read ceiling"]
    close(figure.layer("ceiling")[0]["gbs"], 5000)
    figure.shows("reduce.sum", "1048576 (2^20)", "Test GPU", DATE, "test.db", "a", "b", "winner", "plain", "4194 GB/s",
                 "1049 GB/s", "measured read ceiling: 5000 GB/s", "The lowest occupancy of all, 50 %, is that of the winner")


def test_what_is_raced_counts_as_raced():
    """A time of the race stands in for that of the sweep; a duplicate is no point; another problem's are not there."""
    db = Database()
    a, _ = db.measure(1000, variant="a", occupancy=0.5)
    raced = db.trial(a, 1250, stage="race", mad_ns=0, occupancy=0.5)
    twin = db.configuration(variant="b")
    db.trial(twin, None, status="skipped_by_constraint", same_as_trial_id=db.first_trial(a))
    db.measure(500, variant="a", n=1 << 10, occupancy=0.5)
    db.measure(500, key="reduce.max", variant="a", occupancy=0.5)
    failed = db.configuration(variant="c")
    db.trial(failed, None, status="crashed", occupancy=0.5)
    db.winner(raced)
    db.baseline("twin", twin)
    got = rows(db, "occupancy", problem="reduce.sum", n=1 << 20)
    points = [row for row in got if row["layer"] == "points"]
    assert [row["configuration"] for row in points] == ["variant=a"]
    close(points[0]["gbs"], 4 * (1 << 20) / 1250)
    assert [row["series"] for row in got if row["layer"] == "marks"] == ["winner", "twin"]


def test_curves():
    """The best of each variant at each occupancy; what is seen of them is the title."""
    db = Database()
    for variant, occupancy, time in (("a", 0.125, 4000), ("a", 0.5, 1020), ("a", 0.5, 1300), ("a", 1.0, 1000), ("b", 0.125, 5000),
                                     ("b", 0.25, 1040), ("b", 1.0, 2000)):
        trial = db.measure(time, variant=variant, time=time, occupancy=occupancy)[1]
        if time == 1000:
            db.winner(trial)
    figure = draw(db, "occupancy")
    curves = [(row["series"], float(row["occupancy_percent"]), round(4 * (1 << 20) / float(row["gbs"])))
              for row in figure.layer("curves")]
    assert curves == [("a", 12.5, 4000), ("a", 50, 1020), ("a", 100, 1000), ("b", 12.5, 5000), ("b", 25, 1040), ("b", 100, 2000)]
    sentence = "25 % occupancy already reaches 96.2 % of the winner, which has 100 %"
    assert [row["series"] for row in figure.layer("conclusion")] == [sentence]
    figure.shows(sentence)
    assert ":Bold" not in figure.svg, "what gnuplot makes a part of the font's name"
    assert f"<title>{sentence}. occupancy: reduce.sum" in figure.svg, "a reader of the page hears it"


def test_nothing_less_will_do():
    db = Database()
    for occupancy, time in ((0.25, 4000), (0.5, 1250), (1.0, 1000)):
        db.measure(time, occupancy=occupancy, number=time)
    draw(db, "occupancy").shows("Nothing below 100 % occupancy reaches 95 % of the best: 50 % reaches 80 %")


def test_bytes_in_flight_tell_apart_what_has_no_variants():
    db = Database()
    for loads, occupancy, time in ((1, 0.25, 3000), (1, 1.0, 1040), (4, 0.25, 1030), (4, 1.0, 1000)):
        _, trial = db.measure(time, occupancy=occupancy, loads=loads, number=time)
        db.sql.execute("UPDATE trials SET metrics = ? WHERE id = ?", (f'{{"bytes_per_thread": {16 * loads}}}', trial))
    figure = draw(db, "occupancy")
    assert figure.series("curves") == ["16 bytes per thread at a time", "64 bytes per thread at a time"]
    assert figure.layer("conclusion")[0]["series"] == (
        "25 % occupancy already reaches 97.1 % of the best, which has 100 %; with 16 bytes per thread at a time it takes 100 %")


def test_bytes_in_flight_that_never_do():
    for occupancy, sentence in (
            (0.25, "The lowest occupancy of all, 25 %, is that of the best; with 16 bytes per thread at a time no occupancy does"),
            (1.0, "Every configuration has an occupancy of 100 %")):
        db = Database()
        for loads, at, time in ((1, 1.0, 2000), (4, occupancy, 1000)):
            _, trial = db.measure(time, occupancy=at, loads=loads)
            db.sql.execute("UPDATE trials SET metrics = ? WHERE id = ?", (f'{{"bytes_per_thread": {16 * loads}}}', trial))
        assert [row["series"] for row in rows(db, "occupancy") if row["layer"] == "conclusion"] == [sentence]


def test_axis_begins_near_the_points():
    """Where all that is best lies near the top; what is slower still is counted."""
    db = Database()
    for occupancy, time in ((0.25, 1050), (0.5, 1000), (0.5, 9000), (0.5, 8000)):
        db.measure(time, occupancy=occupancy, number=time)
    figure = draw(db, "occupancy")
    figure.shows("the axis begins at ", ": 2 slower ones are below it")
    assert len(figure.layer("points")) == 4


def test_ceiling_far_above():
    """It does not press the points flat: it is named, and the axis ends at the points."""
    db = Database()
    db.measure(1000, number=1, occupancy=0.5)
    db.ceilings(read=100000)
    figure = draw(db, "occupancy")
    figure.shows("measured read ceiling: 1e+05 GB/s, above the figure", "4000")
    assert not {"100000", "50000", "20000"} & set(figure.texts)


def test_side_by_side():
    """Series and configurations of one occupancy do not stand on one another, nor on those of the next."""
    db = Database()
    for number in range(8):
        db.measure(1000 + number, variant="ab"[number % 2], number=number, occupancy=0.5)
        db.measure(1000 + number, variant="ab"[number % 2], number=number + 8, occupancy=0.53125)
    points = [row for row in rows(db, "occupancy") if row["layer"] == "points"]
    where = [float(row["occupancy_percent"]) + float(row["shift_percent"]) for row in points]
    assert len(set(where)) == 16
    for row in points:
        assert -3.125 < float(row["shift_percent"]) < 0, "left of its occupancy, and right of the one before"
    by_series = {s: [float(r["shift_percent"]) for r in points if r["series"] == s] for s in "ab"}
    assert max(by_series["a"]) < min(by_series["b"])


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


def test_a_dozen_variants_and_the_others():
    """The rarest of many variants are one series, behind the others; no configuration is lost."""
    db = Database()
    for variant in range(40):
        for number in range(2 if variant < 11 else 1):
            db.measure(1000 + variant, variant=f"v{variant:02}", number=number, occupancy=0.5)
    figure = draw(db, "occupancy")
    assert figure.series() == [f"v{variant:02}" for variant in range(11)] + ["others"]
    assert len(figure.layer("points")) == 51
    assert sum(row["series"] == "others" for row in figure.layer("points")) == 29
    figure.shows("v00", "v10", "others")
    assert "v11" not in figure.texts


def test_twelve_variants_are_named():
    db = Database()
    for variant in range(12):
        db.measure(1000, variant=f"v{variant:02}", occupancy=0.5)
    assert draw(db, "occupancy").series() == [f"v{variant:02}" for variant in range(12)]


def test_odd_names():
    """What a name holds is drawn or left out, and never obeyed."""
    db = Database()
    odd = ["'; system 'touch evil'; '", '"`touch evil`"', "a\tb\nc", "%s%d{/Symbol a}^2_x", "x" * 300, "-", "#", "\u00e9\u6f22" * 30]
    for number, name in enumerate(odd):
        configuration, trial = db.measure(1000 + number, variant=name, occupancy=0.5)
    db.winner(trial)
    db.baseline("%n `$(x)` '\"\\", configuration)
    figure = draw(db, "occupancy")
    assert len(figure.series()) == len(odd)
    figure.shows("%s%d{/Symbol a}^2_x", "x" * 30, "#", "\u00e9\u6f22" * 15, "%n")
    assert not any("x" * 60 in text for text in figure.texts), "a name as long as that leaves the legend"


def test_many_points():
    """All rows are in the table; the picture holds no more of them than can be seen."""
    db = Database()
    problem, environment = db.problem(), db.environment()
    for number in range(6000):
        configuration = db.configuration(variant="ab"[number % 2], number=number)
        db.trial(configuration, 1000 + number % 50, problem, environment, occupancy=0.5 + 0.25 * (number % 3))
    figure = draw(db, "occupancy")
    points = figure.layer("points")
    assert len(points) == 6000
    seen = [row for row in points if row["covered"] == "0"]
    assert 20 < len(seen) < 2000
    assert {row["series"] for row in seen} == {"a", "b"}
    close(max(float(row["gbs"]) for row in seen), 4 * (1 << 20) / 1000)
    assert len(figure.svg) < 400000
    figure.shows("6000 points", "of points that cover one another one is drawn")


def test_units():
    """Without bytes operations count, and without these runs: each with its own limit, or none."""
    db = Database()
    db.problem(bytes_moved=0, operations=2e6, operations_type="f32")
    db.measure(1000, number=1, occupancy=0.5)
    db.ceilings(read=5000)
    db.insert("arithmetic_ceilings", environment_id=db.environment(), type="f32", measured_at="2026", gops=60000)
    figure = draw(db, "occupancy")
    close(figure.layer("points")[0]["gbs"], 2000)
    figure.shows("throughput (10^9 operations/s)", "measured ceiling of f32: 6e+04 10^9 operations/s")

    db = Database()
    _, trial = db.measure(1000, number=1, occupancy=0.5, bytes_moved=0)
    db.winner(trial)
    db.ceilings(read=5000)
    figure = draw(db, "occupancy")
    close(figure.layer("points")[0]["gbs"], 1e6)
    assert not figure.layer("ceiling")
    figure.shows("throughput (runs/s)", "1e+06 runs/s")


main(globals())
