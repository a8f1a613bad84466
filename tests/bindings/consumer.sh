#!/bin/bash
# examples/consumer against an installed libtuned, in a place with a blank in its name: by CMake, by
# pkg-config with the shared and the static library, in C and C++; and Python's module beside it.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
[[ -z $TUNE_SANITIZE ]] || exit 77 # installed files are never built with a sanitizer
for tool in c++ make; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
prefix="$PWD/a place"
run "$TUNE_CMAKE" --install "$TUNE_BUILD" --component libtuned --prefix "$prefix"
expect_code 0
libraries=("$prefix"/lib*/libtuned.so)
libdir=${libraries[0]%/*}
cat >tuned.conf <<'C'
tuned-conf 3
[cuda "Some GPU"] compute_capability=9.0 sm_count=132
saxpy.f32 n=1000-1999 variant=vector block=512 grid=264 | at=1000
saxpy.f32 n=2000 variant=plain block=128 grid=16
end
C

# check FOLDER: the programs there give the answers of that file, and report the error in another.
check() {
    run "$1/which" tuned.conf 'Some GPU' saxpy.f32 1000
    expect_code 0
    expect_out '^exact: '
    expect_out '^block 512, variant vector$'
    run "$1/which" tuned.conf 'Other' nothing 1000
    expect_code 0
    expect_out '^block 256, variant plain$'
    run "$1/which" missing.conf 'Some GPU' saxpy.f32 1000
    expect_code 1
    expect_err '^which: missing.conf: '
    run "$1/which_cpp" tuned.conf 'Some GPU' saxpy.f32 1000 1500 2000
    expect_code 0
    [[ $(cat "$captured.out") == $'exact: block 512\nin range: block 512\nexact: block 128' ]] ||
        fail "other answers"
}

run "$TUNE_CMAKE" -S "$TUNE_SOURCE/examples/consumer" -B cmake -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS='-Wall -Wextra -Wpedantic -Werror'
expect_code 0
run "$TUNE_CMAKE" --build cmake
expect_code 0
check cmake

# A tuned.conf within a program: the one that is shipped, and one's own, which is read anew when it changes.
mkdir embeds
cat >embeds/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.16)
project(embeds LANGUAGES C)
find_package(tuned REQUIRED)
foreach(program shipped own)
  add_executable(${program} main.c)
  target_link_libraries(${program} PRIVATE tuned::tuned)
endforeach()
tuned_embed(shipped)
tuned_embed(own own.conf)
C
cat >embeds/main.c <<'C'
#include <stdio.h>
#include <tuned.h>
#include <tuned_builtin.h>
int main(void)
{
    struct tuned_options options = {.skip = 7, .built_in = tuned_builtin, .built_in_bytes = sizeof tuned_builtin};
    struct tuned_error error;
    struct tuned *tuned = tuned_open(&options, &error);
    printf("%zu entries of %s\n", tuned_entry_count(tuned), tuned ? tuned_file_at(tuned, 0) : error.text);
    tuned_free(tuned);
    return 0;
}
C
cp tuned.conf embeds/own.conf
for entries in 2 1; do
    run "$TUNE_CMAKE" -S embeds -B embedded -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
        -DCMAKE_C_FLAGS='-std=c99 -Wall -Wextra -Wpedantic -Werror'
    expect_code 0
    run "$TUNE_CMAKE" --build embedded
    expect_code 0
    run embedded/own
    expect_out "^$entries entries of built-in\$"
    sed -i '/n=2000/d' embeds/own.conf
done
run embedded/shipped
expect_out "^$(grep -c '^[a-z_0-9.]* n=' "$TUNE_SOURCE/configs/tuned.conf") entries of built-in\$"

# The Makefile as in its first line; the environment is empty, when it is called and later.
call=$(sed -n '1s/.*: make \(PKG_CONFIG_PATH=\)PREFIX\/lib\//\1/p' "$TUNE_SOURCE/examples/consumer/Makefile")
[[ $call == PKG_CONFIG_PATH=pkgconfig ]] || fail "the first line of the Makefile says: $call"
for static in '' 1; do
    cp -r "$TUNE_SOURCE/examples/consumer" "make$static"
    run make -C "make$static" "PKG_CONFIG_PATH=$libdir/pkgconfig" CC="$CC" CFLAGS='-Wall -Wextra -Wpedantic -Werror' \
        ${static:+STATIC=1}
    expect_code 0
    check "make$static"
done

run env PYTHONPATH="$prefix/share/tune/python" python3 -B -c 'import libtuned
answer = libtuned.load("tuned.conf").find(libtuned.Device("cuda", "Some GPU"), "saxpy.f32", 2000)
print(answer.grade, answer.values)
print(libtuned._library()._name)'
expect_code 0
expect_out "^exact {'variant': 'plain', 'block': 128, 'grid': 16}$"
expect_out "^$prefix/.*libtuned\\.so"
