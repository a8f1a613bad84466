#!/bin/sh
# Reports the longest files; fails only far above what a reader takes in: a source file of more than 800 lines, a header of
# more than 500. libtuned is one file of at most 2000, so that a program can take it in by copying two files.
set -eu
cd -- "$(dirname -- "$0")/../.."
find tuner libtuned kernels include examples bench tests \
    \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' -o -name '*.sh' \) \
    -type f -exec wc -l {} + |
    grep -v ' total$' | sort -rn |
    awk 'NR <= 10 { print }
         { limit = $2 == "libtuned/tuned.c" ? 2000 : $2 ~ /\.h$/ ? 500 : 800 }
         $1 > limit { print $2 ": " $1 " lines of " limit; failed = 1 }
         END { exit failed }'
