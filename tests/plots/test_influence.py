"""influence: what leaving the winner's value of each parameter costs, and what its other values do."""
import math

from lib import DATE, Database, close, draw, main, refuse, rows


def omega_squared(times, of):
    """Of log(time), one parameter alone. times: {configuration: ns}; of(configuration): its value."""
    logs = {c: math.log(t) for c, t in times.items()}
    groups = {}
    for c, y in logs.items():
        groups.setdefault(of(c), []).append(y)
    n, k = len(logs), len(groups)
    mean = sum(logs.values()) / n
    total = sum((y - mean) ** 2 for y in logs.values())
    within = sum(sum((y - sum(g) / len(g)) ** 2 for y in g) for g in groups.values())
    error = within / (n - k)
    return max(0.0, (total - within - (k - 1) * error) / (total + error))


def test_numbers():
    db = Database()
    times = {}
    for size in (64, 128, 256, 512):
        for kind in ("plain", "wide"):
            for depth in (1, 2, 3):
                times[size, kind, depth] = (1000 + size * 7 % 97 * 31) * (9.5 if kind == "plain" else 1) * (1 + depth / 50)
    trials = {(s, k, d): db.measure(t, size=s, kind_of=k, depth=d, fixed="same") for (s, k, d), t in times.items()}
    best = min(times, key=times.get)
    db.measure(1, size=64, kind_of="plain", depth=9, fixed="same")
    db.sql.execute("UPDATE trials SET status = 'wrong_result' WHERE median_ns = 1")
    second = sorted(times, key=times.get)[1]
    db.winner(trials[second][1])
    figure = draw(db, "influence")
    points = {p["parameter"]: p for p in figure.layer("points")}
    assert set(points) == {"size", "kind_of", "depth"}, "a parameter with one value has nothing to say"
    for place, name in enumerate(("size", "kind_of", "depth")):
        close(points[name]["share"], omega_squared(times, lambda c, place=place: c[place]), share=1e-7)
        assert points[name]["value"] == str(second[place]), "the winner's value stands with the name"
        assert points[name]["configurations"] == "24"
    order = sorted(points, key=lambda name: -float(points[name]["loss"]))
    assert [points[name]["row"] for name in order] == ["1", "2", "3"]
    values = {(v["parameter"], v["value"]): v for v in figure.layer("values")}
    assert len(values) == 4 + 2 + 3
    for (name, value), row in values.items():
        place = ("size", "kind_of", "depth").index(name)
        least = min(t for c, t in times.items() if str(c[place]) == value)
        assert math.isclose(float(row["loss"]), least / times[best] - 1, abs_tol=1e-12)
        assert row["rank"] == ("0" if str(second[place]) == value else "1"), "the winner's values are marked"
    figure.shows("reduce.sum", "1048576 (2^20)", "Test GPU", DATE, "test.db", "24 configurations",
                 f"kind_of = {second[1]}", "the fastest launch without that value", f"{100 * float(points['kind_of']['loss']):.3g} %", "plain", "512")


def test_conclusion():
    db = Database()
    trials = {(a, b): db.measure(1000 * (1 + a) + b, a=a, b=b)[1] for a in range(3) for b in range(4)}
    db.winner(trials[0, 1])
    figure = draw(db, "influence")
    figure.shows("a matters most: without a=0 the fastest launch takes 2 times as long; 1 of 2")


