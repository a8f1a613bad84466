#!/bin/bash
# Wrong use: exit code 2, one line on stderr with the nearest right word, no other effect.
source "$TUNE_TESTS/lib.sh"

# refused ARGUMENT...: the texts are in golden/wrong_use.txt.
refused() {
    golden "$TUNE" "$@"
    expect_code 2
    expect_empty out
    expect_one_line err
}

refused devicse
refused shwo
refused run --devcie cpu
refused --devcie cpu
refused run --zzzzzz
refused devices --jsn
refused run --db
refused export --header -o winners.h
refused run --quiet=yes
refused run --device warp:0
refused run --device cpu:x
refused run --device cpu --seed soon
refused run --device cpu --sizes 12,many
refused run --device cpu --l2 warm
refused run --device cpu --jobs -1
refused run --budget 10x
refused run --effort norml
refused run --points 0
refused run --points 200%
refused run --until 1
refused run --strategy exhaustiv
refused run --retry crash
refused run --only blok=3
refused show --ties --why
refused show --json --csv
[[ -z $(ls -A) ]] || fail "wrong use left files: $(ls -A)"

# Nearly right words lead on: a figure, a list without brackets, a folder that takes no file, the version.
golden "$TUNE" plot gian
expect_code 3
expect_one_line err
write_experiment
sed 's/block: \[100, 200, 250, 500, 1000\]/block: 100, 200/' double.yaml >list.yaml
golden "$TUNE" run --dry-run list.yaml
expect_code 3
golden "$TUNE" run --dry-run double.yaml --sizes 12345
expect_code 3
run "$TUNE" --version
cp "$captured.out" version
run "$TUNE" -v
cmp -s "$captured.out" version || fail "-v is not --version"
"$TUNE_BUILD/tests/make_fixture" tune.db
golden "$TUNE" report --output /proc/report.html
expect_code 5
golden "$TUNE" show fixture.sum.i33
expect_code 3
expect_golden
