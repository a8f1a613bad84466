#!/bin/bash
# Killed compilers, and binaries that vanish from the cache, are no configuration's fault: compilation is
# repeated, at last alone, and the next run tries the rest.
source "$TUNE_TESTS/lib.sh"
write_experiment
sed -i 's/n: \[1000, 5000\]/n: [1000]/; s/block: \[100, 200, 250, 500, 1000\]/block: [100, 250]/' double.yaml
sed -i 's/way: \[plain, late, broken, again\]/way: [plain, again, other]/' double.yaml
sed -i 's/^#if WAY_broken/#if 0/' double_cpu.c
sed -i '/WAY_/d' double.yaml
sed -i 's/^  SPINS: 0/  SPINS: 0\n  WAY_late: 0\n  WAY_again: 1 if way == "again" else 0\n  WAY_other: 2 if way == "other" else 0/' double.yaml

# A compiler that ends as ./how says, once for each line of it, when its arguments match.
export COMPILER=${CC:-cc}
cat >killed-cc <<'C'
#!/bin/bash
here=$(dirname "$0")
echo "+ $*" >>"$here/log"
exec {lock}>>"$here/lock"
flock "$lock"
what=reference # has none of these defines
[[ $* != *binary* ]] && what=none
for word in "$@"; do
    [[ $word != -DWAY_*=[12] ]] || what=$word
done
how=$(grep -m 1 -e " $what\$" "$here/how")
[[ $* == *WAY_again* && $what == reference ]] && how=
if [[ -n $how ]]; then
    line=$(grep -n -m 1 -e " $what\$" "$here/how")
    sed -i "${line%%:*}d" "$here/how"
fi
exec {lock}>&-
[[ $* != *WAY_* ]] || sleep 0.05
echo "- $*" >>"$here/log"
case ${how%% *} in
kill) kill -KILL $$ ;;
part) echo "gcc: fatal error: Killed signal terminated program cc1" >&2; exit 1 ;;
ld) echo "collect2: fatal error: ld terminated with signal 9 [Killed]" >&2; exit 1 ;;
worker) kill -KILL $PPID; sleep 5; exit 1 ;;
edit) echo '#error changed' >"$here/double_cpu.c" ;;
rm) rm "$here/double_cpu.c" ;;
gone) printf 'Assembler messages:\nFatal error: cannot create %s/cc.o: No such file or directory\n' "$TMPDIR" >&2; exit 1 ;;
esac
exec "$COMPILER" "$@"
C
chmod +x killed-cc
tune_it() {
    CC=$PWD/killed-cc run "$TUNE" run double.yaml --device cpu "${steady[@]}" --set look_rounds.0=3 --jobs 2
}
forget() {
    rm -rf tune.db* tuned.conf "$TUNE_CACHE_DIR" log
}

# Killed once or twice, the reference's compiler too, or with its folder half removed: the result is as usual.
for hows in 'gone gone gone gone' 'kill part ld worker' 'part worker kill ld'; do
    forget
    read -r first second third fourth <<<"$hows"
    cat >how <<H
$first -DWAY_again=1
$second -DWAY_again=1
$third reference
$fourth -DWAY_other=2
H
    tune_it
    expect_code 0
    [[ ! -s how ]] || fail "not all were killed: $(cat how)"
    [[ $(query "SELECT status, count(*) FROM trials WHERE stage = 'sweep' GROUP BY 1") == 'ok 7' ]] ||
        fail "$(query "SELECT status, detail FROM trials WHERE stage = 'sweep'")"
done
# The last of three tries had no other beside it.
python3 -S - <<'P' || fail "two compilers at a time in the last try: $(cat log)"
running, tries = set(), 0
for line in open("log"):
    what = line[2:]
    if line[0] == "-":
        running.discard(what)
        continue
    tries += "WAY_again=1" in what
    assert not (running and "WAY_again=1" in what and tries == 3), running
    running.add(what)
assert tries == 3, tries
P

# Each time: the others are tuned, and the next run tries that again, without being asked.
forget
printf 'kill -DWAY_again=1\nkill -DWAY_again=1\nkill -DWAY_again=1\n' >how
tune_it
expect_code 0
[[ $(query "SELECT status, count(*) FROM trials WHERE stage = 'sweep' GROUP BY 1 ORDER BY 1") == $'compile_failed 2\nok 5' ]] ||
    fail "$(query "SELECT status, detail FROM trials WHERE stage = 'sweep'")"
[[ $(query "SELECT DISTINCT detail FROM trials WHERE status = 'compile_failed'") == *'was killed, 3 times'*'the next run tries it again' ]] ||
    fail "$(query "SELECT DISTINCT detail FROM trials WHERE status = 'compile_failed'")"
