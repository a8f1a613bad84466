#!/bin/bash
# Sizes of several names between and beside the tuned ones: a kernel that is right at multiples alone is tuned beside slower
# general ones, and a program asks at all kinds of tuples, and computes with the answer.
source "$TUNE_TESTS/lib.sh"

cat >rows.c <<'C'
void rows(const struct tune_block *block, void *const *arguments)
{
    const int *in = arguments[0];
    int *out = arguments[1];
    const long long height = *(const long long *)arguments[2], width = *(const long long *)arguments[3];
    const long long first = block->index * width;
    const long long done = IS_SCALAR ? width : RIGHT ? width : width / STEP * STEP;
    for (volatile long long spin = 0; spin < (IS_SCALAR ? 8 * width : 0) + 20 * UNROLL; spin++)
        ;
    for (long long i = 0; i < done && height > 0; i++)
        out[first + i] = 3 * in[first + i];
}
C
cat >rows_reference.c <<'C'
void rows_reference(void *const *arguments, struct tune_expected *expected)
{
    const long long count = *(const long long *)arguments[2] * *(const long long *)arguments[3];
    for (long long i = 0; i < count; i++)
        expected[i].integer = 3 * ((const int *)arguments[0])[i];
}
C
cat >rows.yaml <<'Y'
experiment: rows
device: cpu
source: rows.c
sizes:
  "rows, columns": [[512, 256], [128, 1024], [64, 2048]]
parameters: {way: [wide, scalar], unroll: [1, 2, 3, 4]}
defines: {IS_SCALAR: 1 if way == "scalar" else 0, UNROLL: unroll, STEP: 4, RIGHT: 0}
launches:
  - {kernel: rows, grid: rows, threads: 1}
arguments:
  - {name: in, type: i32, count: rows * columns, fill: {uniform: [0, 1000]}}
  - {name: out, type: i32, count: rows * columns, output: true}
  - {name: height, type: i64, value: rows}
  - {name: width, type: i64, value: columns}
