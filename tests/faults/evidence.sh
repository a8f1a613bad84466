#!/bin/bash
# A run's record: every number used, the confirming processes, the unreadable facts. Energy, if there is a
# counter.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 2
little=() # with usual effort
brief=(--set confirm_processes=3 --set confirm_rounds=4 --set look_between=0)

# Each process that confirmed was a new one: the device was opened by it and the first one, and no other.
tune_copy '' "${brief[@]}" --set race_z=3.5 --effort thorough --l2 hot --seed 12
expect_code 0
starts=$(python3 -c 'import struct, sys; print(struct.unpack("i", open(sys.argv[1], "rb").read(4))[0])' "$TUNE_FAULTS_STATE")
[[ $starts -eq $((4 + openers)) ]] || fail "$starts processes opened the device, not $((4 + openers))"
[[ $(query "SELECT stage, group_concat(DISTINCT process) FROM rounds GROUP BY stage ORDER BY stage") == $'confirm 1,2,3\nrace 0' ]] ||
    fail "$(query "SELECT DISTINCT stage, process FROM rounds")"
[[ $(query "SELECT count(*) FROM (SELECT t.id FROM samples s JOIN trials t ON t.id = s.trial_id WHERE t.stage = 'confirm'
    GROUP BY t.id HAVING count(DISTINCT s.process) <> 3)") -eq 0 ]] || fail "not all were in each process"
[[ $(query "SELECT processes, stage FROM winners") == '3 confirm' ]] || fail "$(query "SELECT * FROM winners")"

# All numbers are stored with the run, under their names; set ones have their set values.
run "$TUNE" run --list-protocol --effort thorough
awk 'NF == 0 { exit } NR > 1 { print $1, $2 }' "$captured.out" >names
query "SELECT replace(protocol, ' ', char(10)) FROM runs" | tr '=' ' ' >stored
[[ $(wc -l <names) -gt 30 && $(wc -l <names) -eq $(wc -l <stored) ]] || fail "not all numbers are stored: $(cat stored)"
python3 - <<'P' >changed
names, stored = (dict(line.split() for line in open(name)) for name in ("names", "stored"))
print(*sorted(f"{n}={float(v):g}" for n, v in stored.items() if float(v) != float(names[n])))
P
[[ $(cat changed) == 'confirm_processes=3 confirm_rounds=4 look_between=0 race_z=3.5 warm_least_ms=1 warm_most_ms=20 warm_window_ms=1' ]] ||
    fail "stored otherwise than set: $(cat changed)"
[[ $(query "SELECT effort, seed, l2_mode, objective FROM runs") == 'thorough 12 hot time' ]] || fail "$(query "SELECT * FROM runs")"
[[ $(query "SELECT tick_ns > 0, empty_pair_ns > 0, node_gap_ns > 0 FROM runs") == '1 1 1' ]] || fail "the calibration is not stored"
[[ $(query "SELECT count(*), sum(anchor_first_ns > 0 AND anchor_last_ns > 0 AND first_ns > 0 AND twin_ns > 0
    AND sm_clock_mhz = 1980 AND temperature_c = 35 AND power_w = 120 AND throttle = 0 AND ecc_errors = 0
    AND other_processes = 0) = count(*) FROM rounds" | cut -d' ' -f2) -eq 1 ]] || fail "$(query "SELECT * FROM rounds")"
# The worker sits on a processor of its own, where there are enough of them.
run "$TUNE" show --wide --trust
expect_out '^  L2 +hot$'
expect_out '^  effort +thorough, but .*race_z=3\.5'
if [[ $(nproc) -ge 3 ]]; then
    expect_out '^  pinned to +processor'
else
    expect_out '^  pinned to +nothing$'
fi

# No NVML: said, and no obstacle.
forget
tune_copy 'nvmlInit: 9' "${brief[@]}"
expect_code 0
[[ $(query "SELECT trust, trust_reason LIKE '%clocks and throttling could not be read%' FROM winners") == 'noisy 1' ]] ||
    fail "$(query "SELECT * FROM winners")"
run "$TUNE" show --wide --trust
expect_code 0
for line in 'SM clock +unknown' 'temperature +unknown' 'power +unknown' 'throttled by +unknown' 'ECC errors +unknown' 'other processes +unknown'; do
    expect_out "^  $line"
done
expect_out 'NVML'
grep -q '^copy.i32 n=1000 ' tuned.conf || fail "no winner was written: $(cat tuned.conf)"

# Energy needs a counter: without NVML, or without one, no measurement is made.
for faults in 'nvmlInit: 9' 'nvml.energy=none'; do
    forget
    tune_copy "$faults" "${brief[@]}" --objective energy
    expect_code 4
    expect_empty out
    expect_err '^tune run: .*cuda:0 has no energy counter'
    [[ ! -e tune.db || $(query "SELECT count(*) FROM trials") -eq 0 ]] || fail "something was measured"
done

# With one, the winner by energy is beside the winner by time.
forget
sed -i 's/^  block:.*/  block: [64]/' copy.yaml
brief+=(--set confirm_processes=1)
tune_copy '' "${brief[@]}"
tune_copy 'kernel@WAY=2: slower=1.5' "${brief[@]}" --objective energy --set energy_window_ms=300 --set energy_rounds=3
expect_code 0
expect_out ', by energy'
[[ $(query "SELECT objective FROM winners ORDER BY 1") == $'energy\ntime' ]] || fail "$(query "SELECT * FROM winners")"
[[ $(query "SELECT count(*) > 0, sum(s.energy_j > 0) = count(*) FROM samples s JOIN trials t ON t.id = s.trial_id
    WHERE t.objective = 'energy' AND t.stage <> 'sweep'") == '1 1' ]] || fail "no energy in the samples"
# No candidate leaves a race of so few windows, however slow.
[[ $(query "SELECT min(sample_count) >= 3 FROM trials WHERE objective = 'energy' AND stage = 'race'") == 1 ]] ||
    fail "$(query "SELECT configuration_id, sample_count FROM trials WHERE objective = 'energy' AND stage = 'race'")"
[[ $(query "SELECT w.value > 0, abs(t.energy_j / w.value - 1) < 1e-6
    FROM winners w JOIN trials t ON t.id = w.trial_id WHERE w.objective = 'energy'") == '1 1' ]] || fail "$(query "SELECT * FROM winners")"
# Energy of one run: with its time, the device's power, 90 to 590 W. While this machine stalls the stand-in its counter
# stands still: such windows show less, down to a third. With few batches: up to some times more.
[[ $(query "SELECT max(s.energy_j / t.median_ns) > 30e-9, min(s.energy_j / t.median_ns) < 600e-9 FROM samples s
    JOIN trials t ON t.id = s.trial_id WHERE t.objective = 'energy' AND t.stage <> 'sweep'") == '1 1' ]] ||
    fail "$(query "SELECT s.energy_j, t.median_ns FROM samples s JOIN trials t ON t.id = s.trial_id WHERE t.objective = 'energy'")"
run "$TUNE" show --objective energy
expect_code 0
expect_out '^copy.i32'
expect_out '^1000 '
