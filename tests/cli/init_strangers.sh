#!/bin/bash
# tune init of sources that others wrote: variables of the device, headers that lie around a source or nowhere, guards.
source "$TUNE_TESTS/lib.sh"

init_or_skip

# Variables that a kernel writes are outputs or updates, zero before as in the program; one with another initial value is
# private, and one that the compiler does not see does not count.
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
drafted '  - {name: both, type: f32, count: 12, update: true, fill: zero, symbol: "both"}' variables.yaml
drafted '  - {name: ticket, type: u32, count: 1, update: true, fill: zero, symbol: "ticket"}' variables.yaml
drafted '  - {name: handed, type: f32, count: 5, fill: random, symbol: "handed"}' variables.yaml
drafted '  - {name: lookup, type: f32, count: 7, fill: random, symbol: "lookup"}' variables.yaml
[[ $(grep -c 'symbol:' variables.yaml) -eq 6 ]] || fail "$(cat variables.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 variables.yaml
expect_code 0
sed 's/count: 256/count: 257/' variables.yaml >large.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 large.yaml
expect_code 3
expect_err "argument 'written' has 1028 bytes, and the variable 'written' only 1024$"

# A function of the host with a name of the standard library, and code used by the host alone.
cat >old.cu <<'C'
#include <iostream>
#include <cublas_v2.h>
using std::cout;
__global__ void old(float *y) { y[threadIdx.x] = INT_MAX * M_PI; }
int main() { cout << 1; }
C
run "$TUNE" init old.cu --compiler nvrtc
expect_code 0
run "$TUNE" run --dry-run --arch sm_90 --points 1 old.yaml
expect_code 0

# An #error that demands a macro; values of macros in an #if, and macros of several lines, are not tuned.
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
init_refused 1 'WIDTH_OF_ALL is undefined: the build says it' build.cu
run "$TUNE" init build.cu -D WIDTH_OF_ALL=8
expect_code 0
! grep -q 'BEGIN_MINE\|noreturn\|STRINGS\|  do:\|  not:\|UCHAR' build.yaml || fail "$(cat build.yaml)"

# A guard around a file is no number to tune, also with a value. A namespace that each branch of an #if opens is one.
cat >guarded.h <<'C'
#ifndef GUARDED_H_OF_MINE
#define GUARDED_H_OF_MINE 1
typedef float real;
#endif
#if defined(_MSC_VER)
namespace mine { struct clock { long ticks; clock() {}
#else
#include <sys/time.h>
namespace mine { struct clock { struct timeval at; struct timezone zone; clock() {}
#endif
}; }
C
cat >guard.cu <<'C'
#include <cub/cub.cuh>
#include "guarded.h"
namespace mine { __global__ void least(real *y)
{
    __shared__ cub::BlockReduce<float, 128>::TempStorage room;
    float all = cub::BlockReduce<float, 128>(room).Sum(y[threadIdx.x]);
    if (threadIdx.x == 0)
        y[0] = all;
} }
C
run "$TUNE" init guard.cu
expect_code 0
drafted '  - kernel: "mine::least"' guard.yaml
! grep -q GUARDED guard.yaml || fail "$(cat guard.yaml)"

# A header demanded by an #error, and files that __has_include finds in the named folders.
printf '#if __has_include("settings.h")\n#include "settings.h"\n#else\n#error "settings.h is not there: read the manual."\n#endif\n__global__ void k(float *y) { y[0] = 1; }\n' >settled.cu
init_refused 1 'settings.h is not there: read the manual' settled.cu --compiler nvrtc
mkdir named
echo '#define SETTLED 1' >named/settings.h
run "$TUNE" init settled.cu -I named --compiler nvrtc
expect_code 0
rm -r named

# A kernel that is declared in a namespace and defined outside of it.
printf 'namespace sorting { __global__ void scan(float *y, int n); }\n__global__ void sorting::scan(float *y, int n) { y[n - 1] = 1; }\n' >defined_outside.cu
run "$TUNE" init defined_outside.cu
expect_code 0
drafted '  - kernel: "sorting::scan"' defined_outside.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 defined_outside.yaml
expect_code 0

# A place in brackets is one that is written.
printf '__global__ void add(float *sums, const float *x) { atomicAdd(&(sums[0]), x[threadIdx.x]); }\n' >bracketed.cu
run "$TUNE" init bracketed.cu
expect_code 0
drafted '  - {name: sums, type: f32, count: n, update: true, fill: random}' bracketed.yaml

# Headers that include one another, one of them behind its guard.
mkdir rings
printf '#ifndef OUTER_H\n#define OUTER_H\n#define TWO 2\n#endif\n#include "inner.h"\n' >rings/outer.h
printf '#ifndef INNER_H\n#define INNER_H\n#include "outer.h"\n#endif\n' >rings/inner.h
printf '#include "outer.h"\n__global__ void k(float *y) { y[0] = TWO; }\n' >rings/k.cu
run "$TUNE" init rings/k.cu -o rings.yaml
expect_code 0

# The script that tries others' sources reports at once that it has no program.
run env TUNE=./nowhere bash "$TUNE_TESTS/../strangers/run.sh" .
expect_code 2
expect_one_line err
expect_err '^run.sh: ./nowhere is not a program: name it by TUNE=PROGRAM$'

# The script that measures them ends its children when it is ended, also from a process group of
# their own.
cat >slow_tune <<'SH'
#!/bin/bash
echo $$ >slow_tune.pid
exec sleep 60
SH
chmod +x slow_tune
run env TUNE=./slow_tune timeout 1 bash "$TUNE_TESTS/../strangers/measure.sh" any.yaml
expect_code 124
expect_file slow_tune.pid
for ((wait = 0; wait < 50; wait++)); do
    kill -0 "$(cat slow_tune.pid)" 2>/dev/null || break
    sleep 0.1
done
! kill -0 "$(cat slow_tune.pid)" 2>/dev/null || fail "a run was left behind"
cat >quick_tune <<'SH'
#!/bin/bash
echo '1 of 1 problem: a winner'
SH
chmod +x quick_tune
run env TUNE=./quick_tune bash "$TUNE_TESTS/../strangers/measure.sh" any.yaml
expect_code 0
expect_out '^\| any \| 0 \| 1 of 1 problem: a winner \|$'

# Where headers were found is said in one line.
mkdir -p near/.git near/cuda near/host/code/inc near/common
echo 'typedef float real;' >near/common/real.h
printf '#include "real.h"\n__global__ void k(real *y) { y[8] = 1; }\n' >near/cuda/k.cu
run "$TUNE" init near/cuda/k.cu -o near.yaml
expect_code 0
expect_err '^tune: found near the source: [^ ]*/near/common$'
grep -q '^include: \[".*near/common"\]' near.yaml || fail "$(cat near.yaml)"
printf '#include "word.h"\n__global__ void k(word *y) { y[0] = 1; }\n' >near/cuda/w.cu
init_refused 1 'word.h.*\(name its folder, --include FOLDER; or say how the project compiles it' near/cuda/w.cu
