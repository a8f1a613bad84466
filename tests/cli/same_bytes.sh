#!/bin/bash
# The same sources give the same bytes in every folder: libraries for programs, and parts of the program (the
# version, paths in messages). packaging/release.sh compares the whole program and the packages.
source "$TUNE_TESTS/lib.sh"
[[ -z $TUNE_SANITIZE ]] || exit 77 # installed files are never built with a sanitizer

libraries=(libtuned/libtuned.a libtuned/libtuned.so)
[[ ! -e $TUNE_BUILD/lib/tune/libtunecapture.so ]] || libraries+=(lib/tune/libtunecapture.so) # needs CUDA's headers
parts=(tuner/cli/devices.c tuner/base/error.c tuner/base/files.c tuner/session/sweep.c tuner/store/open.c views/export/conf.c)
mapfile -t options < <(sed -nE 's/^((TUNE|BUILD)_[A-Z_]+|CMAKE_(BUILD_TYPE|C_COMPILER|CXX_COMPILER|C_FLAGS|C_COMPILER_LAUNCHER)):[A-Z]+=/\1=/p' \
    "$TUNE_BUILD/CMakeCache.txt")
mkdir "another longer place"
tar -C "$TUNE_SOURCE" --exclude ./build --exclude ./.git --exclude ./db/recorded -cf - . | tar -C "another longer place" -xf -
run "$TUNE_CMAKE" -G Ninja -S "another longer place" -B there -D CMAKE_EXPORT_COMPILE_COMMANDS=ON "${options[@]/#/-D}"
expect_code 0
run "$TUNE_CMAKE" --build there --target "${libraries[@]}"
expect_code 0
# Separately: ninja would first make every file that they could include.
mapfile -t objects < <(python3 - "another longer place" "${parts[@]}" <<'P'
import json, os, re, subprocess, sys
for entry in json.load(open("there/compile_commands.json")):
    source = os.path.relpath(entry["file"], sys.argv[1])
    output = re.search(r" -o ((?:tuner|views)(?:/cli)?/CMakeFiles/tune\S*)", entry["command"])
    if source in sys.argv[2:] and output:
        os.makedirs(os.path.dirname(os.path.join(entry["directory"], output[1])), exist_ok=True)
        subprocess.run(entry["command"], shell=True, check=True, cwd=entry["directory"])
        print(output[1])
P
)
[[ ${#objects[@]} -eq ${#parts[@]} ]] || fail "made: ${objects[*]}"
for file in "${libraries[@]}" "${objects[@]}"; do
    cmp "$TUNE_BUILD/$file" "there/$file" || fail "$file is another one in another folder"
    ! grep -qF -e "$TUNE_SOURCE/" -e "$PWD" "there/$file" || fail "$file names a folder of the build"
done
