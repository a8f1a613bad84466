#!/bin/bash
# Texture references, which CUDA dropped in version 12: the file's keys for their objects, and that
# NVRTC and nvcc compile sources with them. As a dry run.
source "$TUNE_TESTS/lib.sh"

cp "$TUNE_SOURCE"/tests/gpu/language/references* .
dry() { run "$TUNE" run --dry-run --arch sm_90 --points 1 "$@"; }
dry references.yaml
if grep -q 'built without CUDA' "$captured.err"; then
    echo "skipped: this tune was built without CUDA"
    exit 77
fi
expect_code 0
expect_out '^    weigh\(out, width, height\) grid 64x768 block 16$'
sed 's/symbol: ramp/symbol: rump/' references.yaml >wrong.yaml
dry wrong.yaml
expect_code 3
expect_err 'rump'
sed 's/symbol: weights/alignment: 16, &/' references.yaml >wrong.yaml
dry wrong.yaml
expect_code 3
expect_err 'a texture is of an input, without alignment of its own'
sed '/^launches/,/kernel:/s/block: \[bx, by\]/&, arguments: [out, width, height, ramp]/' references.yaml >wrong.yaml
dry wrong.yaml
expect_code 3
expect_err "'ramp' is a symbol, a variable of the source, so it is not passed to a kernel"

# ---- tune init leaves them to a person ----
init_refused 3 'kernel weigh reads a texture reference, which CUDA has no more' references.cu --kernel weigh

# ---- nvcc, which takes the host's part as well ----
sed 's/^source:.*/&\ncompiler: nvcc/' references.yaml >nvcc.yaml
dry nvcc.yaml
if grep -q "there is no nvcc" "$captured.err"; then
    echo "skipped: there is no nvcc here"
    exit 77
fi
expect_code 0
expect_out '^      compiled: 1 of these points; binaries: 1; different machine codes: 1;'
