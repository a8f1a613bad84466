# Kernels that kill the context, and driver calls that end the process: each costs one configuration.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 4

# crashes FAULTS DETAIL: in one of three configurations of way 3.
crashes() {
    forget
    tune_copy "$1"
    expect_code 0
    expect_only 3 crashed 128
    expect_detail "$2"
    refuse_workers
}

crashes 'kernel@WAY=3,block=128: 700' \
    'copy_elements <<<8, 128, 0>>>: CUDA_ERROR_ILLEGAL_ADDRESS \(700\)'
crashes 'kernel@WAY=3,block=128: 719' 'copy_elements .*CUDA_ERROR_LAUNCH_FAILED \(719\)'
crashes 'kernel@WAY=3,block=128: 714' 'copy_elements .*CUDA_ERROR_HARDWARE_STACK_ERROR \(714\)'
# Only under a graph, after a run that was right.
crashes 'kernel@WAY=3,block=128#5: 716' 'copy_elements .*CUDA_ERROR_MISALIGNED_ADDRESS \(716\)'
# A code that this program has never heard of, and nothing works any more.
crashes 'cuLaunchKernel@WAY=3,block=128: 777 sticky' 'copy_elements .*777'
crashes 'cuEventSynchronize@WAY=3,block=128: 719 sticky' 'copy_elements .*\(719\)'
crashes 'kernel@WAY=3,block=128: crash' 'signal 11'
crashes 'cuLaunchKernel@WAY=3,block=128: abort' 'signal 6'

run "$TUNE" show --failures
expect_code 0
expect_out 'way=3 block=128'
expect_out 'crashed'

# One that brings down the process while it is loaded fails in each block size.
forget
tune_copy 'cuModuleLoadData@WAY=2: crash'
expect_code 0
expect_only 2 crashed
expect_detail 'signal 11'
