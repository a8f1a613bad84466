#!/bin/sh
# escapes.sh [ROOT]: foreign text goes to a terminal through print_clean, which removes its control characters; excepted
# is text that the program makes itself (style.c, the line of progress).
set -eu
root=${1:-$(dirname -- "$0")/../..}
cd -- "$root"
find tuner frontends views -name '*.c' ! -path '*/terminal/style.c' ! -path '*/cli/progress.c' ! -path 'frontends/capture/library/*' -exec awk '
FNR == 1 { inside = 0 }
!inside && /(^|[^_a-z])fprintf\($|(^|[^_a-z])fprintf\(stderr,/ { inside = 1; call = ""; line = FNR }
inside { call = call $0 }
inside && /;[[:space:]]*$/ {
    inside = 0
    if (call ~ /stderr/ && call ~ /%[-.*0-9]*s/ && call !~ /\\033/) {
        print FILENAME ":" line ": somebody'"'"'s text, unchecked: print_clean"
        found = 1
    }
}
END { exit found }' {} +
