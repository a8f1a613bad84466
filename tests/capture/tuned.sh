# A recorded launch is replayed and tuned: launches into the middle of their buffers, and a repeated one, which counts
# once.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/capture/lib.sh"

capture app.cap --keep 3 -- link add
expect_code 0
run "$TUNE" run --binary app.cap --device 0 --effort quick --points 4 --no-report --set warm_window_ms=1 --set warm_least_ms=1 --set warm_most_ms=20
expect_code 0
expect_err 'replayed three times each: the program.s results, to the bit'
expect_err ' 0 failed'
expect_out 'gain over program'
grep -qE '^app n=.* checked_on=[0-9]+ image=[0-9a-f]{32} ' tuned.conf || fail "no evidence: $(cat tuned.conf)"
grep -qE '\{pointer: p0_0, offset: "\[2000, 0.*\]\[_launch\]"\}' app.captured/app.yaml || fail "no offset: $(cat app.captured/app.yaml)"
sizes=$(sed -n 's/^  n: \[\(.*\)\]$/\1/p' app.captured/app.yaml | tr -d ' ' | tr ',' '\n')
[[ $(wc -l <<<"$sizes") -eq $(sort -u <<<"$sizes" | wc -l) ]] || fail "a size twice: $sizes"

# Each launch with its own block: that is the default, and the baseline of gains.
capture blocks.cap --keep 3 -- link blocks
run "$TUNE" run --binary blocks.cap --device 0 --effort quick --points 3 --no-report --conf blocks.conf --set warm_window_ms=1 --set warm_least_ms=1 --set warm_most_ms=20
expect_code 0
grep -qx '  block_x: \[0, 32, .*' blocks.captured/blocks.yaml || fail "no own blocks: $(cat blocks.captured/blocks.yaml)"
grep -qF 'block: ["(block_x if block_x > 0 else [64, 128, 256][_launch])", "1", "1"]' blocks.captured/blocks.yaml || fail "other blocks: $(cat blocks.captured/blocks.yaml)"
for block in 64 128 256; do
    run "$TUNE" run --binary blocks.cap --dry-run --sizes $((10 * block))
    expect_out "grid 10 block $block shared 64 bytes$"
done
