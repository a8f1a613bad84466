#!/bin/bash
# Installed files work from anywhere: moved after `cmake --install`, unpacked from cpack's tarball,
# and libtuned found by pkg-config and by find_package.
source "$TUNE_TESTS/lib.sh"
[[ -z $TUNE_SANITIZE ]] || exit 77 # installed files are never built with a sanitizer

# check_program PREFIX: the program of that tree, with only its own data.
check_program() {
    local prefix=$1 tune=$1/bin/tune
    run env -i PATH="$PATH" HOME="$HOME" "$tune" --version
    expect_code 0
    expect_out '^tune [0-9.]+$'
    run env -i PATH="$PATH" HOME="$HOME" "$tune" --help
    expect_code 0
    run env -i PATH="$PATH" HOME="$HOME" "$tune" devices --json
    expect_code 0
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$captured.out" ||
        fail "tune devices --json is no JSON"
    ! ldd "$tune" | grep 'not found' || fail "$tune misses libraries"
    for folder in kernels/reduce configs plots; do
        [[ -n $(ls "$prefix/share/tune/$folder") ]] || fail "share/tune/$folder is empty"
    done
    # A file of the installed data is the one that is read.
    echo 'experiment: [' >"$prefix/share/tune/configs/broken.yaml"
    run env -i PATH="$PATH" HOME="$HOME" "$tune" run --device cpu broken
    expect_code 3
    expect_err "$prefix/share/tune/configs/broken.yaml:[0-9]+:"
    rm "$prefix/share/tune/configs/broken.yaml"
}

run "$TUNE_CMAKE" --install "$TUNE_BUILD" --prefix "$PWD/first"
expect_code 0
mkdir elsewhere
mv first "elsewhere/a place"
prefix="$PWD/elsewhere/a place"
check_program "$prefix"
for file in bin/tune include/tuned.h share/man/man1/tune.1 share/man/man5/libtuned.conf.5 \
    share/bash-completion/completions/tune share/zsh/site-functions/_tune \
    share/fish/vendor_completions.d/tune.fish share/doc/tune/README.md share/doc/tune/LICENSE; do
    expect_file "$prefix/$file"
done
readelf -d "$prefix"/lib*/libtuned.so | grep -q 'SONAME.*libtuned\.so\.0' || fail "no soname"
! grep -rIlF "$TUNE_BUILD" "$prefix" || fail "files name the build folder"

cat >use.c <<'C'
#include <stdio.h>
#include <string.h>
#include <tuned.h>
int main(void)
{
    struct tuned_error error;
    struct tuned *tuned = tuned_load("missing.conf", &error);
    puts(tuned_version());
    return tuned == NULL && error.text[0] && strcmp(tuned_version(), TUNED_VERSION) == 0 ? 0 : 1;
}
C
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
run pkg-config --exists tuned
expect_code 0
mapfile -t flags < <(pkg-config --cflags --libs tuned | xargs -n 1)
run "$CC" -std=c99 use.c "${flags[@]}" -o use_shared
expect_code 0
run env LD_LIBRARY_PATH="$prefix/lib" ./use_shared
expect_code 0
run "$CC" -std=c99 use.c -I "$prefix/include" "$prefix/lib/libtuned.a" -o use_static
expect_code 0
run ./use_static
expect_code 0

mkdir package
cat >package/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.22)
project(use C)
find_package(tuned 0.2 REQUIRED)
foreach(kind tuned static shared)
  add_executable(use_${kind} ../use.c)
  target_link_libraries(use_${kind} PRIVATE tuned::${kind})
  target_compile_options(use_${kind} PRIVATE -Wall -Wextra -Wpedantic -Werror)
endforeach()
C
run "$TUNE_CMAKE" -S package -B package/build -DCMAKE_PREFIX_PATH="$prefix"
expect_code 0
run "$TUNE_CMAKE" --build package/build
expect_code 0
for kind in tuned static shared; do
    run "package/build/use_$kind"
    expect_code 0
done

run "$TUNE_CPACK" --config "$TUNE_BUILD/CPackConfig.cmake" -B "$PWD/pack"
expect_code 0
mapfile -t tarballs < <(find pack -maxdepth 1 -name 'tune-*.tar.gz')
[[ ${#tarballs[@]} -eq 1 ]] || fail "cpack made ${#tarballs[@]} tarballs"
mkdir unpacked
tar -xzf "${tarballs[0]}" -C unpacked
check_program "$PWD/unpacked/$(ls unpacked)"
