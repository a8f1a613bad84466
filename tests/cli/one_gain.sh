#!/bin/bash
# The gain over a baseline is one number everywhere: from the rounds that had both, in pairs, with its interval;
# never the quotient of two medians. Without common rounds no gain is claimed.
source "$TUNE_TESTS/lib.sh"
"$TUNE_BUILD/tests/make_fixture" tune.db
python3 - <<'P'
import sqlite3
d = sqlite3.connect("tune.db")
d.execute("UPDATE winners SET trust = 'sound'")
d.create_function("ratio", 2, lambda name, n: {"textbook": 3.5, "occupancy_api": 1.75}[name] + (n % 1000) / 1e4)
# The contender that is a baseline, or launches the same, as it was found in the sweep.
d.execute("""CREATE TEMP TABLE raced AS
             SELECT w.id, k.configuration_id, b.name, p.key, p.n FROM winners AS w JOIN problems AS p ON p.id = w.problem_id
             JOIN baselines AS b ON b.problem_id = p.id JOIN contenders AS k ON k.winner_id = w.id
             JOIN trials AS s ON s.problem_id = p.id AND s.configuration_id = b.configuration_id AND s.stage = 'sweep'
             JOIN trials AS t ON t.problem_id = p.id AND t.configuration_id = k.configuration_id AND t.stage = 'sweep'
             WHERE coalesce(s.same_as_trial_id, s.id) = coalesce(t.same_as_trial_id, t.id)""")
# As the choice writes them: to the fastest, which the winner is at one size, and is tied with at the others.
d.execute("""UPDATE contenders SET difference = 0.002, difference_low = 0.001, difference_high = 0.003
             WHERE (winner_id, configuration_id) IN (SELECT w.id, t.configuration_id FROM winners AS w
                 JOIN trials AS t ON t.id = w.trial_id JOIN problems AS p ON p.id = w.problem_id WHERE p.n <> 65536)""")
d.execute("""UPDATE contenders SET difference = r - 1, difference_low = r - 1.01, difference_high = r - 0.99
             FROM (SELECT *, ratio(name, n) AS r FROM raced) AS x
             WHERE x.id = contenders.winner_id AND x.configuration_id = contenders.configuration_id""")
# One of them was in no round, though it has times of every stage.
d.execute("""DELETE FROM contenders WHERE (winner_id, configuration_id) IN
             (SELECT id, configuration_id FROM raced
              WHERE key = 'fixture.sum.f32' AND n = 4194304 AND name = 'textbook')""")
d.commit()
P
for form in '' --baselines --why; do
    # shellcheck disable=SC2086 # none or one
    run "$TUNE" show $form --json
    expect_code 0
    cp "$captured.out" "show$form.json"
done
run "$TUNE" show --csv
cp "$captured.out" show.csv
run "$TUNE" report
expect_code 0
run "$TUNE" export -o tuned.conf
expect_code 0
cat >gains.py <<'P'
import csv, json, re
def near(a, b, what, digits=1e-6):
    assert a is not None and abs(a / b - 1) < digits, (what, a, b)
shown = {(w["problem"], w["n"]): w for w in json.load(open("show.json"))}
assert len(shown) == 6
beside = {(b["problem"], b["n"], b["baseline"]): b for b in json.load(open("show--baselines.json"))}
why = {(w["problem"], w["n"]): w for w in json.load(open("show--why.json"))}
rows = {(r["problem"], int(r["n"])): r for r in csv.DictReader(open("show.csv"))}
conf = {}
for line in open("tuned.conf").read().replace("\n  |", "").splitlines():
    if line.startswith("fixture."):
        at = re.search(r" at=(\d+)", line) or re.search(r" n=(\d+)", line)
        conf[line.split()[0], int(at[1])] = line
page = json.loads(re.search(r'id="data">(.*?)</script>', open("report.html", encoding="utf-8").read(), re.S)[1])
cells = {(problem["problem"], problem["n"], gain["name"]): gain for part in page["parts"] for problem in part["problems"] for gain in problem["gains"]}
in_file = 0
for key, winner in shown.items():
    n = key[1]
    own = 1 if n == 65536 else 1.002
    for i, b in enumerate(winner["baselines"]):
        name, what = b["name"], (key, b["name"])
        point, = (p for p in why[key]["points"] if p["role"] == name)
        cell = cells[key + (name,)]
        if key == ("fixture.sum.f32", 4194304) and name == "textbook":
            assert b["time_ns"] > 0 and point["time_ns"] > 0, what
            assert b["gain"] is b["gain_low"] is b["gain_high"] is point["worse_by"] is None, what
            assert beside[key + (name,)]["winner_gain"] is None and not rows[key][name + "_gain"], what
            assert not {"ratio", "low", "high"} & set(cell), (what, cell)
            assert key not in conf or f"gain.{name}=" not in conf[key], what
            continue
        ratio = {"textbook": 3.5, "occupancy_api": 1.75}[name] + (n % 1000) / 1e4
        gain = ratio / own
        low, high = (ratio - 0.01) / (own + (own > 1) * 0.001), (ratio + 0.01) / (own - (own > 1) * 0.001)
        assert abs(b["time_ns"] / winner["time_ns"] / gain - 1) > 0.1, "the quotient of the medians is another"
        for form in ({"gain": b["gain"], "gain_low": b["gain_low"], "gain_high": b["gain_high"]},
                     {k[len("winner_"):]: v for k, v in beside[key + (name,)].items() if k.startswith("winner_gain")},
                     {"gain": 1 + point["worse_by"], "gain_low": 1 + point["worse_by_low"],
                      "gain_high": 1 + point["worse_by_high"]}):
            near(form["gain"], gain, what)
            near(form["gain_low"], low, what)
            near(form["gain_high"], high, what)
        near(float(rows[key][name + "_gain"]), gain, what)
        near(cell["ratio"], gain, what)
        near(cell["low"], low, what)
        near(cell["high"], high, what)
        if set(winner["configuration"].split()) <= set(conf.get(key, "").split("|")[0].split()):
            in_file += 1
            near(float(re.search(rf"gain\.{name}=([\d.]+)", conf[key])[1]), gain, what, 1e-3)
