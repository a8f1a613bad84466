#!/bin/bash
# tune report: the page, what limits it, where it goes; without gnuplot, without winners, with any names.
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

# Nothing to read, and nothing in it.
run "$TUNE" report
expect_code 3
expect_one_line err
expect_err 'tune\.db'
python3 -c "import sqlite3; sqlite3.connect('tune.db').executescript(open('$TUNE_SOURCE/db/schema.sql').read())"
run "$TUNE" report
expect_code 3
expect_one_line err
expect_err "nothing was tuned yet: run 'tune' first"
refuse_file report.html
rm tune.db
"$fixture" tune.db

# Without gnuplot: said once, and all else is there. Each winner has a row, with what it gains.
run env PATH=/nonexistent "$TUNE" report
expect_code 0
expect_empty out
expect_err '^report\.html: [0-9]+ kB$'
[[ $(grep -c gnuplot "$captured.err") -eq 1 ]] || fail "gnuplot is not named once"
check_page report.html
expect_page report.html 'all figures: '
expect_page report.html 'Fixture GPU'
for section in answer winners ranges why parameters figures failures search trust repeat; do
    expect_page report.html "<section id=\"$section\">"
done
run "$TUNE" show --json
python3 - "$captured.out" <<'P' || fail "winners and page differ"
import json, re, sys
winners = json.load(open(sys.argv[1]))
text = open("report.html", encoding="utf-8").read()
section = text[text.index('<section id="winners">'):text.index('<section id="ranges">')]
rows = re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", section, re.S)
assert len(rows) == len(winners) > 0, (len(rows), len(winners))
logs = {}
for row, winner in zip(rows, winners):
    assert row.startswith(winner["problem"] + "<"), row
    cells = [float(v) for v in re.findall(r'data-v="([^"]*)"', row)]
    assert cells[0] == winner["n"], row
    assert abs(cells[1] / winner["time_ns"] - 1) < 1e-6, (row, winner["time_ns"])
    gains = [b["gain"] for b in winner["baselines"] if b["gain"] and winner["verdict"] != "not sure"]
    for shown, gain in zip(cells[2:], gains):
        assert abs(shown / gain - 1) < 1e-6, (row, gains)
    sure = winner["verdict"]
    code = {"sure": "sound", "nearly sure": "noisy", "not sure": "unstable"}[sure]
    assert f'<b class="t-{code}">{sure}</b>' in row, row
    for word in winner["configuration"].split():
        name, value = word.split("=")
        assert f"<i>{name}</i> <b>{value}</b>" in row, row
    for b in winner["baselines"]:
        if b["gain"] and winner["verdict"] != "not sure":
            logs.setdefault(b["name"], []).append(b["gain"])
for name, gains in logs.items():
    mean = 1.0
    for gain in gains:
        mean *= gain ** (1 / len(gains))
    said = re.search(r'<span class="big">([0-9.]+)×</span> as fast as <b>' + name, text)
    assert said and abs(float(said[1]) / mean - 1) < 0.02, (name, mean, said)
P

# A range that loses at most 0 % may stand beside a loss between its sizes: the page says which is promised.
expect_page report.html 'Between them nothing is promised'

# The same database, the same page; to standard output as to a file.
cp report.html first.html
run env PATH=/nonexistent "$TUNE" report -o -
expect_code 0
cmp "$captured.out" first.html || fail "the pages differ"
run env PATH=/nonexistent "$TUNE" report --no-figures --title 'A & <b>'
expect_code 0
refuse_err gnuplot
refuse_page report.html 'id="figures"'
expect_page report.html '<h1>A &amp; &lt;b&gt;</h1>'

# What limits it, and words that name nothing.
key=$(query "SELECT key FROM problems ORDER BY key LIMIT 1")
other=$(query "SELECT key FROM problems WHERE key <> '$key' ORDER BY key DESC LIMIT 1")
run "$TUNE" report "$key" --no-figures --device 'fixture gpu' -o one.html
expect_code 0
expect_page one.html '<b>&lt;&lt;&lt;3200, 128&gt;&gt;&gt;</b> ' # what to launch, as numbers
check_page one.html
expect_page one.html "<th scope=\"row\">$key</th>"
refuse_page one.html "<th scope=\"row\">$other</th>"
run "$TUNE" report fixtur
expect_code 3
expect_one_line err
expect_err "did you mean 'fixture'\?"
run "$TUNE" report --device 'GTX 0'
expect_code 3
expect_one_line err
expect_err "no measurement of a device 'GTX 0'.*Fixture GPU"
run "$TUNE" report --fromat x
expect_code 2
expect_one_line err

# Where nothing can be written; what was there stays.
run "$TUNE" report --no-figures -o /sys/page.html
expect_code 5
expect_one_line err
run "$TUNE" report --no-figures -o missing/page.html
[[ $code -eq 3 || $code -eq 5 ]] || fail "exit code $code"
expect_one_line err
code=0
"$TUNE" report --no-figures -o - >/dev/full 2>full.err || code=$?
command_line="tune report -o - >/dev/full"
[[ $code -eq 5 ]] || fail "exit code $code, not 5"
[[ -z $(find . -name '*.tmp') ]] || fail "something is left"

