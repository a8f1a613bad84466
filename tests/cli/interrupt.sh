#!/bin/bash
# Ctrl-C: exit code 130, no result lost, no child left; the next run continues.
source "$TUNE_TESTS/lib.sh"
write_experiment 400000

"$TUNE" run double.yaml --device cpu "${steady[@]}" >first.out 2>first.err &
tune=$!
trials() {
    query "SELECT count(*) FROM trials WHERE stage = 'sweep'" 2>/dev/null || echo 0
}
is_time() { is_gone "$tune" || [[ $(trials) -ge 5 ]]; }
wait_for is_time || fail "not five trials"
! is_gone "$tune" || fail "it ended by itself: $(cat first.err)"
kill -INT "$tune"
code=0
wait "$tune" || code=$?
command_line="tune run, interrupted"
[[ $code -eq 130 ]] || fail "exit code $code, not 130: $(cat first.err)"
! grep -qE 'same command|`--effort|is idle|--budget' first.err || fail "it gives other advice: $(cat first.err)"
grep -q 'run again to continue' first.err || fail "it does not say how to go on: $(cat first.err)"
done_before=$(trials)
[[ $done_before -ge 5 && $done_before -lt 40 ]] || fail "$done_before trials before the interrupt"
[[ $(query "PRAGMA integrity_check") == ok ]] || fail "the database is damaged"
[[ $(query "SELECT outcome FROM runs") == interrupted ]] || fail "the run is not marked interrupted"

# Children of this test's own run: they have its environment.
children() {
    local process
    for process in /proc/[0-9]*; do
        if tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -qE ' __(measure|compile) ' &&
            grep -qsF "TUNE_CACHE_DIR=$TUNE_CACHE_DIR" "$process/environ"; then
            echo "$process"
        fi
    done
}
no_children() { [[ -z $(children) ]]; }
patience_s=60 wait_for no_children || fail "children are left: $(children)"

run "$TUNE" run double.yaml --device cpu "${steady[@]}"
expect_code 0
expect_err "2 problems, $((40 - done_before)) trials \\($done_before known already\\)"
[[ $(trials) -eq 40 ]] || fail "$(trials) trials at the end"
expect_file tuned.conf
