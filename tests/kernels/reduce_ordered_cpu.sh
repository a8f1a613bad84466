#!/bin/bash
# The CPU's order-keeping kernels: every configuration compiles and is right, and the gauntlet takes
# none out; one with a wrong order is out.
# shellcheck source=../cli/lib.sh
source "$TUNE_TESTS/lib.sh"

run "$TUNE" run "$TUNE_SOURCE/configs/reduce_ordered_cpu.yaml" --device cpu --sizes 16384 "${steady[@]}" --quiet \
    --set sweep_slower=0.25 --set warm_least_ms=20 --set warm_most_ms=100
expect_code 0
expect_file tuned.conf
[[ $(query "SELECT count(*) FROM trials WHERE status NOT IN ('ok', 'unstable')") == 0 ]] ||
    fail "$("$TUNE" show --failures)"
[[ $(query "SELECT count(*) FROM gauntlets WHERE NOT passed") == 0 ]] ||
    fail "$(query "SELECT detail FROM gauntlets WHERE NOT passed")"
[[ $(query "SELECT count(DISTINCT problem_id) FROM winners") == 3 ]] || fail "no winner for each of 3 problems"

# Results of two runs of neighbours change places.
sed 's/part\[0\] = combine(part\[0\], part\[c\])/part[0] = combine(part[c], part[0])/' \
    "$TUNE_SOURCE/kernels/reduce_ordered/reduce_ordered_cpu.c" >swapped.c
cmp -s swapped.c "$TUNE_SOURCE/kernels/reduce_ordered/reduce_ordered_cpu.c" && fail "nothing to break"
sed -e 's/^experiment: .*/experiment: swapped/; s/^source: .*/source: swapped.c/' \
    -e 's/^  threads: .*/  threads: [1]/; s/^  chains: .*/  chains: [2]/; /^baselines:/,$d' \
    "$TUNE_SOURCE/configs/reduce_ordered_cpu.yaml" >swapped.yaml
run "$TUNE" run swapped.yaml --device cpu --sizes 4096 "${steady[@]}" --quiet
[[ $(query "SELECT count(*) FROM trials t JOIN problems p ON p.id = t.problem_id
            WHERE p.key LIKE 'swapped.%' AND t.status = 'wrong_result'") == 3 ]] ||
    fail "a wrong order went unseen: $("$TUNE" show --failures)"
