#!/bin/bash
# A reference that takes seconds is computed once for a problem, not for each kind of inputs and each process; its
# results are compared all the same.
source "$TUNE_TESTS/lib.sh"
unset TUNE_WATCH_MS # even slow comparisons are many

cat >slow.yaml <<'Y'
experiment: slow
about: A copy whose reference takes its time.
device: cpu
source: slow.c
sizes: {n: [1000]}
parameters: {way: [right, wrong]}
defines: {WRONG: 1 if way == "wrong" else 0}
launches: [{kernel: copy, grid: 1, threads: 1, arguments: [in, out, n]}]
arguments:
  - {name: in, type: i32, count: n, fill: random}
  - {name: out, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
check: {reference: copy_reference, source: copy_reference.c, output: out, tolerance: 0}
metrics: {bytes: 8 * n}
Y
cat >slow.c <<'C'
void copy(const struct tune_block *block, void *const *arguments)
{
    const int *in = arguments[0];
    int *out = arguments[1];
    (void)block;
    for (long long i = 0; i < *(const long long *)arguments[2]; i++)
        out[i] = in[i];
    out[0] ^= WRONG;
}
C
# tune_with SECONDS: with a reference of that long; $calls: how often it was made at n = 1000.
tune_with() {
    cat >copy_reference.c <<C
#include <stdio.h>
int usleep(unsigned);
void copy_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    const long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n; i++)
        expected[i].integer = in[i];
    if (n != 1000)
        return;
    FILE *file = fopen("$PWD/calls", "a");
    fputs("x", file);
    fclose(file);
    for (int i = 0; i < 10 * $1; i++)
        usleep(100000);
}
C
    rm -rf calls tune.db tuned.conf
    run "$TUNE" run slow.yaml --device cpu "${steady[@]}"
    expect_code 0
    expect_err ' 1 failed'
    grep -q 'way=right' tuned.conf || fail "not the right one"
    [[ $(query "SELECT compared > 100 FROM winners") == 1 ]] || fail "compared: $(query "SELECT compared FROM winners")"
    calls=0
    [[ ! -e calls ]] || calls=$(wc -c <calls)
}
tune_with 0
quick=$calls
tune_with 4
[[ $calls -eq $((quick - 1)) ]] || fail "$calls calls of a slow reference, $quick of a quick one"

# Its results are cached for the next run, whole or not at all; a quick reference is computed again.
tune_with 0.1
first=$calls
[[ $first -gt 0 ]] || fail "a reference that was never asked"
tune_with 0.1
[[ $calls -eq 0 ]] || fail "$calls calls of a reference whose answers are in the cache"
for kept in "$TUNE_CACHE_DIR"/*.ref; do
    printf 'damaged' | dd of="$kept" bs=1 seek=1000 conv=notrunc status=none
done
tune_with 0.1
[[ $calls -eq $first ]] || fail "$calls calls, not $first, where the cache is damaged"
tune_with 0
[[ $calls -eq $quick ]] || fail "$calls calls of a quick reference, not $quick"
