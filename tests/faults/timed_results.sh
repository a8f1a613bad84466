# Kernels that are right when they are looked at, and wrong while they are timed: in blocks alone, in one run of many,
# from some launch on, in another process. All are faster than the right ones; none wins, and the stage is told.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
unset TUNE_WATCH_MS # all 10,000 comparisons
write_copy

# expect_wrong WAY REGEX: the result of way WAY with blocks of 64, in any stage, and that it stays so.
expect_wrong() {
    local got
    got=$(query "SELECT group_concat(coalesce(t.detail, '') || ' ' || coalesce(g.detail, ''), ' ') FROM configurations c
        JOIN trials t ON t.configuration_id = c.id
        LEFT JOIN gauntlets g ON g.configuration_id = c.id AND NOT g.passed
        WHERE json_extract(c.parameters, '\$.way') = $1 AND json_extract(c.parameters, '\$.block') = 64")
    grep -qE "$2" <<<"$got" || fail "way $1: $got; not: $2"
    ! grep -q "way=$1 block=64 " tuned.conf || fail "way $1 won"
}

# Seen in the sweep, at the first block.
tune_copy 'kernel@WAY=1,block=64,timed=yes: wrong slower=0.5
    kernel@WAY=2,block=64,timed=yes: nothing slower=0.5
    kernel@WAY=3,block=64: remembers slower=0.5
    kernel@WAY=4,block=64,timed=yes: wrong every=50 slower=0.5'
expect_code 0
row='run [0-9]+ of [0-9]+ timed in a row(, on changed inputs)?: out'
expect_wrong 1 "^$row"
expect_wrong 2 "^$row\[0\] is -1515870811, not " # the poison
expect_wrong 3 "^run [0-9]+ of [0-9]+ timed in a row, on changed inputs: out"
expect_wrong 4 "^$row"

# From its 1500th timed run on, and once in 1,000 runs: in the race. The configuration is named, and is out for
# good.
forget
tune_copy 'kernel@WAY=1,block=64,timed=yes#1500+: wrong slower=0.5
    kernel@WAY=2,block=64,timed=yes: wrong every=1000 slower=0.5' --set look_rounds.0=48
expect_code 0
expect_wrong 1 "race: $row"
expect_wrong 2 "race: $row"
expect_err "'way=1 block=64' was among the fastest, but is out: race: run "
tune_copy 'kernel@WAY=1|2,block=64: slower=0.5' --retry ok
expect_wrong 1 "race: $row"

# In one of the processes that confirm, which know the right results by their sums alone.
forget
tune_copy 'kernel@WAY=1,block=64,start=4,timed=yes: wrong
    kernel@WAY=1,block=64: slower=0.5' --effort normal
expect_code 0
expect_wrong 1 "confirm: run [0-9]+ of [0-9]+ timed in a row(, on changed inputs)?: its result differs from its earlier, correct one"
# It was the only one near the best: the next ones race, and one of these is confirmed.
[[ $(query "SELECT stage, trust FROM winners") == 'confirm sound' ]] || fail "$(query "SELECT * FROM winners")"
[[ $(query "SELECT min(compared) FROM winners") -gt 10000 ]] || fail "compared: $(query "SELECT compared FROM winners")"
