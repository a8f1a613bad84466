#!/bin/bash
# The compiler as a parameter: flags with values of parameters, under conditions, and with files, whose contents count.
# Each is compiled, verified and raced; the source is unchanged.
source "$TUNE_TESTS/lib.sh"
export TUNE_CACHE_DIR=$PWD/cache
cat >twice_cpu.c <<'C'
#ifndef FACTOR
#define FACTOR 2
#endif
void twice(const struct tune_block *block, void *const *arguments)
{
    const float *in = arguments[0];
    float *out = arguments[1];
    (void)block;
    for (int i = 0; i < 4096; i++)
        out[i] = FACTOR * in[i];
}
C
echo '#define FACTOR 2.0f' >two.h
echo '#define FACTOR 3' >three.h
cat >twice.yaml <<'Y'
experiment: twice
device: cpu
source: twice_cpu.c
sizes: {n: [4096]}
parameters:
  level: [0, 2, 3]
  fast: [false, true]
  header: [none, two, three]
constraints:
  - n == 4096
  - header == "none" or level == 2
flags:
  - "-O${level}"
  - {flag: -ffast-math, when: fast}
  - {flag: -include, file: "${header}.h", when: header != "none"}
launches:
  - {kernel: twice, grid: 1, threads: 1, arguments: [in, out]}
arguments:
  - {name: in, type: f32, count: n, fill: random}
  - {name: out, type: f32, count: n, output: true}
Y
run "$TUNE" run twice.yaml --device cpu "${steady[@]}"
expect_code 0
tried() { query "SELECT count(*) FROM trials AS t JOIN configurations AS c ON c.id = t.configuration_id
    WHERE t.stage = 'sweep' AND $1"; }
# Six without a header, two of each; the results with another header are wrong.
[[ $(tried "t.status IN ('ok', 'wrong_result') OR t.same_as_trial_id IS NOT NULL") -eq 10 ]] || fail "not all are measured: $(query "SELECT c.key, t.status, t.detail FROM trials AS t JOIN configurations AS c ON c.id = t.configuration_id")"
[[ $(tried "t.status = 'wrong_result' AND c.parameters ->> 'header' = 'three'") -ge 1 ]] || fail "a wrong header passes"
[[ $(tried "t.status = 'wrong_result' AND c.parameters ->> 'header' <> 'three'") -eq 0 ]] || fail "a right one does not"

# The same command measures nothing again; after a change of the file its configurations are measured
# again.
run "$TUNE" run twice.yaml --device cpu "${steady[@]}"
expect_err ', 0 trials \('
echo '#define FACTOR (1 + 1)' >three.h
run "$TUNE" run twice.yaml --device cpu "${steady[@]}"
refuse_err ', 0 trials \('
[[ $(tried "t.status = 'wrong_result'") -eq 0 ]] || fail "what was wrong before the change stays"

sed -i 's/-include, file: .*/-include, file: "${header}.hpp", when: header != "none"}/' twice.yaml
run "$TUNE" run twice.yaml --device cpu "${steady[@]}"
expect_code 0
run "$TUNE" show --failures --csv
expect_out "twice.yaml:[0-9]+:[0-9]+: there is no file 'two.hpp' in the folder of this file"
sed -i 's/{flag: -ffast-math, when: fast}/{flag: -ffast-math, if: fast}/' twice.yaml
run "$TUNE" run twice.yaml --device cpu
expect_err "'if'"

# Fast arithmetic adds in another order: it is faster, and by how much its results are off is told.
mkdir fast && cd fast || exit
cat >sum_cpu.c <<'C'
void sum(const struct tune_block *block, void *const *arguments)
{
    const float *in = arguments[0];
    float *out = arguments[1], sum = 0;
    (void)block;
    for (int i = 0; i < 4096; i++)
        sum += in[i] * in[i];
    out[0] = sum;
}
C
cat >sum.yaml <<'Y'
experiment: sum
device: cpu
source: sum_cpu.c
sizes: {n: [4096]}
parameters: {fast: [false, true]}
defaults: {fast: false}
flags: [-O3, {flag: -ffast-math, when: fast}]
launches: [{kernel: sum, grid: 1, threads: 1, arguments: [in, out]}]
arguments:
  - {name: in, type: f32, count: n, fill: random}
  - {name: out, type: f32, count: 1, output: true}
check: {output: out, configuration: default, tolerance: 1e-3}
Y
run "$TUNE" run sum.yaml --device cpu "${steady[@]}"
[[ $(query "SELECT c.parameters ->> 'fast', t.deviation > 0 FROM trials AS t JOIN configurations AS c ON c.id = t.configuration_id
    WHERE t.stage = 'sweep' ORDER BY 1") == $'0 0\n1 1' ]] || fail "results are not told apart by size"
run "$TUNE" show --top 2 --wide
expect_out '  off by  '
run "$TUNE" show
expect_out "^results: of sum n=4096 they differ from the expected ones by up to [0-9.e-]+, the baseline's by 0"
