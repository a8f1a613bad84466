#!/bin/bash
# The installed headers of the calls compile with nvcc, found by pkg-config and by find_package, with
# a program's own list of configurations; a line that no kernel can be is refused by the compiler.
source "$TUNE_TESTS/lib.sh"
[[ -z $TUNE_SANITIZE ]] || exit 77 # installed files are never built with a sanitizer
command -v c++ >/dev/null || exit 77 # nvcc needs it
nvcc=$(command -v nvcc || ls "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc") || exit 77

run "$TUNE_CMAKE" --install "$TUNE_BUILD" --prefix "$PWD/a place"
expect_code 0
prefix="$PWD/a place"

cat >use.cu <<'C'
#include <cstdio>
#include <tune/reduce.cuh>
#include <tune/reduce_ordered.cuh>
#include <tune/reduce_rows.cuh>
extern int elsewhere();
int main()
{
    tune::choice why;
    const size_t bytes = tune::reduce_workspace_bytes();
    float *reals = nullptr;
    tune::affine_map_u32 *maps = nullptr;
    (void)tune::reduce<tune::sum>(nullptr, reals, 0, reals, nullptr, bytes, 0, &why);
    (void)tune::reduce_ordered<tune::affine_u32>(nullptr, maps, 0, maps, nullptr, bytes, 0, &why);
    (void)tune::reduce_rows<tune::maximum>(nullptr, reals, 0, 100, reals, 0, &why);
    typedef tune::calls::reduce_problem<tune::sum, tune::f32> problem;
    const int count = tune::calls::table_of<problem, tune::calls::own_list>().count;
    std::printf("%d here, %d there\n", count, elsewhere());
}
C
# Another source of the same program with another list.
cat >there.cu <<'C'
#include <tune/reduce.cuh>
int elsewhere()
{
    typedef tune::calls::reduce_problem<tune::sum, tune::f32> problem;
    return tune::calls::table_of<problem, tune::calls::own_list>().count;
}
C
cat >mine.inc <<'C'
TUNE_CONFIGURATION("reduce.sum.f32 variant=flagged_last map=strided step=shuffle block=256 count=4 loads=2 cache=streaming")
TUNE_CONFIGURATION("reduce.sum.f32 variant=last_block map=strided step=shuffle block=512 count=4 loads=4 cache=no_allocate blocks_per_sm=2")
TUNE_CONFIGURATION("reduce.sum.f32 variant=flagged_last map=strided step=shuffle block=256 count=4 loads=2 cache=streaming blocks_per_sm=4")
TUNE_CONFIGURATION("reduce.sum.f64 variant=of_another_problem")
C
echo >none.inc
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
mapfile -t flags < <(pkg-config --cflags tuned | xargs -n 1)
compile() { # SOURCE LIST
    run "$nvcc" -std=c++17 -arch=sm_90 -Werror all-warnings -Xcompiler=-Wall,-Wextra -c "$1" \
        "-DTUNE_CONFIGURATIONS=\"$PWD/$2\"" "${flags[@]}" -o "${1%.cu}.o"
}
compile use.cu mine.inc
expect_code 0
compile there.cu none.inc
expect_code 0
run "$nvcc" -arch=sm_90 use.o there.o "$prefix/lib/libtuned.a" -o use
expect_code 0
run ./use
expect_code 0
# The defaults, and each kernel of the list that is not one of them, once.
expect_out '^3 here, 2 there$'

# The list that is shipped compiles.
run "$nvcc" -std=c++17 -arch=sm_90 -c there.cu "${flags[@]}" -o there.o
expect_code 0

# A mistake is found where it is made: in the second line.
{ echo; sed 's/step=shuffle/step=shufle/' mine.inc | head -n 1; } >wrong.inc
compile there.cu wrong.inc
[[ $code -ne 0 ]] || fail "a wrong value was taken"
grep -q 'TUNE_CONFIGURATIONS' "$captured.err" && grep -q 'LINE=2' "$captured.err" ||
    grep -q '<2, false>' "$captured.err" || fail "the line is not named"

mkdir package
cat >package/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.22)
project(use CXX)
find_package(tuned 0.2 REQUIRED)
get_target_property(libraries tuned::reduce INTERFACE_LINK_LIBRARIES)
message(STATUS "tuned::reduce links ${libraries}")
file(WRITE main.cpp "#include <tuned.h>\nint main() { return tuned_version() == 0; }\n")
add_executable(use main.cpp)
target_link_libraries(use PRIVATE tuned::reduce)
C
run "$TUNE_CMAKE" -S package -B package/build -DCMAKE_PREFIX_PATH="$prefix"
expect_code 0
run "$TUNE_CMAKE" --build package/build
expect_code 0
