#!/bin/bash
# Ctrl-C in each part of a run: exit code 130, all measurements are in the database, there is a best so far
# without a larger claim; and the next run completes.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 3
sed -i 's/^sizes:.*/sizes: {n: [1000, 3000]}/' copy.yaml
little=() # with usual effort
brief=(--no-report "${warm[@]}" --set block_ns=20000 --set confirm_processes=3)

# stop_at FAULTS SQL|FILE [PAUSE]: tunes with these faults; sends Ctrl-C when SQL counts something, or when a fault has
# made the file, and PAUSE s later. Processes that wait for ./go then continue.
stop_at() {
    forget
    rm -f go go.awaited
    TUNE_FAULTS=$1 "$TUNE" run ./copy.yaml --device cuda:0 "${brief[@]}" >stopped.out 2>stopped.err &
    local tune=$!
    is_time() { is_gone "$tune" || { [[ $1 == */* ]] && [[ -e $1 ]]; } || counts 1 "$1"; }
    wait_for is_time "$2" || fail "nothing was to be stopped"
    ! is_gone "$tune" || fail "it ended by itself: $(cat stopped.err)"
    [[ ! ${3:-} ]] || { touch go; sleep "$3"; }
    kill -INT "$tune"
    touch go
    code=0
    wait "$tune" || code=$?
    command_line="tune run, stopped when $2"
    expect_code 130
    grep -q 'run again to continue' stopped.err || fail "it does not say how to go on: $(cat stopped.err)"
    [[ $(query "PRAGMA integrity_check") == ok ]] || fail "the database is damaged"
    [[ $(query "SELECT outcome FROM runs") == interrupted ]] || fail "the run is not marked interrupted"
    refuse_workers
}
# go_on: the next run does all of the rest, and uses the known results.
go_on() {
    local known
    known=$(query "SELECT count(*) FROM trials WHERE stage = 'sweep'")
    tune_copy '' "${brief[@]}" --set confirm_rounds=3
    expect_code 0
    expect_err "2 problems, $((18 - known)) trials \\($known known already\\)"
    [[ $(query "SELECT stage, count(*) FROM winners GROUP BY stage") == 'confirm 2' ]] || fail "$(query "SELECT * FROM winners")"
    [[ $(grep -c '^copy.i32 ' tuned.conf) -gt 0 ]] || fail "nothing in tuned.conf"
}
# slow MS: each wait for the experiment's kernel takes so much longer.
slow() {
    echo "cuEventSynchronize@kernel=copy_elements: slow=$1"
}

# In the sweep of the first problem: the fastest so far, marked as such.
stop_at "cuModuleLoadData@WAY=1|2|3#5: until=$PWD/go; $(slow 100)" "SELECT count(*) > 3 FROM trials WHERE stage = 'sweep'"
[[ $(query "SELECT w.stage, w.trust, p.n, w.candidate_count < w.space_count, w.processes FROM winners w
    JOIN problems p ON p.id = w.problem_id") == 'sweep unstable 1000 1 0' ]] || fail "$(query "SELECT * FROM winners")"
[[ $(query "SELECT t.median_ns = (SELECT min(median_ns) FROM trials) FROM winners w JOIN trials t ON t.id = w.trial_id") -eq 1 ]] ||
    fail "not the fastest so far"
run "$TUNE" show
expect_code 0
expect_out '^1000 .* not sure +.*way='
expect_out '^not sure: the run ended before '
run "$TUNE" show --wide --trust
expect_out 'Not sure: the run ended before '
go_on

# In the first race: its samples are kept, the round that it was in does not count. Between two rounds there is
# none: then again, a little later.
for pause in 0.05 0.1 0.2 0.3 0.05 0.1 0.2 0.3; do
    stop_at "conditions#3: until=$PWD/go; $(slow 20)" "$PWD/go.awaited" "$pause"
    [[ $(query "SELECT count(*) FROM rounds WHERE fault = 'incomplete'") -eq 0 ]] || break
done
[[ $(query "SELECT stage, trust FROM winners") == 'sweep unstable' ]] || fail "$(query "SELECT * FROM winners")"
[[ $(query "SELECT count(*) > 0, count(*) = sum(fault = 'incomplete') + sum(fault IS NULL), sum(fault = 'incomplete') FROM rounds") == '1 1 1' ]] ||
    fail "$(query "SELECT stage, ordinal, fault FROM rounds")"
[[ $(query "SELECT count(*) > 0, sum(invalid <> EXISTS (SELECT 1 FROM rounds r WHERE r.ordinal = s.round AND r.fault IS NOT NULL))
    FROM samples s JOIN trials t ON t.id = s.trial_id WHERE t.stage = 'race'") == '1 0' ]] ||
    fail "samples of the race: $(query "SELECT s.* FROM samples s JOIN trials t ON t.id = trial_id WHERE stage = 'race'")"
go_on

# In the confirmation, when one process is through: two winners, of the race, and samples of both processes.
stop_at "conditions@start=$((3 + openers))#2: until=$PWD/go; $(slow 2)" "SELECT count(*) FROM rounds WHERE stage = 'confirm'"
[[ $(query "SELECT count(*) FROM winners WHERE stage = 'race' AND trust = 'noisy' AND processes = 0") -eq 2 ]] ||
    fail "$(query "SELECT * FROM winners")"
[[ $(query "SELECT count(*) FROM samples s JOIN trials t ON t.id = s.trial_id WHERE t.stage = 'confirm' AND NOT s.invalid") -gt 0 ]] ||
    fail "no sample of the confirmation"
[[ $(query "SELECT count(*) FROM samples s JOIN trials t ON t.id = s.trial_id WHERE t.stage = 'race' AND NOT s.invalid") -gt 0 ]] ||
    fail "no sample of the race"
go_on
