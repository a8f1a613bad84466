# An own kernel: vectors that are read and written, a struct, variables, repeated launches, two sources
# and a folder for includes; results compared with a function, another kernel, another configuration, a
# series and a file, within each tolerance. Wrong results are found each time.
# shellcheck shell=bash
source "$TUNE_TESTS/lib.sh"
export TUNE_CEILING_BYTES=0 # many new databases, none of them for its ceilings

mkdir -p include
cat >include/step.h <<'C'
#pragma once
struct step {
    signed char sign;
    float factor;
    short skip;
    long long n;
};
float weighted(float x, const struct step *step, long long i);
C
cat >weighted.c <<'C'
#include <step.h>
float weights[4];
float weighted(float x, const struct step *step, long long i)
{
    return WAY == 2 ? step->factor * x : step->factor * x + weights[i % 4];
}
void all_at_once(const struct tune_block *block, void *const *arguments)
{
    const float *x = arguments[0];
    float *v = arguments[1], *out = arguments[2];
    const struct step *step = arguments[3];
    for (long long i = block->index; i < step->n; i += block->count) {
        v[i] += 3 * (step->sign * (step->factor * x[i] + weights[i % 4]));
        out[i] = 2 * v[i] + step->skip;
    }
}
C
cat >step.c <<'C'
#include "step.h"
void step(const struct tune_block *block, void *const *arguments)
{
    const float *x = arguments[0];
    float *v = arguments[1], *out = arguments[2];
    const struct step *step = arguments[3];
    for (long long i = block->index; i < step->n; i += block->count) {
        v[i] += (WAY == 1 ? 1 : step->sign) * weighted(x[i], step, i);
        out[i] = 2 * v[i] + (WAY == 3 ? 0 : step->skip);
    }
#if WAY == 4
    v[step->n - 1] += 1;
#elif WAY == 5
    v[step->n] = 0; /* behind its end */
#endif
}
C
cat >step_reference.c <<'C'
struct step {
    signed char sign;
    float factor;
    short skip;
    long long n;
};
static float left(void *const *arguments, long long i)
{
    const float *x = arguments[0], *v = arguments[1], *weights = arguments[4];
    const struct step *step = arguments[3];
    return v[i] + 3 * (step->sign * (step->factor * x[i] + weights[i % 4]));
}
void v_reference(void *const *arguments, struct tune_expected *expected)
{
    for (long long i = 0; i < ((const struct step *)arguments[3])->n; i++)
        expected[i].real = left(arguments, i);
}
void out_reference(void *const *arguments, struct tune_expected *expected)
{
    const struct step *step = arguments[3];
    for (long long i = 0; i < step->n; i++)
        expected[i].real = 2 * left(arguments, i) + step->skip;
}
C

# write_step NAME CHECK [EXTRA]: the experiment NAME with these checks.
write_step() {
    cat >"$1.yaml" <<Y
experiment: $1
about: Moves a vector on by steps.
device: cpu
sources: [step.c, weighted.c]
include: [include]
sizes: {n: [1000]}
parameters:
  way: ${3:-[0, 1, 2, 3, 4, 5]}
  blocks: [1, 3]
defines: {WAY: way}
launches:
  - {kernel: step, grid: blocks, threads: 1, repeat: 3, arguments: [x, v, out, step]}
arguments:
  - {name: x, type: f32, count: n, fill: random_exact, seed: 7}
  - {name: v, type: f32, count: n, update: true, fill: {series: "i % 7 - 3"}}
  - {name: out, type: f32, count: n, output: true}
  - name: step
    fields:
      - {type: i8, value: -1}
      - {type: f32, value: 0.5}
      - {type: i16, value: 1 + 4}
      - {type: i64, value: n}
  - {name: weights, type: f32, count: 4, symbol: weights, fill: {series: "i + 1"}}
check: $2
Y
}
tune() { # experiment
    rm -f tune.db tuned.conf
    run "$TUNE" run "./$1.yaml" --device cpu "${steady[@]}"
    expect_code 0
}
status_of() { # condition on parameters, by json_extract(p, '$.NAME') as p.NAME
    query "SELECT DISTINCT t.status FROM trials t JOIN configurations c ON c.id = t.configuration_id WHERE $1"
}
expect_status() { # parameter value status
    local got
    got=$(status_of "json_extract(c.parameters, '\$.$1') = $2")
    [[ $got == "$3" ]] || fail "$experiment: $1=$2 is '$got', not '$3'"
}
expect_faults() { # every way but the first is wrong; way 5 is found by guard bands, if it comes so far
    expect_status way 0 ok
    for way in 1 2 3 4; do expect_status way "$way" wrong_result; done
    grep -q "step=\|n=1000 way=0" tuned.conf || fail "$experiment: the winner is not a right one"
}

