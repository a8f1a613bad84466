# shellcheck shell=bash
# Helpers of the tests in this folder: `source "$TUNE_TESTS/lib.sh"`.

# fail TEXT...: ends the test, showing what the last command printed.
fail() {
    echo "FAILED: $*"
    echo "--- command: ${command_line:-none} (exit code ${code:-none})"
    for stream in out err; do
        [[ ! -s ${captured:-/nonexistent}.$stream ]] || { echo "--- $stream"; head -c 4000 "$captured.$stream"; }
    done
    exit 1
}

# run COMMAND...: keeps its exit code in $code, its output in $captured.out and $captured.err.
run() {
    command_line=$*
    captured=$TMPDIR/last
    code=0
    "$@" >"$captured.out" 2>"$captured.err" || code=$?
}

# expect_code N
expect_code() {
    [[ $code -eq $1 ]] || fail "exit code $code, not $1"
}

# expect_out REGEX, expect_err REGEX: a line of stdout or stderr matches (extended regex).
expect_out() {
    grep -qE -- "$1" "$captured.out" || fail "stdout has no line with: $1"
}
expect_err() {
    grep -qE -- "$1" "$captured.err" || fail "stderr has no line with: $1"
}
refuse_err() {
    ! grep -qE -- "$1" "$captured.err" || fail "stderr has a line with: $1"
}

# expect_empty out|err
expect_empty() {
    [[ ! -s $captured.$1 ]] || fail "$1 is not empty"
}

# expect_one_line err: an error is one line.
expect_one_line() {
    [[ $(wc -l <"$captured.$1") -eq 1 ]] || fail "$1 is not one line"
}

expect_file() {
    [[ -s $1 ]] || fail "no file $1, or an empty one"
}

refuse_file() {
    [[ ! -e $1 ]] || fail "a file $1 was left"
}
