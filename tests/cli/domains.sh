#!/bin/bash
# Where a configuration may be used: as constraints say it, and as checks found it. tuned.conf has it, libtuned keeps to
# it, `show --ranges` tells it; a launch is known at all sizes, or why it is not.
source "$TUNE_TESTS/lib.sh"

cat >ask.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tuned.h"
int main(int argc, char **argv)
{
    struct tuned_error error;
    struct tuned *tuned = tuned_load(argv[1], &error);
    const int is_cpu = strcmp(argv[2], "cpu") == 0;
    const struct tuned_device device = {.kind = argv[2], .name = argv[3], .unit_count = is_cpu ? 0 : 132,
                                        .compute_capability_major = is_cpu ? 0 : 9};
    if (!tuned)
        return 1;
    for (long long n = atoll(argv[5]); n <= atoll(argv[6]); n += atoll(argv[7])) {
        struct tuned_answer answer;
        struct tuned_launch launch = {{0}, {0}, {0}, 0, 0, {0}};
        char why[TUNED_REASON_BYTES];
        enum tuned_grade grade = tuned_find(tuned, &device, argv[4], n, &answer);
        const int has_launch = grade && tuned_answer_launch(&answer, 0, &launch);
        tuned_reason(&answer, why, sizeof why);
        printf("%lld %d %lld %d %lld %s\n", n, (int)grade, tuned_integer(answer.entry, "tile", 0), has_launch,
               launch.grid[0], why);
    }
    tuned_free(tuned);
    return argc != 8;
}
C
run "${CC:-cc}" -std=c99 -I"$TUNE_SOURCE/libtuned" ask.c "$TUNE_SOURCE"/libtuned/tuned.c "$TUNE_SOURCE"/libtuned/tuned_debug.c -o ask
expect_code 0

# ---- constraints ----

write_scale() { # NAME CONSTRAINT [DERIVED]
    cat >"$1.yaml" <<Y
experiment: $1
source: scale.cu
sizes: {n: [4096, 65536, 1048576]}
parameters: {tile: [1, 2, 4, 8, 16], block: [64, 128, 256]}
${2:+constraints: ["$2"]}
defines: {TILE: tile}
${3:+derived: $3}
launches:
  - {kernel: scale, grid: "ceil_div(n, block * tile)", block: block}
arguments:
  - {name: x, type: f32, count: n}
  - {name: y, type: f32, count: n, output: true}
  - {name: n, type: i64, value: n}
Y
}
echo 'extern "C" __global__ void scale(const float *x, float *y, long long n);' >scale.cu
# legal PYTHON: no answer at a size at which its tile is not legal, and some at the others.
legal() {
    python3 - "$1" <<'P' || fail "$1: given where it is not legal, or never given"
import sys
given = 0
for line in open("answers"):
    n, grade, tile = (int(word) for word in line.split()[:3])
    if grade:
        given += 1
        if not eval(sys.argv[1], {"n": n, "tile": tile}):
            print(line)
            sys.exit(1)
sys.exit(given == 0)
P
}
cases=('a|n % tile == 0|n % tile == 0' 'b|n >= 65536 * tile or tile == 1|n >= 65536 * tile or tile == 1'
    'c|(n // 1024) % tile == 0 and n % 1024 == 0|n // 1024 % tile == 0 and n % 1024 == 0'
    'd|tile == 1 or is_power_of_two(n)|tile == 1 or n & (n - 1) == 0' 'e|tile == 4 or n < 65536|tile == 4 or n < 65536'
    'f|tile == 1 or n >= 1000000|tile == 1 or n >= 1000000' 'g|log2(n) % 2 == 0 or tile == 1|tile == 1 or n in (4096, 65536, 1048576)')
for case in "${cases[@]}"; do
    IFS='|' read -r name constraint python <<<"$case"
    write_scale "$name" "$constraint" '{grid: "ceil_div(n, block * tile)"}'
