#!/bin/bash
# Rounds in which the device was not itself are dropped whole, with the reason; when they are too many, the
# result is unstable, and not handed to applications unless asked for.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 2
first=$((1 + openers)) second=$((2 + openers)) third=$((3 + openers)) # processes
little=() # with usual effort
brief=(--set confirm_processes=2 --set confirm_rounds=10
    --set other_wait_ms=200 --set look_between=0)

# A round's beginning and end are the readings 2k + 1 and 2k + 2 of its process; the race is in the first
# process, the confirmation in the next two. A disturbance that ends before a round is awaited; a limit
# chosen by the user is no disturbance. Slow rounds must not affect the result.
tune_copy "conditions@start=$second#3-4: throttle=hw_thermal slower=3
    conditions@start=$second#6: throttle=sw_thermal|power_cap
    conditions@start=$second#9: sm_clock=1800
    conditions@start=$second#12-20: ecc=2
    conditions@start=$second#21-22: ecc=2 anchor=1.05 slower=3
    conditions@start=$second#23+: ecc=2
    conditions@start=$third#3-4: throttle=power_cap|application_clocks sm_clock=1980
    conditions@start=$third#6: others=1
    conditions@start=$third#7: others=1
    conditions@start=$first#3-4: throttle=power_brake slower=3" "${brief[@]}" --set dropped_most=0.5
expect_code 0
query "SELECT stage, process, ordinal, fault FROM rounds WHERE fault IS NOT NULL ORDER BY 1 DESC, 2, 3" >dropped
printf '%s\n' 'race 0 1 throttled' 'confirm 1 1 throttled' 'confirm 1 2 throttled' 'confirm 1 4 clock_moved' \
    'confirm 1 5 ecc' 'confirm 1 10 anchor_moved' 'confirm 2 2 other_process' >wanted
diff wanted dropped || fail "not the rounds that were disturbed"
# Dropped rounds are made up for, their samples kept and marked, all of them and no others.
[[ $(query "SELECT process, count(*) FROM rounds WHERE stage = 'confirm' AND fault IS NULL GROUP BY process") == $'1 10\n2 10' ]] ||
    fail "$(query "SELECT stage, process, count(*), count(fault) FROM rounds GROUP BY 1, 2")"
[[ $(query "SELECT t.stage, sum(s.invalid) > 0, sum(s.invalid <> EXISTS (SELECT 1 FROM rounds r WHERE r.stage = t.stage
    AND r.process = s.process AND r.ordinal = s.round AND r.fault IS NOT NULL)) FROM samples s JOIN trials t ON t.id = s.trial_id
    WHERE t.stage <> 'sweep' GROUP BY t.stage ORDER BY 1") == $'confirm 1 0\ndirty 0 0\nhot 0 0\nrace 1 0' ]] || fail "samples are marked wrongly"
[[ $(query "SELECT max(abs(f.median_ns / s.median_ns - 1) < 1e-3) FROM trials f JOIN trials s USING (configuration_id)
    WHERE f.stage = 'confirm' AND s.stage = 'sweep'") -eq 1 ]] || fail "$(query "SELECT * FROM trials")"
[[ $(query "SELECT trust, rounds_dropped, rounds FROM winners") == 'sound 7 43' ]] || fail "$(query "SELECT * FROM winners")"
run "$TUNE" show --wide --trust
expect_code 0
expect_out '^  rounds +43, 7 dropped \(16\.3 %\): 3 throttled, '
for fault in '1 anchor moved' '1 clock moved' '1 ecc' '1 other process'; do
    expect_out "^  rounds .* $fault"
done
expect_out '^  throttled by +.*power cap'

# More than a fifth: unstable. It is shown and said, and in no file that applications read, unless forced.
forget
tune_copy "conditions@start=$second|$third#3-12: throttle=hw_slowdown" "${brief[@]}"
expect_err 'tune: 1 of 1 problem: not sure'
[[ $(query "SELECT trust, rounds_dropped FROM winners") == 'unstable 10' ]] || fail "$(query "SELECT * FROM winners")"
run "$TUNE" show --wide --trust
expect_out '^copy.i32 +1000 .* not sure .* Not sure: more than 20 % of the rounds were disturbed\. .* \(throttled\)'
! grep -qs '^copy.i32 ' tuned.conf || fail "an unstable result was written: $(cat tuned.conf)"
run "$TUNE" export -o -
! grep -q '^copy.i32 ' "$captured.out" || fail "an unstable result was exported"
run "$TUNE" export --include-not-sure -o -
expect_code 0
expect_out '^copy.i32 n=1000 way=1 block=64 '
expect_out '^  [|] .* verdict="not sure"'

# A process that stays for a whole wait, as an idle program with a context does, is named once; the run is not lost.
forget
tune_copy "conditions#3+: others=1" "${brief[@]}"
expect_code 0
expect_err "cuda:0: 1 other process uses the device and did not leave it within 0.2 s"
[[ $(query "SELECT trust, rounds_dropped FROM winners") == 'noisy 0' ]] || fail "$(query "SELECT * FROM rounds")"
expect_err 'nearly sure: another process was on the device while it was measured'

# Where others are not awaited, as on a CPU, they are named once, as nine rounds were dropped, and with the doubt
# that they explain.
forget
tune_copy "conditions@start=$first#3+: others=2
    conditions@start=$second#3-20: throttle=hw_slowdown others=2
    conditions@start=$third#3+: others=2" "${brief[@]}" --set other_wait_ms=0
expect_err '^tune: .*cuda:0: 2 other processes run there: .* without them, and --budget bounds the time$'
[[ $(grep -c 'run there' "$captured.err") -eq 1 ]] || fail "others are named more than once"
expect_err 'not sure: more than 20 % of the rounds were disturbed, while other processes ran on the device$'
