#!/bin/bash
# The winner, and its verdict, are the same in the database, tune show (text, JSON, CSV), the run's output, the report,
# tuned.conf as read by libtuned, and the header; every entry was compared with that winner in rounds, and a range of
# one size is its winner. At every effort; wherever a budget ends the run: in the sweep, between problems, in the race
# or in the confirmation; wherever Ctrl-C and kill -9 meet it; and when it continues. The portable section has only
# configurations raced beside the winner on each device. TUNE_SEEDS: number of repetitions [1].
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 4
sed -i 's/^sizes:.*/sizes: {n: [1000, 3000, 9000, 27000, 81000]}\nbaselines: [{name: first, about: a, set: {way: 4, block: 256}}]/' copy.yaml
# Many are as good as one another, so that chance and order decide; some are good at some sizes alone.
ways='kernel@WAY=2,grid=12|16|24|32|47: slower=1.02; kernel@WAY=3,grid=141|211|316|422|633: slower=1.03; kernel@WAY=4: slower=1.004'

cat >dump.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include "tuned.h"
#ifdef HEADER
#include HEADER
#endif
int main(int count, char **arguments)
{
    const struct tuned_device device = {.kind = "cuda", .name = "Stand-in GPU 132", .compute_capability_major = 9,
                                        .unit_count = 132, .memory_bytes = 268435456};
    struct tuned *tuned = tuned_load(arguments[1], NULL);
#ifdef HEADER
    struct tuned *held = tuned_header_load(NULL);
#endif
    for (int i = 2; i < count; i++) {
        struct tuned_answer answer;
        enum tuned_grade grade = tuned_find(tuned, &device, "copy.i32", atoll(arguments[i]), &answer);
        if (answer.entry)
            printf("%s %s %lld %lld %lld %lld %s %s\n", arguments[i], tuned_grade_name(grade),
                   tuned_integer(answer.entry, "way", -1), tuned_integer(answer.entry, "block", -1),
                   tuned_entry_n_low(answer.entry), tuned_entry_n_high(answer.entry),
                   tuned_evidence_text(answer.entry, "bound_percent", "-"),
                   tuned_evidence_text(answer.entry, "loss_percent", "-"));
#ifdef HEADER
        struct tuned_copy_i32_answer made = tuned_copy_i32(held, &device, atoll(arguments[i]));
        if (answer.entry && (made.way != tuned_integer(answer.entry, "way", -1) || made.block != tuned_integer(answer.entry, "block", -1) ||
                             made.low != tuned_entry_n_low(answer.entry) || made.high != tuned_entry_n_high(answer.entry)))
            return 1;
#endif
    }
#ifdef HEADER
    tuned_free(held);
#endif
    tuned_free(tuned);
    return 0;
}
C
"${CC:-cc}" -I"$TUNE_SOURCE/libtuned" -c "$TUNE_SOURCE/libtuned/tuned.c" -o tuned.o
run "${CC:-cc}" -I"$TUNE_SOURCE/libtuned" dump.c tuned.o -o dump
expect_code 0

cat >agree.py <<'P'
import csv, io, json, os, pathlib, re, sqlite3, subprocess, sys

db = sqlite3.connect("tune.db")
if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'winners'").fetchone():
    sys.exit(0)  # killed before there was anything
winners = {n: (json.loads(p), stage, trust, winner, configuration, coverage) for n, p, stage, trust, winner, configuration, coverage in db.execute(
    """SELECT p.n, c.parameters, w.stage, w.trust, w.id, c.id, w.coverage FROM winners AS w JOIN problems AS p ON p.id = w.problem_id
       JOIN trials AS t ON t.id = w.trial_id JOIN configurations AS c ON c.id = t.configuration_id""")}
ranges = list(db.execute("""SELECT r.id, n_low, n_high, c.parameters, c.id, bound FROM ranges AS r
                            JOIN configurations AS c ON c.id = r.configuration_id"""))
pair = lambda parameters: (parameters["way"], parameters["block"])


def said(*arguments):
    return subprocess.run([sys.argv[1], "show", *arguments], capture_output=True, text=True, check=True).stdout