check: {reference: rows_reference, source: rows_reference.c, output: out, tolerance: 0}
metrics: {bytes: 8 * rows * columns}
Y
# The program prints for each tuple its grade and way.
cat >program.c <<'C'
#include <stdio.h>
#include "tuned.h"
int main(int argc, char **argv)
{
    struct tuned_error error;
    struct tuned *tuned = tuned_load(argv[1], &error);
    const struct tuned_device device = {.kind = "cpu", .name = argv[2]};
    static const long long sizes[] = {33, 64, 65, 66, 96, 100, 127, 128, 129, 200, 256, 257, 300, 333, 511, 512, 513, 514, 520};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    if (argc != 3 || !tuned)
        return printf("%s\n", error.text), 1;
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 4 * COUNT; k++) {
            const long long columns = 4 * sizes[k / 4] + (k % 4) * (k % 4);
            const struct tuned_size tuple[] = {{"n", sizes[i]}, {"columns", columns}};
            struct tuned_answer answer;
            const enum tuned_grade grade = tuned_find_sizes(tuned, &device, "rows", sizes[i], tuple, 2, &answer);
            printf("%lld %lld %d %s\n", sizes[i], columns, (int)grade, tuned_text(answer.entry, "way", "none"));
        }
    tuned_free(tuned);
    return 0;
}
C
run "${CC:-cc}" -std=c99 -I"$TUNE_SOURCE/libtuned" program.c "$TUNE_SOURCE/libtuned/tuned.c" -o program
expect_code 0
device_name() {
    sed -n '/^\[cpu "/ { s/^\[cpu "\([^"]*\)".*/\1/p; q }' tuned.conf
}
# [OTHERWISE=WAY] asks CONDITION: the program gets the kernel in its steps where they are right, and elsewhere in the box the other way.
asks() {
    run ./program tuned.conf "$(device_name)"
    expect_code 0
    CONDITION=$1 python3 - "$captured.out" 2>why <<'P' || fail "wrong answers: $(tail -n 1 why) $(cat tuned.conf)"
import os, sys
wide = 0
for line in open(sys.argv[1]):
    rows, columns, grade, way = line.split()
    rows, columns = int(rows), int(columns)
    may = eval(os.environ["CONDITION"])
    inside = 64 <= rows <= 512 and 256 <= columns <= 2048
    wide += way == "wide"
    assert way != "wide" or may, line
    assert not (inside and may) or way == "wide", line
    assert not inside or may or way == os.environ.get("OTHERWISE", way), line
assert wide > 30, wide
P
}
tune_rows() {
    rm -f tune.db* tuned.conf
    run "$TUNE" run rows.yaml --device cpu "${steady[@]}" --set sweep_slower=100 "$@"
    expect_code 0
}
tune_rows
expect_err "^tune: rows.512x256: [1-4] of [1-8] finalists? serves? only some sizes, as 'way=wide .*' where 'columns % 4 == 0': gauntlet: n=[0-9]+x257, "
[[ $(grep -c 'only some sizes' "$captured.err") -eq 1 ]] || fail "said for each tuple"
grep -qE '^rows n=.* way=wide .*domain="columns%4==0"' tuned.conf || fail "no domain: $(cat tuned.conf)"
OTHERWISE=scalar asks 'columns % 4 == 0'
run "$TUNE" show --ranges --wide
expect_out '^rows .* columns%4==0 '
cp tuned.conf before.conf
run "$TUNE" run rows.yaml --device cpu "${steady[@]}" --set sweep_slower=100
expect_code 0
cmp tuned.conf before.conf || fail "other domains when all is known"
# Numbers of both names.
sed -i 's/STEP: 4, RIGHT: 0/STEP: 8, RIGHT: 0/; s/height > 0/(IS_SCALAR || height % 2 == 0)/' rows.yaml rows.c
tune_rows --set look_between=0
grep -qE '^rows n=.* way=wide .*domain="n%2==0&&columns%8==0"' tuned.conf || fail "no domain: $(cat tuned.conf)"
OTHERWISE=scalar asks 'columns % 8 == 0 and rows % 2 == 0'
# A small budget leaves time for these checks.
tune_rows --budget 10s
asks 'columns % 8 == 0 and rows % 2 == 0'
# One that has limits at the ends of the box serves multiples up to these.
cp rows.c steps.c
sed -i 's/width \/ STEP \* STEP/height >= 64 \&\& height <= 512 \&\& width >= 256 \&\& width <= 2048 ? &: 0/' rows.c
tune_rows
asks '64 <= rows <= 512 and 256 <= columns <= 2048 and columns % 8 == 0 and rows % 2 == 0 or grade == "6"'
cp steps.c rows.c
# Another kernel that is wrong elsewhere serves the tuples alone, beside the general ones.
sed -i 's/RIGHT: 0/RIGHT: 0, HERE: 0/' rows.yaml
sed -i 's/width \/ STEP \* STEP/width - (height * width != 131072)/; s/(IS_SCALAR || height % 2 == 0)/1/' rows.c
tune_rows
grep -E '^rows n=.* way=wide ' tuned.conf | grep -vE 'domain="n==[0-9]+&&columns==[0-9]+"' && fail "serves other tuples: $(cat tuned.conf)"
run ./program tuned.conf "$(device_name)"
[[ $(grep -c ' wide$' "$captured.out") -le 4 && $(grep -c ' scalar$' "$captured.out") -gt 500 ]] || fail "not the general one: $(cat tuned.conf)"
# An experiment that promises all sizes has the general ones.
sed -i 's/^device: cpu/device: cpu\nall_sizes: true/' rows.yaml
tune_rows
grep -q 'way=wide' tuned.conf && fail "wins in spite of its failure: $(cat tuned.conf)"
:
