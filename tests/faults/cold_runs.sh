#!/bin/bash
# No configuration among equal ones is lost for its first run: that one is cold, and decides nothing. Each of the
# twelve is timed as often as all others, whether blocks are of many runs or of one.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 12
sed -i 's/block: \[.*/block: [64]/' copy.yaml

# Each binary's first launch, or its first timed one, takes thirty times as long.
for when in '' ',timed=yes'; do
    cold=
    for way in {1..12}; do
        cold+="kernel@kernel=copy_elements,WAY=$way$when#1: slower=30;"
    done
    for block_ns in 200000 1000; do
        forget
        tune_copy "$cold" --effort quick --set block_ns=$block_ns
        expect_code 0
        got=$(query "SELECT count(*), min(n), max(n) FROM (SELECT count(s.ordinal) AS n FROM trials t
            LEFT JOIN samples s ON s.trial_id = t.id WHERE t.stage = 'sweep' GROUP BY t.id)")
        [[ $got == '12 5 5' ]] || fail "blocks of $block_ns ns, cold$when: trials, fewest and most samples: $got"
        [[ $(query "SELECT count(*) FROM contenders WHERE tied AND out IS NULL") -eq 12 ]] || fail "not all are as good"
    done
done

# A configuration that is always slow is still dropped after its first block.
forget
tune_copy 'kernel@WAY=7: slower=3' --effort quick --set block_ns=1000
expect_code 0
got=$(query "SELECT count(*) FROM samples s JOIN trials t ON t.id = s.trial_id JOIN configurations c ON c.id = t.configuration_id
    WHERE t.stage = 'sweep' AND json_extract(c.parameters, '\$.way') = 7")
[[ $got -eq 1 || $got -eq 5 ]] || fail "$got samples of who is slow" # 5: it came first
