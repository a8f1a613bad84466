#!/bin/bash
# help.sh PROGRAM MANPAGE: docs/commands.md equals the program's tables of options, and the manual has all of them.
#   build/dev/bin/tune __options >docs/commands.md     writes it anew
set -euo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
commands=$here/../../docs/commands.md
"$1" __options | diff "$commands" - || {
    echo "docs/commands.md: write it anew with 'tune __options >docs/commands.md'"
    exit 1
}

# Reads each command's heading and its options from the page, in their order.
manual=$(sed 's/\\-/-/g; s/\\f[BP]//g' "$2" | awk '
    /^\.SH/ { inside = $2 == "COMMANDS" }
    inside && /^\.SS/ { print $3 }
    inside && tag { print }
    { tag = $1 == ".TP" }')
documented=$(sed -n 's/^## tune //p; s/^- \(.*\)/\1/p' "$commands" | sed 's/[*`]//g')
[[ $(wc -l <<<"$manual") -gt 100 ]] || {
    echo "$2: fewer than 100 commands and options"
    exit 1
}
diff <(echo "$documented") <(echo "$manual")
! command -v groff >/dev/null || [[ -z $(groff -man -ww -Tutf8 "$2" 2>&1 >/dev/null) ]]