tune_it
expect_code 0
expect_err '1 problems?, 2 trials \(5 known already\)'
[[ $(query "SELECT t.status, count(*) FROM (SELECT max(id) AS id FROM trials WHERE stage = 'sweep' GROUP BY configuration_id) l
    JOIN trials t USING (id) GROUP BY 1") == 'ok 7' ]] || fail "$(query "SELECT status, detail FROM trials WHERE stage = 'sweep'")"
tune_it
expect_err '1 problems?, 0 trials \(7 known already\)'

# A source that is edited or removed during a run is compiled as it was at the beginning, which a line says.
cp double_cpu.c before.c
for how in edit rm; do
    forget
    echo "$how -DWAY_again=1" >how
    tune_it
    expect_code 0
    expect_err 'double_cpu.c changed during the run'
    [[ $(query "SELECT status, count(*) FROM trials WHERE stage = 'sweep' GROUP BY 1") == 'ok 7' ]] ||
        fail "$(query "SELECT status, detail FROM trials WHERE stage = 'sweep'")"
    cp before.c double_cpu.c
    tune_it
    expect_code 0
    refuse_err 'changed during the run'
    expect_err '0 trials \(7 known already\)'
done

# A missing reference ends the run without blame, and the next one continues.
forget
printf 'kill reference\nkill reference\nkill reference\n' >how
tune_it
[[ $code -ne 0 ]] || fail "without a reference"
expect_err 'was killed, 3 times'
[[ $(query "SELECT count(*) FROM trials WHERE status <> 'ok'") -eq 0 ]] || fail "somebody is blamed"
began=${EPOCHREALTIME/./}
tune_it
expect_code 0
took_us=$((${EPOCHREALTIME/./} - began)) # two seconds, unless this machine is slow or full

# The cache is taken away, wholly or the binaries, six times: all are measured. Not faster than this machine compiles: three times
# for the same one would be its end.
for what in "$TUNE_CACHE_DIR" "$TUNE_CACHE_DIR"/'*.bin'; do
    pause_us=700000
    [[ $what == *.bin ]] || pause_us=2500000
    [[ $took_us -le 2000000 ]] || pause_us=$((pause_us * (took_us / 1000) / 2000))
    pause=$(printf '%d.%06d' $((pause_us / 1000000)) $((pause_us % 1000000)))
    forget
    : >how
    CC=$PWD/killed-cc "$TUNE" run double.yaml --device cpu "${steady[@]}" --set look_rounds.0=6 --set confirm_processes=3 --set confirm_rounds=3 >vanish.out 2>vanish.err &
    tune=$!
    for ((i = 0; i < 6; i++)); do
        sleep $pause
        kill -0 $tune 2>/dev/null || break
        # shellcheck disable=SC2086 # a pattern
        rm -rf $what 2>/dev/null || true
    done
    code=0
    wait $tune || code=$?
    captured=vanish
    command_line="tune run while '$what' was removed"
    [[ $code -eq 0 ]] || fail "exit code $code"
    [[ $(query "SELECT status, count(*) FROM trials WHERE stage = 'sweep' GROUP BY 1") == 'ok 7' ]] ||
        fail "$(query "SELECT status, detail FROM trials WHERE stage = 'sweep'")"
    [[ $(query "SELECT count(*) FROM trials WHERE status <> 'ok'") -eq 0 ]] ||
        fail "$(query "SELECT stage, status, detail FROM trials WHERE status <> 'ok'")"
    [[ $(query "SELECT count(*) FROM winners") -eq 1 ]] || fail "no winner"
done

# Binaries that are gone as soon as they ran once: every later step, each in its own process too, has them compiled again.
forget
cp double_cpu.c steady_cpu.c
cat - steady_cpu.c >double_cpu.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
C
sed -i 's/^    long long size = /    Dl_info own;\n    if (dladdr((void *)double_blocks, \&own))\n        (void)unlink(own.dli_fname);\n&/' double_cpu.c
tune_it
expect_code 0
refuse_err 'is out'
[[ $(query "SELECT status, count(*) FROM trials GROUP BY 1") == ok* ]] || fail "$(query "SELECT stage, status, detail FROM trials WHERE status <> 'ok'")"
[[ $(query "SELECT count(*) FROM winners") -eq 1 ]] || fail "no winner"
[[ $(grep -c '^+.*WAY_again=1' log) -gt 3 ]] || fail "nothing was compiled again: $(cat log)"

# A compiler that finds other headers by the environment makes other binaries.
forget
mv steady_cpu.c double_cpu.c
sed -i '1i #include <factor.h>' double_cpu.c
mkdir one two
touch one/factor.h two/factor.h
for folder in one two; do
    rm -rf tune.db*
    CPATH=$PWD/$folder tune_it
    expect_err '^tune: [1-9][0-9]* binar(y|ies) compiled, 0 cached'
done
rm -rf tune.db*
CPATH=$PWD/two tune_it
expect_err '^tune: 0 binaries compiled, [1-9]'