def told(*arguments):
    return json.loads(said("--json", *arguments) or "[]")


def values(text):
    return {name: int(value) for name, value in re.findall(r"(way|block)=(\d+)", text)}


sure = {"sound": "sure", "noisy": "nearly sure", "unstable": "not sure"}


def headline(winner):
    """Sure only where enough of the space was seen."""
    return "not sure" if winner[5] in ("hardly seen", "mostly failed") else sure[winner[2]]


shown = {row["n"]: pair(row["parameters"]) for row in told()} if winners else {}
assert shown == {n: pair(w[0]) for n, w in winners.items()}, ("show", shown, winners)
if winners:
    rows = list(csv.DictReader(io.StringIO(said("--csv"))))
    assert {int(r["n"]): (pair(values(r["configuration"])), r["verdict"]) for r in rows} == {
        n: (pair(w[0]), sure[w[2]]) for n, w in winners.items()}, ("--csv", rows, winners)
    page = said()
    shared = values(next((line for line in page.splitlines() if line.startswith("all: ")), ""))
    on_page = {}
    for line in page.splitlines():
        row = re.match(r"\s*(\d+)  .*  (nearly sure|not sure|sure) +<<<.*>>>(.*)", line)
        if row:
            on_page[int(row[1])] = (pair({**shared, **values(row[3])}), row[2])
    assert on_page == {n: (pair(w[0]), headline(w)) for n, w in winners.items()}, ("show as text", page, winners)
    line = page.splitlines()[-1]
    counted = [f"{count} {word}" for word in ("sure", "nearly sure", "not sure")
               if (count := sum(headline(w) == word for w in winners.values()))]
    plain = re.sub(r" of \d+ problems?:", "", line, count=1)
    assert re.match(re.escape("; ".join(counted)) + r"; [\d,]+ of [\d,]+ points? tried\. copy\.i32 n=", plain), ("the line to forward", line, counted)
    # Of each problem the run told, the last word.
    run = pathlib.Path("said.out").read_text()
    # A line may wrap, and may name only the values that differ from the line before.
    last, before = {}, {}
    for n, rest in re.findall(r"^copy\.i32 n=(\d+): .* [mun]s with (.*)$", re.sub(r"\n  (?=\S)", " ", run), re.M):
        before = {**(before if "same configuration" in rest or "as before" in rest else {}), **values(rest)}
        last[int(n)] = pair(before)
    assert last.items() <= shown.items(), ("what the run said", last, shown)

