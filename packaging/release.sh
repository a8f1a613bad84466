#!/bin/bash
# release.sh [options] OUT: the steps before a release, in order; the published files are in OUT at the end, with
# SHA256SUMS, and OUT/logs has the output of each step. Works on a copy of the committed sources. Steps:
#   version    the sources name one version, NEWS.md and docs/upgrade.md have it, libtuned's header is promised; all is committed;
#              DEBEMAIL (and DEBFULLNAME) say who answers for the packages
#   source     the sources as an archive
#   ci         .ci/run on a copy (half an hour)
#   fuzz       tests/fuzz/run.sh: an hour of inputs; how many, and how many crashed, stands in the table (needs clang)
#   fresh      tests/fresh/run.sh: the README's commands on bare roots (as root, needs debootstrap and a mirror; hours)
#   debian     Debian's packages, and lintian finds no error
#   portable   the tarball and the wheels for glibc 2.28, with their SPDX document
#   twice      tune, libtuned and the packages from two folders are the same, bit by bit
#   installed  tests/fresh/installed.sh: all of these as people install them, on bare roots (as root)
#   recipes    those for Conan, vcpkg and Spack, out of the archive
#   figures    the documents' figures and tables are those of what was recorded
#   gpu        what tests/gpu/run.sh printed on each kind of GPU (--gpu) has all usual steps as ok
#   sums       SHA256SUMS
# options:
#   --make-version first of all: in NEWS.md the version of CMakeLists.txt and today's date (UTC) in place of "Unreleased", libtuned's header
#                  into tests/bindings/promised/, and these as a commit
#   --only STEP    this one alone; may be given again
#   --gpu FILE     what tests/gpu/run.sh BUILD RESULTS printed, with the documents' commands; once for each kind of GPU
# Exit code 1 when a step failed. To sign SHA256SUMS, to set the tag and to publish is left to people.
set -uo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname "$here")
only=() gpus=() out='' makes_version=no
while [[ $# -gt 0 ]]; do
    case $1 in
    --only | --gpu)
        [[ $# -ge 2 ]] || { echo "release.sh: $1 needs a value" >&2; exit 2; }
        if [[ $1 == --only ]]; then only+=("$2"); else gpus+=("$2"); fi
        shift
        ;;
    --make-version) makes_version=yes ;;
    -h | --help | -*)
        sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
        [[ $1 == -h || $1 == --help ]] && exit 0
        exit 2
        ;;
    *) out=$1 ;;
    esac
    shift
