#!/bin/bash
# tune show: every question, in every form, on a database with known numbers (tests/data).
source "$TUNE_TESTS/lib.sh"
"$TUNE_BUILD/tests/make_fixture" tune.db

# Winners: the launch, in 100 columns; a line above has the values that all winners of a problem
# share.
golden "$TUNE" show
expect_code 0
expect_empty err
sed '$d' "$captured.out" | awk 'length($0) > 100 { exit 1 }' || fail "a line of more than 100 columns"
# The shared line and a row together are the whole configuration.
cp "$captured.out" page
run "$TUNE" show --json
python3 - page "$captured.out" <<'P' || fail "the page does not hold every winner's launch"
import json, re, sys
page, winners = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
for block in re.split(r"\n\n", page)[1:-2]:
    lines = block.splitlines()
    key = lines[0].split(":")[0]
    shared = dict(p.split("=") for p in lines[1].removeprefix("all: ").split(" "))
    at = lines[2].index("launch")
    rows = []
    for line in lines[3:]:
        if re.match("(nearly sure|not sure)[,:]", line):
            break
        if line[:at].strip():
            rows.append([line.split()[0], line[at:]])
        else:
            rows[-1][1] += " " + line[at:]
    own = [w for w in winners if w["problem"] == key]
    assert len(rows) == len(own) > 0
    for (n, launch), w in zip(rows, own):
        numbers, parameters = launch.split(": ")
        parameters = dict(p.split("=") for p in parameters.split())
        assert int(n) == w["n"] and not parameters.keys() & shared.keys()
        assert {**shared, **parameters} == {k: str(v) for k, v in w["parameters"].items()}, (shared, launch)
        assert f"<<<{w['launches'][0]['grid'][0]}, {w['launches'][0]['block'][0]}>>>" == numbers
P
# A single winner shares nothing; a second launch, dynamic shared memory and a grid of two axes are printed.
python3 - <<'P'
import shutil, sqlite3
shutil.copy("tune.db", "launches.db")
db = sqlite3.connect("launches.db")
db.execute("UPDATE resources SET grid_y = 3, dynamic_shared_bytes = 4096")
db.execute("INSERT INTO resources SELECT DISTINCT trial_id, 9, 'second', 1, 1, 1, 512, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 2, 1, 1, 1 FROM resources")
db.commit()
P
run "$TUNE" show fixture.sum.f32 --n 65536 --db launches.db
tr -s ' \n' ' ' <"$captured.out" | grep -qF '<<<(256, 3), 64, 4096>>>, then <<<1, 512>>> in clusters of 2, cooperative: variant' || fail 'not the launches'
tr -s ' \n' ' ' <"$captured.out" | grep -q 'variant=last_block block=64 blocks_per_sm=4 vector=4 loads=1' || fail "not the whole configuration"
refuse_out '^all:'
rm launches.db page

# Every column: the time of the confirmation, both baselines with the gain, the share of the ceiling.
golden "$TUNE" show --wide
expect_code 0
expect_empty err
[[ $(grep -c '^fixture\.sum' "$captured.out") -eq 6 ]] || fail "not six problems"

run "$TUNE" show fixture.sum.f32 --n 2**22 --json
expect_code 0
expect_json 'len(j)' 1
expect_json '(j[0]["problem"], j[0]["n"], j[0]["stage"])' "('fixture.sum.f32', 4194304, 'confirm')"
expect_json '[b["name"] for b in j[0]["baselines"]]' "['occupancy_api', 'textbook']"
expect_json 'all(abs(b["gain"] - b["time_ns"] / j[0]["time_ns"]) < 1e-9 for b in j[0]["baselines"])' True
expect_json 'abs(j[0]["gbs"] - 4 * 4194304 / j[0]["time_ns"]) < 1e-9' True
expect_json 'abs(j[0]["ceiling_percent"] - j[0]["gbs"] / 10) < 1e-9' True
expect_json 'j[0]["parameters"]["variant"]' last_block

