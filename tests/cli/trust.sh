#!/bin/bash
# tune show --trust, --ties and --ranges on a database with known numbers; then the trust of a real run,
# on a device with few facts.
source "$TUNE_TESTS/lib.sh"
"$TUNE_BUILD/tests/make_fixture" tune.db

# The conditions of the run, in words ...
golden "$TUNE" show --wide --trust
expect_code 0
expect_empty err
golden "$TUNE" show --trust
golden "$TUNE" show --ties
golden "$TUNE" show --wide --ties
golden "$TUNE" show --ranges
expect_code 0

# Only selected problems count.
run "$TUNE" show --trust fixture.sum.i32 --json
expect_code 0
expect_json 'j["version"], j["verdict"]' "(1, 'sure')"
expect_json '[(r["sure_count"], r["nearly_sure_count"], r["rounds"], r["rounds_dropped"]) for r in j["runs"]]' '[(3, 0, 336, 3)]'
expect_json '(j["runs"][0]["sm_clock_mhz_low"], j["runs"][0]["sm_clock_mhz_high"])' '(1965.0, 1980.0)'
expect_json '(j["runs"][0]["protocol_changes"], j["runs"][0]["throttling"])' "('confirm_processes=2', 'power cap')"
expect_json '[w["verdict"] for w in j["winners"]]' "['sure', 'sure', 'sure']"
run "$TUNE" show --trust fixture.sum.f32 --n 2**26 --csv
[[ $(wc -l <"$captured.out") -eq 2 ]] || fail "not a header and one verdict"
expect_out ',not sure,'

# Unreadable facts are unknown, and no failure.
python3 - <<'P'
import shutil, sqlite3
shutil.copy("tune.db", "silent.db")
db = sqlite3.connect("silent.db")
db.execute("""UPDATE rounds SET sm_clock_mhz = NULL, memory_clock_mhz = NULL, temperature_c = NULL,
              power_w = NULL, throttle = NULL, ecc_errors = NULL, other_processes = NULL""")
db.execute("UPDATE runs SET worker_cpus = NULL, near = NULL, node_gap_ns = NULL, protocol = NULL, effort = NULL")
db.execute("UPDATE winners SET trust = NULL, trust_reason = NULL, floor = NULL")
db.commit()
P
run "$TUNE" show --wide --trust --db silent.db
expect_code 0
for line in 'verdict +unknown' 'A/A floor +unknown' 'SM clock +unknown' 'temperature +unknown' 'power +unknown' \
    'throttled by +unknown' 'ECC errors +unknown' 'other processes +unknown' 'pinned to +nothing' 'effort +unknown'; do
    expect_out "^  $line"
done
expect_out 'NVML is missing'
run "$TUNE" show --trust --db silent.db --json
expect_json '(j["verdict"], j["runs"][0]["sm_clock_mhz_low"])' "('unknown', None)"

# Unknown bounds, and impossible ones, are printed as unknown.
python3 - <<'P'
import shutil, sqlite3
shutil.copy("tune.db", "wide.db")
db = sqlite3.connect("wide.db")
sizes = "SELECT id FROM problems WHERE key = 'fixture.sum.i32' AND n = "
db.execute(f"UPDATE winners SET time_low_ns = -7.862e6 WHERE problem_id = ({sizes} 65536)")
db.execute(f"UPDATE winners SET time_high_ns = 4.01 * time_low_ns WHERE problem_id = ({sizes} 4194304)")
db.commit()
P
golden "$TUNE" show --wide --trust fixture.sum.i32 --db wide.db
run "$TUNE" show --trust fixture.sum.i32 --db wide.db --json
expect_json '[w["time_low_ns"] is None for w in j["winners"]]' '[True, True, False]'
golden "$TUNE" show --wide --why fixture.sum.i32 --n 65536 --db wide.db
run "$TUNE" report --db wide.db -o wide.html
expect_code 0
expect_data wide.html '["time_low_ns" in p["winner"] for p in winners if p["problem"] == "fixture.sum.i32"]' '[False, False, True]'
! grep -q -e '-7.862' wide.html || fail "the page has a time below zero"

# Times of two kinds are reported, with both medians; times of one kind are not.
python3 - <<'P'
import shutil, sqlite3
shutil.copy("tune.db", "two.db")
db = sqlite3.connect("two.db")
trial, = db.execute("SELECT trial_id FROM winners w JOIN problems p ON p.id = w.problem_id"
                    " WHERE p.key = 'fixture.sum.i32' AND p.n = 65536").fetchone()
db.execute("DELETE FROM samples WHERE trial_id = ?", (trial,))
db.executemany("INSERT INTO samples (trial_id, ordinal, process, round, runs, invalid, elapsed_ns) VALUES (?, ?, ?, ?, 1, 0, ?)",
               [(trial, i, i // 40, i % 40, (89000 if i * 37 % 10 < 6 else 89700) + 4 * (i * 53 % 30)) for i in range(320)])
db.execute("UPDATE winners SET delta = 0.0025")
db.commit()
P
golden "$TUNE" show --wide --trust fixture.sum.i32 --db two.db
[[ $(grep -c 'two groups' "$captured.out") -eq 1 ]] || fail "two groups where there is one"
run "$TUNE" show --trust fixture.sum.i32 --db two.db --json
expect_json '[(w["groups"] is None, w["groups_apart_percent"] is None) for w in j["winners"]]' \
    '[(False, False), (True, True), (True, True)]'
run "$TUNE" report --db two.db -o two.html
expect_code 0
expect_data two.html '[p["groups"] for p in winners if "groups" in p and p["problem"] == "fixture.sum.i32"]' \
    "['times form two groups 0.8 % apart: 60 % at 89.07 us, 40 % at 89.75 us']"

# Ties: the winner, those as fast, those that may be, those that are not, and those that may not win.
run "$TUNE" show --ties fixture.sum.f32 --n 2^22 --json
expect_code 0
expect_json '[c["standing"] for c in j]' "['winner', 'as fast', 'not compared', 'slower', 'slower', 'slower']"
expect_json '[c["place"] for c in j]' '[1, 2, 3, 4, 5, 6]'
expect_json '[c["out"] for c in j][3:]' "[None, 'baseline', 'baseline']"
expect_json 'all(c["low_percent"] < c["difference_percent"] < c["high_percent"] for c in j[1:])' True
python3 - <<'P'
import sqlite3
db = sqlite3.connect("silent.db")
db.execute("DELETE FROM contenders")
db.execute("DELETE FROM range_checks")
db.execute("DELETE FROM ranges")
db.commit()
P
for question in --ties --ranges; do
    golden "$TUNE" show "$question" --db silent.db
done

# Ranges: the sizes that share a configuration, and the loss; a size between is looked up.
golden "$TUNE" show --wide --ranges
run "$TUNE" show --ranges fixture.sum.i32 --n 5000000 --json
expect_code 0
expect_json '[(r["n_low"], r["n_high"]) for r in j]' '[(4194304, 67108864)]'
expect_json '[(c["n"], c["measured"]) for c in j[0]["checks"]]' '[(4194304, True), (16777216, False), (67108864, True)]'
# An interval without an upper end is JSON all the same.
python3 - <<'P'
import shutil, sqlite3
shutil.copy("tune.db", "open.db")
db = sqlite3.connect("open.db")
db.execute("UPDATE range_checks SET loss_low = -1, loss_high = 9e999 WHERE n = 16777216")
db.commit()
P
run "$TUNE" show --ranges fixture.sum.i32 --n 5000000 --json --db open.db
expect_json '(j[0]["checks"][1]["loss_high"], j[0]["checks"][2]["loss_high"] is None)' '(None, False)'

# A look at a configuration that did not hold, before the sizes were cut anew, is none of the range's.
cp tune.db recut.db
python3 - <<'P'
import sqlite3
db = sqlite3.connect("recut.db")
db.execute("UPDATE range_checks SET loss = 0.03, loss_low = 0.02, loss_high = 0.04 WHERE n = 67108864 AND measured")
db.commit()
P
run "$TUNE" show --ranges fixture.sum.i32 --n 5000000 --db recut.db --json
expect_code 0
expect_json '[c["n"] for c in j[0]["checks"]]' '[4194304, 16777216]'
expect_json '(j[0]["sizes_measured"], j[0]["measured_loss_percent"] <= j[0]["bound_percent"])' '(1, True)'

# A row without bounds was not compared, whatever the database calls it; counts are of others.
python3 - <<'P'
import shutil, sqlite3
shutil.copy("tune.db", "open.db")
db = sqlite3.connect("open.db")
db.execute("""UPDATE contenders SET tied = 1, proven = 1, difference_low = -9e999, difference_high = 9e999
              WHERE place > 1 AND out IS NULL""")
db.execute("UPDATE winners SET tied_count = 765")
db.commit()
P
run "$TUNE" show --db open.db --json
expect_json '{w["as_fast"] for w in j}, min(w["not_compared"] for w in j) > 0, any("tied_count" in w for w in j)' '({0}, True, False)'
run "$TUNE" show --ties --db open.db --json
expect_json '{c["standing"] for c in j if c["low_percent"] is None}' "{'not compared'}"
golden "$TUNE" show --ties fixture.sum.i32 --n 65536 --db open.db
run "$TUNE" export --db open.db -o -
expect_out ' not_compared=[1-9]'
refuse_out ' as_fast=| tied=|=765'
golden "$TUNE" show --why fixture.sum.i32 --n 65536 --db open.db

# Chosen among few of many points, most of which failed: the choice may hold, but no headline is sure.
python3 - <<'P'
import shutil, sqlite3
shutil.copy("tune.db", "few.db")
db = sqlite3.connect("few.db")
db.execute("UPDATE winners SET trust = 'sound', points = 10, space_count = 3400, failures = 8, coverage = 'mostly failed'")
db.commit()
P
golden "$TUNE" show --db few.db
run "$TUNE" show --db few.db --json
expect_json '{(w["verdict"], w["headline"], w["coverage"], w["points_tried"], w["failures"]) for w in j}' "{('sure', 'not sure', 'mostly failed', 10, 8)}"
# The view's rule is that of the run's last line (verdict_headline, tests/unit/stats/test_verdict.c).
python3 - "$TUNE_SOURCE/db/schema.sql" <<'P'
import re, sqlite3, sys
db = sqlite3.connect("few.db")
for view in re.findall(r"CREATE VIEW (?:verdicts|headlines) AS.*?;\n", open(sys.argv[1]).read(), re.S):
    db.execute(view.replace("CREATE VIEW", "CREATE TEMP VIEW"))
for trust, verdict in (("sound", "sure"), ("noisy", "nearly sure"), ("unstable", "not sure"), (None, "unknown")):
    for coverage in ("whole", "part", None, "hardly seen", "mostly failed"):
        db.execute("UPDATE winners SET trust = ?, coverage = ?", (trust, coverage))
        headline = "not sure" if trust and coverage in ("hardly seen", "mostly failed") else verdict
        assert set(db.execute("SELECT verdict, headline FROM headlines")) == {(verdict, headline)}, (trust, coverage)
P
golden "$TUNE" show --trust --db few.db
golden "$TUNE" show --why fixture.sum.i32 --n 65536 --db few.db
run "$TUNE" export --db few.db -o -
expect_out 'coverage="mostly failed"'

# A real run says how far it can be trusted, at its end and later.
write_experiment
run "$TUNE" run double.yaml --device cpu --no-report --sizes 1000 --db real.db
[[ $code -eq 0 || $code -eq 6 ]] || fail "exit code $code" # 6: this machine was too busy to trust
expect_err "^tune: 1 of 1 problem: (sure|nearly sure|not sure); .*'tune show --db real.db --trust' says why$"
expect_out '^1 of 1 problem: (sure|nearly sure|not sure); [0-9,]+ of [0-9,]+ points? tried.*\. double n=1000: [0-9.]+ [nu]s, .* [0-9]{4}-[0-9]{2}-[0-9]{2}\.$'
run "$TUNE" show --wide --trust --db real.db
expect_code 0
expect_out '^  verdict +(sure|nearly sure|not sure): 1 '
expect_out '^  rounds +[1-9][0-9]*, '
expect_out '^  timer +tick '
expect_out '^double +1000 .* (sure|nearly sure|not sure) '
run "$TUNE" show --trust --db real.db --json
expect_json 'j["runs"][0]["effort"]' normal
expect_json 'j["runs"][0]["rounds"] == sum(w["rounds"] for w in j["winners"])' True

# Unsure choices have no gain, and no bounds.
python3 - <<'P'
import shutil, sqlite3
shutil.copy("tune.db", "unsure.db")
db = sqlite3.connect("unsure.db")
db.execute("UPDATE winners SET trust = 'unstable'")
db.commit()
P
golden "$TUNE" show --db unsure.db

# Whatever the database contains: no difference, share or claim is printed that its bounds, or the device,
# contradict.
python3 - <<'P'
import shutil, sqlite3
shutil.copy("tune.db", "absurd.db")
db = sqlite3.connect("absurd.db")
db.execute("UPDATE winners SET claim = 41.3")
db.execute("UPDATE contenders SET difference_low = -0.9999, difference_high = 639126 WHERE difference > 0.05")
db.execute("UPDATE ceilings SET read_gbs = 100")
db.execute("UPDATE range_checks SET loss = -0.4")
db.execute("UPDATE problems SET operations = 1e12, operations_type = 'f32'")
db.execute("INSERT INTO arithmetic_ceilings SELECT id, 'f32', '2026-01-01T00:00:00Z', 1.0 FROM environments")
db.commit()
P
for question in '' --wide --baselines '--top 3' --trust --ties --ranges --why; do
    # shellcheck disable=SC2086 # words
    run "$TUNE" show $question --db absurd.db
    expect_code 0
    refuse_out '[0-9]{4,}(\.[0-9]*)? ?%|-(40|100|99)\.[0-9]* %|[0-9]{4,}(\.[0-9]*)?x'
done
golden "$TUNE" show --wide --ties fixture.sum.i32 --n 65536 --db absurd.db
golden "$TUNE" show --wide --why fixture.sum.i32 --n 65536 --db absurd.db
run "$TUNE" report --db absurd.db -o absurd.html
expect_data absurd.html '[w for p in winners if p["n"] == 65536 for w in ("ratio", "low", "high") for g in p["gains"] if w in g]' '[]'

# Choices that are not sure are written on request alone; the option's former name still works.
python3 - <<'P'
import shutil, sqlite3
shutil.copy("tune.db", "some.db")
db = sqlite3.connect("some.db")
db.execute("UPDATE winners SET trust = iif(id % 2, 'unstable', 'sound')")
db.commit()
P
golden "$TUNE" export --db some.db -o some.conf
for option in --include-not-sure --include-unstable; do
    run "$TUNE" export --db some.db "$option" -o -
    expect_code 0
    expect_out ' verdict="not sure"'
done
expect_golden
