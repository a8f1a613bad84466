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
