# --only looks at some values of a parameter: the winner that is known races with them, and stays where none of
# them is faster.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 3
winner() {
    sed -n 's/^copy.i32 n=[0-9-]* \(way=[0-9]*\) .*/\1/p' tuned.conf
}

tune_copy 'kernel@WAY=1: slower=2; kernel@WAY=2: slower=3' --only way=1,2
expect_code 0
[[ $(winner) == way=1 ]] || fail "the winner of two is $(winner)"
tune_copy 'kernel@WAY=1: slower=2; kernel@WAY=2: slower=3' --only way=2
expect_code 0
expect_err "^tune: copy.i32 n=1000: --only leaves out the winner that is known, way=1 block=[0-9]+: it races, too$"
[[ $(winner) == way=1 ]] || fail "a slower winner of fewer values took its place: $(winner)"
tune_copy 'kernel@WAY=1: slower=2; kernel@WAY=2: slower=3' --only way=3
expect_code 0
[[ $(winner) == way=3 ]] || fail "a faster winner of fewer values did not: $(winner)"
tune_copy 'kernel@WAY=1: slower=2; kernel@WAY=2: slower=3'
expect_code 0
refuse_err 'leaves out'
