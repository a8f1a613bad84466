#!/bin/bash
# A reference kernel that breaks the device's context is named with its arguments; the device is not lost. At an odd
# size without a working reference there is a winner all the same.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 3
sed -i 's/^check:.*/check: {configuration: {way: 1, block: 256}, output: out}\ndefaults: {way: 2, block: 256}/' copy.yaml
brief=(--set block_ns=20000 --effort quick)

# At the problem's own size: 1000 elements are four blocks.
tune_copy 'kernel@WAY=1,block=256,grid=4: 700 sticky' "${brief[@]}"
expect_code 3
expect_err "^tune run: ./copy.yaml: copy.i32 n=1000: computing the expected results \(kernel 'copy_elements' with in\[1000\], out\[1000\]\): "
refuse_err 'is lost|does not come back'

# At up to 256 elements.
forget
tune_copy 'kernel@WAY=1,block=256,grid=1: 700 sticky' "${brief[@]}"
expect_code 0
refuse_err 'is lost|does not come back'
[[ $(grep -cE "^tune: copy.*serves? only some sizes, .*: crashed: computing the expected results \(kernel 'copy_elements' with in\[1\], out\[1\]\): " "$captured.err") -eq 1 ]] ||
    fail 'not said once'
expect_err "write under its constraints 'n >= 512'"
[[ $(query "SELECT count(*) FROM winners") -eq 1 ]] || fail "no winner"
[[ $(query "SELECT count(*) FROM gauntlets WHERE NOT passed") -eq 0 ]] || fail "$(query "SELECT * FROM gauntlets")"

# A reference that fails once is computed again.
forget
tune_copy 'kernel@WAY=1: 700 sticky times=1' "${brief[@]}"
expect_code 0
refuse_err 'is lost|computing the expected'
[[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep' AND status <> 'ok'") -eq 0 ]] || fail "$(outcomes)"

# A reference that breaks only later processes, after a trial ended the first, does not count as a lost device
# either.
forget
tune_copy 'kernel@WAY=1,block=256,grid=4,start=2|3|4|5|6|7|8|9: 700 sticky; cuLaunchKernel@WAY=3,block=64,start=1: crash' "${brief[@]}"
expect_code 3
expect_err "computing the expected results \(kernel 'copy_elements' with in\[1000\], out\[1000\]\): "
refuse_err 'is lost|does not come back'
