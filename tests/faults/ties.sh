#!/bin/bash
# Among equally fast configurations the same one wins in every run: the first in the fixed order, or the
# earlier winner, until it is shown to be slower.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 4
little=() # with usual effort
brief=(--set confirm_processes=3 --set confirm_rounds=4)

# winner: "WAY BLOCK KEPT_INCUMBENT STAGE"
winner() {
    query "SELECT json_extract(c.parameters, '\$.way'), json_extract(c.parameters, '\$.block'), w.kept_incumbent,
        w.stage FROM winners w JOIN trials t ON t.id = w.trial_id JOIN configurations c ON c.id = t.configuration_id"
}
expect_winner() {
    [[ $(winner) == "$1" ]] || fail "$2: $(winner), not $1"
}
# A comment more is another binary: everything is stale.
change_source() {
    echo '// another build' >>copy.cu
}

# The four ways of a block are the same machine code to the stand-in driver: ties. No seed, and no noise of
# the timer, chooses another one.
for seed in 1 2 77; do
    forget
    tune_copy "noise=$seed" --seed "$seed" "${brief[@]}"
    expect_code 0
    expect_winner '1 64 0 confirm' "seed $seed"
    cut -d'|' -f1 tuned.conf | grep '^copy' >now.conf
    [[ ! -e first.conf ]] || cmp first.conf now.conf || fail "seed $seed gives another file"
    cp now.conf first.conf
done
run "$TUNE" show --ties --json
expect_json '[c["parameters"]["way"] for c in j if c["standing"] == "winner"]' '[1]'
expect_json 'sorted(c["parameters"]["way"] for c in j if c["parameters"]["block"] == 64 and c["standing"] in ("winner", "as fast"))' '[1, 2, 3, 4]'

# The first in the order is slower today: another wins ...
forget
tune_copy 'kernel@WAY=1|2: slower=1.05' "${brief[@]}"
expect_code 0
expect_winner '3 64 0 confirm' 'the others slower'
# ... and stays when everything is measured again and it is only one of the equally fast, whatever the
# seed.
for seed in 5 6; do
    change_source
    tune_copy '' --seed "$seed" "${brief[@]}"
    expect_code 0
    expect_err '12 trials are stale'
    expect_winner '3 64 1 confirm' "seed $seed"
done
# A winner that was only raced, too.
change_source
tune_copy '' --effort quick
expect_code 0
expect_winner '3 64 1 race' 'quick'
# Within the band a hair's breadth of difference is no reason to change.
change_source
tune_copy 'kernel@WAY=3: slower=1.001' "${brief[@]}"
expect_winner '3 64 1 confirm' 'slower by a tenth of a percent'
# When it is shown to be slower than the band is wide, it goes, and the first in the order comes.
change_source
tune_copy 'kernel@WAY=3: slower=1.02' "${brief[@]}"
expect_code 0
expect_winner '1 64 0 confirm' 'slower by two percent'
run "$TUNE" show --ties --json
expect_json '[c["standing"] for c in j if c["parameters"]["way"] == 3 and c["parameters"]["block"] == 64]' "['slower']"

# An entry and its alternatives may be used wherever the entry's domain says: among equally fast ones the largest is taken,
# and none of a smaller one stands beside it.
forget
write_copy 2
sed -i 's/^sizes:.*/sizes: {n: [8192]}\nconstraints: [n % tile == 0]/; s/^  block: .*/  block: [64]\n  tile: [128, 32, 64]/; s/^defines:.*/defines: {WAY: way, TILE: tile}/' copy.yaml
tune_copy '' "${brief[@]}"
expect_code 0
grep -qE '^copy.i32 n=8192 way=[12] .*tile=32 .*domain="n%32==0" also1="way=' tuned.conf || fail "not the largest, or none beside it: $(cat tuned.conf)"
! grep -qE 'also[1-3]="[^"]*tile=' tuned.conf || fail "used where it is not legal: $(cat tuned.conf)"
