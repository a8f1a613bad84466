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
wrong() { # SED REGEX
    sed "$1" $file >wrong.yaml
    cmp -s wrong.yaml $file && fail "nothing was changed by $1"
    run "$TUNE" run --dry-run wrong.yaml
    expect_code 3
    expect_err "$2"
}
wrong 's/height: h,/height: 2 * h,/' "'image' has 786432 elements, and the texture needs 1572864"
wrong 's/width: w,/width: w - 1,/' 'a row of the texture has 4092 bytes: it must be a multiple of 32'
wrong 's/, height: h,/,/' "'filter' is of textures with a height"
wrong 's/filter: linear/filter: linaer/' "filter is never 'linaer'; did you mean 'linear'\?"
wrong 's/filter: linear/address: wrap/' 'address: wrap needs normalized: true'
wrong 's/image, type: f32/image, type: f64/' 'textures have 1, 2 or 4 channels of i8 to u32, f16 or f32'
wrong 's/filter: linear/channels: 3/' 'textures have 1, 2 or 4 channels'
wrong 's/filter: linear/read: normalized/' 'read: normalized is of i8, u8, i16 and u16'
wrong 's/image, type: f32, count: w \* h, fill: {uniform: \[0, 1\]}/image, type: i32, count: w * h/' 'filter: linear is of reals'
wrong 's/fill: {uniform: \[0, 1\]}/update: true/' 'a texture is of an input'
sed 's/filter: linear/filter: linear, normalized: true, address: mirror/' texture.yaml >good.yaml
run "$TUNE" run --dry-run good.yaml
expect_code 0

cp "$TUNE_SOURCE"/tests/gpu/language/surface* .
run "$TUNE" run --dry-run surface.yaml
expect_code 0
expect_out '^    relief\(image, out, width, height\) grid 125x701 block 8$'
file=surface.yaml
wrong '0,/height: h,/s//height: h - 1,/' "'image' has 1402000 elements, and the surface needs 1400000"
wrong 's/image, type: f32/image, type: f64/' 'surfaces have 1, 2 or 4 channels of i8 to u32, f16 or f32'
wrong '0,/channels: 2/s//filter: linear/' "a surface has no key 'filter'"
wrong 's/output: true,/output: true, texture: {width: w},/' 'an argument is a texture or a surface'
wrong 's/name: width, type: i32, value: w/&, surface: {width: w}/' 'a surface is of a vector, without symbol and alignment of its own'
wrong 's/fill: {uniform: \[0, 1\]}/&, alignment: 4/' 'a surface is of a vector, without symbol and alignment of its own'