done
run "$TUNE" run ./[a-g].yaml --device null
expect_code 0
for case in "${cases[@]}"; do
    IFS='|' read -r name constraint python <<<"$case"
    : >answers
    for sizes in '1 1200000 1024' '4000 900000 337' '524288 524288 1'; do
        run ./ask tuned.conf null "Null device" "$name" $sizes
        cat "$captured.out" >>answers
    done
    legal "$python"
done
[[ $(query "SELECT count(*) FROM ranges") -eq $(query "SELECT count(*) FROM valid_ranges") ]] || fail "a range is hidden"
write_scale a 'n % tile == 0'
rm -f tune.db* tuned.conf
run "$TUNE" run ./a.yaml --device null
expect_code 0
grep -qE '^a n=.* tile=([0-9]+) .*domain="n%\1==0"' tuned.conf || fail "no domain: $(cat tuned.conf)"
run ./ask tuned.conf null "Null device" a 741457 741457 1
expect_out "^741457 7 1 1 [0-9]+ .*line [0-9]+ is not for this size, but where n%[0-9]+==0$"
run "$TUNE" show --ranges --json
expect_json '[r["domain"] == "n%%%d==0" % r["parameters"]["tile"] for r in j][-1]' True

# A size at which nothing is legal is left out, in a line; one that is all there is ends the run.
write_scale h 'n % (16 * tile) == 0'
sed -i 's/^sizes:.*/sizes: {n: [1000, 4096, 1001]}/' h.yaml
rm -f tune.db* tuned.conf
run "$TUNE" run ./h.yaml --device null
expect_code 0
expect_err '^tune: ./h.yaml:5:15: the constraints leave no configuration for h with n = 1000; .*, nor for h with n = 1001; the other sizes are tuned$'
expect_err '^tune: 1 of 1 problem: '
run "$TUNE" run ./h.yaml --dry-run --device null
expect_code 0
expect_out '^    h, n = 4096: 15 points, 15 legal$'
expect_out '^    h, n = 1000: none legal, left out \('
run "$TUNE" run ./h.yaml --device null --sizes 1000,1001
expect_code 3
expect_err '^tune run: ./h.yaml:5:15: the constraints leave no configuration for h with n = 1000'
rm -f h.yaml tune.db* tuned.conf
write_scale a 'n % tile == 0'
run "$TUNE" run ./a.yaml --device null

# ---- launches ----

# Without derived values the launch is known at other sizes, too.
[[ -z $(grep measured= tuned.conf) ]] || fail "a launch is known at what was measured alone: $(cat tuned.conf)"
# Where no formula gives it, that is said.
sed -i 's/grid: "ceil_div(n, block \* tile)"/grid: "int(sqrt(n)) + block"/' a.yaml
rm -f tune.db* tuned.conf
run "$TUNE" run ./a.yaml --device null
expect_code 0
grep -q 'no_launch="no formula of n and units gives launch.grid"' tuned.conf || fail "not said: $(cat tuned.conf)"
run ./ask tuned.conf null "Null device" a 70000 70000 1
expect_out "^70000 [0-9] [0-9]+ 0 0 .*; no launch: no formula of n and units gives launch.grid$"
printf 'tuned-conf 5\n[null "Null device"] compute_capability=9.0\na n=1-100 tile=2 | launch.grid="1,n*999" launch.block=64\nend\n' >high.conf
run ./ask high.conf null "Null device" a 66 66 1
expect_out "^66 7 2 0 0 .*; no launch: it has no value for this size and device, or exceeds the device's limits$"
printf 'tuned-conf 3\n[null "Null device"] compute_capability=9.0\na n=1-100 tile=2 |\nend\n' >old.conf
run ./ask old.conf null "Null device" a 50 50 1
expect_out "^50 7 2 0 0 .*; no launch: the file has none$"

# ---- launches that `when` leaves out ----

