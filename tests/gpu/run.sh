#!/usr/bin/env bash
# Everything that needs a GPU, in one go: the tests labelled gpu, the shipped experiments tuned, the
# example, the peers. Works on a built tree:
#   tests/gpu/run.sh BUILD_FOLDER [OUT_FOLDER]
# (tests/gpu/pack.sh makes a BUILD_FOLDER that can be carried to another machine.)
# Results are put into OUT_FOLDER (default $OUT or ./gpu-results): devices.json, tuned.conf, run.txt,
# example.txt, capture.txt, hostile.txt, hostile_timed.txt, promise.txt, budget.txt, and in more.tar.gz tune.db.xz and families.db.xz (as bench/slim.py leaves
# and compresses them), families.conf, families.txt, lookup.txt, peers*, calls.txt, sanitize.txt,
# sanitize/, twin*, flush*, agree*, t1*, compile.txt, space.txt,
# strategies*, check*.txt, saxpy.txt, trial_cost.txt, answers.txt. db/recorded/ keeps them
# all, but for sanitize/:
#   tar -xzf OUT_FOLDER/more.tar.gz -C db/recorded/DEVICE
# GPU_STEPS selects the steps: GPU_STEPS="devices tests" (of devices tests calls tune resume check saxpy families
# example build_peers peers ordered_limits lookup hostile hostile_timed promise budget language compile space twin flush
# sanitize documents capture captured drafted; and, not among the usual ones, tuples (losses of configurations for all shapes at
# untuned shapes: some 210 s), foreign (losses of this device with others' winners: some 60 s), own (of tests: own
# kernels only), functions (host functions, and one against the same kernels as launches: some 5 minutes; needs nvcc), cub_policies (needs nvcc and CCCL_DIR: some 12 minutes), python (examples in Python, by a tuned.conf of their own: some 70 s), watched (a page that follows a
# run: some 5 minutes), wide (reductions, or families of WIDE_FAMILY, searched, against the best of the device's own
# recording: some 5 minutes), t1 (all 10,312 points of a GEMM) and strategies (on the results of t1), agree (some 150
# s), programs (of others: some 5 minutes), torch (captured: some 2 minutes), agreement (some 7 minutes; cut off, it
# continues when started again), answers (programs' answers at many sizes, of kernels with planted faults: some 170 s)
# and several (more than one GPU)). Other variables:
#   GPU_WORK                             folder for the databases, kept (else one that is not)
#   TUNE_PROBLEMS, TUNE_OPTIONS          what is tuned, and how: arguments of `tune run`
#   FAMILIES, FAMILIES_OPTIONS           the same of families.db: what is looked at quickly,
#   FAMILIES_CLOSELY, .._OPTIONS         and what is compared closely
#   PROGRAMS, PROGRAMS_OPTIONS           the folder of step programs; options of tests/gpu/programs.py
#   FOREIGN_CONF                         of step foreign (else configs/tuned.conf)
#   PEERS_CONF, PEERS_OPTIONS            the file that reduce_peers goes by (else the shipped one)
#   T1_FILES, T1_OPTIONS, ..             of step t1; STRATEGIES_DB, .._OPTIONS, SPACE_FILES
#   SANITIZE_JOBS, SANITIZE_SECONDS      at once, and the limit of each
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: tests/gpu/run.sh BUILD_FOLDER [OUT_FOLDER]}" && pwd)
out=${2:-${OUT:-gpu-results}}
mkdir -p "$out" && out=$(cd "$out" && pwd)
tune=$build/bin/tune
protocol=$build/bench/bench_protocol
if [ -n "${GPU_WORK:-}" ]; then # is kept, and a later start continues with its contents
    work=$GPU_WORK
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
more=$work/more # of more.tar.gz
mkdir -p "$more"
export TUNE_DATA_DIR=$here TUNE_CACHE_DIR=$work/cache
if [ -d "$build/lib-carried" ]; then
    export LD_LIBRARY_PATH=$build/lib-carried${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
failed=0

usual_steps="devices tests calls tune resume check saxpy families example build_peers peers ordered_limits lookup hostile hostile_timed promise budget language compile space twin flush sanitize documents capture captured drafted"
step() { # name command...
    local name=$1
    shift
    case " ${GPU_STEPS:-$usual_steps} " in *" $name "*) ;; *) return 0 ;; esac
    printf '== %s\n' "$name"
    local start=$SECONDS
    if "$@"; then
        printf '== %s: ok in %d s\n' "$name" $((SECONDS - start))
    else
        printf '== %s: FAILED (exit %d) in %d s\n' "$name" $? $((SECONDS - start))
        failed=1
    fi
}

