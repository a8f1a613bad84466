#!/bin/bash
# Production misses: programs in C, C++ and Python record their look-ups, and end normally, by _exit or by a crash;
# `tune run --recorded` tunes what they missed, the most frequent first, at sizes that no file lists; and a second look-up
# is answered from there.
source "$TUNE_TESTS/lib.sh"
libtuned=$TUNE_SOURCE/libtuned
export XDG_CONFIG_HOME=$PWD/none HOME=$PWD
unset TUNED_CONF TUNED_RECORD

cat >scale.cu <<'C'
extern "C" __global__ void scale(const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 3 * x[i];
}
C
# experiment NAME SIZES COUNT AXES
experiment() {
    cat >"$1.yaml" <<Y
experiment: $1
source: scale.cu
$4
sizes: {$2}
parameters: {block: [64, 128, 256]}
launches: [{kernel: scale, grid: "ceil_div($3, block)", block: block, arguments: [x, y, n_]}]
arguments:
  - {name: x, type: f32, count: $3, fill: random}
  - {name: y, type: f32, count: $3, output: true}
  - {name: n_, type: i32, value: $3}
Y
}
experiment scale 'n: [1000]' n 'axes: {way: [plain, other]}'
experiment area '"m, n": [[8, 1000]]' 'm*n' ''

# look END [PROBLEM,TIMES,N[,M]]...: look-ups on the device without a formula's machine.
cat >look.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tuned.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct tuned *tuned = tuned_open(NULL, NULL);
    const struct tuned_device device = {.kind = "null", .name = "Null device", .compute_capability_major = 9, .unit_count = 132};
    for (int i = 2; i < argc; i++) {
        char problem[64];
        long long n;
        int times;
        struct tuned_size m = {"m", 0};
        struct tuned_answer answer;
        const int read = sscanf(argv[i], "%63[^,],%d,%lld,%lld", problem, &times, &n, &m.size);
        for (int k = 0; k < times; k++)
            tuned_find_sizes(tuned, &device, problem, n, &m, (size_t)read - 3, &answer);
        printf("%s %lld %s\n", problem, n, tuned_grade_name(answer.grade));
    }
    fflush(stdout);
    if (strcmp(argv[1], "_exit") == 0)
        _exit(0);
    if (strcmp(argv[1], "crash") == 0)
        abort();
    tuned_free(tuned);
    return 0;
}
C
run "${CC:-cc}" -std=c99 -O1 -D_GNU_SOURCE -DTUNED_WITH_RECORD -I"$libtuned" look.c "$libtuned"/tuned{,_record}.c -o look
expect_code 0

# ---- without any tuned.conf: all is missed, and kept however a program ends ----
TUNED_RECORD=app.record run ./look crash scale.plain,3,50 scale.other,7,333 area,20,500,600
[[ $code -gt 128 ]] || fail "the program did not crash"
expect_out '^area 500 none$'
TUNED_RECORD=app.record run ./look _exit scale.plain,9,70 elsewhere.kernel,5,1
TUNED_RECORD=app.record run ./look end scale.plain,10,50
expect_code 0

run "$TUNE" run scale.yaml area.yaml --device null --no-report --recorded app.record
expect_code 0
expect_err '^tune: app.record: 54 of 54 look-ups missed on Null device; 4 problems, the most frequent first: area n=500 m=600 \(20\), scale.plain n=50 \(13\), scale.plain n=70 \(9\) \.\.\.$'
expect_err '^tune: app.record: 1 more is of no problem here; name the experiment files of: elsewhere.kernel n=1 \(5\)$'
first=$(query "SELECT group_concat(it, ' ') FROM (SELECT p.key || '/' || p.n AS it FROM problems p JOIN trials t ON t.problem_id = p.id
    GROUP BY p.id ORDER BY min(t.id))")
[[ $first == "area.600x500/1 scale.plain/50 scale.plain/70 scale.other/333" ]] || fail "tuned in this order: $first"

# ---- answered now, and counted as such ----
TUNED_CONF=tuned.conf TUNED_RECORD=second.record run ./look end scale.plain,1,50 scale.plain,1,70 scale.other,1,333 area,1,500,600
for problem in 'scale.plain (50|70)' 'scale.other 333' 'area 500'; do expect_out "^$problem (exact|in range)\$"; done
expect_out '^scale.other 333 exact$'
run "$TUNE" run scale.yaml --device null --no-report --recorded second.record
expect_code 0
expect_err '^tune: second.record: 0 of 4 look-ups missed; there is nothing to tune$'

