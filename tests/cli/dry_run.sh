#!/bin/bash
# tune run --dry-run: problems, points and launches, without a device and without a database; with
# --arch how the points would lie on a GPU that is not there.
source "$TUNE_TESTS/lib.sh"
# Parts that depend on the toolkit or on the machine.
export golden_filter='/no cuda device here/d; s/^((double|space) \(.*\)) on .*/\1 on SOME/; s/^( +[0-9.]+ % +[0-9]+) +[0-9]+ /\1 SOME /; s/known are .*/known are SOME/; s/(error: ).*nothing.*/\1NOTHING/'

# ---- the CPU ----
write_experiment
golden "$TUNE" run --dry-run double.yaml --device cpu

# ---- the numbers of points, exactly ----
cat >space.yaml <<'Y'
experiment: space
source: space.cu
sizes: {n: [1000, 4096]}
axes: {type: [f32, f64]}
parameters:
  block: [32, 64, 128, 256, 2048]
  loads: "[2**i for i in range(4)]"
  way: [plain, wide]
constraints:
  - block <= 1024
  - block * loads <= n
  - way == "plain" or loads > 1   # a comment
defaults: {block: 64, loads: 1, way: plain}
defines: {BLOCK: block, LOADS: loads, TYPE: c_type(type)}
launches:
  - {kernel: space, grid: ceil_div(n, block * loads), block: block, shared: 16384 * loads}
arguments:
  - {name: x, type: "${type}", count: n, fill: random}
  - {name: y, type: "${type}", count: n, output: true}
  - {name: n, type: i32, value: n}
Y
cat >space.cu <<'C'
extern __shared__ TYPE cache[];
extern "C" __global__ void space(const TYPE *x, TYPE *y, int n)
{
#if LOADS == 8 && BLOCK == 32
#error this one is broken by intent
#endif
    for (int k = 0; k < LOADS; k++) {
        int i = (blockIdx.x * LOADS + k) * BLOCK + threadIdx.x;
        if (i < n)
            y[i] = x[i] + x[i];
    }
}
C
# An independent count.
read -r all small large <<<"$(python3 - <<'P'
from itertools import product
points = list(product([32, 64, 128, 256, 2048], [1, 2, 4, 8], ["plain", "wide"]))
legal = lambda n: sum(b <= 1024 and b * l <= n and (w == "plain" or l > 1) for b, l, w in points)
print(len(points), legal(1000), legal(4096))
P
)"
run "$TUNE" run --dry-run space.yaml
if grep -q 'built without CUDA' "$captured.err"; then
    expect_code 4
    expect_one_line err
    run "$TUNE" run --dry-run space.yaml --arch sm_90
    expect_code 4
    run "$TUNE" run --dry-run double.yaml --device cuda:0
    expect_err 'without CUDA'
    echo "skipped: what is for a GPU, as this tune was built without CUDA"
    exit 77
fi
expect_code 0
# Without a driver, only what helps with these kernels is advised: none of them is for the CPU.
if grep -q 'libcuda.so.1 not found' "$captured.err"; then
    refuse_err '--device cpu'
    run "$TUNE" run space.yaml --device cuda:0 --db "$TMPDIR/none.db"
    expect_code 4
    expect_one_line err
    expect_err "not found: .*; '--dry-run --arch sm_90' compiles its kernels without a GPU\$"
    run "$TUNE" run --dry-run space.yaml
fi
expect_out '^space \(space.yaml\) on '
expect_out '^    block  5: 32 64 128 256 2048$'
expect_out '^    loads  4: 1 2 4 8$'
expect_out '^    way    2: plain wide$'
expect_out '^      20.0 %  block <= 1024$'
expect_out '^      12.5 %  way == "plain" or loads > 1$'
expect_out '^  launches of space.f32, n = 1000, with block=64 loads=1 way=plain$'
expect_out '^    space\(x, y, n\) grid 16 block 64 shared 16384 bytes$'
for type in f32 f64; do
    expect_out "^    space.$type, n = 1000: $all points, $small legal\$"
    expect_out "^    space.$type, n = 4096: $all points, $large legal\$"
done
refuse_file tune.db
refuse_file tuned.conf
run "$TUNE" run --dry-run space.yaml --sizes 4096
expect_code 0
[[ $(grep -c ' legal$' "$captured.out") -eq 2 ]] || fail "sizes that were not asked for"

# Spaces that no list of products would fit in.
sed -e 's/block: \[32.*/block: "range(1, 1001)"/' -e 's/loads: .*/loads: "range(1, 1001)"/' \
    -e 's/way: \[plain, wide\]/way: [plain, wide]\n  one: "range(1000)"\n  two: "range(1000)"/' \
    -e 's/- block \* loads <= n/- block == loads/' -e 's/^  - way.*/  - one + two == 7/' \
    -e 's/^defaults.*//' space.yaml >large.yaml
