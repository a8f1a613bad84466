#!/bin/bash
# Kernels of templates have names of hundreds of characters: each of them is kept.
source "$TUNE_TESTS/lib.sh"
write_experiment
long=kernel_$(printf 'x%.0s' {1..440})
sed -i "s/double_blocks/$long/" double.yaml double_cpu.c
run "$TUNE" run ./double.yaml --device cpu "${steady[@]}" --sizes 1000
expect_code 0
[[ $(query 'SELECT DISTINCT kernel FROM resources') == "$long" ]] || fail "another name: $(query 'SELECT kernel FROM resources')"
run "$TUNE" show --trial "$(query 'SELECT max(trial_id) FROM resources')"
expect_code 0
# A terminal has it in lines, beside the other columns.
[[ $(awk '/^ *0 +kernel_/ { name = 1 } /^$/ { name = 0 } name { print $1 == 0 ? $2 : $1 }' "$captured.out" | tr -d '\n') == "$long" ]] ||
    fail "the name is cut"
run "$TUNE" show --trial "$(query 'SELECT max(trial_id) FROM resources')" --json
expect_code 0
expect_out "$long"
