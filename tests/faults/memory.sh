# A device that is out of memory: for a moment, for one problem, for all.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
# No hang here, and a loaded machine takes its time for 20 MB.
export TUNE_TRIAL_TIMEOUT_MS=60000
write_copy 2
sed -i 's/n: \[1000\]/n: [1000, 5000000]/' copy.yaml

# 20 MB of input and output are too much, 4 kB are not.
tune_copy 'memory=16M'
expect_code 6
expect_err 'copy.i32 n=5000000: no configuration works'
got=$(query "SELECT DISTINCT status, detail FROM trials WHERE status != 'ok'")
[[ $got =~ ^launch_failed\ [0-9]+\ bytes\ of\ device\ memory\ for\ \'in\':\ CUDA_ERROR_OUT_OF_MEMORY ]] ||
    fail "out of memory is told so: $got"
grep -q '^copy\.i32 n=1000 ' tuned.conf || fail "the problem that fits has no winner"

# All fit once each.
forget
tune_copy 'memory=60M'
expect_code 0

# The first request fails: memory of other problems is freed, and the request is repeated.
forget
tune_copy 'cuMemAlloc@start=1>16M#3: 2' --sizes 5000000
expect_code 0
expect_failed

# Large buffers to measure the ceilings with are not to be had: smaller ones do.
forget
tune_copy 'cuMemAlloc>20M: 2' --sizes 1000
expect_code 0
expect_out 'read ceiling [0-9]+ GB/s'

# No memory is available at all.
forget
tune_copy 'cuMemAlloc: 2'
[[ $code -ne 0 ]] || fail "no memory, but exit code 0"
expect_err 'CUDA_ERROR_OUT_OF_MEMORY \(2\)'
expect_one_line err
