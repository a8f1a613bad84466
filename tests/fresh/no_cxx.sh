#!/bin/bash
# A machine without a C++ compiler and without cmocka: the build is configured, lists the omitted parts, and
# needs neither.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
source "$TUNE_SOURCE/tests/fresh/hide.sh"
hide '*c++*' '*g++*' 'clang*' nvcc
mkdir modules
IFS=: read -ra folders <<<"${PKG_CONFIG_PATH:-}:$(pkg-config --variable pc_path pkg-config)"
for folder in "${folders[@]}"; do
    [[ ! -d $folder ]] || ln -s "$folder"/*.pc modules/ 2>/dev/null || true
done
rm -f modules/cmocka.pc
export PKG_CONFIG_LIBDIR=$PWD/modules PKG_CONFIG_PATH=

# With CUDA, if present: then tests for GPUs want cmocka.
run "$TUNE_CMAKE" -S "$TUNE_SOURCE" -B build -G Ninja -D CMAKE_BUILD_TYPE=None
expect_code 0
expect_out '^-- No C\+\+ compiler: left out are '
expect_err 'cmocka not found: the unit tests are left out'
expect_out '^-- Build files have been written'
# All parts are in C, and the omitted ones are absent.
run ninja -C build -n -v all
expect_code 0
! grep -E 'nvcc|\.cpp|\.cu ' "$captured.out" || fail "there is something to compile that C does not do"
run ninja -C build tuned_static
expect_code 0
# Tests that are left out are told as skipped.
command -v ctest >/dev/null || exit 0
run ctest --test-dir build -R '^(unit|kernels\.emulation)$'
expect_code 0
expect_out 'kernels\.emulation \.*\*\*\*Skipped'
expect_out 'unit \.*\*\*\*Skipped'

# As soon as there is one it is found, in the same folder.
run env PATH="/usr/bin:/bin" "$TUNE_CMAKE" build
if [[ -x /usr/bin/c++ ]]; then
    expect_code 0
    refuse_err 'No C\+\+ compiler'
    expect_out '^-- The CXX compiler identification'
fi
