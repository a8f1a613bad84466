#!/bin/bash
# Another program holds the database for longer than a moment, in the middle of a run: the run waits, says for
# whom, goes on, and nothing is lost; Ctrl-C ends the wait.
source "$TUNE_TESTS/lib.sh"
write_experiment 20000
sed -i "s|n: \[1000, 5000\]|n: [1000]|" double.yaml

cat >hold.py <<'P'
import sqlite3, sys, time
db = sqlite3.connect("tune.db", timeout=60, isolation_level=None)
for i in range(10000):  # a moment at which nobody else writes
    try:
        db.execute("BEGIN IMMEDIATE")
        break
    except sqlite3.OperationalError:
        pass
print("held", flush=True)
time.sleep(float(sys.argv[1]))
db.execute("ROLLBACK")
P
# tune_and_hold SECONDS: a run, and $holder, which holds its database in the middle of it.
tune_and_hold() {
    local i
    rm -rf tune.db* tuned.conf held
    "$TUNE" run double.yaml --device cpu "${steady[@]}" >locked.out 2>locked.err &
    tune=$!
    captured=locked
    command_line="tune run, while its database is held for $1 s"
    for ((i = 0; i < 600; i++)); do
        [[ $(query "SELECT count(*) FROM trials" 2>/dev/null || echo 0) -lt 2 ]] || break
        sleep 0.05
    done
    python3 hold.py "$1" >held &
    holder=$!
    for ((i = 0; i < 600; i++)); do
        [[ ! -s held ]] || break
        sleep 0.05
    done
    [[ -s held ]] || fail "the database could not be held"
    kill -0 "$tune" 2>/dev/null || fail "the run ended before its database was held"
}

tune_and_hold 11.5
code=0
wait "$tune" || code=$?
expect_code 0
wait "$holder"
expect_err "tune.db: (process $holder \(python3[.0-9]*\)|another process) keeps it locked; waiting"
expect_err 'tune.db: free again after [0-9]+ s; going on'
[[ $(grep -c 'keeps it locked' locked.err) -eq 1 ]] || fail "it is said more than once"
[[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep'") -eq 20 ]] || fail "trials are missing"
[[ $(query "SELECT count(*) FROM winners") -eq 1 ]] || fail "no winners"
[[ $(query "SELECT outcome FROM runs") == complete ]] || fail "the run is not complete"

tune_and_hold 60
sleep 1
kill -INT "$tune"
code=0
wait "$tune" || code=$?
expect_code 130
kill -0 "$holder" || fail "it did not end before the other let go"
kill "$holder"
wait "$holder" || true
run "$TUNE" run double.yaml --device cpu "${steady[@]}"
expect_code 0
[[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep'") -eq 20 ]] || fail "trials are missing"
