#!/bin/bash
# tune report: the page, its selection, its output; without winners, with any names.
source "$TUNE_TESTS/lib.sh"
fixture=$TUNE_BUILD/tests/make_fixture
[[ -x $fixture ]] || exit 77

# check_page FILE: well-formed, alone, safe. Then expect_page and refuse_page look at its text.
check_page() {
    run python3 -B "$TUNE_SOURCE/tests/report/check_page.py" "$1"
    expect_code 0
}
expect_page() {
    grep -qF -- "$2" "$1" || fail "$1 has no '$2'"
}
refuse_page() {
    ! grep -qF -- "$2" "$1" || fail "$1 has '$2'"
}
# change SQL: makes tune.db something else.
change() {
    python3 - "$1" <<'P'
import sqlite3, sys
db = sqlite3.connect("tune.db")
db.executescript(sys.argv[1])
db.commit()
P
}

# No database, and an empty one.
golden "$TUNE" report
python3 -c "import sqlite3; sqlite3.connect('tune.db').executescript(open('$TUNE_SOURCE/db/schema.sql').read())"
golden "$TUNE" report
refuse_file report.html
rm tune.db
"$fixture" tune.db

# Each winner has a row, with its gain.
run "$TUNE" report
expect_code 0
expect_empty out
expect_err '^report\.html: [0-9]+ kB$'
check_page report.html
expect_page report.html 'Fixture GPU'
run "$TUNE" show --json
python3 - "$captured.out" <<'P' || fail "winners and page differ"
import json, re, sys
rows = json.load(open(sys.argv[1]))
j = json.loads(re.search(r'id="data">(.*?)</script>', open("report.html", encoding="utf-8").read(), re.S)[1])
problems = {(problem["problem"], problem["n"]): problem for part in j["parts"] for problem in part["problems"]}
assert rows and set(problems) == {(row["problem"], row["n"]) for row in rows}, problems
for row in rows:
    problem = problems[row["problem"], row["n"]]
    assert abs(problem["winner"]["time_ns"] / row["time_ns"] - 1) < 1e-6, row
    assert problem["winner"]["parameters"] == row["parameters"], row
    gains = {gain["name"]: gain.get("ratio") for gain in problem["gains"]}
    for b in row["baselines"]:
        assert not b["gain"] or not gains[b["name"]] or abs(gains[b["name"]] / b["gain"] - 1) < 1e-6, (gains, b)
P

# The same database, the same page; to standard output as to a file.
cp report.html first.html
run "$TUNE" report -o -
expect_code 0
cmp "$captured.out" first.html || fail "the pages differ"
run "$TUNE" report --title 'A & <b>'
expect_code 0
expect_page report.html '<h1>A &amp; &lt;b&gt;</h1>'

# Selections, and words that match nothing.
key=$(query "SELECT key FROM problems ORDER BY key LIMIT 1")
other=$(query "SELECT key FROM problems WHERE key <> '$key' ORDER BY key DESC LIMIT 1")
run "$TUNE" report "$key" --device 'fixture gpu' -o one.html
expect_code 0
check_page one.html
expect_data one.html '"<<<3200, 128>>>" in [p["launch"] for p in winners], {p["problem"] for p in winners}' "(True, {'$key'})"
refuse_page one.html "\"$other\""
golden "$TUNE" report fixtur
golden "$TUNE" report --device 'GTX 0'
run "$TUNE" report --fromat x
expect_code 2
expect_one_line err

# A place without write permission; the earlier file stays.
run "$TUNE" report -o /sys/page.html
expect_code 5
expect_one_line err
run "$TUNE" report -o missing/page.html
[[ $code -eq 3 || $code -eq 5 ]] || fail "exit code $code"
expect_one_line err
code=0
"$TUNE" report -o - >/dev/full 2>full.err || code=$?
command_line="tune report -o - >/dev/full"
[[ $code -eq 5 ]] || fail "exit code $code, not 5"
[[ -z $(find . -name '*.tmp') ]] || fail "something is left"

# The command of a run as given, or one made from the stored options; protocol and versions.
expect_data report.html '[(r["command"].startswith("tune run fixture --device cuda:0 --effort normal"), " --set confirm_processes=2" in r["command"],
    r["command_made"], "NVRTC 99.9" in r["compiler"], "race_z=" in r["protocol"]) for r in j["runs"]][:1]' "[(True, True, 'yes', True, True)]"
change "UPDATE runs SET command = 'tune run fixture --db ''a b.db'''"
run "$TUNE" report
expect_data report.html '[(r["command"], "command_made" in r) for r in j["runs"]][:1]' "[(\"tune run fixture --db 'a b.db'\", False)]"

# Other implementations' times stand beside the baselines.
change "INSERT INTO peers (environment_id, problem_key, n, l2_mode, name, time_ns, ratio, ratio_low, ratio_high, source, imported_at)
    SELECT environment_id, key, n, l2_mode, 'vendor::Sum', 1000, 1.25, 1.24, 1.26, 'x.csv', '2026-01-01T00:00:00Z'
    FROM winners JOIN problems ON problems.id = problem_id"
run "$TUNE" report
check_page report.html
expect_data report.html '{tuple(g[k] for k in ("name", "peer", "ratio", "low", "high")) for p in winners for g in p["gains"] if g.get("peer") and "ratio" in g}' \
    "{('vendor::Sum', True, 1.25, 1.24, 1.26)}"

