#!/bin/bash
# Help is on stdout, complete, and needs no device, no database and no writable folder.
source "$TUNE_TESTS/lib.sh"

for word in --help -h help; do
    run "$TUNE" "$word"
    expect_code 0
    expect_empty err
    expect_out '^usage: tune '
    for command in run devices show plot export; do
        expect_out "^  $command +[^ ]"
    done
done

# One line a command.
sed -n '/^commands:/,/^$/p' "$captured.out" | sed '1d;$d' >commands
! grep -vE '^  [a-z]+ +[^ ]' commands || fail "lines that are no command"
awk 'length($0) > 100 { exit 1 }' commands || fail "lines that are too long"
rm commands

run "$TUNE" --version
expect_code 0
expect_out '^tune [0-9]+\.[0-9]+\.[0-9]+$'

for command in $("$TUNE" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    for option in --help -h; do
        run "$TUNE" "$command" "$option"
        expect_code 0
        expect_empty err
        expect_out "^usage: tune $command"
        expect_out '^options:$'
        expect_out '^ +-h, --help +print this and exit$'
        awk 'length($0) > 100 { print "too wide: " $0; exit 1 }' "$captured.out" || fail "$command"
    done
done
[[ -z $(ls -A) ]] || fail "help left files: $(ls -A)"
