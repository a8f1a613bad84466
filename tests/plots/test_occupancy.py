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


def joined(figure):
    return [(row["series"], float(row["occupancy_percent"]), round(4 * (1 << 20) / float(row["gbs"])))
            for row in figure.layer("curves") if row["covered"] == "0"]


def test_baselines_and_single_launches_are_not_joined():
    """A line through a baseline, or through one launch, would tell of its occupancy what is true of that launch alone."""
    db = Database()
    for occupancy, times in ((0.25, (1100, 1200)), (0.5, (1000, 1001)), (0.75, (3000,)), (1.0, (1020, 1030))):
        for time in times:
            configuration, trial = db.measure(time, variant="a", time=time, occupancy=occupancy)
            if time == 1000:
                db.winner(trial)
    slow, _ = db.measure(900, variant="a", time=900, occupancy=0.25)
    db.baseline("plain", slow)
    figure = draw(db, "occupancy")
    assert joined(figure) == [("a", 25, 1100), ("a", 50, 1000), ("a", 100, 1020)]
    assert len(figure.layer("points")) == 8, "all are points"


def test_axis_begins_near_the_best():
    """A slow baseline stands at the foot: it does not press what is near the best flat."""
    db = Database()
    for time in (1000, 1001, 1040, 1041):
        trial = db.measure(time, variant="a", time=time, occupancy=0.5 if time < 1020 else 1.0)[1]
        if time == 1000:
            db.winner(trial)
    slow, _ = db.measure(1900, variant="b", occupancy=1.0)
    db.baseline("plain", slow)
    figure = draw(db, "occupancy")
    begins = next(text for text in figure.texts if "the axis begins at" in text)
    assert float(begins.split("begins at ")[1].split()[0]) > 0.85 * 4 * (1 << 20) / 1000, begins
    figure.shows("plain", "2208 GB/s", ": 1 slower one is below it")


def test_curves_of_the_family():
    """Those of the experiment `occupancy` on this device stand behind, in the bytes that a thread asks for at a time."""
    db = Database()
    for time in (1000, 1001):
        db.measure(time, variant="a", time=time, occupancy=0.5)
    for loads, occupancy, time in ((1, 0.25, 4000), (1, 1.0, 1050), (1, 1.0, 1900), (4, 0.25, 1040), (4, 1.0, 1010)):
        _, trial = db.measure(time, "occupancy", occupancy=occupancy, loads=loads, time=time)
        db.sql.execute("UPDATE trials SET metrics = ? WHERE id = ?", (f'{{"bytes_per_thread": {16 * loads}}}', trial))
    figure = draw(db, "occupancy", problem="reduce.sum")
    family = [(row["series"].split(", ")[1], float(row["occupancy_percent"]), round(4 * (1 << 20) / float(row["gbs"])))
              for row in figure.layer("family")]
    assert family == [("16 bytes per thread", 25, 4000), ("16 bytes per thread", 100, 1050),
                      ("64 bytes per thread", 25, 1040), ("64 bytes per thread", 100, 1010)]
    figure.shows("family occupancy, 16 bytes per thread", "family occupancy, 64 bytes per thread")
    assert not draw(db, "occupancy", problem="occupancy").layer("family"), "its own figure has them as its series"
    other = db.environment("Other GPU")
    for time in (1000, 1001):
        db.measure(time, variant="a", time=time, occupancy=0.5, device=other)
    assert not [row for row in rows(db, "occupancy", problem="reduce.sum", device="Other GPU") if row["layer"] == "family"]


def test_limits_of_the_winner():
    """How much occupancy registers, shared memory and blocks would allow, where they are what the device counted."""
    db = Database()
    _, trial = db.measure(1000, variant="a", occupancy=0.5, grid=100, block=256)
    db.winner(trial)
    db.sql.execute("UPDATE devices SET facts = ?", ('{"name": "Test GPU", "sm_count": 100, "max_threads_per_sm": 2048, '
                   '"max_blocks_per_sm": 32, "registers_per_sm": 65536, "shared_bytes_per_sm": 233472, '
                   '"shared_bytes_reserved_per_block": 1024}',))
    db.sql.execute("UPDATE resources SET registers = 60, static_shared_bytes = 0, dynamic_shared_bytes = 37000, "
                   "active_blocks_per_sm = 4, occupancy = 0.5")
    figure = draw(db, "occupancy")
    limits = [(row["series"], float(row["occupancy_percent"])) for row in figure.layer("limits")]
    assert limits == [("registers (60)", 50), ("shared memory (36.1 KiB)", 75), ("blocks (of 256)", 100)], limits
    figure.shows("registers (60): 50 %", "shared memory (36.1 KiB): 75 %", "blocks (of 256): 100 %",
                 "occupancy that each limit would allow the winner (line: its own)")
    db.sql.execute("UPDATE resources SET active_blocks_per_sm = 3")
    assert not [row for row in rows(db, "occupancy") if row["layer"] == "limits"], "another limit held it: nothing is claimed"


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
