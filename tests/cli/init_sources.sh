#!/bin/bash
# tune init of a source that declares functions of other sources: these are named behind it, and linked.
source "$TUNE_TESTS/lib.sh"

init_or_skip

mkdir alone
printf '__device__ float half_of(float x);\n__global__ void k(float *y) { y[0] = half_of(y[1]); }\n' >alone/k.cu
init_refused 1 "Unresolved extern function '_Z7half_off' \(only declared here: name the source that defines it behind this one, tune init k.cu OTHER.cu\)$" alone/k.cu
printf '__device__ float half_of(float x) { return x / 2; }\n' >alone/other.c
cp alone/other.c elsewhere.cu
run "$TUNE" init alone/k.cu elsewhere.cu -o named.yaml
expect_code 0
drafted 'sources: ["alone/k.cu", "elsewhere.cu"]' named.yaml
# Functions that the kernel never calls need not exist.
printf '__device__ float nowhere(float x);\n__global__ void k(float *y) { if (sizeof(float) == 3) y[1] = nowhere(2); y[0] = 1; }\n' >never.cu
run "$TUNE" init never.cu
expect_code 0
run "$TUNE" run --dry-run --arch sm_90 --points 1 never.yaml
expect_code 0
