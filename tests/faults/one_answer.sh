#!/bin/bash
# Who won is one and the same in the database, tune show, its JSON, the report, tuned.conf as libtuned reads it, and
# the header; what is written was held against that winner in rounds, and a range of one size is its winner. At every
# effort, however a budget, Ctrl-C or kill -9 ends it, and when it goes on. TUNE_SEEDS: how many times [2].
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
    for (int i = 2; i < count; i++) {
        struct tuned_answer answer;
        enum tuned_grade grade = tuned_find(tuned, &device, "copy.i32", atoll(arguments[i]), &answer);
        if (answer.entry)
            printf("%s %s %lld %lld %lld %lld %s\n", arguments[i], tuned_grade_name(grade),
                   tuned_integer(answer.entry, "way", -1), tuned_integer(answer.entry, "block", -1),
                   tuned_entry_n_low(answer.entry), tuned_entry_n_high(answer.entry),
                   tuned_evidence_text(answer.entry, "bound_percent", "-"));
#ifdef HEADER
        struct tuned_copy_i32_answer made = tuned_copy_i32(device.name, 9, 0, 132, atoll(arguments[i]));
        if (answer.entry && (made.way != tuned_integer(answer.entry, "way", -1) || made.block != tuned_integer(answer.entry, "block", -1) ||
                             made.low != tuned_entry_n_low(answer.entry) || made.high != tuned_entry_n_high(answer.entry)))
            return 1;
#endif
    }
    tuned_free(tuned);
    return 0;
}
C
"${CC:-cc}" -I"$TUNE_SOURCE/runtime" -c "$TUNE_SOURCE/runtime/tuned.c" -o tuned.o
run "${CC:-cc}" -I"$TUNE_SOURCE/runtime" dump.c tuned.o -o dump
expect_code 0

cat >agree.py <<'P'
import json, os, pathlib, re, sqlite3, subprocess, sys

db = sqlite3.connect("tune.db")
if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'winners'").fetchone():
    sys.exit(0)  # killed before there was anything
winners = {n: (json.loads(p), stage, trust, winner, configuration) for n, p, stage, trust, winner, configuration in db.execute(
    """SELECT p.n, c.parameters, w.stage, w.trust, w.id, c.id FROM winners AS w JOIN problems AS p ON p.id = w.problem_id
       JOIN trials AS t ON t.id = w.trial_id JOIN configurations AS c ON c.id = t.configuration_id""")}
ranges = list(db.execute("""SELECT r.id, n_low, n_high, c.parameters, c.id, bound FROM ranges AS r
                            JOIN configurations AS c ON c.id = r.configuration_id"""))
pair = lambda parameters: (parameters["way"], parameters["block"])


def told(*arguments):
    ran = subprocess.run([sys.argv[1], "show", "--json", *arguments], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout or "[]")


shown = {row["n"]: pair(row["parameters"]) for row in told()} if winners else {}
assert shown == {n: pair(w[0]) for n, w in winners.items()}, ("show", shown, winners)
shown_ranges = [(r["n_low"], r["n_high"], pair(r["parameters"])) for r in told("--ranges")] if ranges else []
assert shown_ranges == sorted((low, high, pair(json.loads(p))) for _, low, high, p, _, _ in ranges), ("--ranges", shown_ranges, ranges)

if winners:
    subprocess.run([sys.argv[1], "report", "--no-figures", "-o", "page.html"], capture_output=True, check=True)
    page = pathlib.Path("page.html").read_text(encoding="utf-8")
    section = page[page.index('<section id="winners">'):page.index('<section id="ranges">')]
    on_page = {}
    for row in re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", section, re.S):
        values = dict(re.findall(r"<i>(\w+)</i> <b>(\w+)</b>", row))
        on_page[int(re.search(r'data-v="(\d+)"', row)[1])] = (int(values["way"]), int(values["block"]))
    # What all have in common stands above them, or not at all.
    assert on_page == shown, ("report", on_page, shown)


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


right = {n for n, w in winners.items() if w[1] != "sweep" and w[2] != "unstable"}
made = subprocess.run([sys.argv[1], "export", "-o", "made.conf"], capture_output=True, text=True)
assert (made.returncode == 0) == bool(right), (made, right)
if right:
    lines = subprocess.run(["./dump", "made.conf", *map(str, sorted(winners))], capture_output=True, text=True, check=True).stdout
    written = {}
    for line in lines.splitlines():
        n, *grade, way, block, low, high, bound = line.split(" ")
        written[int(n)] = (" ".join(grade), (int(way), int(block)), int(low), int(high), bound)
    for n in right:
        grade, configuration, low, high, bound = written[n]
        own, among = pair(winners[n][0]), [r for r in ranges if r[1] <= n <= r[2]]
        assert grade in ("exact", "in range"), (n, grade)
        sizes = [m for m in right if any(r[1] <= m <= r[2] for r in among)]
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
    run python3 agree.py "$TUNE" "$TUNE_SOURCE/runtime" "$@"
    [[ $code -eq 0 ]] || fail "not one answer ($what)"
    echo "$what: $(cat "$captured.out") (winners, of them right, ranges, sizes whose range has another)" >>"$TMPDIR/counts"
}

brief=(--set block_ns=20000 --set confirm_processes=2 --set confirm_rounds=3)
seeds=${TUNE_SEEDS:-2}
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
        # Found again when nothing is left to measure.
        tune_copy "$noisy" --effort $effort --seed $seed "${set[@]}"
        agree written
    done
    # A budget that ends at some moment; then it goes on, with another, and none.
    forget
    for budget in 1s 2s 3s 5s; do
        what="budget $budget, seed $seed"
        tune_copy "$noisy; cuGraphLaunch: slow=2" --seed $seed "${brief[@]}" --budget $budget
        [[ $code -eq 0 || $code -eq 6 ]] || fail "exit code $code ($what)"
        agree written
    done
    # Ctrl-C, and kill -9, at some moment; each goes on where the last one ended.
    for signal in INT KILL; do
        forget
        for ((i = 0; i < 6; i++)); do
            what="signal $signal, $i, seed $seed"
            TUNE_FAULTS="$noisy; cuGraphLaunch: slow=1" "$TUNE" run ./copy.yaml --device cuda:0 --no-report "${warm[@]}" "${brief[@]}" \
                --seed $seed >stopped.out 2>&1 &
            tune=$!
            sleep "$((i / 2)).$((RANDOM % 10))$((RANDOM % 10))"
            kill -$signal $tune 2>/dev/null || true
            code=0
            wait $tune 2>/dev/null || code=$?
            [[ $code -eq 0 || $code -eq 130 || $code -eq 137 ]] || fail "exit code $code: $(cat stopped.out)"
            agree
        done
        what="resumed after $signal, seed $seed"
        tune_copy "$noisy" --seed $seed "${brief[@]}"
        expect_code 0
        agree written
    done
done
cat "$TMPDIR/counts"