if winners:
    subprocess.run([sys.argv[1], "report", "-o", "page.html"], capture_output=True, check=True)
    page = pathlib.Path("page.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
    on_page = {problem["n"]: (pair(problem["winner"]["parameters"]), problem["winner"]["verdict"])
               for part in data["parts"] for problem in part["problems"] if "winner" in problem}
    assert on_page == {n: (pair(w[0]), sure[w[2]]) for n, w in winners.items()}, ("report", on_page, winners)


def held(n, configuration, bound):
    """Rounds of the choice, or of a look, that had it and the winner of that size."""
    winner = winners[n][3]
    looked = db.execute("""SELECT loss_high FROM range_checks AS k JOIN ranges AS r ON r.id = k.range_id
                           WHERE k.n = ? AND measured AND r.configuration_id = ?""", (n, configuration)).fetchall()
    both = {c: (d, l, h, o) for c, d, l, h, o in db.execute(
        "SELECT configuration_id, difference, difference_low, difference_high, out FROM contenders WHERE winner_id = ?", (winner,))}
    own, other = both.get(winners[n][4]), both.get(configuration)
    raced = [] if not own or not other or other[3] or other[2] is None or own[1] is None else [(1 + other[2]) / (1 + own[1]) - 1]
    return any(loss[0] <= bound + 1e-9 for loss in looked) or any(loss <= bound + 1e-9 for loss in raced)


def beside(n, configuration):
    """Whether that size's winner and the configuration were raced or confirmed in one run."""
    both = db.execute("""SELECT count(*) FROM winners AS w JOIN trials AS o ON o.id = w.trial_id
                         JOIN trials AS a ON a.problem_id = w.problem_id AND a.configuration_id = o.configuration_id
                         JOIN trials AS b ON b.problem_id = w.problem_id AND b.run_id = a.run_id AND b.stage = a.stage
                         JOIN configurations AS c ON c.id = b.configuration_id
                         WHERE w.id = ? AND a.stage IN ('race', 'confirm') AND a.status = 'ok' AND b.status = 'ok'
                           AND json_extract(c.parameters, '$.way') = ? AND json_extract(c.parameters, '$.block') = ?""",
                      (winners[n][3], *configuration)).fetchone()[0]
    return both > 0


right = {n for n, w in winners.items() if w[1] != "sweep" and w[2] != "unstable"}
made = subprocess.run([sys.argv[1], "export", "-o", "made.conf"], capture_output=True, text=True)
assert (made.returncode == 0) == bool(right), (made, right)
if right:
    lines = subprocess.run(["./dump", "made.conf", *map(str, sorted(winners))], capture_output=True, text=True, check=True).stdout
    written = {}
    for line in lines.splitlines():
        n, *grade, way, block, low, high, bound, loss = line.split(" ")
        written[int(n)] = (" ".join(grade), (int(way), int(block)), int(low), int(high), bound, loss)
    shown_ranges = told("--ranges")
    assert {(r[1], r[2]) for r in ranges} <= {(r["n_low"], r["n_high"]) for r in shown_ranges}, ("--ranges", shown_ranges, ranges)
    picked = {row["n"]: row for row in told() if row["picked_loss_percent"] is not None}
    for n in right:
        grade, configuration, low, high, bound, loss = written[n]
        own, among = pair(winners[n][0]), [r for r in ranges if r[1] <= n <= r[2]]
        assert grade in ("exact", "in range"), (n, grade)
        sizes = [m for m in right if any(r[1] <= m <= r[2] for r in among)]
        served = [pair(r["parameters"]) for r in shown_ranges if r["n_low"] <= low and high <= r["n_high"]]
        assert served == [configuration], ("--ranges", n, shown_ranges, written[n])
        if n in picked:  # another, whose kernel serves other sizes, too: tune show has it, with a loss that was measured
            row = picked[n]
            assert configuration == pair({**row["parameters"], **values(row["picked"] or "")}), ("show's pick", n, written[n], row)
            assert row["picked_loss_percent"] <= float(loss) + 1e-3 <= 3.001, ("a pick's loss", n, written[n], row)
            assert beside(n, configuration), ("picked without a round with the winner", n, written[n], own)
            continue
        assert configuration == (pair(json.loads(among[0][3])) if among else own), (n, written[n], own, among)
        if configuration != own:
            assert len(sizes) > 1, ("a range of one size is its winner", n, written[n], own)
            assert bound != "-" and held(n, among[0][4], float(bound) / 100 + 1e-5), (
                "written without a round with the winner", n, written[n], own)
    for n in set(winners) - right:
        assert written.get(n, ("",))[0] != "exact", ("what no round has seen is in the file", n, written[n])
    header = subprocess.run([sys.argv[1], "export", "--header", "made.h"], capture_output=True, text=True)
    assert header.returncode == 0, header
    runtime = sys.argv[2]
    subprocess.run([os.environ.get("CC", "cc"), "-I.", "-I" + runtime, '-DHEADER="made.h"', "dump.c", "tuned.o", "-o", "dump_header"], check=True)
    same = subprocess.run(["./dump_header", "made.conf", *map(str, sorted(winners))], capture_output=True, text=True)
    assert same.returncode == 0 and same.stdout == lines, ("the header answers otherwise", same, lines)
    if pathlib.Path("tuned.conf").exists() and len(sys.argv) > 3:
        strip = lambda path: [line for line in pathlib.Path(path).read_text().splitlines() if line[:1] != "#"]
        assert strip("tuned.conf") == strip("made.conf"), "the run wrote another file than tune export"
print(len(winners), len(right), len(ranges), sum(pair(json.loads(r[3])) != pair(winners[n][0]) for r in ranges for n in right if r[1] <= n <= r[2]))
P

# agree [WRITTEN]: of everything that is there now; with WRITTEN tuned.conf is the last run's.
agree() {
    [[ -e tune.db ]] || return 0
    cp "$captured.err" said.out
    [[ ! -e stopped.out ]] || mv stopped.out said.out
    run python3 agree.py "$TUNE" "$TUNE_SOURCE/libtuned" "$@"
    [[ $code -eq 0 ]] || fail "not one answer ($what)"
    echo "$what: $(cat "$captured.out") (winners, of them right, ranges, sizes whose range has another)" >>"$TMPDIR/counts"
}

# where_it_ended: the part that a budget cut off.
where_it_ended() {
    query "SELECT DISTINCT CASE WHEN w.id IS NULL THEN 'between' WHEN w.candidate_count < w.space_count OR w.stage = 'sweep' THEN 'sweep'
           WHEN w.stage = 'race' THEN 'race' WHEN w.processes < 6 THEN 'confirm' ELSE 'nothing' END
           FROM problems AS p LEFT JOIN winners AS w ON w.problem_id = p.id"
    [[ $(query "SELECT count(*) FROM problems") -eq 5 ]] || echo between
}

# reached.py STAGE PROCESS: until the run of that process is there, or has ended.
cat >reached.py <<'P'
import os, sqlite3, sys, time

# Some trials of the second problem; a winner more; all of a problem's trials, and no winner yet; a fresh process.
asked = {"sweep": "SELECT count(*) > 15 FROM trials WHERE stage = 'sweep'",
         "between": "SELECT count(*) > 1 FROM winners",
         "race": """SELECT count(*) FROM (SELECT problem_id FROM trials WHERE stage = 'sweep' GROUP BY 1 HAVING count(*) = 12)
                    WHERE problem_id NOT IN (SELECT problem_id FROM winners) AND (SELECT count(*) FROM winners) > 0""",
         "confirm": "SELECT count(*) FROM rounds WHERE stage = 'confirm'",
         "ranges": "SELECT count(*) = 5 FROM winners WHERE stage = 'confirm'"}[sys.argv[1]]
end = time.monotonic() + 600
while time.monotonic() < end:
    try:
        with open(f"/proc/{sys.argv[2]}/stat") as stat:
            if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                break
        if sqlite3.connect("file:tune.db?mode=ro", uri=True).execute(asked).fetchone()[0]:
            break
    except sqlite3.Error:
        pass
    except OSError:
        break
    time.sleep(0.02)
P

little=() # with usual effort
brief=(--set block_ns=20000 --set confirm_processes=2 --set confirm_rounds=3)
seeds=${TUNE_SEEDS:-1}
for ((seed = 1; seed <= seeds; seed++)); do
    noisy="noise=$seed; $ways"
    for effort in quick normal thorough; do
        set=("${brief[@]}")
        [[ $effort != quick ]] || set=(--set block_ns=20000)
        what="effort $effort, seed $seed"
        forget
        tune_copy "$noisy" --effort $effort --seed $seed "${set[@]}"
        expect_code 0
        agree written
        # Found again when no measurement is left.
        tune_copy "$noisy" --effort $effort --seed $seed "${set[@]}"
        agree written
    done
    # A budget that ends at some moment; then it goes on, with another, until one is enough.
    forget
    : >ended
    budget=1
    while :; do
        what="budget $budget s, seed $seed"
        tune_copy "$noisy; cuGraphLaunch: slow=2" --seed $seed "${brief[@]}" --set confirm_processes=6 --budget "${budget}s"
        [[ $code -eq 0 || $code -eq 6 ]] || fail "exit code $code ($what)"
        spent=$(grep -c 'the budget cut short: ' "$captured.err" || true)
        [[ $spent -eq 0 || ! -e tune.db ]] || where_it_ended >>ended
        agree written
        [[ $spent -gt 0 && $budget -lt 90 ]] || break
        budget=$((budget + budget / 3 + 1))
    done
    [[ $spent -eq 0 ]] || fail "no budget is enough"
    echo "budgets ended in:$(sort ended | uniq -c | tr -s ' \n' ' ')" >>"$TMPDIR/counts"
    # Ctrl-C, and kill -9, in each stage; then it goes on.
    for signal in INT KILL; do
        for stage in sweep between race confirm ranges; do
            what="signal $signal in $stage, seed $seed"
            forget
            TUNE_FAULTS="$noisy; cuGraphLaunch: slow=1" "$TUNE" run ./copy.yaml --device cuda:0 --no-report "${warm[@]}" "${brief[@]}" \
                --seed $seed >stopped.out 2>&1 &
            tune=$!
            python3 reached.py $stage $tune
            kill -$signal $tune 2>/dev/null || true
            code=0
            wait $tune 2>/dev/null || code=$?
            [[ $code -eq 0 || $code -eq 130 || $code -eq 137 ]] || fail "exit code $code: $(cat stopped.out)"
            agree
            [[ $stage == race || $stage == confirm ]] || continue
            what="resumed after $what"
            tune_copy "$noisy" --seed $seed "${brief[@]}"
            expect_code 0
            agree written
        done
    done
    # Two devices, each of which races candidates near its own best, and the baseline: the portable section, also
    # after half of it.
    cat >portable.py <<'P'
import re, sqlite3, subprocess, sys

db = sqlite3.connect("tune.db")
subprocess.run([sys.argv[1], "export", "-o", "made.conf"], capture_output=True)
try:
    text = open("made.conf").read()
except FileNotFoundError:
    text = ""
text = text[text.index('[cuda "*"]'):] if '[cuda "*"]' in text else ""
lines = re.findall(r"^copy\.i32 n=(\d+)(?:-(\d+))? way=(\d+) block=(\d+) .*devices=2 ", text, re.M)
assert len(lines) == text.count("copy.i32 n="), text
ok = db.execute("""SELECT p.n, w.environment_id, w.problem_id, t.configuration_id FROM winners AS w JOIN trials AS t ON t.id = w.trial_id
                   JOIN problems AS p ON p.id = w.problem_id WHERE w.stage <> 'sweep' AND w.trust <> 'unstable'""").fetchall()
both = [n for n in {r[0] for r in ok} if sum(r[0] == n for r in ok) == 2]
beside = others = 0
for low, high, way, block in lines:
    inside = [n for n in both if int(low) <= n <= int(high or low)]
    assert inside, ("no size that both devices have a winner for", low, high)
    for n, environment, problem, winner in (r for r in ok if r[0] in inside):
        own, = db.execute("""SELECT id FROM configurations WHERE json_extract(parameters, '$.way') = ? AND
                             json_extract(parameters, '$.block') = ?""", (int(way), int(block))).fetchone()
        runs = [set(db.execute("""SELECT run_id, stage FROM trials WHERE environment_id = ? AND problem_id = ? AND configuration_id = ?
                                  AND stage <> 'sweep' AND status = 'ok'""", (environment, problem, c))) for c in (own, winner)]
        assert own == winner or runs[0] & runs[1], ("not raced beside the winner", n, way, block, runs)
        beside += 1
        others += own != winner
print(len(both), len(lines), beside, others)
P
    for budget in 3 60; do
        what="two devices, budget $budget s, seed $seed"
        [[ $budget -eq 60 ]] || forget
        export TUNE_FAULTS="devices=big,small; kernel@device=0,WAY=3: slower=2; kernel@device=0,WAY=4: slower=4; kernel@device=1,WAY=1|2: slower=2; $noisy; cuGraphLaunch: slow=1"
        run "$TUNE" run ./copy.yaml --device all --no-report "${warm[@]}" "${brief[@]}" --seed $seed --budget "${budget}s"
        [[ $code -eq 0 || $code -eq 6 ]] || fail "exit code $code ($what)"
        run python3 portable.py "$TUNE"
        expect_code 0
        echo "$what: $(cat "$captured.out") (sizes of both, portable lines, held against a winner, another than that)" >>"$TMPDIR/counts"
    done
    [[ $(cut -d ' ' -f 2 "$captured.out") -gt 0 ]] || fail "no portable section"
done
cat "$TMPDIR/counts"
