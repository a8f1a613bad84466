#!/bin/bash
# tune init: an experiment file from what NVRTC says of a kernel's parameters; it loads as it was
# written, and can be compiled for a GPU that is not there.
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
expect_err '^tune: wrote scale.yaml: look at what is marked'
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
has '  bytes: (4 + 4) * n'
# Each argument stands beside its declaration.
grep -q 'fill: random} *# const float \*__restrict__ x$' scale.yaml || fail "no declaration"

run "$TUNE" run --dry-run --arch sm_90 scale.yaml
expect_code 0
expect_out '^    scale, n = 1048576: 5 points, 5 legal$'
expect_out '^    scale\(x, y, a, n\) grid 256 block 256$'
expect_out '^      compiled: 5 of these points; binaries: 1; different machine codes: 1; points that repeat another: 0$'

# What is there is left alone.
echo mine >scale.yaml
run "$TUNE" init scale.cu
expect_code 2
expect_one_line err
expect_err '^tune init: scale.yaml is there already: --force writes over it$'
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
// __global__ void commented(int *a) {}
static __device__ const char *text = "__global__ void quoted(int *a) {}";
struct options {
    float factor;
    int n;
    double more;
};
typedef struct { unsigned char flag; long long count; } tail_t;
struct handle { float *pointer; };
__constant__ float filter[17];
__constant__ int table[2] = {1, 2};
namespace mine { namespace {
extern "C++" __global__ void __launch_bounds__(BLOCK_SIZE, 2)
every(const float4 *in, __half *both, struct options opt, const tail_t tail, unsigned int *counter,
      unsigned char bytes[], double *last, const void *raw, bool use, unsigned long long num_items)
{
    extern __shared__ float cache[];
    cache[threadIdx.x] = in[0].x * twice(opt.factor) * filter[opt.n] * table[0] * TILE;
    both[0] = both[1];
    atomicAdd(&counter[0], 1u);
    bytes[0] = 1;
    last[0] += tail.count + UNROLL;
}
} }
template <typename T, int BLOCK, bool FAST = false> __global__ void generic(const T *x, T *y, T a, int n)
{
    for (int i = threadIdx.x; i < n; i += BLOCK)
        y[i] = FAST ? a * x[i] : x[i];
}
__global__ void flat(const float *a, float *b, int width, int height)
{
    int x = blockIdx.x * block_size_x + threadIdx.x, y = blockIdx.y * block_size_y + threadIdx.y;
    if (x < width && y < height)
        b[y * width + x] = a[y * width + x];
}
__global__ void by_value(float *y, handle h) { y[0] = h.pointer[0]; }
__global__ void reads(const float *x) { }
__global__ void loops(float *y, int n) { for (int i = 0; i < n; i++) y[i] = i; }
C
run "$TUNE" init many.cu -I inc
expect_code 3
expect_one_line err
expect_err 'several kernels; name one by --kernel: mine::every, generic, flat, by_value, reads, loops$'
run "$TUNE" init many.cu -I inc -k evry
expect_code 3
expect_err 'no such kernel; there are: mine::every, '

