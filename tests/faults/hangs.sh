# Kernels and calls that never end: each is given up after its time limit, its process is killed, and
# the sweep goes on.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 4

# hangs FAULTS
hangs() {
    forget
    tune_copy "$1"
    expect_code 0
    expect_only 3 timed_out 128
    expect_detail 'no result after [0-9]+ ms'
    refuse_workers
}

hangs 'kernel@WAY=3,block=128: hang'
hangs 'cuLaunchKernel@WAY=3,block=128: hang'