# The command of a run as it was given, or one made of what was recorded; protocol and versions.
expect_page report.html '<pre tabindex="0">tune run fixture --device cuda:0 --effort normal'
expect_page report.html ' --set confirm_processes=2'
expect_page report.html 'Made of the options that were recorded'
expect_page report.html 'NVRTC 99.9'
expect_page report.html '<i>race_z</i>'
change "UPDATE runs SET command = 'tune run fixture --db ''a b.db'''"
run "$TUNE" report --no-figures
expect_page report.html "<pre tabindex=\"0\">tune run fixture --db &#39;a b.db&#39;</pre>"
refuse_page report.html 'Made of the options that were recorded'

# Other implementations' times stand beside the baselines.
change "INSERT INTO peers (environment_id, problem_key, n, l2_mode, name, time_ns, ratio, ratio_low, ratio_high, source, imported_at)
    SELECT environment_id, key, n, l2_mode, 'vendor::Sum', 1000, 1.25, 1.24, 1.26, 'x.csv', '2026-01-01T00:00:00Z'
    FROM winners JOIN problems ON problems.id = problem_id"
run "$TUNE" report --no-figures
check_page report.html
expect_page report.html 'over vendor::Sum'
expect_page report.html '<b>1.25×</b><small>1.24 to 1.26×</small>'
expect_page report.html '<span class="big">1.25×</span> as fast as <b>vendor::Sum</b>'
# Several share a column, which has the fastest of them.
change "INSERT INTO peers (environment_id, problem_key, n, l2_mode, name, time_ns, ratio, ratio_low, ratio_high, source, imported_at)
    SELECT environment_id, problem_key, n, l2_mode, 'other::Sum', 900, 1.15, 1.14, 1.16, source, imported_at FROM peers"
run "$TUNE" report --no-figures
check_page report.html
refuse_page report.html 'over vendor::Sum'
expect_page report.html '>over others<'
expect_page report.html '<b>1.15×</b><small>1.14 to 1.16×</small><small>other::Sum</small>'

# Two devices: a sentence and tables for each; figures of one problem on both keep their ids apart.
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
for device in 'Fixture GPU' 'Second GPU'; do
    expect_page report.html "<p class=\"lead\">On <b>$device</b>"
    expect_page report.html "<h3 class=\"where\">$device</h3>"
done
# How the space was searched is told of each device by its own runs.
python3 - <<'P' || fail "a device has the search of another"
import re
text = open("report.html", encoding="utf-8").read()
section = text[text.index('<section id="search">'):text.index('<section id="trust">')]
rows = [row for row in re.findall(r"<tr>(.*?)</tr>", section, re.S) if "GPU" in row]
assert len(rows) == 2, rows
first, second = sorted(rows, key=lambda row: "Second GPU" in row)
assert "random" not in first and "5,000" not in first, first
problems, most, legal, tried, share = (float(v) for v in re.findall(r'data-v="([^"]*)"', second)[:5])
assert "random" in second and most == 5000, second
assert (legal, tried) == (5000 * problems, 10 * problems) and abs(share - 0.2) < 1e-6, second
P
run "$TUNE" report --db both.db --device 'Second GPU' --no-figures
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
name=$'a "b" <i>&\n$(id).db'
cp tune.db "$name"
run "$TUNE" report --no-figures --db "./$name" -o "$name.html"
expect_code 0
check_page "$name.html"

# A problem without a winner is named, and only that.
rm tune.db
"$fixture" tune.db
run "$TUNE" report --no-figures
refuse_page report.html 'without a winner'
lost=$(query "SELECT key || ',' || n FROM winners JOIN problems ON problems.id = problem_id ORDER BY n DESC LIMIT 1")
change "DELETE FROM winners WHERE problem_id = (SELECT id FROM problems WHERE key || ',' || n = '$lost')"
run "$TUNE" report --no-figures
expect_code 0
check_page report.html
python3 - "$lost" <<'P' || fail "the problem without a winner is not named"
import re, sys
text = open("report.html", encoding="utf-8").read()
section = text[text.index('<section id="failures">'):text.index('<section id="search">')]
table = section[section.index("problem without a winner"):]
rows = re.findall(r'<tr><td>(.*?)</td><td class="n" data-v="(\d+)"', table)
assert [",".join(row) for row in rows] == [sys.argv[1]], (rows, sys.argv[1])
P

# Nothing was chosen yet: the page says so, and has what was tried.
rm tune.db
"$fixture" tune.db
change "DELETE FROM winners; DELETE FROM ranges;"
run "$TUNE" report
expect_code 0
check_page report.html
expect_page report.html 'Nothing was chosen yet'
expect_page report.html 'How the space was searched'

# A CPU's run, whose failures are told by their reasons.
rm tune.db
write_experiment
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --quiet --sizes 1000,5000
expect_code 0
run "$TUNE" report --device cpu --no-figures
expect_code 0
check_page report.html
for reason in compile_failed wrong_result; do
    expect_page report.html "<td>$reason</td>"
done
expect_page report.html 'this way is broken by intent'
expect_page report.html 'over whole'
run "$TUNE" report --device cuda:0
expect_code 3
expect_one_line err

# How many results were compared while winners were timed stands on the page, where the database knows it.
rm -f tune.db
"$fixture" tune.db
run "$TUNE" report --no-figures
expect_code 0
refuse_page report.html "results of each winner or more were compared"
change "UPDATE winners SET compared = 3000 + id"
run "$TUNE" report --no-figures
expect_code 0
check_page report.html
expect_page report.html "While they were timed and watched, 3,001 results of each winner or more were compared"
expect_page report.html "it is wrong less than once in 1,000"
