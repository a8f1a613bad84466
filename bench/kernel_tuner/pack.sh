#!/usr/bin/env bash
# Packs Kernel Tuner for a machine that has Python but no package index: the modules imported in a run of compare.py, as
# in the index, without tests, sources and headers. pandas, pymoo, scikit-learn and scipy, which it names but imports
# for other strategies only, are omitted.
#   bench/kernel_tuner/pack.sh FILE.txz [PYTHON VERSION, 3.12]
# There:
#   mkdir kt && tar -xJf FILE.txz -C kt
set -euo pipefail
out=$(realpath -m "${1:?usage: bench/kernel_tuner/pack.sh FILE.txz [PYTHON VERSION]}")
version=${2:-3.12}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages="kernel_tuner==1.5.0 numpy python-constraint2 jsonschema jsonschema-specifications referencing rpds-py attrs typing-extensions
    xmltodict packaging cuda-bindings==13.0.* cuda-pathfinder"
platforms="--platform any"
for glibc in 17 24 27 28 34 39; do platforms+=" --platform manylinux_2_${glibc}_x86_64"; done
# shellcheck disable=SC2086 # lists of words
python3 -m pip install -q --disable-pip-version-check --root-user-action ignore --no-deps --no-compile --only-binary=:all: --python-version "$version" \
    --platform manylinux2014_x86_64 $platforms --target "$work/kt" $packages
cd "$work/kt"
find . -type f \( -name '*.c' -o -name '*.cpp' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.pyi' -o -name '*.h' -o -name '*.a' \) -delete
rm -rf bin numpy/f2py numpy/*/tests/data numpy/_core/include numpy/_core/lib numpy/random/tests numpy/lib/tests
tar -c --sort=name --mtime=@0 . | xz -T0 >"$out"
du -h "$out"
