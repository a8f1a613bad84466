# Kernels and calls that never end: each is given up after its time limit, its process is killed, and
# the sweep goes on.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 4
hangs_cost 4000

tune_copy 'kernel@WAY=2,block=128: hang; cuLaunchKernel@WAY=3,block=64: hang'
expect_code 0
expect_failed "2 128 timed_out no result after [0-9]+ ms" "3 64 timed_out no result after [0-9]+ ms"
refuse_workers

# The reference is a kernel that never ends: it is named, after its time limit, and no other problem waits for it.
forget
sed -i 's/^check:.*/check: {configuration: {way: 1, block: 256}, output: out}\ndefaults: {way: 2, block: 256}/' copy.yaml
begun=$SECONDS
tune_copy 'kernel@WAY=1,block=256: hang'
expect_code 3
expect_err "^tune run: ./copy.yaml: copy.i32 n=1000: computing the expected results \(kernel 'copy_elements' with in\[1000\], out\[1000\]\): no result after [0-9]+ ms \(TUNE_TRIAL_TIMEOUT_MS\); its process was killed$"
refuse_err 'is lost|does not come back'
[[ -n ${TUNE_SANITIZE:-} ]] || ((SECONDS - begun < 120)) || fail "it took $((SECONDS - begun)) s"
refuse_workers

# A baseline that could not be measured is told, and how to have it tried again. Where standard error is no terminal a
# line says every ten seconds how far the run is.
forget
write_copy 2
sed -i 's/^sizes:.*/sizes: {n: [1000]}\nbaselines: [{name: first, about: a, set: {way: 2, block: 256}}]/' copy.yaml
hangs_cost 12000
tune_copy 'kernel@WAY=2,block=256: hang'
expect_code 0
expect_err "^tune: 1 problem has a baseline that could not be measured, and no gain over it \(copy.i32 n=1000, 'way=2 block=256': timed_out\); 'tune show --failures' says why$"
[[ -n ${TUNE_SANITIZE:-} ]] || expect_err '^tune: after [0-9]+ s: [a-z]+ copy.i32 n=1000, [0-9]+ of 6 points, best '
tune_copy 'kernel@WAY=2,block=256: hang'
expect_err '^tune: 1 that failed before was left alone; the same command with --retry timed_out tries it again$'
expect_err '^tune: 1 problem has a baseline that could not be measured'
tune_copy '' --retry timed_out
expect_code 0
refuse_err 'could not be measured|left alone'
