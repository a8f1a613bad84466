#!/bin/bash
# The configuration that serves as reference is no oracle: if no result agrees with it, no winner is chosen, and the
# message tells whether the others agree with one another.
source "$TUNE_TESTS/lib.sh"

cat >sums.c <<'C'
static long long calls;
void sums(const struct tune_block *block, void *const *arguments)
{
    const int *x = arguments[0];
    int *out = arguments[1], t[WIDTH];
    const long long n = *(const long long *)arguments[2];
    int sum = OFFSET + (UNSTEADY ? (int)++calls : 0);
    (void)block;
    for (long long first = 0; first < n; first += WIDTH) {
        for (int i = 0; i < WIDTH; i++)
            t[i] = first + i < n ? x[first + i] : 0;
        for (int step = WIDTH / 2; step > 0; step /= 2)
            for (int i = 0; i < step; i++)
                t[i] += t[i + step];
        sum += t[0];
    }
    out[0] = sum;
}
C
# sums WIDTHS OFFSET UNSTEADY [CHECK]
sums() {
    cat >sums.yaml <<Y
experiment: sums
device: cpu
source: sums.c
sizes: {n: [4096]}
parameters: {width: [$1]}
defines: {WIDTH: width, OFFSET: $2, UNSTEADY: $3}
launches: [{kernel: sums, grid: 1, threads: 1}]
arguments:
  - {name: x, type: i32, count: n, fill: {uniform: [0, 9]}}
  - {name: out, type: i32, count: 1, output: true}
  - {name: n, type: i64, value: n}
${4:-}
Y
    rm -f tune.db tuned.conf
    run "$TUNE" run sums.yaml --device cpu "${steady[@]}"
}
nobody_wins() {
    expect_code 6
    [[ ! -e tuned.conf ]] || fail "tuned.conf was written: $(cat tuned.conf)"
    [[ $(query 'SELECT count(*) FROM winners') -eq 0 ]] || fail "there is a winner"
    expect_err "^tune run: sums n=4096: no result agrees with .*; no winner is chosen\$"
    refuse_err 'nearly sure|budget|no configuration works'
}

# The halves of 96 leave out elements, those of powers of two do not.
sums '96, 64, 128, 160, 256' 0 0
nobody_wins
expect_err "^tune: sums n=4096: no result agrees with that of the default configuration, 'width=96', the reference of all; of the 4 others 3 agree with one another \\('width=[0-9]+', 'width=[0-9]+', 'width=[0-9]+'\\): it may be the one that is wrong"
refuse_err "\\('width=160'|, 'width=160'"
# Again, when all is known.
run "$TUNE" run sums.yaml --device cpu "${steady[@]}"
nobody_wins
# A configuration that the file names.
sums '64, 96, 128, 256' 0 0 'check: {output: out, configuration: {width: 96}}'
nobody_wins
expect_err "no result agrees with that of 'width=96', the reference of all; of the 3 others 3 agree"
# No two results agree; not even two of one configuration.
sums '64, 128, 256' width 0
nobody_wins
expect_err "no result agrees with that of the default configuration, 'width=64', the reference of all, and of the others no two agree: kernels may read data that the file does not describe"
sums '64, 128' 0 1
nobody_wins
expect_err "no result agrees with that of the default configuration, 'width=64', the reference of all, nor does its own second result"

# A parameter that changes no result gives the default company, which most others outnumber.
sed -i 's/OFFSET + /OFFSET + WAY - WAY + /' sums.c
sums '96, 64, 128, 256], way: [1, 2' '0, WAY: way' 0
expect_code 6
[[ ! -e tuned.conf ]] || fail "tuned.conf was written: $(cat tuned.conf)"
expect_err "^tune run: sums n=4096: only 1 of 7 other results agree with that of the default configuration, 'width=96 way=1', the reference of all; of the 6 others 6 agree with one another .*; no winner is chosen\$"
# The file may name it.
sums '96, 64, 128, 256], way: [1, 2' '0, WAY: way' 0 'check: {output: out, configuration: {width: 96, way: 1}}'
expect_code 0
grep -q '^sums n=4096 width=96 ' tuned.conf || fail "not the named one: $(cat tuned.conf)"
sed -i 's/OFFSET + WAY - WAY + /OFFSET + /' sums.c

# One agreeing result is enough, and so is a reference of its own.
sums '64, 96, 160, 128' 0 0
expect_code 0
refuse_err 'nothing agrees'
cat >reference.c <<'C'
void sum_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *x = arguments[0];
    for (long long i = 0; i < *(const long long *)arguments[2]; i++)
        expected[0].integer += x[i];
}
C
sums '96, 64, 160' 0 0 'check: {output: out, reference: sum_reference, source: reference.c}'
expect_code 0
grep -q '^sums n=4096 width=64 ' tuned.conf || fail "not the right one: $(cat tuned.conf)"

# A function with which nobody agrees, though all agree with one another.
sed -i 's/+= x\[i\]/+= x[i] + 1/' reference.c
sums '64, 128, 256' 0 0 'check: {output: out, reference: sum_reference, source: reference.c}'
nobody_wins
expect_err "^tune run: sums n=4096: no result agrees with the reference of the file's 'check'; of the 3 results 3 agree with one another \\('width=[0-9]+', 'width=[0-9]+', 'width=[0-9]+'\\): it may be the one that is wrong; no winner is chosen\$"

# A budget that ends such a search does not hide it.
cat >many.yaml <<'Y'
experiment: many
device: cpu
source: many.c
sizes: {n: [4096]}
parameters: {way: "[i for i in range(1, 3000)]"}
launches:
  - {kernel: many, grid: 1, threads: 1, arguments: [in, out, n, way]}
arguments:
  - {name: in, type: i32, count: n, fill: random}
  - {name: out, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
  - {name: way, type: i64, value: way}
Y
cat >many.c <<'C'
#include <unistd.h>
void many(const struct tune_block *block, void *const *arguments)
{
    (void)block;
    usleep(3000);
    for (long long i = 0; i < *(const long long *)arguments[2]; i++)
        ((int *)arguments[1])[i] = (((const int *)arguments[0])[i] & 1023) + (int)*(const long long *)arguments[3];
}
C
rm -f tune.db* tuned.conf
run "$TUNE" run many.yaml --device cpu --no-report --budget 8s
expect_code 6
expect_err "^tune run: many n=4096: no result agrees with that of the default configuration, 'way=1', the reference of all, and of the others no two agree"
[[ ! -e tuned.conf ]] || fail "written: $(cat tuned.conf)"
