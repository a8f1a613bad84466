#!/bin/bash
# help.sh PROGRAM MANPAGE: every command and option of --help is in the man page and in the
# completion, and the other way round.
set -euo pipefail
program=$1
page=$2
here=$(cd -- "$(dirname -- "$0")" && pwd)
failed=0

# The words of the standard input, sorted, without repeats.
words() {
    LC_ALL=C sort -u
}

# compare WHAT HAVE WANT: two lists, one word per line.
compare() {
    if [[ $2 != "$3" ]]; then
        echo "$1 (< there, > in --help):"
        diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") || true
        failed=1
    fi
}

help_commands() {
    "$program" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | words
}

# Without --help, which the page says once for all.
help_options() {
    "$program" "$1" --help | sed -n '/^options:/,$p' | grep -oE '^  +(-[a-zA-Z], )?--[a-z0-9-]+' |
        grep -oE -- '--[a-z0-9-]+' | grep -vx -- '--help' | words
}

# Headings of the page's section COMMANDS.
page_commands() {
    sed -n '/^\.SH COMMANDS/,/^\.SH [^C]/s/^\.SS tune \([a-z]*\).*/\1/p' "$page" | words
}

# Options set as tags (the line after .TP) below the command's heading.
page_options() {
    sed 's/\\-/-/g' "$page" | awk -v command="$1" '
        /^\.S[SH]/ { inside = $1 == ".SS" && $3 == command }
        tag && inside { n = split($0, part, /[ "]+/)
                        for (i = 2; i <= n; i++) if (part[i] ~ /^--[a-z]/) print part[i] }
        { tag = $1 == ".TP" }' | words
}

# shellcheck source=tuner/cli/completion/tune.bash
source "$here/../../tuner/cli/completion/tune.bash"

# complete_words WORD...: what completion offers for the last word.
complete_words() {
    COMP_WORDS=("$program" "$@")
    COMP_CWORD=$#
    _tune
    printf '%s\n' "${COMPREPLY[@]}" | words
}

commands=$(help_commands)
[[ -n $commands ]] || { echo "tune --help lists no commands"; exit 1; }
compare "commands of the man page" "$(page_commands)" "$commands"
cd "$(mktemp -d)" # no files to offer
trap 'rmdir "$PWD"' EXIT
compare "commands completed" "$(complete_words '')" "$commands"
for command in $commands; do
    options=$(help_options "$command")
    [[ -n $options ]] || { echo "tune $command --help lists no options"; failed=1; }
    compare "options of '$command' in the man page" "$(page_options "$command")" "$options"
    compare "options of '$command' completed" \
        "$(complete_words "$command" -- | grep -vx -- '--help' | words)" "$options"
done
exit "$failed"
