#!/bin/bash
# tune run --dry-run: problems, points and launches, without a device and without a database; with
# --arch how the points would lie on a GPU that is not there.
source "$TUNE_TESTS/lib.sh"

# ---- the CPU ----
write_experiment
run "$TUNE" run --dry-run double.yaml --device cpu
expect_code 0
expect_out '^    double_blocks\(in, out, block, n\) grid 10 on 1 threads, static$'
expect_out '^    double, n = 1000: 20 points, 20 legal$'

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
  - {kernel: space, grid: "ceil_div(n, block * loads)", block: block, shared: 16384 * loads}
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
expect_out '^space \(space.yaml\) on '
expect_out '^    block  5: 32 64 128 256 2048$'
expect_out '^    loads  4: 1 2 4 8$'
expect_out '^    way    2: plain wide$'
expect_out '^      20.0 %  block <= 1024$'
expect_out '^      12.5 %  way == "plain" or loads > 1$'
expect_out '^  launches of space.f32, with n = 1000, block=64 loads=1 way=plain$'
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
run "$TUNE" run --dry-run large.yaml --sizes 1000
expect_code 0
expect_out '^    space.f32, n = 1000: 2000000000000 points, 16000 legal$'

# ---- the spaces of T1 files, as an independent enumeration counted them ----
for file in bat-md5hash:165888:165888 bat-nbody:3136:1568 ktt-coulombsum3d:672:210; do
    IFS=: read -r name product legal <<<"$file"
    cp "$TUNE_SOURCE/tests/data/t1/$name.json" .
    : >"$(python3 -c "import json; print(json.load(open('$name.json'))['KernelSpecification']['KernelFile'])")"
    run "$TUNE" run --dry-run "$name.json"
    expect_code 0
    expect_out "^    ${name//-/_}, n = 1: $product points, $legal legal\$"
done

