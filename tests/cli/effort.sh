#!/bin/bash
# The amount of measuring: --effort, --budget and --set (protocol.sh has their errors). All numbers used are
# stored.
source "$TUNE_TESTS/lib.sh"
write_experiment

# Quick: no confirmation, with a message. The set numbers are stored.
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --set race_z=3.5
expect_code 0
[[ $(query "SELECT effort, objective, budget_ns FROM runs") == 'quick time None' ]] || fail "$(query "SELECT * FROM runs")"
[[ -n $(query "SELECT 1 FROM runs WHERE ' ' || protocol || ' ' LIKE '% race_z=3.5 %'") ]] || fail "the protocol is not stored"
[[ $(query "SELECT stage, processes FROM winners") == 'race 0' ]] || fail "$(query "SELECT stage, processes FROM winners")"
run "$TUNE" show --wide --trust
expect_out '^  effort +quick, but .*race_z=3\.5'
expect_out 'not confirmed'

# Then more: results of the sweep are not repeated, and fresh processes confirm.
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --effort normal --set confirm_processes=2 --set confirm_rounds=6
expect_code 0
expect_err '1 problem, 0 trials \(20 known already\)'
[[ $(query "SELECT stage, processes FROM winners") == 'confirm 2' ]] || fail "$(query "SELECT stage, processes FROM winners")"
[[ $(query "SELECT count(DISTINCT process) FROM rounds WHERE stage = 'confirm'") -eq 2 ]] || fail "not two processes"

# An unsure winner is chosen again if the effort is typed, and by a greater effort anyway; otherwise the choice
# stays.
again() { # OPTION...: $chosen_by is the run that the winner is of afterwards
    run "$TUNE" run double.yaml --device cpu --no-report "${steady[@]:3}" --sizes 1000 "$@" --set confirm_processes=2 --set confirm_rounds=6
    expect_code 0
    expect_err '1 problem, 0 trials \(20 known already\)'
    chosen_by=$(query "SELECT run_id FROM winners")
}
stand() { # TRUST: the stored verdict from now on
    python3 -S - "$1" <<'P'
import sqlite3, sys
database = sqlite3.connect("tune.db")
database.execute("UPDATE winners SET trust = ?", sys.argv[1:])
database.commit()
P
}
# expect_choice kept|anew WHY [OPTION...]: the effect of the same command.
expect_choice() {
    local before is=kept
    before=$(query "SELECT run_id FROM winners")
    again "${@:3}"
    [[ $chosen_by == "$before" ]] || is=anew
    [[ $is == "$1" ]] || fail "$2"
}
stand noisy
expect_choice kept "chosen again, though nobody asked for it"
expect_choice anew "not chosen again by the same effort" --effort normal
stand sound
expect_choice kept "chosen again, though it is sure" --effort normal
expect_choice anew "not chosen again by a greater effort" --effort thorough
stand noisy
expect_choice kept "chosen again by a lesser effort" --effort normal

# A budget ends the run in time with a best so far; a later one goes on.
write_experiment 2000000
started=$(date +%s)
run env TUNE_WORKER_TRACE="$PWD/trace" "$TUNE" run double.yaml --device cpu "${steady[@]}" --set warm_most_ms=3000 --effort thorough --budget 1s --db budget.db --conf budget.conf
[[ $code -eq 0 || $code -eq 6 ]] || fail "exit code $code" # 6: a problem that was not come to
took=$(($(date +%s) - started))
[[ $took -lt 60 ]] || fail "1 s became $took s"
grep -q 'warm_most_ms=200[^0-9]' trace || fail "a warm-up of more than a fifth of the budget: $(head -n 1 trace)"
expect_err '^tune: the budget cut short: '
run "$TUNE" show --runs --db budget.db --json
expect_json '[r["budget_ns"] for r in j]' '[1000000000]'
