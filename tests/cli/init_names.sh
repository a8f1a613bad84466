#!/bin/bash
# tune init: the selected kernel, if a source, its includes and the branches of its #if have several.
source "$TUNE_TESTS/lib.sh"

init_or_skip

# Kernels of included headers count; declarations are not offered.
cat >header.cuh <<'C'
#pragma once
#include <cuda_fp16.h>
template <typename T> void __global__ fill(T *y, T value) { y[threadIdx.x] = value; }
__global__ void elsewhere(float *y);
C
printf '#include "header.cuh"\n// __global__ void fill(float *y) {}\n__global__ void shift(float *y) { y[0] += 1; }\n' >one.cu
init_refused 3 'several kernels; name one by --kernel: fill, shift$' one.cu
init_refused 3 "kernel fill: name an instance of this template, as the program launches it: --kernel 'fill<\.\.\.>'" one.cu -k fill
run "$TUNE" init one.cu -k 'fill<half>' -o fill.yaml
expect_code 0
drafted '  - kernel: "fill<half>"' fill.yaml
echo '__global__ void turn(float *y) { y[0] = -y[0]; }' >>one.cu
init_refused 3 'several kernels; name one by --kernel: fill, shift, turn$' one.cu
init_refused 3 'no such kernel; there are: fill, shift, turn$' one.cu -k shfit
init_refused 3 "kernel 'elsewhere' is only declared in it" one.cu -k elsewhere
printf '__global__ void away(float *y);\n__global__ void here(float *y) { y[0] = 1; }\n' >two.cu
run "$TUNE" init two.cu
expect_code 0
drafted '  - kernel: "here"' two.yaml

# Each branch of an #if opens the namespace; names with some of the namespaces, or too many, will do.
cat >branches.cu <<'C'
#ifdef ELSEWHERE
namespace outer {
#else
namespace outer {
#endif
typedef float real;
}
#ifdef ELSEWHERE
int help(int a) {
#else
int help(int a, int b) {
#endif
    return a;
}
namespace outer::inner {
__global__ void set(real *y) { y[0] = 1; }
__global__ void get(const real *y, real *z) { z[0] = y[0]; }
}
C
init_refused 3 'name one by --kernel: outer::inner::set, outer::inner::get$' branches.cu
for name in outer::inner::set inner::set set project::outer::inner::set; do
    run "$TUNE" init branches.cu -k $name --force --compiler nvrtc
    expect_code 0
    drafted '  - kernel: "outer::inner::set"' branches.yaml
done
init_refused 3 'no such kernel; there are: outer::inner::set, ' branches.cu -k other::set
run "$TUNE" run --dry-run --arch sm_90 --points 1 branches.yaml
expect_code 0

# As many parameters as an experiment has arguments, more of them outputs than are compared; and one more.
list() { seq -f 'float *a%g' -s ', ' 1 "$1"; }
written=$(seq -f 'a%g[threadIdx.x] = 1;' -s ' ' 1 48)
echo "__global__ void most($(list 48)) { $written }" >most.cu
run "$TUNE" init most.cu
expect_code 0
drafted '  - {name: a48, type: f32, count: n, output: true}' most.yaml
grep -q '^check: {unchecked: \[.*, a47, a48\]}' most.yaml || fail "$(cat most.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 most.yaml
expect_code 0
echo "__global__ void more($(list 49)) { a49[threadIdx.x] = a1[threadIdx.x]; }" >more.cu
init_refused 3 'kernel more takes 49 parameters, and an experiment has 48 arguments at most: put some into a struct$' more.cu
