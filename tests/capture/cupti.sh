# With the toolkit's injection instead of LD_PRELOAD: the same launches, the same contents.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/capture/lib.sh"
[[ -e $(dirname "$TUNE")/../lib/tune/libtunecapture-cupti.so ]] || { echo "skipped: built without CUPTI's headers"; exit 77; }
unset CUDA_INJECTION64_PATH

for what in add forms threads graph; do
    plain=$("$APP" link $what)
    for way in preload cupti; do
        [[ $way == preload ]] || export LD_PRELOAD=$STANDIN_CUPTI
        run "$TUNE" capture --via $way --kernel '*' --keep 4 -o $what-$way.cap -- "$APP" link $what
        unset LD_PRELOAD
        expect_code 0
        [[ $(head -n 1 "$captured.out") == "$plain" ]] || fail "the program's result changed: $(cat "$captured.out"), not $plain"
    done
    # The first launches of threads differ from run to run; addresses and times always do.
    [[ $what != threads ]] || { grep -q '^kernel .* launches=800 ' <(run "$DUMP" threads-cupti.cap; cat "$captured.out") || fail "not all launches of all threads"; continue; }
    for way in preload cupti; do
        dump $what-$way.cap
        sed -E 's/ (pid|parent|started|at|at_ns|address|time_ns|started_ns)=[^ ]*//g; s/0x[0-9a-f]+//g' "$captured.out" | grep -E '^(kernel|shape|launch|buffer|pointer|image|note) ' >$what-$way.txt
    done
    grep -q '^launch ' $what-preload.txt || fail "nothing to hold against: $(cat "$captured.out")"
    diff $what-preload.txt $what-cupti.txt || fail "$what is not the same both ways"
done

# Tuned as any other.
LD_PRELOAD='' run "$TUNE" run --binary add-cupti.cap --device 0 --effort quick --points 2 --no-report --set warm_window_ms=1 --set warm_least_ms=1 --set warm_most_ms=20
expect_code 0
expect_err 'replayed three times each: the program.s results, to the bit'

# Where it cannot be had, it is said, and the program runs as ever.
LD_PRELOAD=$STANDIN_CUPTI STANDIN_CUPTI_REFUSES=1 golden_refusal "$TUNE" capture --via cupti -- "$APP" link add
LD_PRELOAD=$STANDIN_CUPTI TUNE_CUPTI_LIBRARY=./missing.so golden_refusal "$TUNE" capture --via cupti -- "$APP" link add
CUDA_INJECTION64_PATH=other.so run "$TUNE" capture --via cupti -- "$APP" link add
expect_code 2
expect_err 'CUDA_INJECTION64_PATH is set'
golden "$TUNE" capture --via air -- "$APP" link add
expect_golden
