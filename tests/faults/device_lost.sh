# A device that falls off the bus: all measurements are kept, the run ends with a line, and a later
# one goes on where it ended.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy

# Gone for one start, as after a reset: the next worker gets it again.
tune_copy 'kernel@WAY=3,block=64: 719 lost=1 times=1'
expect_code 0
expect_file tuned.conf
[[ $(outcomes | grep -cv ' ok$') -le 1 ]] || fail "more than one configuration was blamed"

# Gone for good.
forget
tune_copy 'kernel@WAY=3#1: lost'
expect_code 1
expect_err 'no device is left: device cuda:0 does not come back: .*CUDA_ERROR_NO_DEVICE'
measured=$(query "SELECT count(*) FROM trials WHERE status = 'ok' AND stage = 'sweep'")
[[ $measured -gt 0 ]] || fail "nothing of what was measured before is in the database"
refuse_workers
[[ $(query 'PRAGMA integrity_check') == ok ]] || fail "the database is damaged"

# Still gone: no row is added or removed.
tune_copy ''
expect_code 4
expect_err 'CUDA_ERROR_NO_DEVICE'
[[ $(query "SELECT count(*) FROM trials WHERE status = 'ok' AND stage = 'sweep'") == "$measured" ]] ||
    fail "trials came or went without a device"

# Back: the rest is measured, and only that.
rm "$TUNE_FAULTS_STATE"
tune_copy ''
expect_code 0
expect_file tuned.conf
again=$(query "SELECT count(*) FROM (SELECT configuration_id FROM trials WHERE stage = 'sweep' AND
    status = 'ok' GROUP BY 1 HAVING count(*) > 1)")
[[ $again -eq 0 ]] || fail "$again configurations were measured twice"

# Its number passes to another device: that one is not measured in its name.
forget
tune_copy 'devices=big,small; kernel@WAY=3#1: lost'
[[ $code -ne 0 ]] || fail "a device was lost, but exit code 0"
expect_err 'GPU-00102030-[-0-9a-f]* is gone'
