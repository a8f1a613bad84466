# shellcheck shell=bash
# A shipped kernel of clusters or bulk copies that is compiled for less than compute capability 9.0 traps,
# instead of computing something else; and is no error to compile unless one asks for that.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_SOURCE/tests/cli/lib.sh"
nvcc=$(command -v nvcc || echo "${TUNE_CUDA_INCLUDE%/include}/bin/nvcc")
[[ -x $nvcc ]] || exit 77

policy='tune::policy<256, 4, 4, 1, tune::step::shuffle, tune::cache::no_allocate, tune::map::strided>'
for kernel in cluster bulk; do
    cat >"$kernel.cu" <<C
#include "reduce/reduce.cuh"
template __global__ void tune::reduce_$kernel<tune::sum, tune::i32, $policy, 4>(const int *, int *,
                                                                  tune::slot *, tune::u64 *, long long, tune::u64);
C
    for architecture in 75 80 89 90; do
        run "$nvcc" -std=c++17 -arch="sm_$architecture" -ptx -I"$TUNE_SOURCE/kernels" "$kernel.cu" -o "$kernel.ptx"
        expect_code 0
        traps=$(grep -cw "trap;" "$kernel.ptx" || true)
        if [[ $architecture -lt 90 ]]; then
            [[ $traps -gt 0 ]] || fail "reduce_$kernel for sm_$architecture does not trap"
        else
            [[ $traps -eq 0 ]] || fail "reduce_$kernel for sm_$architecture traps"
        fi
    done
    run "$nvcc" -std=c++17 -arch=sm_80 -DTUNE_REFUSE_WHILE_COMPILING -ptx -I"$TUNE_SOURCE/kernels" "$kernel.cu" -o "$kernel.ptx"
    [[ $code -ne 0 ]] || fail "reduce_$kernel compiles for sm_80"
    grep -q 'needs compute capability 9.0' "$captured.out" "$captured.err" || fail "and does not say why not"
done
