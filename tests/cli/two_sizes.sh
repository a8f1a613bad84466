#!/bin/bash
# Sizes of several names: each tuple is a problem with its own key; expressions have its numbers.
source "$TUNE_TESTS/lib.sh"
export golden_filter='s/^(.*\.yaml\)) on .*/\1 on SOME/' # the machine

cat >outer.c <<'C'
void outer(const struct tune_block *block, void *const *arguments)
{
    const float *x = arguments[0], *y = arguments[1];
    float *out = arguments[2];
    const int m = *(const int *)arguments[3], n = *(const int *)arguments[4];
    for (long long i = block->index * ROWS; i < (block->index + 1) * ROWS && i < m; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = x[i] * y[j];
}
C
cat >reference.c <<'C'
void outer_reference(void *const *arguments, struct tune_expected *expected)
{
    const float *x = arguments[0], *y = arguments[1];
    const int m = *(const int *)arguments[3], n = *(const int *)arguments[4];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            expected[(long long)i * n + j].real = x[i] * y[j];
}
C
cat >outer.yaml <<'Y'
experiment: outer
device: cpu
source: outer.c
axes: {type: [f32]}
sizes:
  "m, n": [[64, 2**10], [1024, 64], [100, 30]]
parameters:
  rows: [1, 4, 16, 32]
constraints: [rows <= m]
defines: {ROWS: rows}
launches:
  - {kernel: outer, grid: "ceil_div(m, rows)", threads: 1}
arguments:
  - {name: x, type: "${type}", count: m}
  - {name: y, type: "${type}", count: n}
  - {name: out, type: "${type}", count: m * n, output: true}
  - {name: m_, type: i32, value: m}
  - {name: n_, type: i32, value: n}
check: {output: out, reference: outer_reference, source: reference.c, tolerance: 0}
metrics: {bytes: 4 * (m * n + m + n), operations: m * n}
Y

golden "$TUNE" run outer.yaml --device cpu --dry-run
sed 's/\[100, 30\]/[16, 30]/' outer.yaml >small.yaml
golden "$TUNE" run small.yaml --device cpu --dry-run

# ---- some of them ----
golden "$TUNE" run outer.yaml --device cpu --dry-run --sizes 64x1024,100x30
golden "$TUNE" run outer.yaml --device cpu --dry-run --sizes 1024x1024
run "$TUNE" run outer.yaml --device cpu --dry-run --sizes 4096
expect_code 3

# ---- to the end ----
run "$TUNE" run outer.yaml --device cpu --sizes 64x1024,100x30 "${steady[@]}"
expect_code 0
refuse_err 'finalists are checked at this size alone'
[[ $(query "SELECT min(cases) FROM gauntlets") -gt 7 ]] || fail "not checked at other tuples: $(query 'SELECT * FROM gauntlets')"
grep -qE '^outer.f32 n=[0-9-]+ m@[0-9-]+ rows=[0-9]+ ' tuned.conf || fail "no sizes in tuned.conf: $(cat tuned.conf)"
grep -q '^outer.f32.64x1024' tuned.conf && fail "a tuple is a problem of its own: $(cat tuned.conf)"
# The problem's name has the sizes: no table has a column that is 1 in all rows.
run "$TUNE" show
expect_out '^outer.f32.64x1024$'
refuse_out '^n '
run "$TUNE" show --top 1
expect_out '^problem +# '
run "$TUNE" show --ties
expect_out '^outer.f32.64x1024: 1 winner'

# Where a configuration may be used is told over all sizes.
sed 's/constraints: .*/constraints: [m % rows == 0, rows * 2 <= n or rows == 1, rows == 4]/' outer.yaml >multiples.yaml
echo 'derived: {work: "ceil_div(m, rows) * n + n % 3"}' >>multiples.yaml
run "$TUNE" run multiples.yaml --device cpu --conf multiples.conf "${steady[@]}"
expect_code 0
grep -qE '^outer.f32 n=30-1024 m@64-1024 rows=4 work=[0-9]+ [|] .*domain="m%4==0&&n>=8"' multiples.conf || fail "no domain: $(cat multiples.conf)"
grep -qF ' formula.work=ceil_div(m,4)*n+n%3' multiples.conf || fail "no formula over both sizes: $(cat multiples.conf)"

# ---- few configurations for the box of all ----
mkdir box
cd box || exit
shapes=64x64x64,64x2048x64,2048x64x2048,2048x2048x2048,192x640x192,640x192x640
run "$TUNE" run "$TUNE_SOURCE/examples/gemm_mnk.yaml" --device null:1 --points 12 --sizes "$shapes" --loss 3% --no-report --conf mnk.conf
expect_code 0
expect_err 'ranges? of sizes covers? the 6 measured'
[[ $(query "SELECT count(*) > 0, max(bound) <= 0.03, min(within) = 0.03 FROM ranges WHERE problem_key = 'gemm_mnk'") == "1 1 1" ]] ||
    fail "not within 3 %: $(query 'SELECT * FROM ranges')"
[[ $(query "SELECT count(*) FROM range_checks WHERE measured") -eq 6 ]] || fail "not each tuple is in one box"
[[ $(query "SELECT count(*) > 0 FROM range_checks WHERE NOT measured") -eq 1 ]] || fail "nothing was looked at in between"
cat >boxes.py <<'P'
import itertools, re, sys
boxes = []
for line in open("mnk.conf"):
    sizes = re.match(r"gemm_mnk n=(\S+) m@(\S+) k@(\S+) BM=.* launch.grid=ceil_div\(n,[A-Z]+\),ceil_div\(m,[A-Z]+\) ", line)
    assert sizes or not line.startswith("gemm_mnk"), line
    if sizes:
        boxes.append([(int(x.split("-")[0]), int(x.split("-")[-1])) for x in sizes.groups()])
edges = [sorted({e + d for box in boxes for e in box[i] for d in (-1, 0, 1) if 64 <= e + d <= 2048}) for i in range(3)]
for sizes in itertools.product(*edges):
    holding = sum(all(a <= x <= b for x, (a, b) in zip(sizes, box)) for box in boxes)
    assert holding == 1, (sizes, holding)
P
run python3 boxes.py
expect_code 0
run "$TUNE" show --wide --ranges
expect_out 'other sizes'
# Each line with measured sizes is measured again there; the others are reported.
run "$TUNE" check mnk.conf "$TUNE_SOURCE/examples/gemm_mnk.yaml" --device null:1 --json
[[ $code -eq 0 || $code -eq 7 ]] || fail "exit code $code"
expect_json '{e["problem"].count("x") for e in j if e["time_ns"]}' '{2}'
cd ..

# ---- a kernel that is right at multiples serves these, one that is wrong between the tuples these alone ----
mkdir between
cd between || exit
cp ../reference.c .
sed 's/i < m; i++)/i < m \/ 32 * 32; i++)/' ../outer.c >outer.c
sed -e 's/\[100, 30\]/[96, 96]/' -e 's/rows: .*/rows: [1, 4]/' ../outer.yaml >outer.yaml
for looks in 1 0; do
    rm -f tune.db tuned.conf
    run "$TUNE" run outer.yaml --device cpu "${steady[@]}" --set look_between=$looks
    expect_code 0
    grep -E '^outer.f32 ' tuned.conf | grep -vE 'domain="m%32==0[&"]' && fail "serves other tuples: $(cat tuned.conf)"
    grep -qE '^outer.f32 n=[0-9]+-[0-9]+ m@[0-9]+-' tuned.conf || fail "no box: $(cat tuned.conf)"
done
sed 's/i < m; i++)/i < (m * n == 65536 || m * n == 9216 ? m : m - 1); i++)/' ../outer.c >outer.c
sed -e 's/\[100, 30\]/[96, 96]/' -e 's/rows: .*/rows: [1, 4]/' ../outer.yaml >outer.yaml
for looks in 1 0; do
    rm -f tune.db tuned.conf
    run "$TUNE" run outer.yaml --device cpu "${steady[@]}" --set look_between=$looks
    expect_code 0
    [[ $(grep -c '^outer.f32 ' tuned.conf) -eq 3 && $(grep -cE '^outer.f32 .*domain="m==(64&&n==1024|1024&&n==64|96&&n==96)"' tuned.conf) -eq 3 ]] ||
        fail "serves other tuples: $(cat tuned.conf)"
done
cp tuned.conf before.conf
run "$TUNE" run outer.yaml --device cpu "${steady[@]}"
expect_code 0
cmp tuned.conf before.conf || fail "other domains when all is known"
# Also beside a box of another, which is right everywhere.
sed 's|(m \* n == 65536|(m > 100 \&\& n > 100 \|\| m * n == 65536|' outer.c >some.c
sed -e 's/outer.c/some.c/' -e 's/\[96, 96\]/&, [1024, 1024]/' -e 's/rows: .*/rows: [1, 2]/' \
    -e 's/^constraints: .*/constraints: [(rows == 2) == (m > 100 and n > 100)]/' outer.yaml >some.yaml
rm -f tune.db tuned.conf
run "$TUNE" run some.yaml --device cpu "${steady[@]}"
expect_code 0
[[ $(grep -cE '^outer.f32 .* rows=1 .*domain="m==(64&&n==1024|1024&&n==64|96&&n==96)"' tuned.conf) -eq 3 ]] || fail "a winner is lost: $(cat tuned.conf)"
grep -E '^outer.f32 .* rows=2 ' tuned.conf | grep -qvF 'm==1024&&n==1024' || fail "no box: $(cat tuned.conf)"
# So does one whose constraint has no formula: no tuple is lost in a box.
cp ../outer.c .
sed -i 's/^constraints: .*/constraints: ["int(sqrt(m * n)) % 2 == 0"]/' outer.yaml
rm -f tune.db tuned.conf
run "$TUNE" run outer.yaml --device cpu "${steady[@]}"
expect_code 0
[[ $(grep -cE '^outer.f32 .*domain="m==(64&&n==1024|1024&&n==64|96&&n==96)"' tuned.conf) -eq 3 ]] || fail "tuples are missing: $(cat tuned.conf)"
# Where a budget leaves no time to look between them, the tuples alone are served, until a later run has that time.
cat ../outer.c - >late.c <<'C'
#include <stdlib.h>
#include <unistd.h>
void late(const struct tune_block *block, void *const *arguments)
{
    const int m = *(const int *)arguments[3], n = *(const int *)arguments[4];
    if (!getenv("AWAKE") && m * n != 65536)
        sleep(30);
    outer(block, arguments);
}
C
sed -e 's/^constraints: .*//; s/source: outer.c/source: late.c/; s/kernel: outer/kernel: late/; s/, \[96, 96\]//' -e 's/"ceil_div(m, rows)"/1/' \
    -e 's/ROWS: rows/ROWS: 65536 + rows/' outer.yaml >late.yaml
rm -f tune.db tuned.conf
run "$TUNE" run late.yaml --device cpu "${steady[@]}" --budget 8s
expect_code 0
[[ $(grep -cE '^outer.f32 .*domain="m==(64&&n==1024|1024&&n==64)"' tuned.conf) -eq 2 ]] || fail "unseen tuples are served: $(cat tuned.conf)"
run env AWAKE=1 "$TUNE" run late.yaml --device cpu "${steady[@]}"
expect_code 0
grep -qE '^outer.f32 n=[0-9]+-[0-9]+ m@[0-9]+-' tuned.conf || fail "no box: $(cat tuned.conf)"
grep -q domain= tuned.conf && fail "still confined: $(cat tuned.conf)"
cd ..

# ---- what a file may say ----
for fault in 's/\[100, 30\]/[100]/' 's/\[100, 30\]/100/' 's/\[100, 30\]/[100, 0]/' 's/\[100, 30\]/[64, 1024]/' 's/"m, n"/"m, m"/' \
    's/"m, n"/"m, 2"/' 's/"m, n"/"m, k"/' 's/^  "m, n".*/  m: [1]\n  n: [2]/'; do
    sed "$fault" outer.yaml >wrong.yaml
    golden "$TUNE" run --dry-run wrong.yaml --device cpu
    expect_code 3
done
expect_golden