devices() {
    "$tune" devices --json >"$out/devices.json" &&
        "$tune" devices --device 0 --bandwidth
}

gpu_tests() {
    local ok=0 program
    : >"$work/gpu-tests.txt"
    for program in "$build"/tests/gpu/test_*; do
        if [ ! -x "$program" ] || [ "${program##*/}" = test_calls ]; then continue; fi
        printf '%s\n' "-- ${program##*/}" >>"$work/gpu-tests.txt"
        timeout 120 "$program" >>"$work/gpu-tests.txt" 2>&1 || { ok=1; echo "FAILED ${program##*/}"; }
    done
    grep -E '^-- |PASSED|FAILED|error|SKIPPED' "$work/gpu-tests.txt"
    return $ok
}

# A database as it is recorded: slimmed, compressed.
keep() { # name
    python3 "$here/bench/slim.py" "$work/$1" "$more/$1.xz"
}

keep_tuned() {
    cp "$work/tuned.conf" "$out/" && keep tune.db
}

tune_all() {
    local status=0
    # shellcheck disable=SC2086 # options are words
    (cd "$work" && "$tune" run ${TUNE_PROBLEMS:-} --device 0 --no-report ${TUNE_OPTIONS:-} >show.txt 2>run.txt) || status=$?
    tail -n 3 "$work/run.txt"
    cp "$work/run.txt" "$out/"
    keep_tuned
    cat "$work/show.txt"
    return $status
}

# No measurement is repeated; if a budget ended the earlier run, this one continues.
resume() {
    # shellcheck disable=SC2086 # options are words
    (cd "$work" && "$tune" run ${TUNE_PROBLEMS:-} --device 0 --no-report ${TUNE_OPTIONS:-} >/dev/null 2>resume.txt)
    local status=$?
    tail -n 2 "$work/resume.txt"
    if grep -q 'the budget cut short: ' "$work/run.txt"; then
        keep_tuned
        return $status
    fi
    grep -q ' 0 trials\| (all known' "$work/resume.txt" && return $status
    return 1
}

# Families tuned on request only, in a database of its own: those measured quickly, and those
# compared closely.
families() {
    local status=0
    : >"$work/families.txt"
    # shellcheck disable=SC2086 # options are words
    {
        families_run ${FAMILIES-elementwise occupancy reduce_rows reduce_segments} ${FAMILIES_OPTIONS:---effort quick --budget 60s} || status=$?
        families_run ${FAMILIES_CLOSELY-work_queue reduce_ordered} ${FAMILIES_CLOSELY_OPTIONS:---budget 360s} || status=$?
    }
    grep -E '^[0-9]+ problems|^tune:' "$work/families.txt" || tail -n 3 "$work/families.txt"
    cp "$work/families.txt" "$more/"
    cp "$work/families.conf" "$more/" && keep families.db
    return $status
}
families_run() { # problems and options, or options alone: none
    case "${1-}" in "" | -*) return 0 ;; esac
    (cd "$work" && "$tune" run "$@" --device 0 --no-report --db families.db --conf families.conf >/dev/null 2>>families.txt)
}

example() {
    local program=$build/examples/reduce_cuda status=0
    [ -x "$program" ] || { echo "no CUDA example was built"; return 1; }
    : >"$out/example.txt"
    for n in 1024 1048576 16777216 100000000 268435456; do
        "$program" "$work/tuned.conf" "$n" "$here/kernels/reduce/reduce.cu" >>"$out/example.txt" 2>&1 || status=1
    done
    cat "$out/example.txt"
    return $status
}

