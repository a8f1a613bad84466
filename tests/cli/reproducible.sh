#!/bin/bash
# Installed files contain no folder of the build, and the same sources in another folder become the same objects, bit by
# bit: a share of them, compiled again with the same command (packaging/release.sh builds the whole twice).
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
[[ -z $TUNE_SANITIZE ]] && grep -q '^CMAKE_BUILD_TYPE:STRING=Release$' "$TUNE_BUILD/CMakeCache.txt" || exit 77
# A toolkit that bootstrap brought lies in the build's folder, and is where the program looks first.
names=("$TUNE_BUILD/libtuned/libtuned.a")
grep -q "^TUNE_TOOLKIT_DIR:.*=$TUNE_SOURCE" "$TUNE_BUILD/CMakeCache.txt" || names+=("$TUNE")
for file in "${names[@]}"; do
    ! grep -qF -e "$TUNE_SOURCE" -e "$TUNE_BUILD" "$file" || fail "$file names the folder it was built in"
done

mkdir -p elsewhere/build
tar -C "$TUNE_SOURCE" --exclude=./build --exclude=./.git --exclude=./db/recorded --exclude=./docs --exclude=./tests -cf - . | tar -x -C elsewhere
cp -r "$TUNE_BUILD/generated" elsewhere/build/
python3 -B - "$TUNE_SOURCE" "$TUNE_BUILD" "$PWD/elsewhere" <<'P'
import concurrent.futures, json, os, pathlib, shlex, subprocess, sys
source, build, elsewhere = sys.argv[1:]
entries = [entry for entry in json.load(open(f"{build}/compile_commands.json"))
           if entry["file"].startswith((f"{source}/tuner/", f"{source}/libtuned/", f"{build}/generated/"))]
library = [entry for entry in entries if entry["file"].startswith(f"{source}/libtuned/") and "tuned_static" in entry["command"]]
chosen = library + entries[::40]

def compile(number):
    entry = chosen[number]
    words = [word for word in shlex.split(entry["command"]) if not word.endswith("ccache")]
    made = words[words.index("-o") + 1]
    words[words.index("-o") + 1] = f"{elsewhere}/{number}.o"
    words = [word.replace(build, f"{elsewhere}/build").replace(source, elsewhere) for word in words]
    subprocess.run(words, cwd=elsewhere, check=True)
    before = pathlib.Path(build, made)
    same = not before.exists() or before.read_bytes() == pathlib.Path(elsewhere, f"{number}.o").read_bytes()
    return before.exists(), None if same else entry["file"]

with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(compile, range(len(chosen))))
others = [name for _, name in results if name]
assert not others, "other objects in another folder: " + " ".join(others)
assert sum(built for built, _ in results) > 10, "hardly anything was built"
P