golden "$TUNE" run --dry-run large.yaml --sizes 1000

# ---- the spaces of T1 files, as an independent enumeration counted them ----
for file in bat-md5hash:165888:165888 bat-nbody:3136:1568 ktt-coulombsum3d:672:210; do
    IFS=: read -r name product legal <<<"$file"
    cp "$TUNE_SOURCE/tests/data/t1/$name.json" .
    : >"$(python3 -c "import json; print(json.load(open('$name.json'))['KernelSpecification']['KernelFile'])")"
    run "$TUNE" run --dry-run "$name.json"
    expect_code 0
    expect_out "^    ${name//-/_}: $product points, $legal legal\$"
done

# ---- a GPU that is not there ----
golden "$TUNE" run --dry-run double.yaml --device cuda:0
golden "$TUNE" run --dry-run double.yaml --arch sm_90
golden "$TUNE" run space.yaml --arch sm_90
golden "$TUNE" run --dry-run space.yaml --arch sm_91

run "$TUNE" run --dry-run space.yaml --arch sm_90 --sizes 4096
if grep -q 'NVRTC' "$captured.err"; then
    echo "skipped: $(cat "$captured.err")"
    exit 0
fi
expect_code 0
expect_out '^space \(space.yaml\) on H100 SXM5 80GB \(not present\)$'
# Of the legal points of n = 4096 those with 8 loads in blocks of 32 do not compile; `way` has no
# effect; 131072 bytes of shared memory are one block per SM, 65536 three, 32768 six, 16384 thirteen.
expect_out '^      compiled: 26 of these points; binaries: 16; different machine codes: 15; points that repeat another: 11$'
[[ $(grep -c '^ *none  *2  does not compile: .*broken by intent' "$captured.out") -eq 2 ]] || fail "none"
python3 - "$captured.out" <<'P' || fail "the table"
import sys
rows = [line.split() for line in open(sys.argv[1]) if line.split()[1:2] == ["%"] and line.split()[2].isdigit()]
got = {}
for row in rows:
    got[float(row[0])] = got.get(float(row[0]), 0) + int(row[2])
