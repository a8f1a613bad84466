# Unpacking a packed capture ends with the time of a draft, which is named with the remedy; nothing is left behind.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/capture/lib.sh"
capture add.cap -- link add
mkdir bin
for packer in zstd gzip; do
    printf '#!/bin/bash\nexec sleep 600\n' >bin/$packer
    chmod +x bin/$packer
done

PATH=$PWD/bin:$PATH TUNE_DRAFT_S=1 run "$TUNE" capture --list add.cap
expect_code 1
expect_one_line err
expect_err '^tune capture: add.cap: it is not unpacked in the 1 s of a draft: TUNE_DRAFT_S=300 gives more$'
run "$TUNE" capture --list add.cap
expect_code 0

# The compiler answers first.
echo 'extern "C" __global__ void scaled_add(const unsigned *a, const unsigned *b, unsigned *out, unsigned factor, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor * a[i] + b[i];
}' >add.cu
draft=(env -u LD_LIBRARY_PATH -u TUNE_NVRTC_PATH "$TUNE" init add.cu --capture add.cap)
run "${draft[@]}"
if grep -qE 'NVRTC|without CUDA' "$captured.err"; then
    echo "skipped: $(cat "$captured.err")"
    exit 77
fi
expect_code 0
rm -r add.yaml add.captured
PATH=$PWD/bin:$PATH TUNE_DRAFT_S=20 run "${draft[@]}"
expect_code 1
expect_err '^tune init: add.cap: it is not unpacked in the 20 s of a draft: let the program take a smaller size, or wait longer: TUNE_DRAFT_S=300 tune init ... --capture add.cap$'
refuse_file add.yaml
[[ -z $(find "$TMPDIR" -mindepth 1 ! -name 'last.*' ! -name 'driver*') ]] || fail "left: $(find "$TMPDIR")"
