#!/usr/bin/env bash
# Packs Kernel Tuner for a machine that has Python but no package index: the modules imported in a run of compare.py, as
# in the index, without tests, sources and headers. pandas, pymoo, scikit-learn and scipy, which it names but imports
# for other strategies only, are omitted. With a list (listed.py) the scripts that a GPU is to run, too, their files out of
# the checkouts SOURCES/OWNER/NAME, and their packages.
#   bench/kernel_tuner/pack.sh FILE.txz [PYTHON VERSION, 3.12] [LIST SOURCES]
# There:
#   mkdir kt && tar -xJf FILE.txz -C kt
#   bench/kernel_tuner/scripts.py build/release/bin/tune kt/listed/list.txt --kernel-tuner kt
set -euo pipefail
out=$(realpath -m "${1:?usage: bench/kernel_tuner/pack.sh FILE.txz [PYTHON VERSION] [LIST SOURCES]}")
version=${2:-3.12}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages="kernel_tuner==1.5.0 numpy python-constraint2 jsonschema jsonschema-specifications referencing rpds-py attrs typing-extensions
    xmltodict packaging cuda-bindings==13.0.* cuda-pathfinder"
if [ $# -gt 2 ]; then
    packages+=" $(python3 "$(dirname "$0")/listed.py" "$3" --sources "${4:?SOURCES, which has the repositories of $3}" --into "$work/kt/listed")"
fi
platforms="--platform any"
for glibc in 17 24 27 28 34 39; do platforms+=" --platform manylinux_2_${glibc}_x86_64"; done
# shellcheck disable=SC2086 # lists of words
python3 -m pip install -q --disable-pip-version-check --root-user-action ignore --no-deps --no-compile --only-binary=:all: --python-version "$version" \
    --platform manylinux2014_x86_64 $platforms --target "$work/kt" $packages
cd "$work/kt"
find . -path ./listed -prune -o -type f \( -name '*.c' -o -name '*.cpp' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.pyi' -o -name '*.h' -o -name '*.a' \) \
    -exec rm {} +
rm -rf bin numpy/f2py numpy/*/tests/data numpy/_core/include numpy/_core/lib numpy/random/tests numpy/lib/tests
tar -c --sort=name --mtime=@0 . | xz -T0 >"$out"
du -h "$out"