# ---- against a function, both outputs ----
experiment=by_function
write_step $experiment '
  - {reference: v_reference, source: step_reference.c, output: v}
  - {reference: out_reference, source: step_reference.c, output: out}'
tune $experiment
expect_faults
[[ $(query "SELECT (SELECT count(*) FROM ceilings) + (SELECT count(*) FROM arithmetic_ceilings)") -eq 0 ]] ||
    fail "ceilings that nobody wanted"
run "$TUNE" show --wide --failures
expect_out 'wrong_result.*v\[[0-9]+\] is .*, not .*elements are wrong, the largest difference'
expect_out 'wrong_result.*out\[[0-9]+\] is '

# ---- against another kernel of the same sources ----
experiment=by_kernel
kernel='{kernel: all_at_once, grid: 1, threads: 1, arguments: [x, v, out, step]}'
write_step $experiment "
  - {output: v, launches: [$kernel], absolute: 1e-4}
  - {output: out, launches: [$kernel], absolute: 1e-4}" '[0, 1, 3, 4, 5]'
tune $experiment
for way in 1 3 4; do expect_status way "$way" wrong_result; done
expect_status way 0 ok

# ---- against a configuration; with no check at all, against the default one ----
experiment=by_configuration
write_step $experiment '[{output: out, configuration: {way: 0, blocks: 1}}, {output: v, configuration: default}]'
tune $experiment
expect_faults
experiment=by_default
write_step $experiment '{}'
sed -i '/^check:/d' by_default.yaml
tune $experiment
expect_faults

# ---- against a series and a file, with inputs that they know ----
experiment=by_series
cat >known.sed <<'S'
s/fill: random_exact, seed: 7/fill: {constant: 4}/
S
write_step $experiment '
  - {output: v, series: "i % 7 - 3 - 3 * (2 + i % 4 + 1)"}
  - {output: out, series: "2 * (i % 7 - 3 - 3 * (2 + i % 4 + 1)) + 5"}'
sed -i -f known.sed by_series.yaml
tune $experiment
expect_faults

experiment=by_file
python3 - <<'P'
import array
v = [i % 7 - 3 - 3 * (2 + i % 4 + 1) for i in range(1000)]
array.array("f", v).tofile(open("v.bin", "wb"))
array.array("f", [2 * x + 5 for x in v]).tofile(open("out.bin", "wb"))
array.array("f", [4] * 1000).tofile(open("x.bin", "wb"))
array.array("f", [4] * 999).tofile(open("short.bin", "wb"))
P
write_step $experiment '[{output: v, file: v.bin}, {output: out, file: out.bin}]'
sed -i 's/fill: random_exact, seed: 7/fill: {file: x.bin}/' by_file.yaml
tune $experiment
expect_faults
expect_err 'other sizes only where its files have data'

sed -i 's/x.bin/short.bin/' by_file.yaml
golden "$TUNE" run ./by_file.yaml --device cpu "${steady[@]}"

# ---- what writes beside a vector that it may write to ----
experiment=beside
write_step $experiment '{output: out, reference: out_reference, source: step_reference.c}' '[5]'
rm -f tune.db
run "$TUNE" run ./beside.yaml --device cpu "${steady[@]}"
expect_err "is out: gauntlet: .*'v' of .* bytes was written behind its end"

# ---- variables that are not there, or are others: the experiment is wrong, and the run ends ----
experiment=symbols
write_step $experiment '{}'
sed -i '/^check:/d; s/symbol: weights/symbol: no_weights/' symbols.yaml
golden_refusal "$TUNE" run ./symbols.yaml --device cpu "${steady[@]}"
sed -i 's/symbol: no_weights/symbol: weights/; s/f32, count: 4,/f32, count: 5,/' symbols.yaml
golden_refusal "$TUNE" run ./symbols.yaml --device cpu "${steady[@]}"