# A matrix product at 24 shapes, and the losses at 20 others of the configurations chosen for all shapes between: some
# 210 s.
tuples() {
    LD_LIBRARY_PATH=$build/libtuned${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        python3 "$here/tests/gpu/tuples.py" "$tune" "$here" "$work/tuples" "$out/tuples" "${TUPLES_DEVICE:-0}"
}

lookup() {
    local program=$build/bench/bench_lookup
    [ -x "$program" ] || { echo "the benchmark of look-ups was not built"; return 1; }
    (cd "$work" && "$program" tuned.conf) | tee "$more/lookup.txt"
}

# A command's output goes into NAME.txt, too, under the day and the command.
record() { # name command...
    local name=$1 told folder
    shift
    told="$*"
    for folder in "$build/bench" "$build/bin" "$build/tests/gpu" "$more" "$work" "$here"; do
        told=${told//"$folder"\//}
    done
    { printf '%s: %s\n' "$(date -u +%F)" "${told#timeout [0-9]* }" && "$@"; } | tee "$more/$name.txt"
    return "${PIPESTATUS[0]}"
}

# Builds reduce_peers with the installed list of kernels, and reduce_peers_own with a list from this run.
build_peers() {
    local confs=() conf
    for conf in "$work/tuned.conf" "$work/families.conf"; do
        [ -e "$conf" ] && confs+=("$conf")
    done
    [ -x "$build/bin/reduce_peers" ] || build_peers_with reduce_peers || return 1
    [ "${#confs[@]}" = 0 ] || {
        (cd "$here" && "$tune" export --configurations "$work/configurations.inc" "${confs[@]}") &&
            build_peers_with reduce_peers_own "-DTUNE_CONFIGURATIONS=\"$work/configurations.inc\""
    }
}
build_peers_with() { # program, options of nvcc
    local program=$1 objects=$work/$1.objects
    shift
    # shellcheck disable=SC2016 # the inner shell expands them
    (cd "$here" && mkdir -p "$objects" && gcc -std=c99 -O2 -I libtuned -c libtuned/tuned.c -o "$objects/tuned.o" &&
        gcc -std=c99 -O2 -I libtuned -c libtuned/tuned_debug.c -o "$objects/tuned_debug.o" &&
        printf '%s\n' bench/reduce_peers.cu bench/peers/*.cu |
        xargs -P "$(nproc)" -I{} sh -c 'file=$1 objects=$2; shift 2
            nvcc -O2 -std=c++17 -gencode=arch=compute_90,code=sm_90 -I include -I . -I libtuned \
                -I /usr/local/cuda/include/cccl "$@" -c "$file" -o "$objects/$(basename "$file" .cu).o"' sh {} "$objects" "$@" &&
        nvcc -cudart static -o "$build/bin/$program" "$objects"/*.o)
}

# The public calls and CUB's, in turns: the installed list of kernels with the shipped file (peers) and with this run's
# (peers-fresh), and a list made of this run's file with that (peers-own).
peers() {
    local program=$build/bin/reduce_peers conf confs=()
    [ -x "$program" ] || { echo "the benchmark against CUB was not built (TUNE_BENCH_PEERS)"; return 1; }
    # shellcheck disable=SC2086 # options are words
    record peers timeout 580 "$program" --conf "${PEERS_CONF:-$here/configs/tuned.conf}" --csv "$more/peers.csv" \
        --ceilings "$more/peers-ceilings.csv" ${PEERS_OPTIONS:-} || return 1
    for conf in "$work/tuned.conf" "$work/families.conf"; do
        [ -e "$conf" ] && confs+=(--conf "$conf")
    done
    [ "${#confs[@]}" = 0 ] || {
        record peers-fresh timeout 300 "$program" "${confs[@]}" --problems sum.i32,sum.f32 --csv "$more/peers-fresh.csv" &&
            record peers-own timeout 300 "${program}_own" "${confs[@]}" --problems sum.i32,sum.f32 --csv "$more/peers-own.csv"
    }
}

# The limits of reductions in order, compared with others.
ordered_limits() {
    local program=$build/bin/ordered_limits
    if [ ! -x "$program" ]; then
        (cd "$here" && nvcc -O2 -std=c++17 -gencode=arch=compute_90,code=sm_90 -I . -I bench -cudart static -o "$program" \
            bench/ordered_limits.cu bench/peers/timer.cu) || return 1
    fi
    record ordered-limits "$program" --csv "$more/ordered-limits.csv"
}

# Programs' calls: every size, many streams, more than 2^31 elements.
calls() {
    local program=$build/tests/gpu/test_calls
    [ -x "$program" ] || { echo "the test of the calls was not built"; return 1; }
    record calls timeout 300 "$program" 2>&1
}

# One program under one tool. Its log ends with the exit code. Calls that fail are the program's to
# judge (a kernel's last parameter is found by asking for one more): the tools are for the kernels.
sanitize_one() { # tool name command...
    local tool=$1 name=$2 log=$more/sanitize/$1-$2.txt code=0 options=()
    shift 2
    [ "$tool" = memcheck ] && options=(--report-api-errors no)
    timeout "${SANITIZE_SECONDS:-180}" compute-sanitizer --tool "$tool" "${options[@]}" --error-exitcode 99 \
        --target-processes application-only "$@" >"$log" 2>&1 || code=$?
    printf 'exit code %d\n' "$code" >>"$log"
}

# A clean log says so in its summary, whatever else it contains.
sanitize_verdict() { # log
    local summary
    summary=$(grep -E '(ERROR|RACECHECK) SUMMARY' "$1" | tail -n 1)
    summary=${summary#========= }
    case "$summary" in
    "ERROR SUMMARY: 0 errors" | "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)") ;;
    *) summary="FAILED ${summary:-no summary}" ;;
    esac
    [ "$(tail -n 1 "$1")" = "exit code 0" ] || summary="FAILED $summary, $(tail -n 1 "$1")"
    printf '%-44s %s\n' "$(basename "$1" .txt)" "$summary"
    case "$summary" in FAILED*) return 1 ;; esac
}

# Starts it beside the others, when there is room.
sanitize_start() { # tool name command...
    while [ "$(jobs -pr | wc -l)" -ge "${SANITIZE_JOBS:-8}" ]; do wait -n; done
    sanitize_one "$@" </dev/null &
}

sanitize_points() { # tool name experiment options...
    sanitize_start "$1" "$2" "$build/tests/gpu/run_points" "$here/configs/$3.yaml" "${@:4}"
}

# Out-of-bounds and misaligned accesses, races in shared memory, wrong barriers, reads of
# uninitialised memory: a point of each variant of each family, and the calls.
sanitize() {
    local status=0 tool log small="--sizes 33,4097,65537"
    command -v compute-sanitizer >/dev/null || { echo "there is no compute-sanitizer here"; return 1; }
    mkdir -p "$more/sanitize"
    # shellcheck disable=SC2086 # options are words
    for tool in racecheck memcheck initcheck synccheck; do # the slowest first
        sanitize_start "$tool" calls "$build/tests/gpu/test_calls" --small
        sanitize_points "$tool" reduce-i32 reduce --problem reduce.sum.i32 --each variant,map,step,cache $small
        sanitize_points "$tool" reduce-u8 reduce --problem reduce.sum.u8 --each variant,map $small
        sanitize_points "$tool" reduce-f64 reduce --problem reduce.min.f64 --each variant,map $small
        sanitize_points "$tool" reduce-bf16 reduce --problem reduce.product.bf16 --each variant,map $small
        sanitize_points "$tool" reduce_ordered reduce_ordered --each variant,step $small
        sanitize_points "$tool" reduce-all reduce --each variant,map,step,cache,bound --share --sizes 4099
        sanitize_points "$tool" reduce_rows reduce_rows --each step,map --share --sizes 1,33,1000
        sanitize_points "$tool" reduce_segments reduce_segments --each lanes,vector,loads --share --sizes 256
        sanitize_points "$tool" work_queue work_queue --each variant $small
        sanitize_points "$tool" elementwise elementwise --each hint --share $small
        sanitize_points "$tool" occupancy occupancy --each loads $small
    done
    wait
    printf '%s: compute-sanitizer\n' "$(date -u +%F)" | tee "$more/sanitize.txt"
    for log in "$more"/sanitize/*.txt; do
        sanitize_verdict "$log" >"$work/verdict.txt" || status=1
        tee -a "$more/sanitize.txt" <"$work/verdict.txt"
    done
    return $status
}

# A/A: one configuration against itself; and the same with kept graphs.
twin() {
    local status=0
    record twin "$protocol" twin --device cuda:0 --out "$more/twin.csv" || status=$?
    record twin-keep "$protocol" twin --device cuda:0 --keep --out "$more/twin-keep.csv" || status=$?
    return $status
}

# The cost of a trial with large outputs beside its timed runs, and of a problem before its first trial: checked on the
# device and on the host.
trial_cost() {
    record trial_cost python3 "$here/bench/trial_cost.py" "$build" --device cuda:0
}

# Checks whether a page that follows a run disturbs the measurements.
watched() {
    record watched python3 "$here/bench/watch.py" "$tune" --device cuda:0 --sizes 2**20,2**24 --json "$more/watched.json"
}

# The cache flushed by reading and by writing.
flush() {
    record flush "$protocol" flush --device cuda:0 --out "$more/flush.csv"
}

# Simpler ways of choosing, against themselves. nvbench's own half second of GPU time a candidate
# would take hours.
agree() {
    # shellcheck disable=SC2086 # options are words
    record agree "$protocol" agree --device cuda:0 ${AGREE_OPTIONS:-$agree_usual} --out "$more/agree.csv"
}
agree_usual="--sizes 2^16,2^20,2^22,2^24,2^26,2^28 --candidates 8 --min-time 0.005 --timeout 1"

# Whole tunings against one another. Complete ones stay for another start of the same program.
agreement() {
    local databases
    databases=$here/build/agreement-$(sha256sum "$tune" | cut -c1-12)
    # shellcheck disable=SC2086 # options are words
    python3 "$here/bench/agreement.py" "$build" "$more" --work "$databases" ${AGREEMENT_OPTIONS:-} -- --device 0
}

# The healthy winner is found, each culprit is named rightly, and the cost of a hang is printed.
hostile() {
    local status=0 way want got
    mkdir -p "$work/hostile" && cd "$work/hostile" || return 1
    "$tune" run "$here/tests/gpu/hostile.yaml" --device 0 --no-report >show.txt 2>run.txt || status=$?
    "$tune" show --failures >failures.txt 2>&1
    python3 - tune.db >cost.txt <<'P'
import sqlite3, sys
print("What each cost, a new worker process included:")
for row in sqlite3.connect(sys.argv[1]).execute("""SELECT json_extract(c.parameters, '$.way'), t.status, t.duration_ns / 1e9
        FROM trials t JOIN configurations c ON c.id = t.configuration_id WHERE t.stage = 'sweep' ORDER BY 3 DESC"""):
    print("  %-12s %-16s %6.2f s" % row)
P
    sed "s#$here/##" run.txt failures.txt cost.txt | tee "$out/hostile.txt"
    [ $status -eq 0 ] || { echo "exit code $status"; return 1; }
    grep -q 'way=plain' tuned.conf || { echo "the winner is not the healthy one"; return 1; }
    while read -r way want; do
        got=$(grep -c "^.*way=$way .*" <(grep -E "$want" failures.txt))
        [ "$got" -ge 1 ] || { echo "way $way is not $want"; status=1; }
    done <<'WAYS'
hang timed_out
trap crashed
wild crashed
misaligned crashed
wrong wrong_result
racy wrong_result
short wrong_result
mutates writes.its.input
swaps writes.its.input
stale wrong_result
no_c compile_failed
greedy launch_failed
WAYS
    # Errors that one check does not show are found among the fastest.
    python3 - tune.db <<'P' || { echo "something wrong passed the checks of finalists"; status=1; }
import sqlite3, sys
passed = sqlite3.connect(sys.argv[1]).execute("""SELECT json_extract(c.parameters, '$.way') FROM gauntlets g
    JOIN configurations c ON c.id = g.configuration_id
    WHERE g.passed AND json_extract(c.parameters, '$.way') IN ('peeks', 'far', 'remembers', 'stops')""").fetchall()
sys.exit(f"passed: {passed}" if passed else 0)
P
    return $status
}

# Kernels that are right at first and wrong while timed are named, with the stage.
hostile_timed() {
    local status=0 way
    mkdir -p "$work/hostile_timed" && cd "$work/hostile_timed" || return 1
    "$tune" run "$here/tests/gpu/hostile_timed.yaml" --device 0 --no-report >show.txt 2>run.txt || status=$?
    python3 - tune.db >why.txt <<'P'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("""SELECT DISTINCT json_extract(c.parameters, '$.way'),
        coalesce(t.detail, '') || ' ' || coalesce(g.detail, '')
        FROM trials t JOIN configurations c ON c.id = t.configuration_id
        LEFT JOIN gauntlets g ON g.configuration_id = c.id AND NOT g.passed ORDER BY 1, 2"""):
    print("%s: %s" % row)
P
    sed "s#$here/##" run.txt why.txt | tee "$out/hostile_timed.txt"
    [ $status -eq 0 ] || { echo "exit code $status"; return 1; }
    grep -q 'way=plain' tuned.conf || { echo "the winner is not the healthy one"; return 1; }
    grep -qE '^late50: .*out\[' why.txt || { echo "way late50 is not named"; status=1; }
    # The others leave the race before they are wrong, or are wrong in it, as it happens.
    grep -qE '^(remembers|seldom|stops|late2000): .*timed in a row' why.txt || { echo "nobody is named in the race"; status=1; }
    return $status
}

# Programs' answers at many sizes, of kernels with planted faults (tests/gpu/answers/README.md).
answers() {
    record answers "$here/tests/gpu/answers/check.sh" "$tune" "$here/libtuned" "$work/answers" 11
}

# All GPUs at once: each takes its share; a killed worker loses nothing.
several() {
    local status=0 victim
    mkdir -p "$work/several" && cd "$work/several" || return 1
    ("$tune" --device all --no-report >show.txt 2>run.txt) & local tuner=$!
    sleep 8
    victim=$(pgrep -f '__measure cuda 1' | head -n 1)
    [ -n "$victim" ] && kill -9 "$victim" && echo "killed worker $victim of cuda:1"
    wait $tuner || status=$?
    cat run.txt show.txt | tee "$out/several.txt"
        python3 - tune.db <<'P' | tee -a "$out/several.txt" || status=1
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
rows = db.execute("""SELECT d.uuid, count(*), sum(t.status = 'ok'), sum(t.status NOT IN ('ok', 'skipped_by_constraint'))
    FROM trials t JOIN runs r ON r.id = t.run_id JOIN environments e ON e.id = r.environment_id
    JOIN devices d ON d.id = e.device_id
    WHERE t.stage = 'sweep' GROUP BY 1""").fetchall()
for row in rows:
    print("device %s: %d trials, %d ok, %d failed" % row)
print("winners:", db.execute("SELECT count(*) FROM winners").fetchone()[0])
twice = db.execute("""SELECT count(*) FROM (SELECT 1 FROM trials WHERE stage = 'sweep'
    GROUP BY problem_id, configuration_id HAVING count(*) > 1)""").fetchone()[0]
print("measured twice:", twice)
sys.exit(0 if len(rows) > 1 and twice == 0 else 1)
P
    return $status
}

# shellcheck source=tests/gpu/steps/own.sh
source "$here/tests/gpu/steps/own.sh"
# shellcheck source=tests/gpu/steps/budget.sh
source "$here/tests/gpu/steps/budget.sh"
# shellcheck source=tests/gpu/steps/fleet.sh
source "$here/tests/gpu/steps/fleet.sh"
# shellcheck source=tests/gpu/steps/captured.sh
source "$here/tests/gpu/steps/captured.sh"
# shellcheck source=tests/gpu/steps/wide.sh
source "$here/tests/gpu/steps/wide.sh"
# shellcheck source=tests/gpu/steps/capture.sh
source "$here/tests/gpu/steps/capture.sh"
# shellcheck source=tests/gpu/steps/programs.sh
source "$here/tests/gpu/steps/programs.sh"
# shellcheck source=tests/gpu/steps/torch.sh
source "$here/tests/gpu/steps/torch.sh"

step devices devices
step tests gpu_tests
step calls calls
step tune tune_all
step resume resume
step check check
step foreign foreign
step saxpy saxpy
step families families
step example example
step build_peers build_peers
step peers peers
step ordered_limits ordered_limits
step lookup lookup
step tuples tuples
step python python_kernels
step hostile hostile
step hostile_timed hostile_timed
step promise promise
step budget budget
step trial_cost trial_cost
step watched watched
step own own
step functions functions
step cub_policies cub_policies
step language language
step compile compile
step space space
step t1 t1
step strategies strategies
step twin twin
step flush flush
step sanitize sanitize
step captured captured
step drafted drafted
step agree agree
step agreement agreement
step answers answers
step several several
step wide wide
step documents documents
step capture capture
step programs programs
step torch torch
if [ -n "$(ls "$more")" ]; then
    tar -czf "$out/more.tar.gz" -C "$more" .
fi
exit $failed