# A problem is held against the ceiling that its experiment names, under a heading of its own.
cp tune.db writes.db
python3 -c 'import sqlite3; d = sqlite3.connect("writes.db"); d.execute("UPDATE problems SET ceiling = \"write\" WHERE key = \"fixture.sum.f32\""); d.commit()'
golden "$TUNE" show --db writes.db
run "$TUNE" show --db writes.db --json
expect_json '{(p["problem"], p["ceiling"], p["ceiling_gbs"]) for p in j} == {("fixture.sum.f32", "write", 950), ("fixture.sum.i32", "read", 1000)}' True
expect_json 'all(abs(p["ceiling_percent"] - 100 * p["gbs"] / p["ceiling_gbs"]) < 1e-9 for p in j)' True
for more in --baselines '--top 1'; do
    # shellcheck disable=SC2086 # two words
    run "$TUNE" show $more --db writes.db --json
    expect_json '{p["ceiling"] for p in j} == {"read", "write"}' True
    expect_json 'all(abs(p["ceiling_percent"] - 100 * p["gbs"] / p["ceiling_gbs"]) < 1e-9 for p in j if p["gbs"])' True
done
rm writes.db

# Several words; the beginning of a key.
run "$TUNE" show fixture.sum.f32 fixture.sum.i32 --n 65536 --json
expect_json 'len(j)' 2
run "$TUNE" show fixture.sum --json
expect_json 'len(j)' 6
run "$TUNE" show fixture --csv
expect_code 0
[[ $(wc -l <"$captured.out") -eq 7 ]] || fail "not a header and six rows"
expect_out '^version,device,.*,configuration,parameters,launches,picked,picked_loss_percent,occupancy_api_ns,occupancy_api_gain,occupancy_api_gain_low,occupancy_api_gain_high,occupancy_api_gain_standing,textbook_ns,textbook_gain,textbook_gain_low,textbook_gain_high,textbook_gain_standing$'

# The members that the manual promises for JSON and CSV are there, and both have the same contents.
cp "$captured.out" winners.csv
run "$TUNE" show fixture --json
python3 - "$captured.out" winners.csv <<'P' || fail "JSON and CSV do not hold what is promised of them"
import csv, json, sys
winners, table = json.load(open(sys.argv[1])), list(csv.DictReader(open(sys.argv[2])))
promised = """device device_uuid driver compiler l2_mode experiment problem n objective time_ns time_low_ns time_high_ns gbs
    ceiling_gbs ceiling_percent gain gain_low gain_high gain_over baselines verdict verdict_reason as_fast not_compared coverage points_tried configuration parameters launches""".split()
assert len(winners) == len(table) == 6
for w, row in zip(winners, table):
    assert not set(promised) - w.keys(), set(promised) - w.keys()
    assert not set(promised) - {"baselines"} - row.keys()
    assert w["gain"] == min(b["gain"] for b in w["baselines"])
    assert w["gain"] == next(b["gain"] for b in w["baselines"] if b["name"] == w["gain_over"])
    assert {b["name"] + "_ns" for b in w["baselines"]} <= row.keys()
    for name in ("parameters", "launches"):
        assert json.loads(row[name]) == w[name]
    for launch in w["launches"]:
        assert launch.keys() == {"kernel", "grid", "block", "dynamic_shared_bytes", "cluster", "cooperative", "threads"}
        assert len(launch["grid"]) == len(launch["block"]) == 3
    assert float(row["time_ns"]) == w["time_ns"] and row["configuration"] == w["configuration"]
P

