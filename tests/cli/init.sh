#!/bin/bash
# tune init: an experiment file from NVRTC's facts about a kernel's parameters; it loads as written,
# and compiles for an absent GPU.
source "$TUNE_TESTS/lib.sh"

"$TUNE" init --help >/dev/null
cat >scale.cu <<'C'
__global__ void scale(const float *__restrict__ x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
C
run "$TUNE" init scale.cu
if [[ $code -eq 4 ]] || grep -q 'without CUDA' "$captured.err"; then
    echo "skipped: $(cat "$captured.err")"
    exit 0
fi
expect_code 0
expect_empty out
expect_err '^tune: wrote scale.yaml: check the lines marked'
expect_err '^  tune run --dry-run --arch sm_90 scale.yaml   # compiles it; needs no GPU$'
expect_err '^  tune run scale.yaml   # tunes it$'

# has LINE: the file has it, blanks and the comment left out.
has() {
    drafted "$1" "${2:-scale.yaml}"
}
has 'experiment: scale'
has 'source: "scale.cu"'
has '  n: [65536, 1048576, 16777216]'
has '  block_size: [64, 128, 256, 512, 1024]'
has '  block_size: 256'
has '  - kernel: "scale"'
has '    grid: ceil_div(n, block_size)'
has '    block: block_size'
has '  - {name: x, type: f32, count: n, fill: random}'
has '  - {name: y, type: f32, count: n, output: true}'
has '  - {name: a, type: f32, value: 1}'
has '  - {name: n, type: i32, value: n}'
# Each argument stands beside its declaration.
grep -q 'fill: random} *# const float \*__restrict__ x$' scale.yaml || fail "no declaration"

run "$TUNE" run --dry-run --arch sm_90 scale.yaml
expect_code 0
expect_out '^    scale, n = 1048576: 5 points, 5 legal$'
expect_out '^    scale\(x, y, a, n\) grid 256 block 256$'
expect_out '^      compiled: 5 of these points; binaries: 1; different machine codes: 1; points that repeat another: 0$'

# An existing file is not changed.
echo mine >scale.yaml
golden "$TUNE" init scale.cu
grep -qx mine scale.yaml || fail "written over"
run "$TUNE" init scale.cu --force
expect_code 0
has 'experiment: scale'
run "$TUNE" init scale.cu -o -
expect_code 0
cmp -s "$captured.out" scale.yaml || fail "standard output is not the file"
mkdir elsewhere
run "$TUNE" init scale.cu -o elsewhere/mine.yaml
expect_code 0
has 'source: "../scale.cu"' elsewhere/mine.yaml
run "$TUNE" run --dry-run elsewhere/mine.yaml --sizes 1048576
expect_code 0

# ---- a source with all sorts of things in it ----
mkdir inc
echo 'static __device__ float twice(float x) { return 2 * x; }' >inc/twice.cuh
cat >many.cu <<'C'
#include <cuda_fp16.h>
#include "twice.cuh"
#ifndef MANY_CU
#define MANY_CU
#endif
#ifndef UNROLL
#define UNROLL 2 /* a comment */
#endif
#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256
#endif
#ifndef TILE
#define TILE 4
#endif
#ifndef WIDE
#define WIDE 32
#endif
#define HIGH 8
// __global__ void commented(int *a) {}
static __device__ const char *text = "__global__ void quoted(int *a) {}";
struct handle { float *pointer; };
__constant__ float filter[17];
__constant__ int table[2] = {1, 2};
namespace mine { namespace {
extern "C++" __global__ void __launch_bounds__(BLOCK_SIZE, 2)
every(const float4 *in, __half *both, float factor, unsigned int *counter,
      unsigned char bytes[], double *last, const void *raw, bool use, unsigned long long num_items)
{
    extern __shared__ float cache[];
    cache[threadIdx.x] = in[0].x * twice(factor) * filter[num_items] * table[0] * TILE;
    both[0] = both[1];
    atomicAdd(&counter[0], 1u);
    bytes[0] = 1;
    last[0] += UNROLL;
}
} }
template <typename T, int BLOCK, bool FAST = false> __global__ void generic(const T *x, T *y, T a, int n)
{
    for (int i = threadIdx.x; i < n; i += BLOCK)
        y[i] = FAST ? a * x[i] : x[i];
}
void launch(float *x) { generic<float, 128><<<1, 128>>>(x, x, 1.0f, 4); }
__global__ void flat(const float *a, float *b, int width, int height)
{
    int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    if (x < width && y < height)
        b[y * width + x] = a[y * width + x];
}
__global__ void by_value(float *y, handle h) { y[0] = h.pointer[0]; }
__global__ void reads(const float *x) { }
__global__ void loops(float *y, int n) { for (int i = 0; i < n; i++) y[i] = i; }
C
golden "$TUNE" init many.cu -I inc
golden_refusal "$TUNE" init many.cu -I inc -k evry

run "$TUNE" init many.cu -I inc -k every -o every.yaml
expect_code 0
has 'include: ["inc"]' every.yaml
has '  UNROLL: [1, 2, 4, 8]' every.yaml
has '  BLOCK_SIZE: [64, 128, 256, 512, 1024]' every.yaml
has '  TILE: [1, 2, 4, 8]' every.yaml
has '  BLOCK_SIZE: BLOCK_SIZE' every.yaml
has '    block: BLOCK_SIZE' every.yaml
has '    shared: 4 * (BLOCK_SIZE)' every.yaml
has '    arguments: [in, both, factor, counter, bytes, last, raw, use, num_items]' every.yaml
has '  - {name: in, type: f32, count: 4 * n, fill: random}' every.yaml
has '  - {name: both, type: f16, count: n, update: true, fill: random}' every.yaml
has '  - {name: factor, type: f32, value: 1}' every.yaml
has '  - {name: counter, type: u32, count: n, update: true, fill: zero}' every.yaml
has '  - {name: bytes, type: u8, count: n, output: true}' every.yaml
has '  - {name: last, type: f64, count: n, update: true, fill: random}' every.yaml
has '  - {name: raw, type: u8, count: n, fill: zero}' every.yaml
has '  - {name: use, type: u8, value: 1}' every.yaml
has '  - {name: num_items, type: u64, value: n}' every.yaml
has '  - {name: filter, type: f32, count: 17, fill: random, symbol: "filter"}' every.yaml
! grep -q 'table' every.yaml || fail "a symbol with values of its own"
run "$TUNE" run --dry-run --arch sm_90 --points 4 every.yaml --sizes 1048576
expect_code 0
expect_out '^    many, n = 1048576: 80 points, 80 legal$'

# Templates: numbers are parameters, types as the launch has them; or the named instance.
run "$TUNE" init many.cu -I inc -k generic -o generic.yaml -D OTHER=128
expect_code 0
has '  FAST: [false, true]' generic.yaml
# A macro used only by other kernels is not tuned, but must be defined.
has '  OTHER: 128' generic.yaml
! grep -qE 'UNROLL|filter|shared:|arguments: \[' generic.yaml || fail 'of another kernel'
has '  - kernel: "generic<float, ${BLOCK}, ${FAST}>"' generic.yaml
has '    block: BLOCK' generic.yaml
has '  - {name: x, type: f32, count: n, fill: random}' generic.yaml
has '  - {name: a, type: f32, value: 1}' generic.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 4 generic.yaml --sizes 1048576
expect_code 0
expect_out '^      compiled: '
run "$TUNE" init many.cu -I inc -k 'generic<double, 64>' -o instance.yaml
expect_code 0
has '  - kernel: "generic<double, ${BLOCK}, ${FAST}>"' instance.yaml
has '  BLOCK: 64' instance.yaml

# Two dimensions.
run "$TUNE" init many.cu -I inc -k flat -o flat.yaml
expect_code 0
has '  n: [256, 1024, 4096]' flat.yaml
has '    grid: ["ceil_div(n, WIDE)", "ceil_div(n, HIGH)"]' flat.yaml
has '    block: [WIDE, HIGH]' flat.yaml
has '  - 32 <= WIDE * HIGH <= 1024' flat.yaml
has '  - {name: b, type: f32, count: n * n, output: true}' flat.yaml
has '  - {name: width, type: i32, value: n}' flat.yaml
run "$TUNE" run --dry-run flat.yaml --sizes 1024
expect_code 0

# ---- what cannot be done, in one line each ----
init_refused 3 "kernel by_value: parameter 'handle h' is a struct or an object, and only the program knows its contents: draft with --program" many.cu -I inc -k by_value
init_refused 3 'kernel reads writes neither to an argument nor to a variable of the source: there is nothing to check' many.cu -I inc -k reads
mv inc/twice.cuh inc/elsewhere.cuh
init_refused 1 'many.cu:2:.*twice.cuh' many.cu -k every
mv inc/elsewhere.cuh inc/twice.cuh
init_refused 3 'none.cu' none.cu
init_refused 2 'only CUDA sources' scale.c
init_refused 2 'name a source'
init_refused 2 "write NAME=VALUE" scale.cu -D =3
echo 'int main() { return 0; }' >host.cu
init_refused 3 'no __global__ function in it' host.cu
echo '__global__ void k(float *y) { y[0] = oops(1); }' >wrong.cu
init_refused 1 'wrong.cu\(1\): error: identifier "oops" is undefined \(give its value, --define NAME=\.\.\., and numbers are tuned; or the project.s compile line: tune init \.\.\. -- nvcc' wrong.cu
printf '#include <missing.h>\n__global__ void k(float *y) { y[0] = missing::one; }\n' >missing.cu
init_refused 1 'missing.h.*\(name its folder, --include FOLDER; or say how the project compiles it: tune init \.\.\. -- nvcc \.\.\.\)' missing.cu
printf '#include <sizes.h>\n__global__ void k(float *y) { for (int i = 0; i < COUNT; i++) y[i] = 1; }\n' >loop.cu
init_refused 1 '"COUNT" is undefined \(compiled without sizes.h, which is not there: name the folder' loop.cu --compiler nvrtc
printf '__global__ void k(float *y) { y[0] = 1; \n' >open.cu
init_refused 1 'open.cu' open.cu
printf '__global__' >end.cu
init_refused 3 'no __global__ function in it' end.cu
printf '/* never closed __global__ void k(float *y) {}' >comment.cu
init_refused 3 'no __global__ function in it' comment.cu
printf 'float twice(float x) { return 2 * x; }\n__global__ void k(float *y) { y[0] = twice(1); }' >host_only.cu
init_refused 1 'identifier "twice" is undefined: it lacks __device__' host_only.cu --compiler nvrtc
golden "$TUNE" init scale.cu --force -o scale.cu
grep -q __global__ scale.cu || fail "the source is gone"

# ---- a whole program, with names of its own for everything ----
cat >program.cu <<'C'
#include <iostream>
#include <vector>
#include <cstdio>
#include <sys/time.h>
#include <cuda_runtime.h>
#include <stdint.h>
#define N 1024
#define T float
#define size 3
#define value 5
#define TILE_DIM 16
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
using namespace std;
static float *kept;
const char *title = "program";
struct timer { vector<double> laps; timer() { laps.push_back(0); } };
constexpr int twice(int a) { return 2 * a; }
static double now();
__global__ void square(T *out, T *in, uint width, int32_t *places)
{
    __shared__ T tile[TILE_DIM][TILE_DIM + 1];
    int row = blockIdx.y * TILE_DIM + threadIdx.y, column = blockIdx.x * TILE_DIM + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = in[row * width + column] * M_PI * twice(1);
    __syncthreads();
    T *mine = out + row * width;
    mine[column] = tile[threadIdx.y][threadIdx.x] + (places[column] > INT_MAX - 1);
}
static double now() { return 0; }
template <class E> void launch(E *out) { square<<<N, size>>>(out, out, 0, 0); }
int main(int argc, char **argv)
{
    vector<float> host(N);
    CHECK(cudaMalloc(&kept, N));
    launch(kept);
    cout << title << now() << endl;
    return 0;
}
C
run "$TUNE" init program.cu
expect_code 0
has '  TILE_DIM: [8, 16, 32]' program.yaml
has '    block: [TILE_DIM, TILE_DIM]' program.yaml
# By another name, too, an output is one.
has '  - {name: out, type: f32, count: n * n, output: true}' program.yaml
has '  - {name: in, type: f32, count: n * n, fill: random}' program.yaml
has '  - {name: places, type: i32, count: n * n, fill: {uniform: [0, n - 1]}}' program.yaml
run "$TUNE" run --dry-run --arch sm_90 program.yaml --sizes 1024 --points 3
expect_code 0
# A define of the experiment replaces the source's own: another tile, another kernel.
expect_out 'binaries: 3; different machine codes: [23]'

# Names of files are quoted.
printf '__global__ void k(float *y) { y[blockIdx.x] = 1; }\n' >'a "b" \ c.cu'
run "$TUNE" init 'a "b" \ c.cu' -o quoted.yaml
expect_code 0
run "$TUNE" run --dry-run quoted.yaml
expect_code 0

# A block that __launch_bounds__ gives, an enum by value.
cat >tiles.cu <<'C'
enum mode { PLAIN, TWICE };
template <const int BM = 64, const int BN = 64, const int TM = 8> __global__ void __launch_bounds__((BM * BN) / TM, 1)
tiles(const float *a, float *c, int M, int N, enum mode how)
{
    c[blockIdx.x * BM + threadIdx.x] = a[threadIdx.x] * (how == TWICE ? 2 : 1);
}
C
run "$TUNE" init tiles.cu
expect_code 0
has '    block: BM * BN // TM' tiles.yaml
has '  - 32 <= BM * BN // TM <= 1024' tiles.yaml
has '  - {name: how, type: i32, value: 1}' tiles.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 2 tiles.yaml --sizes 65536
expect_code 0

# A constant is a parameter as a macro is, where the launch or a shared array is made of it; a function's own is not.
cat >constants.cu <<'C'
constexpr int BLOCK = 128;
static const unsigned ITEMS = 4u;
const float factor = 2;
constexpr int BINS = 7;
__global__ void constants(const float *in, float *out, int n)
{
    constexpr int PAD = 8;
    __shared__ float tile[BLOCK * ITEMS], padded[PAD];
    for (int k = threadIdx.x; k < BLOCK * ITEMS; k += BLOCK)
        tile[k] = in[(blockIdx.x * BLOCK * ITEMS + k) % n] * factor + BINS;
    padded[threadIdx.x % PAD] = tile[threadIdx.x];
    out[blockIdx.x * BLOCK * ITEMS + threadIdx.x] = padded[0];
}
void launch(float *in, float *out)
{
    constexpr int hidden = 3;
    constants<<<(1000 + BLOCK * ITEMS - 1) / (BLOCK * ITEMS), BLOCK, hidden - 3>>>(in, out, 1000);
}
C
run "$TUNE" init constants.cu
expect_code 0
has '  BLOCK: 128' constants.yaml
has '  ITEMS: 4' constants.yaml
has '  PAD: 8' constants.yaml
has '    block: BLOCK' constants.yaml
grep -q '^  # not tuned: .*BINS (7)' constants.yaml || fail "$(cat constants.yaml)"
! grep -q 'hidden:' constants.yaml || fail "$(cat constants.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 4 constants.yaml
expect_code 0
expect_out 'binaries: 4; different machine codes: 4'
# ---- a project: its headers lie around the source, and all of it can go elsewhere ----
mkdir -p project/include/deep project/common/of/all project/src/one
echo '__device__ float twice(float x) { return 2 * x; }' >project/include/deep/near.cuh
echo '#define BLOCK 128' >project/common/of/all/sizes.h
cat >project/src/one/near.cu <<'C'
#include <deep/near.cuh>
#include "sizes.h"
__global__ void near(float *y) { y[blockIdx.x * BLOCK + threadIdx.x] = twice(threadIdx.x); }
C
run "$TUNE" init project/src/one/near.cu
expect_code 0
has 'include: ["../../include", "../../common/of/all"]' project/src/one/near.yaml
grep -q '^include: .*# ? found near the source$' project/src/one/near.yaml || fail "not marked as found"
has '  BLOCK: [64, 128, 256, 512, 1024]' project/src/one/near.yaml
mkdir carried
mv project carried/there
run "$TUNE" run --dry-run --arch sm_90 --points 1 carried/there/src/one/near.yaml
expect_code 0
# A file that another user could have planted is not used.
mkdir -p open/source
cp scale.cu open/source/k.cu
sed -i -e '1i #include "twice.cuh"' -e '$a static_assert(twice::one, "");' open/source/k.cu
mv inc open/inc
chmod o+w open
run "$TUNE" init open/source/k.cu
expect_code 1
expect_err 'twice.cuh: No such file'
mv open/inc inc

# nvcc may accept sources that NVRTC rejects.
cat >host_only.cu <<'C'
#include <vector>
struct kept { static float last; __device__ float get() const { return 1; } };
float kept::last = 2;
const float side = 1.9f, area = side * side;
__global__ void mixed(float *y) { y[threadIdx.x] = area * kept().get(); }
C
init_refused 1 'nvcc takes it' host_only.cu --compiler nvrtc
run "$TUNE" init host_only.cu
if [[ $code -eq 0 ]]; then
    grep -q '^compiler: nvcc  # ? NVRTC does not take this source$' host_only.yaml || fail "$(cat host_only.yaml)"
    run "$TUNE" run --dry-run --arch sm_90 --points 1 host_only.yaml
    expect_code 0
else
    expect_err 'nvcc takes it'
fi

# Facts of the toolkit in the host's headers are defined as well: its version, which sources test.
cat >versions.cu <<'C'
#include <cuda.h>
#include <cuda_runtime.h>
#if CUDA_VERSION < 11000 || CUDART_VERSION != CUDA_VERSION
#error no version
#endif
__global__ void versions(float *y) { y[threadIdx.x] = CUDA_VERSION; }
C
run "$TUNE" init versions.cu --compiler nvrtc
expect_code 0

# Launch bounds may stand in front of a kernel.
printf '__global__ void one(float *y) { y[0] = 1; }\n__launch_bounds__(128, 2) __global__ void bound(float *y) { y[threadIdx.x] = 1; }\n' >bound.cu
run "$TUNE" init bound.cu -k bound
expect_code 0
has '    block: 128' bound.yaml
has '  registers: [0, 32, 64, 128]' bound.yaml

# One number for both sides of the block has few values.
printf '#define SIDE 16\n__global__ void sides(float *y) { __shared__ float t[SIDE][SIDE]; t[threadIdx.y][threadIdx.x] = 1; y[(blockIdx.y * SIDE + threadIdx.y) * 64 + blockIdx.x * SIDE + threadIdx.x] = t[0][0]; }\n' >sides.cu
run "$TUNE" init sides.cu
expect_code 0
has '  SIDE: [8, 16, 32]' sides.yaml
has '    block: [SIDE, SIDE]' sides.yaml

# A source without a kernel.
echo 'code = "__global__"' >none.py
init_refused 3 'none.py names no .cu file that is there: put the kernel into a file of its own' none.py

# Facts that only a program knows.
printf '__global__ void fetch(cudaTextureObject_t x, float *y) { y[threadIdx.x] = tex1Dfetch<float>(x, threadIdx.x); }\n' >object.cu
init_refused 3 "kernel fetch: parameter 'cudaTextureObject_t x' is a struct or an object" object.cu
printf 'texture<float> image;\n__global__ void old(float *y) { y[threadIdx.x] = tex1Dfetch(image, threadIdx.x); }\n' >reference.cu
init_refused 3 'kernel old reads a texture reference, which CUDA has no more' reference.cu
expect_golden
