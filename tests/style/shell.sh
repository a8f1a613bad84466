#!/bin/sh
# Every script is as shellcheck would have it. Exit code 77: there is no shellcheck.
set -eu
cd -- "$(dirname -- "$0")/../.."
command -v shellcheck >/dev/null || exit 77
scripts=$(find tests -name '*.sh' -type f)
# shellcheck disable=SC2086 # names are words
shellcheck -x -S warning -P SCRIPTDIR bootstrap .ci/run packaging/*.sh tuner/cli/completion/tune.bash $scripts
