#!/bin/bash
# tuned_cuda.h is C99 and C++11 over both APIs without a warning, adds no code where it is not used, and
# both APIs fit into one program.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
[[ -n $TUNE_CUDA_INCLUDE ]] || exit 77
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -O2)
includes=(-I "$TUNE_SOURCE/libtuned" -isystem "$TUNE_CUDA_INCLUDE")

cat >use.c <<'C'
#include "tuned_cuda.h"
int NAME(const struct tuned *tuned, tuned_cuda_kernel kernel, void **arguments);
int NAME(const struct tuned *tuned, tuned_cuda_kernel kernel, void **arguments)
{
    struct tuned_cuda_device gpu;
    struct tuned_cuda_launch launch = tuned_cuda_launch_of(264, 256);
    if (tuned_cuda_describe(&gpu) != 0)
        return 1;
    tuned_cuda_find(tuned, &gpu, "saxpy", 1000, &launch);
    return tuned_cuda_prepare(&launch, kernel) != 0 ||
           tuned_cuda_launch_kernel(&launch, kernel, arguments, NULL) != 0;
}
C
echo '#include "tuned_cuda.h"' >idle.c
compilers=("$CC -std=c99 -Wstrict-prototypes" "$CC -std=c17 -Wstrict-prototypes")
if command -v c++ >/dev/null; then
    compilers+=("c++ -x c++ -std=c++11 -Wold-style-cast" "c++ -x c++ -std=c++20 -Wold-style-cast")
fi
for compiler in "${compilers[@]}"; do
    read -ra words <<<"$compiler"
    for api in RUNTIME DRIVER; do
        run "${words[@]}" "${warnings[@]}" "${includes[@]}" "-DTUNED_CUDA_$api" "-DNAME=use_$api" -c use.c -o "use_$api.o"
        expect_code 0
        run "${words[@]}" "${warnings[@]}" "${includes[@]}" "-DTUNED_CUDA_$api" -c idle.c -o idle.o
        expect_code 0
        [[ -z $(nm idle.o) ]] || fail "$compiler, $api: symbols where nothing is used"
    done
    # Only called functions are visible, so two objects of both APIs do not collide.
    run ld -r use_RUNTIME.o use_DRIVER.o -o both.o
    expect_code 0
    nm --defined-only both.o | awk '$2 ~ /[A-Z]/ { print $3 }' | grep -v 'use_' >shown || true
    [[ ! -s shown ]] || fail "$compiler: shows $(tr '\n' ' ' <shown)"
done
