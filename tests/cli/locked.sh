#!/bin/bash
# Another program holds the database for longer than a moment, in the middle of a run: the run waits, names it,
# continues, and loses nothing; Ctrl-C ends the wait.
source "$TUNE_TESTS/lib.sh"
write_experiment 20000
sed -i "s|n: \[1000, 5000\]|n: [1000]|" double.yaml

cat >hold.py <<'P'
import os, sqlite3, time
db = sqlite3.connect("tune.db", timeout=60, isolation_level=None)
for i in range(10000):  # a moment at which nobody else writes
    try:
        db.execute("BEGIN IMMEDIATE")
        break
    except sqlite3.OperationalError:
        pass
print("held", flush=True)
while not os.path.exists("let_go"):
    time.sleep(0.05)
db.execute("ROLLBACK")
P
# One of the binaries is compiled when the database is held, and not before: all trials but the baseline's are behind that.
export COMPILER=${CC:-cc}
cat >waiting-cc <<'C'
#!/bin/bash
[[ $* != *WAY_late=1* ]] || until [[ -s ${0%/*}/held ]]; do sleep 0.05; done
exec "$COMPILER" "$@"
C
chmod +x waiting-cc
# tune_and_hold: a run, and $holder, which holds its database in the middle of it, until there is a file let_go.
tune_and_hold() {
    rm -rf tune.db* tuned.conf held let_go "$TUNE_CACHE_DIR"
    CC=$PWD/waiting-cc "$TUNE" run double.yaml --device cpu --jobs 2 "${steady[@]}" >locked.out 2>locked.err &
    tune=$!
    captured=locked
    command_line="tune run, while its database is held"
    wait_for counts 1 'SELECT count(*) FROM trials' || fail "no trial"
    python3 hold.py >held &
    holder=$!
    wait_for test -s held || fail "the database could not be held"
    ! is_gone "$tune" || fail "the run ended before its database was held"
}

tune_and_hold
wait_for grep -q 'keeps it locked' locked.err || fail "it does not say that it waits"
touch let_go
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

tune_and_hold
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
