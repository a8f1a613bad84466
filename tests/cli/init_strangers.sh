#!/bin/bash
# tune init of what others wrote: for an older CUDA, in pieces, in scripts of Python, with headers that are not there.
source "$TUNE_TESTS/lib.sh"

init_or_skip

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
init_refused 1 'piece.cu\(1\): error: identifier "table" is undefined .*; whole.cu includes this file, and does not compile either: .* not yet' piece.cu
# Of several that include it, none of them in a comment, one that compiles, or that another has which does.
printf '/*\n#include "piece.cu"\n*/\nint a;\n' >another.cu
printf '#include "table.h"\n// #include "other.cu"\n#include "piece.cu"\n' >first.cu
printf '#include "undefined.h"\n#include "first.cu"\n' >second.cu
printf '__constant__ float table[9];\n#include "second.cu"\n' >third.cu
touch table.h undefined.h
run "$TUNE" init piece.cu --force
expect_code 0
expect_err '^tune: piece.cu is not a source by itself: third.cu is taken$'
drafted 'source: "third.cu"' piece.yaml
rm another.cu first.cu second.cu third.cu table.h undefined.h

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

# Structs of all kinds by value lie where the compiler has them: within classes and namespaces, of templates, with functions,
# values, bounds by name, bases and unions; what has no name that may be asked for is so many bytes of zeros.
cat >structs.cu <<'C'
enum { KINDS = 5 };
namespace deep {
struct base { const double *weights[KINDS]; };
class model {
public:
    struct settings : base {
        __device__ float at(int i) const { return width[i]; }
        static const int most = 3;
        bool on = false;
        float width[KINDS] = {1, 2}, *results;
        union { int first; char other; };
        alignas(16) float3 corner;
        settings() = default;
        enum mode { FAST, SLOW } how;
    };
};
}
template <class T, int N> struct view { T *data; int sizes[N]; __device__ T &operator[](int i) const { return data[i]; } };
typedef struct hidden_s hidden;
class hidden_s { double inner; char last; public: __device__ double get() const { return inner + last; } };
__global__ void fill(float *y, deep::model::settings s, const view<const float, 2> v, hidden h)
{
    y[threadIdx.x] = s.at(1) + s.corner.x + v[0] + h.get();
}
C
run "$TUNE" init structs.cu
expect_code 0
for line in '      - {pointer: s_weights, count: 5} +# weights' '      - {type: u8, value: 1} +# on' '      - {type: f32, value: 1, count: 5} +# width' \
    '      - {pointer: s_results} +# results' '      - {type: i32, value: 1} +# first' '      - {type: f32, value: 1, count: 3} +# corner' \
    '  - \{name: s_weights, type: f64, count: n, fill: random\}' '  - \{name: s_results, type: f32, count: n, update: true, fill: random\}' \
    '  - \{name: v, fields: \[\{pointer: v_data\}, \{type: i32, value: 1, count: 2\}\]\}' '  - \{name: v_data, type: f32, count: n, fill: random\}' \
    '  - \{name: h, fields: \[\{type: u64, value: 0, count: 2\}\]\}'; do
    grep -qE -- "^$line" structs.yaml || fail "no $line: $(cat structs.yaml)"
done
run "$TUNE" run --dry-run --arch sm_90 --points 1 structs.yaml
expect_code 0

