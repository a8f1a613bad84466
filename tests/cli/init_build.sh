#!/bin/bash
# tune init takes flags, folders and macros from the project's build: a compiler's line, or a compile_commands.json;
# it finds the launch in another file of the project, and the source that a script of Python names.
source "$TUNE_TESTS/lib.sh"

has() { # LINE FILE
    drafted "$1" "$2"
}
mkdir -p proj/src proj/inc proj/build
cat >proj/inc/conf.h <<'C'
#pragma once
#ifdef WIDE
#define TYPE double
#else
#define TYPE float
#endif
C
cat >proj/src/k.cu <<'C'
#include <conf.h>
#ifndef SCALE
#error SCALE
#endif
__global__ void k(const TYPE *a, TYPE *b, int n)
{
    for (int i = blockIdx.x * TPB + threadIdx.x; i < n; i += gridDim.x * TPB)
        b[i] = SCALE * a[i];
}
C
cat >proj/src/main.cu <<'C'
#include <cuda_runtime.h>
__global__ void k(const double *a, double *b, int n);
int main()
{
    int n = 1000;
    double *a, *b;
    cudaMalloc(&a, n * 8);
    cudaMalloc(&b, n * 8);
    k<<<(n + TPB - 1) / TPB, TPB>>>(a, b, n);
}
C
cat >proj/src/also.cu <<'C'
/* another kernel of the name, as a course's exercises have */
__global__ void k(const float *a, float *b, int n) { b[0] = n * a[0]; }
void launch(const float *a, float *b) { k<<<77, 33>>>(a, b, 7); }
C
cat >proj/build/compile_commands.json <<J
[{"directory": "$PWD/proj/build", "file": "../src/main.cu", "command": "nvcc -DTPB=7 ../src/main.cu"},
 {"directory": "$PWD/proj/build", "file": "../src/k.cu",
  "command": "/opt/cuda/bin/nvcc -DWIDE -DSCALE=3 -D TPB=192 -DNAME=\\\\\"x\\\\\" -I../inc -O3 -std=c++14 --use_fast_math -gencode arch=compute_80,code=sm_80 -Xcompiler -Wall -x cu -c ../src/k.cu -o k.o"}]
J
expect_built() { # FILE
    has '    grid: ceil_div(n, TPB) if blocks_per_sm == 0 else sm_count * blocks_per_sm' "$1"
    has '    block: TPB' "$1"
    has '  TPB: [64, 128, 192, 256, 512, 1024]' "$1"
    has '  TPB: 192' "$1"
    has '  blocks_per_sm: [0, 1, 2, 4, 8, 16]' "$1"
    has '  WIDE: 1' "$1"
    has '  SCALE: 3' "$1"
    ! grep -q '^  SCALE: \[\|^  NAME:' "$1" || fail "a macro of the build is a parameter, or a text is one: $(cat "$1")"
    has '  - {name: a, type: f64, count: n, fill: random}' "$1"
    run "$TUNE" run --dry-run --arch sm_90 --points 2 "$1"
    expect_code 0
}
run "$TUNE" init proj/src/k.cu
if [[ $code -eq 4 ]] || grep -q 'without CUDA' "$captured.err"; then
    echo "skipped: $(cat "$captured.err")"
    exit 0
fi
expect_code 0
expect_err '^tune: compiled as .*/proj/build/compile_commands.json has it$'
expect_err '^tune: launched in line 9 of main.cu$'
has 'flags: ["--std=c++14", "--use_fast_math"]' proj/src/k.yaml
has 'include: ["../inc"]' proj/src/k.yaml
expect_built proj/src/k.yaml

# A command is split as by a shell, but nothing in it runs.
cat >proj/build/compile_commands.json <<J
[{"directory": "$PWD/proj/build", "file": "../src/k.cu", "command": "nvcc -DTPB=192 \$(touch $PWD/ran) -c ../src/k.cu"}]
J
init_refused 3 'compile_commands.json: a shell takes no command from it: nvcc -DTPB=192' proj/src/k.cu
[[ ! -e ran ]] || fail "a command of the file ran"

# The line itself; the source is the one that has the kernel.
rm -r proj/build
run "$TUNE" init --kernel k -o line.yaml -- nvcc -DWIDE -DSCALE=3 -DTPB=192 -Iproj/inc -arch=sm_80 -o app proj/src/main.cu proj/src/k.cu
expect_code 0
has 'source: "proj/src/k.cu"' line.yaml
expect_built line.yaml
# A header that does not compile by itself is read as a part of the line's source that includes it.
cat >part.cuh <<'C'
__global__ void twice(const value *in, value *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}
C
printf '#include "types.cuh"\n' >other.cu
cat >whole.cu <<'C'
typedef float value;
#include "part.cuh"
int main()
{
    twice<<<8, 192>>>(0, 0, 1536);
}
C
echo 'typedef int unused;' >types.cuh
run "$TUNE" init part.cuh --kernel twice -- nvcc -O3 other.cu whole.cu -o app
expect_code 0
expect_err '^tune: part.cuh does not compile by itself: read as a part of whole.cu$'
has 'source: "whole.cu"' part.yaml
run "$TUNE" run --dry-run --arch sm_90 part.yaml
expect_code 0
golden "$TUNE" init -- nvcc -O3
golden "$TUNE" init
run "$TUNE" init proj/src/k.cu --program ./app --capture app.cap
expect_code 2
expect_one_line err

# ---- a script that names its source ----
cat >adder.cu <<'C'
__global__ void adder(const float *a, float *b, int n)
{
    int i = blockIdx.x * WIDTH + threadIdx.x;
    if (i < n)
        b[i] += a[i];
}
C
sed -i '1i #define WIDTH 96' adder.cu
cat >go.py <<'P'
import cupy
cupy.RawKernel(open("adder.cu").read(), "adder")
P
run "$TUNE" init go.py
expect_code 0
expect_err '^tune: go.py names adder.cu: that is taken$'
has 'source: "adder.cu"' go.yaml
has '    block: WIDTH' go.yaml
sed -i 's/adder.cu/missing.cu/' go.py
init_refused 3 'go.py names no .cu file that is there' go.py

# ---- a script for Kernel Tuner ----
echo 'from kernel_tuner import nothing' >kt.py
run "$TUNE" init kt.py
expect_code 3
expect_err "^tune init: kt.py is a script for Kernel Tuner, and Python did not run it to its end: tune it by 'python3 -m launchtune.kernel_tuner kt.py'"

# NVRTC starts the driver, after which no child of the process could try or replay the draft: it runs in a child itself.
LD_DEBUG=libs LD_DEBUG_OUTPUT=loaded run "$TUNE" init adder.cu --force
expect_code 0
grep -q 'calling init: .*libnvrtc' loaded.* || fail "nothing is known of libraries: $(head -3 loaded.*)"
! awk 'NR == 1 { own = $1 } $1 == own' loaded.* | grep 'find library=libcuda.so.1' || fail "the process itself starts the driver"
expect_golden
