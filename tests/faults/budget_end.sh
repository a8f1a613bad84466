#!/bin/bash
# After a budget's end no work is begun, however long compilers take: started work is counted, not timed. Omissions are
# reported; the same command continues. tune check lists unchecked entries, and that no evidence speaks against them.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 3
sed -i 's/^sizes:.*/sizes: {n: [1000, 3000, 9000, 27000]}/' copy.yaml
sed -i 's/^defines:.*/defines: {WAY: way, BLOCK: block, N: n}/' copy.yaml
little=() # with usual effort
brief=(--set block_ns=20000 --set confirm_processes=2 --set confirm_rounds=3)

# A compiler that needs longer than the budget: no problem is measured, no second one is begun, no configuration is
# blamed.
tune_copy 'nvrtcCompileProgram@source=copy.cu: slow=20000' "${brief[@]}" --budget 2s
expect_code 6
expect_err '^tune: out of time: 4 of 4 problems were not measured to the end$'
expect_err '^tune: the budget cut short: '
refuse_err 'no configuration works'
expect_err '^tune run: 4 of 4 problems have no winner, out of time; the same command with a larger --budget, or none, continues from here$'
[[ $(query "SELECT count(*) FROM trials") -eq 0 ]] || fail "$(query "SELECT * FROM trials")"
[[ $(query "SELECT outcome FROM runs") == complete ]] || fail "$(query "SELECT * FROM runs")"
refuse_workers

# A compiler that takes a part of it for each: some problems have winners of a race, unreached ones have nothing.
forget
tune_copy 'nvrtcCompileProgram@source=copy.cu: slow=200' "${brief[@]}" --budget 3s
[[ $code -eq 0 || $code -eq 6 ]] || fail "exit code $code"
[[ -z $(query "SELECT * FROM winners WHERE stage = 'sweep'") ]] || fail "$(query "SELECT * FROM winners")"
left=$(query "SELECT 4 - count(*) FROM winners")
[[ $code -eq 0 || $left -gt 0 ]] || fail "exit code $code with all winners"
[[ $left -eq 0 ]] || expect_err "^tune: out of time: $left of 4 problems w[a-z]* not measured to the end\$"
# Started after the end: rounds of one race at most, and a trial of the sweep at most.
end="(SELECT budget_ns FROM runs)"
[[ $(query "SELECT count(DISTINCT problem_id) <= 1 FROM rounds WHERE stage = 'race' AND at_ns > $end") -eq 1 ]] ||
    fail "$(query "SELECT problem_id, stage, at_ns FROM rounds")"
[[ $(query "SELECT count(*) <= 4 FROM rounds WHERE at_ns > $end") -eq 1 ]] || fail "$(query "SELECT problem_id, stage, at_ns FROM rounds")"

# Configurations that hang at other sizes, on a device that starts slowly: time to start it again is left, so that the
# winner of the race is there, for the measured size; nobody is blamed.
cp copy.yaml four.yaml
sed -i 's/^sizes:.*/sizes: {n: [9000]}/; s/, N: n}/}/' copy.yaml
forget
tune_copy 'cuInit: slow=2500; kernel@kernel=copy_elements,grid=1: hang' "${brief[@]}" --budget 9s
expect_code 0
[[ $(query "SELECT count(*) FROM winners WHERE stage = 'sweep'") -eq 0 ]] || fail "$(query "SELECT * FROM winners")"
grep -q '^copy.i32 n=9000 .*domain="n==9000"' tuned.conf || fail "serves sizes that were not checked: $(cat tuned.conf)"
[[ $(query "SELECT count(*) FROM gauntlets WHERE NOT passed") -eq 0 ]] || fail "$(query "SELECT * FROM gauntlets")"
# One that hangs at its own size takes half of the rest, not all, and the next run tries it again.
forget
tune_copy 'kernel@WAY=2,block=128: hang' "${brief[@]}" --budget 9s
expect_code 0
[[ $(query "SELECT count(*) FROM winners WHERE stage = 'sweep'") -eq 0 ]] || fail "$(query "SELECT * FROM winners")"
[[ -z $(query "SELECT * FROM trials WHERE status = 'timed_out' AND binary_hash IS NOT NULL") ]] || fail "blamed for good"
mv four.yaml copy.yaml
forget

# No hurry.
tune_copy '' "${brief[@]}"
expect_code 0
[[ $(query "SELECT count(*) FROM winners WHERE stage = 'confirm'") -eq 4 ]] || fail "$(query "SELECT * FROM winners")"
refuse_err 'out of time'

# tune check: all of it; none of it; some of it.
check=("$TUNE" check --device cuda:0 copy.yaml tuned.conf "${warm[@]}" --set block_ns=20000 --json)
TUNE_FAULTS='' run "${check[@]}"
expect_code 0
entries=$(pick 'len(j)')
TUNE_FAULTS='nvrtcCompileProgram@source=copy.cu: slow=20000' TUNE_CACHE_DIR=$TMPDIR/other run "${check[@]}" --budget 1s
expect_code 8
expect_json '{(e["state"], e["reason"]) for e in j}' "{('not checked', 'the budget was spent before its turn')}"
expect_json 'len(j)' "$entries"
expect_err "^tune: $entries entries: 0 hold, .* 0 cannot be checked, $entries not checked, out of time\$"
expect_err "tune check: tuned.conf: the budget was spent before $entries of $entries entries were checked: give more with --budget, or check fewer with --problem"
# Failed entries come first, whatever was not reached.
sed 's/way=[0-9]*/way=77/' tuned.conf >gone.conf
TUNE_FAULTS='' run "${check[@]/tuned.conf/gone.conf}"
expect_code 7
expect_json '{e["reason"] for e in j}' "{'it is no configuration of the experiment as it is today'}"