assert in_file > 2, in_file
P
python3 gains.py || fail "the gains differ"

# Unknown bounds give no gain, and bounds with one end give that end.
python3 - <<'P'
import sqlite3
d = sqlite3.connect("tune.db")
baseline = """winner_id = (SELECT w.id FROM winners AS w JOIN problems AS p ON p.id = w.problem_id
                           WHERE p.key = 'fixture.sum.i32' AND p.n = 65536) AND round(difference) = """
d.execute(f"UPDATE contenders SET difference_low = -0.999999, difference_high = 639126 WHERE {baseline} 3")
d.execute(f"UPDATE contenders SET difference_low = 0.5, difference_high = 20 WHERE {baseline} 1")
assert d.total_changes == 2, d.total_changes
d.commit()
P
golden "$TUNE" show --wide --baselines fixture.sum.i32
golden "$TUNE" show fixture.sum.i32
golden "$TUNE" show --wide --why fixture.sum.i32 --n 65536
run "$TUNE" report fixture.sum.i32 -o wide.html
expect_code 0
told='[{k: v for k, v in g.items() if k != "about"} for p in winners if p["n"] == 65536 for g in p["gains"]]'
expect_data wide.html "$told" "[{'name': 'occupancy_api', 'standing': 'slower', 'at_least': 1.5}, {'name': 'textbook'}]"
run "$TUNE" export -o wide.conf
expect_code 0
grep -q '^fixture.sum.i32 n=65536.* at=65536 ' wide.conf || fail "no entry at that size"
! grep -A1 '^fixture.sum.i32 n=65536' wide.conf | grep -q 'gain\.' || fail "gains that are not known in tuned.conf"

# A baseline that is not shown to be slower is equally good, whatever the medians of a few rounds
# are.
python3 - <<'P'
import sqlite3
d = sqlite3.connect("tune.db")
d.execute("""UPDATE contenders SET tied = 1, difference = 0.51, difference_low = -0.02, difference_high = 0.6 WHERE winner_id =
             (SELECT w.id FROM winners AS w JOIN problems AS p ON p.id = w.problem_id
              WHERE p.key = 'fixture.sum.i32' AND p.n = 65536) AND difference_high = 20""")
assert d.total_changes == 1, d.total_changes
d.commit()
P
golden "$TUNE" show fixture.sum.i32 --n 65536
golden "$TUNE" show fixture.sum.i32 --n 65536 --wide
golden "$TUNE" show --wide --baselines fixture.sum.i32 --n 65536
run "$TUNE" show fixture.sum.i32 --n 65536 --json
expect_json '[b["standing"] for b in j[0]["baselines"]], j[0]["gain_standing"], round(j[0]["gain"], 2)' "(['not compared', None], 'not compared', 1.51)"
run "$TUNE" report fixture.sum.i32 -o equal.html
expect_data equal.html '[g.get("standing") for p in winners if p["n"] == 65536 for g in p["gains"]]' "['not compared', None]"
run "$TUNE" export -o equal.conf
! grep -A1 '^fixture.sum.i32 n=65536' equal.conf | grep -q 'gain\.' || fail "tuned.conf tells a gain over what is as good"

# The line to forward is of the largest problem of which something is known.
python3 - <<'P'
import sqlite3
d = sqlite3.connect("tune.db")
d.execute("""UPDATE contenders SET difference_low = -0.999999, difference_high = 639126 WHERE difference > 0.1 AND winner_id IN
             (SELECT w.id FROM winners AS w JOIN problems AS p ON p.id = w.problem_id WHERE p.key = 'fixture.sum.f32' AND p.n > 65536)""")
assert d.total_changes > 1, d.total_changes
d.commit()
P
golden "$TUNE" show fixture.sum.f32
golden "$TUNE" show --wide --why fixture.sum.i32 --n 65536
expect_golden
