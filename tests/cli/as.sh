#!/bin/bash
# tune run --as: winners for each issue of launches. On the null device a launch that is issued by itself costs more, so
# that two launches win in a graph and on a stream, and one launch call by call; on the CPU both ways are measured.
source "$TUNE_TESTS/lib.sh"
export TUNE_CACHE_DIR=$PWD/cache
cat >twice.cu <<'END'
extern "C" __global__ void twice(const float *in, float *out) { out[blockIdx.x] = 2 * in[blockIdx.x]; }
END
cat >twice.yaml <<'END'
experiment: twice
source: twice.cu
as: [graph, stream]
sizes: {n: [1024]}
parameters:
  launches: [1, 2]
derived:
  grid: 1 if launches == 1 else 132
launches:
  - {kernel: twice, grid: grid, block: 32 if launches == 1 else 256, arguments: [in, out]}
  - {kernel: twice, grid: grid, block: 256, when: launches == 2, arguments: [in, out]}
arguments:
  - {name: in, type: f32, count: n, fill: random}
  - {name: out, type: f32, count: n, output: true}
END
winners() { query "SELECT w.l2_mode, c.parameters ->> 'launches' FROM winners AS w JOIN trials AS t ON t.id = w.trial_id
    JOIN configurations AS c ON c.id = t.configuration_id ORDER BY w.l2_mode"; }

# The file's own issues; each trial, winner and round is of one condition.
run "$TUNE" run twice.yaml --device null --no-report
expect_code 0
expect_err 'as stream: launches are issued one by one on a stream'
expect_err 'changes none of 1 winner by more than noise'
[[ $(winners) == $'cold 2\ncold-stream 2' ]] || fail "$(winners)"

# The option's, beside those that are known.
run "$TUNE" run twice.yaml --device null --no-report --as graph,eager
expect_code 0
expect_err "changes 1 of 2 winners: twice n=1024 as eager: the winner as graph takes [0-9.]+ % more \[[0-9.]+, [0-9.]+\] \('tune show --as'\)"
[[ $(winners) == $'cold 2\ncold-eager 1\ncold-stream 2' ]] || fail "$(winners)"
[[ $(query "SELECT DISTINCT l2_mode FROM trials WHERE stage = 'dirty' ORDER BY 1") == $'cold\ncold-eager\ncold-stream' ]] || fail "states are of no issue"
run "$TUNE" show --as --json
expect_json '[(w["issue"], w["choice"], w["parameters"]["launches"]) for w in j]' \
    "[('graph', None, 2), ('stream', 'same', 2), ('eager', 'differs', 1)]"
run "$TUNE" show
expect_out 'L2 cold-eager'

# tuned.conf has both, and libtuned finds the one for a program's launches.
[[ $(grep -c '^\[null "Null device"\] ' tuned.conf) -eq 2 && $(grep -c '^\[.* for=eager ' tuned.conf) -eq 1 ]] ||
    fail "not the usual section and one for eager: $(cat tuned.conf)"
grep -q ' l2=cold-eager ' tuned.conf || fail "its evidence does not say how: $(cat tuned.conf)"
[[ $(grep -c '^twice n=1024' tuned.conf) -eq 2 ]] || fail "not two entries: $(cat tuned.conf)"
cat >look.c <<'END'
#include <stdio.h>
#include "libtuned/tuned.h"
int main(void)
{
    const int issues[] = {0, TUNED_GRAPH, TUNED_STREAM, TUNED_EAGER};
    struct tuned *tuned = tuned_load("tuned.conf", NULL);
    for (int i = 0; i < 4; i++) {
        struct tuned_answer answer;
        const struct tuned_device device = {.kind = "null", .name = "Null device", .compute_capability_major = 9,
                                            .unit_count = 132, .issue = issues[i]};
        printf("%s ", tuned_grade_name(tuned_find(tuned, &device, "twice", 1024, &answer)));
        printf("%lld\n", tuned_integer(answer.entry, "launches", 0));
    }
    tuned_free(tuned);
    return 0;
}
END
"${CC:-cc}" -I"$TUNE_SOURCE" -o look look.c "$TUNE_SOURCE/libtuned/tuned.c" || fail "the look-up does not compile"
[[ $(./look) == $'exact 2\nexact 2\nexact 2\nexact 1' ]] || fail "other winners: $(./look)"
run "$TUNE" check twice.yaml --device null
expect_err '1 entry was measured with launches issued otherwise'
[[ $(grep -c '^ *twice' "$captured.out") -le 1 ]] || fail "it checks entries of both"
run "$TUNE" check twice.yaml --device null --as eager --json
expect_code 0
expect_json '[w["configuration"] for w in j]' "['launches=1']"

# Times show the issue: the second launch costs another 2.2 us.
[[ $(query "SELECT round((max(median_ns) - min(median_ns)) / 100) FROM trials AS t JOIN configurations AS c ON c.id = t.configuration_id
    WHERE stage = 'sweep' AND c.parameters ->> 'launches' = 2 AND l2_mode IN ('cold', 'cold-eager')") == 44.0 ]] || fail "other times"

golden "$TUNE" run twice.yaml --device null --as graf
sed -i 's/^as: .*/as: [graph, loaded]/' twice.yaml
run "$TUNE" run twice.yaml --device null
expect_err "twice.yaml:3:[0-9]+: as is graph, stream or eager, not 'loaded'"

# On the CPU call by call: threads that sleep are woken.
mkdir cpu && cd cpu && write_experiment
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --as graph,eager --no-report
expect_code 0
[[ $(query "SELECT group_concat(DISTINCT l2_mode) FROM (SELECT l2_mode FROM winners ORDER BY 1)") == cold,cold-eager ]] || fail "no winners of both"
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --as graph,eager --no-report
expect_err ', 0 trials \('
expect_golden
