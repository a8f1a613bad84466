#!/bin/bash
# tune show --why: explained winners, on a database with known numbers (tests/data).
source "$TUNE_TESTS/lib.sh"
"$TUNE_BUILD/tests/make_fixture" tune.db

# ---- for people ----
golden "$TUNE" show --why fixture.sum.i32 --n 2**26
expect_code 0
expect_empty err
# All were timed in one stage, and all have a time: that needs no line.
! grep -qE '^(stage|status) ' "$captured.out" || fail "a line that tells nothing"
refuse_nan() {
    ! grep -qiE 'nan|inf' "$captured.out" || fail "a number that is none"
}
refuse_nan

# Operations of a kernel are printed if the experiment has them.
cp tune.db computes.db
python3 -c '
import sqlite3
db = sqlite3.connect("computes.db")
db.execute("UPDATE problems SET operations = n, operations_type = \"i32\"")
db.commit()'
golden "$TUNE" show --wide --why fixture.sum.i32 --n 2**26 --db computes.db

# Words and sizes choose; all problems without.
run "$TUNE" show --wide --why
[[ $(grep -c '^fixture\.sum' "$captured.out") -eq 6 ]] || fail "not six problems"
[[ $(grep -c '^limit: ' "$captured.out") -eq 6 ]] || fail "not six limits"
expect_out '^fixture\.sum\.f32, n = 67108864: .*, not sure$'
run "$TUNE" show --wide --why fixture.sum.u64
expect_code 3
golden "$TUNE" show --wide --why --ties
run "$TUNE" show --wide --why --objective energy
expect_code 3

# ---- for programs: one object per winner, one row per point ----
run "$TUNE" show --why --json
expect_code 0
expect_json 'len(j)' 6
expect_json 'all([p["role"] for p in w["points"]] == ["winner", "runner-up", "occupancy_api", "textbook"] for w in j)' True
expect_json '{(w["device"], w["objective"], w["l2_mode"], w["ceiling_gbs"]) for w in j}' "{('Fixture GPU', 'time', 'cold', 1000)}"
expect_json 'all(w["limit"] and w["limit_text"] and w["sentences"] for w in j)' True
expect_json 'all(p["parameters"]["variant"] in ("last_block", "two_launches") for w in j for p in w["points"])' True
expect_json 'all(s["parameter"] in w["points"][0]["parameters"] and str(w["points"][0]["parameters"][s["parameter"]]) == s["value"] for w in j for s in w["sensitivities"])' True
cp "$captured.out" why.json
# The numbers are those of the other questions.
run "$TUNE" show --json
cp "$captured.out" winners.json
run "$TUNE" show --ties --json
cp "$captured.out" ties.json
cat >same.py <<'P'
import json, sqlite3
why, winners, ties = (json.load(open(f + ".json")) for f in ("why", "winners", "ties"))
for w in why:
    own = [x for x in winners if (x["problem"], x["n"]) == (w["problem"], w["n"])]
    assert len(own) == 1, own
    own = own[0]
    p = w["points"][0]
    assert p["time_ns"] == own["time_ns"] and p["stage"] == own["stage"] and p["configuration"] == own["configuration"]
    assert abs(100 * p["ceiling_share"] - own["ceiling_percent"]) < 1e-9
    assert (p["time_low_ns"], p["time_high_ns"]) == (own["time_low_ns"], own["time_high_ns"])
    for b in own["baselines"]:
        q = [x for x in w["points"] if x["role"] == b["name"]][0]
        assert q["time_ns"] == b["time_ns"] and abs(1 + q["worse_by"] - b["gain"]) < 1e-6, (q, b)
    stood = {x["configuration"]: x for x in ties if (x["problem"], x["n"]) == (w["problem"], w["n"])}
    best = [x for x in stood.values() if x["configuration"] != p["configuration"] and x["out"] is None]
    runner_up = w["points"][1]
    assert runner_up["configuration"] == min(best, key=lambda x: x["place"])["configuration"]
    for q in w["points"][1:]:
        # A baseline that launches what another configuration does stands under that one's name.
        k = stood.get(q["configuration"]) or [x for x in stood.values() if x["time_ns"] == q["time_ns"]][0]
        assert abs(100 * q["worse_by"] - k["difference_percent"]) < 1e-9
        assert abs(100 * q["worse_by_low"] - k["low_percent"]) < 1e-9
        assert abs(100 * q["worse_by_high"] - k["high_percent"]) < 1e-9
