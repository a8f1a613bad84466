# Kernels that kill the context, and driver calls that end the process: each costs one configuration.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 12

# Way 4 does it only in a graph, after a right run; way 5 with a code unknown to this program, after
# which no call works any more. Each happens once only: a second time would hide it.
tune_copy 'kernel@WAY=1,block=128: 700 times=1
    kernel@WAY=2,block=128: 719 times=1
    kernel@WAY=3,block=128: 714 times=1
    kernel@WAY=4,block=128#5: 716 times=1
    cuLaunchKernel@WAY=5,block=128: 777 sticky times=1
    cuEventSynchronize@WAY=6,block=128: 719 sticky times=1
    kernel@WAY=7,block=128: crash times=1
    cuLaunchKernel@WAY=8,block=128: abort times=1
    cuLaunchKernel@WAY=9,block=128: exit=0 times=1
    cuModuleUnload@source=copy.cu: 700 sticky'
expect_code 0
kernel='kernel copy_elements <<<8, 128, 0>>>:'
expect_failed "1 128 crashed $kernel CUDA_ERROR_ILLEGAL_ADDRESS \\(700\\)" \
    "2 128 crashed $kernel CUDA_ERROR_LAUNCH_FAILED \\(719\\)" \
    "3 128 crashed $kernel CUDA_ERROR_HARDWARE_STACK_ERROR \\(714\\)" \
    "4 128 crashed $kernel CUDA_ERROR_MISALIGNED_ADDRESS \\(716\\)" \
    "5 128 crashed $kernel .*\\(777\\)" \
    "6 128 crashed $kernel CUDA_ERROR_LAUNCH_FAILED \\(719\\)" \
    "7 128 crashed .*signal 11" "8 128 crashed .*signal 6" "9 128 crashed .*exit code 0"
grep -qE '^copy\.i32 ' tuned.conf || fail "no winner"
refuse_workers

run "$TUNE" show --wide --failures
expect_code 0
expect_out 'crashed'
expect_out 'way=3 block=128'

# One that brings down the process while it is loaded does so in each block size.
forget
tune_copy 'cuModuleLoadData@WAY=2: crash'
expect_code 0
expect_failed "2 64 crashed .*signal 11" "2 128 crashed .*signal 11" "2 256 crashed .*signal 11"
