#!/bin/bash
# The CPU's elementwise kernels: every configuration compiles and is right, and the gauntlet takes none
# out. One type and one size, which is enough for several blocks and threads, since each costs seconds.
# shellcheck source=../cli/lib.sh
source "$TUNE_TESTS/lib.sh"

sed 's/^  type: .*/  type: [f32]/' "$TUNE_SOURCE/configs/elementwise_cpu.yaml" >elementwise_cpu.yaml
run "$TUNE" run elementwise_cpu.yaml --device cpu --sizes 65536 "${steady[@]}" --quiet \
    --set sweep_slower=0.25 --set warm_least_ms=20 --set warm_most_ms=100
expect_code 0
expect_file tuned.conf
[[ $(query "SELECT count(*) FROM trials WHERE status NOT IN ('ok', 'unstable')") == 0 ]] ||
    fail "$("$TUNE" show --failures)"
[[ $(query "SELECT count(*) FROM gauntlets WHERE NOT passed") == 0 ]] ||
    fail "$(query "SELECT detail FROM gauntlets WHERE NOT passed")"
[[ $(query "SELECT count(DISTINCT problem_id) FROM winners") == 3 ]] || fail "no winner for each of 3 problems"
