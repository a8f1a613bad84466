# A compiler that refuses a configuration, dies of it, or runs out of memory.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy

# fails_to_compile FAULTS DETAIL
fails_to_compile() {
    forget
    tune_copy "$1"
    expect_code 0
    expect_only 3 compile_failed
    expect_detail "$2"
}

fails_to_compile 'nvrtcCompileProgram@WAY=3: 6' 'copy\.cu\(1\): error: '
fails_to_compile 'nvrtcCompileProgram@WAY=3: 1' 'NVRTC ran out of memory'
fails_to_compile 'nvrtcGetCUBINSize@WAY=3: 11' 'NVRTC gave no cubin'
fails_to_compile 'nvrtcCompileProgram@WAY=3: crash' 'compiler ended its process \(signal 11'
fails_to_compile 'nvrtcCompileProgram@WAY=3: exit=0' 'compiler ended its process'

# Slow is no failure.
forget
tune_copy 'nvrtcCompileProgram@WAY=3: slow=700'
expect_code 0
expect_only 3 ok

# Nothing compiles: no winner, and the exit code says so.
forget
tune_copy 'nvrtcCompileProgram@source=copy.cu: 6'
expect_code 6
expect_err 'no winner'

# Not even the kernels that tune measures with.
forget
tune_copy 'nvrtcCompileProgram@source=harness.cu: 6'
[[ $code -ne 0 ]] || fail "no measuring kernels, but exit code 0"
expect_err 'measuring kernels'
