#!/bin/bash
# The numbers of the protocol: --list-protocol; and errors of --effort, --budget, --set and --l2.
source "$TUNE_TESTS/lib.sh"
write_experiment

# The numbers: each with its name, a value for each kind of device, and its meaning.
run "$TUNE" run --list-protocol
expect_code 0
expect_empty err
# A column for each kind of device that was built in.
kinds=$(sed -n '1s/^name *\(.*[a-z]\) *meaning$/\1/p' "$captured.out" | xargs)
[[ $kinds == cpu || $kinds == 'cuda cpu' ]] || fail "columns: $kinds"
[[ $kinds == cpu ]] || expect_out '^delta +0\.0025 +[0-9.]+ +[a-z]'
expect_out '^delta( +[0-9.]+)+ +[a-z]'
expect_out '^Shares are fractions: '
normal=$(sed -n 's/^confirm_processes *\([0-9]*\) .*/\1/p' "$captured.out")
run "$TUNE" run --list-protocol --effort thorough --set delta=0.5
expect_out "^delta( +0\.5)+ +[a-z]"
thorough=$(sed -n 's/^confirm_processes *\([0-9]*\) .*/\1/p' "$captured.out")
run "$TUNE" run --list-protocol --effort=quick
quick=$(sed -n 's/^confirm_processes *\([0-9]*\) .*/\1/p' "$captured.out")
[[ $quick -lt $normal && $normal -lt $thorough ]] || fail "not more and more: $quick, $normal, $thorough"

# Errors are reported before any work.
for case in '--set|--set needs a value' '--set delta|NAME=VALUE' '--set detla=1|did you mean .delta.' \
    '--set delta=x|delta' '--set delta=7|from 0 to 1' '--effort slow|quick, normal or thorough' \
    '--budget 0|90s, 30m or 8h' '--budget 5x|90s, 30m or 8h' '--budget -1|90s, 30m or 8h' '--l2 hott|did you mean .hot.'; do
    # shellcheck disable=SC2086 # words
    run "$TUNE" run double.yaml --device cpu ${case%%|*}
    expect_code 2
    expect_empty out
    expect_one_line err
    expect_err "${case#*|}"
done
refuse_file tune.db
