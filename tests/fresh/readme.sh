#!/bin/bash
# readme.sh: types the commands of README.md and docs/installing.md, in their order, in the folder of the sources after
# `./bootstrap tune`. A line per command: its exit code, its seconds, the command; "left out", and why, for the few that
# are typed elsewhere. Runs of hours get a budget. Needs only the packages of bootstrap. Exit code 1: one failed.
set -uo pipefail
cd -- "$(dirname -- "$0")/../.." || exit
failed=0
log=$PWD/readme.log
: >"$log"

# type CODES COMMAND...: it must end with one of the codes.
type_in() {
    local codes=$1 code=0 begun=$SECONDS
    printf '\n$ %s\n' "$2" >>"$log"
    bash -c "$2" >>"$log" 2>&1 </dev/null || code=$?
    [[ " $codes " == *" $code "* ]] || { failed=1 && tail -n 5 "$log"; }
    printf '%s %3d, %3d s: %s\n' "$([[ " $codes " == *" $code "* ]] && echo ok || echo FAILED)" "$code" $((SECONDS - begun)) "$2"
}

# Files that commands name: an own kernel, of docs/own-kernel.md, a program without a GPU, databases of two hosts.
prepare() {
    [[ -e blur.cu ]] || sed -n '/^```c++$/,/^```$/{/^```/d;p}' docs/own-kernel.md >blur.cu
    [[ -e app ]] || { printf '#!/bin/sh\nexit 0\n' >app && chmod +x app; }
    cp tune.db a.db
    cp tune.db b.db
    cp -n examples/*/*.yaml my_kernel.yaml 2>/dev/null
    [[ -s tuned.conf ]] || cp db/recorded/cpu-2-cores/tuned.conf .
}

# Without CUDA, or without a GPU, a command says so.
cuda='0'
[[ -d build/toolkit ]] || cuda='3 4'

grep -hE '^    (\./bootstrap|tune|export|cc|cpack|cmake|packaging/)' README.md docs/installing.md | awk '!seen[$0]++' | sed -E 's/^ +//; s/ +#.*$//' >readme.commands
prepare
while IFS= read -r command; do
    case $command in
    "./bootstrap tune" | "./bootstrap test") echo "left out: $command: run.sh types it" ;;
    "./bootstrap tune --device replay")
        type_in 0 "$command"
        for file in replayed.conf replayed.html replayed.db; do
            [[ -s $file ]] || { echo "FAILED: no $file" && failed=1; }
        done
        ;;
    export\ *) eval "$command" ;;
    cc\ *) echo "left out: $command: cli.calls compiles programs" ;;
    packaging/portable.sh* | *"preset debian"*) echo "left out: $command: packaging/release.sh types it, installed.sh installs what it makes" ;;
    "tune init"*) type_in "$cuda" "rm -f blur.yaml; $command" ;;
    "tune run --dry-run"*) type_in "$cuda" "$command" ;;
    "tune run"*.yaml*) type_in '0 3 4 6' "$command --budget 20s" ;;
    "tune run"*) type_in '0 3 6' "$command --budget 20s" ;;
    "tune check"*) type_in '0 1 3 7' "$command" ;;
    "tune capture"*) type_in '3 4' "$command" ;;
    *) type_in 0 "$command" ;;
    esac
done <readme.commands
[[ $(wc -l <readme.commands) -gt 12 ]] || { echo "FAILED: README has no commands?" && failed=1; }

# Output after a replay alone, and packed files.
mkdir -p replayed-alone unpacked
cp replayed.db replayed-alone/
for words in 'show' 'show --why' 'show --ties' 'show --trust' 'show --ranges' 'show --failures' 'show --compare' 'plot occupancy' report; do
    type_in 0 "cd replayed-alone && tune $words"
done
type_in 0 "tar -xzf tune-*.tar.gz -C unpacked && cd unpacked && ./tune-*/bin/tune run reduce.sum.i32 --sizes 4096 --device replay --effort quick --no-report"
type_in 0 "\$HOME/.local/bin/tune run reduce.sum.i32 --sizes 4096 --device replay --effort quick --no-report --db installed.db --conf installed.conf"
exit "$failed"
