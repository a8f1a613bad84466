# One configuration alone is a hundred times as fast as the memory lets it be: it is not believed.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
# No hang here, and a loaded machine takes its time for large data.
export TUNE_TRIAL_TIMEOUT_MS=60000
write_copy 2
sed -i 's/n: \[1000\]/n: [1500000]/' copy.yaml
export TUNE_CEILING_BYTES=33554432

tune_copy 'kernel@WAY=1,block=64: slower=0.01' --effort quick
expect_code 0
expect_err "'way=1 block=64' was among the fastest, but is out: not believed: [0-9]+ GB/s from cold caches"
! grep -q 'way=1 block=64' tuned.conf || fail "the winner is not to be believed"
expect_file tuned.conf

# Nor are several that all do nothing.
forget
tune_copy 'kernel@WAY=1: slower=0.01' --effort quick
expect_code 0
for block in 64 128 256; do
    expect_err "'way=1 block=$block' was among the fastest, but is out: not believed: "
done
! grep -q 'way=1' tuned.conf || fail "the winner is not to be believed"
expect_file tuned.conf

# Where all are, it is the ceiling or the bytes that are wrong.
forget
tune_copy 'kernel@kernel=copy_elements: slower=0.01' --effort quick
expect_code 0
refuse_err 'not believed'
expect_file tuned.conf
