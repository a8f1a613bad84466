#!/bin/bash
# Experiment files that are wrong: exit code 3 and one line, FILE:LINE:COLUMN, what is wrong, the
# nearest known word; and nothing is made.
source "$TUNE_TESTS/lib.sh"
write_experiment
cp double.yaml good.yaml

# refused SED-SCRIPT REGEX: the good file changed by the script is refused with that message.
refused() {
    sed "$1" good.yaml >double.yaml
    ! cmp -s good.yaml double.yaml || fail "the script changed nothing: $1"
    run "$TUNE" run double.yaml --device cpu "${steady[@]}"
    expect_code 3
    expect_empty out
    expect_one_line err
    expect_err "double\\.yaml:$2"
}

refused 's/^parameters:/paramters:/' "7:1: .*paramters.*did you mean 'parameters'"
refused 's/threads: 1/thread: 1/' "[0-9]+:[0-9]+: .*thread.*did you mean 'threads'"
refused 's/ceil_div(n, block)/ceil_div(n, blok)/' "11:[0-9]+: .*blok.*did you mean 'block'"
refused 's/ceil_div(n, block)/ceil_dvi(n, block)/' "11:[0-9]+: .*ceil_dvi.*did you mean 'ceil_div'"
refused 's/type: i32, count: n, fill/type: i23, count: n, fill/' "[0-9]+:[0-9]+: .*i23"
refused 's/block: \[100, 200/block: [100, 200/; s/^  n: .*/  n: [1000, -5]/' "6:[0-9]+: "
refused 's/output: out/output: in/' "[0-9]+:[0-9]+: "
refused 's/arguments: \[in, out/arguments: [in, uot/' "[0-9]+:[0-9]+: .*uot.*did you mean 'out'"
refused 's/^source: .*/source: nothing.c/' "[0-9]+:[0-9]+: .*nothing\\.c"
refused 's/^metrics:/metrics: [/' "[0-9]+:[0-9]+: "
refused '3p' "[0-9]+:[0-9]+: .*device"

: >double.yaml
run "$TUNE" run double.yaml --device cpu
expect_code 3
expect_one_line err
run "$TUNE" run missing.yaml --device cpu
expect_code 3
expect_err 'missing\.yaml'
run "$TUNE" run "$PWD" --device cpu
expect_code 3
run "$TUNE" run reduc --device cpu
expect_code 3
expect_err "no experiment 'reduc'; did you mean 'reduce'\?"
refuse_file tune.db
refuse_file tuned.conf
