#!/bin/sh
# names.sh [ROOT]: no variable, member or function has a name without meaning at its place. For a search strategy, `ask`
# and `tell` are the field's words, as is `told`; members of stored rows have the names of their columns.
set -eu
root=${1:-$(dirname -- "$0")/../..}
cd -- "$root"
find tuner frontends views libtuned \( -path tuner/search -o -path tuner/store \) -prune -o -name '*.[ch]' -exec awk '
    { gsub(/"([^"\\]|\\.)*"|\/\*.*\*\//, "") }
    /^ *(\*|\/\*|return|else)/ { next }
    /(^|[(,]) *((static|const|unsigned|struct|enum) )*[a-z_0-9]+ [* ]*(told|said|asked|heard|again|like|any|only|tell|ask|put)(\[[^]]*\])?( =|[;,(]|\)$)/ {
        print FILENAME ":" FNR ": " $0
        found = 1
    }
    END { exit found }' {} + || { echo "a noun phrase says which"; exit 1; }
! grep -rnE --include='*.c' '== 1 *[?] *"" *: *"(s|es)"' tuner frontends views || { echo "count_text() makes plurals"; exit 1; }