# ---- a GPU that is not there ----
run "$TUNE" run --dry-run double.yaml --device cuda:0
expect_code 3
expect_err 'no experiment named here is for that device'
run "$TUNE" run --dry-run double.yaml --arch sm_90
expect_code 3
expect_err 'no experiment named here is for a GPU'
run "$TUNE" run space.yaml --arch sm_90
expect_code 2
expect_one_line err
expect_err 'arch: only with --dry-run'
run "$TUNE" run --dry-run space.yaml --arch sm_91
expect_code 4
expect_err "architecture 'sm_91': known are sm_70, "

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
    run "$TUNE" run --dry-run --arch sm_90 told.yaml --points 2
    expect_code 0
    expect_out 'compiled: 2 of these points'
    run "$TUNE" run --dry-run --arch sm_90 told.yaml --default
    expect_code 0
    ! grep -q 'compiled:' "$captured.out" || fail 'more than the default was compiled'
    # Fewer values than the variable has room for are a beginning; more are too many.
    told smooth 'in, out, n' i32 '' 4
    run "$TUNE" run --dry-run --arch sm_90 told.yaml
    expect_code 0
    told smooth 'in, out, n' i32 '' 16
    run "$TUNE" run --dry-run --arch sm_90 told.yaml
    expect_code 3
    expect_err "^tune run: told.yaml:[0-9]+: argument 'filter' has 64 bytes, and the variable 'filter' only 36"
    # A missing symbol, and a define with another meaning in CUDA's headers: reported once, with the nearest name.
    grep -q 'symbol: filter' told.yaml || fail "no symbol in it"
    sed 's/symbol: filter/symbol: filtr/' told.yaml >near.yaml
    run "$TUNE" run --dry-run --arch sm_90 near.yaml
    expect_code 3
    expect_err "told.cu: no variable 'filtr'; did you mean 'filter'\?"
    refuse_out "filtr'|compiled:"
    expect_out '^      none of these [0-9]+ points compiles$'
    told smooth 'in, out, n' i32
    sed -i 's/^defines: .*/defines: {BLOCK: block, threadIdx: 1}/' told.yaml
    run "$TUNE" run --dry-run --arch sm_90 told.yaml
    expect_code 3
    expect_err "the define 'threadIdx' replaces a name in CUDA's own headers: call it something else$"
    refuse_out 'builtin_header|compiled:'
    # Number and sizes of arguments.
    told smooth 'in, out' i32
    run "$TUNE" run --dry-run --arch sm_90 told.yaml
    expect_code 3
    expect_err '^tune run: told.yaml:7: kernel smooth takes 3 arguments of 8, 8, 4 bytes; the experiment passes 2 of 8, 8$'
    told smooth 'in, out, n' i64
    run "$TUNE" run --dry-run --arch sm_90 told.yaml
    expect_code 3
    expect_err 'takes 3 arguments of 8, 8, 4 bytes; the experiment passes 3 of 8, 8, 8$'
    # A size that it has not; files by names that are nearly theirs.
    told smooth 'in, out, n' i32
    run "$TUNE" run --dry-run --arch sm_90 told.yaml --sizes 12345
    expect_code 3
    expect_err 'no problem has that size; there are: 1024$'
    run "$TUNE" run --dry-run tole.yaml
    expect_code 3
    expect_err "tole.yaml: No such file or directory; did you mean 'told.yaml'\?$"
    run "$TUNE" init ./tolt.cu
    expect_code 3
    expect_err "did you mean './told.cu'\?$"
    cp told.cu "my told.cu"
    run "$TUNE" init "my told.cu" -D BLOCK=64
    expect_code 0
    expect_err "^  tune run 'my told.yaml'   # tunes it$"
    # References: in C, and kernels of the check's own.
    told smooth 'in, out, n' i32
    { cat told.yaml; echo 'check: {output: out, reference: told, source: told.c}'; } >checked.yaml
    echo 'void told(void *const *arguments, struct tune_expected *expected) { expected[0].real = 0; }' >told.c
    run "$TUNE" run --dry-run --arch sm_90 checked.yaml
    expect_code 0
    sed 's/reference: told/reference: tolt/' checked.yaml >tolt.yaml
    run "$TUNE" run --dry-run --arch sm_90 tolt.yaml
    expect_code 3
    expect_err "the reference that results are compared with does not compile: .*told.c: no function 'tolt' in it$"
    sed -i 's/real = 0;/real = nothing;/' told.c
    run "$TUNE" run --dry-run --arch sm_90 checked.yaml
    expect_code 3
    expect_out "^      the check does not compile$"
    expect_err "told, n = 1024: the reference that results are compared with does not compile: .*nothing"
    expect_out 'compiled: 4 of these points'
    sed -i '/^check/d' checked.yaml
    echo 'check: {output: out, launches: [{kernel: plain, grid: 1, block: 1, arguments: [in, out, n]}]}' >>checked.yaml
    run "$TUNE" run --dry-run --arch sm_90 checked.yaml
    expect_code 3
    expect_out '^      the check does not compile$'
    # How far it is, on a terminal alone.
    refuse_err 'of 4 binaries'
    python3 -S -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$TUNE" run --dry-run --arch sm_90 told.yaml >terminal.txt
    grep -q 'told, n = 1024: 4 of 4 binaries' terminal.txt || fail "no line of progress on a terminal: $(cat terminal.txt)"
    # Grids that no device holds at once, and clusters that this one has not.
    told smooth 'in, out, n' i32
    sed 's/block: block, arg/block: block, cluster: block \/\/ 64, cooperative: true, arg/; s/n: \[1024\]/n: [320000]/' told.yaml >held.yaml
    run "$TUNE" run --dry-run --arch sm_90 held.yaml --only block=64,256
    expect_code 3
    expect_out '^    smooth\(in, out, n\) grid 5000 block 64, cooperative$'
    expect_out '^ +none +1  a cooperative grid of 5000 blocks, of which 4224 are resident at once \(32 on each of 132 SMs\)$'
    expect_out '^ +none +1  a grid of 1250 blocks cannot be made of clusters of 4$'
    sed -i 's/320000/266240/' held.yaml
    run "$TUNE" run --dry-run --arch sm_90 held.yaml
    expect_code 0
    expect_out '^ +100.0 % +4 '
    run "$TUNE" run --dry-run --arch sm_80 held.yaml --only block=128
    expect_code 3
    expect_out 'no cluster of 2 such blocks fits on a device of compute capability 8.0'
    # A grid too large in y and z, and points for which an expression fails: rows, and the others are counted.
    told smooth 'in, out, n' i32
    sed 's/grid: "[^"]*", block: block/grid: [1, "ceil_div(n * 512, block)", 1], block: [1, 1, "block \/\/ 4"]/' told.yaml >axes.yaml
    run "$TUNE" run --dry-run --arch sm_90 axes.yaml
    expect_code 0
    expect_out '^ +none +1  block has 128 threads in z, more than 64$'
    sed -i 's/"block \/\/ 4"/8/; s/n: \[1024\]/n: [12288]/' axes.yaml
    run "$TUNE" run --dry-run --arch sm_90 axes.yaml --only block=64,128
    expect_code 0
    expect_out '^ +none +1  grid has 98304 blocks in y, more than 65535$'
    expect_out '^ +[0-9.]+ % +1 '
    for fault in 'grid: n \/\/ (8 * block)|grid is 0, which is not from 1 to 2147483647' \
        'grid: n - 4 * block|grid is -1024, which' 'grid: n \/\/ (block \/\/ 256 - 1 + block % 256)|division by zero' \
        'shared: (128 - block) * 4, grid: 1|shared is -512, which is not from 0 to 2147483647' \
        'grid: 1 + block \/\/ 512 * 2**62 * 2|the result does not fit 64 bits'; do
        sed "s/grid: \"[^\"]*\"/${fault%|*}/" told.yaml >point.yaml
        run "$TUNE" run --dry-run --arch sm_90 point.yaml
        refuse_err '^tune run: point.yaml:[0-9]+:[0-9]+'
        expect_out "^ +none +[0-9]+  ${fault#*|}.*\(line [0-9]+\)\$"
    done
    # A kernel that is not there, and points that all fail.
    told smoth 'in, out, n' i32
    run "$TUNE" run --dry-run --arch sm_90 told.yaml
    expect_code 3
    expect_err "no kernel 'smoth', did you mean 'smooth'\?; there is: smooth"
    told smooth 'in, out, n' i32 2048
    run "$TUNE" run --dry-run --arch sm_90 told.yaml
    expect_code 3
    expect_err 'none of the 1 points that were compiled can be launched; .* more than 1024 threads per block'
fi