run "$TUNE" init many.cu -I inc -k every -o every.yaml
expect_code 0
has 'include: ["inc"]' every.yaml
has '  UNROLL: [1, 2, 4, 8]' every.yaml
has '  BLOCK_SIZE: [64, 128, 256, 512, 1024]' every.yaml
has '  TILE: [1, 2, 4, 8]' every.yaml
has '  BLOCK_SIZE: BLOCK_SIZE' every.yaml
has '    block: BLOCK_SIZE' every.yaml
has '    shared: 4 * BLOCK_SIZE' every.yaml
has '    arguments: [in, both, opt, tail, counter, bytes, last, raw, use, num_items]' every.yaml
has '  - {name: in, type: f32, count: 4 * n, fill: random}' every.yaml
has '  - {name: both, type: f16, count: n, update: true, fill: random}' every.yaml
has '  - {name: opt, fields: [{type: f32, value: 1}, {type: i32, value: n}, {type: f64, value: 1}]}' every.yaml
has '  - {name: tail, fields: [{type: u8, value: 1}, {type: i64, value: n}]}' every.yaml
has '  - {name: counter, type: u32, count: n, update: true, fill: zero}' every.yaml
has '  - {name: bytes, type: u8, count: n, output: true}' every.yaml
has '  - {name: last, type: f64, count: n, update: true, fill: random}' every.yaml
has '  - {name: raw, type: u8, count: n, fill: zero}' every.yaml
has '  - {name: use, type: u8, value: 1}' every.yaml
has '  - {name: num_items, type: u64, value: n}' every.yaml
has '  - {name: filter, type: f32, count: 17, fill: random, symbol: "filter"}' every.yaml
! grep -q 'table' every.yaml || fail "a symbol with values of its own"
run "$TUNE" run --dry-run --arch sm_90 every.yaml --sizes 1048576
expect_code 0
expect_out '^    many, n = 1048576: 80 points, 80 legal$'

# Templates: types are axes, numbers parameters; or one instance.
run "$TUNE" init many.cu -I inc -k generic -o generic.yaml -D BLOCK_SIZE=128
expect_code 0
has '  T: [f32]' generic.yaml
has '  FAST: [false, true]' generic.yaml
# What only other kernels use is not tuned, but must be defined.
has '  BLOCK_SIZE: 128' generic.yaml
! grep -qE 'UNROLL|filter|shared:|arguments: \[' generic.yaml || fail 'of another kernel'
has '  - kernel: "generic<${cuda_type(T)}, ${BLOCK}, ${FAST}>"' generic.yaml
has '    block: BLOCK' generic.yaml
has '  - {name: x, type: "${T}", count: n, fill: random}' generic.yaml
has '  - {name: a, type: "${T}", value: 1}' generic.yaml
run "$TUNE" run --dry-run --arch sm_90 generic.yaml --sizes 1048576
expect_code 0
expect_out '^      compiled: '
run "$TUNE" init many.cu -I inc -k 'generic<double, 64>' -o instance.yaml
expect_code 0
has '  - kernel: "generic<double, 64>"' instance.yaml
has '  - {name: x, type: f64, count: n, fill: random}' instance.yaml
! grep -q '^axes' instance.yaml || fail "axes of an instance"

# Two dimensions.
run "$TUNE" init many.cu -I inc -k flat -o flat.yaml
expect_code 0
has '  n: [256, 1024, 4096]' flat.yaml
has '    grid: ["ceil_div(n, block_size_x)", "ceil_div(n, block_size_y)"]' flat.yaml
has '    block: [block_size_x, block_size_y]' flat.yaml
has '  - 32 <= block_size_x * block_size_y <= 1024' flat.yaml
has '  - {name: b, type: f32, count: n * n, output: true}' flat.yaml
has '  - {name: width, type: i32, value: n}' flat.yaml
run "$TUNE" run --dry-run flat.yaml --sizes 1024
expect_code 0

