#!/bin/bash
# A machine without CUDA: the program is built without, and its tests pass or say that they are skipped.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
source "$TUNE_SOURCE/tests/fresh/hide.sh"
[[ -z $TUNE_SANITIZE ]] || exit 77 # once is enough
if [[ -n $TUNE_CUDA_INCLUDE ]]; then
    # As quickly as possible: no timing matters.
    run "$TUNE_CMAKE" -S "$TUNE_SOURCE" -B build -G Ninja -D CMAKE_BUILD_TYPE=None -D CMAKE_C_FLAGS=-O0 \
        -D CMAKE_C_COMPILER="$CC" -D TUNE_CUDA=OFF
    expect_code 0
    run ninja -C build tune make_fixture
    expect_code 0
    ! grep 'warning: ' "$captured.out" || fail "warnings"
    export TUNE_BUILD=$PWD/build TUNE=$PWD/build/bin/tune TUNE_CUDA_INCLUDE=
fi
hide nvcc
test_ends 77 cli/dry_run.sh
for script in cli/protocol.sh cli/help.sh cli/t1.sh; do
    test_ends 0 "$script"
done
test_ends 77 bindings/cuda_header.sh
run "$TUNE" devices --device 0
expect_code 4
expect_err 'built without CUDA'