def test_shares_that_count_twice():
    """Two parameters that are tied to one another explain the same: together no more than all."""
    db = Database()
    for i in range(12):
        db.measure(1000 * (1 + i % 3), a=i % 3, b=f"v{i % 3}", c=i // 3)
    points = {p["parameter"]: float(p["share"]) for p in rows(db, "influence") if p["layer"] == "points"}
    close(points["a"], 0.5)
    close(points["b"], 0.5)
    close(points["c"], 0)


def test_logarithms():
    for times in ({i: 3.7 ** i for i in range(12)}, {i: 1 + (i % 3 * 5 + i // 3) / 15 for i in range(12)}):
        db = Database()
        for i, time in times.items():
            db.measure(time, a=i % 3, b=i // 3)
        got = {r["parameter"]: r for r in rows(db, "influence") if r["layer"] == "points"}
        close(got["a"]["share"], omega_squared(times, lambda i: i % 3), share=1e-8)
        close(got["b"]["share"], omega_squared(times, lambda i: i // 3), share=1e-8)


def test_duplicates_have_the_time_of_what_was_measured():
    db = Database()
    _, trial = db.measure(1000, grid_of=1, other=1)
    db.measure(3000, grid_of=1, other=2)
    for grid, other in ((2, 1), (2, 2)):
        _, same = db.measure(5, grid_of=grid, other=other)
        db.sql.execute("UPDATE trials SET same_as_trial_id = ?, median_ns = NULL, status = 'skipped_by_constraint' WHERE "
                       "id = ?", (trial if other == 1 else trial + 1, same))
    got = {r["parameter"]: r for r in rows(db, "influence") if r["layer"] == "points"}
    assert got["grid_of"]["configurations"] == "4"
    close(got["grid_of"]["share"], 0)
    close(got["other"]["share"], 1)
    close(got["other"]["loss"], 2)


def test_other_modes_and_devices_stay_out():
    db = Database()
    for i in range(6):
        db.measure(1000 + i, a=i % 2, b=i // 2)
        db.measure(9000 - i * 1000, a=i % 2, b=i // 2, l2_mode="hot")
        db.measure(5000 - i * 500, a=i % 2, b=i // 2, device=db.environment("Another GPU"))
    got = [r for r in rows(db, "influence", device="Test GPU", l2="cold") if r["layer"] == "points"]
    close(got[0]["share"], omega_squared({i: 1000 + i for i in range(6)}, lambda i: i // 2), share=1e-7)
    assert {r["configurations"] for r in got} == {"6"}


def test_as_many_values_as_configurations():
    db = Database()
    db.measure(1000, block_of=1)
    db.measure(2000, block_of=2)
    figure = draw(db, "influence")
    assert figure.layer("points")[0]["share"] == ""
    figure.shows("100 %", "block_of = 1")


def test_all_times_alike():
    db = Database()
    for i in range(8):
        db.measure(1000, a=i % 2, b=i // 2)
    figure = draw(db, "influence")
    assert {float(p["share"]) for p in figure.layer("points")} == {0}
    assert {float(v["loss"]) for v in figure.layer("values")} == {0}
    figure.shows("No parameter matters much")


def test_lists_odd_names_and_many_parameters():
    db = Database()
    for i in range(64):
        parameters = {f"p{k}": (i * (k + 3) // 7) % (2 + k % 4) for k in range(30)}
        parameters["tile's \"q\" `x` %d {a}_b^c"] = f"[{i % 4}, 'x'] %s \\n" + "y" * 60
        db.measure(1000 + i * i % 101, **parameters)
    figure = draw(db, "influence")
    assert [p["row"] for p in figure.layer("points")] == [str(i) for i in range(1, 17)]
    hidden = int(figure.layer("left_out")[0]["row"])
    assert 16 + hidden == 31
    figure.shows(f"parameters that cost less: {hidden}")


def test_many_points():
    db = Database()
    db.measure(1000, a=0, b=0)
    db.sql.execute("""WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 100000)
        INSERT INTO configurations (experiment_id, key, parameters)
        SELECT 1, 'c' || i, json_object('a', i % 10, 'b', i / 10 % 10, 'c', i % 7) FROM k""")
    db.sql.execute("""INSERT INTO trials (run_id, environment_id, problem_id, configuration_id, stage, l2_mode, status,
        sample_count, median_ns, value, duration_ns, measured_at) SELECT 1, 1, 1, id, 'sweep', 'cold', 'ok', 0,
        1000.0 + id * 7919 % 5003, 1, 1, '2026' FROM configurations WHERE id > 1""")
    assert [p["configurations"] for p in draw(db, "influence").layer("points")] == ["100001", "100001", "100000"]


def test_nothing():
    db = Database()
    db.measure(1000, variant="only")
    refuse(db, "influence", "nothing to draw", "a parameter took more than one value")


main(globals())
