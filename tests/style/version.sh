#!/bin/bash
# The result of packaging/release.sh --make-version for these sources, in a copy, passes its step `version`. Exit code
# 77: there is no git.
set -euo pipefail
root=$(cd -- "$(dirname -- "$0")/../.." && pwd)
command -v git >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/copy/tests/bindings"
cd "$folder/copy"
cp -r "$root"/{CMakeLists.txt,NEWS.md,docs,libtuned,bindings,packaging} .
cp -r "$root/tests/bindings/promised" tests/bindings/
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null DEBEMAIL=somebody@example.org
for who in AUTHOR COMMITTER; do
    export "GIT_${who}_NAME=somebody" "GIT_${who}_EMAIL=$DEBEMAIL"
done
git init -q . && git add -A && git commit -q -m sources

fail() {
    cat "$folder"/out/logs/* 2>/dev/null
    echo "version.sh: $*"
    exit 1
}

version=$(sed -n 's/^project(tune VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
# Between a release and the first line of news there is no such heading.
if grep -q '^## Unreleased$' NEWS.md; then
    ! packaging/release.sh --only version "$folder/out" || fail "a version that nobody made"
    packaging/release.sh --make-version --only version "$folder/out" || fail "the version that was made is not right"
    grep -qxE "## $version, [0-9]{4}-[0-9]{2}-[0-9]{2}" NEWS.md || fail "NEWS.md has no heading"
    [[ $(git log --format=%s) == "Version $version"$'\n'sources && -z $(git status --porcelain) ]] || fail "not as one commit"
fi
! packaging/release.sh --make-version --only version "$folder/out" 2>/dev/null || fail "one version made twice"
packaging/release.sh --only version "$folder/out" || fail "the version is not right"
! DEBEMAIL='' packaging/release.sh --only version "$folder/out" || fail "packages that name nobody"
echo >>libtuned/tuned.h
git commit -q -a -m changed
! packaging/release.sh --only version "$folder/out" || fail "a header that is not the promised one"
