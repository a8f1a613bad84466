#!/bin/bash
# Wrong use: exit code 2, one line on stderr with the nearest right word, nothing done.
source "$TUNE_TESTS/lib.sh"

refused() {
    expect_code 2
    expect_empty out
    expect_one_line err
    expect_err "$1"
}

run "$TUNE" devicse
refused "'devicse' is no command; did you mean 'devices'\?"
run "$TUNE" shwo
refused "did you mean 'show'"
run "$TUNE" run --devcie cpu
refused "unknown option '--devcie'; did you mean '--device'\?"
run "$TUNE" --devcie cpu
refused "unknown option '--devcie'; did you mean '--device'\?"
run "$TUNE" run --zzzzzz
refused "unknown option '--zzzzzz'; 'tune run --help' lists them"
run "$TUNE" devices --jsn
refused "did you mean '--json'"
run "$TUNE" run --db
refused "\-\-db needs a value: --db FILE"
run "$TUNE" run --quiet=yes
refused "\-\-quiet takes no value"
run "$TUNE" run --device warp:0
refused "'warp:0'.*(cuda:0|cpu)"
run "$TUNE" run --device cpu:x
refused "cpu:x"
run "$TUNE" run --device cpu --seed soon
refused "\-\-seed soon: "
run "$TUNE" run --device cpu --sizes 12,many
refused "(--sizes|many)"
run "$TUNE" run --device cpu --l2 warm
refused "(cold|hot)"
run "$TUNE" run --device cpu --jobs -1
refused "\-\-jobs"
[[ -z $(ls -A) ]] || fail "wrong use left files: $(ls -A)"
