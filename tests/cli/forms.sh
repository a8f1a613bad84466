#!/bin/bash
# Outputs whose type or count depends on a parameter: compared as numbers with any kind of reference, or refused
# in one sentence.
source "$TUNE_TESTS/lib.sh"

cat >tenth.c <<'C'
void tenth(const struct tune_block *block, void *const *arguments)
{
    const float *x = arguments[0];
    REAL *y = arguments[1];
    (void)block;
    for (long long i = 0; i < *(const long long *)arguments[2]; i++)
        y[i] = (REAL)(FACTOR * x[i] + (BAD && i == 700 ? 1 : 0));
}
C
cat >reference.c <<'C'
void tenth_reference(void *const *arguments, struct tune_expected *expected)
{
    const float *x = arguments[0];
    for (long long i = 0; i < *(const long long *)arguments[2]; i++) {
        expected[i].real = x[i] * 0.1;
        expected[i].magnitude = 1;
    }
}
C
# tenth TYPES FACTOR CHECK [FILL]
tenth() {
    cat >tenth.yaml <<Y
experiment: tenth
device: cpu
source: tenth.c
sizes: {n: [1000]}
parameters: {real: [$1], bad: [false, true]}
defines: {REAL: c_type(real), FACTOR: $2, BAD: bad}
launches: [{kernel: tenth, grid: 1, threads: 1}]
arguments:
  - {name: x, type: f32, count: n${4:-}}
  - {name: y, type: "\${real}", count: n, output: true}
  - {name: n, type: i64, value: n}
$3
Y
}
outcomes() {
    query "SELECT json_extract(c.parameters, '\$.real') || ' ' || json_extract(c.parameters, '\$.bad'), min(t.status), max(t.detail)
        FROM trials t JOIN configurations c ON c.id = t.configuration_id WHERE t.stage = 'sweep' GROUP BY 1 ORDER BY 1"
}
# compares WHAT TYPES: those with the mistake are wrong, by its number, and all others are right.
compares() {
    rm -f tune.db
    run "$TUNE" run tenth.yaml --device cpu "${steady[@]}"
    expect_code 0
    outcomes >outcomes.txt
    [[ $(grep -c ' 0 ok' outcomes.txt) -eq 2 ]] || fail "$1: right ones are not right: $(cat outcomes.txt)"
    [[ $(grep -cE ' 1 wrong_result y\[700\] is .*; 1 of 1000 elements is wrong' outcomes.txt) -eq 2 ]] ||
        fail "$1: $(cat outcomes.txt)"
}
for types in 'f64, f32' 'f32, f64'; do
    tenth "$types" 0.1 ''
    compares "$types"
done
for check in 'check: {output: y, configuration: {real: f64, bad: false}, tolerance: 1e-3}' \
    'check: {output: y, reference: tenth_reference, source: reference.c, tolerance: 1e-3}' \
    'check: {output: y, launches: [{kernel: tenth, grid: 1, threads: 1}], tolerance: 1e-3}'; do
    tenth 'f64, f32' 0.1 "$check"
    compares "$check"
done
tenth 'f64, f32' 0.1 'check: {output: y, series: "i * 0.1", relative: 1e-3}' ', fill: {series: i}'
compares 'a series'
tenth 'i32, i64' 10 '' ', fill: {series: i - 500}'
compares 'i32, i64'
# Zeros are zeros in each type, also where memory that was in use before holds the expected values.
tenth 'f64, f32' 0.1 '' ', fill: {series: "8 if i % 50 == 0 else 0"}'
compares zeros
[[ $(query "SELECT count(*) FROM gauntlets WHERE NOT passed") -eq 0 ]] || fail "wrong in a type: $(query "SELECT * FROM gauntlets")"

# A value that does not fit into a type is wrong there, not truncated.
tenth 'i64, i32' 10000000 '' ', fill: {series: i}'
rm -f tune.db
run "$TUNE" run tenth.yaml --device cpu "${steady[@]}"
outcomes >outcomes.txt
grep -qE '^i32 0 wrong_result the expected value of y\[215\] does not fit into i32' outcomes.txt || fail "$(cat outcomes.txt)"

