# Kernels whose result is wrong: at once, in a graph only, or now and then.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy

# lies FAULTS: way 3 with blocks of 64.
lies() {
    forget
    tune_copy "$1"
    expect_code 0
    expect_only 3 wrong_result 64
    expect_detail 'out\[0\] is -?[0-9]+, not -?[0-9]+'
    ! grep -q 'way=3 block=64 ' tuned.conf || fail "the winner is wrong"
}

lies 'kernel@WAY=3,block=64: wrong'
lies 'kernel@WAY=3,block=64#2+: wrong'
# The fastest by far, and wrong.
lies 'kernel@WAY=3,block=64: wrong slower=0.01'

# Of the shipped reductions, one variant with one block size.
forget
export TUNE_FAULTS='kernel@kernel=reduce_last_block,block=256,ELEMENT=int: wrong'
run "$TUNE" run reduce --device 0 --sizes 1024 --no-plots
expect_code 0
got=$(query "SELECT DISTINCT status, json_extract(c.parameters, '\$.variant'),
    json_extract(c.parameters, '\$.block'), p.key FROM trials t
    JOIN configurations c ON c.id = t.configuration_id JOIN problems p ON p.id = t.problem_id
    WHERE status NOT IN ('ok', 'skipped_by_constraint')")
[[ $got == 'wrong_result last_block 256 reduce.sum.i32' ]] || fail "not what was scripted: $got"