# ---- what cannot be done, in one line each ----
init_refused 3 'kernel reads writes neither to what it is given nor to a variable of the source: there is nothing to check' many.cu -I inc -k reads
mv inc/twice.cuh inc/elsewhere.cuh
init_refused 1 'many.cu\(2\): .*cannot open source file "twice.cuh"' many.cu -k every
mv inc/elsewhere.cuh inc/twice.cuh
init_refused 3 'none.cu' none.cu
init_refused 2 'only CUDA sources' scale.c
init_refused 2 'only CUDA sources' scale.cu --device cpu
init_refused 2 'name a source'
init_refused 2 "write NAME=VALUE" scale.cu -D =3
echo 'int main() { return 0; }' >host.cu
init_refused 3 'no __global__ function in it' host.cu
echo '__global__ void k(float *y) { y[0] = oops(1); }' >wrong.cu
init_refused 1 'wrong.cu\(1\): error: identifier "oops" is undefined \(say what it is: --define oops=' wrong.cu
printf '#include <missing.h>\n__global__ void k(float *y) { y[0] = missing::one; }\n' >missing.cu
init_refused 1 'NVRTC compiles for the device alone' missing.cu
printf '__global__ void k(float *y) { y[0] = 1; \n' >open.cu
init_refused 1 'open.cu' open.cu
printf '__global__' >end.cu
init_refused 3 'no __global__ function in it' end.cu
printf '/* never closed __global__ void k(float *y) {}' >comment.cu
init_refused 3 'no __global__ function in it' comment.cu
printf '__global__ void k(float *y, int length) { y[0] = lenght; }' >typo.cu
init_refused 1 "typo.cu\(1\): error: identifier \"lenght\" is undefined; did you mean 'length'" typo.cu
printf '#define BLOCK_SIZE 8\n__global__ void k(float *y) { y[0] = BLOK_SIZE; }' >capital.cu
init_refused 1 "did you mean 'BLOCK_SIZE'" capital.cu
printf 'float twice(float x) { return 2 * x; }\n__global__ void k(float *y) { y[0] = twice(1); }' >host_only.cu
init_refused 1 'identifier "twice" is undefined: it lacks __device__' host_only.cu
run "$TUNE" init scale.cu --force -o scale.cu
expect_code 2
expect_err 'scale.cu: is what is read'
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
template <class E> void launch(E *out) { square<<<N, size>>>(out, out, 0, 0); }
__global__ void square(T *out, T *in, uint width, int32_t *places)
{
    __shared__ T tile[TILE_DIM][TILE_DIM + 1];
    int row = blockIdx.y * TILE_DIM + threadIdx.y, column = blockIdx.x * TILE_DIM + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = in[row * width + column] * M_PI * twice(1);
    __syncthreads();
    T *mine = out + row * width;
    mine[column] = tile[threadIdx.y][threadIdx.x] + (places[column] > INT_MAX - 1);
#if MODE == 2
    mine[column] += 0;
#endif
}
static double now() { return 0; }
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
has '  MODE: [1, 2, 4, 8]' program.yaml
has '  - {name: out, type: f32, count: n * n, update: true, fill: random}' program.yaml
has '  - {name: in, type: f32, count: n * n, fill: random}' program.yaml
has '  - {name: places, type: i32, count: n * n, fill: {uniform: [0, n - 1]}}' program.yaml
run "$TUNE" run --dry-run --arch sm_90 program.yaml --sizes 1024 --points 3
expect_code 0
# A define of the experiment replaces the source's own: another tile, another kernel.
expect_out 'binaries: 3; different machine codes: [23]'

# The toolkit's headers need no flag; where there are none, the error says what is missing.
cat >cub.cu <<'C'
#include <cub/cub.cuh>
#include <cooperative_groups.h>
#include <cuda/std/array>
namespace cg = cooperative_groups;
__global__ void total(const float *in, float *out, int n)
{
    using reduce = cub::BlockReduce<float, BLOCK_SIZE>;
    __shared__ typename reduce::TempStorage storage;
    cuda::std::array<float, 2> pair = {in[cg::this_grid().thread_rank()], 0};
    float sum = reduce(storage).Sum(pair[0] + pair[1]);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}
C
run "$TUNE" init cub.cu
if grep -q 'headers of CUB are not beside NVRTC\|cannot open source file' "$captured.err"; then
    echo "no headers of the toolkit: cub is not tried"