# Of a template the instance that the source names, also by a macro and of half precision, with enumerators and classes; and
# where a body asserts something of what nothing says, the next guess.
cat >instances.cu <<'C'
#include <cuda_fp16.h>
enum scheme { PLAIN, PADDED };
struct add { __device__ float operator()(float a) const { return a + 1; } };
template <typename T, int WIDTH, scheme S, class F> __global__ void named(T *y, F f)
{
    static_assert(WIDTH == 48 && S == PADDED, "as it is named");
    y[threadIdx.x] = T(f(WIDTH));
}
#define MAKE(type, width) template __global__ void made<type, width>(type *);
template <class T, int WIDTH> __global__ void made(T *y)
{
    static_assert(sizeof(T) == 2, "as it is made");
    y[threadIdx.x] = T(WIDTH);
}
MAKE(half, 24)
MAKE(short, 12)
template <int BLOCK_ITEMS> __global__ void items(float *y) { y[threadIdx.x] = BLOCK_ITEMS; }
template __global__ void items<4096>(float *);
template <class T, int ROWS> __global__ void asserted(T *y)
{
    static_assert(sizeof(T) == 8, "of what is long");
    y[threadIdx.x] = T(ROWS);
}
void launch(half *y) { named<half, 48, PADDED, add><<<1, 1>>>(y, add()); }
C
for kernel in named made asserted items; do
    run "$TUNE" init instances.cu -k $kernel -o $kernel.yaml
    expect_code 0
    run "$TUNE" run --dry-run --arch sm_90 --points 1 --default $kernel.yaml
    expect_code 0
done
drafted '  - kernel: "named<${cuda_type(T)}, ${WIDTH}, PADDED, add>"' named.yaml
drafted '  WIDTH: 48' named.yaml
drafted '  block_size: 256' items.yaml
drafted '  WIDTH: 24' made.yaml
grep -q '^  WIDTH: \[12, 24\] ' made.yaml || fail "$(cat made.yaml)"
for found in 'named f16' 'made f16' 'asserted f64'; do
    grep -qE "^  T: \[${found#* }\]" "${found% *}.yaml" || fail "$found: $(cat "${found% *}.yaml")"
done

# What lies around it: also others' projects in the project's folder of those.
mkdir -p tree/src tree/third_party/far/include/far
printf '#pragma once\n#include <cstdint>\nnamespace far { typedef std::uint32_t word; }\n' >tree/third_party/far/include/far/word.h
printf '#include <far/word.h>\n__global__ void k(far::word *y, dim3 grid) { y[grid.x] = 1; }\n' >tree/src/k.cu
run "$TUNE" init tree/src/k.cu -o k.yaml
expect_code 0
grep -q '^include: \[".*third_party/far/include"\]' k.yaml || fail "$(cat k.yaml)"
drafted '  - {name: grid, fields: [{type: u32, value: 1, count: 3}]}' k.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 k.yaml
expect_code 0

# A header that lies deep in the project, where there is only one of its name.
mkdir -p wide/src wide/lib/a/b wide/lib/c
printf '#define AWAY 3\n' >wide/lib/a/b/away.h
printf '#include "away.h"\n__global__ void k(float *y) { y[0] = AWAY; }\n' >wide/src/k.cu
run "$TUNE" init wide/src/k.cu -o wide.yaml
expect_code 0
grep -q '^include: \["wide/lib/a/b"\]' wide.yaml || fail "$(cat wide.yaml)"
mkdir wide/lib/c/d
cp wide/lib/a/b/away.h wide/lib/c/d
run "$TUNE" init wide/src/k.cu -o wide.yaml --force
expect_code 0
expect_err '^tune: compiled without away.h \(in [^ ]*wide/lib/a/b, [^ ]*wide/lib/c/d\): name their folder by --include'

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
    float all = cub::BlockReduce<float, 128>(room).Reduce(y[threadIdx.x], cub::Min());
    if (threadIdx.x == 0)
        y[0] = all;
} }
C
run "$TUNE" init guard.cu
expect_code 0
drafted '  - kernel: "mine::least"' guard.yaml
! grep -q GUARDED guard.yaml || fail "$(cat guard.yaml)"

# What an enumerator of the source's own is, the host's launch tells.
cat >order.cu <<'C'
namespace mine { enum class Order { rows, columns };
template <int N, Order order> __global__ void ordered(float *y) { y[threadIdx.x] = order == Order::rows ? N : 1; }
void launch(float *y) { ordered<16, Order::columns><<<1, 32>>>(y); } }
C
run "$TUNE" init order.cu
expect_code 0
drafted '  - kernel: "mine::ordered<${N}, mine::Order::columns>"' order.yaml