# Reals against integers, and a file, have no answer: said before anything runs.
tenth 'f32, i32' 0.1 ''
golden_refusal "$TUNE" run tenth.yaml --device cpu --dry-run
head -c 8000 /dev/zero >y.bin
tenth 'f32, f64' 0.1 'check: {output: y, file: y.bin}'
golden_refusal "$TUNE" run tenth.yaml --device cpu --dry-run

# Block sums: one for each block. A C function computes each; another configuration does not.
cat >sums.yaml <<'Y'
experiment: sums
device: cpu
source: sums.c
sizes: {n: [4096]}
parameters: {width: [96, 64, 128], bad: [false, true]}
constraints: [not bad or width == 64]
defines: {WIDTH: width, BAD: bad}
launches: [{kernel: sums, grid: ceil_div(n, width), threads: 1}]
arguments:
  - {name: x, type: i32, count: n, fill: {uniform: [0, 9]}}
  - {name: part, type: i32, count: ceil_div(n, width), output: true}
  - {name: n, type: i64, value: n}
  - {name: width, type: i64, value: width}
Y
cat >sums.c <<'C'
void sums(const struct tune_block *block, void *const *arguments)
{
    const int *x = arguments[0];
    int *part = arguments[1];
    const long long n = *(const long long *)arguments[2];
    int sum = BAD && block->index == 5;
    for (long long i = block->index * WIDTH; i < (block->index + 1) * WIDTH && i < n; i++)
        sum += x[i];
    part[block->index] = sum;
}
C
cat >sums_reference.c <<'C'
void sums_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *x = arguments[0];
    const long long n = *(const long long *)arguments[2], width = *(const long long *)arguments[3];
    for (long long i = 0; i < n; i++)
        expected[i / width].integer += x[i];
}
C
golden_refusal "$TUNE" run sums.yaml --device cpu --dry-run
rm -f tune.db
run "$TUNE" run sums.yaml --device cpu "${steady[@]}"
[[ $(query "SELECT count(*) FROM trials WHERE status = 'wrong_result' AND detail LIKE '%has 64 elements here and 43 in%'") -eq 2 ]] ||
    fail "$(query 'SELECT status, detail FROM trials')"
echo 'check: {output: part, reference: sums_reference, source: sums_reference.c}' >>sums.yaml
run "$TUNE" run sums.yaml --device cpu --dry-run
expect_code 0
rm -f tune.db
run "$TUNE" run sums.yaml --device cpu "${steady[@]}"
expect_code 0
query "SELECT json_extract(c.parameters, '\$.width'), json_extract(c.parameters, '\$.bad'), t.status, coalesce(t.detail, '')
    FROM trials t JOIN configurations c ON c.id = t.configuration_id WHERE t.stage = 'sweep' ORDER BY 1, 2" >outcomes.txt
[[ $(grep -c ' 0 ok' outcomes.txt) -eq 3 ]] || fail "$(cat outcomes.txt)"
grep -qE '^64 1 wrong_result part\[5\] is [0-9]+, not [0-9]+; 1 of 64 elements is wrong' outcomes.txt || fail "$(cat outcomes.txt)"
# A function that writes as many elements whatever the configuration is blamed itself, however far behind it writes.
for elements in n/64 1000000; do
    sed "s|.*expected\[i / width\].*||; s|i < n; i|i < $elements; i|" sums_reference.c | sed 's|i++)|i++) expected[i].integer = x[0];|' >many_reference.c
    sed 's/sums_reference.c/many_reference.c/' sums.yaml >many.yaml
    rm -f tune.db
    run "$TUNE" run many.yaml --device cpu "${steady[@]}"
    expect_code 3
    expect_err "^tune run: .*the reference 'sums_reference' writes behind the [0-9]+ elements that 'part' has here; .*$"
    [[ $(query "SELECT count(*) FROM trials WHERE status <> 'ok'") -eq 0 ]] || fail "$(query 'SELECT status, detail FROM trials')"
done
expect_golden
