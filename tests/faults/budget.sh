#!/bin/bash
# A budget ends a run in time, with a winner for every problem and exit code 0; the next run measures the
# rest, and repeats nothing.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 6
sed -i 's/^sizes:.*/sizes: {n: [1000, 3000, 9000]}/' copy.yaml
little=() # with usual effort
brief=(--set block_ns=20000)

# Each block takes so long that all of it would take minutes. Which strategy a budget makes fit is not the matter here.
started=$SECONDS
tune_copy 'cuGraphLaunch: slow=10' "${brief[@]}" --budget 8s --strategy exhaustive
took=$((SECONDS - started))
expect_code 0
[[ $took -lt 30 ]] || fail "8 s became $took s"
expect_err '^tune: the budget cut short: '
[[ $(query "SELECT count(*) FROM winners") -eq 3 ]] || fail "not three winners: $(query "SELECT * FROM winners")"
[[ $(query "SELECT min(candidate_count) > 0, max(candidate_count < space_count), max(space_count) FROM winners") == '1 1 18' ]] ||
    fail "$(query "SELECT candidate_count, space_count FROM winners")"
[[ $(query "SELECT budget_ns, outcome FROM runs") == '8000000000 complete' ]] || fail "$(query "SELECT * FROM runs")"
[[ $(grep -c '^copy.i32 ' tuned.conf) -gt 0 ]] || fail "nothing in tuned.conf: $(cat tuned.conf)"
# No claim exceeds the evidence.
[[ -z $(query "SELECT * FROM winners WHERE trust = 'sound' AND stage <> 'confirm'") ]] || fail "sound without confirmation"
# A search that was cut is not the whole of it, however well its best was compared.
[[ -z $(query "SELECT * FROM winners WHERE candidate_count < space_count AND (trust = 'sound' OR trust_reason NOT LIKE
    'Nearly sure: the budget ended the search after ' || candidate_count || ' of 18 configurations. Run the same command again%')") ]] ||
    fail "$(query "SELECT * FROM winners")"
query "SELECT id, configuration_id, measured_at FROM trials WHERE stage = 'sweep' AND run_id = 1 ORDER BY id" >before
known=$(wc -l <before)
[[ $known -ge 3 && $known -lt 54 ]] || fail "$known trials within the budget"

# No budget, and no hurry.
tune_copy '' "${brief[@]}" --set confirm_processes=2 --set confirm_rounds=3
expect_code 0
expect_err "3 problems, $((54 - known)) trials \\($known known already\\)"
refuse_err 'the budget left'
query "SELECT id, configuration_id, measured_at FROM trials WHERE stage = 'sweep' AND run_id = 1 ORDER BY id" >after
cmp before after || fail "something was measured twice"
[[ $(query "SELECT count(*), count(DISTINCT problem_id || ' ' || configuration_id) FROM trials WHERE stage = 'sweep'") == '54 54' ]] ||
    fail "not each configuration once"
[[ $(query "SELECT DISTINCT candidate_count, space_count, stage FROM winners") == '18 18 confirm' ]] || fail "$(query "SELECT * FROM winners")"

# A problem of which the budget left time for its baseline alone does not race, and has no winner: the next run goes on.
forget
sed -i 's/^sizes:.*/sizes: {n: [1000]}\nbaselines: [{name: first, about: a, set: {way: 4, block: 256}}]/' copy.yaml
sed -i 's/^defines:.*/defines: {WAY: way, BLOCK: block}/' copy.yaml
tune_copy 'nvrtcCompileProgram@WAY=1|2|3|5|6: slow=20000; nvrtcCompileProgram@BLOCK=64|128: slow=20000' "${brief[@]}" --budget 5s
expect_code 6
[[ $(query "SELECT count(*) FROM winners") -eq 0 ]] || fail "$(query "SELECT * FROM winners")"
[[ $(query "SELECT count(*) FROM rounds") -eq 0 ]] || fail "a baseline raced alone"
expect_err '^tune: out of time: 1 of 1 problem was not measured to the end$'
expect_err '^tune run: 1 of 1 problem has no winner, out of time; the same command continues from here$'
[[ ! -e tuned.conf ]] || fail "in tuned.conf: $(cat tuned.conf)"
tune_copy '' "${brief[@]}" --set confirm_processes=2 --set confirm_rounds=3
expect_code 0
[[ $(query "SELECT candidate_count FROM winners") == 18 ]] || fail "$(query "SELECT * FROM winners")"

# Compilers that have little to do are given the baselines of the problems to come: those of the second are asked for
# before the first has its inputs. (References are made ahead in either case.)
forget
sed -i 's/^axes:.*/axes: {type: [i32, u32]}/; s/^defines:.*/defines: {WAY: way, BLOCK: block, TYPE: type}/' copy.yaml
for budget in 60s ''; do
    forget
    rm -f trace
    TUNE_WORKER_TRACE=$PWD/trace tune_copy '' "${brief[@]}" --effort quick --points 2 --jobs 4 ${budget:+--budget $budget}
    expect_code 0
    asked=$(grep -nm1 'copy[.]cu".*"u32"' trace | cut -d: -f1)
    told=$(grep -nm1 '"act":"problem"' trace | cut -d: -f1)
    [[ $((asked < told)) -eq $([[ $budget ]] && echo 1 || echo 0) ]] || fail "asked for in line $asked, told in line $told"
done