# ---- later sizes join them: launches hold at all, and what other runs had been asked for stays ----
TUNED_CONF=tuned.conf TUNED_RECORD=third.record run ./look end area,2,7,90
run "$TUNE" run area.yaml --device null --no-report --recorded third.record
expect_code 0
run "$TUNE" run area.yaml --device null --no-report
expect_code 0
TUNED_CONF=tuned.conf run ./look end area,1,7,90 area,1,500,600 area,1,1000,8
for n in 7 500 1000; do expect_out "^area $n (exact|in range)\$"; done
! grep -E '^area .*no_launch' tuned.conf || fail "a box has no launch"

# ---- a size that an experiment cannot have, or that no memory holds, is named and keeps nobody else's from being tuned ----
TUNED_RECORD=large.record run ./look end scale.plain,9,100000000000 scale.plain,2,60 area,7,1,99
run "$TUNE" run scale.yaml area.yaml --device null --no-report --recorded large.record
expect_code 0
expect_err "^tune: scale.plain n=100000000000 is left out: scale.yaml:.* the value of 'n_' \(i32\) is 100000000000"
for problem in 'scale.plain n=60' 'area'; do expect_err "^$problem.*: [0-9.]+ us with"; done
TUNED_RECORD=larger.record run ./look end scale.plain,9,100000000000
golden_refusal "$TUNE" run scale.yaml --device null --no-report --recorded larger.record
write_experiment
sed 's/"null", .name = "Null device"/"cpu", .name = "CPU"/' look.c >look_cpu.c
run "${CC:-cc}" -std=c99 -O1 -D_GNU_SOURCE -DTUNED_WITH_RECORD -I"$libtuned" look_cpu.c "$libtuned"/tuned{,_record}.c -o look_cpu
TUNED_RECORD=memory.record run ./look_cpu end double,9,100000000000 double,1,700
run "$TUNE" run double.yaml --device cpu --no-report --recorded memory.record --db cpu.db --conf cpu.conf "${steady[@]}"
expect_err '^tune: double n=100000000000 is left out: its arguments take 800 GB, and the device has'
expect_err '^double n=700: [0-9.]+ [nu]s with'

# ---- C++ and Python ----
if command -v g++ >/dev/null; then
    cat >look.cpp <<'C'
#include <tuned.hpp>
int main()
{
    const tune::record record("cpp.record");
    struct tuned_options options = tuned_options();
    static const char empty[] = "tuned-conf 5\nend\n";
    options.built_in = empty;
    options.built_in_bytes = sizeof empty - 1;
    options.skip = TUNED_SKIP_USER | TUNED_SKIP_SYSTEM;
    record.count(options);
    const tune::configurations tuned(&options);
    struct tuned_device device = tuned_device();
    device.kind = "null";
    device.name = "Null device";
    return record && !tuned.find(device, "scale.plain", 4321) ? 0 : 1;
}
C
    run g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$libtuned" look.cpp -L"$TUNE_BUILD/libtuned" -ltuned \
        -Wl,-rpath,"$TUNE_BUILD/libtuned" -o look_cpp
    expect_code 0
    run ./look_cpp
    expect_code 0
    run "$TUNE" run scale.yaml --device null --dry-run --recorded cpp.record
    expect_out '^    scale.plain, n = 4321: 3 points'
fi
run env PYTHONPATH="$TUNE_SOURCE/bindings/python" TUNED_LIBRARY="$TUNE_BUILD/libtuned/libtuned.so" python3 -B - <<'P'
import libtuned
device = libtuned.Device("null", "Null device")
libtuned.open(record="py.record", skip=libtuned.Skip.USER | libtuned.Skip.SYSTEM).find(device, "scale.other", 2222)
print(libtuned.recorded("py.record"))
P
expect_code 0
run "$TUNE" run scale.yaml --device null --dry-run --recorded py.record
expect_out '^    scale.other, n = 2222: 3 points'

# ---- what is no record, or asks for nothing that is here ----
golden_refusal "$TUNE" run scale.yaml --device null --recorded none.record
golden_refusal "$TUNE" run scale.yaml --device null --recorded scale.yaml
golden "$TUNE" run scale.yaml --device null --recorded third.record
expect_golden
