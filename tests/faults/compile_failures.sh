# A compiler that refuses a configuration, dies of it, or runs out of memory.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 8

tune_copy 'nvrtcCompileProgram@WAY=1: 6
    nvrtcCompileProgram@WAY=2: 1
    nvrtcGetCUBINSize@WAY=3: 11
    nvrtcCompileProgram@WAY=4: crash
    nvrtcCompileProgram@WAY=5: exit=0
    nvrtcCompileProgram@WAY=6: slow=700'
expect_code 0
expected=()
for block in 64 128 256; do
    expected+=("1 $block compile_failed .*copy\.cu\(1\): error: "
        "2 $block compile_failed NVRTC ran out of memory"
        "3 $block compile_failed NVRTC gave no cubin"
        "4 $block compile_failed .*signal 11"
        "5 $block compile_failed .*process")
done
expect_failed "${expected[@]}"

# Nothing compiles: no winner, and the exit code says so.
forget
tune_copy 'nvrtcCompileProgram@source=copy.cu: 6'
expect_code 6
expect_err 'no winner'

# Without the kernels that calculate, and without what they do to the device, it goes on; how fast the device
# calculates is measured by the next run then.
for fault in 'nvrtcCompileProgram@source=arithmetic.cu: 6' 'kernel@kernel=tune_fused_f64: 700'; do
    forget
    tune_copy "$fault"
    expect_code 0
    expect_err 'how fast it calculates could not be measured: '
    [[ $(query 'SELECT count(*) FROM arithmetic_ceilings') == 0 ]] || fail "ceilings of arithmetic in spite of $fault"
    tune_copy ''
    expect_code 0
    [[ $(query "SELECT group_concat(type, ' ') FROM (SELECT type FROM latest_arithmetic ORDER BY 1)") == 'f16 f32 f64 i32 i64' ]] ||
        fail "no ceilings of arithmetic after $fault"
done

# The same of the kernels that measure the memory's ceilings.
forget
tune_copy 'nvrtcCompileProgram@source=ceilings.cu: 6'
expect_code 0
expect_err 'its ceilings could not be measured: the kernels that measure bandwidth: '
[[ $(query 'SELECT count(*) FROM ceilings') == 0 ]] || fail "ceilings without kernels"
tune_copy ''
expect_code 0
[[ $(query 'SELECT min(read_gbs > 0) FROM ceilings') == 1 ]] || fail "no ceilings after one run without"

# Not even the kernels that tune measures with.
forget
tune_copy 'nvrtcCompileProgram@source=harness.cu: 6'
[[ $code -ne 0 ]] || fail "no measuring kernels, but exit code 0"
expect_err 'measuring kernels'
