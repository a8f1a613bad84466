# Configurations that pass the sweep and fail later: in the race the others are left, or those behind
# them race; while confirming, the next best wins. A device that is never undisturbed has no winner.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 2
short=(--set look_rounds.0=4 --set look_rounds.1=0 --set look_rounds.2=0 --set look_rounds.3=0
    --set confirm_processes=2 --set confirm_rounds=4)

# again FAULTS ARGUMENT...: after a sweep without failures, so that later stages fail. The first process that
# opens the driver lists devices, the second races, the others confirm.
again() {
    forget
    tune_copy '' --effort quick "${steady[@]}"
    expect_code 0
    rm -f "$TUNE_FAULTS_STATE"
    tune_copy "$1" "${steady[@]}" --effort normal "${short[@]}" "${@:2}"
    refuse_workers
    [[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep' AND status = 'ok'") -eq 6 ]] ||
        fail "the sweep's trials are not as they were"
}

# winner: "STAGE WAY".
winner() {
    query "SELECT w.stage, json_extract(c.parameters, '\$.way') FROM winners AS w
        JOIN trials AS t ON t.id = w.trial_id JOIN configurations AS c ON c.id = t.configuration_id"
}

# One of the two ways crashes, late: the other wins, and the crash is reported.
again 'kernel@WAY=1,kernel=copy_elements: 700'
expect_code 0
[[ $(winner) == 'confirm 2' ]] || fail "way 1 crashes in the race: $(winner)"
[[ $(query "SELECT count(*) FROM trials WHERE stage = 'race' AND status = 'crashed'") -gt 0 ]] ||
    fail "no crash is told"
again 'kernel@WAY=1,start=3|4|5|6|7|8|9,kernel=copy_elements: 700'
expect_code 0
[[ $(winner) == 'confirm 2' ]] || fail "way 1 crashes while confirming: $(winner)"

# All of them: the run ends, and says so.
again 'kernel@kernel=copy_elements: 700'
expect_code 6
expect_err 'copy.i32 n=1000: no configuration works'

# Throttled in each round.
again 'conditions: throttle=hw_thermal'
expect_code 6
expect_err 'all rounds were dropped [(][0-9]+[)], mostly: throttled'

# Where half of the rounds may be dropped, as on a CPU, the race ends, too: after nine, and seven in each process.
again 'conditions: throttle=hw_thermal' --set dropped_most=0.5
expect_code 6
expect_err 'all rounds were dropped [(]23[)], mostly: throttled'
