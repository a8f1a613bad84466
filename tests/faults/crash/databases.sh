#!/bin/bash
# Databases in every situation: it works, or it is refused in one line that says why.
source "$TUNE_TESTS/lib.sh"
write_experiment
tune_run=("$TUNE" run double.yaml --device cpu --quiet --sizes 1000 "${steady[@]}")
# shimmed RULE COMMAND...
shimmed() {
    rm -f fired
    LD_PRELOAD=$TUNE_SHIM_LIBRARY TUNE_SHIM=$1 TUNE_SHIM_FIRED=$PWD/fired "${@:2}"
}
whole() {
    [[ $(query "PRAGMA integrity_check") == ok ]] || fail "the database is damaged"
    [[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep'") -eq 20 ]] || fail "not 20 trials"
}

# A file system without shared memory (a network one): the rollback journal does as well. Also for a
# database that was made elsewhere, and goes back there.
for rule in 'map@-shm#1+=ENOMEM' 'open@-shm#1+=EACCES' 'truncate@-shm#1+=EIO'; do
    run shimmed "$rule" "${tune_run[@]}"
    expect_code 0
    [[ -e fired ]] || fail "nothing failed with $rule"
    whole
    rm -f tune.db* tuned.conf
    run "${tune_run[@]}"
    expect_code 0
    run shimmed "$rule" "${tune_run[@]}"
    expect_code 0
    expect_empty err
    [[ -e fired ]] || fail "nothing failed with $rule"
    whole
    run "${tune_run[@]}"
    expect_code 0
    # A reader cannot change how the database is kept: it says why it is refused.
    run shimmed "$rule" "$TUNE" export -o -
    [[ $code -eq 0 || $code -eq 5 ]] || fail "exit code $code"
    [[ $code -eq 0 ]] || expect_err 'tune\.db: .*(shared memory|may not be written)'
done

# A file that may not be written, in a folder that may and in one that may not. Root may always.
if [[ $(id -u) -ne 0 ]]; then
    chmod a-w tune.db
    run "${tune_run[@]}"
    expect_code 5
    expect_one_line err
    expect_err 'tune\.db: .*may not be written'
    run "$TUNE" show
    expect_code 0
    chmod a-w .
    run "$TUNE" show --db "$PWD/tune.db"
    expect_code 0
    run "${tune_run[@]}"
    expect_code 5
    chmod u+w . tune.db
else
    run shimmed 'open@tune.db#1+=EROFS' "${tune_run[@]}"
    expect_code 5
    expect_one_line err
fi

# Readers during a run, one after the other: none is refused, none disturbs.
rm -f tune.db* tuned.conf
"${tune_run[@]}" 2>run.err &
tune=$!
reads=0
while kill -0 "$tune" 2>/dev/null; do
    [[ ! -s tune.db ]] || {
        code=0
        "$TUNE" show --runs >show.out 2>show.err || code=$?
        # Before its tables are there it is not yet a database of ours.
        [[ $code -eq 0 || $code -eq 3 || $code -eq 6 ]] || fail "a reader: exit code $code: $(cat show.err)"
        reads=$((reads + 1))
    }
done
wait "$tune" || fail "the run that was read beside: $(cat run.err)"
[[ $reads -gt 3 ]] || fail "only $reads readers"
whole

# Two tuners at once on one database, with different experiments: both end with their trials, or one
# is refused with a reason and works when it is alone.
sed 's/^experiment: double/experiment: twice/; s/\[1000, 5000\]/[2000]/' double.yaml >twice.yaml
rm -f tune.db* tuned.conf
"${tune_run[@]}" 2>first.err &
first=$!
code=0
"$TUNE" run twice.yaml --device cpu --quiet --conf twice.conf "${steady[@]}" 2>second.err || code=$?
first_code=0
wait "$first" || first_code=$?
[[ $code -eq 0 || $first_code -eq 0 ]] || fail "neither ran: $(cat first.err second.err)"
for name in first second; do
    [[ $(wc -l <$name.err) -le 1 ]] || fail "more than a line: $(cat $name.err)"
done
if [[ $code -ne 0 || $first_code -ne 0 ]]; then
    grep -qE 'another|tuned by|in use|locked' first.err second.err ||
        fail "refused without a reason: $(cat first.err second.err)"
fi
run "${tune_run[@]}"
expect_code 0
run "$TUNE" run twice.yaml --device cpu --quiet --conf twice.conf "${steady[@]}"
expect_code 0
[[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep'") -eq 40 ]] || fail "not 40 trials"

# Deleted while it is written to: the run ends by itself, and the next begins anew.
rm -f tune.db* tuned.conf
"${tune_run[@]}" 2>run.err &
tune=$!
for ((i = 0; i < 200; i++)); do
    [[ ! -s tune.db-wal ]] || break
    sleep 0.02
done
rm -f tune.db tune.db-wal tune.db-shm
code=0
wait "$tune" || code=$?
[[ $code -le 5 ]] || fail "exit code $code: $(cat run.err)"
[[ $(wc -l <run.err) -le 1 ]] || fail "more than a line: $(cat run.err)"
run "${tune_run[@]}"
expect_code 0
whole
