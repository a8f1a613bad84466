#!/bin/bash
# Under a budget the confirming processes begin with spares: started while the last problem's finalists are checked,
# with only their driver's context. No other process uses them, no timing runs while they start, and if a device is for
# one process at a time, lacks memory or fails them, a run goes as without.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 6
export TUNE_WORKER_TRACE=$PWD/trace
little=() # with usual effort
brief=(--set block_ns=20000 --set confirm_processes=4 --set confirm_rounds=3 --strategy exhaustive)

# tuned_so FAULTS [BUDGET [OPTION...]]: a run with a winner that fresh processes have confirmed; every round counts for one process.
tuned_so() {
    forget
    rm -f trace
    tune_copy "$1" "${brief[@]}" ${2:+--budget $2} "${@:3}"
    expect_code 0
    [[ $(query "SELECT stage FROM winners") == confirm ]] || fail "$(query "SELECT * FROM winners")"
    [[ $(query "SELECT max(other_processes) FROM rounds") == 0 ]] || fail "$(query "SELECT * FROM rounds")"
    refuse_workers
}

# spares: how many were started.
spares() {
    grep -c '"is_spare":true' trace || true
}

# expect_untimed: no timing while a spare started, which sends an almost empty answer when ready.
expect_untimed() {
    python3 - trace <<'P' || fail "something was timed while spares started"
import json, sys
waiting = 0
for line in open(sys.argv[1]):
    said, what = line[0], json.loads(line[2:])
    if said == ">" and what.get("is_spare"):
        waiting += 1
    elif said == "<" and set(what) == {"machine"}:
        waiting -= 1
    elif said == ">" and what.get("act") in ("trial", "visit", "moment", "energy") and waiting:
        sys.exit(f"{waiting} spares: {line}")
sys.exit(waiting)
P
}

tuned_so 'cuDevicePrimaryCtxRetain: slow=200' 200s
[[ $(query "SELECT count(DISTINCT process) FROM rounds WHERE stage = 'confirm'") == 4 ]] || fail "$(query "SELECT * FROM rounds")"
[[ $(spares) -eq 4 ]] || fail "$(spares) spares"
expect_untimed
[[ $(grep -c '^> {"protocol"' trace) -eq 9 ]] || fail "$(grep '^> {"protocol"' trace)" # four of them twice

# Failures of a sweep that waits for its compiler, on a machine however slow: the process after the next one is there.
for slow in 1000 10000 100000; do
    tuned_so "kernel@WAY=1|2|3,block=64: crash; nvrtcCompileProgram@WAY=6: slow=$slow" 600s --jobs 2
    expect_failed '1 64 crashed' '2 64 crashed' '3 64 crashed'
    expect_untimed
    first_spare=$(grep -nm1 '"is_spare":true' trace | cut -d: -f1)
    first_visit=$(grep -nm1 '"act":"visit"' trace | cut -d: -f1) # of the race
    [[ $first_spare -gt $first_visit ]] || break
done
[[ $first_spare -lt $first_visit ]] || fail "the first spare in line $first_spare, the race in line $first_visit"

# A process counts as somebody else's all the same.
forget
rm -f trace
tune_copy 'conditions#3+: others=1' "${brief[@]}" --set other_wait_ms=0 --budget 200s
expect_code 0
[[ $(query "SELECT max(other_processes) FROM rounds") == 1 ]] || fail "$(query "SELECT * FROM rounds")"

# None without a budget, none if only one process is possible; and missing or failing spares do no harm.
tuned_so ''
[[ $(spares) -eq 0 ]] || fail "$(spares) spares"
tuned_so 'mode=exclusive' 200s
[[ $(spares) -eq 0 ]] || fail "$(spares) spares"
tuned_so "cuDevicePrimaryCtxRetain@start=$((openers + 2)): 2; cuDevicePrimaryCtxRetain@start=$((openers + 3)): crash" 200s
tuned_so "nvml.pids=host; cuMemGetInfo@start=$((openers + 2))|$((openers + 3))|$((openers + 4)): 2" 200s
[[ $(spares) -eq 3 ]] || fail "$(spares) spares" # after one said so, no other was asked

# Spares end with their parent, however it ends.
forget
rm -f trace
TUNE_FAULTS='cuDevicePrimaryCtxRetain: slow=200; cuGraphLaunch: slow=5' "$TUNE" run ./copy.yaml --device cuda:0 --no-report \
    "${warm[@]}" "${brief[@]}" --set confirm_rounds=512 --budget 600s >run.out 2>&1 &
parent=$!
has_spares() { is_gone "$parent" || [[ -e trace && $(spares) -ge 4 ]]; }
wait_for has_spares || true
[[ $(spares) -eq 4 ]] || fail "$(spares) spares: $(cat run.out)"
kill -9 "$parent"
wait "$parent" 2>/dev/null || true
no_workers() { (refuse_workers) >/dev/null 2>&1; }
wait_for no_workers || refuse_workers
