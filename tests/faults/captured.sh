# Captured launches are tuned without the kernel's source: the program's own launch is the default,
# its results are expected, and a compiled-in block is detected.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"

printf 'stand-in cubin 1\nsource app\narchitecture sm_90\ndefine ELEMENT int\n' >image
"$TUNE_CAPTURE" app.cap image || fail "no capture was made"
quick=(--device 0 --effort quick --no-report "${warm[@]}")

golden_refusal "$TUNE" run --binary app.cap "${quick[@]}"
run "$TUNE" run --binary app.cap --kernel linked "${quick[@]}"
expect_err 'linked: no launch can be replayed: its buffers hold addresses'
run "$TUNE" run --binary app.cap --kernel other "${quick[@]}"
expect_err "no launch of 'other' was kept"
head -c 1000 app.cap >cut.cap
run "$TUNE" run --binary cut.cap "${quick[@]}"
expect_err 'cut.cap'

# A struct with pointers, one of them into the middle of its buffer, at two sizes.
run "$TUNE" run --binary app.cap --kernel view_copy "${quick[@]}"
expect_code 0
expect_err 'unpacked 2 launches, .* of the program.s data, into app.captured'
expect_err 'replayed three times each: the program.s results, to the bit'
expect_err '2 problems, .* 0 failed'
expect_out 'gain over program'
# Poisoned before, its output is the same: no element of it is read.
grep -qF '{name: p0_16, type: u32, count: "n", output: true}' app.captured/app.yaml || fail "no output: $(cat app.captured/app.yaml)"
grep -qE '^app n=1000.* checked_on=2 image=[0-9a-f]{32} ' tuned.conf || fail "no evidence: $(cat tuned.conf)"
[[ $(stat -c %a app.captured app.captured/* | sort | uniq -c | tr -s ' ') == *' 600'*' 700' ]] ||
    fail "others may read it: $(stat -c '%a %n' app.captured app.captured/*)"

# The second run measures nothing: the unpacked files are unchanged.
run "$TUNE" run --binary app.cap --kernel view_copy "${quick[@]}"
expect_code 0
expect_err ' 0 trials'

# A configuration that is right at the size that it wins, and wrong at the other captured one, does
# not win.
forget
TUNE_FAULTS='kernel@kernel=view_copy,block=32,grid=94: nothing' \
    run "$TUNE" run --binary app.cap --kernel view_copy --sizes 1000 "${quick[@]}"
expect_code 0
! grep -q 'block_x=32 ' tuned.conf || fail "a launch won that is wrong on another captured one"
[[ $(query "SELECT count(*) FROM trials t JOIN configurations c ON c.id = t.configuration_id WHERE
    json_extract(c.parameters, '\$.block_x') = 32 AND t.stage = 'sweep' AND t.status = 'ok'") -ge 1 ]] ||
    fail "it was not tried"

forget
# A block that is compiled in: the program's own is all that passes.
run "$TUNE" run --binary app.cap --kernel copy_by_128 "${quick[@]}"
expect_code 0
[[ $(query "SELECT json_extract(c.parameters, '\$.block_x') FROM trials t JOIN configurations c
    ON c.id = t.configuration_id WHERE t.stage = 'sweep' AND t.status = 'ok'") == 128 ]] ||
    fail "another block passed"

# A launch that fails, that ends its process, or that leaves something else each time is told before anything is tuned.
replayed() {
    TUNE_FAULTS="kernel@kernel=copy_by_128$1" run "$TUNE" run --binary app.cap --kernel copy_by_128 "${quick[@]}"
    [[ $code -ne 0 ]] || fail "it was taken"
    expect_err "$2"
}
replayed '#2: 700' 'replayed as the program launched it: kernel copy_by_128 .*CUDA_ERROR_ILLEGAL_ADDRESS'
replayed '#1: crash' 'replayed as the program launched it, copy_by_128 ends the process .signal 11.'
replayed '#3: nothing' 'copy_by_128: replayed .* 50000 of 50000 elements of p1 are not as the program left them, .* not deterministic'

# A launch that writes behind its vector, where nothing lay in the program, is told, too.
run "$TUNE" run --binary app.cap --kernel copy_elements "${quick[@]}"
[[ $code -ne 0 ]] || fail "it was taken"
expect_err "replayed as the program launched it: it wrote outside of 'p1': 16 bytes behind it.* let the program allocate"

# With the source: an experiment without guesses, which is then tuned as any other. A real compiler reports its kernels'
# parameters.
forget
cat >app.cu <<'C'
struct view { int n; const unsigned *from; unsigned *to; };
extern "C" __global__ void view_copy(view v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.n)
        v.to[i] = v.from[i];
}
extern "C" __global__ void copy_by_128(const unsigned *in, unsigned *out, long long n)
{
    long long i = blockIdx.x * 128ll + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
extern "C" __global__ void linked(float *x, int n) { x[n] = 1; }
C
draft() {
    run env -u LD_LIBRARY_PATH -u TUNE_NVRTC_PATH "$TUNE" init app.cu --capture app.cap "$@"
}
draft --kernel view_copy
if grep -qE 'NVRTC|without CUDA' "$captured.err"; then
    echo "the part with a source is skipped: $(cat "$captured.err")"
    exit 0
fi
expect_code 0
grep -qF '{name: v, fields: [{type: i64, value: "n"}, {pointer: v_8, offset: "64"}, {pointer: v_16}]}' app.yaml ||
    fail "no struct: $(cat app.yaml)"
run "$TUNE" run ./app.yaml "${quick[@]}"
expect_code 0
expect_err '2 problems, .* 0 failed'
expect_out 'gain over program'
draft --kernel copy_by_128 -o by.yaml
expect_code 0
# Without a GPU no replay tells whether all of a vector is written: its former contents are restored.
grep -qF '{name: out, type: u32, count: "n", update: true, fill: {file: ' by.yaml || fail "no update: $(cat by.yaml)"
draft --kernel linked -o linked.yaml
expect_err 'app.cap: linked was launched with 1 parameter, and the source.s kernel takes 2'
expect_golden
