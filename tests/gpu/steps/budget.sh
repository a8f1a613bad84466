# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# Budgets are kept, and spent on points of each problem; an experiment that does not promise awkward sizes has winners all the same.

# 63 problems in BUDGET_SECONDS (75): not a tenth more, and none ends with only baselines. The use of the time is
# printed.
budget() {
    local status=0 seconds=${BUDGET_SECONDS:-75}
    mkdir -p "$work/budget" && cd "$work/budget" || return 1
    "$tune" run reduce.sum.{i32,u32,f32,i64,u64,f64,f16} --sizes "$(echo 2**{10,12,14,16,18,20,22,24,26} | tr ' ' ',')" \
        --device 0 --no-report --budget "${seconds}s" \
        >show.txt 2>run.txt || status=$?
    grep '^tune: ' run.txt | sed "s#$here/##" | tee "$out/budget.txt"
    python3 - tune.db "$seconds" <<'P' | tee -a "$out/budget.txt"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
seconds, wall = float(sys.argv[2]), db.execute("SELECT max(wall_ns) / 1e9 FROM runs").fetchone()[0]
trials = [row[0] for row in db.execute("""SELECT count(t.id) FROM problems p LEFT JOIN trials t
    ON t.problem_id = p.id AND t.stage = 'sweep' GROUP BY p.id""")]
bare = db.execute("SELECT count(*) FROM winners WHERE trust_reason LIKE '%nothing was measured but the baseline%'").fetchone()[0]
stages = db.execute("SELECT stage, count(*) FROM winners GROUP BY 1").fetchall()
print(f"{wall:.1f} s of {seconds:.0f} s; {sum(trials)} trials of {len(trials)} problems, {min(trials)} to {max(trials)} each; "
      f"winners: {stages}, {bare} of them with nothing but baselines")
print("kept and spent on points" if wall <= max(1.1 * seconds, seconds + 2) and len(trials) == 63 and min(trials) > 0 and bare == 0
      else "NOT kept, or spent on baselines")
P
    grep -q '^kept and spent on points' "$out/budget.txt" || status=1
    convolution_in 22 || status=1
    return $status
}

# convolution_in SECONDS: a large space of one problem. The confirming processes begin with spares, which no other
# process uses.
convolution_in() {
    mkdir -p "$work/budget/convolution" && cd "$work/budget/convolution" || return 1
    echo '{"ConfigurationSpace": {"TuningParameters": {"filter_width": {"Values": "[15]"}, "filter_height": {"Values": "[15]"}}}}' >15.json
    "$tune" run "$here/examples/t1/kerneltuner-test.json" --overlay 15.json --device 0 --no-report --budget "${1}s" >show.txt 2>run.txt ||
        return 1
    grep '^tune: ' run.txt | sed "s#$here/##" | tee -a "$out/budget.txt"
    python3 - tune.db "$1" <<'P' | tee -a "$out/budget.txt"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
seconds, wall = float(sys.argv[2]), db.execute("SELECT max(wall_ns) / 1e9 FROM runs").fetchone()[0]
trials = db.execute("SELECT count(*) FROM trials WHERE stage = 'sweep'").fetchone()[0]
starts = [row[0] / 1e9 for row in db.execute("SELECT min(at_ns) FROM rounds WHERE stage = 'confirm' GROUP BY process ORDER BY process")]
others = db.execute("SELECT max(other_processes) FROM rounds").fetchone()[0]
between = [f"{after - before:.2f}" for before, after in zip(starts, starts[1:])]
print(f"convolution: {wall:.1f} s of {seconds:.0f} s; {trials} trials; {len(starts)} processes confirm, one begins {', '.join(between)} s "
      f"after the other; other processes in a round: {others}")
print("convolution: kept" if wall <= max(1.1 * seconds, seconds + 2) and len(starts) > 1 and not others else "convolution: NOT kept")
P
    grep -q '^convolution: kept' "$out/budget.txt"
}

# The missing line is reported; the kernel that breaks the context is named; no message says that the device is lost.
promise() {
    local status=0
    mkdir -p "$work/promise" && cd "$work/promise" || return 1
    "$tune" run "$here/tests/gpu/tiles.yaml" --device 0 --no-report --effort quick >show.txt 2>run.txt || status=$?
    tee "$out/promise.txt" <run.txt
    [ $status -eq 0 ] || { echo "exit code $status"; return 1; }
    grep -q "to say so, write under its constraints 'n % 128 == 0'" run.txt || { echo "the line to write is not told"; status=1; }
    grep -q "computing the expected results (kernel 'tiles_expected' with in\[" run.txt || { echo "the kernel that breaks the context is not named"; status=1; }
    ! grep -q 'is lost' run.txt || { echo "the device is said to be lost"; status=1; }
    [ "$(grep -c '^tiles ' tuned.conf)" -ge 1 ] || { echo "no winner"; status=1; }
    return $status
}