# A header that lies nowhere is left out, where the kernel needs nothing of it.
printf '#include <far/away.h>\n__global__ void k(float *y) { y[0] = 1; }\n' >away.cu
run "$TUNE" init away.cu
expect_code 0
expect_err '^tune: compiled without far/away.h: name their folder by --include if the kernel needs them$'
[[ ! -e away.headers ]] || fail "$(find away.headers)"
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

# A kernel that is declared in a namespace and defined outside of it.
printf 'namespace sorting { __global__ void scan(float *y, int n); }\n__global__ void sorting::scan(float *y, int n) { y[n - 1] = 1; }\n' >defined_outside.cu
run "$TUNE" init defined_outside.cu
expect_code 0
drafted '  - kernel: "sorting::scan"' defined_outside.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 defined_outside.yaml
expect_code 0

# Of a template what nothing names: an enumerator; a function that stands there where none is given need not be said.
cat >kinds.cu <<'C'
namespace act {
enum class Kind : int { RELU = 1, GELU };
__device__ inline float same(float x) { return x; }
typedef float (*Op)(float);
template <Kind KIND, Op OP = same> __global__ void apply(float *y) { y[threadIdx.x] = OP(KIND == Kind::RELU ? 0.f : y[threadIdx.x]); }
}
C
run "$TUNE" init kinds.cu
expect_code 0
drafted '  - kernel: "act::apply<act::Kind::RELU>"' kinds.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 kinds.yaml
expect_code 0
# ... also one that a header has which is looked for.
mkdir -p library/include
printf '#pragma once\nenum Way { UP, DOWN };\n' >library/include/way.h
printf '#include "way.h"\ntemplate <Way WAY> __global__ void go(float *y) { y[0] = WAY == UP ? 1 : 2; }\n' >go.cu
run "$TUNE" init go.cu
expect_code 0
drafted '  - kernel: "go<Way::UP>"' go.yaml

# ... and one that stands there where none is given, in front of others; a type that counts is an integer.
printf 'namespace act {\nenum Way { UP, DOWN };\ntemplate <typename N, Way WAY = DOWN, bool TWICE = false> __global__ void go(float *y, N n) { y[n %% 3] = WAY == UP ? 1 : TWICE; }\n}\n' >middle.cu
run "$TUNE" init middle.cu
expect_code 0
grep -qF 'act::go<${cuda_type(N)}, act::Way::DOWN, ${TWICE}>' middle.yaml || fail "$(cat middle.yaml)"
grep -q '^  N: \[i32\]' middle.yaml || fail "$(cat middle.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 middle.yaml
expect_code 0

# A place in brackets is one that is written.
printf '__global__ void add(float *sums, const float *x) { atomicAdd(&(sums[0]), x[threadIdx.x]); }\n' >bracketed.cu
run "$TUNE" init bracketed.cu
expect_code 0
drafted '  - {name: sums, type: f32, count: n, update: true, fill: random}' bracketed.yaml

# A piece that a file in a folder above it includes.
mkdir -p deep/src/map/device
printf '#pragma once\ntemplate <typename K> struct Map { K *keys; };\n#include "map/device/piece.cuh"\n' >deep/src/map.cuh
printf 'template <typename K> __global__ void find(Map<K> map, K *y) { y[threadIdx.x] = map.keys[threadIdx.x]; }\n' >deep/src/map/device/piece.cuh
run "$TUNE" init deep/src/map/device/piece.cuh -k 'find<float>' -o deep.yaml
expect_code 0
expect_err '^tune: deep/src/map/device/piece.cuh is not a source by itself: .*/deep/src/map.cuh is taken$'

# An error of the source is told, not that of a header which the kernel does not need; and what leads around an #error.
printf '#pragma once\n#include <nowhere/any.h>\nnowhere::any make();\n' >unneeded.h
printf '#include "unneeded.h"\n__global__ void k(float *y) { y[0] = wrong(1) + 2; }\n' >typo.cu
init_refused 1 'typo.cu\(2\): error: identifier "wrong" is undefined' typo.cu
printf '#include "unneeded.h"\n__global__ void k(float *y)\n{\n#if defined(BY_ROWS)\n    y[0] = 1;\n#elif defined(BY_COLUMNS)\n    y[0] = 2;\n#else\n#error rows or columns\n#endif\n}\n' >ways.cu
init_refused 1 'ways.cu\(9\): .*rows or columns \(say what it is: --define BY_ROWS=...\)$' ways.cu
run "$TUNE" init ways.cu -D BY_ROWS
expect_code 0
expect_err '^tune: compiled without nowhere/any.h: name their folder by --include if the kernel needs them$'

# Headers that include one another, one of them behind its guard.
mkdir rings
printf '#ifndef OUTER_H\n#define OUTER_H\n#define TWO 2\n#endif\n#include "inner.h"\n' >rings/outer.h
printf '#ifndef INNER_H\n#define INNER_H\n#include "outer.h"\n#endif\n' >rings/inner.h
printf '#include "outer.h"\n__global__ void k(float *y) { y[0] = TWO; }\n' >rings/k.cu
run "$TUNE" init rings/k.cu -o rings.yaml
expect_code 0

# What tries others' sources says at once that it has no program to try.
run env TUNE=./nowhere bash "$TUNE_TESTS/../strangers/run.sh" .
expect_code 2
expect_one_line err
expect_err '^run.sh: ./nowhere is not a program: name it by TUNE=PROGRAM$'

# What measures them ends what it runs when it is ended, also from a group of processes of its own.
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

# What PyTorch has kernels take stands in a header of ours.
cat >accessor.cu <<'C'
#include <torch/extension.h>
template <typename T>
__device__ T corner(const at::PackedTensorAccessor64<T, 3, at::RestrictPtrTraits> &t)
{
    auto plane = t[t.size(0) - 1];
    return plane[0][1];
}
__device__ at::PackedTensorAccessor64<float, 3, at::RestrictPtrTraits> grid;
__global__ void corners(float *y) { y[threadIdx.x] = corner(grid) + grid.stride(1); }
void launch(torch::Tensor t) { corners<<<1, 1>>>(t.data_ptr<float>()); }
C
cat >accessor.yaml <<'Y'
experiment: accessor
source: accessor.cu
parameters: {block: [32, 64]}
sizes: {n: [64]}
launches:
  - {kernel: corners, grid: 1, block: block}
arguments:
  - {name: y, type: f32, count: n, output: true}
Y
run "$TUNE" run --dry-run --arch sm_90 accessor.yaml
expect_code 0

# What they take so by value is drafted with its elements, sizes and strides: as many axes as the largest has.
cat >tensors.cu <<'C'
#include <torch/extension.h>
using at::PackedTensorAccessor64;
template <class T> using plane = torch::PackedTensorAccessor32<T, 2, at::RestrictPtrTraits>;
template <class T> struct view { T *data; unsigned sizes[1], strides[1]; };
__global__ void tensors(const PackedTensorAccessor64<float, 3, at::RestrictPtrTraits> x, plane<float> y,
                        PackedTensorAccessor64<int64_t, 1> hits, const plane<int> places, plane<float> sums, view<double> v)
{
    static_assert(sizeof x == 8 + 3 * 16 && sizeof y == 8 + 2 * 8, "as PyTorch lays them out");
    if (x.size(0) > places.stride(1))
        y[threadIdx.x][places[0][1]] = x[0][1][2];
    auto row = sums[0];
    row[threadIdx.x] = v.data[0];
    atomicAdd((unsigned long long *)&hits[0], 1);
}
C
run "$TUNE" init tensors.cu
expect_code 0
[[ $(sed -n '/name: x$/,/x_data_, /{s/ *#.*//; p}' tensors.yaml) == "  - name: x
    fields:
      - {pointer: x_data_}
      - {type: i64, value: n}
      - {type: i64, value: n}
      - {type: i64, value: n}
      - {type: i64, value: n * n}
      - {type: i64, value: n}
      - {type: i64, value: 1}
  - {name: x_data_, type: f32, count: n * n * n, fill: random}" ]] || fail "$(cat tensors.yaml)"
grep -q -A 1 'type: i32, value: n \* n}  .*# sizes_' tensors.yaml || fail "$(cat tensors.yaml)"
drafted '  n: [64, 128, 256]' tensors.yaml
drafted '    grid: ceil_div(n * n * n, block_size)' tensors.yaml
for line in '{name: y_data_, type: f32, count: n * n * n, output: true}' '{name: hits_data_, type: i64, count: n * n * n, update: true, fill: zero}' \
    '{name: places_data_, type: i32, count: n * n * n, fill: {uniform: [0, n - 1]}}' '{name: sums_data_, type: f32, count: n * n * n, update: true, fill: random}' \
    '{name: v_data, type: f64, count: n * n * n, update: true, fill: random}'; do
    drafted "  - $line" tensors.yaml
done
run "$TUNE" run --dry-run --arch sm_90 --points 1 tensors.yaml
expect_code 0

# Pointers in variables, alone and in structs: vectors whose addresses go there. What the kernel itself sets is its own.
cat >tables.cu <<'C'
namespace mine { struct place { float *sums; const int *places; }; struct shape { int rows, size; place at; }; }
__constant__ mine::shape form;
__constant__ const float4 *rows;
namespace { __device__ int *hits; __device__ float *heap; __constant__ double *both[2]; }
__constant__ unsigned row_count;
__constant__ float scale;
__global__ void tables()
{
    heap = new float[4];
    hits[threadIdx.x] = 1;
    form.at.sums[form.at.places[0]] = rows[row_count - 1].x * scale;
    both[1][threadIdx.x] += 1;
}
C
run "$TUNE" init tables.cu
expect_code 0
for line in '{name: rows, fields: [{pointer: rows_data}], symbol: "rows"}' '{name: rows_data, type: f32, count: 4 * n, fill: random}' \
    '{name: hits, fields: [{pointer: hits_data}], symbol: "hits"}' '{name: hits_data, type: i32, count: n, output: true}' \
    '{name: both, fields: [{pointer: both_data, count: 2}], symbol: "both"}' '{name: both_data, type: f64, count: n, update: true, fill: random}' \
    '{name: form, fields: [{type: i32, value: n}, {type: i32, value: n}, {pointer: form_at_sums}, {pointer: form_at_places}], symbol: "form"}' \
    '{name: form_at_sums, type: f32, count: n, update: true, fill: random}' '{name: form_at_places, type: i32, count: n, fill: {uniform: [0, n - 1]}}' \
    '{name: row_count, type: u32, value: n, symbol: "row_count"}' '{name: scale, type: f32, value: 1, symbol: "scale"}'; do
    drafted "  - $line" tables.yaml
done
! grep -q 'heap' tables.yaml || fail "$(cat tables.yaml)"
run "$TUNE" run --dry-run --arch sm_90 --points 1 tables.yaml
expect_code 0
sed 's/\[{pointer: rows_data}/&, {type: i32, value: 1}/' tables.yaml >longer.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 longer.yaml
expect_code 3
expect_err "argument 'rows' has 16 bytes, and the variable 'rows' only 8$"

# Of a source that does not compile here what the kernel reaches does: nothing of a library of the host's, of headers that
# are not there, of classes with what no device has.
mkdir -p parts
cat >parts/tensor.hpp <<'C'
#pragma once
#include <a_library/of_the_host.hpp>
#include "elsewhere/made_by_the_build.h"
namespace parts {
typedef int index_t;
struct view { float *data; index_t n; };
class tensor : public a_library::buffer<float> {
    a_library::handle handle_;
public:
    virtual ~tensor() = default;
    __device__ float at(index_t i) const { return this->base()[i]; }
    view look() const;
};
__device__ inline float load(const tensor &t, index_t i) { return t.at(i); }
__device__ inline float load(const view &v, index_t i) { return i < v.n ? v.data[i] : 0.0f; }
}
C
printf '#include "tensor.hpp"\n__global__ void scale(parts::view in, float *y, parts::index_t n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = 2.0f * load(in, i);\n}\nvoid go(const parts::tensor &t) { a_library::run(t); }\n' >parts/scale.cu
run "$TUNE" init parts/scale.cu -o reached.yaml
expect_code 0
drafted 'flags: [--only-reached]' reached.yaml
expect_err '^tune: compiled without a_library/of_the_host.hpp, elsewhere/made_by_the_build.h: name their folder'
run "$TUNE" run --dry-run --arch sm_90 --points 1 reached.yaml
expect_code 0
sed -i '/^flags:/d' reached.yaml
run "$TUNE" run --dry-run --arch sm_90 --points 1 reached.yaml
expect_code 3
expect_err "a_library/of_the_host.hpp.*flags: \[--only-reached\]"
sed -i 's/2.0f \* load/2.0f * lode/' parts/scale.cu # its own error stays the compiler's
init_refused 1 'parts/scale.cu\(5\): error: identifier "lode" is undefined' parts/scale.cu

# A using of a host's type in a namespace leaves that namespace alone; functions and operators that macros make of names
# are reached with what they call; what the compiler's options name (--Ofast-compile=max) is not.
cat >parts/sum.cu <<'C'
#include <string>
#include <a_library/of_the_host.hpp>
namespace parts {
class tensor : public a_library::buffer<float> { std::string name; };
}
namespace using_them {
using parts::tensor;
}
namespace parts {
struct couple { float a, b; };
#define ADD(sign) __device__ inline couple operator sign(couple x, couple y) { return {x.a sign y.a, x.b sign y.b}; }
#define TWICE(T) __device__ inline T twice_##T(T x) { return make_##T(x.a) + x; }
__device__ inline couple make_couple(float a) { return {a, a}; }
__device__ inline float max(float a) { return gone(a); }
ADD(+)
TWICE(couple)
__global__ void sum(couple *y) { y[threadIdx.x] = twice_couple(y[blockIdx.x]); }
}
C
run "$TUNE" init parts/sum.cu -o sum.yaml
expect_code 0
drafted 'flags: [--only-reached]' sum.yaml

# Where headers were found is said in one line; of several of one name deep in the project a person chooses.
mkdir -p near/.git near/cuda near/host/code/inc near/common near/a/b/c near/d/e/f
echo '#define SIDE 8' >near/host/code/inc/side.h
echo 'typedef float real;' >near/common/real.h
printf '#include "real.h"\n#include "side.h"\n__global__ void k(real *y) { y[SIDE] = 1; }\n' >near/cuda/k.cu
run "$TUNE" init near/cuda/k.cu -o near.yaml
expect_code 0
expect_err '^tune: found near the source: [^ ]*/near/common \(real.h\), [^ ]*/near/host/code/inc \(side.h\)$'
grep -q '^include: \[".*near/common", ".*near/host/code/inc"\]' near.yaml || fail "$(cat near.yaml)"
echo 'typedef int word;' | tee near/a/b/c/word.h >near/d/e/f/word.h
printf '#include "word.h"\n__global__ void k(word *y) { y[0] = 1; }\n' >near/cuda/w.cu
init_refused 1 'open source file "word.h" .*; several folders have word.h: [^ ]*/near/a/b/c, [^ ]*/near/d/e/f$' near/cuda/w.cu
run "$TUNE" init near/cuda/w.cu -I near/a/b/c -o word.yaml
expect_code 0
