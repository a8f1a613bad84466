#!/bin/bash
# lint.sh BUILD: clang-tidy and cppcheck over the sources of a build folder (the target `lint`), which is clang's.
set -euo pipefail
build=$(cd -- "$1" && pwd)
cd -- "$(dirname -- "$0")/../.."
jobs=$(nproc)
failed=0

mapfile -t sources < <(find tuner frontends views libtuned -name '*.c' -type f | sort)
# Sources that this build leaves out (a build without CUDA) are not looked at.
known=()
for source in "${sources[@]}"; do
    if grep -qF "$PWD/$source\"" "$build/compile_commands.json"; then
        known+=("$source")
    fi
done
# So many states of a function are followed: an eighth of the usual, in a quarter of the time.
states=(--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=30000)
echo "clang-tidy: ${#known[@]} files"
printf '%s\0' "${known[@]}" |
    xargs -0 -P "$jobs" -n 4 clang-tidy -p "$build" --quiet "${states[@]}" 2> >(grep -v 'warnings generated' >&2) ||
    failed=1
# Warnings alone for C that is neither in a room nor built for tests under sanitizers.
mapfile -d '' -t commands < <(python3 -S - "$PWD" "$build/compile_commands.json" <<'P'
import json, re, sys
root, commands = sys.argv[1:]
for one in json.load(open(commands)):
    path = one["file"].removeprefix(root + "/")
    if path.endswith(".c") and not re.match("tuner/|frontends/|views/|libtuned/|tests/unit/|tests/fuzz/|build/|/", path):
        print("cd '%s' && %s -fsyntax-only" % (one["directory"], re.sub(r" -o \S+", "", one["command"])), end="\0")
P
)
echo "warnings: ${#commands[@]} files"
printf '%s\0' "${commands[@]}" | xargs -0 -P "$jobs" -n 1 sh -c || failed=1
# incorrectLogicOperator is off: cppcheck 2.10 does not read hexadecimal floats such as 0x1p63.
echo "cppcheck: ${#known[@]} files"
cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability \
    --inline-suppr --error-exitcode=1 -j "$jobs" -D_GNU_SOURCE -DTUNE_WITH_CUDA -I . \
    -I "$build/generated" --suppress=missingIncludeSystem --suppress=incorrectLogicOperator \
    "${known[@]}" || failed=1
exit "$failed"
