#!/bin/bash
# libraries.sh PREFIX [CC]: builds the libraries of libraries.txt as archives, with CC (default: cc), and installs them,
# their headers, pkg-config files and licences under PREFIX, for the portable build (portable.sh). Sources come from
# Debian's mirror, by their hash, and are kept in PREFIX/sources for the next time. Needs curl, make, tclsh (joins
# SQLite's sources), and bzip2 and xz for tar.
set -euo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
[[ $# -ge 1 && $1 != -* ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
mkdir -p "$1"
prefix=$(cd -- "$1" && pwd)
export CC=${2:-cc}
export CFLAGS="-O2 -fPIC -ffile-prefix-map=$prefix/build=."
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
jobs=$(nproc)

for tool in curl make tclsh bzip2 xz; do
    command -v "$tool" >/dev/null || { echo "libraries.sh: needs $tool" >&2; exit 4; }
done

# bring NAME: its sources, unpacked in build/NAME.
bring() {
    local licence url hash file
    read -r _ version licence url hash < <(grep "^$1 " "$here/libraries.txt")
    file=$prefix/sources/${url##*/}
    mkdir -p "$prefix/sources" "$prefix/licences"
    [[ -f $file ]] || { curl -fsSL --retry 3 -o "$file.part" "$mirror/$url" && mv "$file.part" "$file"; }
    sha256sum --quiet -c <<<"$hash  $file"
    rm -rf "$prefix/build/$1"
    mkdir -p "$prefix/build/$1"
    tar -xf "$file" -C "$prefix/build/$1" --strip-components=1
    cd "$prefix/build/$1"
    echo "libraries.sh: $1 $version ($licence)"
}

quietly() {
    "$@" >>"$prefix/build/log" 2>&1 || { tail -n 30 "$prefix/build/log" >&2; echo "libraries.sh: failed: $*" >&2; exit 1; }
}

mkdir -p "$prefix/build"
: >"$prefix/build/log"
bring jansson
quietly cmake -S . -B build -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_PREFIX="$prefix" -D CMAKE_INSTALL_LIBDIR=lib \
    -D JANSSON_BUILD_SHARED_LIBS=OFF -D JANSSON_BUILD_DOCS=OFF -D JANSSON_WITHOUT_TESTS=ON -D JANSSON_EXAMPLES=OFF
quietly cmake --build build --parallel "$jobs" --target install
cp LICENSE "$prefix/licences/jansson"

bring xz # the library alone
quietly ./configure --prefix="$prefix" --disable-shared --enable-static --disable-xz --disable-xzdec --disable-lzmadec \
    --disable-lzmainfo --disable-scripts --disable-doc --disable-nls --disable-threads
quietly make -C src/liblzma -j "$jobs" install
cp COPYING.0BSD "$prefix/licences/liblzma"

bring hwloc
quietly ./configure --prefix="$prefix" --disable-shared --enable-static --disable-libxml2 --disable-libudev --disable-pci \
    --disable-opencl --disable-cuda --disable-nvml --disable-rsmi --disable-levelzero --disable-gl --disable-cairo \
    --disable-readme --localstatedir=/var
for folder in include hwloc; do
    quietly make -C "$folder" -j "$jobs" install
done
mkdir -p "$prefix/lib/pkgconfig"
cp hwloc.pc "$prefix/lib/pkgconfig/"
cp COPYING "$prefix/licences/hwloc"

# package MODULE NAME LIBRARY: writes pkg-config's file of a library compiled here.
package() {
    # shellcheck disable=SC2016 # pkg-config's own variable
    printf 'prefix=%s\nName: %s\nDescription: %s\nVersion: %s\nLibs: -L${prefix}/lib -l%s -lm -lpthread\nCflags: -I${prefix}/include\n' \
        "$prefix" "$2" "$2" "$version" "$3" >"$prefix/lib/pkgconfig/$1.pc"
}

# archive LIBRARY SOURCE...: compiles with CFLAGS.
archive() {
    local source objects=()
    for source in "${@:2}"; do
        # shellcheck disable=SC2086 # words
        quietly $CC $CFLAGS -c "$source" -o "${source%.c}.o"
        objects+=("${source%.c}.o")
    done
    rm -f "$prefix/lib/lib$1.a"
    quietly ar rcsD "$prefix/lib/lib$1.a" "${objects[@]}"
}

bring libyaml # as in its repository: without a configure script
IFS=. read -r major minor patch <<<"$version"
CFLAGS="$CFLAGS"" -Iinclude -DYAML_VERSION_STRING=\"$version\" -DYAML_VERSION_MAJOR=$major -DYAML_VERSION_MINOR=$minor -DYAML_VERSION_PATCH=$patch" \
    archive yaml src/*.c
cp include/yaml.h "$prefix/include/"
cp License "$prefix/licences/libyaml"
package yaml-0.1 libyaml yaml

bring sqlite # whose extensions the program does not load
quietly ./configure --prefix="$prefix" --disable-shared --disable-readline --disable-tcl --disable-load-extension
quietly make sqlite3.c sqlite3.h
CFLAGS="$CFLAGS"" -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_MATH_FUNCTIONS" archive sqlite3 sqlite3.c
cp sqlite3.h "$prefix/include/"
cp LICENSE.md "$prefix/licences/sqlite"
package sqlite3 SQLite sqlite3

bring xxhash
cp xxhash.h "$prefix/include/"
cp LICENSE "$prefix/licences/xxhash"