# What changing a parameter costs is the sweep's.
db = sqlite3.connect("tune.db")
for w in why:
    own = w["points"][0]["parameters"]
    times = {}
    for parameters, ns in db.execute(
        """SELECT c.parameters, m.median_ns FROM trials t JOIN configurations c ON c.id = t.configuration_id
           JOIN trials m ON m.id = coalesce(t.same_as_trial_id, t.id) JOIN problems p ON p.id = t.problem_id
           WHERE t.stage = 'sweep' AND m.status = 'ok' AND p.key = ? AND p.n = ?""", (w["problem"], w["n"])):
        times[tuple(json.loads(parameters).items())] = ns
    base = times[tuple(own.items())]
    assert w["sensitivities"] == sorted(w["sensitivities"], key=lambda s: -s["best_other_loss"]) != []
    fastest = min(times.values())
    for s in w["sensitivities"]:
        other = {}
        for key, ns in times.items():
            value = str(dict(key)[s["parameter"]])
            if value != s["value"] and ns != base:
                other[value] = min(ns / fastest, other.get(value, ns / fastest))
        assert abs(s["best_other_loss"] - (min(other.values()) - 1)) < 1e-12, (s, other)
        assert abs(other[s["best_other"]] - min(other.values())) < 1e-12
        assert abs(s["worst_loss"] - (max(other.values()) - 1)) < 1e-12
        assert s["values"] == len(other)
P
python3 same.py || fail "--why does not agree with the others"

run "$TUNE" show --why --csv
expect_code 0
[[ $(wc -l <"$captured.out") -eq 25 ]] || fail "not a header and 24 rows"
expect_out '^version,device,.*,problem,n,winner_id,limit,role,status,standing,stage,time_ns,.*,in_flight_bytes,trial_id,configuration$'
expect_out '^1,Fixture GPU,.*,fixture\.sum\.i32,67108864,[0-9]+,unknown,textbook,ok,slower,confirm,'

# ---- a baseline that failed, one that was not tried, one of another stage ----
cp tune.db failed.db
python3 - <<'P'
import sqlite3
d = sqlite3.connect("failed.db")
d.execute("INSERT INTO baselines SELECT environment_id, problem_id, 'absent', '', (SELECT max(id) FROM configurations) FROM baselines WHERE name = 'textbook'")
d.execute("INSERT INTO configurations SELECT max(id) + 1, experiment_id, 'variant=none', '{\"variant\":\"none\"}' FROM configurations")
d.execute("UPDATE baselines SET configuration_id = (SELECT max(id) FROM configurations) WHERE name = 'absent'")
ids = "(SELECT configuration_id FROM baselines WHERE name = 'textbook')"
d.execute(f"DELETE FROM trials WHERE stage <> 'sweep' AND configuration_id IN {ids} AND id NOT IN (SELECT trial_id FROM contenders) AND id NOT IN (SELECT trial_id FROM winners)")
d.execute(f"DELETE FROM contenders WHERE configuration_id IN {ids}")
d.execute(f"DELETE FROM trials WHERE stage <> 'sweep' AND configuration_id IN {ids}")
d.execute(f"UPDATE trials SET status = 'launch_failed', median_ns = NULL WHERE configuration_id IN {ids} AND problem_id = (SELECT id FROM problems WHERE key = 'fixture.sum.f32' AND n = 4194304)")
d.commit()
P
golden "$TUNE" show --wide --why fixture.sum.f32 --n 2**22 --db failed.db
golden "$TUNE" show --wide --why fixture.sum.f32 --n 2**26 --db failed.db
# There another configuration launches the same, and was raced in its place.
run "$TUNE" show --why fixture.sum.f32 --n 65536 --db failed.db --json
expect_json '[(p["role"], p["stage"]) for p in j[0]["points"]][4]' "('textbook', 'confirm')"
run "$TUNE" show --why fixture.sum.f32 --n 2**26 --db failed.db --json
expect_json '[(p["role"], p["stage"]) for p in j[0]["points"]][2:]' "[('absent', None), ('occupancy_api', 'confirm'), ('textbook', 'sweep')]"
expect_json 'j[0]["points"][4]["worse_by_low"], j[0]["points"][2]["time_ns"]' "(None, None)"

# ---- a duplicate that was raced in another's place, a contender that could not win ----
cp tune.db alike.db
python3 - <<'P'
import sqlite3
d = sqlite3.connect("alike.db")
problem = "(SELECT id FROM problems WHERE key = 'fixture.sum.i32' AND n = 67108864)"
ids = "(SELECT configuration_id FROM baselines WHERE name = 'textbook')"
d.execute("INSERT INTO configurations SELECT max(id) + 1, experiment_id, 'variant=again', '{}' FROM configurations")
again = "(SELECT max(id) FROM configurations)"
d.execute(f"UPDATE trials SET configuration_id = {again} WHERE stage <> 'sweep' AND problem_id = {problem} AND configuration_id IN {ids}")
d.execute(f"""UPDATE contenders SET configuration_id = {again} WHERE configuration_id IN {ids}
              AND winner_id = (SELECT id FROM winners WHERE problem_id = {problem})""")
columns = [c[1] for c in d.execute("PRAGMA table_info(trials)") if c[1] not in ("id", "configuration_id", "same_as_trial_id", "status", "median_ns")]
d.execute(f"""INSERT INTO trials (configuration_id, same_as_trial_id, status, {", ".join(columns)})
              SELECT {again}, id, 'skipped_by_constraint', {", ".join(columns)} FROM trials
              WHERE stage = 'sweep' AND problem_id = {problem} AND configuration_id IN {ids} LIMIT 1""")