want = {}
for block in (32, 64, 128, 256):
    for loads, active in ((1, 13), (2, 6), (4, 3), (8, 1)):
        if (block, loads) == (32, 8):
            continue
        share = round(100 * min(active, 2048 // block) * (block // 32) / 64, 1)
        want[share] = want.get(share, 0) + 2 * (2 if loads > 1 else 1)  # f32 and f64
assert got == want, (got, want)
P

run "$TUNE" run --dry-run space.yaml --arch sm_75 --sizes 4096
expect_code 0
# A T4 has 64 KiB of shared memory per block.
expect_out '^ *none  *[0-9]+  more than 65536 bytes of shared memory per block$'

# ---- what can be told without a GPU ----
cat >told.cu <<'C'
__constant__ float filter[9];
extern "C" __global__ void smooth(const float *in, float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i] * filter[0];
}
C
told() {
    cat >told.yaml <<Y
experiment: told
source: told.cu
sizes: {n: [1024]}
parameters: {block: [${4:-64, 128, 256, 512}]}
defines: {BLOCK: block}
launches:
  - {kernel: $1, grid: "ceil_div(n, block)", block: block, arguments: [$2]}
arguments:
  - {name: in, type: f32, count: n}
  - {name: out, type: f32, count: n, output: true}
  - {name: n, type: $3, value: n}
  - {name: filter, type: f32, count: ${5:-9}, symbol: filter}
Y
}
told smooth 'in, out, n' i32
run "$TUNE" run --dry-run --arch sm_90 told.yaml
if [[ $code -ne 4 ]]; then
    expect_code 0
    expect_out 'compiled: 4 of these points'
    golden "$TUNE" run --dry-run --arch sm_90 told.yaml --points 2
    run "$TUNE" run --dry-run --arch sm_90 told.yaml --default
    expect_code 0
    ! grep -q 'compiled:' "$captured.out" || fail 'more than the default was compiled'
    # A small launch before it: the occupancy is the large one's, registers and shared memory are of both.
    sed 's/^launches:/&\n  - {kernel: smooth, grid: 1, block: 1, shared: 128 * 1024, arguments: [in, out, n]}/' told.yaml >two.yaml
    run "$TUNE" run --dry-run --arch sm_90 two.yaml
    expect_code 0
    expect_out '^ *100.0 % +4 .* 0-131072 '
    # Fewer values than the variable has room for are a beginning; more are too many.
    told smooth 'in, out, n' i32 '' 4
    run "$TUNE" run --dry-run --arch sm_90 told.yaml
    expect_code 0
    told smooth 'in, out, n' i32 '' 16
    golden "$TUNE" run --dry-run --arch sm_90 told.yaml
    # A missing symbol: reported once, with the nearest name. Defines with another meaning in CUDA's headers, which see neither.
    grep -q 'symbol: filter' told.yaml || fail "no symbol in it"
    sed 's/symbol: filter/symbol: filtr/' told.yaml >near.yaml
    golden "$TUNE" run --dry-run --arch sm_90 near.yaml
    told smooth 'in, out, n' i32
    sed -i 's/^defines: .*/defines: {BLOCK: block, threadIdx: 1}/' told.yaml
    golden "$TUNE" run --dry-run --arch sm_90 told.yaml
    sed -i 's/^defines: .*/defines: {BLOCK: block, f: 1, pad: 1}/' told.yaml
    golden "$TUNE" run --dry-run --arch sm_90 told.yaml
    # Number and sizes of arguments.
    told smooth 'in, out' i32
    golden "$TUNE" run --dry-run --arch sm_90 told.yaml
    told smooth 'in, out, n' i64
    golden "$TUNE" run --dry-run --arch sm_90 told.yaml
    # A size that it has not; files by names that are nearly theirs.
    told smooth 'in, out, n' i32
    golden "$TUNE" run --dry-run --arch sm_90 told.yaml --sizes 12345
    golden "$TUNE" run --dry-run tole.yaml
    golden "$TUNE" init ./tolt.cu
    cp told.cu "my told.cu"
    golden "$TUNE" init "my told.cu" -D BLOCK=64
    # References: in C, and kernels of the check's own.
    told smooth 'in, out, n' i32
    { cat told.yaml; echo 'check: {output: out, reference: told, source: told.c}'; } >checked.yaml
    echo 'void told(void *const *arguments, struct tune_expected *expected) { expected[0].real = 0; }' >told.c
    run "$TUNE" run --dry-run --arch sm_90 checked.yaml
    expect_code 0
    sed 's/reference: told/reference: tolt/' checked.yaml >tolt.yaml
    golden "$TUNE" run --dry-run --arch sm_90 tolt.yaml
    sed -i 's/real = 0;/real = nothing;/' told.c
    golden "$TUNE" run --dry-run --arch sm_90 checked.yaml
    sed -i '/^check/d' checked.yaml
    echo 'check: {output: out, launches: [{kernel: plain, grid: 1, block: 1, arguments: [in, out, n]}]}' >>checked.yaml
    golden "$TUNE" run --dry-run --arch sm_90 checked.yaml
    # How far it is, on a terminal alone.
    refuse_err 'of 4 binaries'
    python3 -S -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$TUNE" run --dry-run --arch sm_90 told.yaml >terminal.txt
    grep -q 'told, n = 1024: 4 of 4 binaries' terminal.txt || fail "no line of progress on a terminal: $(cat terminal.txt)"
    # Grids that no device holds at once, and clusters that this one has not.
    told smooth 'in, out, n' i32
    sed 's/block: block, arg/block: block, cluster: block \/\/ 64, cooperative: true, arg/; s/n: \[1024\]/n: [320000]/' told.yaml >held.yaml
    golden "$TUNE" run --dry-run --arch sm_90 held.yaml --only block=64,256
    sed -i 's/320000/266240/' held.yaml
    golden "$TUNE" run --dry-run --arch sm_90 held.yaml
    golden "$TUNE" run --dry-run --arch sm_80 held.yaml --only block=128
    # A grid too large in y and z, and points for which an expression fails: rows, and the others are counted.
    told smooth 'in, out, n' i32
    sed 's/grid: "[^"]*", block: block/grid: [1, "ceil_div(n * 512, block)", 1], block: [1, 1, "block \/\/ 4"]/' told.yaml >axes.yaml
    golden "$TUNE" run --dry-run --arch sm_90 axes.yaml
    sed -i 's/"block \/\/ 4"/8/; s/n: \[1024\]/n: [12288]/' axes.yaml
    golden "$TUNE" run --dry-run --arch sm_90 axes.yaml --only block=64,128
    for fault in 'grid: n \/\/ (8 * block)' 'grid: n - 4 * block' 'grid: n \/\/ (block \/\/ 256 - 1 + block % 256)' \
        'shared: (128 - block) * 4, grid: 1' 'grid: 1 + block \/\/ 512 * 2**62 * 2'; do
        sed "s/grid: \"[^\"]*\"/$fault/" told.yaml >point.yaml
        golden "$TUNE" run --dry-run --arch sm_90 point.yaml
    done
    # A kernel that is not there, and points that all fail.
    told smoth 'in, out, n' i32
    golden "$TUNE" run --dry-run --arch sm_90 told.yaml
    told smooth 'in, out, n' i32 2048
    golden "$TUNE" run --dry-run --arch sm_90 told.yaml
fi
expect_golden
