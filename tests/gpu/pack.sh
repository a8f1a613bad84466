#!/usr/bin/env bash
# Packs the files of tests/gpu/run.sh for a machine with a GPU that has neither this tree nor the
# build's libraries: programs, stripped, with the shared libraries that machine may lack, and the
# sources.
#   tests/gpu/pack.sh BUILD_FOLDER OUT_FOLDER
# There:
#   mkdir tune && tar -xzf OUT_FOLDER/tree.tar.gz -C tune && cd tune
#   tests/gpu/run.sh OUT_FOLDER RESULTS
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: tests/gpu/pack.sh BUILD_FOLDER OUT_FOLDER}" && pwd)
out=${2:?usage: tests/gpu/pack.sh BUILD_FOLDER OUT_FOLDER}
rm -rf "$out"
mkdir -p "$out"/{bin,bench,examples,tests/gpu,lib-carried,lib/tune}
cp "$build/bin/tune" "$out/bin/"
for library in "$build"/lib/tune/libtunecapture*.so; do
    [[ ! -f $library ]] || cp "$library" "$out/lib/tune/"
done
for program in "$build"/bench/bench_* "$build"/examples/reduce_c* "$build"/tests/gpu/*; do
    if [[ -f $program && -x $program ]]; then
        cp "$program" "$out/$(dirname "${program#"$build"/}")/"
    fi
done
cp -r "$here/bench/spaces" "$out/bench/"
libraries=$(ldconfig -p) # whole, not piped: a reader of the beginning only makes ldconfig fail, now and then
for library in hwloc udev cmocka cudart; do
    path=$(awk -v name="lib$library.so" 'index($1, name) == 1 && /x86-64/ {print $NF; exit}' <<<"$libraries")
    [[ -z $path ]] || cp -L "$path" "$out/lib-carried/$(basename "$path")"
done
# For step tuples, which looks up by libtuned.py.
for library in "$build"/libtuned/libtuned.so*; do
    [[ ! -e $library ]] || cp -P "$library" "$out/lib-carried/"
done
# The server of the page of `tune run --watch` is opened, not linked; its dependencies are packed,
# too.
served=$(awk '$1 == "libmicrohttpd.so.12" && /x86-64/ {print $NF; exit}' <<<"$libraries")
if [[ -n $served ]]; then
    { echo "$served"; ldd "$served" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt)\.so/ {print $3}'; } |
        while read -r path; do cp -L "$path" "$out/lib-carried/$(basename "$path")"; done
fi
# Results of the shipped families on each model of device, for step wide: the tree is packed without recordings.
mkdir -p "$out/db/recorded"
cp "$here/db/recorded/prior.db" "$out/db/recorded/"
for recorded in "$here"/db/recorded/*/; do
    mkdir -p "$out/db/recorded/$(basename "$recorded")"
    for file in "$recorded"{devices.json,tune.db.xz,families.db.xz,segments.db.xz}; do
        [[ ! -f $file ]] || cp "$file" "$out/db/recorded/$(basename "$recorded")/"
    done
done
find "$out" -type f -perm -u+x -exec strip {} + 2>/dev/null || true
git -C "$here" archive HEAD -- . ':!db/recorded' ':!docs/figures' | gzip >"$out/tree.tar.gz"
du -sh "$out"
