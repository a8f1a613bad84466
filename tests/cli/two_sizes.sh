#!/bin/bash
# Sizes of several names: each tuple is a problem, whose key has it; expressions have its numbers.
source "$TUNE_TESTS/lib.sh"

cat >outer.c <<'C'
void outer(const struct tune_block *block, void *const *arguments)
{
    const float *x = arguments[0], *y = arguments[1];
    float *out = arguments[2];
    const int m = *(const int *)arguments[3], n = *(const int *)arguments[4];
    for (long long i = block->index * ROWS; i < (block->index + 1) * ROWS && i < m; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = x[i] * y[j];
}
C
cat >reference.c <<'C'
void outer_reference(void *const *arguments, struct tune_expected *expected)
{
    const float *x = arguments[0], *y = arguments[1];
    const int m = *(const int *)arguments[3], n = *(const int *)arguments[4];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            expected[(long long)i * n + j].real = x[i] * y[j];
}
C
cat >outer.yaml <<'Y'
experiment: outer
device: cpu
source: outer.c
axes: {type: [f32]}
sizes:
  "m, n": [[64, 2**10], [1024, 64], [100, 30]]
parameters:
  rows: [1, 4, 16, 32]
constraints: [rows <= m]
defines: {ROWS: rows}
launches:
  - {kernel: outer, grid: "ceil_div(m, rows)", threads: 1}
arguments:
  - {name: x, type: "${type}", count: m}
  - {name: y, type: "${type}", count: n}
  - {name: out, type: "${type}", count: m * n, output: true}
  - {name: m_, type: i32, value: m}
  - {name: n_, type: i32, value: n}
check: {output: out, reference: outer_reference, source: reference.c, tolerance: 0}
metrics: {bytes: 4 * (m * n + m + n), operations: m * n}
Y

run "$TUNE" run outer.yaml --device cpu --dry-run
expect_code 0
expect_out '^  launches of outer.f32.64x1024, with n = 1, rows=1$'
expect_out '^    outer\(x, y, out, m_, n_\) grid 64 on 1 threads, static$'
expect_out '^    outer.f32.1024x64, n = 1: 4 points, 4 legal$'
sed 's/\[100, 30\]/[16, 30]/' outer.yaml >small.yaml
run "$TUNE" run small.yaml --device cpu --dry-run
expect_out '^    outer.f32.16x30, n = 1: 4 points, 3 legal$'

# ---- some of them ----
run "$TUNE" run outer.yaml --device cpu --dry-run --sizes 64x1024,100x30
expect_code 0
refuse_out '1024x64'
expect_out '^    outer.f32.100x30'
run "$TUNE" run outer.yaml --device cpu --dry-run --sizes 1024x1024
expect_code 3
expect_err 'no problem has a size of --sizes 1024x1024'
run "$TUNE" run outer.yaml --device cpu --dry-run --sizes 4096
expect_code 3

# ---- to the end ----
run "$TUNE" run outer.yaml --device cpu --sizes 64x1024,100x30 "${steady[@]}"
expect_code 0
expect_err 'outer.f32.64x1024: finalists are checked at this size alone, as it has no other$'
grep -qE '^outer.f32 n=[0-9-]+ m@[0-9-]+ rows=[0-9]+ ' tuned.conf || fail "no sizes in tuned.conf: $(cat tuned.conf)"
grep -q '^outer.f32.64x1024' tuned.conf && fail "a tuple is a problem of its own: $(cat tuned.conf)"
run "$TUNE" show
expect_out '^outer.f32.64x1024$'

# ---- what a file may say ----
wrong() { # SED REGEX
    sed "$1" outer.yaml >wrong.yaml
    run "$TUNE" run --dry-run wrong.yaml --device cpu
    expect_code 3
    expect_err "$2"
}
wrong 's/\[100, 30\]/[100]/' 'wrong.yaml:6:.* a size is a list of 2 numbers'
wrong 's/\[100, 30\]/100/' 'a size is a list of 2 numbers'
wrong 's/\[100, 30\]/[100, 0]/' 'a size'
wrong 's/\[100, 30\]/[64, 1024]/' 'this size was given before'
wrong 's/"m, n"/"m, m"/' "the name 'm' is taken by another axis, size"
wrong 's/"m, n"/"m, 2"/' 'must be a name'
wrong 's/"m, n"/"m, k"/' "name 'n' is not defined"
wrong 's/^  "m, n".*/  m: [1]\n  n: [2]/' 'sizes has 2 names|sizes have one name'