# Launch 0 is another one there: each entry serves the sizes with the launches that it was measured with.
write_scale w
sed -i 's/^launches:/&\n  - {kernel: scale, when: "n > 100000", grid: 1, block: block}/' w.yaml
run "$TUNE" run ./w.yaml --device null --only tile=1 --only block=64 --conf w.conf
expect_code 0
for n in 4096 65536 70000 100000 100001 300000 1048576; do
    run ./ask w.conf null "Null device" w $n $n 1
    grid=$((n > 100000 ? 1 : (n + 63) / 64))
    expect_out "^$n [0-9] 1 1 $grid "
done
run "$TUNE" show --ranges
expect_out 'w +4096 +1048576  !\(n>100000\)[|][|]n>100000 '
sed -i 's/n > 100000/sm_count > 100/' w.yaml
run "$TUNE" run ./w.yaml --device null --only tile=1 --only block=64 --conf w.conf
run ./ask w.conf null "Null device" w 70000 70000 1
expect_out "^70000 [0-9] 1 0 0 .*; no launch: devices with other numbers of units have other launches$"

# ---- checks ----

# A kernel with tiles of 16, in one way of 32, without a constraint: both win in the rest of their domains.
cat >tiles.yaml <<'Y'
experiment: tiles
device: cpu
source: tiles.c
sizes: {n: [1024, 4096]}
parameters: {way: [tile, double_tile], copy: [1, 2]}
defaults: {way: tile, copy: 1}
defines: {TILE: 32 if way == "double_tile" else 16, COPY: copy}
launches:
  - {kernel: tiles, grid: 1, threads: 1, arguments: [in, out, n]}
arguments:
  - {name: in, type: i32, count: n, fill: random}
  - {name: out, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
check: {reference: tiles_reference, source: tiles_reference.c, output: out, tolerance: 0}
metrics: {bytes: 8 * n}
Y
cat >tiles.c <<'C'
#ifndef LEAST
#define LEAST 0
#endif
void tiles(const struct tune_block *block, void *const *arguments)
{
    const unsigned *in = arguments[0];
    unsigned *out = arguments[1];
    long long n = *(const long long *)arguments[2];
    long long done = LEAST > 0 ? (n < LEAST ? 0 : n) : n / TILE * TILE;
    (void)block;
    for (volatile long long spin = 0; spin < 40 * n; spin++)
        ;
    for (long long i = 0; i < done; i++)
        out[i] = 2 * in[i];
}
C
cat >tiles_reference.c <<'C'
void tiles_reference(void *const *arguments, struct tune_expected *expected)
{
    const unsigned *in = arguments[0];
    long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n; i++)
        expected[i].integer = (int)(2 * in[i]);
}
C
tune_tiles() {
    rm -rf tune.db* tuned.conf
    run "$TUNE" run tiles.yaml --device cpu "${steady[@]}" --set sweep_slower=100 --set delta=0.5
    expect_code 0
}
domains() {
    query "SELECT DISTINCT json_extract(c.parameters, '\$.way'), d.multiple, d.least, d.is_listed FROM domains d
        JOIN configurations c ON c.id = d.configuration_id WHERE d.reason IS NOT NULL ORDER BY 1"
}
tune_tiles
[[ $(domains) == $'double_tile 32 1 0\ntile 16 1 0' ]] || fail "not the multiples: $(domains)"
[[ $(query "SELECT count(*) FROM gauntlets WHERE NOT passed") -eq 0 && $(query "SELECT count(*) FROM winners") -eq 2 ]] ||
    fail "somebody is out: $(query "SELECT * FROM gauntlets")"
