#!/bin/bash
# tune show --compare: changes under another driver and on another device, on a database with known numbers.
source "$TUNE_TESTS/lib.sh"
"$TUNE_BUILD/tests/make_fixture" tune.db

# One device under one driver: no comparison.
golden "$TUNE" show --wide --compare
run "$TUNE" show --wide --compare --why
expect_code 2
run "$TUNE" show --wide --compare fixture.sum.u64
expect_code 3

# An earlier run of the same device under the same driver: its own database. Equal results differ by noise.
cp tune.db old.db
cp tune.db changed.db
golden "$TUNE" show --wide --compare --before old.db
python3 - <<'P'
import sqlite3
db = sqlite3.connect("old.db")
db.execute("UPDATE winners SET time_low_ns = 2 * time_low_ns, time_high_ns = 2 * time_high_ns WHERE time_low_ns > 0")
db.execute("UPDATE trials SET median_ns = 2 * median_ns")
db.execute("UPDATE configurations SET key = key || ' loads=3', parameters = json_set(parameters, '$.loads', 3)")
db.commit()
P
golden "$TUNE" show --wide --compare --before old.db fixture.sum.i32 --n 2**16
run "$TUNE" report --before old.db -o page.html
expect_code 0
expect_data page.html '[(c[s]["device"], c[s]["database"]) for c in j["comparisons"][:1] for s in "ab"]' "[('Fixture GPU', 'old.db'), ('Fixture GPU', 'tune.db')]"
run "$TUNE" show --before old.db
expect_code 2
run "$TUNE" show --wide --compare --before nowhere.db
expect_code 3
run "$TUNE" report --before old.db -o old.db
expect_code 2

# A kernel that was changed, in one database: its winners before that beside those after it.
python3 - <<'P'
import sqlite3
db = sqlite3.connect("changed.db")
db.execute("PRAGMA foreign_keys = OFF")
def copy(table, **changed):
    row = db.execute(f"SELECT * FROM {table} WHERE id < 100000")
    names = [column[0] for column in row.description]
    for values in row.fetchall():
        values = dict(zip(names, values))
        for name in values:
            if name in ("id", "experiment_id", "problem_id", "configuration_id", "trial_id", "same_as_trial_id") and values[name] is not None:
                values[name] += 100000
        values.update(changed)
        db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", list(values.values()))
copy("experiments", definition_hash="another")
for table in ("problems", "configurations", "trials"):
    copy(table)
copy("winners", chosen_at="2099-01-01T00:00:00Z")
db.execute("UPDATE winners SET time_low_ns = 0.5 * time_low_ns, time_high_ns = 0.5 * time_high_ns WHERE id > 100000")
db.execute("UPDATE trials SET median_ns = 0.5 * median_ns WHERE id > 100000")
db.commit()
P
golden "$TUNE" show --wide --compare --db changed.db
[[ $(grep -c '^a: ' "$captured.out") -eq 1 ]] || fail "not one pair"

# The same under a newer driver: of two problems the winner is another one, of one the times are a tenth less, and one
# is missing. A device of another name has the results of the first.
python3 - <<'P'
import sqlite3
db = sqlite3.connect("tune.db")
def copy(table, shift, where="1", **changed):
    row = db.execute(f"SELECT * FROM {table} WHERE {where}")
    names = [column[0] for column in row.description]
    for values in row.fetchall():
        values = dict(zip(names, values))
        for name in values:
            if name in ("id", "trial_id", "winner_id", "same_as_trial_id") and values[name] is not None:
                values[name] += shift
        values.update(changed)
        db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", list(values.values()))
def another(shift, device, **changed):
    copy("environments", shift, "id = 1", device_id=device, **changed)
    for table in ("trials", "winners"):
        copy(table, shift, "environment_id = 1", environment_id=1 + shift)
    copy("contenders", shift, "winner_id IN (SELECT id FROM winners WHERE environment_id = 1)")
