#!/bin/bash
# tune init: the source's own launch, and the kernel's indices, give the block and the grid; macros are parameters if
# they belong to these, and others are reported. Sizes, counts and values are the program's, or asked for.
source "$TUNE_TESTS/lib.sh"

has() { # LINE FILE
    drafted "$1" "$2"
}
hasnt() { # PATTERN FILE
    ! grep -qE "$1" "$2" || fail "$2 has $1: $(grep -E "$1" "$2")"
}
draft() { # SOURCE: a draft that compiles at a few points
    run "$TUNE" init "$1.cu"
    if [[ $code -eq 4 ]] || grep -q 'without CUDA' "$captured.err"; then
        echo "skipped: $(cat "$captured.err")"
        exit 0
    fi
    expect_code 0
    run "$TUNE" run --dry-run --arch sm_90 --points "${2:-2}" "$1.yaml"
    expect_code 0
}

# ---- by the kernel's indices alone ----
cat >stencil.cu <<'C'
#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 8
#endif
#ifndef ROWS
#define ROWS 1
#endif
__global__ void stencil(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * BX + threadIdx.x;
    int y0 = (blockIdx.y * BY + threadIdx.y) * ROWS;
    for (int y = y0; y < y0 + ROWS; y++)
        if (x < nx && y < ny)
            out[y * nx + x] = 2 * in[y * nx + x];
}
C
draft stencil
has '    grid: ["ceil_div(n, BX)", "ceil_div(n, BY * ROWS)"]' stencil.yaml
has '    block: [BX, BY]' stencil.yaml
has '  - 32 <= BX * BY <= 1024' stencil.yaml
hasnt block_ stencil.yaml
expect_out 'stencil, n = 256: 120 points, 96 legal'
expect_out 'stencil\(in, out, nx, ny\) grid 8x32 block 32x8'

cat >histogram.cu <<'C'
#define BLOCK 256
#define COPIES 4
#define BINS 256
__global__ void histogram(const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned local[COPIES][BINS];
    for (int i = threadIdx.x; i < COPIES * BINS; i += BLOCK)
        (&local[0][0])[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&local[threadIdx.x % COPIES][data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += BLOCK) {
        unsigned sum = 0;
        for (int c = 0; c < COPIES; c++)
            sum += local[c][i];
        atomicAdd(&bins[i], sum);
    }
}
C
draft histogram
has '  COPIES: [1, 2, 4, 8]' histogram.yaml
has '  blocks_per_sm: [1, 2, 4, 8, 16]' histogram.yaml
grep -qx '  # not tuned: BINS (256)' histogram.yaml || fail "not told"
has '    grid: min(ceil_div(n, BLOCK), sm_count * blocks_per_sm)' histogram.yaml
has '    block: BLOCK' histogram.yaml
has '  - {name: bins, type: u32, count: 256, update: true, fill: zero}' histogram.yaml

# ---- by the launch: the grid, and the default configuration ----
{
    sed 's/stencil/heat/; s/int ny)/int ny, float c)/' stencil.cu
    cat <<'C'
#include <cstdlib>
#include <cuda_runtime.h>
static int div_up(int a, int b) { return (a + b - 1) / b; }
int main(int argc, char **argv)
{
    int n = 8192;
    if (argc > 1)
        n = atoi(argv[1]);
    size_t bytes = (size_t)n * n * sizeof(float);
    float *a, *b;
    cudaMalloc(&a, bytes);
    cudaMalloc((void **)&b, bytes);
    dim3 block(BX, BY), grid(div_up(n, BX), div_up(n, BY * ROWS));
    heat<<<grid, block>>>(a, b, n, n, 0.25f);
    return cudaDeviceSynchronize();
}
C
} >heat.cu
draft heat
has '  n: [256, 1024, 4096]' heat.yaml
has '    grid: ["ceil_div(n, BX)", "ceil_div(n, BY * ROWS)"]' heat.yaml
has '    block: [BX, BY]' heat.yaml
has '  - {name: in, type: f32, count: n * n, fill: random}' heat.yaml
has '  - {name: ny, type: i32, value: n}' heat.yaml
has '  - {name: c, type: f32, value: 1}' heat.yaml
expect_out 'grid 8x32 block 32x8'

# The variable `threads` of the host is the block.
cat >axpy.cu <<'C'
#include <cuda_runtime.h>
__global__ void axpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}
void run(int n, float a, const float *x, float *y, cudaStream_t s)
{
    const int threads = 128;
    axpy<<<(n + threads - 1) / threads, threads, 0, s>>>(n, a, x, y);
}
int main()
{
    const int N = 1 << 22;
    float *x, *y;
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc(&y, N * sizeof(*y));
    run(N, 2.0f, x, y, 0);
}
C
draft axpy
has '  block_size: 128' axpy.yaml
has '    grid: ceil_div(n, block_size)' axpy.yaml
has '  - {name: y, type: f32, count: n, update: true, fill: random}' axpy.yaml

