#!/bin/bash
# A budget is kept, and shared evenly: of many problems none has no trials while others have many, and the time of
# checks, watches and a slow compiler is not taken from the last ones. The run prints where the time goes.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 60
problems=24
sizes=$(seq -s ', ' 1000 1000 $((1000 * problems)))
sed -i "s/^sizes:.*/sizes: {n: [$sizes]}/" copy.yaml
# A size that is compiled in: each problem has binaries of its own, and none serves another size.
sed -i 's/^defines:.*/defines: {WAY: way, BLOCK: block, N: n}/' copy.yaml
little=() # with usual effort
brief=(--set block_ns=20000)
compilers=(0 50) # how slow, in ms
[[ -z ${TUNE_BRIEF:-} ]] || compilers=(50)

# expect_kept SECONDS: the last run took at most a tenth and two seconds more.
expect_kept() {
    local wall_s
    wall_s=$(query "SELECT max(wall_ns) / 1e9 FROM runs")
    python3 -c "import sys; sys.exit(not $wall_s <= 1.1 * $1 + 2)" || fail "$1 s became $wall_s s: $(grep ' s sweeps' "$captured.err")"
}

for compiler in "${compilers[@]}"; do
    # In the least budget that is enough for a few trials of each problem on this machine, as slow or full as it is.
    for budget_s in 20 60 180; do
        forget
        tune_copy "cuGraphLaunch: slow=1; nvrtcCompileProgram@source=copy.cu: slow=$compiler" "${brief[@]}" --budget ${budget_s}s
        [[ $code -ne 0 ]] || break
    done
    expect_code 0
    expect_kept $budget_s
    expect_err '^tune: .* setting up problems, [0-9.]+ s sweeps, [0-9.]+ s races'
    # The last quarter of the problems has trials like the first, however busy this machine became meanwhile; that their
    # shares are even is told by unit.test_contest.
    swept="SELECT count(*) FROM trials AS t JOIN problems AS p ON p.id = t.problem_id WHERE t.stage = 'sweep'"
    first=$(query "$swept AND p.n <= $((250 * problems))")
    last=$(query "$swept AND p.n > $((750 * problems))")
    [[ $((4 * last)) -ge $first && $((4 * first)) -ge $problems ]] || fail "$first trials of the first problems, $last of the last"
    [[ $(query "SELECT count(*) FROM winners") -eq $problems ]] || fail "$(query "SELECT count(*) FROM winners") winners"
    # Every compiled binary is measured, except those in progress at the end of a sweep.
    compiled=$(query "SELECT sum(binaries_compiled) FROM runs")
    trials=$(query "SELECT count(*) FROM trials WHERE stage = 'sweep'")
    [[ $compiled -le $((trials + 4 * problems + 10)) ]] || fail "$compiled binaries for $trials trials"
done