# The best points: finalists in the order of the confirmation, then the sweep; no point twice.
run "$TUNE" show --top 8 fixture.sum.i32 --n 2^22 --json
expect_json 'len(j)' 8
expect_json '[p["place"] for p in j] == list(range(1, 9))' True
expect_json '[p["stage"] for p in j]' "['confirm', 'confirm', 'confirm', 'confirm', 'sweep', 'sweep', 'sweep', 'sweep']"
expect_json 'j[0]["mark"]' winner
expect_json 'all(a["time_ns"] <= b["time_ns"] for a, b in zip(j, j[1:]) if a["stage"] == b["stage"])' True
expect_json 'len({(p["grid"], p["block"], p["launch_count"], p["configuration"].split("vector")[1]) for p in j})' 8
expect_json 'all(p["registers"] > 0 and 0 < p["occupancy_percent"] <= 100 for p in j)' True
winner=$(pick 'j[0]["trial_id"]')
golden "$TUNE" show --top 2
golden "$TUNE" show --wide --top 2 fixture.sum.i32
golden "$TUNE" show --baselines
golden "$TUNE" show --wide --baselines
golden "$TUNE" show --failures fixture.sum.f32 --n 65536
golden "$TUNE" show --searches
golden "$TUNE" show --runs
golden "$TUNE" show --wide --runs

# One trial, measured and duplicate.
golden "$TUNE" show --trial "$winner"
[[ $(grep -cE '^ +[0-5] +[0-5] +8 +2[0-9.]+ us$' "$captured.out") -eq 6 ]] || fail "not six samples"
run "$TUNE" show --trial "$winner" --json
expect_json '(len(j["launches"]), len(j["samples"]), j["trial"]["trial_id"])' "(1, 6, $winner)"
twin=$(query "SELECT min(id) FROM trials WHERE same_as_trial_id IS NOT NULL")
run "$TUNE" show --trial "$twin" --json
expect_json 'j["trial"]["same_as_trial_id"] > 0 and j["trial"]["median_ns"] > 0' True
expect_json '(j["trial"]["status"], len(j["samples"]))' "('ok', 6)"

# Missing names: exit 3, one line, the nearest word.
for case in fixtrue fixture.sum.i33 zebra '--n 65537' '--objective enrgy' '--trial 999999' '--db absent.db'; do
    # shellcheck disable=SC2086 # words
    golden "$TUNE" show $case
    expect_code 3
    expect_one_line err
done
refuse_file absent.db

# Wrong use: exit 2.
for case in '--top 0' '--top x' '--n 0' '--n 2**99' '--n 12x' '--trial 0' '--top 3 --runs' \
    '--json --csv' '--trust --ties' '--trust --runs' '--runs fixture' '--trial 1 --n 65536' '--tpo 3'; do
    # shellcheck disable=SC2086 # words
    run "$TUNE" show $case
    expect_code 2
    expect_empty out
    expect_one_line err
done

# An empty result is no failure, and is reported.
"$TUNE_BUILD/tests/make_fixture" bare.db
python3 - <<'P'
import sqlite3
db = sqlite3.connect("bare.db")
db.execute("DELETE FROM winners")
db.commit()
P
golden "$TUNE" show --db bare.db
run "$TUNE" show --db bare.db --json
expect_json 'j' '[]'

# Texts of others reach neither terminal nor JSON raw.
python3 - <<'P'
import sqlite3
db = sqlite3.connect("bare.db")
db.execute("UPDATE trials SET detail = char(27) || '[2J' || char(10) || '\"a\\' WHERE status = 'wrong_result'")
db.execute("UPDATE devices SET name = char(27) || '[31mred'")
db.commit()
P
run "$TUNE" show --wide --db bare.db --failures
expect_code 0
! grep -q $'\x1b' "$captured.out" || fail "an escape sequence reached the terminal"
run "$TUNE" show --db bare.db --failures --json
expect_json 'sum(f["detail"] == "\x1b[2J\n\"a\\" for f in j)' 12

# A full disk behind standard output.
code=0
"$TUNE" show >/dev/full 2>full.err || code=$?
[[ $code -eq 5 ]] || fail "exit code $code, not 5, with a full disk"
expect_golden
