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

# Messages of the YAML parser, with the remedy.
remedied() {
    sed "$1" good.yaml >double.yaml
    run "$TUNE" run --dry-run double.yaml
    expect_code 3
    expect_one_line err
    expect_err "double\\.yaml:$2"
}
remedied 's/^experiment: double/&\nabout: twice: the same/' '2:13: not YAML: .* a text with '"': '"' in it goes in quotes$'
remedied 's/^  n: /\tn: /' '[0-9]+:1: not YAML: .*: a tab; indent with blanks$'
remedied 's/^  n: /   n: [1]\n  m: /' '[0-9]+:3: not YAML: .*: lines of one mapping begin in the same column$'
remedied 's/type: i32/type: int/' "[0-9]+:[0-9]+: no type is named 'int'; it is i32 here$"
remedied 's/^  n: \[.*/  n: [1k]/' '[0-9]+:7: this is no number \(a million is 1000000'
# However it was saved: a mark of the order of bytes and ends of lines do not matter, another encoding is named.
{ printf '\xef\xbb\xbf' && sed 's/$/\r/' good.yaml; } >double.yml
run "$TUNE" run --dry-run double.yml
expect_code 0
cp double.yml double.yaml
run "$TUNE" run --dry-run double.yaml
expect_code 0
python3 -c 'import sys; sys.stdout.buffer.write(open("good.yaml").read().encode("utf-16"))' >double.yaml
run "$TUNE" run --dry-run double.yaml
expect_code 3
expect_err 'double.yaml: not a text: .*UTF-16\? Save it as UTF-8'
# A folder is no experiment.
run "$TUNE" run --dry-run .
expect_code 3
expect_err '^tune run: \.: not a regular file'
