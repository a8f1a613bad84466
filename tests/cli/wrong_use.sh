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

# What is nearly right leads on: a figure, a list without brackets, a folder that takes no file, the version.
run "$TUNE" plot gian
expect_code 3
expect_one_line err
expect_err "there is no figure 'gian'; did you mean 'gain'\\?$"
write_experiment
sed 's/block: \[100, 200, 250, 500, 1000\]/block: 100, 200/' double.yaml >list.yaml
run "$TUNE" run --dry-run list.yaml
expect_code 3
expect_err 'list.yaml:[0-9]+:[0-9]+: a list is written in brackets: \[100, 200\]$'
run "$TUNE" --version
cp "$captured.out" version
run "$TUNE" -v
cmp -s "$captured.out" version || fail "-v is not --version"
"$TUNE_BUILD/tests/make_fixture" tune.db
run "$TUNE" report --no-figures --output /proc/report.html
expect_code 5
expect_err '/proc/report.html: cannot write'
