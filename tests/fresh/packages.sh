#!/bin/bash
# bootstrap on machines with only a package manager: the installed packages, and the messages without
# permission.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
bootstrap=$TUNE_SOURCE/bootstrap
awk '!/^#/ && NF && NF < 6 { print "packages.txt: " $0; failed = 1 } END { exit failed }' "$TUNE_SOURCE/packages.txt" ||
    fail "a line without its six columns"

# machine MANAGER USER_ID: a path with little more than that manager, which only records its arguments.
machine() {
    rm -rf path calls
    mkdir path
    local name
    for name in sh dirname sed tr cat env; do
        ln -s "$(command -v "$name")" path/
    done
    printf '#!/bin/sh\necho %s\n' "$2" >path/id
    if [[ -n $1 ]]; then
        printf '#!/bin/sh\necho "%s $*" >>"%s"\n' "$1" "$PWD/calls" >"path/$1"
    fi
    [[ $1 != apt-get ]] || printf '#!/bin/sh\n' >path/dpkg-query
    chmod +x path/*
    : >calls
}
bare() {
    run env -i PATH="$PWD/path" sh "$bootstrap" "$@"
    expect_code 4
    expect_empty out
}

machine apt-get 0
bare tune
grep -q '^apt-get update' calls || fail "no update: $(cat calls)"
grep -qE '^apt-get install -y .*\bgcc libc6-dev cmake ninja-build pkg-config libsqlite3-dev ' calls || fail "$(cat calls)"
! grep -qF 'g++' calls || fail "g++ is not needed for tune"
expect_err 'cannot build without: gcc libc6-dev '
: >calls
bare install --prefix /nowhere
grep -qE '^apt-get install -y .*\bgcc libc6-dev cmake ninja-build ' calls || fail "$(cat calls)"
! grep -qF 'g++' calls || fail "g++ is not needed to install"
bare test
grep -qE '^apt-get install .* python3 g\+\+ libcmocka-dev make ' calls || fail "$(cat calls)"
! grep -q mingw calls || fail "compilers for other systems that nobody asked for"
machine dnf 0
bare tune
grep -qE '^dnf install -y .*\bgcc glibc-devel cmake ninja-build pkgconf-pkg-config sqlite-devel ' calls || fail "$(cat calls)"
bare --with-toolkit test
grep -qE '^dnf install -y .* python3 python3-pip bash gcc-c\+\+ libcmocka-devel ' calls || fail "$(cat calls)"
machine pacman 0
bare build
grep -qE '^pacman -Sy? --needed --noconfirm gcc glibc cmake ninja pkgconf sqlite .* cmocka ' calls || fail "$(cat calls)"
[[ $(grep -o '\bgcc\b' calls | wc -l) -eq 1 ]] || fail "a package is named twice"

# A user who may not install gets whole lines, and no manager is called.
machine apt-get 1000
bare tune
[[ ! -s calls ]] || fail "called: $(cat calls)"
expect_err 'an administrator has to run: apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev cmake '
expect_err "with what './bootstrap test' wants, too: .* gnuplot-nox libmicrohttpd-dev bash python3 g\+\+ libcmocka-dev make "
bare --with-toolkit tune
expect_err 'an administrator has to run: .* python3 python3-pip$'
machine dnf 1000
bare --no-install tune
expect_err 'an administrator has to run: dnf install -y gcc glibc-devel '
machine pacman 1000
bare tune
expect_err 'an administrator has to run: pacman -S --needed gcc glibc '

# Elsewhere things have the names that their projects gave them.
machine '' 0
bare tune
expect_err 'missing: GCC \(or another C compiler\), headers of the C library, CMake, Ninja, pkg-config .*, SQLite, libyaml, Jansson, liblzma \(of XZ Utils\), hwloc, xxHash, gnuplot, GNU libmicrohttpd$'
refuse_err 'apt-get'
