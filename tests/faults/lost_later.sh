# A device lost after the sweep: in the race, the confirmation or the looks at ranges another one takes over, from the
# start of that part; without another one the earlier choice stays, and the next run continues.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 2
short=(--set block_ns=20000 --set look_rounds.0=4 --set look_rounds.1=0 --set look_rounds.2=0 --set look_rounds.3=0
    --set confirm_processes=3 --set confirm_rounds=4)

# sweep_first DEVICES: the sweep and a first race; the next run only races and confirms.
sweep_first() {
    forget
    export TUNE_FAULTS="devices=$1"
    run "$TUNE" run ./copy.yaml --device all --effort quick "${steady[@]}" --set block_ns=20000
    expect_code 0
    rm -f "$TUNE_FAULTS_STATE"
}

# go_on FAULTS: to the end.
go_on() {
    export TUNE_FAULTS=$1
    run "$TUNE" run ./copy.yaml --device all "${steady[@]}" --effort normal "${short[@]}"
    refuse_workers
    [[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep'") -eq 6 ]] || fail "not one sweep"
}

# winner: "STAGE PROCESSES RUN-OF-ITS-TRIAL's DEVICE": which of the run's devices, from 0 on.
winner() {
    query "SELECT w.stage, w.processes, t.run_id - (SELECT min(id) FROM runs WHERE id > $last_run)
        FROM winners AS w JOIN trials AS t ON t.id = w.trial_id"
}

# Two equal devices. The first process that opens the driver lists them, the next two are the workers
# that begin, those after them confirm.
for where in race confirm; do
    sweep_first big,big
    last_run=$(query "SELECT max(id) FROM runs")
    starts=2\|3
    [[ $where == race ]] || starts=5
    go_on "devices=big,big; kernel@device=0,start=$starts,kernel=copy_elements#40: lost"
    expect_code 0
    expect_err 'cuda:0 is lost'
    [[ $(winner) == 'confirm 3 1' ]] || fail "lost in $where: $(winner)"
    # The launch that ran when the device went is not to blame.
    [[ $(query "SELECT count(*) FROM trials WHERE status <> 'ok'") -eq 0 ]] || fail "blamed"
    [[ $(query "SELECT count(*) FROM contenders WHERE out IS NOT NULL") -eq 0 ]] || fail "left out"
done

# One alone: the winner of the race stays.
sweep_first big
last_run=$(query "SELECT max(id) FROM runs")
go_on 'kernel@start=4,kernel=copy_elements#40: lost'
expect_code 1
expect_err 'no device is left: '
[[ $(winner) == 'race 0 0' ]] || fail "lost in the second process: $(winner)"
# ... unless enough processes had confirmed another.
rm -f "$TUNE_FAULTS_STATE"
last_run=$(query "SELECT max(id) FROM runs")
go_on 'kernel@start=5,kernel=copy_elements#40: lost'
expect_code 1
[[ $(winner) == 'confirm 2 0' ]] || fail "lost in the third process: $(winner)"

# Three sizes, each way slow at one of them and way 3 slower by 1 % at all; at 8192, grid 128, only ranges
# are looked at.
write_copy 3
sed -i 's/^sizes:.*/sizes: {n: [1024, 4096, 16384]}/; s/block: \[.*/block: [64]/' copy.yaml
ways='kernel@WAY=2,grid=16|64: slower=1.1; kernel@WAY=1,grid=256: slower=1.1; kernel@WAY=3: slower=1.01'
# look_around FAULTS: a whole run, in which the device goes while ranges are looked at.
look_around() {
    forget
    export TUNE_FAULTS="$1; $ways"
    run "$TUNE" run ./copy.yaml --device all "${steady[@]}" --effort normal "${short[@]}" --set within=0.02
    refuse_workers
    [[ $(query "SELECT count(*) FROM winners WHERE stage = 'confirm'") -eq 3 ]] || fail "not three winners"
    [[ $(query "SELECT n_low, n_high, json_extract(c.parameters, '\$.way'), bound > 0.005 AND bound < 0.015
        FROM ranges r JOIN configurations c ON c.id = r.configuration_id") == '1024 16384 3 1' ]] ||
        fail "not one range: $(query "SELECT * FROM ranges")"
}
# The equal device looks at all of it again, and the run ends well.
look_around 'devices=big,big; kernel@device=0,kernel=copy_elements,grid=128#40: lost'
expect_code 0
expect_err 'cuda:0 is lost'
expect_file tuned.conf
[[ $(query "SELECT sum(measured), sum(NOT measured) FROM range_checks") == '3 2' ]] ||
    fail "not looked at: $(query "SELECT * FROM range_checks")"
[[ $(query "SELECT r.run_id - min(u.id) FROM ranges r, runs u") -eq 1 ]] || fail "not the other device's"
# Without another one, the results of confirmation, race and sweep for the sizes hold.
look_around 'devices=big; kernel@kernel=copy_elements,grid=128#40: lost'
expect_code 1
expect_err 'no device is left: '
[[ $(query "SELECT count(*) FROM range_checks") -eq 0 ]] || fail "looked at: $(query "SELECT * FROM range_checks")"
