#!/bin/bash
# Few configurations for many sizes: ranges that cover the measured sizes without overlapping, with a valid
# bound, checked in between; applications find a configuration for unmeasured sizes.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 3
sed -i 's/^sizes:.*/sizes: {n: [1024, 4096, 16384, 65536]}/; s/block: \[.*/block: [64]/' copy.yaml
little=() # with usual effort
brief=(--set confirm_processes=2 --set confirm_rounds=4)
# Way 1 for the small sizes, way 2 for the large ones, way 3 a little slower than the best everywhere: by more than
# tuned.conf gives away for fewer kernels.
ways='kernel@WAY=2,grid=16|64: slower=1.1; kernel@WAY=1,grid=256|1024: slower=1.1; kernel@WAY=3: slower=1.014'

# ranges: "LOW HIGH WAY"
ranges() {
    query "SELECT n_low, n_high, json_extract(c.parameters, '\$.way') FROM ranges r
        JOIN configurations c ON c.id = r.configuration_id ORDER BY n_low"
}
# expect_covering: the ranges follow one another from the smallest size to the largest, and each keeps its
# bound at each of its sizes.
expect_covering() {
    ranges | awk 'NR == 1 && $1 != 1024 || NR > 1 && $1 != last + 1 || $2 < $1 { exit 1 } { last = $2 }
        END { exit last != 65536 }' || fail "no covering: $(ranges)"
    [[ -z $(query "SELECT * FROM ranges WHERE bound > within OR bound < 0 OR bound IS NULL") ]] || fail "$(query "SELECT * FROM ranges")"
    [[ -z $(query "SELECT * FROM range_checks k JOIN ranges r ON r.id = k.range_id WHERE k.n < r.n_low OR k.n > r.n_high
        OR measured AND loss > bound + 1e-9") ]] || fail "$(query "SELECT * FROM range_checks")"
}
# way_at N: of the range that N is in.
way_at() {
    ranges | awk -v n="$1" '$1 <= n && n <= $2 { print $3 }'
}

# Within 2 %, way 3 will do for all of them.
tune_copy "$ways" "${brief[@]}" --set within=0.02
expect_code 0
expect_err '1 range of sizes covers the 4 measured'
expect_covering
[[ $(ranges) == '1024 65536 3' ]] || fail "not one range: $(ranges)"
[[ $(query "SELECT bound > 0.01 AND bound < 0.02, within FROM ranges") == '1 0.02' ]] || fail "$(query "SELECT * FROM ranges")"
[[ $(query "SELECT sum(measured), sum(NOT measured), min(loss_low <= loss AND loss <= loss_high) FROM range_checks") == '4 3 1' ]] ||
    fail "not looked at: $(query "SELECT * FROM range_checks")"
[[ $(query "SELECT DISTINCT json_extract(c.parameters, '\$.way') FROM winners w JOIN trials t ON t.id = w.trial_id
    JOIN configurations c ON c.id = t.configuration_id ORDER BY 1") == $'1\n2' ]] || fail "the winners of the sizes are gone"

# Where it is wrong at a size between, while it is timed or whenever, it has no range that goes over that one.
for when in ',timed=yes' ''; do
    forget
    tune_copy "kernel@WAY=3,grid=128$when: wrong slower=1.01; $ways" "${brief[@]}" --set within=0.02
    expect_code 0
    expect_err "copy.i32 n=8191: 'way=3 block=64' is wrong at this size; it serves the measured ones alone: .*out\\["
    expect_covering
    [[ -n $(way_at 8191) && $(way_at 8191) != 3 ]] || fail "a wrong one at 8191: $(ranges)"
done

# Not within half a percent: two ranges, cut between the sizes at which others win. At 8192, an unmeasured
# size where way 1 turns out to be slow, the look finds way 2.
forget
tune_copy "$ways; kernel@WAY=1,grid=128: slower=1.1" "${brief[@]}" --set within=0.005
expect_code 0
expect_err '2 ranges of sizes cover the 4 measured'
expect_covering
[[ "$(way_at 1024) $(way_at 4096) $(way_at 8192) $(way_at 16384) $(way_at 65536)" == "1 1 2 2 2" ]] || fail "cut wrongly: $(ranges)"
run "$TUNE" show --ranges --json
expect_code 0
expect_json '[(r["n_low"], r["n_high"], r["parameters"]["way"]) for r in j]' \
    "[$(ranges | awk '{ printf "%s(%d, %d, %d)", sep, $1, $2, $3; sep = ", " }')]"

# Asked for wider ones, they are cut anew, although all that was measured is known; and back.
tune_copy "$ways; kernel@WAY=1,grid=128: slower=1.1" "${brief[@]}" --set within=0.02
expect_code 0
expect_err ' 0 trials'
[[ $(ranges) == '1024 65536 3' ]] || fail "not one range: $(ranges)"
tune_copy "$ways; kernel@WAY=1,grid=128: slower=1.1" "${brief[@]}" --set within=0.005
[[ $(query "SELECT count(*) FROM ranges") -eq 2 ]] || fail "not two ranges: $(ranges)"

# A size where a look is worse than the races predicted is cut out; the range that gets the size does not show
# that look as its own.
tune_copy 'kernel@WAY=2,grid=16|64: slower=1.1; kernel@WAY=1,grid=256|1024: slower=1.1; kernel@WAY=3,grid=256|1024: slower=1.05; kernel@WAY=3: slower=1.01' \
    "${brief[@]}" --set within=0.021
expect_code 0
expect_err ' 0 trials'
expect_covering
[[ "$(way_at 16384) $(way_at 65536)" == "2 2" ]] || fail "way 3 was not cut out: $(ranges)"
[[ $(query "SELECT count(*) FROM range_checks WHERE loss > 0.03") -eq 0 ]] || fail "$(query "SELECT * FROM range_checks")"
tune_copy "$ways; kernel@WAY=1,grid=128: slower=1.1" "${brief[@]}" --set within=0.005

# The file has them, and libtuned finds sizes between; the reason names the evidence for a size.
cat >find.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include "tuned.h"
int main(int count, char **arguments)
{
    const struct tuned_device device = {.kind = "cuda", .name = "Stand-in GPU 132", .compute_capability_major = 9,
                                         .unit_count = 132, .memory_bytes = 268435456};
    struct tuned *tuned = tuned_load("tuned.conf", NULL);
    for (int i = 1; i < count; i++) {
        struct tuned_answer answer;
        enum tuned_grade grade = tuned_find(tuned, &device, "copy.i32", atoll(arguments[i]), &answer);
        printf("%s: way %lld, %s\n", arguments[i], tuned_integer(answer.entry, "way", -1), tuned_grade_name(grade));
    }
    tuned_free(tuned);
    return 0;
}
C
run "${CC:-cc}" -I"$TUNE_SOURCE/libtuned" find.c "$TUNE_SOURCE/libtuned/tuned.c" -o find
expect_code 0
run ./find 1024 1025 5000 8192 12000 40000 65536 500000
for line in '1024: way 1, exact' '1025: way 1, in range' '5000: way 1, in range' '8192: way 2, in range' \
    '12000: way 2, in range' '40000: way 2, in range' '65536: way 2, exact' '500000: way 2, nearest size'; do
    expect_out "^$line\$"
done

# Sizes between, which constraints rule out for the ranges' configurations or for the default one that results
# are held against, are not looked at; the ranges are there all the same.
forget
sed '/^check:/d; s/^defines:/constraints: [n % 3 == 1 or way >= 2]\ndefaults: {way: 1, block: 64}\n&/' copy.yaml >some.yaml
mv some.yaml copy.yaml
for within in 0.005 0.02; do
    tune_copy "$ways" "${brief[@]}" --set within=$within
    expect_code 0
    expect_err '[12] ranges? of sizes covers? the 4 measured'
    expect_covering
    [[ $(query "SELECT count(*) FROM range_checks WHERE n % 3 <> 1") -eq 0 ]] ||
        fail "looked at where it must not: $(query "SELECT * FROM range_checks")"
done
