#!/bin/sh
# Every C file of the program is as clang-format would have it; kernels are laid out by hand. Exit code 77: there is no clang-format.
set -eu
cd -- "$(dirname -- "$0")/../.."
command -v clang-format >/dev/null || exit 77
find tuner frontends views libtuned examples bench tests \( -name "*.c" -o -name "*.h" \) -type f \
    -exec clang-format --dry-run -Werror {} +
