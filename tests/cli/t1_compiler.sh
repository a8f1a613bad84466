#!/bin/bash
# T1 files whose kernel decides: constants that are passed and copied, scalars of another type, several overlays.
source "$TUNE_TESTS/lib.sh"

cat >meant.cu <<'C'
__constant__ float d_filter[33 * 33];
/* __global__ void filtered(int a); */
__global__ void filtered(const float *in, float *out, const float *filter, size_t n, const double factor, unsigned k)
{
    out[threadIdx.x] = in[threadIdx.x] * d_filter[0] * filter[0] * n * factor * k;
}
__global__ void copied(const float *in, float *out, size_t n, const double factor, unsigned k)
{
    out[threadIdx.x] = in[threadIdx.x] * d_filter[0] * n * factor * k;
}
C
cat >meant.json <<'J'
{
  "ConfigurationSpace": {"TuningParameters": [{"Name": "block_size_x", "Type": "int", "Values": "[64, 128]"}]},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "filtered", "KernelFile": "meant.cu", "ProblemSize": [1024],
    "Arguments": [
      {"Name": "in", "Type": "int4", "Size": 256, "FillType": "Random", "AccessType": "ReadOnly", "MemoryType": "Vector"},
      {"Name": "out", "Type": "float", "Size": 1024, "AccessType": "WriteOnly", "MemoryType": "Vector"},
      {"Name": "d_filter", "Type": "float", "Size": 225, "FillType": "Random", "AccessType": "ReadOnly",
       "MemoryType": "Vector", "MemType": "Constant"},
      {"Name": "n", "Type": "int32", "FillValue": 1024, "MemoryType": "Scalar"},
      {"Name": "factor", "Type": "float", "FillValue": 0.5, "MemoryType": "Scalar"},
      {"Name": "k", "Type": "int32", "FillValue": 3, "MemoryType": "Scalar"}
    ]
  }
}
J
# Defaults that are no point: the first one instead, and a word about it.
# expect_default KEY: it is the point that a dry run shows; a tune without CUDA shows none.
expect_default() {
    ! grep -q 'built without CUDA' "$captured.err" || return 0
    expect_code 0
    expect_out "$1\$"
}
cat >defaults.json <<'J'
{"ConfigurationSpace": {"TuningParameters": {"block_size_x": {"Default": 96}}}}
J
run "$TUNE" run --dry-run meant.json --overlay defaults.json
expect_err '^meant.json: the defaults are no point of the space: block_size_x = 96 is not among its values; the first point'
expect_default block_size_x=64
cat >defaults.json <<'J'
{"ConfigurationSpace": {"TuningParameters": {"block_size_x": {"Default": 64}}, "Conditions": ["block_size_x > 64"]}}
J
run "$TUNE" run --dry-run meant.json --overlay defaults.json
expect_err "the constraint 'block_size_x > 64' rules them out"
expect_default block_size_x=128

# ---- the compiler's report of the kernel's parameters ----
run "$TUNE" run --dry-run --arch sm_90 --default meant.json
if [[ $code -eq 4 ]] || grep -q 'without CUDA' "$captured.err"; then
    echo "skipped: $(cat "$captured.err")"
    exit 77
fi
expect_code 0
golden "$TUNE" run meant.json --show-experiment
# A kernel whose source lacks the variable gets it as an argument only.
sed '/__constant__/d; s/filtered(/plain(/' meant.cu | grep -v 'copied(' >plain.cu
sed 's/meant.cu/plain.cu/; s/"filtered"/"plain"/' meant.json >plain.json
golden "$TUNE" run plain.json --show-experiment
# One that takes one argument fewer has it copied alone.
echo '{"KernelSpecification": {"KernelName": "copied"}}' >first.json
echo '{"KernelSpecification": {"Arguments": {"n": {"FillValue": -1}}}}' >second.json
golden "$TUNE" run meant.json --show-experiment --overlay first.json
run "$TUNE" run --dry-run --arch sm_90 --default meant.json --overlay first.json
expect_code 0
# A value is converted as in a call; one that the kernel's type cannot have is an error.
golden "$TUNE" run meant.json --show-experiment --overlay first.json --overlay second.json
echo '{"KernelSpecification": {"Arguments": {"k": {"Type": "float", "FillValue": 3.5}}}}' >third.json
golden_refusal "$TUNE" run --dry-run --arch sm_90 --default meant.json --overlay third.json

# expect_type TYPE OPTION PARAMETER TEXT: a scalar of type double gets that type for this parameter of a kernel behind the text.
expect_type() {
    printf '%s\n__global__ void add(float *out, %s) {}\n' "$4" "$3" >typed.cu
    cat >typed.json <<J
{
  "ConfigurationSpace": {"TuningParameters": [{"Name": "X", "Values": "[32, 64]"}], "Conditions": ["X > 32"]},
  "KernelSpecification": {
    "KernelName": "add", "KernelFile": "typed.cu", "GlobalSize": {"X": 1}, "LocalSize": {"X": "X"}, "CompilerOptions": ["$2"],
    "Arguments": [
      {"Name": "out", "Type": "float", "Size": 64, "AccessType": "WriteOnly", "MemoryType": "Vector"},
      {"Name": "k", "Type": "double", "FillValue": 200, "MemoryType": "Scalar"}
    ]
  }
}
J
    run "$TUNE" run typed.json --show-experiment
    expect_code 0
    [[ $(grep -A1 'name: k' "$captured.out" | tail -1) == "    type: $1" ]] || fail "not $1 for $3: $(cat "$captured.out")"
}
echo 'template <class T> struct scalar { typedef T type; };' >typed.h
expect_type f32 -w 'REAL k' $'#define REAL float'
expect_type u8 -w 'const REAL k' $'typedef unsigned char REAL;'
expect_type i64 -w 'scalar<long long>::type k' $'#include "typed.h"'
expect_type f16 -w '__half k' $'#include <cuda_fp16.h>'
expect_type i16 -DNARROW 'REAL k' $'#if defined(NARROW) && X >= 32\nusing REAL = short;\n#else\nusing REAL = float;\n#endif'
# Unknown where the kernel does not compile, or takes no number there.
expect_type f64 -w 'REAL k' ''
expect_type f64 -w 'S k' $'struct S { int a[2]; };'
expect_golden