# ---- what a kernel leaves in variables: poisoned or restored before each check, and compared ----
experiment=marks
cat >marks.c <<'C'
float marks[1500];
long long total;
void mark(const struct tune_block *block, void *const *arguments)
{
    const float *x = arguments[0];
    const long long n = *(const long long *)arguments[1];
    if (block->index == 0)
        total += WAY == 1 ? 2 : 1;
    for (long long i = block->index; i < n; i += block->count)
        if (WAY != 2 || i != 3)
            marks[i] = WAY == 3 && i == 5 ? 0 : 2 * x[i];
}
C
cat >marks.yaml <<'Y'
experiment: marks
device: cpu
source: marks.c
sizes: {n: [1000]}
parameters: {way: [0, 1, 2, 3], blocks: [1, 3]}
defines: {WAY: way}
launches: [{kernel: mark, grid: blocks, threads: 1}]
arguments:
  - {name: x, type: f32, count: n, fill: {series: "i + 1"}}
  - {name: n, type: i64, value: n}
  - {name: marks, type: f32, count: n, output: true, symbol: marks}
  - {name: total, type: i64, count: 1, update: true, symbol: total, fill: {constant: 5}}
check:
  - {output: marks, series: 2 * (i + 1)}
  - {output: total, series: "6"}
Y
tune $experiment
expect_faults_of() { # the ways that are wrong
    expect_status way 0 ok
    for way in "$@"; do expect_status way "$way" wrong_result; done
}
expect_faults_of 1 2 3
run "$TUNE" show --wide --failures
expect_out 'wrong_result.*total\[0\] is 7, not 6'
expect_out 'wrong_result.*marks\[3\] is -?[0-9.e+-]+, not 8'
sed -i '/^check:/,$d' marks.yaml # against the default configuration
tune $experiment
expect_faults_of 1 2 3
sed -i 's/count: n, output/count: 1501, output/' marks.yaml
golden_refusal "$TUNE" run ./marks.yaml --device cpu "${steady[@]}"

# ---- tolerances ----
cat >near.c <<'C'
void near(const struct tune_block *block, void *const *arguments)
{
    ELEMENT *out = arguments[0];
    const double off = *(const double *)arguments[1];
    const long long n = *(const long long *)arguments[2];
    (void)block;
    for (long long i = 0; i < n; i++)
        out[i] = (ELEMENT)(i == n / 2 ? 1000 + off : 1000);
}
C
# expect_near TYPE TOLERANCE RIGHT... / WRONG...: offsets from 1000, of one element of 100.
expect_near() {
    local type=$1 tolerance=$2 expected=ok right=() wrong=()
    shift 2
    experiment="near ($type, $tolerance)"
    for offset in "$@"; do
        if [[ $offset == / ]]; then expected=wrong; elif [[ $expected == ok ]]; then right+=("$offset"); else wrong+=("$offset"); fi
    done
    cat >near.yaml <<Y
experiment: near
device: cpu
source: near.c
parameters:
  off: [$(IFS=,; echo "${right[*]},${wrong[*]}")]
defines: {ELEMENT: c_type("$type")}
launches: [{kernel: near, grid: 1, threads: 1}]
arguments:
  - {name: out, type: $type, count: 100, output: true}
  - {name: off, type: f64, value: off}
  - {name: n, type: i64, value: 100}
check: {output: out, series: "1000"$tolerance}
Y
    tune near
    for offset in "${right[@]}"; do expect_status off "$offset" ok; done
    for offset in "${wrong[@]}"; do expect_status off "$offset" wrong_result; done
}
expect_near i32 '' 0 / 1 -1
expect_near i32 ', absolute: 2' 0 2 -2 / 3 -3
expect_near i32 ', relative: 0.01' 10 -10 / 11 -11
expect_near f32 '' 0 / 0.0001
expect_near f32 ', tolerance: 1e-3' 0.9 -0.9 / 1.1 -1.1
expect_near f64 ', absolute: 0.25' 0.25 -0.25 / 0.251
expect_near f32 ', relative: 1e-3' 0.99 / 1.01
expect_near f32 ', ulps: 2' 0.0001220703125 -0.0001220703125 / 0.00018310546875
expect_near f64 ', absolute: 0.25, relative: 1e-3' 0.99 / 1.01
expect_near f64 ', total: 0.5' 0.5 / 0.51
expect_golden