done
[[ -n $out ]] || { echo "release.sh: name the folder for what is made; --help tells more" >&2; exit 2; }
mkdir -p "$out/logs" "$out/work"
out=$(cd -- "$out" && pwd)
work=$out/work logs=$out/logs
version=$(sed -n 's/^project(tune VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")

is_committed() {
    [[ -z $(git -C "$root" status --porcelain) ]] || { git -C "$root" status --short; echo "not committed"; return 1; }
}

make_version() {
    local promised=tests/bindings/promised/$version
    is_committed && grep -q '^## Unreleased$' "$root/NEWS.md" || { echo "NEWS.md has no heading 'Unreleased'"; return 1; }
    sed -i -e "s/^## Unreleased\$/## $version, $(date -u +%Y-%m-%d)/" "$root/NEWS.md" &&
        mkdir -p "$root/$promised" && cp "$root/libtuned/tuned.h" "$root/$promised/" &&
        git -C "$root" add NEWS.md "$promised" && git -C "$root" commit -q -m "Version $version"
}

[[ $makes_version == no ]] || make_version >"$logs/make-version.log" 2>&1 || { echo "release.sh: $(tail -n 1 "$logs/make-version.log")" >&2; exit 1; }
commit=$(git -C "$root" rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH

# copy NAME: the committed sources, in a folder of that name.
copy() {
    rm -rf "${work:?}/$1" && mkdir -p "$work/$1" && git -C "$root" archive "$commit" | tar -x -C "$work/$1" && echo "$commit" >"$work/$1.commit"
}

version() {
    is_committed || return 1
    local file
    for file in 'libtuned/tuned.h:#define TUNED_VERSION  *"'"$version"'"' "bindings/python/libtuned.py:__version__ = \"$version\"" \
        "bindings/packages/vcpkg/tuned/vcpkg.json:\"version\": \"$version\"" "bindings/packages/spack/packages/tuned/package.py:version(\"$version\"" \
        "docs/bindings.md:tuned@$version" "NEWS.md:^## $version" "docs/upgrade.md:^# From .* to ${version%.*}\$"; do
        grep -q "${file#*:}" "$root/${file%%:*}" || { echo "${file%%:*} does not say $version"; return 1; }
    done
    ! grep -q '^## Unreleased' "$root/NEWS.md" || { echo "NEWS.md has a heading 'Unreleased': --make-version"; return 1; }
    cmp "$root/libtuned/tuned.h" "$root/tests/bindings/promised/$version/tuned.h" ||
        { echo "libtuned/tuned.h is not what tests/bindings/promised/$version has: --make-version puts it there, and from then on it is kept"; return 1; }
    [[ -n ${DEBEMAIL:-} ]] || { echo "DEBEMAIL is not set: the packages would name nobody who answers for them"; return 1; }
}

source_archive() {
    git -C "$root" archive --prefix="launchtune-$version/" "$commit" | gzip -9n >"$out/launchtune-$version.tar.gz"
}

ci() {
    rm -rf "$work/clone" && git clone -q "$root" "$work/clone" && git -C "$work/clone" checkout -q "$commit" && "$work/clone/.ci/run"
}

fresh() {
    "$root/tests/fresh/run.sh"
}

# build_debian FOLDER
build_debian() {
    (cd "$1" && cmake --preset debian -D TUNE_CUDA=ON && cmake --build build/debian -- --quiet && cd build/debian && cpack)
}

debian() {
    copy one && build_debian "$work/one" && cp "$work"/one/build/debian/*.deb "$out/" && lintian --fail-on error "$out"/*_"$version"-*.deb
}

portable() {
    copy portable && "$work/portable/packaging/portable.sh" "$work/out" && find "$work/out" -maxdepth 1 -type f -exec cp {} "$out/" \;
}

twice() {
    [[ $(cat "$work/one.commit" 2>/dev/null) == "$commit" ]] || { copy one && build_debian "$work/one" || return 1; }
    local file
    copy another-folder && build_debian "$work/another-folder" || return 1
    for file in bin/tune libtuned/libtuned.so libtuned/libtuned.a $(cd "$work/one/build/debian" && echo *.deb); do
        cmp "$work/one/build/debian/$file" "$work/another-folder/build/debian/$file" || return 1
        ! grep -qF "$work" "$work/one/build/debian/$file" || { echo "$file names the folder"; return 1; }
        echo "$file: the same"
    done
}

installed() {
    "$root/tests/fresh/installed.sh" "$out"
}

recipes() {
    rm -rf "$work/archive" && mkdir "$work/archive" && tar -xzf "$out/launchtune-$version.tar.gz" -C "$work/archive" &&
        TUNE_SOURCE=$work/archive/launchtune-$version TUNE_SANITIZE='' TUNE_CMAKE=$(command -v cmake) CC=$(command -v "${CC:-cc}") \
            bash "$root/tests/cli/run" "$root/tests/bindings/recipes.sh"
}

figures() {
    (cd "$root" && ./bootstrap build && bench/results.py build/release --check && tests/style/figures.sh && tests/style/links.sh)
}

gpu() {
    local file step
    [[ ${#gpus[@]} -gt 0 ]] || { echo "no --gpu FILE: run tests/gpu/run.sh on each kind of GPU"; return 1; }
    for file in "${gpus[@]}"; do
        grep '^== .*: ' "$file"
        for step in $(sed -n 's/^usual_steps="\(.*\)"$/\1/p' "$root/tests/gpu/run.sh"); do
            grep -q "^== $step: ok" "$file" || { echo "$file: step '$step' is not ok"; return 1; }
        done
    done
}

# With a corpus of its own build, so that earlier findings are continued.
fuzz() {
    local seconds
    seconds=$((3600 / $(find "$root/tests/fuzz" -name 'fuzz_*.c' | wc -l)))
    (cd "$root" && cmake --preset sanitize >/dev/null && cmake --build build/sanitize --parallel "$(nproc)" --target fuzz_targets -- --quiet &&
        tests/fuzz/run.sh build/sanitize "$seconds")
}

sums() {
    (cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS && cat SHA256SUMS)
}

failed=0
for step in version source ci fuzz fresh debian portable twice installed recipes figures gpu sums; do
    [[ ${#only[@]} -eq 0 || " ${only[*]} " == *" $step "* ]] || continue
    begun=$SECONDS result=ok
    name=$step
    [[ $step != source ]] || name=source_archive
    "$name" >"$logs/$step.log" 2>&1 || { result="FAILED: $(tail -n 1 "$logs/$step.log")" failed=1; }
    [[ $step != fuzz || $result != ok ]] || result="ok: inputs and crashes $(tail -n 1 "$logs/$step.log" | tr -s ' ')"
    printf '%-10s %4d s  %s\n' "$step" $((SECONDS - begun)) "$result"
done
exit "$failed"
