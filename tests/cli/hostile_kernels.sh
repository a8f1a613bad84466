# One bad configuration never ends a sweep: kernels that crash, hang, lie, abort or do not compile
# stand among good ones, and the good ones are measured, the bad ones named.
# shellcheck shell=bash
source "$TUNE_TESTS/lib.sh"

cat >copy.c <<'C'
#include <stdlib.h>
#if WAY == 4
this is no C
#endif
void copy(const struct tune_block *block, void *const *arguments)
{
    const int *in = arguments[0];
    int *out = arguments[1];
    const long long n = *(const long long *)arguments[2];
    volatile int spin = 1;
    for (long long i = block->index; i < n; i += block->count)
        out[i] = in[i];
#if WAY == 1
    *(volatile int *)8 = 1; /* a segmentation fault */
#elif WAY == 2
    while (spin)
        ;
#elif WAY == 3
    out[n - 1] ^= 1; /* a wrong result */
#elif WAY == 5
    abort();
#elif WAY == 6
    exit(0); /* ends the process quietly */
#endif
}
C
cat >copy_reference.c <<'C'
void copy_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    const long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n; i++)
        expected[i].integer = in[i];
}
C
cat >copy.yaml <<'Y'
experiment: copy
about: Copies n elements, in good ways and bad ones.
device: cpu
source: copy.c
axes: {type: [i32]}
sizes: {n: [1000]}
parameters:
  way: [0, 1, 2, 3, 4, 5, 6]
  blocks: [1, 4]
constraints:
  - way in [0, 1, 3] or blocks == 1
defines: {WAY: way}
launches:
  - {kernel: copy, grid: blocks, threads: 1, schedule: static, arguments: [in, out, n]}
arguments:
  - {name: in, type: "${type}", count: n, fill: random}
  - {name: out, type: "${type}", count: n, output: true}
  - {name: n, type: i64, value: n}
check: {reference: copy_reference, source: copy_reference.c, output: out, tolerance: 0}
metrics: {bytes: 2 * n * sizeof(type)}
Y

# The first is given 15 s, as inputs may have to be made; here they are small.
export TUNE_TRIAL_TIMEOUT_MS=5000
run "$TUNE" run ./copy.yaml --device cpu "${steady[@]}"
expect_code 0
expect_file tuned.conf
grep -q 'copy\.i32 n=1000 way=0' tuned.conf || fail "the winner is not a healthy one"

status_of() { # way
    query "SELECT DISTINCT t.status FROM trials t JOIN configurations c ON c.id = t.configuration_id
        WHERE json_extract(c.parameters, '\$.way') = $1"
}
expect_status() { # way status
    local got
    got=$(status_of "$1")
    [[ $got == "$2" ]] || fail "way $1 is '$got', not '$2'"
}
expect_status 0 ok
expect_status 1 crashed
expect_status 2 timed_out
expect_status 3 wrong_result
expect_status 4 compile_failed
[[ $(query "SELECT max(compile_log LIKE '%this is no C%') FROM trials") == 1 ]] || fail "the compiler's log is not kept"
expect_status 5 crashed
expect_status 6 crashed

run "$TUNE" show --wide --failures
expect_code 0
expect_out 'wrong_result.*out\[999\] is'
expect_out 'crashed.*signal 11'
expect_out 'crashed.*signal 6'
expect_out 'compile_failed.*copy\.c'
expect_out 'timed_out.*killed'

# Known failures are not tried again.
run "$TUNE" run ./copy.yaml --device cpu "${steady[@]}"
expect_code 0
expect_err ' 0 failed'
