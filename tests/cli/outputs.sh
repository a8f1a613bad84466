#!/bin/bash
# Outputs that cannot be written: exit code 5, one clear line, and no measurement is lost.
source "$TUNE_TESTS/lib.sh"
write_experiment

# A full disk behind standard output.
for arguments in --help --version 'devices --json --device cpu' 'run --help'; do
    code=0
    # shellcheck disable=SC2086 # words
    "$TUNE" $arguments >/dev/full 2>full.err || code=$?
    command_line="tune $arguments >/dev/full"
    [[ $code -eq 5 ]] || fail "exit code $code, not 5"
    [[ $(wc -l <full.err) -eq 1 ]] || fail "not one line: $(cat full.err)"
    grep -q 'standard output' full.err || fail "it does not say what is full: $(cat full.err)"
done

# A folder in which no one can create a file, not even root.
golden "$TUNE" run double.yaml --device cpu "${steady[@]}" --db /sys/tune.db
golden_refusal "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --conf /sys/tuned.conf
[[ $(query "SELECT count(*) FROM winners") -eq 1 ]] || fail "the winner was lost"
golden_refusal "$TUNE" export --output /sys/tuned.conf
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --db missing/folder/tune.db
[[ $code -eq 3 || $code -eq 5 ]] || fail "exit code $code"
expect_one_line err
expect_err 'missing/folder/tune\.db'

# A disk that is full in the middle of a run: files may not grow past 256 KiB.
mkdir full
mv double* full/
cd full || exit
code=0
(
    trap '' XFSZ
    ulimit -f 256
    "$TUNE" run double.yaml --device cpu "${steady[@]}" >out 2>err
) || code=$?
command_line="tune run, with files of at most 256 KiB"
[[ $code -eq 5 ]] || fail "exit code $code, not 5: $(cat err)"
[[ $(query "PRAGMA integrity_check") == ok ]] || fail "the database is damaged"
kept=$(query "SELECT count(*) FROM trials WHERE stage = 'sweep'")
run "$TUNE" run double.yaml --device cpu "${steady[@]}"
expect_code 0
expect_err "\\($kept known already\\)"

# A file that is no database, and one of a later version.
echo 'this is no database, but a text that is long enough to look like one: really, it is' >text.db
golden "$TUNE" run double.yaml --device cpu "${steady[@]}" --db text.db
python3 - <<'P'
import sqlite3
sqlite3.connect("tune.db").execute("PRAGMA user_version = 9999")
P
golden "$TUNE" run double.yaml --device cpu "${steady[@]}"
expect_golden
