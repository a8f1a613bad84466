# Kernels whose result is wrong: always, though the fastest by far, or only when launched again.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy

tune_copy 'kernel@WAY=1,block=64: wrong
    kernel@WAY=2,block=64#2+: wrong
    kernel@WAY=3,block=64: wrong slower=0.01'
expect_code 0
wrong='wrong_result out\[0\] is -?[0-9]+, not -?[0-9]+'
expect_failed "1 64 $wrong" "2 64 ${wrong/out/run 1 of [0-9]+ timed in a row(, on changed inputs)?: out}" "3 64 $wrong"
! grep -qE 'way=(1|2|3) block=64 ' tuned.conf || fail "the winner is wrong"

# Of the shipped sums, one variant with one block size: few, so that all are tried.
forget
few=(--only "variant=one_block,last_block" --only "block=128,256" --only "loads=1,4" --only map=strided --only cache=no_allocate
    --only bound=free --only blocks_per_sm=1)
export TUNE_FAULTS='kernel@FINISH=last_block,block=256,TYPE=i32: wrong'
run "$TUNE" run reduce.sum.i32 reduce.sum.f32 --device 0 --sizes 4096 --no-report "${few[@]}" "${warm[@]}"
expect_code 0
got=$(query "SELECT DISTINCT status, json_extract(c.parameters, '\$.variant'),
    json_extract(c.parameters, '\$.block'), p.key FROM trials t
    JOIN configurations c ON c.id = t.configuration_id JOIN problems p ON p.id = t.problem_id
    WHERE status NOT IN ('ok', 'skipped_by_constraint')")
[[ $got == 'wrong_result last_block 256 reduce.sum.i32' ]] || fail "not what was scripted: $got"
