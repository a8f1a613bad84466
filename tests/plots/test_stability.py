"""stability: anchor, clocks, temperature and power over the rounds."""
from lib import DATE, Database, close, draw, main, refuse, rows

READ = dict(sm_clock_mhz=1980.0, memory_clock_mhz=3201.0, temperature_c=40.0, power_w=300.0, throttle=0)


def add(db, stage, process, ordinal, at_s, anchor=(1000, 1000), **columns):
    first, last = anchor
    db.insert("rounds", **{**dict(run_id=1, problem_id=1, stage=stage, objective="time", process=process, ordinal=ordinal,
                                  anchor_first_ns=first, anchor_last_ns=last, at_ns=int(at_s * 1e9)), **columns})


def raced(db):
    configuration, _ = db.measure(1000, number=1)
    db.trial(configuration, 1000, stage="race")
    return db


def test_numbers():
    db = raced(Database())
    add(db, "race", 0, 0, 10, (1000, 1000), **READ)
    add(db, "race", 0, 1, 11, (1010, 990), **READ)
    add(db, "race", 0, 2, 14, (1000, 1000), **{**READ, "throttle": 1})
    add(db, "confirm", 1, 0, 100, (1020, 1020), **{**READ, "temperature_c": 50.0})
    add(db, "confirm", 1, 1, 101, (1020, 1400), fault="anchor_moved", **READ)
    add(db, "confirm", 2, 0, 200, (1000, 1000), **READ)
    # Another objective: not this race.
    add(db, "race", 0, 3, 15, (5000, 5000), objective="energy")
    figure = draw(db, "stability")
    points = figure.layer("points")
    assert [p["series"] for p in points] == ["race"] * 3 + ["confirmation"] * 3
    # Rounds of the race took (14 - 10) / 2 s on average, so its first began at 8 s; then 1 s each; one alone 1 ms.
    assert [round(float(p["seconds"]), 6) for p in points] == [2, 3, 6, 7, 8, 8.001]
    assert [float(p["anchor_first_percent"]) for p in points] == [0, 1.0, 0, 2.0, 2.0, 0]
    assert [round(float(p["anchor_last_percent"]), 9) for p in points] == [0, -1, 0, 2, 40, 0]
    assert [p["temperature_c"] for p in points] == ["40.0"] * 3 + ["50.0", "40.0", "40.0"]
    faults = {f["series"]: float(f["seconds"]) for f in figure.layer("faults")}
    assert faults == {"anchor moved": 8, "clock held back": 6}
    processes = [(p["series"], p["process"], float(p["seconds"]), float(p["end_seconds"])) for p in figure.layer("processes")]
    assert processes == [("race", "0", 0, 6), ("confirmation", "1", 6, 8), ("confirmation", "2", 8, 8.001)]
    figure.shows("reduce.sum", "1048576 (2^20)", "Test GPU", DATE, "test.db", "race", "confirmation: 2 processes",
                 "core clock", "memory clock", "temperature", "power", "anchor moved", "clock held back")
    assert figure.layer("conclusion")[0]["series"] == (
        "Over 6 rounds the anchor stayed within 2 % of its median; left out for a fault: 1; with a clock held back: 1")


def test_what_was_not_read_has_no_panel():
    db = raced(Database())
    for ordinal in range(3):
        add(db, "race", 0, ordinal, 1 + ordinal, (1000 + ordinal, None), sm_clock_mhz=2600.0)
    figure = draw(db, "stability")
    figure.shows("anchor:", "core clock")
    assert not any(word in text for text in figure.texts for word in ("memory", "temperature", "power"))


def test_one_round():
    db = raced(Database())
    add(db, "race", 0, 0, 1)
    figure = draw(db, "stability")
    assert len(figure.layer("points")) == 1
    figure.shows("anchor:", "race")


def test_each_panel_has_a_scale():
    """Two numbers at least beside each panel: of 237 to 519 W multiples of 200 would be one."""
    for low, high in ((237.0, 519.0), (300.0, 300.0), (3201.0, 3201.0), (41.0, 59.0), (95.0, 205.0)):
        db = raced(Database())
        for ordinal, power in enumerate((low, high, low)):
            add(db, "race", 0, ordinal, 1 + ordinal, (None, None), power_w=power)
        numbers = [text for text in draw(db, "stability").texts if text.replace(".", "").isdigit()]
        beside = [float(text) for text in numbers if float(text) > 0.6 * low]
        assert len(beside) >= 2, (low, high, numbers)


def test_no_anchor():
    db = raced(Database())
    add(db, "race", 0, 0, 1, (None, None), **READ)
    add(db, "race", 0, 1, 2, (None, None), **READ)
    figure = draw(db, "stability")
    figure.shows("core clock", "power")
    assert not any("anchor" in text for text in figure.texts)


def test_all_is_zero():
    db = raced(Database())
    for ordinal in range(2):
        add(db, "race", 0, ordinal, 1, (1000, 1000), sm_clock_mhz=0.0, temperature_c=0.0, power_w=0.0)
    draw(db, "stability").shows("power")


def test_of_several_races_the_last():
    db = raced(Database())
    add(db, "race", 0, 0, 1, (500, 500))
    later = db.insert("runs", environment_id=1, started_at="2026-01-03", seed=1, l2_mode="cold", tick_ns=1,
                      empty_pair_ns=1)
    db.sql.execute("UPDATE trials SET run_id = ? WHERE stage = 'race'", (later,))
    add(db, "race", 0, 0, 1, (1000, 1000), run_id=later)
    add(db, "race", 0, 1, 2, (1000, 1000), run_id=later)
    got = [r for r in rows(db, "stability") if r["layer"] == "points"]
    assert [float(r["anchor_first_percent"]) for r in got] == [0, 0]


def test_other_modes_stay_out():
    db = raced(Database())
    hot = db.insert("runs", environment_id=1, started_at="2026-01-03", seed=1, l2_mode="hot", tick_ns=1, empty_pair_ns=1)
    configuration = db.configuration(number=1)
    db.trial(configuration, 10, stage="race", l2_mode="hot", run_id=hot)
    add(db, "race", 0, 0, 1, (500, 500), run_id=hot)
    add(db, "race", 0, 0, 1, (1000, 1000))
    got = [r for r in rows(db, "stability", l2="cold") if r["layer"] == "points"]
    assert len(got) == 1 and got[0]["at_ns"] == "1000000000"
    assert [r["at_ns"] for r in rows(db, "stability", l2="hot") if r["layer"] == "points"] == ["1000000000"]
    add(db, "race", 0, 1, 2, (600, 600), run_id=hot)
    assert len([r for r in rows(db, "stability", l2="cold") if r["layer"] == "points"]) == 1
    assert len([r for r in rows(db, "stability", l2="hot") if r["layer"] == "points"]) == 2


def test_many_rounds_and_an_odd_fault():
    db = raced(Database())
    db.sql.execute("""WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 19999)
        INSERT INTO rounds (run_id, problem_id, stage, objective, process, ordinal, fault, anchor_first_ns,
            anchor_last_ns, sm_clock_mhz, at_ns)
        SELECT 1, 1, 'race', 'time', 0, i, CASE i % 2000 WHEN 0 THEN 'it''s `odd` %s {x}' END, 1000 + i % 97,
            1000 + i % 89, 1980, i * 1000000 FROM k""")
    figure = draw(db, "stability")
    assert len(figure.layer("points")) == 20000
    figure.shows("%s {x}")


def test_nothing():
    db = raced(Database())
    refuse(db, "stability", "nothing to draw", "rounds of a race")


main(globals())
