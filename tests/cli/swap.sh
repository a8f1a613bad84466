#!/bin/bash
# Two vectors that alternate over the repeats of a launch: each repeat reads the result of the one before.
source "$TUNE_TESTS/lib.sh"

cat >relax.c <<'C'
void relax(const struct tune_block *block, void *const *arguments)
{
    const unsigned *from = arguments[0];
    unsigned *to = arguments[1];
    const long long n = *(const long long *)arguments[2];
    for (long long i = block->index * BLOCK; i < (block->index + 1) * BLOCK && i < n; i++)
        to[i] = 3 * from[i] + from[i > 0 ? i - 1 : 0] + LATE;
}
C
cat >reference.c <<'C'
#include <stdlib.h>
void relaxed(void *const *arguments, struct tune_expected *expected)
{
    const long long n = *(const long long *)arguments[2];
    unsigned *now = malloc(n * sizeof *now), *next = malloc(n * sizeof *next);
    for (long long i = 0; i < n; i++)
        now[i] = ((const unsigned *)arguments[0])[i];
    for (int step = 0; step < STEPS; step++) {
        for (long long i = 0; i < n; i++)
            next[i] = 3 * now[i] + now[i > 0 ? i - 1 : 0];
        unsigned *other = now;
        now = next, next = other;
    }
    for (long long i = 0; i < n; i++)
        expected[i].integer = (int)now[i];
    free(now);
    free(next);
}
C
write_relax() { # STEPS OUTPUT TURNS
    cat >relax.yaml <<Y
experiment: relax
device: cpu
source: relax.c
sizes: {n: [3000]}
parameters: {block: [500, 1000], late: [0, 1]}
defines: {BLOCK: block, LATE: late}
launches:
  - {kernel: relax, grid: "ceil_div(n, block)", threads: 1, repeat: $1$3}
arguments:
  - {name: a, type: i32, count: n, update: true}
  - {name: b, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
check: [{output: $2, reference: relaxed, source: reference.c, defines: {STEPS: $1}}, {unchecked: [$4]}]
Y
}
outcomes() {
    query "SELECT json_extract(c.parameters, '\$.late'), t.status, count(*)
        FROM trials t JOIN configurations c ON c.id = t.configuration_id WHERE t.stage = 'sweep' GROUP BY 1, 2 ORDER BY 1, 2"
}
for steps in 3 4; do
    output=$([[ $((steps % 2)) -eq 0 ]] && echo a b || echo b a)
    write_relax "$steps" "${output% *}" ', swap: [a, b]' "${output#* }"
    rm -rf tune.db* tuned.conf
    run "$TUNE" run relax.yaml --device cpu "${steady[@]}"
    expect_code 0
    [[ $(outcomes | tr '\n' ' ') == '0 ok 2 1 wrong_result 2 ' ]] || fail "$steps steps: $(outcomes)"
done
run "$TUNE" run relax.yaml --device cpu --dry-run
expect_out '^    relax\(a, b, n\) grid 6 on 1 thread, static, 4 times, a and b in turn$'
write_relax 3 b '' a # each repeat does the same
rm -rf tune.db* tuned.conf
run "$TUNE" run relax.yaml --device cpu "${steady[@]}"
expect_code 6

wrong() { # SWAP [SED]
    write_relax 3 b ", swap: $1" a
    sed -i "${2:-}" relax.yaml
    golden_refusal "$TUNE" run relax.yaml --device cpu --dry-run
}
wrong '[a, c]'
wrong '[a, n]'
wrong '[a, a]'
wrong '[a]'
wrong '[a, b]' 's/count: n, output/count: n + 1, output/'
wrong '[a, b]' 's/repeat: 3/repeat: 3, arguments: [a, n]/'
expect_golden