d.execute(f"UPDATE contenders SET out = 'gauntlet: n=7' WHERE place = 2 AND winner_id = (SELECT id FROM winners WHERE problem_id = {problem})")
d.commit()
P
run "$TUNE" show --why fixture.sum.i32 --n 2**26 --db alike.db --json
expect_json '[(p["role"], p["stage"], round(p["worse_by"], 3)) for p in j[0]["points"]][3]' "('textbook', 'confirm', 1.235)"
cp "$captured.out" why.json
run "$TUNE" show --ties fixture.sum.i32 --n 2**26 --db alike.db --json
expect_json '[t["place"] for t in j if t["configuration"] == __import__("json").load(open("why.json"))[0]["points"][1]["configuration"]]' '[3]'

# ---- a larger size near the ceiling shows that a smaller one waits; a smaller size shows nothing ----
reach() {
    cp tune.db reach.db
    python3 -c 'import sqlite3, sys; d = sqlite3.connect("reach.db"); [d.execute(s) for s in sys.argv[1:]]; d.commit()' "$@"
    run "$TUNE" show --wide --why fixture.sum.i32 --db reach.db
}
reach "UPDATE problems SET bytes_moved = 1.1 * bytes_moved WHERE n = 67108864"
expect_out '^limit: latency\. .* the same problem reaches 88\.6 % at n = 67108864\. '
[[ $(grep -c 'the same problem reaches' "$captured.out") -eq 2 ]] || fail "of three sizes not the two smaller ones"
reach "UPDATE problems SET bytes_moved = 1.1 * bytes_moved WHERE n = 67108864" "UPDATE winners SET l2_mode = 'hot' WHERE problem_id IN (SELECT id FROM problems WHERE n = 67108864)" \
    "UPDATE trials SET l2_mode = 'hot' WHERE problem_id IN (SELECT id FROM problems WHERE n = 67108864)"
! grep -q 'the same problem reaches' "$captured.out" || fail "another cache mode is no evidence"
reach "UPDATE problems SET bytes_moved = 13 * bytes_moved WHERE n = 65536"
expect_out '^limit: memory\. '
! grep -q 'the same problem reaches' "$captured.out" || fail "a smaller size is no evidence"

# ---- bytes in flight, where the experiment says what a thread asks for ----
cp tune.db flight.db
python3 - <<'P'
import sqlite3
d = sqlite3.connect("flight.db")
d.execute("""UPDATE trials SET metrics = json_object('bytes_per_thread',
             (SELECT 4 * json_extract(parameters, '$.vector') * json_extract(parameters, '$.loads')
              FROM configurations WHERE id = configuration_id)) WHERE stage = 'sweep'""")
d.commit()
P
run "$TUNE" show --why fixture.sum.i32 --n 2**26 --db flight.db --json
expect_json 'all(p["bytes_per_thread"] == 4 * p["parameters"]["vector"] * p["parameters"]["loads"] for p in j[0]["points"])' True
expect_json 'all(p["bytes_in_flight_per_sm"] == p["bytes_per_thread"] * min(p["occupancy"] * 2048, -(-p["grid"] // 100) * p["block"]) for p in j[0]["points"])' True
golden "$TUNE" show --wide --why fixture.sum.i32 --n 2**26 --db flight.db
# Not a column of other tables.
run "$TUNE" show --wide --top 3 --db flight.db
! grep -q bytes_per_thread "$captured.out" || fail "bytes_per_thread has a column"

# ---- what is not known is left out ----
cp tune.db bare.db
python3 - <<'P'
import sqlite3
d = sqlite3.connect("bare.db")
for s in ("DELETE FROM resources", "DELETE FROM ceilings", "DELETE FROM contenders", "DELETE FROM baselines",
          "UPDATE runs SET node_gap_ns = NULL", "UPDATE problems SET bytes_moved = 0",
          "UPDATE winners SET time_low_ns = NULL, time_high_ns = NULL, trust = NULL, trust_reason = NULL, delta = NULL,"
          " confidence = NULL, tied_count = NULL"):
    d.execute(s)
d.commit()
P
golden "$TUNE" show --wide --why fixture.sum.i32 --n 2**26 --db bare.db
refuse_nan
! grep -qE '^(occupancy|registers|of ceiling|GB/s) ' "$captured.out" || fail "something is said that is not known"
run "$TUNE" show --why --db bare.db --json
expect_json '[p["role"] for p in j[0]["points"]]' "['winner', 'runner-up']"
expect_json 'j[0]["points"][0]["occupancy"], j[0]["verdict"], j[0]["ceiling_gbs"]' "(None, 'unknown', None)"

# Without a winner: a message, and no output.
python3 -c 'import sqlite3; d = sqlite3.connect("bare.db"); d.execute("DELETE FROM winners"); d.commit()'
golden "$TUNE" show --wide --why --db bare.db
run "$TUNE" show --why --db bare.db --json
expect_json 'j' '[]'

# A measurement that supports no choice has no gain.
golden "$TUNE" show --wide --why fixture.sum.f32 --n 2**26
expect_golden
