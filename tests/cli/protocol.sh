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
for case in '--set' '--set delta' '--set detla=1' '--set delta=x' '--set delta=7' '--effort slow' '--budget 0' '--budget 5x' \
    '--budget -1' '--l2 hott'; do
    # shellcheck disable=SC2086 # words
    golden "$TUNE" run double.yaml --device cpu $case
done
refuse_file tune.db
expect_golden