# Two devices: a sentence and tables for each.
cp tune.db first.db
change "UPDATE devices SET uuid = 'GPU-fixture-1', name = 'Second GPU', facts = json_set(facts, '\$.name', 'Second GPU');
    INSERT INTO searches (run_id, problem_id, asked, strategy, product_count, space_count, points_most, points, trials,
                          unlaunchable, duplicates, failures)
    SELECT DISTINCT run_id, problem_id, 'random', 'random', 9000, 5000, 100, 10, 10, 0, 0, 0 FROM winners;"
run "$TUNE" merge both.db first.db tune.db
expect_code 0
run "$TUNE" report --db both.db
expect_code 0
check_page report.html
expect_data report.html '[part["setting"] for part in j["parts"]], j["device_count"]' "(['Fixture GPU', 'Second GPU'], 2)"
# How the space was searched is told of each device by its own runs.
expect_data report.html '[(s["device"], "random" in s.get("strategies", ""), s.get("legal_most")) for s in j["searches"]][1]' "('Second GPU', True, 5000)"
expect_data report.html '["random" in s.get("strategies", "") for s in j["searches"]]' '[False, True]'
expect_data report.html '[(s["legal"], s["tried"], round(s["tried_percent"], 3)) == (5000 * s["problems"], 10 * s["problems"], 0.2) for s in j["searches"]][1]' True
run "$TUNE" report --db both.db --device 'Second GPU'
expect_code 0
refuse_page report.html 'Fixture GPU'

# Names with anything in them come out as text: markup, quotes, control characters, no UTF-8.
hostile="</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;%s\$(id)"
odd="CAST('${hostile//\'/\'\'}' || x'1b5b33316dff07c285' AS TEXT)"
change "PRAGMA ignore_check_constraints = 1;
    UPDATE devices SET name = $odd, architecture = $odd, uuid = $odd;
    UPDATE devices SET facts = json_set(facts, '\$.name', '${hostile//\'/\'\'}');
    UPDATE environments SET driver = $odd, compiler = $odd, tool_version = $odd, host = $odd;
    UPDATE experiments SET name = $odd, path = $odd;
    UPDATE problems SET key = $odd || id;
    UPDATE configurations SET key = 'a=' || $odd || ' ' || $odd || ' b=' || id;
    UPDATE baselines SET name = $odd || name, about = $odd;
    DELETE FROM peers;
    INSERT INTO peers (environment_id, problem_key, n, l2_mode, name, time_ns, source, imported_at)
    SELECT environment_id, key, n, l2_mode, $odd, 1000, $odd, $odd FROM winners JOIN problems ON problems.id = problem_id;
    UPDATE winners SET trust_reason = $odd;
    UPDATE trials SET detail = $odd, status = 'crashed' WHERE id IN (SELECT id FROM trials ORDER BY id LIMIT 3);
    UPDATE runs SET command = $odd, protocol = $odd, outcome = NULL;"
run "$TUNE" report -o odd.html
expect_code 0
check_page odd.html
expect_page odd.html '&lt;img src=x onerror=alert(2)&gt;&quot;&#39;&amp;amp;%s$(id)'
expect_page odd.html '\u003cimg src=x onerror=alert(2)>'
name=$'a "b" <i>&\n$(id).db'
cp tune.db "$name"
run "$TUNE" report --db "./$name" -o "$name.html"
expect_code 0
check_page "$name.html"

# A problem without a winner is named, and only that.
rm tune.db
"$fixture" tune.db
run "$TUNE" report
expect_data report.html 'j["without"]' '[]'
lost=$(query "SELECT key || ',' || n FROM winners JOIN problems ON problems.id = problem_id ORDER BY n DESC LIMIT 1")
change "DELETE FROM winners WHERE problem_id = (SELECT id FROM problems WHERE key || ',' || n = '$lost')"
run "$TUNE" report
expect_code 0
check_page report.html
expect_data report.html '[p["problem"] + "," + str(p["n"]) for p in j["without"]]' "['$lost']"

# Without any choice: the page says so, and has the trials.
rm tune.db
"$fixture" tune.db
change "DELETE FROM winners; DELETE FROM ranges;"
run "$TUNE" report
expect_code 0
check_page report.html
expect_data report.html '"Nothing" if not winners else winners, len(j["searches"])' "('Nothing', 1)"

# A CPU's run, whose failures are grouped by their reasons.
rm tune.db
write_experiment
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --quiet --sizes 1000,5000
expect_code 0
run "$TUNE" report --device cpu
expect_code 0
check_page report.html
expect_data report.html '{"compile_failed", "wrong_result"} <= {f["status"] for f in j["failures"]}, any("this way is broken by intent" in f.get("detail", "") for f in j["failures"])' '(True, True)'
expect_data report.html '{g["name"] for p in winners for g in p["gains"]}' "{'whole'}"
run "$TUNE" report --device cuda:0
expect_code 3
expect_one_line err

# How many results were compared while winners were timed stands on the page, where the database knows it.
rm -f tune.db
"$fixture" tune.db
run "$TUNE" report
expect_code 0
expect_data report.html 'any("compared" in p["winner"] for p in winners)' False
change "UPDATE winners SET compared = 3000 + id"
run "$TUNE" report
expect_code 0
check_page report.html
expect_data report.html 'min(p["winner"]["compared"] for p in winners)' 3001
expect_golden
