#!/bin/bash
# Some of an experiment's problems: named by the beginnings of their keys, and the usual ones where no
# experiment is named.
source "$TUNE_TESTS/lib.sh"
export TUNE_CEILING_BYTES=0 # many new databases, none of them for its ceilings

# A data folder of one's own. The GPU's file of that name has problems that the CPU's has not.
write_experiment
mkdir -p data/configs
cp -r "$TUNE_SOURCE/kernels" "$TUNE_SOURCE/plots" data/
mv double_cpu.c double_reference.c data/
sed -i -e '/^source:/i usual: op == "sum" and type == "i32"' \
    -e '/^sizes:/i axes:\n  op: [sum, product, max]\n  type: [i32, u32]' \
    -e 's/block: \[100.*/block: [500, 1000]/' -e 's/way: \[.*/way: [plain]/' -e 's/\(WAY_[a-z]*\): .*/\1: 0/' double.yaml
cp double.yaml data/configs/double_cpu.yaml
sed -e 's/^device: cpu/device: cuda/' -e 's/threads: 1$/block: 32/' -e 's/max\]/max, xor]/' \
    double.yaml >data/configs/double.yaml
sed -e 's/^experiment: double/experiment: triple/' -e '/^usual/d' double.yaml >data/configs/triple_cpu.yaml
export TUNE_DATA_DIR=$PWD/data

# problems: those that were tried, one per line.
problems() {
    query 'SELECT key, n FROM problems JOIN experiments AS x ON x.id = experiment_id ORDER BY key, n'
}

# expect_problems KEY...: just these were tried since the last call, at both sizes.
expect_problems() {
    expect_code 0
    local expected
    expected=$(for key in "$@"; do printf '%s 1000\n%s 5000\n' "$key" "$key"; done | LC_ALL=C sort)
    [[ $(problems | LC_ALL=C sort) == "$expected" ]] || fail "not $*: $(problems)"
    # Confirmed, and with ranges that reach over both sizes: for these, and for no other.
    [[ $(query "SELECT count(DISTINCT problem_key) FROM ranges") -eq $# ]] || fail "ranges"
    for key in "$@"; do
        [[ $(query "SELECT min(n_low), max(n_high) FROM ranges WHERE problem_key = '$key'") == '1000 5000' ]] ||
            fail "ranges of $key"
    done
}

try() {
    rm -f tune.db* tuned.conf
    run "$TUNE" run "$@" --device cpu "${steady[@]}"
}

try double.max.u32
expect_problems double.max.u32
try double.sum.i32 double.max double.max.u32
expect_problems double.sum.i32 double.max.i32 double.max.u32
try double
expect_problems double.{sum,product,max}.{i32,u32}
try double.max double
expect_problems double.{sum,product,max}.{i32,u32}
try "$PWD/data/configs/double_cpu.yaml"
expect_problems double.{sum,product,max}.{i32,u32}

# Without a name: the usual ones, which are all where the file does not say.
try
expect_problems double.sum.i32 triple.{sum,product,max}.{i32,u32}

# With sizes; then the other size is added to the known results, and tuned.conf has all winners.
rm -f tune.db* tuned.conf
run "$TUNE" run double.sum.i32 --device cpu "${steady[@]}" --sizes 1000
expect_code 0
[[ $(problems) == 'double.sum.i32 1000' ]] || fail "sizes: $(problems)"
run "$TUNE" run double.sum --device cpu "${steady[@]}"
expect_code 0
[[ $(problems) == $'double.sum.i32 1000\ndouble.sum.i32 5000\ndouble.sum.u32 1000\ndouble.sum.u32 5000' ]] ||
    fail "more: $(problems)"
expect_err 'known already'
run "$TUNE" run double.max.i32 --device cpu "${steady[@]}"
expect_code 0
for key in double.sum.i32 double.sum.u32 double.max.i32; do
    grep -q "^$key " tuned.conf || fail "$key is not in tuned.conf"
done
golden_refusal "$TUNE" run double.max --sizes 7 --device cpu "${steady[@]}"
golden_refusal "$TUNE" run double.max --sizes 5000,1000,7 --device cpu "${steady[@]}"
run "$TUNE" run double.max.i32 --dry-run --sizes '5000, 1000,5000' --device cpu
expect_code 0
[[ $(grep -oE '^    double.max.i32, n = [0-9]+' "$captured.out") == $'    double.max.i32, n = 1000\n    double.max.i32, n = 5000' ]] ||
    fail 'sizes in another order are not the sizes of the file in its order'

# Unknown words are answered with the nearest right one, before the first measurement.
rm -f tune.db*
refused() {
    golden "$TUNE" run "$1" --device cpu "${steady[@]}"
    refuse_file tune.db
}
refused double.mx
refused double.sum.f64
refused double.sum.i32.5000
refused duble.sum
# The GPU's file has it, the CPU's has not.
golden_refusal "$TUNE" run double.xor --device cpu "${steady[@]}"

# Requests of the shell's completion.
run "$TUNE" __complete run ''
expect_code 0
[[ $(grep -v '^:' "$captured.out" | sort -u) == $'double\ntriple' ]] || fail "names"
run "$TUNE" __complete run double.sum.
[[ $(grep -v '^:' "$captured.out" | sort -u) == $'double.sum.i32\ndouble.sum.u32' ]] || fail "types"
run "$TUNE" __complete run triple.p
[[ $(grep -v '^:' "$captured.out") == triple.product ]] || fail "a word begun"
run "$TUNE" __complete run nothing.
expect_code 0
[[ $(cat "$captured.out") == ':files yaml json' ]] || fail "something for nothing"
expect_golden
