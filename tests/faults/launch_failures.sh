# Calls that a configuration makes fail: the device goes on, the configuration is named with the
# driver's error, and the others are measured.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy

# fails_to_launch FAULTS DETAIL [BLOCK]
fails_to_launch() {
    forget
    tune_copy "$1"
    expect_code 0
    expect_only 3 launch_failed "${3:-}"
    expect_detail "$2"
    expect_file tuned.conf
    ! grep -q 'way=3' tuned.conf || fail "the winner is one that failed"
}

fails_to_launch 'cuLaunchKernel@WAY=3: 701' \
    'copy_elements <<<8, 128, 0>>>: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES \(701\)'
fails_to_launch 'cuLaunchKernel@WAY=3,block=256: 1' \
    'copy_elements <<<4, 256, 0>>>: CUDA_ERROR_INVALID_VALUE \(1\)' 256
fails_to_launch 'cuGraphAddKernelNode@WAY=3,grid=16: 1' \
    'copy_elements <<<16, 64, 0>>> in a graph: .*\(1\)' 64
fails_to_launch 'cuModuleLoadData@WAY=3: 200' 'loading .*: CUDA_ERROR_INVALID_IMAGE \(200\)'
fails_to_launch 'cuModuleGetFunction@WAY=3: 500' 'copy_elements: CUDA_ERROR_NOT_FOUND \(500\)'

# A slow call and a clock that falls by half in the middle are no failure.
forget
tune_copy 'cuLaunchKernel@WAY=3#1: slow=300; kernel@kernel=copy_elements#500+: slower=2'
expect_code 0
expect_only 3 ok
