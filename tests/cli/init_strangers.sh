#!/bin/bash
# tune init of what others wrote: for an older CUDA, in pieces, in scripts of Python, with headers that are not there.
source "$TUNE_TESTS/lib.sh"

echo '__global__ void scale(float *y) { y[threadIdx.x] *= 2; }' >scale.cu
run "$TUNE" init scale.cu
if [[ $code -eq 4 ]] || grep -q 'without CUDA' "$captured.err"; then
    echo "skipped: $(cat "$captured.err")"
    exit 0
fi
expect_code 0

# A piece of a source: the file that includes it is taken, or named where that does not compile either.
printf '__constant__ float table[9];\n#include "piece.cu"\n' >whole.cu
printf '__global__ void piece(float *y) { y[threadIdx.x] = table[threadIdx.x]; }\n' >piece.cu
run "$TUNE" init piece.cu
expect_code 0
expect_err '^tune: piece.cu is not a source by itself: whole.cu is taken$'
drafted 'source: "whole.cu"' piece.yaml
drafted '  - kernel: "piece"' piece.yaml
printf 'int main() { return 0; }\n' >host_alone.cu
run "$TUNE" init host_alone.cu -k piece # of another file, which is a piece
expect_code 0
drafted 'source: "whole.cu"' host_alone.yaml
init_refused 3 "no such kernel; there are: scale$" scale.cu -k nowhere
echo '#error not yet' >>whole.cu
init_refused 1 'piece.cu\(1\): error: identifier "table" is undefined .*; whole.cu includes this file: try that one$' piece.cu

# Variables that a kernel writes are what it leaves, or finds and leaves; one with a value is its own business, and what
# the compiler does not see is none.
cat >variables.cu <<'C'
#if 0
__device__ float gone[4];
namespace nowhere { __device__ float away; }
#endif
namespace { __device__ int lone; }
struct S { __device__ S(); __device__ int f() const { return 1; } int x; };
static __device__ __align__(16) float written[2 * 128];
__device__ float both[3][4], unused, handed[5];
extern "C" { __device__ unsigned ticket = 0; }
extern __device__ float elsewhere;
__device__ const float table[] = {1, 2};
template <int N> __device__ float many;
__device__ float lookup[7];
__device__ void store(int i, float v) { written[i] = v; }
__device__ float any(const float *p) { return *p; }
__global__ void other() { unused = 1; }
__global__ void leave(const float *x)
{
    store(threadIdx.x, x[0] * lookup[3] * table[1] + any(handed));
    both[0][1] += 1;
    lone = 3;
    if (atomicAdd(&ticket, 1) == 3)
        ticket = 0;
#if 0
    gone[0] = nowhere::away;
#endif
}
__global__ void count() { ticket++; }
C
run "$TUNE" init variables.cu -k leave
expect_code 0
drafted '    arguments: [x]' variables.yaml
drafted '  - {name: lone, type: i32, count: 1, output: true, symbol: "lone"}' variables.yaml
drafted '  - {name: written, type: f32, count: 256, output: true, symbol: "written"}' variables.yaml
drafted '  - {name: both, type: f32, count: 12, update: true, fill: random, symbol: "both"}' variables.yaml
drafted '  - {name: handed, type: f32, count: 5, update: true, fill: random, symbol: "handed"}' variables.yaml
drafted '  - {name: lookup, type: f32, count: 7, fill: random, symbol: "lookup"}' variables.yaml
[[ $(grep -c 'symbol:' variables.yaml) -eq 5 ]] || fail "$(cat variables.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 variables.yaml
expect_code 0
sed 's/count: 256/count: 257/' variables.yaml >large.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 large.yaml
expect_code 3
expect_err "argument 'written' has 1028 bytes, and the variable 'written' only 1024$"
run "$TUNE" init variables.cu -k count -o count.yaml
expect_code 0
drafted '  n: [1]' count.yaml
drafted '  block_size: [1]' count.yaml
drafted '  - {name: ticket, type: u32, count: 1, update: true, fill: zero, symbol: "ticket"}' count.yaml
run "$TUNE" run --dry-run --arch sm_90 count.yaml
expect_code 0

# Shuffles and votes without a mask, a type and a name of the standard library that only the host uses.
cat >old.cu <<'C'
#include <iostream>
using std::cout;
__device__ double __shfl_down(double value, unsigned int delta) { return __shfl_down((float)value, delta); }
__global__ void old(half *y, double *z, int *votes)
{
    int half = threadIdx.x / 2;
    y[half] = __shfl_xor((float)y[half], 1) + __shfl((float)y[0], 3, 8) + __shfl_up((float)y[1], 1);
    z[half] = __shfl_down(z[half], 1);
    votes[half] = __any(half) + __all(half) + __ballot(half);
}
int main() { cout << 1; }
C
run "$TUNE" init old.cu
expect_code 0
drafted '  - {name: y, type: f16, count: n, update: true, fill: random}' old.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 old.yaml
expect_code 0

