# Calls that a configuration makes fail: the device goes on, the configuration is named with the
# driver's error, and the others are measured.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 8

tune_copy 'cuLaunchKernel@WAY=1,block=128: 701
    cuLaunchKernel@WAY=2,block=256: 1
    cuGraphAddKernelNode@WAY=3,grid=16: 1
    cuModuleLoadData@WAY=4: 200
    cuModuleGetFunction@WAY=5: 500
    cuLaunchKernel@WAY=6#1: slow=300'
expect_code 0
launch=launch_failed
image=".*: CUDA_ERROR_INVALID_IMAGE \\(200\\)"
symbol="kernel copy_elements: CUDA_ERROR_NOT_FOUND \\(500\\)"
expect_failed \
    "1 128 $launch kernel copy_elements <<<8, 128, 0>>>: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES \\(701\\)" \
    "2 256 $launch kernel copy_elements <<<4, 256, 0>>>: CUDA_ERROR_INVALID_VALUE \\(1\\)" \
    "3 64 $launch kernel copy_elements <<<16, 64, 0>>> in a graph: .*\\(1\\)" \
    "4 64 $launch loading $image" "4 128 $launch loading $image" "4 256 $launch loading $image" \
    "5 64 $launch $symbol" "5 128 $launch $symbol" "5 256 $launch $symbol"

# A clock that falls by half in the middle is no failure.
forget
tune_copy 'kernel@kernel=copy_elements#500+: slower=2'
expect_code 0
expect_failed
