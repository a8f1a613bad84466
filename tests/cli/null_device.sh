#!/bin/bash
# The null device (tuner/device/scripted/), rows of a formula: a whole run of the usual experiments' files, from the
# sweep to the export, without a GPU or a compiler. The same seed gives the same answer. Only a user who names it gets
# it.
source "$TUNE_TESTS/lib.sh"
export TUNE_CACHE_DIR=$PWD/cache
tuned() { (cd "$1" && PATH=/nowhere run "$TUNE" run elementwise --sizes 2**16,2**24 --seed 7 --no-report --device "${@:2}" && expect_code 0); }

run "$TUNE" devices --json
[[ $(pick 'sum(d["device_kind"] == "null" for d in j["devices"])') -eq 0 ]] || fail "it is listed among the devices"
run "$TUNE" devices --device null --json
expect_json 'j["devices"][0]["device_kind"]' null
expect_json 'j["devices"][0]["device_facts"]["sm_count"]' 132
run "$TUNE" run --list-protocol
refuse_out '\bnull\b'

mkdir first second other two
tuned first null
cd first || exit
query "SELECT stage, count(*) > 5 FROM trials WHERE status = 'ok' GROUP BY stage" >rows
for stage in sweep race confirm dirty; do
    grep -qx "$stage 1" rows || fail "no $stage: $(cat rows)"
done
# Caches are dirty for all, and hot for inputs that fit.
[[ $(query "SELECT p.n, group_concat(DISTINCT s.state) FROM states AS s JOIN winners AS w ON w.id = s.winner_id
    JOIN problems AS p ON p.id = w.problem_id GROUP BY p.n ORDER BY p.n") == $'65536 dirty,hot\n16777216 dirty' ]] || fail "not these states"
grep -q ' states=clean,dirty,hot dirty_ns=[0-9.]* hot_ns=[0-9.]* ' tuned.conf || fail "tuned.conf has no states"
run "$TUNE" show --trust --json
expect_json 'all(w["states"].startswith("clean, dirty") and w["dirty_ns"] > 0 for w in j["winners"])' True
[[ $(query "SELECT count(*) > 0, min(passed) FROM gauntlets") == "1 1" ]] || fail "no gauntlet"
[[ $(query "SELECT count(*) FROM winners WHERE stage = 'confirm' AND trust = 'sound'") -eq 6 ]] || fail "not six sound winners"
[[ $(query "SELECT count(*) > 0 FROM ranges") -eq 1 ]] || fail "no ranges"
[[ $(query "SELECT count(*) FROM devices WHERE kind = 'null'") -eq 1 ]] || fail "not one device"
grep -q '^\[null "Null device"\] .*sm_count=132' tuned.conf || fail "no section: $(head -n 6 tuned.conf)"
run "$TUNE" show --wide --why
expect_code 0
run "$TUNE" show --json
expect_json 'len(j)' 6

# No measurement is left.
PATH=/nowhere run "$TUNE" run elementwise --sizes 2**16,2**24 --no-report --device null
expect_code 0
expect_err ' 0 trials \('
cd .. || exit

# Its times depend on the seeds alone.
measured() { (cd "$1" && query "SELECT c.key, p.key, p.n, stage, status, median_ns FROM trials AS t JOIN configurations AS c ON
    c.id = configuration_id JOIN problems AS p ON p.id = problem_id ORDER BY t.id" | sed -n '1,$p'); }
tuned second null
diff <(measured first) <(measured second) >changes || fail "another answer: $(head -n 4 changes)"
TUNE_NULL_SEED=8 tuned other null
! diff <(measured first) <(measured other) >changes || fail "another seed has the same noise"

# Two tunings' tuned.conf differ in the lines with another configuration, and in lines of evidence.
mkdir third
TUNE_NULL_SEED=9 tuned third null
# (How many samples stand behind them is evidence, too.)
lines() { grep -v '^  |' "$1/tuned.conf" | sed -E 's/ (date|samples)=[^ ]*//g'; }
same=0
for again in other third; do
    cmp -s first/tuned.conf $again/tuned.conf && fail "another seed measured the same"
    while IFS= read -r line; do
        lines first | grep -qF -- "${line%%|*}|" || continue
        lines first | grep -qxF -- "$line" || fail "changed without need: $line"
        same=$((same + 1))
    done < <(lines $again | grep '|')
    diff <(lines first | grep '^\[' | grep -v ' for=') <(lines $again | grep '^\[' | grep -v ' for=') || fail "the heading changed"
done
[[ $same -ge 3 ]] || fail "hardly any configuration was chosen again: $same"

# Like devices share a sweep; energy has a counter.
tuned two null:1,null:2 --objective energy --effort quick
[[ $(cd two && query "SELECT count(DISTINCT run_id) FROM trials WHERE stage = 'sweep'") -eq 2 ]] || fail "one of two lanes had nothing to do"
[[ $(cd two && query "SELECT count(*) FROM winners WHERE objective = 'energy'") -eq 6 ]] || fail "no winners by energy"
golden_refusal "$TUNE" run elementwise --device null:4
expect_golden
