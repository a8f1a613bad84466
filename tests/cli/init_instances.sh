#!/bin/bash
# tune init: an instance of a template whose arguments the launch deduces is named by --kernel, or by the program's launch.
source "$TUNE_TESTS/lib.sh"

cat >scale.cu <<'C'
#include <cuda_runtime.h>
namespace own {
namespace {
struct twice {
    template <class T> __device__ T operator()(T x) const { return x + x; }
};
template <class T, unsigned STEP = 1> __global__ void scale(T *x, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * STEP;
    if (i < n)
        x[i] *= 2;
}
template <int BLOCK, class F, class T> __global__ void apply(const T *x, T *y, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        y[i] = F()(x[i]);
}
} // namespace
template <typename Real> void run(Real *x, Real *y, int n)
{
    scale<<<(n + 255) / 256, 256>>>(x, n);
    apply<128, twice><<<(n + 127) / 128, 128>>>(x, y, n);
}
} // namespace own
int main()
{
    double *x = nullptr, *y = nullptr;
    cudaMalloc(&x, 1000000 * sizeof *x);
    cudaMalloc(&y, 1000000 * sizeof *y);
    own::run(x, y, 1000000);
}
C
run "$TUNE" init scale.cu --kernel 'scale<double>'
if grep -qE 'NVRTC|without CUDA|no nvcc' "$captured.err"; then
    echo "skipped: $(cat "$captured.err")"
    exit 77
fi
expect_code 0
drafted '  - kernel: "own::scale<double, ${STEP}>"' scale.yaml
drafted '  block_size: 256' scale.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 scale.yaml
expect_code 0
init_refused 3 "name an instance of this template, .*: --kernel 'own::scale<...>', or draft with --program .*has no launch that gives T" scale.cu --kernel scale

# An argument that is a type of the source's own; numbers are parameters.
run "$TUNE" init scale.cu --kernel 'own::apply<128, own::twice, double>' -o apply.yaml
expect_code 0
drafted '  - kernel: "own::apply<${BLOCK}, own::twice, double>"' apply.yaml

# A folder of the build's that is not there, which compilers do not mind.
run "$TUNE" init scale.cu --kernel 'scale<double>' -o folder.yaml -- nvcc -Inowhere -I. scale.cu
expect_code 0
