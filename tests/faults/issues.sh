# Launches issued as a graph, on a stream and one by one are timed on the device that is there: a kernel that is slow in
# graphs alone loses as graph and wins otherwise, and results are right in each.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 1
export TUNE_FAULTS='kernel@kernel=copy_elements,timed=yes,block=256: slower=4; kernel@kernel=copy_elements,timed=no,block=64|128: slower=2'
run "$TUNE" run ./copy.yaml --device cuda:0 --no-report --as graph,stream,eager --set confirm_processes=2 --set confirm_rounds=5 "${warm[@]}"
expect_code 0
expect_err 'the issue of launches changes 2 of 2 winners: copy.i32 n=1000 as (stream|eager): the winner as graph takes'
query "SELECT w.l2_mode, json_extract(c.parameters, '\$.block') IN (64, 128) FROM winners AS w JOIN trials AS t ON t.id = w.trial_id
    JOIN configurations AS c ON c.id = t.configuration_id ORDER BY 1" >told.txt
printf 'cold 1\ncold-eager 0\ncold-stream 0\n' | cmp -s - told.txt || fail "other winners: $(cat told.txt)"
[[ $(query "SELECT count(*) FROM trials WHERE status <> 'ok'") -eq 0 ]] || fail "not all are right"
[[ $(grep -c '^\[cuda' tuned.conf) -eq 3 && $(grep -c '^\[cuda .* for=\(eager\|stream\) ' tuned.conf) -eq 2 ]] || fail "no sections: $(cat tuned.conf)"
forget
