#!/bin/sh
# Every C file is as clang-format would have it. Exit code 77: there is no clang-format.
set -eu
cd -- "$(dirname -- "$0")/../.."
command -v clang-format >/dev/null || exit 77
find tuner runtime kernels examples bench tests \( -name '*.c' -o -name '*.h' \) -type f \
    -exec clang-format --dry-run -Werror {} +
