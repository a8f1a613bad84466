#!/bin/bash
# A ceiling that the data break is measured again, and then not used: neither tables nor tuned.conf tell a
# share of it, and --why says so. One that only a busy moment had made too low is right the second time.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
# No hang here, and a loaded machine takes its time for large data.
export TUNE_TRIAL_TIMEOUT_MS=60000
write_copy 1
sed -i 's|n: \[1000\]|n: [1000, 4194304]|' copy.yaml
export TUNE_CEILING_BYTES=33554432
slow='kernel@kernel=tune_read_2|tune_read_4|tune_read_8|tune_read_first_to_go|tune_read_bulk: slower=20'
brief=(--effort quick --set look_between=0 --device cuda:0)

newest() { query "SELECT $1 FROM ceilings ORDER BY id DESC LIMIT 1"; }

# Whichever way is the fastest counts.
for fast in tune_read_2 tune_read_first_to_go tune_read_bulk; do
    forget
    others=${slow/$fast/no_such}
    tune_copy "$others" "${brief[@]}" --sizes 1000
    [[ $(newest 'read_gbs > 1000') == 1 ]] || fail "with $fast alone the device reads $(newest read_gbs) GB/s"
done

# Slow for good: given up. The other ceilings stay.
forget
tune_copy "$slow" "${brief[@]}"
expect_code 0
expect_err 'more than the read ceiling of [0-9]+, which was measured twice: it is not used'
[[ $(query "SELECT count(*) FROM ceilings") == 2 ]] || fail "not measured twice: $(query "SELECT * FROM ceilings")"
[[ $(newest 'read_gbs IS NULL, write_gbs > 0, copy_gbs > 0') == '1 1 1' ]] || fail "$(newest 'read_gbs, write_gbs')"
! grep -q ceiling_percent tuned.conf || fail "a share of a broken ceiling in tuned.conf"
run "$TUNE" show --json
expect_json '{r["ceiling_percent"] for r in j}' '{None}'
run "$TUNE" show --wide --why --n 4194304
expect_out 'A winner moves more than the read ceiling that was measured on this device, so that ceiling is not used\.'

# The next run tries again: by then the device is its old self.
tune_copy '' "${brief[@]}" --l2 stream
expect_code 0
[[ $(newest 'read_gbs > 0') == 1 ]] || fail "not measured again"

# A problem that a cache may hold breaks no ceiling for others: only its own share is not told.
forget
tune_copy "${slow/slower=20/slower=2000}" "${brief[@]}" --sizes 1000
expect_code 0
expect_err 'part of it comes out of a cache, and its share of the ceiling is not shown'
[[ $(newest 'read_gbs > 0') == 1 ]] || fail "given up for a problem that fits a cache"
! grep -q ceiling_percent tuned.conf || fail "a share above the ceiling in tuned.conf"
run "$TUNE" show --json
expect_json '[(r["ceiling_percent"], r["ceiling_gbs"] > 0) for r in j]' '[(None, True)]'
