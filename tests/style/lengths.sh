#!/bin/sh
# No source file of 500 lines or more; but libtuned is one file of at most 2000, so that a program
# can take it in by copying two files.
set -eu
cd -- "$(dirname -- "$0")/../.."
find tuner runtime kernels calls examples bench tests \
    \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' -o -name '*.sh' \) \
    -type f -exec wc -l {} + |
    awk '{ limit = $2 == "runtime/tuned.c" ? 2000 : 500 }
         $2 != "total" && $1 >= limit { print $2 ": " $1 " lines of " limit; failed = 1 }
         END { exit failed }'