db.execute("PRAGMA foreign_keys = OFF")
another(100000, 1, driver="1000.0")
copy("devices", 7, uuid="GPU-other", name="Other GPU")
another(200000, 8, driver="1000.0")
new = "environment_id = 100001"
db.execute(f"UPDATE winners SET chosen_at = '2099-01-01T00:00:00Z' WHERE {new}")
problem = lambda key, n: db.execute("SELECT id FROM problems WHERE key = ? AND n = ?", (key, n)).fetchone()[0]
def choose(key, n, place):
    winner, trial = db.execute(f"""SELECT w.id, k.trial_id FROM winners w JOIN contenders k ON k.winner_id = w.id
        WHERE w.{new} AND w.problem_id = ? AND k.place = ?""", (problem(key, n), place)).fetchone()
    db.execute("UPDATE winners SET trial_id = ? WHERE id = ?", (trial, winner))
choose("fixture.sum.i32", 1 << 26, 2)  # as fast as what won before
for table, columns in (("winners", "time_low_ns = 0.9 * time_low_ns, time_high_ns = 0.9 * time_high_ns"),
                       ("trials", "median_ns = 0.9 * median_ns")):
    db.execute(f"UPDATE {table} SET {columns} WHERE {new} AND problem_id = ?", (problem("fixture.sum.f32", 1 << 22),))
# What won before takes 3 % more there, by all of the rounds.
choose("fixture.sum.i32", 1 << 16, 2)
db.execute(f"""UPDATE contenders SET difference = 0.03, difference_low = 0.028, difference_high = 0.032
    WHERE place = 1 AND winner_id = (SELECT id FROM winners WHERE {new} AND problem_id = ?)""", (problem("fixture.sum.i32", 1 << 16),))
db.execute(f"""UPDATE contenders SET difference = 0, difference_low = 0, difference_high = 0
    WHERE place = 2 AND winner_id = (SELECT id FROM winners WHERE {new} AND problem_id = ?)""", (problem("fixture.sum.i32", 1 << 16),))
db.execute(f"DELETE FROM winners WHERE {new} AND problem_id = ?", (problem("fixture.sum.f32", 1 << 16),))
db.commit()
P
golden "$TUNE" show --wide --compare
# The devices beside one another, by the newest of each.
expect_out '^a: Fixture GPU, 2099-01-01; b: Other GPU, '
expect_out '^- Changes: device Fixture GPU against Other GPU; '
expect_out '^- Of 5 problems Other GPU is faster for 0 and slower for 1 \(1\.11x\); '
[[ $(grep -c '^a: ' "$captured.out") -eq 2 ]] || fail "not two pairs"
! grep -qE '(^|[ -])(nan|inf)( |$)' "$captured.out" || fail "a number that is none"

run "$TUNE" show --compare fixture.sum.i32 --n 2**26 --csv
expect_code 0
[[ $(wc -l <"$captured.out") -eq 3 ]] || fail "not a header and a row for each pair"
run "$TUNE" show --compare --json
expect_code 0
python3 - "$captured.out" <<'P' || fail "not what the database has"
import json, sqlite3, sys
rows = json.load(open(sys.argv[1]))
assert len(rows) == 10
db = sqlite3.connect("tune.db")
for row in rows:
    times = [db.execute("""SELECT m.median_ns FROM winners w JOIN environments e ON e.id = w.environment_id
        JOIN devices d ON d.id = e.device_id JOIN problems p ON p.id = w.problem_id
        JOIN trials t ON t.id = w.trial_id JOIN trials m ON m.id = coalesce(t.same_as_trial_id, t.id)
        WHERE p.key = ? AND p.n = ? AND w.objective = 'time' AND d.name = ? AND e.driver = ?""",
        (row["problem"], row["n"], row[side + "_device"], row[side + "_driver"])).fetchone()[0] for side in "ab"]
    assert all(abs(x / y - 1) < 1e-9 for x, y in zip(times, (row["a_ns"], row["b_ns"]))), (row, times)
    assert abs(row["more"] - (row["b_ns"] / row["a_ns"] - 1)) < 1e-9
    assert row["move"] != "as fast" or row["loss_high"] <= 0.0025, row
    assert (row["move"] == "same") == (row["a_configuration"] == row["b_configuration"])
P

# The page has the same.
run "$TUNE" report -o page.html
expect_code 0
expect_data page.html 'len(j["comparisons"]), any(s.startswith("3 winners are the same; 1 moved within noise: ") for s in j["comparisons"][0]["sentences"])' '(2, True)'
expect_data page.html '[row["move"] for c in j["comparisons"] for row in c["winners"]].count("slower")' 1
expect_golden
