#!/bin/bash
# A machine without gnuplot, xz, make and other shells: commands that need one say so, and all others
# work.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
source "$TUNE_SOURCE/tests/fresh/hide.sh"
[[ -z $TUNE_SANITIZE ]] || exit 77 # once is enough
hide 'gnuplot*' 'xz*' lzma unxz make gmake zsh 'fish*' git 'clang*' shellcheck
test_ends 0 cli/import.sh
run "$TUNE" run reduce.sum.i32 --sizes 4096 --device replay --effort quick --no-report
expect_code 0
test_ends 0 cli/complete.sh
test_ends 77 bindings/consumer.sh
for script in format shell; do
    code=0
    "$TUNE_SOURCE/tests/style/$script.sh" >out 2>&1 || code=$?
    [[ $code -eq 77 ]] || fail "tests/style/$script.sh ends with $code"
done
code=0
(cd "$TUNE_SOURCE/tests/plots" && python3 -B test_size.py) >out 2>&1 || code=$?
[[ $code -eq 77 ]] || { cat out && fail "tests/plots without gnuplot: $code"; }
"$TUNE_BUILD/tests/make_fixture" tune.db
run "$TUNE" plot size
expect_code 4
expect_err 'gnuplot is not installed'
run "$TUNE" report
expect_code 0
expect_file report.html
