#!/bin/bash
# portable.sh OUT: the build for any Linux of x86-64 with glibc 2.28 or newer (RHEL 8, Debian 10, Ubuntu 20.04 ...), as
# a tarball and as wheels, with its bill of materials. Zig's C compiler has every glibc's names, so no old system is
# needed; SQLite, libyaml, Jansson, liblzma and hwloc are linked in (libraries.sh). Needs Python with venv and PyPI,
# CUDA's headers (CUDA_HOME), and the tools of libraries.sh. OUT/work is kept for the next time; the same sources give
# the same bytes.
set -euo pipefail
[[ $# -eq 1 && $1 != -* ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
here=$(cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname "$here")
mkdir -p "$1/work"
out=$(cd -- "$1" && pwd)
work=$out/work
glibc=2.28
version=$(sed -n 's/^project(tune VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 1763800000)}
export SOURCE_DATE_EPOCH
name=launchtune-$version-linux-x86_64

if [[ ! -e $work/venv/complete ]]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install -q -r "$here/requirements.txt"
    : >"$work/venv/complete"
fi
python=$work/venv/bin/python
printf '#!/bin/sh\nexec "%s" -m ziglang cc -target x86_64-linux-gnu.%s "$@"\n' "$python" "$glibc" >"$work/cc"
chmod +x "$work/cc"
if [[ ! -e $work/libraries/complete ]] || [[ $here/libraries.txt -nt $work/libraries/complete ]]; then
    "$here/libraries.sh" "$work/libraries" "$work/cc"
    : >"$work/libraries/complete"
fi

# The one header of libmicrohttpd, which is opened where it is there; from beside it come this system's own, which are newer.
rm -f "$work/libraries/include/microhttpd.h"
watch=OFF
if [[ -e /usr/include/microhttpd.h ]]; then
    cp /usr/include/microhttpd.h "$work/libraries/include/"
    watch=ON
fi

export PKG_CONFIG_LIBDIR=$work/libraries/lib/pkgconfig
(cd "$root" && cmake --preset portable -B "$work/build" -D CMAKE_C_COMPILER="$work/cc" -D XXHASH_INCLUDE_DIR="$work/libraries/include" \
    -D TUNE_WATCH="$watch" -D TUNE_MICROHTTPD_INCLUDE_DIR="$work/libraries/include" -D TUNE_CUDA="${TUNE_CUDA:-ON}" ${CUDA_HOME:+-D TUNE_CUDA_INCLUDE_DIR="$CUDA_HOME/include"}) >"$work/configure.log"
cmake --build "$work/build" -- --quiet
rm -rf "${work:?}/$name"
cmake --install "$work/build" --prefix "$work/$name" --strip >/dev/null
rm -rf "$work/$name/share/doc/tune/licences"
cp -r "$work/libraries/licences" "$work/$name/share/doc/tune/"
source=$("$work/$name/bin/tune" --version | sed -n 's/^source *//p')
python3 "$here/sbom.py" "$version" "$source" >"$out/$name.spdx.json"
cp "$out/$name.spdx.json" "$work/$name/share/doc/tune/"

# No newer symbol than that glibc's, no library except its own, no folder of the build.
for file in "$work/$name/bin/tune" "$work/$name/lib/libtuned.so" "$work/$name"/lib/tune/*.so; do
    [[ -e $file ]] || continue
    newest=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
    [[ $(printf '%s\n' "$newest" "GLIBC_$glibc" | sort -V | tail -n 1) == "GLIBC_$glibc" ]] ||
        { echo "portable.sh: $file wants $newest" >&2; exit 1; }
    ! readelf -d "$file" | grep NEEDED | grep -vE 'lib(c|m|dl|pthread|rt)\.so|ld-linux' || { echo "portable.sh: $file wants another library" >&2; exit 1; }
    ! grep -qF -e "$root" -e "$out" "$file" || { echo "portable.sh: $file names the folder it was built in" >&2; exit 1; }
done

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$work" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
"$python" "$here/wheel.py" "$work/$name" "$version" "manylinux_${glibc/./_}_x86_64" "$out/$name.spdx.json" "$out"
rm -rf "$work/wheels" && mkdir "$work/wheels"
CC=$work/cc "$python" -m pip wheel -q --no-deps --no-build-isolation -w "$work/wheels" "$root/bindings/python"
"$python" -m wheel tags --remove --platform-tag "manylinux_${glibc/./_}_x86_64" "$work"/wheels/libtuned-*.whl >/dev/null
mv "$work"/wheels/libtuned-*.whl "$out/"
for wheel in "$out/launchtune-$version"-*.whl "$out/libtuned-$version"-*.whl; do
    "$work/venv/bin/auditwheel" show "$wheel" >"$work/audit" 2>&1 || true
    tr '\n' ' ' <"$work/audit" | grep -qE "consistent with the following platform tag: +\"manylinux_2_([0-9]|1[0-9]|2[0-8])_" ||
        { cat "$work/audit" >&2; exit 1; }
done
ls -l "$out"
