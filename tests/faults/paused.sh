#!/bin/bash
# The program is stopped for longer than any time limit, as by Ctrl-Z, a suspended job or a frozen container,
# alone or with its workers, again and again: no configuration is blamed, and the same one wins.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 3
hangs_cost 3000
sed -i 's/^sizes:.*/sizes: {n: [1000, 3000]}/' copy.yaml
brief=(--no-report "${warm[@]}" --set block_ns=20000 --set confirm_processes=3)
# Each wait for the kernel takes a while, so that a stop meets a worker at work; one way is the fastest.
faults='kernel@WAY=2,block=128: slower=0.5; cuEventSynchronize@kernel=copy_elements: slow=10'

# ours: the process and its children.
ours() {
    echo "$1"
    cat "/proc/$1/task/"*/children
}
# pauses WHOM SEED: tunes, and stops the parent, or all, five times at other moments.
pauses() {
    local tune i pids
    forget
    RANDOM=$2
    TUNE_FAULTS=$faults "$TUNE" run ./copy.yaml --device cuda:0 "${brief[@]}" >paused.out 2>paused.err &
    tune=$!
    for ((i = 0; i < 5; i++)); do
        sleep "0.$((RANDOM % 8 + 1))"
        kill -0 "$tune" 2>/dev/null || break
        pids=$tune
        [[ $1 == parent ]] || pids=$(ours "$tune")
        # shellcheck disable=SC2086 # several
        kill -STOP $pids 2>/dev/null || true
        sleep 3.5
        # shellcheck disable=SC2086
        kill -CONT $pids 2>/dev/null || true
    done
    code=0
    wait "$tune" || code=$?
    command_line="tune run, stopped $i times ($1, seed $2)"
    expect_code 0
    [[ $i -gt 2 ]] || fail "it ended before it was stopped"
    [[ $(query "SELECT count(*) FROM trials WHERE status <> 'ok'") -eq 0 ]] ||
        fail "blamed: $(query "SELECT stage, status, detail FROM trials WHERE status <> 'ok'")"
    [[ $(query "SELECT DISTINCT json_extract(c.parameters, '\$.way') FROM winners w
        JOIN trials t ON t.id = w.trial_id JOIN configurations c ON c.id = t.configuration_id") == 2 ]] ||
        fail "another wins: $(query "SELECT * FROM winners")"
    refuse_workers
}
pauses parent 1
pauses all 3