# What lies around it: also others' projects in the project's folder of those.
mkdir -p tree/src tree/third_party/far/include/far
printf '#pragma once\n#include <cstdint>\nnamespace far { typedef std::uint32_t word; }\n' >tree/third_party/far/include/far/word.h
printf '#include <far/word.h>\n__global__ void k(far::word *y, dim3 grid) { y[grid.x] = 1; }\n' >tree/src/k.cu
run "$TUNE" init tree/src/k.cu -o k.yaml
expect_code 0
grep -q '^include: \[".*third_party/far/include"\]' k.yaml || fail "$(cat k.yaml)"
drafted '  - {name: grid, fields: [{type: u32, value: 1}, {type: u32, value: 1}, {type: u32, value: 1}]}' k.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 k.yaml
expect_code 0

# An #error that asks for a macro; what macros are given in an #if, and those of several lines, are none to tune.
cat >build.cu <<'C'
#ifndef WIDTH_OF_ALL
#error "WIDTH_OF_ALL is undefined: the build says it"
#endif
#ifndef BEGIN_MINE
#define BEGIN_MINE \
    namespace mine {
#define END_MINE }
#endif
#ifdef __has_attribute
#define HAS(x) __has_attribute(x)
#else
#define HAS(x) 0
#endif
#if HAS(noreturn) && not UCHAR_MAX /* do include it */
#endif
#ifndef STRINGS
#define STRINGS "strings"
#endif
BEGIN_MINE
__device__ float noreturn(float x) { return x; }
END_MINE
__global__ void k(float *y) { y[threadIdx.x] = mine::noreturn(WIDTH_OF_ALL); }
C
init_refused 1 'WIDTH_OF_ALL is undefined: the build says it" \(say what it is: --define WIDTH_OF_ALL=\.\.\.\)$' build.cu
run "$TUNE" init build.cu -D WIDTH_OF_ALL=8
expect_code 0
! grep -q 'BEGIN_MINE\|noreturn\|STRINGS\|  do:\|  not:\|UCHAR' build.yaml || fail "$(cat build.yaml)"

# What an enumerator of the source's own is, the host's launch tells.
cat >order.cu <<'C'
namespace mine { enum class Order { rows, columns };
template <int N, Order order> __global__ void ordered(float *y) { y[threadIdx.x] = order == Order::rows ? N : 1; }
void launch(float *y) { ordered<16, Order::columns><<<1, 32>>>(y); } }
C
run "$TUNE" init order.cu
expect_code 0
drafted '  - kernel: "mine::ordered<${N}, mine::Order::columns>"' order.yaml

# A header that lies nowhere is written empty, where the kernel needs nothing of it; nothing stays where it does.
printf '#include <far/away.h>\n__global__ void k(float *y) { y[0] = 1; }\n' >away.cu
run "$TUNE" init away.cu
expect_code 0
expect_err '^tune: wrote away.headers/far/away.h, empty: no folder near has it; name one by --include$'
[[ -e away.headers/far/away.h ]] || fail "no header"
run "$TUNE" run --dry-run --arch sm_90 --points 1 away.yaml
expect_code 0
run "$TUNE" init away.cu --force
expect_code 0
printf '#include <far/away.h>\n__global__ void k(float *y) { y[0] = far::one; }\n' >away.cu
init_refused 1 'cannot open source file "far/away.h"' away.cu
[[ ! -e refused.headers ]] || fail "$(find refused.headers)"

# A kernel that a script of Python has as a text; what the script fills in becomes a parameter.
cat >script.py <<'PY'
# """ __global__ void comment(float *y) { } """
plain = 'no kernel'
code = """
#define WIDTH %(WIDTH)s
__global__ void wide(float *y)
{
    // 100 %% \\ "quoted"
    for (int i = 0; i < %(WIDTH)s; i++)
        y[i] = WIDTH;
}
"""
other = r'''__global__ void other(int *y) { y[0] = 1; }'''
PY
run "$TUNE" init script.py
expect_code 3
expect_one_line err
expect_err '^tune init: script.py: several texts with kernels, in lines 3, 12; name one by --kernel$'
run "$TUNE" init script.py -k wide
expect_code 0
expect_err "^tune: wrote script.py.cu: the kernel's source, out of script.py$"
drafted 'source: "script.py.cu"' script.yaml
grep -q '^  WIDTH: \[' script.yaml || fail "$(cat script.yaml)"
grep -qxF '    // 100 % \ "quoted"' script.py.cu || fail "$(cat script.py.cu)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 script.yaml
expect_code 0
run "$TUNE" init script.py -k other -o other.yaml
expect_code 2
expect_one_line err
expect_err '^tune init: script.py.cu is there already, and is not what script.py has: --force writes over it'
grep -q wide script.py.cu || fail "written over"

# A header that an #error asks for, and what __has_include finds in the folders that are named.
printf '#if __has_include("settings.h")\n#include "settings.h"\n#else\n#error "settings.h is not there: read the manual."\n#endif\n__global__ void k(float *y) { y[0] = 1; }\n' >settled.cu
init_refused 1 'settings.h is not there: read the manual." \(name the folder that has settings.h by --include\)$' settled.cu --compiler nvrtc
mkdir named
echo '#define SETTLED 1' >named/settings.h
run "$TUNE" init settled.cu -I named --compiler nvrtc
expect_code 0
rm -r named
run "$TUNE" init settled.cu --force
expect_code 0
expect_err '^tune: wrote settled.headers/settings.h, empty'