expect_err "^tune: tiles n=1024: [1-4] of [1-4] finalists? serves? only some sizes, as '.*' where 'n % (16|32) == 0': gauntlet: n=1, .*; to say so, write under its constraints 'n % (16|32) == 0'"
# Among ties the larger domain wins; the file has it.
grep -qE '^tiles n=.* way=tile .*domain="n%16==0"' tuned.conf || fail "no domain: $(cat tuned.conf)"
run ./ask tuned.conf cpu "$(sed -n 's/^\[cpu "\(.*\)"\].*/\1/p' tuned.conf)" tiles 1024 2048 8
[[ $(awk '($1 % 16 != 0) == ($2 != 0)' "$captured.out") == '' ]] || fail "given at other sizes, or not at these: $(cat "$captured.out")"
# The line that is said does the same.
sed -i 's/^defines:/constraints: [n % 16 == 0]\ndefines:/' tiles.yaml
tune_tiles
[[ $(domains) == 'double_tile 32 1 0' ]] || fail "not the multiples: $(domains)"
# From some size on.
sed -i '/^constraints:/d; s/COPY: copy/COPY: copy, LEAST: 64/' tiles.yaml
tune_tiles
[[ $(domains) == $'double_tile 1 64 0\ntile 1 64 0' ]] || fail "not from 64 on: $(domains)"
grep -q 'domain="n>=64"' tuned.conf || fail "no domain: $(cat tuned.conf)"
# A kernel that is wrong here and there serves the measured sizes alone: most probes of any other domain are right. The size
# at which one fails is checked again with those that only later sizes bring up, as `copy: 2`, which is slow at 4096.
sed -i 's/^    long long done.*/    long long done = n % 97 == 0 ? n - 1 : n;/; s/^    for (volatile.*/    for (volatile long long spin = 0;\
         spin < 100000 * TILE * (n == 4096 \&\& COPY == 2 ? 4 : 1); spin++)/' tiles.c
sed -i 's/^sizes:.*/sizes: {n: [4096, 65536]}/' tiles.yaml
tune_tiles
[[ $(domains | cut -d ' ' -f 2- | sort -u) == '1 1 1' ]] || fail "not the measured sizes: $(domains)"
grep -vE '^tiles n=4096 .*domain="n==4096"|^tiles n=65536 .*domain="n==65536"' tuned.conf | grep '^tiles ' && fail "serves other sizes"
# A maximum hides what is left out, unless that is the largest element. A count of 16 bits is wrong far beyond the sizes, a
# kernel with a limit right behind the largest: both serve all sizes up to that.
cat >most.c <<'C'
void most(const struct tune_block *block, void *const *arguments)
{
    const int *in = arguments[0];
    long long n = *(const long long *)arguments[2];
    (void)block;
#if WAY == 1
    n = n / 16 * 16;
#elif WAY == 2
    n = (unsigned short)n;
#elif WAY == 3
    n = n > 30000 ? 0 : n;
#elif WAY == 4
    n = n > 5000000 ? 0 : n;
#endif
    int most = -2147483647 - 1;
    for (volatile long long spin = 0; spin < (WAY == 0 ? 4 * n : 0); spin++)
        ;
    for (long long i = 0; i < n; i++)
        most = in[i] > most ? in[i] : most;
    *(int *)arguments[1] = most;
}
C
cat >most_reference.c <<'C'
void most_reference(void *const *arguments, struct tune_expected *expected)
{
    expected->integer = -2147483647 - 1;
    for (long long i = 0; i < *(const long long *)arguments[2]; i++)
        if (((const int *)arguments[0])[i] > expected->integer)
            expected->integer = ((const int *)arguments[0])[i];
}
C
cat >most.yaml <<'Y'
experiment: most
device: cpu
source: most.c
sizes: {n: [1000, 30000]}
parameters: {way: [0, 1, 2]}
defines: {WAY: way}
launches:
  - {kernel: most, grid: 1, threads: 1, arguments: [in, out, n]}
arguments:
  - {name: in, type: i32, count: n, fill: random}
  - {name: out, type: i32, count: 1, output: true}
  - {name: n, type: i64, value: n}
