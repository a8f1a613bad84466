"""search: the best so far against time."""
from lib import DATE, Database, close, draw, main, refuse, rows


def sweep(db, *trials):
    """(time_ns, seconds) each. Gives [(configuration, trial)]."""
    made = []
    for number, (time, seconds) in enumerate(trials):
        made.append(db.measure(time, number=number))
        db.sql.execute("UPDATE trials SET duration_ns = ? WHERE id = ?", (int(seconds * 1e9), made[-1][1]))
    return made


def rounds(db, stage, process, at_s, fault=None, **columns):
    for ordinal, at in enumerate(at_s):
        db.insert("rounds", **{**dict(run_id=1, problem_id=1, stage=stage, objective="time", process=process,
                                      ordinal=ordinal, fault=fault, anchor_first_ns=1000, anchor_last_ns=1000,
                                      at_ns=int(at * 1e9)), **columns})


def test_numbers():
    db = Database()
    made = sweep(db, (4000, 1), (5000, 2), (2000, 0.5), (9, 1), (2500, 1), (1000, 3), (1500, 1.5))
    db.sql.execute("UPDATE trials SET status = 'wrong_result' WHERE median_ns = 9")
    winner = db.trial(made[5][0], 1010, stage="confirm")
    db.trial(made[5][0], 1005, stage="race")
    db.winner(winner)
    db.baseline("plain", made[0][0])
    rounds(db, "race", 0, (20, 21, 22, 23))
    rounds(db, "confirm", 1, (100, 102))
    rounds(db, "confirm", 2, (200, 202, 204))
    figure = draw(db, "search")
    points = figure.layer("points")
    assert [float(p["time_ns"]) for p in points] == [4000, 5000, 2000, 2500, 1000, 1500]
    assert [float(p["seconds"]) for p in points] == [1, 3, 3.5, 5.5, 8.5, 10], "a trial that failed took its time, too"
    assert [float(p["best_ns"]) for p in points] == [4000, 4000, 2000, 2000, 1000, 1000]
    assert [(float(b["seconds"]), float(b["best_ns"])) for b in figure.layer("best")] == [
        (1, 4000), (3.5, 2000), (8.5, 1000), (10, 1000)]
    marks = {m["series"]: m for m in figure.layer("marks")}
    assert (float(marks["winner"]["seconds"]), float(marks["winner"]["time_ns"]), marks["winner"]["trial"]) == (8.5, 1000, "6")
    assert float(marks["plain"]["seconds"]) == 1
    close(figure.layer("final")[0]["time_ns"], 1010)
    stages = {s["series"]: (float(s["seconds"]), float(s["end_seconds"])) for s in figure.layer("stages")}
    assert stages == {"race": (10, 14), "confirmation": (14, 14 + 4 + 6)}, stages
    figure.shows("reduce.sum", "1048576 (2^20)", "Test GPU", DATE, "test.db", "winner", "1 µs in the sweep",
                 "after 8.5 s, trial 6", "1.01 µs confirmed", "plain", "4 µs", "race 4 s, confirmation 10 s",
                 "against the best trial (1 µs)", "best so far",
                 "The sweep came to the winner after 8.5 of 10 s, as trial 6 of 7; it was within 1 % of its best after")


def test_what_is_left():
    db = Database()
    sweep(db, (4000, 1), (2000, 0.5), (1000, 3))
    for run, most in ((1, 0.2), (2, 0.0123)):
        if run > 1:
            db.insert("runs", environment_id=1, started_at="2026-01-03", seed=1, l2_mode="cold", tick_ns=1, empty_pair_ns=1)
        db.insert("searches", run_id=run, problem_id=1, asked="auto", strategy="surrogate", space_count=100, points_most=3,
                  points=3, trials=3, unlaunchable=0, duplicates=0, failures=0, chance_of_better=0.2, most_better=most)
    draw(db, "search").shows("not tried: at most 1.2 % better with 90 %, by the model of the search")
    db.sql.execute("UPDATE searches SET most_better = NULL")
    assert "left" not in [r["layer"] for r in rows(db, "search")]


def test_runs_follow_one_another():
    db = Database()
    sweep(db, (4000, 1), (3000, 1))
    later = db.insert("runs", environment_id=1, started_at="2026-01-03", seed=1, l2_mode="cold", tick_ns=1,
                      empty_pair_ns=1)
    # Measured again, the trial of the first run is of the later one.
    db.sql.execute("UPDATE trials SET run_id = ? WHERE id = 1", (later,))
    got = [r for r in rows(db, "search") if r["layer"] == "points"]
    assert [(float(r["seconds"]), float(r["time_ns"])) for r in got] == [(1, 3000), (2, 4000)]


def test_baseline_outside_the_space_is_no_best():
    db = Database()
    made = sweep(db, (500, 1), (2000, 1), (1000, 1))
    db.baseline("library", made[0][0])
    winner = db.winner(made[2][1], stage="sweep", contenders=[(made[2][0], 0, 0, 0), (made[0][0], -0.5, -0.5, -0.5)])
    db.sql.execute("UPDATE contenders SET out = 'baseline' WHERE winner_id = ? AND configuration_id = ?",
                   (winner, made[0][0]))
    figure = draw(db, "search")
    assert [float(b["best_ns"]) for b in figure.layer("best")] == [2000, 1000, 1000]
    figure.shows("library", "500 ns", "1 µs in the sweep")


def test_other_modes_devices_and_sizes_stay_out():
    db = Database()
    sweep(db, (2000, 1), (1000, 1))
    db.measure(10, number=0, l2_mode="hot")
    db.measure(10, number=0, device=db.environment("Another GPU"))
    db.measure(10, n=1 << 10, number=0)
    got = [r for r in rows(db, "search", device="Test GPU", l2="cold", n=1 << 20) if r["layer"] == "points"]
    assert [(float(r["seconds"]), float(r["time_ns"])) for r in got] == [(1, 2000), (2, 1000)]


def test_one_trial():
    db = Database()
    sweep(db, (1000, 0.25))
    figure = draw(db, "search")
    assert len(figure.layer("points")) == 1
    figure.shows("a trial of the sweep", "best so far")


def test_no_time_passed_and_odd_names():
    db = Database()
    made = sweep(db, (1000, 0), (1000, 0))
    db.baseline("a'b`c\\d %s {e}_f^g", made[0][0])
    db.winner(made[1][1], stage="sweep")
    figure = draw(db, "search")
    figure.shows("%s {e}_f^g")


def test_many_baselines():
    db = Database()
    made = sweep(db, *((1000 + 100 * i, 1) for i in range(14)))
    for i, (configuration, _) in enumerate(made[1:]):
        db.baseline(f"baseline_{i:02}", configuration)
    db.winner(made[0][1], stage="sweep")
    draw(db, "search").shows("baseline_12 2.3 µs", "1 µs in the sweep")


def test_many_trials():
    db = Database()
    db.measure(1000, a=0)
    db.sql.execute("""WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 99999)
        INSERT INTO configurations (experiment_id, key, parameters) SELECT 1, 'c' || i, json_object('a', i) FROM k""")
    db.sql.execute("""INSERT INTO trials (run_id, environment_id, problem_id, configuration_id, stage, l2_mode, status,
        sample_count, median_ns, value, duration_ns, measured_at) SELECT 1, 1, 1, id, 'sweep', 'cold', 'ok', 0,
        1000.0 + id * 7919 % 5003, 1, 1000000, '2026' FROM configurations WHERE id > 1""")
    assert len(draw(db, "search").layer("points")) == 100000


def test_nothing():
    db = Database()
    db.measure(1000, number=1, stage="race")
    refuse(db, "search", "nothing to draw", "a sweep with a time")


main(globals())
