# tune init --program: the program runs, and its launches are the sizes, data and default of the experiment drafted from
# the source.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/capture/lib.sh"

cat >add.cu <<'C'
#ifndef BLOCK
#define BLOCK 64
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
extern "C" __global__ void scaled_add(const unsigned *a, const unsigned *b, unsigned *out, unsigned factor, long long n)
{
    long long first = blockIdx.x * (long long)BLOCK * ITEMS;
    for (int k = threadIdx.x; k < BLOCK * ITEMS; k += BLOCK)
        if (first + k < n)
            out[first + k] = factor * a[first + k] + b[first + k];
}
C
init() { # PROGRAM'S WORDS [OPTION...]
    run env -u LD_LIBRARY_PATH -u TUNE_NVRTC_PATH "$TUNE" init add.cu \
        --program "LD_LIBRARY_PATH=$TUNE_DRIVER $APP $1" "${@:2}"
}
init 'link add'
if grep -qE 'NVRTC|without CUDA' "$captured.err"; then
    echo "skipped: $(cat "$captured.err")"
    exit 77
fi
expect_code 0
expect_err '^tune: runs .*; launches of scaled_add go to add.cap$'
expect_err '^tune: unpacked [0-9]+ launch'
[[ $(stat -c %a add.cap) == 600 ]] || fail "others may read it"
drafted '  BLOCK: 256' add.yaml # as launched, whatever the source has

drafted '    block: ["BLOCK", "1", "1"]' add.yaml
drafted '  n: [100000]' add.yaml # the largest of its launches
drafted '    grid: ["ceil_div(n, BLOCK * ITEMS)", "1", "1"]' add.yaml
grep -qF 'set: {BLOCK: 256, ITEMS: 1}' add.yaml || fail "no baseline: $(cat add.yaml)"
grep -qF 'fill: {file: "add.captured/' add.yaml || fail "no data"

# A program that goes on after its largest launch is ended.
begun=$SECONDS
init 'link linger' --force -o linger.yaml
expect_code 0
expect_err '^tune: the program was ended: no larger launch came in 10 s$'
drafted '  n: [100000]' linger.yaml
((SECONDS - begun < 60)) || fail "it took $((SECONDS - begun)) s"

# A vector that holds an address: the source tells whether that may be one, or is numbers.
init 'link memory' --force -o numbers.yaml
expect_code 0
sed 's/const unsigned \*a/const unsigned long long *a/' add.cu >wide.cu
run env -u LD_LIBRARY_PATH -u TUNE_NVRTC_PATH "$TUNE" init wide.cu --program "LD_LIBRARY_PATH=$TUNE_DRIVER $APP link memory" -o none.yaml
[[ $code -ne 0 ]] || fail "taken"
expect_err 'its buffers hold addresses'
refuse_file none.yaml

# A template: the launched instance is the experiment's, of several that of the largest launch, or the named one.
cat >added.cu <<'C'
template <class T> __global__ void added(const T *a, const T *b, T *out, int factor, long long n)
{
    long long i = blockIdx.x * 256ll + threadIdx.x;
    if (i < n)
        out[i] = factor * a[i] + b[i];
}
C
added() { # EXPERIMENT [OPTION...]
    run env -u LD_LIBRARY_PATH -u TUNE_NVRTC_PATH "$TUNE" init added.cu -o "$1" --program "LD_LIBRARY_PATH=$TUNE_DRIVER $APP link instances" "${@:2}"
}
added added.yaml
expect_code 0
expect_err '^tune: 2 instances of the kernel were launched; that of the largest launch is taken: added<unsigned int> \(--kernel names another\)$'
drafted '  - kernel: "added<unsigned int>"' added.yaml
drafted '  n: [100000]' added.yaml
added named.yaml --kernel 'added<int>'
expect_code 0
refuse_err 'instances of the kernel were launched'
drafted '  - kernel: "added<int>"' named.yaml
drafted '  n: [1000]' named.yaml
added none.yaml --kernel 'added<float>'
expect_code 3
expect_err "named.cap|none.cap: no launch of 'added<float>' was kept; there are added<int>, added<unsigned int>$"
refuse_file none.yaml

# A program that launches other kernels.
sed 's/scaled_add/unseen/' add.cu >unseen.cu
run env -u LD_LIBRARY_PATH -u TUNE_NVRTC_PATH "$TUNE" init unseen.cu --program "LD_LIBRARY_PATH=$TUNE_DRIVER $APP link add"
expect_code 3
expect_err 'unseen.cap: no launch of unseen was kept; the program launched: .*scaled_add'

# A program that ends before it launches anything, as without an argument that it needs.
run env -u LD_LIBRARY_PATH -u TUNE_NVRTC_PATH "$TUNE" init add.cu --program 'exit 4' -o none.yaml
expect_code 3
expect_err '^tune init: exit 4: no kernel launch seen: it ended with exit code 4 before its first: '
refuse_file none.yaml
