#!/bin/bash
# Texture references, which CUDA has no longer since version 12: what tune init writes for them, what a
# file may say of their objects, and that NVRTC and nvcc compile sources with them. As a dry run.
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

# ---- what tune init writes: those that the kernel reads, as the host's part sets them ----
run "$TUNE" init references.cu --kernel weigh -o weigh.yaml
expect_code 0
drafted '    arguments: [out, width, height]' weigh.yaml
drafted '  - {name: weights, type: f32, count: n * n, fill: random, texture: {width: n * n}, symbol: "weights"}' weigh.yaml
drafted '  - {name: texels, type: u8, count: 4 * n * n, fill: random, texture: {width: n, height: n, channels: 4, address: border, read: normalized}, symbol: "picture::texels"}' weigh.yaml
grep -q 'picture::texels.*# ? the texture reference reads it, as the source sets that$' weigh.yaml || fail "$(cat weigh.yaml)"
drafted '  - {name: ramp, type: f32, count: "min(n, 65536)", fill: random, texture: {height: 1, width: "min(n, 65536)", filter: linear}, symbol: "ramp"}' weigh.yaml
grep -q 'volume' weigh.yaml && fail "$(cat weigh.yaml)"
dry weigh.yaml
expect_code 0
init_refused 3 "texture reference 'volume' has three axes, layers or the faces of a cube" references.cu --kernel deep

# A kernel with one axis: rows of a plane, whole numbers that may be places, and a setting by the declaration.
cat >flat.cu <<'E'
texture<int2> edges;
texture<unsigned short, 2> plane(true, cudaFilterModeLinear, cudaAddressModeMirror);
__global__ void follow(int *to) { to[threadIdx.x] = tex1Dfetch(edges, threadIdx.x).y + tex2D(plane, 0, threadIdx.x / 7.0f); }
E
run "$TUNE" init flat.cu
expect_code 0
drafted '  - {name: edges, type: i32, count: 2 * n, fill: {uniform: [0, n - 1]}, texture: {width: n, channels: 2}, symbol: "edges"}' flat.yaml
drafted '  - {name: plane, type: u16, count: n, fill: random, texture: {width: 1024, height: n // 1024, address: mirror, normalized: true}, symbol: "plane"}' flat.yaml
drafted '  bytes: (4 + 8 + 2) * n' flat.yaml
dry flat.yaml
expect_code 0

# ---- nvcc, which takes the host's part as well ----
sed 's/^source:.*/&\ncompiler: nvcc/' references.yaml >nvcc.yaml
dry nvcc.yaml
if grep -q "there is no nvcc" "$captured.err"; then
    echo "skipped: there is no nvcc here"
    exit 77
fi
expect_code 0
expect_out '^      compiled: 1 of these points; binaries: 1; different machine codes: 1;'
