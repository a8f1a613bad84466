#!/bin/bash
# tune init of a source that declares what other sources define: they are found, named in 'sources', and linked.
source "$TUNE_TESTS/lib.sh"

init_or_skip

# Variables and functions, also in namespaces; those that are there for one file alone do not count.
mkdir -p tree/src tree/lib/deep
cat >tree/src/k.cu <<'C'
extern __device__ float table[];
extern __constant__ int counts[];
extern __constant__ int known[4];
extern __constant__ float set[];
namespace far { __device__ float thrice(float x); }
__global__ void k(float *y) { y[threadIdx.x] = far::thrice(table[0]) + counts[1] + known[2] + set[3]; }
template <int N> __global__ void many(float *y) { y[threadIdx.x] = table[N]; }
C
printf 'static __device__ float table[] = {1, 2, 3};\n// __device__ float table[] = {1};\n' >tree/src/a.cu
printf 'extern __device__ float table[];\n__device__ float other(float table) { return table; }\n' >tree/src/b.cu
printf '__device__ __align__(16)\nfloat table[] = {1, 2, 3};\n__constant__ int known[4] = {1};\n' >tree/lib/tables.cu
cat >tree/lib/deep/rest.cu <<'C'
#include "count.h"
__constant__ int counts[COUNT] = {1, 2, 3};
__constant__ float set[COUNT];
namespace far { __device__ float thrice(float x) { return 3 * x; } }
int main() { return 0; }
C
echo '#define COUNT 9' >tree/lib/deep/count.h
run "$TUNE" init tree/src/k.cu -k k -o k.yaml
expect_code 0
expect_err '^tune: .*tree/lib/tables.cu is linked with it: it defines what tree/src/k.cu declares$'
grep -qE '^sources: \["tree/src/k.cu", "tree/lib/(deep/rest|tables).cu", "tree/lib/(deep/rest|tables).cu"\]' k.yaml || fail "$(cat k.yaml)"
drafted '  - {name: set, type: f32, count: 9, fill: random, symbol: "set"}' k.yaml
[[ $(grep -c 'symbol:' k.yaml) -eq 1 ]] || fail "$(cat k.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 k.yaml
expect_code 0
run "$TUNE" init tree/src/k.cu -k many -o many.yaml
expect_code 0
grep -q '^sources: .*tree/lib/tables.cu' many.yaml || fail "$(cat many.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 many.yaml
expect_code 0

# Those that are named, and what is nowhere.
mkdir alone
printf '__device__ float half_of(float x);\n__global__ void k(float *y) { y[0] = half_of(y[1]); }\n' >alone/k.cu
init_refused 1 "Unresolved extern function '_Z7half_off' \(alone/k.cu only declares it: name the source that defines it behind this one, tune init k.cu OTHER.cu\)$" alone/k.cu
printf '__device__ float half_of(float x) { return x / 2; }\n' >alone/other.c
cp alone/other.c elsewhere.cu
run "$TUNE" init alone/k.cu elsewhere.cu -o named.yaml
expect_code 0
drafted 'sources: ["alone/k.cu", "elsewhere.cu"]' named.yaml
printf '#error not yet\n' >>elsewhere.cu
init_refused 1 '^tune init: with .*elsewhere.cu, which defines what it declares: .*elsewhere.cu\(2\): .*error.*not yet' alone/k.cu --compiler nvrtc
# What the kernel never calls need not be anywhere.
printf '__device__ float nowhere(float x);\n__global__ void k(float *y) { if (sizeof(float) == 3) y[1] = nowhere(2); y[0] = 1; }\n' >never.cu
run "$TUNE" init never.cu
expect_code 0
run "$TUNE" run --dry-run --arch sm_90 --points 1 never.yaml
expect_code 0