# Blocks that take turns, as many as the program launches them, or by multiprocessor.
cat >total.cu <<'C'
#include <cuda_runtime.h>
template <int BLOCK> __global__ void total(const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x)
        sum += in[i];
    atomicAdd(out, sum);
}
constexpr int threads = 512;
int main()
{
    float *in, *out;
    cudaMalloc(&in, 1000000 * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    total<threads><<<160, threads>>>(in, out, 1000000);
}
C
draft total
has '  BLOCK: 512' total.yaml
has '    grid: 160 if blocks_per_sm == 0 else sm_count * blocks_per_sm' total.yaml
has '    block: BLOCK' total.yaml
has '  blocks_per_sm: 0' total.yaml
has '  - {name: out, type: f32, count: n, update: true, fill: random}' total.yaml
has '  - {name: n, type: i32, value: n}' total.yaml

# ---- template numbers that the launch repeats as numbers ----
cat >tiles.cu <<'CUDA'
template <int BM, int BN, int TM> __global__ void tiles(int M, int N, const float *A, float *C)
{
    int bx = blockIdx.x, by = blockIdx.y;
    const int threads = BN * (BM / TM);
    __shared__ float tile[BM * BN];
    A = &A[by * BM * N + bx * BN];
    C = &C[by * BM * N + bx * BN];
    for (int i = threadIdx.x; i < BM * BN; i += threads)
        tile[i] = A[i / BN * N + i % BN];
    for (int i = threadIdx.x; i < BM * BN; i += threads)
        C[i / BN * N + i % BN] = tile[i];
}
void go(float *a, float *c, int m)
{
    tiles<64, 32, 8><<<dim3((m + 31) / 32, (m + 63) / 64), 256>>>(m, m, a, c);
}
CUDA
draft tiles
has '    grid: ["ceil_div(n, BN)", "ceil_div(n, BM)"]' tiles.yaml
has '    block: BN * (BM // TM)' tiles.yaml

# ---- a cube of threads has at most 1024 ----
cat >cube.cu <<'CUDA'
#define SIDE 8
__global__ void cube(const float *in, float *out, int n)
{
    __shared__ float tile[SIDE][SIDE][SIDE];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y, z = blockIdx.z * SIDE + threadIdx.z;
    tile[threadIdx.z][threadIdx.y][threadIdx.x] = in[(z * n + y) * n + x];
    out[(z * n + y) * n + x] = tile[threadIdx.z][threadIdx.y][threadIdx.x];
}
void go(float *a, float *b)
{
    dim3 block(SIDE, SIDE, SIDE), grid(160 / SIDE, 160 / SIDE, 160 / SIDE);
    cube<<<grid, block>>>(a, b, 160);
}
CUDA
draft cube
has '  SIDE: [4, 6, 8, 10]' cube.yaml
