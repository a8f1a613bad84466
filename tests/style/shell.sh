#!/bin/sh
# Every script is as shellcheck would have it. Exit code 77: there is no shellcheck.
set -eu
cd -- "$(dirname -- "$0")/../.."
command -v shellcheck >/dev/null || exit 77
sourcing='^source "[^"]*/lib\.sh"'
alone=$(find tests -name '*.sh' -type f -exec grep -LE "$sourcing" {} +)
tests=$(find tests -name '*.sh' -type f -exec grep -lE "$sourcing" {} +)
code=0
# shellcheck disable=SC2086 # names are words
shellcheck -x -S warning -P SCRIPTDIR bootstrap .ci/run packaging/*.sh tuner/cli/completion/tune.bash $alone || code=1
# A test is read without the library that it sources, in a fifth of the time: variables of libraries are set or used there.
names=$(sed 's/^ *#.*//' tests/*/lib.sh | grep -oE '[A-Za-z_]+' | sort -u | tr '\n' '|')
# shellcheck disable=SC2086
shellcheck -f gcc -S warning $tests |
    grep -vE ": warning: (${names%|}) (is referenced but not assigned.* \[SC2154\]|appears unused.* \[SC2034\])$" && code=1
exit "$code"
