#!/bin/bash
# Inputs that belong together: a change that detects remembered results is made in all of them or in none; without a
# declaration the inputs are named as the cause, not the kernels.
source "$TUNE_TESTS/lib.sh"

cat >conv.c <<'C'
int c_filter[9];
void conv(const struct tune_block *block, void *const *arguments)
{
    const unsigned *in = arguments[0], *filter = arguments[1];
    unsigned *out = arguments[2];
    const long long n = *(const long long *)arguments[3];
    static unsigned kept[9000];
    static long long known;
    (void)block;
    for (volatile int i = 0; i < SPIN * 200000; i++)
        ;
    for (long long i = 0; i < n; i++) {
        unsigned sum = 0;
        for (int k = 0; k < 9; k++)
            sum += i + k < n ? in[i + k] * (WAY == 1 ? filter[k] : (unsigned)c_filter[k]) : 0;
        out[i] = WAY == 2 && known == n ? kept[i] : sum;
    }
    for (long long i = 0; WAY == 2 && known != n && i < n; i++)
        kept[i] = out[i];
    known = n;
}
C
cat >reference.c <<'C'
#include <stdio.h>
void conv_reference(void *const *arguments, struct tune_expected *expected)
{
    const unsigned *in = arguments[0], *filter = arguments[1];
    const long long n = *(const long long *)arguments[4];
    FILE *file = fopen("FILTER", "wbx"); /* the first is the problem's own */
    if (file)
        fwrite(filter, 4, 9, file), fclose(file);
    for (long long i = 0; i < n; i++) {
        unsigned sum = 0;
        for (int k = 0; k < 9; k++)
            sum += i + k < n ? in[i + k] * filter[k] : 0;
        expected[i].integer = (int)sum;
    }
}
C
sed -i "s|FILTER|$PWD/filter.bin|" reference.c
# conv WAYS FILTER FILTER_TOO: by the variable (0), by the argument (1), with a kept result (2).
conv() {
    cat >conv.yaml <<Y
experiment: conv
device: cpu
source: conv.c
sizes: {n: [4096]}
parameters: {way: [$1], spin: [0, 1]}
defines: {WAY: way, SPIN: spin}
launches:
  - {kernel: conv, grid: 1, threads: 1, arguments: [in, filter, out, n]}
arguments:
  - {name: in, type: i32, count: n}
  - {name: filter, $2}
  - {name: filter_too, $3, symbol: c_filter}
  - {name: out, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
check: {reference: conv_reference, source: reference.c, output: out}
Y
    rm -f tune.db tuned.conf
    run "$TUNE" run conv.yaml --device cpu "${steady[@]}" --set sweep_slower=0.5
}
nobody_is_blamed() {
    expect_code 0
    refuse_err 'is out|belong together'
    grep -q '^conv n=4096 way=0 spin=0 ' tuned.conf || fail "$(cat tuned.conf)"
}
# One seed, or said to be the same: an argument and a variable, which does not change from run to run.
conv 0 'type: i32, count: 9, seed: 7' 'type: i32, count: 9, seed: 7'
nobody_is_blamed
conv 0 'type: i32, count: 9' 'same_as: filter'
nobody_is_blamed
for wrong in "type: i32, same_as: filter|'filter_too' has the data of another argument: no 'type'" \
    'same_as: out|no argument is named' 'same_as: filter_too|same_as names an input or an update that stands before'; do
    conv 0 'type: i32, count: 9' "${wrong%|*}"
    expect_code 3
    expect_err "${wrong#*|}"
done

# Without the declaration all working configurations are wrong on changed inputs alone, and the message
# says so.
rm filter.bin
head -c 36 /dev/zero >other.bin
conv 0 'type: i32, count: 9' 'type: i32, count: 9, fill: {file: other.bin}'
cp filter.bin other.bin
conv 0 'type: i32, count: 9' 'type: i32, count: 9, fill: {file: other.bin}'
expect_code 0
expect_err 'conv n=4096: results are right on the file.s inputs and wrong on inputs with a few changed elements: arguments belong together in a way that the file does not describe .*No configuration is rejected for it'
grep -q '^conv n=4096 way=0 spin=0 ' tuned.conf || fail "$(cat tuned.conf)"
# Also from stored results.
run "$TUNE" run conv.yaml --device cpu "${steady[@]}" --set sweep_slower=0.5 --effort normal --set confirm_processes=2 --set confirm_rounds=3
expect_code 0
# A kernel that keeps its result is out if others are right on changed inputs, even slower ones that are no
# finalists.
conv '2, 1' 'type: i32, count: 9' 'same_as: filter'
expect_code 0
refuse_err 'belong together'
grep -q '^conv n=4096 way=1 ' tuned.conf || fail "what is kept wins: $(cat tuned.conf)"

# If no input can be changed, a message says so: in the run, by show, and in the file.
conv 0 'type: i32, count: 9' 'same_as: filter'
expect_code 0
refuse_err 'inputs are alike'
! grep -q 'inputs=' tuned.conf || fail "$(cat tuned.conf)"
run "$TUNE" show --trust --json
expect_json 'j["winners"][0]["inputs"]' changed
sed -i 's/{name: in, type: i32, count: n}/{name: in, type: i32, count: n, fill: {series: "i % 77"}}/; s/filter, type: i32, count: 9}/filter, type: i32, count: 9, fill: {constant: 3}}/' conv.yaml
rm -f tune.db tuned.conf
run "$TUNE" run conv.yaml --device cpu "${steady[@]}"
expect_code 0
expect_err 'conv n=4096: its inputs are alike in all runs, since none is drawn at random: a kernel that keeps its result'
grep -q ' inputs=alike' tuned.conf || fail "$(cat tuned.conf)"
run "$TUNE" show --trust --json
expect_json 'j["winners"][0]["inputs"]' alike
run "$TUNE" show --wide --trust
expect_out 'alike'
