#!/bin/bash
# Wrong experiment files: exit code 3 and one line, FILE:LINE:COLUMN, the error, the nearest known
# word; and no file is made.
source "$TUNE_TESTS/lib.sh"
write_experiment
cp double.yaml good.yaml

# refused SED-SCRIPT REGEX: the good file changed by the script is refused with that message.
refused() {
    sed "$1" good.yaml >double.yaml
    ! cmp -s good.yaml double.yaml || fail "the script changed nothing: $1"
    golden "$TUNE" run double.yaml --device cpu "${steady[@]}"
}

refused 's/^parameters:/paramters:/'
refused 's/threads: 1/thread: 1/'
refused 's/ceil_div(n, block)/ceil_div(n, blok)/'
refused 's/ceil_div(n, block)/ceil_dvi(n, block)/'
refused 's/type: i32, count: n, fill/type: i23, count: n, fill/'
refused 's/block: \[100, 200/block: [100, 200/; s/^  n: .*/  n: [1000, -5]/'
refused 's/output: out/output: in/'
refused 's/arguments: \[in, out/arguments: [in, uot/'
refused 's/^source: .*/source: nothing.c/'
refused 's/^metrics:/metrics: [/'
refused '3p'

: >double.yaml
run "$TUNE" run double.yaml --device cpu
expect_code 3
expect_one_line err
golden_refusal "$TUNE" run missing.yaml --device cpu
run "$TUNE" run "$PWD" --device cpu
expect_code 3
golden_refusal "$TUNE" run reduc --device cpu
refuse_file tune.db
refuse_file tuned.conf

# Messages of the YAML parser, with the remedy.
remedied() {
    sed "$1" good.yaml >double.yaml
    golden "$TUNE" run --dry-run double.yaml
}
remedied 's/^experiment: double/&\nabout: twice: the same/'
remedied 's/^  n: /\tn: /'
remedied 's/^  n: /   n: [1]\n  m: /'
remedied 's/type: i32/type: int/'
remedied 's/^  n: \[.*/  n: [1k]/'
# However it was saved: a mark of the order of bytes and ends of lines do not matter, another encoding is named.
{ printf '\xef\xbb\xbf' && sed 's/$/\r/' good.yaml; } >double.yml
run "$TUNE" run --dry-run double.yml
expect_code 0
cp double.yml double.yaml
run "$TUNE" run --dry-run double.yaml
expect_code 0
python3 -c 'import sys; sys.stdout.buffer.write(open("good.yaml").read().encode("utf-16"))' >double.yaml
golden_refusal "$TUNE" run --dry-run double.yaml
# A folder is no experiment.
golden_refusal "$TUNE" run --dry-run .
# A kernel that the source lacks is found when it is loaded; the end of the run gives the reason.
sed 's/kernel: double_blocks/kernel: double_block/' good.yaml >double.yaml
run "$TUNE" run double.yaml --device cpu "${steady[@]}"
expect_err "^tune: double n=1000: no configuration works, mostly: launch_failed: the kernel's source defines no function 'double_block' "
# Defaults that are no point of the space are a baseline alone, which is told in a run as well.
{ cat good.yaml && echo 'defaults: {way: plane, block: 100}'; } >double.yaml
run "$TUNE" run double.yaml --device cpu "${steady[@]}"
expect_err "^tune: double.yaml:[0-9]+:11: the defaults are not legal for double at n = 1000: way = plane is not among its values; they are a baseline, and cannot win$"
expect_golden