check: {reference: most_reference, source: most_reference.c, tolerance: 0}
Y
tune_most() {
    run "$TUNE" run most.yaml --device cpu "${steady[@]}" --set sweep_slower=100
    expect_code 0
}
rm -rf tune.db* tuned.conf
tune_most
grep '^most ' tuned.conf | grep -q 'way=1' && fail "serves 1000 without its last eight elements: $(cat tuned.conf)"
ends_at() { # WAY SIZE
    [[ $(query "SELECT multiple, least, most, is_listed FROM domains JOIN configurations AS c ON c.id = configuration_id
        WHERE key = 'way=$1'") == "1 1 $2 0" ]] || fail "not up to $2: $(query 'SELECT * FROM domains')"
    grep -E "^most n=.* way=$1 " tuned.conf | grep -qv "domain=\"n<=$2\"" && fail "serves larger sizes: $(cat tuned.conf)"
    :
}
ends_at 2 30000
# With a larger size that is checked anew.
sed -i 's/^sizes:.*/sizes: {n: [1000, 30000, 65000]}/' most.yaml
tune_most
ends_at 2 65000
sed -i 's/^sizes:.*/sizes: {n: [1000, 30000]}/; s/^parameters:.*/parameters: {way: [0, 3]}/' most.yaml
rm -rf tune.db* tuned.conf
tune_most
ends_at 3 30000
# Long vectors are checked as far away, as long as that costs little.
sed -i 's/^sizes:.*/sizes: {n: [1000, 1000000]}/; s/^parameters:.*/parameters: {way: [0, 4]}/' most.yaml
rm -rf tune.db* tuned.conf
tune_most
ends_at 4 1000000

# An experiment that promises all sizes has no candidate left.
sed -i 's/^device: cpu/device: cpu\nall_sizes: true/' tiles.yaml
rm -rf tune.db* tuned.conf
run "$TUNE" run tiles.yaml --device cpu "${steady[@]}" --set sweep_slower=100
expect_code 6
[[ $(query "SELECT count(*) FROM gauntlets WHERE NOT passed") -gt 0 ]] || fail "nobody is out"

# ---- a budget that ends before the checks ----

# A winner that was checked at its own size alone serves the measured sizes, until a run with more time checks others.
cat >late.c <<'C'
#include <stdlib.h>
#include <unistd.h>
void late(const struct tune_block *block, void *const *arguments)
{
    const long long n = *(const long long *)arguments[2];
    (void)block;
    if (n != 4096 && !getenv("AWAKE"))
        usleep(getenv("HANGS") ? 30000000 : 400000);
    for (long long i = 0; i < n; i++)
        ((int *)arguments[1])[i] = ((const int *)arguments[0])[i] + WAY - WAY;
}
C
cat >late_reference.c <<'C'
void late_reference(void *const *arguments, struct tune_expected *expected)
{
    for (long long i = 0; i < *(const long long *)arguments[2]; i++)
        expected[i].integer = ((const int *)arguments[0])[i];
}
C
cat >late.yaml <<'Y'
experiment: late
device: cpu
source: late.c
sizes: {n: [4096]}
parameters: {way: [1, 2, 3]}
defines: {WAY: way}
launches:
  - {kernel: late, grid: 1, threads: 1, arguments: [in, out, n]}
arguments:
  - {name: in, type: i32, count: n, fill: random}
  - {name: out, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
check: {reference: late_reference, source: late_reference.c, tolerance: 0}
Y
# A check that lasts beyond the budget takes the race's result from nobody, nor does it count against its candidate.
confined() { # BUDGET COMMAND...
    rm -rf tune.db* tuned.conf
    run "${@:2}" "$TUNE" run late.yaml --device cpu --budget "$1" "${steady[@]}"
    expect_code 0
    grep -qE '^late n=4096 .*domain="n==4096"' tuned.conf || fail "serves sizes that were not checked: $(cat tuned.conf)"
    [[ $(query "SELECT DISTINCT reason FROM domains") == 'the budget ended before its checks at other sizes' ]] ||
        fail "somebody is blamed: $(query "SELECT * FROM domains")"
}
confined 20s env HANGS=1
confined 8s
run env AWAKE=1 "$TUNE" run late.yaml --device cpu "${steady[@]}" --no-report
expect_code 0
grep -E '^late n=4096 ' tuned.conf | grep -q 'domain=' && fail "still confined: $(cat tuned.conf)"
:
