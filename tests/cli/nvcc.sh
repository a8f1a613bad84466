#!/bin/bash
# compiler: nvcc, for sources that NVRTC does not take: names of templates, variables, defines, several
# sources, errors, and a machine without nvcc. As a dry run: no GPU is needed.
source "$TUNE_TESTS/lib.sh"

cp "$TUNE_SOURCE/tests/gpu/language/nvcc.cu" scale.cu
cat >scale.yaml <<'Y'
experiment: scale
source: scale.cu
compiler: nvcc
sizes: {n: [1024]}
parameters: {block: [64, 128]}
defines: {BLOCK: block}
launches:
  - {kernel: "ns::scale<float, 4>", grid: "ceil_div(n, block)", block: block}
arguments:
  - {name: x, type: f32, count: n}
  - {name: y, type: f32, count: n, output: true}
  - {name: a, type: f64, value: 1 / 3}
  - {name: n, type: i32, value: n}
  - {name: taps, type: f32, count: 4, symbol: "ns::taps<4>"}
Y

# ---- what a file may say ----
sed 's/: nvcc/: nvc/' scale.yaml >wrong.yaml
run "$TUNE" run --dry-run wrong.yaml
expect_err "wrong.yaml:3:11: no compiler is named 'nvc'; did you mean 'nvcc'\?"
write_experiment
sed 's/^device: cpu/&\ncompiler: nvcc/' double.yaml >wrong.yaml
run "$TUNE" run --dry-run wrong.yaml
expect_err "'compiler' is of experiments for a GPU"

dry() { run "$TUNE" run --dry-run --arch sm_90 "$@"; }
TUNE_NVCC_PATH=/nowhere/nvcc dry scale.yaml
if grep -q 'built without CUDA' "$captured.err"; then
    echo "skipped: this tune was built without CUDA"
    exit 77
fi
expect_code 4
expect_err "^tune run: 'compiler: nvcc', or a host function, and there is no nvcc that runs: install it"

dry scale.yaml
if grep -q "there is no nvcc" "$captured.err"; then
    echo "skipped: there is no nvcc here"
    exit 77
fi

# ---- what it compiles ----
expect_code 0
expect_out '^      compiled: 2 of these points; binaries: 2; different machine codes: 2;'
# The file's BLOCK, not the source's: 4 * 64 and 4 * 128 bytes.
expect_out '^ +100.0 % +2 +[0-9]+ +256-512 +0 +0$'
[[ -z $(find "$TUNE_CACHE_DIR" -name '*.nvcc.*') ]] || fail "nvcc's files were left"
sed '/^compiler/d' scale.yaml >nvrtc.yaml
dry nvrtc.yaml
expect_code 3
expect_err "does not compile: .*JIT mode \(nvcc takes it: 'compiler: nvcc'\)$"

# ---- what does not compile ----
sed 's/cache\[threadIdx.x\] +/cache[threadIdx.x] ++/' scale.cu >wrong.cu
sed 's/scale.cu/wrong.cu/' scale.yaml >wrong.yaml
dry wrong.yaml
expect_code 3
expect_err '/wrong.cu\(15\): error: '
printf 'extern "C" __global__ void one(float *x) { x[0] = 1; }\n' >one.cu
sed 's/scale.cu/one.cu/; s/"ns::scale<float, 4>"/ones/; /taps/d; /name: [xan],/d' scale.yaml >one.yaml
dry one.yaml
expect_code 3
expect_err "one.cu: no kernel 'ones', did you mean 'one'\?; there is: one"

# ---- several sources ----
cat >first.cu <<'C'
extern __device__ float other(float x);
extern "C" __global__ void both(float *y, int n) { y[threadIdx.x] = other(n); }
C
printf '__constant__ float factor;\n__device__ float other(float x) { return factor * x; }\n' >second.cu
sed 's/source: scale.cu/sources: [first.cu, second.cu]/; s/"ns::scale<float, 4>"/both/; /taps/d; /name: [xa],/d' scale.yaml >both.yaml
printf '  - {name: factor, type: f32, value: 2, symbol: factor}\n' >>both.yaml
dry both.yaml
expect_code 0
expect_out '^      compiled: 2 of these points; binaries: 2; '

# ---- lambdas of the device, and constexpr functions, as NVRTC takes them ----
cat >lambda.cu <<'C'
#include <vector>
constexpr int twice(int x) { return 2 * x; }
template <class F> __global__ void each(float *y, F f) { y[threadIdx.x] = f(threadIdx.x); }
void launch(float *y) { each<<<1, 32>>>(y, [=] __device__(int i) { return twice(i); }); }
__global__ void one(float *y) { y[threadIdx.x] = twice(threadIdx.x); }
C
sed 's/scale.cu/lambda.cu/; s/kernel: [^,]*<float, 4>"/kernel: one/; /name: [xan]/d; /name: taps/d' scale.yaml >lambda.yaml
dry lambda.yaml --points 1
expect_code 0

# ---- a define is a list, which nvcc's own options are, too ----
printf '__global__ void one(float *y) { const int sizes[] = {BLOCK}; y[threadIdx.x] = sizes[1]; }\n' >list.cu
sed "s/lambda.cu/list.cu/; s/^defines: .*/defines: {BLOCK: \"'32, 64'\"}/" lambda.yaml >list.yaml
dry list.yaml --points 1
expect_code 0

# ---- what the environment tells nvcc, and the compiler behind it, makes another binary; search paths alone do not ----
binaries() { find "$TUNE_CACHE_DIR" -name '*.bin' | wc -l; }
before=$(binaries)
for name in NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS CPATH; do
    run env "$name=-DBY_$name=1" "$TUNE" run --dry-run --arch sm_90 --points 1 list.yaml
    expect_code 0
done
[[ $(binaries) -eq $((before + 3)) ]] || fail "$(($(binaries) - before)) new binaries of three environments"
PATH=$PATH:/nowhere dry list.yaml --points 1
expect_code 0
[[ $(binaries) -eq $((before + 3)) ]] || fail "another PATH made another binary"

# ---- T1 ----
cat >t1.json <<'J'
{"ConfigurationSpace": {"TuningParameters": [{"Name": "block_size_x", "Values": "[64, 128]", "Default": 64}]},
 "KernelSpecification": {"Language": "CUDA", "Compiler": "NVCC", "CompilerOptions": ["-O3", "--expt-relaxed-constexpr"],
  "KernelName": "one", "KernelFile": "one.cu", "ProblemSize": [1024],
  "Arguments": [{"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 1024}]}}
J
run "$TUNE" run t1.json --show-experiment
expect_code 0
expect_out '^compiler: nvcc'
expect_out '^  - "--expt-relaxed-constexpr"|^flags: \["--expt-relaxed-constexpr"\]'
expect_err "ignored: .*-O3"
dry t1.json
expect_code 0

# ---- tune init: of a value that NVRTC would compute where the program starts ----
sed -i 's/^template <typename T, int B> __global__/static const float WHOLE = 2.0f;\nstatic const float HALF = 1.0f \/ WHOLE;\n&/; s/a \* x\[i\])/a * x[i] * 2 * HALF)/' scale.cu
TUNE_NVCC_PATH=/nowhere/nvcc run "$TUNE" init scale.cu --kernel 'ns::scale<float, 4>' -o drafted.yaml
expect_code 1
expect_err "nvcc takes it"
run "$TUNE" init scale.cu --kernel 'ns::scale<float, 4>' -o asked.yaml
expect_code 0
grep -q '^compiler: nvcc  # ?' asked.yaml || fail "nvcc was not asked where NVRTC does not take the source"
run "$TUNE" init scale.cu --kernel 'ns::scale<float, 4>' -o drafted.yaml --compiler nvcc
expect_code 0
grep -qx 'compiler: nvcc' drafted.yaml || fail "the experiment does not say its compiler"
dry drafted.yaml --points 2
expect_code 0
run "$TUNE" init scale.cu -o other.yaml --compiler gcc
expect_code 2

# ---- an NVRTC that lacks functions ends the dry run, whose check and points wait for the same binary ----
mkdir old
echo 'int nvrtcVersion(void) { return 0; }' >old.c
"${CC:-cc}" -shared -fPIC old.c -o old/libnvrtc.so
printf '__global__ void add(const float *a, float *b, int n)\n{\n    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n        b[i] = a[i];\n}\n' >add.cu
run "$TUNE" init add.cu
expect_code 0
TUNE_NVRTC_PATH=$PWD/old run timeout 60 "$TUNE" run --dry-run --arch sm_90 add.yaml
expect_code 4
expect_err 'libnvrtc.so lacks .*: it is too old'
