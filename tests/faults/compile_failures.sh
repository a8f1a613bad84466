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

# No compilation succeeds: no winner, and the exit code shows it.
forget
tune_copy 'nvrtcCompileProgram@source=copy.cu: 6'
expect_code 6
expect_err 'no winner'

# Without the kernels of arithmetic, and without their ceilings, the run continues; the next run measures the
# device's arithmetic.
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

# The same for the kernels of the memory's ceilings.
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

# A binary is compiled once for all later processes, unless it is damaged.
forget
tune_copy ''
expect_code 0
rm -f tune.db*
tune_copy 'nvrtcCompileProgram@source=harness.cu: 6'
expect_code 0
for own in "$TUNE_CACHE_DIR"/*.own; do truncate -s 40 "$own"; done
rm -f tune.db*
tune_copy 'nvrtcCompileProgram@source=harness.cu: 6'
[[ $code -ne 0 ]] || fail "measuring kernels out of a damaged file"
tune_copy ''
expect_code 0

# Results are checked on the host where the kernels for it cannot be had, and where it is asked for, by the same words.
export TUNE_CHECK_ON_HOST
for TUNE_CHECK_ON_HOST in 0 1; do
    for fault in 'nvrtcCompileProgram@source=check.cu: 6' 'cuLaunchKernel@kernel=tune_compare: 1' 'nvrtcCompileProgram@source=check.cu: slow=1'; do
        forget
        tune_copy "kernel@WAY=1,block=64: wrong; $fault"
        expect_code 0
        expect_failed "1 64 wrong_result out\[0\] is -?[0-9]+, not -?[0-9]+; 1 of 1000 elements is wrong"
        told=$(grep -cE 'cuda:0: outputs are checked on the host: (the checking kernels: .*this configuration does not compile|starting the checking kernel: )' "$captured.err" || true)
        [[ $told -eq $([[ $TUNE_CHECK_ON_HOST$fault == 0*[16] && $fault != *slow* ]] && echo 1 || echo 0) ]] || fail "$fault: told $told times: $(cat "$captured.err")"
    done
done

# Inputs are made on the device, and on the host where the kernel for it cannot be had, or fails at once or later, or where that is asked for.
for TUNE_CHECK_ON_HOST in 0 1; do
    for fault in 'nvrtcCompileProgram@source=fill.cu: 6' 'cuLaunchKernel@kernel=tune_fill: 1' 'cuLaunchKernel@kernel=tune_fill: 1 every=2' \
        'cuLaunchKernel@kernel=tune_fill|tune_compare: 1'; do
        forget
        tune_copy "$fault"
        expect_code 0
        expect_failed
        for what in 'inputs are made' 'outputs are checked'; do
            told=$(grep -cE "cuda:0: (.*; )?$what on the host: (the |starting the )(kernel that makes inputs|checking kernel)" "$captured.err" || true)
            [[ $told -eq $([[ $TUNE_CHECK_ON_HOST == 1 || ($what == outputs* && $fault != *compare*) ]] && echo 0 || echo 1) ]] || fail "$fault: told $told times: $(cat "$captured.err")"
        done
    done
done
