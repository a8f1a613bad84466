#!/bin/bash
# No configuration among equal ones is lost for its first run, which pays for its start: threads that wake, pages and
# code that are fetched. Here each one's first timed run takes much longer than all others, so that this machine's own
# noise does not matter.
source "$TUNE_TESTS/lib.sh"

cat >alike.yaml <<'Y'
experiment: alike
about: Twelve configurations that do the same.
device: cpu
source: alike.c
sizes: {n: [1000]}
parameters: {way: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}
defines: {WAY: way, PAUSE: PAUSE_US}
launches: [{kernel: copy, grid: 1, threads: 1, arguments: [in, out, n]}]
arguments:
  - {name: in, type: i32, count: n, fill: random}
  - {name: out, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
check: {reference: copy_reference, source: copy_reference.c, output: out, tolerance: 0}
metrics: {bytes: 8 * n}
Y
cat >alike.c <<'C'
int usleep(unsigned);
static int calls;
void copy(const struct tune_block *block, void *const *arguments)
{
    const int *in = arguments[0];
    int *out = arguments[1];
    (void)block;
    if (++calls == 2) /* the first that is timed */
        usleep(250000);
    if (PAUSE > 0)
        usleep(PAUSE);
    for (long long i = 0; i < *(const long long *)arguments[2]; i++)
        out[i] = in[i];
}
C
cat >copy_reference.c <<'C'
void copy_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    for (long long i = 0; i < *(const long long *)arguments[2]; i++)
        expected[i].integer = in[i];
}
C

# Short ones in blocks of many runs; and of a millisecond, where a block is one run.
for pause_us in 0 1000; do
    rm -f tune.db tuned.conf
    sed "s/PAUSE_US/$pause_us/" alike.yaml >some.yaml
    run "$TUNE" run some.yaml --device cpu "${steady[@]}" --set sweep_slower=60 --set sweep_blocks=5
    expect_code 0
    # A program beside the test may disturb one or two; a first run that counts would stop all twelve.
    got=$(query "SELECT count(*), sum(n >= 5) >= 10 FROM (SELECT count(s.ordinal) AS n FROM trials t
        LEFT JOIN samples s ON s.trial_id = t.id WHERE t.stage = 'sweep' GROUP BY t.id)")
    [[ $got == '12 1' ]] || fail "pauses of $pause_us us: trials, and whether ten of them have five samples: $got"
done
