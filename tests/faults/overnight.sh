#!/bin/bash
# A tuning that everything happens to (overnight.py): in seconds as a test, for an hour by hand or on a schedule:
#     tests/faults/overnight.sh [SECONDS [POINTS [SEED]]]      (of TUNE_BUILD, default build/release)
# shellcheck shell=bash
if [[ -z ${TUNE_DRIVER:-} ]]; then
    root=$(cd -- "$(dirname -- "$0")/../.." && pwd)
    build=$(cd -- "${TUNE_BUILD:-$root/build/release}" && pwd)
    export TUNE_SOURCE=$root TUNE=$build/bin/tune TUNE_DRIVER=$build/tests/faults
    export TUNE_OVERNIGHT="${1:-3600} ${2:-100000} ${3:-$RANDOM}"
    # Root can give it a file system of its own, which can then be full.
    # shellcheck disable=SC2016 # expanded there
    if [[ $(id -u) -eq 0 ]] && unshare --mount true 2>/dev/null; then
        exec unshare --mount --propagation private bash -euc '
            mount -t tmpfs -o size=4g tune-overnight /mnt
            TMPDIR=/mnt TUNE_OWN_DISK=yes exec bash "$@"' - "$root/tests/cli/run" "$0"
    fi
    exec bash "$root/tests/cli/run" "$0"
fi
source "$TUNE_SOURCE/tests/faults/lib.sh"
hangs_cost 3000
read -r seconds points seed <<<"${TUNE_OVERNIGHT:-12 240 1}"
write_copy
exec python3 -S "$TUNE_SOURCE/tests/faults/overnight.py" "$seconds" "$points" "$seed"
