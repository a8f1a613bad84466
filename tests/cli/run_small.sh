#!/bin/bash
# A whole run of a small experiment: every point has a trial, wrong and broken ones are named and
# never win, and tuned.conf holds one entry for each size. The second run measures nothing.
source "$TUNE_TESTS/lib.sh"
write_experiment

run "$TUNE" run double.yaml --device cpu "${steady[@]}"
expect_code 0
expect_file tune.db
expect_file tuned.conf
expect_err '2 problems, 40 trials \(0 known already\), 20 failed'
for row in 'ok 10 0' 'wrong_result 10 0' 'compile_failed 10 0' 'skipped_by_constraint 10 10'; do
    query "SELECT status, count(*), count(same_as_trial_id) FROM trials
           WHERE stage = 'sweep' GROUP BY status" >rows
    grep -qx "$row" rows || fail "not '$row' but: $(cat rows)"
done
[[ $(query "SELECT count(*) FROM winners") -eq 2 ]] || fail "not two winners"
[[ $(query "SELECT buffer_bytes, read_gbs > 0 FROM ceilings") == "$TUNE_CEILING_BYTES 1" ]] || fail "ceilings"
[[ -z $(query "SELECT status FROM winners JOIN trials ON trials.id = trial_id WHERE status <> 'ok'") ]] ||
    fail "a winner that is not ok"
[[ $(grep -c '^double' tuned.conf) -eq 2 ]] || fail "not two entries: $(cat tuned.conf)"

cp tuned.conf before.conf
run "$TUNE" run double.yaml --device cpu "${steady[@]}"
expect_code 0
expect_err '2 problems, 0 trials \(40 known already\)'
expect_err '^tune: 20 that failed before were left alone; the same command with --retry compile_failed,wrong_result tries them again$'
cmp tuned.conf before.conf || fail "a run without trials changed tuned.conf"

# A ceiling that a winner broke through is measured again, but where none is to be.
python3 -S -c '
import sqlite3
db = sqlite3.connect("tune.db")
db.execute("UPDATE ceilings SET read_gbs = 1e-9")
db.commit()'
TUNE_CEILING_BYTES=0 run "$TUNE" run double.yaml --device cpu "${steady[@]}" --l2 hot
expect_code 0
[[ $(query "SELECT max(read_gbs) < 1e-8 FROM ceilings") == 1 ]] || fail "a ceiling that nobody wanted"
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --l2 stream
expect_code 0
[[ $(query "SELECT max(read_gbs) > 1e-3 FROM ceilings") == 1 ]] || fail "a broken ceiling was not measured again"

# Quiet: only failures. Not on a terminal: no bar, no escape sequences.
rm tune.db tuned.conf
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --quiet --sizes 1000
expect_code 0
expect_empty out
expect_empty err
[[ $(query "SELECT count(DISTINCT problem_id) FROM trials") -eq 1 ]] || fail "--sizes was not heeded"
run "$TUNE" run double.yaml --device cpu "${steady[@]}"
! grep -q $'\033\|\r' "$captured.err" || fail "escape sequences in a file"

run "$TUNE" show --wide --failures
expect_out "^status: 'tune run \.\.\. --retry STATUS' tries these again"

# A ceiling below 1 GB/s is no 0.
python3 -S -c '
import sqlite3
db = sqlite3.connect("tune.db")
db.execute("UPDATE ceilings SET read_gbs = 0.0435")
db.commit()'
run "$TUNE" show
expect_out 'ceiling 0\.043 GB/s'
