#!/bin/bash
# The last line of a run names the reason and one step, which does something when it is typed; no other line gives advice.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 2

# expect_last REGEX: the last line, and the only advice.
expect_last() {
    tail -n 1 "$captured.err" | grep -qE "$1" || fail "the last line is '$(tail -n 1 "$captured.err")', not $1"
    [[ $(grep -cE 'same command|`--effort|is idle|--budget' "$captured.err") -le 1 ]] || fail "several steps: $(cat "$captured.err")"
    ! grep -qE 'same command|`--effort|is idle|--budget' "$captured.out" || fail "advice in the table: $(cat "$captured.out")"
}

tune_copy 'nvrtcCompileProgram@source=copy.cu: 6'
expect_code 6
expect_last "^tune run: 1 of 1 problem has no winner: all trials failed \(6 compile_failed\); 'tune show --failures' says why$"
forget
tune_copy 'kernel: wrong'
expect_code 6
expect_last "^tune run: copy.i32 n=1000: no result agrees with the reference of the file's 'check'; of the 6 results 6 agree with one another "

# Only the named step is left.
tune_copy ''
expect_code 6
expect_err '^tune: 6 that failed before were left alone; the same command with --retry wrong_result tries them again$'
tune_copy '' --retry wrong_result --effort normal
expect_code 0
expect_last '^tune: next: load tuned.conf in your program \(docs/libtuned.md\)$'

# The step makes a quick run's unsure winners sure; then no step is left.
forget
tune_copy '' --effort quick
expect_code 0
expect_err '^tune: copy.i32 n=1000: nearly sure: it was measured in one process only$'
expect_last "^tune: next: run the same command with .--effort normal.$"
tune_copy '' --effort normal
expect_code 0
expect_last '^tune: next: load tuned.conf in your program \(docs/libtuned.md\)$'
