#!/bin/bash
# Texture and surface objects over vectors: the file's keys, as far as a dry run goes.
source "$TUNE_TESTS/lib.sh"

cp "$TUNE_SOURCE"/tests/gpu/language/texture* .
run "$TUNE" run --dry-run texture.yaml
if grep -q 'built without CUDA' "$captured.err"; then
    echo "skipped: this tune was built without CUDA"
    exit 77
fi
expect_code 0
expect_out '^    halve\(image, out, width, height\) grid 64x384 block 8$'
file=texture.yaml
wrong() { # SED
    sed "$1" $file >wrong.yaml
    cmp -s wrong.yaml $file && fail "nothing was changed by $1"
    golden_refusal "$TUNE" run --dry-run wrong.yaml
}
wrong 's/height: h,/height: 2 * h,/'
wrong 's/width: w,/width: w - 1,/'
wrong 's/, height: h,/,/'
wrong 's/filter: linear/filter: linaer/'
wrong 's/filter: linear/address: wrap/'
wrong 's/image, type: f32/image, type: f64/'
wrong 's/filter: linear/channels: 3/'
wrong 's/filter: linear/read: normalized/'
wrong 's/image, type: f32, count: w \* h, fill: {uniform: \[0, 1\]}/image, type: i32, count: w * h/'
wrong 's/fill: {uniform: \[0, 1\]}/update: true/'
sed 's/filter: linear/filter: linear, normalized: true, address: mirror/' texture.yaml >good.yaml
run "$TUNE" run --dry-run good.yaml
expect_code 0

cp "$TUNE_SOURCE"/tests/gpu/language/surface* .
run "$TUNE" run --dry-run surface.yaml
expect_code 0
expect_out '^    relief\(image, out, width, height\) grid 125x701 block 8$'
file=surface.yaml
wrong '0,/height: h,/s//height: h - 1,/'
wrong 's/image, type: f32/image, type: f64/'
wrong '0,/channels: 2/s//filter: linear/'
wrong 's/output: true,/output: true, texture: {width: w},/'
wrong 's/name: width, type: i32, value: w/&, surface: {width: w}/'
wrong 's/fill: {uniform: \[0, 1\]}/&, alignment: 4/'
expect_golden
