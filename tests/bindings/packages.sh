#!/bin/bash
# libtuned by itself in other people's builds: within their tree, static or shared; built and installed alone, with
# one of the two libraries; for Windows and arm64, where there are compilers for these. Names have a version.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
[[ -z $TUNE_SANITIZE ]] || exit 77

cat >use.c <<'C'
#include <stdio.h>
#include <tuned.h>
int main(int argc, char **argv)
{
    const struct tuned_device device = {.kind = "cuda", .name = "X", .compute_capability_major = 9};
    struct tuned_error error;
    struct tuned_answer answer;
    printf("%s %d", tuned_version(), (int)tuned_find(NULL, NULL, "p", 1, &answer));
    if (argc == 2) {
        struct tuned *tuned = argv[1][0] ? tuned_load(argv[1], &error) : tuned_open(NULL, &error);
        int grade = (int)tuned_find(tuned, &device, "p", 5, &answer);
        if (tuned)
            printf(" %s %d %lld", tuned_version(), grade, tuned_integer(answer.entry, "block", 0));
        else
            printf(" %s", error.text);
        tuned_free(tuned);
    }
    puts("");
    return 0;
}
C
version=$(sed -n 's/^#define TUNED_VERSION  *"\(.*\)"/\1/p' "$TUNE_SOURCE/libtuned/tuned.h")

# within NAME COMMANDS [OPTION...]: a project that has libtuned by these commands.
within() {
    mkdir "$1"
    cp use.c "$1"
    printf 'cmake_minimum_required(VERSION 3.16)\nproject(app VERSION 7.8 LANGUAGES C)\n%s\nadd_executable(app use.c)\ntarget_link_libraries(app PRIVATE tuned::tuned)\n' \
        "$2" >"$1/CMakeLists.txt"
    run "$TUNE_CMAKE" -S "$1" -B "$1/build" "${@:3}"
    expect_code 0
    run "$TUNE_CMAKE" --build "$1/build"
    expect_code 0
    run "$1/build/app"
    expect_out "^$version 0\$"
}
within tree "add_subdirectory(\"$TUNE_SOURCE/libtuned\" tuned)"
readelf -d tree/build/app | grep -q 'libtuned' && fail "linked with a shared library that nobody asked for"
within shared "add_subdirectory(\"$TUNE_SOURCE/libtuned\" tuned)" -DBUILD_SHARED_LIBS=ON
readelf -d shared/build/app | grep -q "libtuned\.so\.0\]" || fail "another soname"
within fetched "include(FetchContent)
FetchContent_Declare(tuned SOURCE_DIR \"$TUNE_SOURCE\" SOURCE_SUBDIR libtuned)
FetchContent_MakeAvailable(tuned)"

for only in STATIC SHARED; do
    run "$TUNE_CMAKE" -S "$TUNE_SOURCE/libtuned" -B "only$only" -DTUNED_STATIC=OFF -DTUNED_SHARED=OFF "-DTUNED_$only=ON" \
        -DCMAKE_INSTALL_PREFIX="$PWD/prefix$only"
    expect_code 0
    run "$TUNE_CMAKE" --build "only$only" --target install
    expect_code 0
    expect_file "prefix$only/share/licenses/libtuned/LICENSE"
    within "found$only" 'find_package(tuned 0.2 CONFIG REQUIRED)' -DCMAKE_PREFIX_PATH="$PWD/prefix$only"
    pc=$(find "$PWD/prefix$only" -name tuned.pc)
    # shellcheck disable=SC2046 # words
    run "${CC:-cc}" use.c -o "by-pkg-config$only" $(PKG_CONFIG_PATH=${pc%/*} pkg-config --cflags --libs tuned) -Wl,-rpath,"${pc%/pkgconfig/*}"
    expect_code 0
    run "./by-pkg-config$only"
    expect_out "^$version 0\$"
done
nm -D --with-symbol-versions onlySHARED/libtuned.so | grep -q ' tuned_find@@TUNED_0\.2$' || fail "tuned_find has no version"
# Each name of the headers has one that is written down, so that a name of a later version does not pass for an old one's.
nm -D --defined-only --with-symbol-versions onlySHARED/libtuned.so | sed -n 's/.* \(tuned_[a-z_]*\)@@TUNED_.*/\1/p' | sort >versions
sed -n '/^TUNED_API/,/;/p' "$TUNE_SOURCE"/libtuned/tuned.h "$TUNE_SOURCE"/libtuned/tuned_record.h | tr '\n' ' ' | grep -oE 'tuned_[a-z_]+\(' | tr -d '(' | sort -u |
    diff - versions || fail "the headers and the names with versions differ"
grep -q '[a-z_]\*;' "$TUNE_SOURCE/libtuned/tuned.map" && fail "tuned.map takes names that nobody wrote down"

# Builds for other systems, and runs with an emulator if there is one: Wine for Windows, QEMU for arm64.
printf 'tuned-conf 4\r\n[cuda "X"] compute_capability=9.0\r\np n=1-9 block=64 |\r\n  | capability=7.0\r\nend\r\n' >t.conf
printf 'tuned-conf 4\n[cuda "X"]\np n=1 block=64\n' >cut.conf

# says WHERE NOT_REGULAR COMMAND...: checks the program's messages about files, the last one under its
# name there.
says() {
    local arguments
    for arguments in t.conf cut.conf none.conf "$2"; do
        run timeout 120 "${@:3}" "$arguments"
        cat "$captured.out"
    done | tr -d '\r' >said
    TUNED_CONF=t.conf TUNED_OVERRIDE=p:block=32 run timeout 120 "${@:3}" ''
    tr -d '\r' <"$captured.out" >>said
    diff said - <<S || fail "on $1 it says something else"
$version 0 $version 7 64
$version 0 cut.conf:3: the file breaks off: there is no line 'end'
$version 0 none.conf: there is no such file
$version 0 $2: it is no regular file
$version 0 $version 7 32
S
}

for compiler in x86_64-w64-mingw32-gcc aarch64-linux-gnu-gcc; do
    echo '#include <stdio.h>' | "$compiler" -fsyntax-only -xc - 2>/dev/null || continue # or not with its headers
    run "$compiler" -std=c99 -Os -Wall -Wextra -Wpedantic -Werror -DTUNED_WITH_DEBUG -I"$TUNE_SOURCE/libtuned" use.c \
        "$TUNE_SOURCE"/libtuned/tuned{,_debug}.c -o "use-$compiler"
    expect_code 0
done
if [[ -e use-x86_64-w64-mingw32-gcc.exe ]] && command -v wine >/dev/null; then
    export WINEPREFIX=$PWD/wine WINEDEBUG=-all
    says Windows COM1 wine use-x86_64-w64-mingw32-gcc.exe
    # Paths are UTF-8, also with letters that the code page lacks; no place is relative to where the program runs.
    mkdir -p 'größer 日本/tune' relative/tune
    cp t.conf 'größer 日本/tune/tuned.conf'
    cp t.conf relative/tune/tuned.conf
    cat >paths.c <<'C'
#include <stdio.h>
#include <tuned.h>
int main(void)
{
    struct tuned_error error;
    struct tuned *named = tuned_load("gr\xc3\xb6\xc3\x9f" "er \xe6\x97\xa5\xe6\x9c\xac/tune/tuned.conf", &error);
    if (!named)
        puts(error.text);
    struct tuned *found = tuned_open(NULL, &error);
    puts(found ? tuned_file_at(found, 0) : error.text);
    tuned_free(found);
    tuned_free(named);
    return 0;
}
C
    run x86_64-w64-mingw32-gcc -std=c99 -Wall -Wextra -Werror -I"$TUNE_SOURCE/libtuned" paths.c "$TUNE_SOURCE/libtuned/tuned.c" -o paths
    expect_code 0
    export LC_ALL=C.UTF-8
    run env XDG_CONFIG_HOME="Z:$PWD/größer 日本" timeout 120 wine paths.exe
    expect_out "^Z:$PWD/größer 日本/tune/tuned.conf"
    [[ $(wc -l <"$captured.out") -eq 1 ]] || fail "a path with other letters is not found"
    run env XDG_CONFIG_HOME=relative timeout 120 wine paths.exe
    expect_out '^tuned.conf: there is none in any of the usual places'
    wineserver -k
fi
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if [[ -e use-aarch64-linux-gnu-gcc && -n $qemu ]]; then
    says arm64 /dev/null "$qemu" -L /usr/aarch64-linux-gnu use-aarch64-linux-gnu-gcc
fi
