# A host that never stops sending unrequested messages costs no other host anything, and ends with the program.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/fleet/lib.sh"
write_copy
version=$("$TUNE" --version | head -1)
export TUNE_HOST_RETRY_MS=1
hostile() { echo "python3 $TUNE_SOURCE/tests/fleet/hostile.py ${version##* } $1 $TMPDIR/told.$1"; }

for mode in banner bytes unknown never answers ends wants; do
    run "$TUNE" devices --device cpu --on "$(hostile $mode)"
    expect_code 4
    refuse_out 'cpu:0'
done

# Others are tuned all the same.
tune_on 'devices=big' --on here --on "$(hostile children)" --effort quick
expect_code 0
expect_sweep 'Stand-in GPU 132 18 ok'

# SIGTERM ends a run that waits for it, also in the middle of a message.
stop_run() { # mode
    until [[ -e $TMPDIR/told.$1 ]]; do sleep 0.05; done
    kill "$(tune_itself "hostile.py .* $1 ")"
}
export TUNE_HOST_SILENT_MS=86400000
for mode in flood trickle; do
    forget
    stop_run $mode &
    tune_on '' --on "$(hostile $mode)"
    expect_code 130
    wait
    refuse_agents
done
