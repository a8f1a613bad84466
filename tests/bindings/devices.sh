# shellcheck shell=bash
# The entries that 32 real devices, from Volta to Blackwell, get from the recorded files, and from one exported
# from the recorded databases: none that a table of their abilities rules out (devices.c), and of reduce only
# entries that give the right result under emulation, at odd sizes and grids.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_SOURCE/tests/cli/lib.sh"
command -v "${CC:-cc}" >/dev/null && command -v xz >/dev/null || exit 77
tune=$TUNE_BUILD/bin/tune
[[ -x $tune ]] || exit 77

databases=()
for packed in "$TUNE_SOURCE"/db/recorded/nvidia-*/{tune,families}.db.xz; do
    [[ -e $packed ]] || continue
    databases+=("$PWD/$(basename "$(dirname "$packed")")-$(basename "$packed" .xz)")
    xz -dkc "$packed" >"${databases[-1]}"
done
run "$tune" merge all.db "${databases[@]}"
expect_code 0
run "$tune" export --db all.db -o all.conf
expect_code 0
grep -qE '^\[cuda "\*"\] capabilities=9( |$)' all.conf || fail "no portable section of what was measured"
grep -q 'capability=9.0 cluster=16' all.conf || fail "no entry tells what its cluster needs"

# Recorded files are of the format that is written today, so each answer has a launch.
for file in "$TUNE_SOURCE"/db/recorded/*/*.conf "$TUNE_SOURCE/configs/tuned.conf"; do
    [[ $(head -n 1 "$file") == "$(head -n 1 all.conf)" ]] || fail "$file is of another format than 'tune export' writes"
done

run "${CC:-cc}" -std=c99 -O1 -Wall -Wextra -Werror -I"$TUNE_SOURCE/libtuned" "$TUNE_SOURCE/tests/bindings/devices.c" \
    "$TUNE_SOURCE"/libtuned/tuned{,_debug}.c -o devices
expect_code 0
run ./devices "$TUNE_SOURCE"/db/recorded/*/*.conf "$TUNE_SOURCE/configs/tuned.conf" all.conf
expect_code 0
expect_err ' 0 ruled out$'

# The kernels of all answers, once each.
cxx=$(command -v g++ || command -v clang++) && [[ -e $TUNE_BUILD/tests/libreduce_checks.a ]] || exit 0
{
    echo '#define KERNELS "kernels/reduce/reduce.cuh"'
    echo '#include "tests/kernels/reduce_point.h"'
    grep '^POINT' "$captured.out"
} >answers.cpp
[[ $(grep -c ^POINT answers.cpp) -gt 20 ]] || fail "hardly any answer of reduce"
run "$cxx" -std=c++17 -O1 -w -fno-strict-aliasing -U_FORTIFY_SOURCE -I"$TUNE_SOURCE" answers.cpp \
    "$TUNE_BUILD/tests/libreduce_checks.a" -o emulated
expect_code 0
run ./emulated --results
expect_code 0
expect_out '^[0-9]+ points, 0 failed$'
