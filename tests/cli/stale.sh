# Measurements stay valid until a dependency changes; then only the affected ones are repeated, with a
# message.
# shellcheck shell=bash
source "$TUNE_TESTS/lib.sh"
write_experiment

tune_it() {
    run "$TUNE" run ./double.yaml --device cpu "${steady[@]}"
    expect_code 0
}
measured() {
    sed -n 's/.* problems\?, \([0-9]*\) trials\? (\([0-9]*\) known.*/\1 \2/p' "$captured.err"
}
expect_measured() { # trials known
    [[ $(measured) == "$1 $2" ]] || fail "measured (new, known): $(measured), not $1 $2"
}

tune_it
expect_measured 40 0
tune_it
expect_measured 0 40

# New metrics: no measurement is needed, and they are filled in.
[[ $(query "SELECT count(*) FROM problems WHERE operations IS NULL") == 2 ]] || fail "operations that nobody said"
sed -i 's/^metrics:/metrics:\n  operations: n\n  operations_type: u32/' double.yaml
tune_it
expect_measured 0 40
[[ $(query "SELECT n, operations, operations_type FROM problems") == $'1000 1000.0 i32\n5000 5000.0 i32' ]] || fail "operations"

# One more value: only its points are new. A changed description: none.
sed -i 's/block: \[100, 200, 250, 500, 1000\]/block: [100, 125, 200, 250, 500, 1000]/; s/^about: .*/about: other words/' double.yaml
tune_it
expect_measured 8 40

# Fewer values for one run: their results stay known, and the others', too.
run "$TUNE" run ./double.yaml --device cpu "${steady[@]}" --only block=100,500
expect_code 0
# With the baseline of each problem, and the known winner, if it is another.
[[ $(measured) =~ ^0\ (18|19|20)$ ]] || fail "measured (new, known): $(measured), not 0 and 18 to 20"
run "$TUNE" run --dry-run ./double.yaml --only block=100,500
expect_out '    block +2: 100 500$'
golden "$TUNE" run ./double.yaml --device cpu --only block=100,501
golden "$TUNE" run ./double.yaml --device cpu --only blocks=100
golden "$TUNE" run ./double.yaml --device cpu --only block
tune_it
expect_measured 0 48

# A size more: only its problem is new.
sed -i 's/n: \[1000, 5000\]/n: [1000, 2000, 5000]/' double.yaml
tune_it
expect_measured 24 48

# The source changed: every binary is another.
echo "/* changed */" >>double_cpu.c
tune_it
expect_measured 72 0
expect_err 'stale, since source, flags or compiler changed'

# The reference changed: earlier right results may be wrong now.
echo "/* changed */" >>double_reference.c
tune_it
expect_measured 72 0
tune_it
expect_measured 0 72

# A kernel that was wrong and is mended is out nowhere: results of the earlier source at further sizes say nothing.
mkdir mended
cp double_reference.c mended/
sed '/WAY_broken/d; s/way: \[.*/way: [plain, late]/; s/block: \[.*/block: [1000]/' double.yaml >mended/double.yaml
sed 's/spin < SPINS/spin < (WAY_late ? 0 : 100000)/' double_cpu.c >mended/double_cpu.c
cd mended || exit
tune_it
[[ $(query "SELECT DISTINCT status FROM trials JOIN configurations AS c ON c.id = configuration_id WHERE key LIKE 'way=late%'") == wrong_result ]] ||
    fail "not wrong"
sed -i 's/ + WAY_late//' double_cpu.c
tune_it
grep '^double ' tuned.conf | grep -v 'way=late' && fail "a mended kernel is out: $(cat tuned.conf)"
cd ..
# Nor where only one size ran since: no view of the database has it out. With the earlier source it is out again.
mkdir once
cp mended/double_reference.c mended/double.yaml once/
sed 's/ + WAY_late/ + (n > 4000 ? WAY_late : 0)/; s/spin < SPINS/spin < (WAY_late ? 0 : 100000)/' double_cpu.c >once/double_cpu.c
grep -q 'n > 4000' once/double_cpu.c || fail "no kernel that is wrong at one size: $(cat double_cpu.c)"
cd once || exit
won() { # WAY: the winner of n = 1000, in every view, after it alone ran
    run "$TUNE" run ./double.yaml --device cpu "${steady[@]}" --sizes 1000
    expect_code 0
    run "$TUNE" show --json
    expect_json '[w["parameters"]["way"] for w in j if w["n"] == 1000]' "['$1']"
    grep -q "^double n=1000.* way=$1 " tuned.conf || fail "tuned.conf has another: $(cat tuned.conf)"
}
tune_it
[[ $(query "SELECT group_concat(n) FROM (SELECT DISTINCT n FROM refuted ORDER BY n)") == 2000,5000 ]] ||
    fail "not wrong at 5000, where that of 2000 is checked, too: $(query "SELECT * FROM refuted")"
cp double_cpu.c wrong.c
sed -i 's/ + (n > 4000 ? WAY_late : 0)//' double_cpu.c
won late
[[ $(query "SELECT count(*) FROM refuted") -eq 0 ]] || fail "still refuted: $(query "SELECT * FROM refuted")"
mv wrong.c double_cpu.c
won plain
[[ $(query "SELECT count(*) FROM refuted") -gt 0 && $(query "SELECT count(*) FROM outdated") -eq 0 ]] || fail "not out again"
cd ..

# A winner of an earlier file, which had another parameter, is not given to the programs of the present one.
cd mended || exit
sed -i 's/^  block: /  size: /; s/(n, block)/(n, size)/; s/value: block/value: size/; s/block: 1000}/size: 1000}/' double.yaml
run "$TUNE" run ./double.yaml --device cpu "${steady[@]}" --sizes 2000
expect_code 0
grep '^double ' tuned.conf | grep -v ' size=1000 ' && fail "another's parameter: $(cat tuned.conf)"
grep -q '^double n=.* size=1000 ' tuned.conf || fail "no present winner: $(cat tuned.conf)"
# Nor shown: tune show lists what tuned.conf has.
run "$TUNE" show --json
expect_json '[(w["n"], sorted(w["parameters"])) for w in j]' "[(2000, ['size', 'way'])]"
cd ..

# With another reference, by which they are wrong, winners are none until the former one is back. The file stays, which is told.
cp -r mended doubted
cd doubted || exit
rm -f tune.db tuned.conf
tune_it
cp double_reference.c former.c
sed -i 's/2 \* in\[i\]/3 * in[i]/' double_reference.c
run "$TUNE" run ./double.yaml --device cpu "${steady[@]}"
expect_code 6
expect_err '^tune: tuned.conf is left as it is, with winners of an earlier run$'
run "$TUNE" export -o gone.conf
expect_code 6
refuse_file gone.conf
run "$TUNE" show --json
expect_json 'len(j)' 0
cp former.c double_reference.c
tune_it
run "$TUNE" export -o back.conf
cmp back.conf tuned.conf || fail "other winners than the run's"
cd ..

# Failures are left alone unless asked for.
run "$TUNE" run ./double.yaml --device cpu "${steady[@]}" --retry wrong_result
expect_code 0
expect_measured 18 54
golden "$TUNE" run ./double.yaml --device cpu "${steady[@]}" --retry wrng_result
golden "$TUNE" run ./double.yaml --device cpu "${steady[@]}" --retry ok
expect_golden
