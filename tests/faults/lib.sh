# shellcheck shell=bash
# Helpers of the tests in this folder, beside those of tests/cli.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"

unset CUDA_VISIBLE_DEVICES TUNE_FAULTS
export LD_LIBRARY_PATH=$TUNE_DRIVER TUNE_NVRTC_PATH=$TUNE_DRIVER
export TUNE_FAULTS_STATE=$TMPDIR/driver.state
# Slowness on a loaded machine is no hang. A real hang costs as much as hangs_cost says.
export TUNE_TRIAL_TIMEOUT_MS=60000
# hangs_cost MS
hangs_cost() {
    [[ -n ${TUNE_SANITIZE:-} ]] || TUNE_TRIAL_TIMEOUT_MS=$1
}

# Number of processes that open the device before the measuring one: with a launcher, one more, which lists devices.
# (TUNE_BRIEF: fewer long parts.)
# shellcheck disable=SC2034 # used by the tests
openers=${TUNE_OPENERS:-0}

# write_copy [WAYS]: copy.yaml, an experiment of WAYS (default 6) times three configurations that
# all work, told apart by `way`: TUNE_FAULTS makes some of them hostile (WAY=3,block=64).
write_copy() {
    local ways=${1:-6}
    cat >copy.yaml <<Y
experiment: copy
about: Copies n elements.
device: cuda
source: copy.cu
axes: {type: [i32]}
sizes: {n: [1000]}
parameters:
  way: [$(seq -s ', ' "$ways")]
  block: [64, 128, 256]
derived: {grid: 'ceil_div(n, block)'}
defines: {WAY: way}
launches:
  - {kernel: copy_elements, grid: grid, block: block, arguments: [in, out, n]}
arguments:
  - {name: in, type: "\${type}", count: n, fill: random}
  - {name: out, type: "\${type}", count: n, output: true}
  - {name: n, type: i64, value: n}
check: {reference: copy_reference, source: copy_reference.c, output: out, tolerance: 0}
metrics: {bytes: 2 * n * sizeof(type)}
Y
    echo 'extern "C" __global__ void copy_elements(const int *in, int *out, long long n);' >copy.cu
    cat >copy_reference.c <<'C'
void copy_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    const long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n; i++)
        expected[i].integer = in[i];
}
C
}

# The stand-in is as warm as it gets, and each process that replaces another would warm it up again.
warm=(--set warm_window_ms=1 --set warm_least_ms=1 --set warm_most_ms=20)

# tune_copy FAULTS [OPTION...]: tunes it with these faults, and with little effort: most tests need no more.
little=(--effort quick)
tune_copy() {
    export TUNE_FAULTS=$1
    run "$TUNE" run ./copy.yaml --device cuda:0 --no-report "${little[@]}" "${warm[@]}" "${@:2}"
}

# outcomes: "WAY BLOCK STATUS" for each configuration that was tried.
outcomes() {
    query "SELECT json_extract(c.parameters, '\$.way'), json_extract(c.parameters, '\$.block'),
        t.status FROM trials t JOIN configurations c ON c.id = t.configuration_id
        WHERE t.stage = 'sweep' ORDER BY 1, 2, t.id"
}

# expect_failed "WAY BLOCK STATUS DETAIL-REGEX"...: these failed so, and all others are ok.
expect_failed() {
    local line got
    for line; do
        read -r way block status detail <<<"$line"
        got=$(query "SELECT t.status, t.detail FROM trials t
            JOIN configurations c ON c.id = t.configuration_id WHERE t.stage = 'sweep' AND
            json_extract(c.parameters, '\$.way') = $way AND
            json_extract(c.parameters, '\$.block') = $block")
        grep -qE "^$status $detail" <<<"$got" || fail "way $way, block $block: $got; not: $status $detail"
    done
    [[ $(outcomes | grep -cv ' ok$') -eq $# ]] || fail "not $# failures: $(outcomes)"
    [[ $(outcomes | grep -c ' ok$') -gt 0 ]] || fail "nothing is ok"
}

# expect_apart: the two devices that are alike raced and confirmed a problem of two each. Rounds with a dirty cache count that
# are the confirmation's: the race has some, too, on the device that it ran on.
expect_apart() {
    local got
    got=$(query "SELECT r.stage, count(DISTINCT r.run_id), count(DISTINCT r.run_id || ' ' || r.problem_id)
        FROM rounds r JOIN runs u ON u.id = r.run_id JOIN environments e ON e.id = u.environment_id
        JOIN devices d ON d.id = e.device_id WHERE d.name = 'Stand-in GPU 132' AND NOT (r.stage = 'dirty' AND r.process = 0) GROUP BY 1 ORDER BY 1")
    [[ $got == $'confirm 2 2\ndirty 2 2\nhot 2 2\nrace 2 2' ]] || fail "stage, devices, problems times devices: $got"
}

# refuse_workers: no process of ours is left in this folder.
refuse_workers() {
    local process
    for process in /proc/[0-9]*; do
        [[ $(readlink "$process/cwd" || true) == "$PWD" ]] || continue
        ! grep -qE '__(measure|compile)' "$process/cmdline" 2>/dev/null || fail "a worker was left"
    done
}

# forget: the next run knows no earlier results.
forget() {
    rm -rf tune.db* tuned.conf "$TUNE_FAULTS_STATE"* "$TUNE_CACHE_DIR"
}