else
    expect_code 0
    has '  - {name: out, type: f32, count: n, output: true}' cub.yaml
    # Nor is a folder of the toolkit folded into the source.
    headers=$(dirname "$(dirname "$(find -L "${CUDA_HOME:-/usr/local/cuda}"/ -path '*/cub/cub.cuh' 2>/dev/null | head -n 1)")")
    if [[ -e $headers/cub/cub.cuh ]]; then
        sed -i "s|^source:|include: [\"$headers\"]\nsource:|" cub.yaml
    fi
    run "$TUNE" run --dry-run --arch sm_90 cub.yaml --sizes 1048576
    expect_code 0
    expect_out 'compiled: 5 of these points'
fi

# Names of files are quoted.
printf '__global__ void k(float *y) { y[blockIdx.x] = 1; }\n' >'a "b" \ c.cu'
run "$TUNE" init 'a "b" \ c.cu' -o quoted.yaml
expect_code 0
run "$TUNE" run --dry-run quoted.yaml
expect_code 0

# A block that __launch_bounds__ gives, an enum by value, a variable template, a config.h that nobody has made.
cat >tiles.cu <<'C'
#include "config.h"
enum mode { PLAIN, TWICE };
template <class E> __constant__ E mask[9];
template <const int BM, const int BN, const int TM> __global__ void __launch_bounds__((BM * BN) / TM, 1)
tiles(const float *a, float *c, int M, int N, enum mode how)
{
    c[blockIdx.x * BM + threadIdx.x] = a[threadIdx.x] * (how == TWICE ? 2 : 1);
}
C
run "$TUNE" init tiles.cu
expect_code 0
has '    block: BM * BN // TM' tiles.yaml
has '  - 1 <= BM * BN // TM <= 1024' tiles.yaml
has '  - {name: how, type: i32, value: 1}' tiles.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 2 tiles.yaml --sizes 65536
expect_code 0

# A comment behind a condition names nothing; parameters of a condition that does not hold are none; lines may end in \r\n; a
# struct by value may hold others, and arrays; a class of the host's may hold its time.
cat >lines.cu <<'C'
#include <sys/time.h>
#include <time.h>
#include <pthread.h>
#include <stdio.h>
struct log { FILE *file; pthread_mutex_t *lock; };
class watch {
    struct timeval start;
    void stop() { gettimeofday(&start, 0); }
};
#if defined(DEEP) // This is for widths that scale
#endif
struct pair { float low, high; };
struct options { struct pair ends; short kinds[3]; double *at; };
struct sizes { struct pair ends; short kinds[3]; int count; };
__global__ void lines(const float *x, float *y,
#ifdef TRACED
    int *trace, int *traced,
#endif
    struct sizes s, int width)
{
    y[threadIdx.x] = x[threadIdx.x] * s.ends.low + s.kinds[2] * width;
}
C
sed -i 's/$/\r/' lines.cu
run "$TUNE" init lines.cu
expect_code 0
has '  - {name: s, fields: [{type: f32, value: 1}, {type: f32, value: 1}, {type: i16, value: 1, count: 3}, {type: i32, value: n}]}' lines.yaml
grep -qE $'trace|scale|widths|\r' lines.yaml && fail "$(cat lines.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 lines.yaml
expect_code 0
sed 's/struct sizes s/struct options s/' lines.cu >pointer.cu
run "$TUNE" init pointer.cu
expect_code 0
has '  - {name: s, fields: [{type: f32, value: 1}, {type: f32, value: 1}, {type: i16, value: 1, count: 3}, {pointer: s_at}]}' pointer.yaml
has '  - {name: s_at, type: f64, count: n, update: true, fill: random}' pointer.yaml

# A texture object is one over data as the kernel reads them: its number would be an address of nothing.
cat >textures.cu <<'C'
__device__ float at(cudaTextureObject_t texture, int i) { return tex1Dfetch<float>(texture, i); }
__global__ void gather(cudaTextureObject_t x, const int *places, float *y, unsigned long long seed, cudaTextureObject_t handed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = tex1Dfetch<float2>(x, places[i]).y + at(handed, i) + (float)seed;
}
__global__ void luma(cudaTextureObject_t image, cudaTextureObject_t mask, float *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] = tex2D<uchar4>(image, x + 0.5f, y + 0.5f).x * tex2D<unsigned char>(mask, x, y);
}
__device__ void draw(cudaSurfaceObject_t to) { surf1Dwrite(1.0f, to, 4 * threadIdx.x); }
__global__ void paint(cudaSurfaceObject_t from, cudaSurfaceObject_t to, cudaSurfaceObject_t both, cudaSurfaceObject_t handed,
                      float *in)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    uchar4 texel;
    surf2Dread(&texel, from, x * sizeof(uchar4), y);
    surf2Dwrite(make_float2(texel.x, in[y]), to, x * (int)sizeof(float2), y, cudaBoundaryModeTrap);
    surf2Dwrite<unsigned short>(1 + surf2Dread<unsigned short>(both, x * 2, y), both, x * 2, y);
    draw(handed);
}
C
run "$TUNE" init textures.cu --kernel gather
expect_code 0
has '  - {name: x, type: f32, count: 2 * n, fill: random, texture: {width: n, channels: 2}}' textures.yaml
has '  - {name: handed, type: f32, count: n, fill: random, texture: {width: n}}' textures.yaml
grep -qE 'name: seed, type: u64, value: 1}' textures.yaml || fail "$(cat textures.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 textures.yaml
expect_code 0
run "$TUNE" init textures.cu --kernel luma -o luma.yaml
expect_code 0
has '  - {name: image, type: u8, count: 4 * n * n, fill: random, texture: {width: n, height: n, channels: 4}}' luma.yaml
has '  - {name: mask, type: u8, count: n * n, fill: random, texture: {width: n, height: n}}' luma.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 luma.yaml
expect_code 0
run "$TUNE" init textures.cu --kernel paint -o paint.yaml
expect_code 0
has '  - {name: from, type: u8, count: 4 * n * n, fill: random, surface: {width: n, height: n, channels: 4}}' paint.yaml
has '  - {name: to, type: f32, count: 2 * n * n, output: true, surface: {width: n, height: n, channels: 2}}' paint.yaml
has '  - {name: in, type: f32, count: n * n, fill: random}' paint.yaml
has '  - {name: both, type: u16, count: n * n, update: true, fill: random, surface: {width: n, height: n}}' paint.yaml
has '  - {name: handed, type: f32, count: n * n, update: true, fill: random, surface: {width: n, height: n}}' paint.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 paint.yaml
expect_code 0

# What a macro sets is written; what the program's host part gives a template's numbers are the defaults, within one block;
# an index is an integer; and of a struct of arrays there is one.
cat >macros.cu <<'C'
#include <cstdio>
#define FLOAT4(x) (reinterpret_cast<float4 *>(&(x))[0])
#define ADD_TO(x, y) (x) += (y)
struct columns { float x[1 << 20], y[1 << 20]; };
template <typename IndexType, int BLOCK_Y, int BLOCK_X, int TILE_K>
__global__ void put(float *in, float *out, float *sums, IndexType *places, columns *all)
{
    int i = 4 * (blockIdx.x * BLOCK_X + threadIdx.x + BLOCK_Y * threadIdx.y);
    float4 four = FLOAT4(in[i]);
    FLOAT4(out[i]) = four;
    ADD_TO(sums[places[i] & (TILE_K - 1)], all->x[i & 1023]);
    all->y[i & 1023] = 0;
}
int main()
{
    const int BLOCK_X = 128;
    const int BLOCK_Y = 16, TILE_K = 16;
    put<int, BLOCK_Y, BLOCK_X, TILE_K><<<1, dim3(BLOCK_X, BLOCK_Y / 4)>>>(0, 0, 0, 0, 0);
    printf("%d\n", BLOCK_X);
}
C
run "$TUNE" init macros.cu
expect_code 0
has '  - {name: in, type: f32, count: n * n, fill: random}' macros.yaml
has '  - {name: out, type: f32, count: n * n, output: true}' macros.yaml
has '  - {name: sums, type: f32, count: n * n, update: true, fill: random}' macros.yaml
has '  IndexType: [i32]' macros.yaml
has '  BLOCK_X: 128' macros.yaml
has '  BLOCK_Y: 16' macros.yaml
has '    block: [BLOCK_X, BLOCK_Y // 4]' macros.yaml
has '  TILE_K: 16' macros.yaml
grep -qE 'name: all, type: .*, count: 8388608, ' macros.yaml || fail "$(cat macros.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --default macros.yaml
expect_code 0

# ---- a project: its headers lie around the source, and all of it can go elsewhere ----
mkdir -p project/include/deep project/common project/src/one
echo '__device__ float twice(float x) { return 2 * x; }' >project/include/deep/near.cuh
echo '#define BLOCK 128' >project/common/sizes.h
cat >project/src/one/near.cu <<'C'
#include <deep/near.cuh>
#include "sizes.h"
__global__ void tune_probe(float *y) { y[blockIdx.x * BLOCK + threadIdx.x] = twice(threadIdx.x); }
__device__ int tune_probex;
C
run "$TUNE" init project/src/one/near.cu
expect_code 0
has 'include: ["../../include", "../../common"]' project/src/one/near.yaml
grep -q '^include: .*# ? found near the source$' project/src/one/near.yaml || fail "not marked as found"
has '  BLOCK: [64, 128, 256, 512, 1024]' project/src/one/near.yaml
mkdir carried
mv project carried/there
run "$TUNE" run --dry-run --arch sm_90 --points 1 carried/there/src/one/near.yaml
expect_code 0
# What another user could have put there is not taken.
mkdir -p open/source
cp scale.cu open/source/k.cu
sed -i -e '1i #include "twice.cuh"' -e '$a static_assert(twice::one, "");' open/source/k.cu
mv inc open/inc
chmod o+w open
run "$TUNE" init open/source/k.cu
expect_code 1
expect_err 'cannot open source file "twice.cuh"'
mv open/inc inc

# ---- what others' sources have ----
cat >strange.cu <<'C'
#include <torch/extension.h>
#include <hip/hip_runtime.h>
#include <iostream>
using at::Half;
typedef torch::PackedTensorAccessor32<float, 4> accessor;
#define LAUNCH(name) void launch_##name(float *p) { name##_kernel<<<1, 32>>>(p, 1); }
#define INSTANCE(T) \
    template void \
    run<T>(T *p)
#if WAY != 3
#error "WAY must be 3"
#endif
#ifdef NEVER
#define FACTOR 3
#define TILE 8
#endif
template <class T> void run(T *y) {}
INSTANCE(float);
template <class T> __device__ T half_of(T x) { return x / 2; }
template <> __device__ at::Half half_of(at::Half x) { return x; }
template <typename T, typename std::enable_if<std::is_same<T, float>::value>::type * = nullptr>
__device__ T same(T x) { return x; }
template <typename T> __global__ void special(const T *x, T *y);
template <> __global__ void special<float>(const float *x, float *y)
{
    y[threadIdx.x] = same(half_of(x[threadIdx.x])) + WAY;
}
template <> __global__ void special<double>(const double *x, double *y) { y[threadIdx.x] = x[threadIdx.x]; }
LAUNCH(plain)
__global__ void plain(float *y) { y[threadIdx.x] = 1; }
__global__ void twin(float *y) { y[threadIdx.x] = 1; }
__global__ void twin(double *y) { y[threadIdx.x] = 1; }
template <class F> __global__ void pair(F *y) { y[threadIdx.x] = 1; }
template <class F> __global__ void pair(F **y) { y[threadIdx.x] = 0; }
#ifdef WANTED
__global__ void hidden(float *y) { y[threadIdx.x] = 1; }
#endif
#if defined(ONE) || defined(OTHER)
__global__ void gone(float *y) { y[threadIdx.x] = 1; }
#endif
__global__ void other(float *y) { y[threadIdx.x] = TILE; }
template <int STEP> __global__ void steps(float *y) { y[threadIdx.x] = STEP; }
PYBIND11_MODULE(NAME, m) { constexpr unsigned STEP{48U}; }
C
sed 's/$/\r/' -i strange.cu
run "$TUNE" init strange.cu -k special
expect_code 0
has '  - {name: x, type: "${T}", count: n, fill: random}' strange.yaml
has '  - {name: y, type: "${T}", count: n, output: true}' strange.yaml
has '  WAY: [3]' strange.yaml
# A #define that an #if leaves out defines nothing.
has '  TILE: 8' strange.yaml
grep -qE 'Half|PYBIND|STEP' strange.yaml && fail "$(cat strange.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 strange.yaml
expect_code 0
run "$TUNE" init strange.cu -k steps -o steps.yaml
expect_code 0
has '  STEP: 48' steps.yaml
# Of several kernels of one name the last is taken, by what it takes.
for name in twin pair; do
    run "$TUNE" init strange.cu -k $name -o $name.yaml
    expect_code 0
    run "$TUNE" run --dry-run --arch sm_90 --points 1 $name.yaml
    expect_code 0
done
has '  - kernel: "(void (*)(double * ))twin"' twin.yaml
has '  - {name: y, type: f64, count: n, output: true}' twin.yaml
has '  - kernel: "(void (*)(float * * ))pair<float>"' pair.yaml
# What an #ifdef around a kernel asks for is defined; what an #if leaves out for good is said.
run "$TUNE" init strange.cu -k hidden -o hidden.yaml
expect_code 0
has '  WANTED: [1]' hidden.yaml
init_refused 1 "an #if around kernel 'gone' leaves it out: --define NAME" strange.cu -k gone
init_refused 3 'there are: special, plain, twin, pair, hidden, gone, other, steps$' strange.cu -k none


# What NVRTC does not take, nvcc may.
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

# What the host's headers say of the toolkit is said as well: its version, which sources ask for.
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

# A vector by value is a struct of numbers.
printf '__global__ void vectors(float *y, const uint2 d, float3 f) { y[threadIdx.x] = d.x + f.z; }\n' >vectors.cu
run "$TUNE" init vectors.cu
expect_code 0
has '  - {name: d, fields: [{type: u32, value: 1, count: 2}]}' vectors.yaml
has '  - {name: f, fields: [{type: f32, value: 1, count: 3}]}' vectors.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 vectors.yaml
expect_code 0

# What bounds a kernel may stand in front of it.
printf '__global__ void one(float *y) { y[0] = 1; }\n__launch_bounds__(128, 2) __global__ void bound(float *y) { y[threadIdx.x] = 1; }\n' >bound.cu
run "$TUNE" init bound.cu -k bound
expect_code 0
has '  block_size: [128]' bound.yaml

# Of an array with both sides of that size there is little room.
printf '__global__ void sides(float *y) { __shared__ float t[4][BLOCK_SIZE][BLOCK_SIZE]; t[0][0][0] = 1; y[0] = t[0][0][0]; }\n' >sides.cu
run "$TUNE" init sides.cu
expect_code 0
has '  BLOCK_SIZE: 16' sides.yaml

# A kernel within another language's source, or in another language.
printf 'code = """\n__global__ void k(float *y) { y[0] = 1; }\n"""\n' >text.py
mv text.py text.lua
init_refused 3 'no __global__ function in it, but the word, in a text or a comment: .* file of its own$' text.lua
echo 'code = "__global__"' >none.py
init_refused 3 'none.py: no text in it has a __global__ function: put the kernel into a file of its own' none.py
printf '__kernel void k(__global float *y) { y[0] = 1; }\n' >k.cl
init_refused 3 "no __global__ function in it: its kernels are OpenCL's" k.cl
