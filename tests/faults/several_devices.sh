# Two equal devices and a third: the equal ones share the work, the third is tuned beside them, and a
# lost one loses only its current work.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy
# The distribution of work is checked, not the quality of the measurements; under a sanitizer each
# run counts.
brief=(--set block_ns=20000 --set look_rounds.0=4 --set look_rounds.1=0 --set look_rounds.2=0 --set confirm_rounds=3)

# tune_all FAULTS [OPTION...]: all of devices 0, 1 (big) and 2 (small).
tune_all() {
    forget
    export TUNE_FAULTS="devices=big,big,small; $1"
    run "$TUNE" run ./copy.yaml --device all --no-report "${warm[@]}" "${brief[@]}" "${@:2}"
    expect_code 0
    # One a model, and one for all of them.
    [[ $(grep -c '^copy\.i32 n=1000\>' tuned.conf) -eq 3 ]] || fail "not a winner for each model"
    [[ $(grep -c '^\[cuda "\*"\]' tuned.conf) -eq 1 ]] || fail "no section for all models"
    refuse_workers
}

# trials STATUS: "CONFIGURATIONS TRIALS" of the sweep for each model of device.
trials() {
    query "SELECT d.name, count(DISTINCT t.configuration_id), count(*) FROM trials t
        JOIN environments e ON e.id = t.environment_id JOIN devices d ON d.id = e.device_id
        WHERE t.stage = 'sweep' AND t.status = '$1' GROUP BY 1 ORDER BY 1"
}

# expect_trials STATUS LINE...
expect_trials() {
    local got
    got=$(trials "$1")
    [[ $got == "$(printf '%s\n' "${@:2}")" ]] || fail "$1: $got"
}

# Every configuration once a model, and both of the equal ones took part: in the sweep of each problem, and each in one
# problem's race and confirmation.
sed -i 's/^sizes:.*/sizes: {n: [1000, 5000]}/' copy.yaml
tune_all '' --set confirm_processes=2
expect_trials ok 'Stand-in GPU 132 18 36' 'Stand-in GPU 40 18 36'
[[ $(query "SELECT count(DISTINCT r.environment_id) FROM trials t JOIN runs r ON r.id = t.run_id") -eq 3 ]] ||
    fail "one of two equal devices did nothing"
expect_apart
sed -i 's/^sizes:.*/sizes: {n: [1000]}/' copy.yaml

# A hostile kernel costs each model its trials, and no more.
tune_all 'kernel@WAY=3,block=64: 700' --effort quick
expect_trials ok 'Stand-in GPU 132 17 17' 'Stand-in GPU 40 17 17'
expect_trials crashed 'Stand-in GPU 132 1 1' 'Stand-in GPU 40 1 1'

# One of the two falls off the bus: its share goes to the other, which leaves it one by being slower.
tune_all 'kernel@device=1,kernel=copy_elements#100: lost; cuModuleLoadData@device=0: slow=50' --effort quick
expect_err 'cuda:1 is lost'
expect_trials ok 'Stand-in GPU 132 18 18' 'Stand-in GPU 40 18 18'

# The first goes, and the numbers of the others move down by one.
tune_all 'kernel@device=0,kernel=copy_elements#100: lost; cuModuleLoadData@device=1: slow=50' --effort quick
expect_err 'cuda:0 is lost'
expect_trials ok 'Stand-in GPU 132 18 18' 'Stand-in GPU 40 18 18'

# Then the second crashes once: its new worker finds it under its new number.
tune_all 'kernel@device=0,kernel=copy_elements: lost; kernel@device=1,kernel=copy_elements#150: 700 times=1' --effort quick
refuse_err 'cuda:1 is lost'
expect_trials crashed 'Stand-in GPU 132 1 1'
expect_trials ok 'Stand-in GPU 132 17 17' 'Stand-in GPU 40 18 18'

# If one device is selected, only that one is used.
forget
export TUNE_FAULTS='devices=big,small; cuDevicePrimaryCtxRetain@device=0: crash'
CUDA_VISIBLE_DEVICES=1 run "$TUNE" run ./copy.yaml --device all --no-report "${warm[@]}" "${brief[@]}" --effort quick
expect_code 0
expect_trials ok 'Stand-in GPU 40 18 18'
