#!/usr/bin/env bash
# check.sh TUNE LIBTUNED OUT SECONDS: tunes each experiment of this folder on GPU 0 with a budget of SECONDS, then asks
# libtuned at many sizes in a program that runs the answers. LIBTUNED is the folder with tuned.c; OUT keeps databases,
# lists and the program's outputs. Exit code 1: a wrong answer. 2: something else failed. LIMIT: seconds for all (200).
# NAMES: experiments. LINES_OF_A_KEY: lines shown of each problem (12).
set -u
[ $# = 4 ] || { sed -n 2,5p "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3"
tune=$(realpath "$1") lib=$(realpath "$2") out=$(realpath "$3") seconds=$4
cuda=${CUDA_HOME:-/usr/local/cuda}
limit=${LIMIT:-200} SECONDS=0 failed=0
kept=45 # seconds for the program
names=${NAMES:-"stencil csr softmax batched resize search nearest layernorm bitonic gray bases"}
keys=${names/resize/resize.u8 resize.f32}
export TUNE_CACHE_DIR=$out/cache
cd "$here" || exit 2

gcc -std=gnu17 -O2 -DTUNED_WITH_DEBUG -I"$lib" -I"$cuda/include" check.c data.c problems.c sizes.c "$lib/tuned.c" \
    "$lib/tuned_debug.c" -L"$cuda/lib64/stubs" -L"$cuda/lib64" -Wl,-rpath,"$cuda/lib64" -lcuda -lnvrtc -lm \
    -o "$out/check" || exit 2

other_failure() {
    [ "$failed" = 1 ] || failed=2
}

tune_one() { # name
    local start=$SECONDS left=$((limit - SECONDS - kept)) status=0
    rm -f "$out/$1".*
    if [ "$left" -lt 4 ]; then
        echo "$1: not tuned: no time left"
        other_failure
        return
    fi
    timeout -k 3 $((left < seconds + 10 ? left : seconds + 10)) "$tune" run "$here/$1.yaml" --device 0 \
        --budget "${seconds}s" --no-report --db "$out/$1.db" --conf "$out/$1.conf" >"$out/$1.run.txt" 2>&1 || status=$?
    timeout -k 1 5 "$tune" show --failures --db "$out/$1.db" >"$out/$1.failures.txt" 2>&1
    timeout -k 1 5 "$tune" show --ranges --db "$out/$1.db" >"$out/$1.ranges.txt" 2>&1
    echo "$1: tune run ended with $status in $((SECONDS - start)) s"
    [ "$status" = 0 ] || tail -n 4 "$out/$1.run.txt" | cut -c1-300
}

# Asks for one key; the output ends with the exit code.
check_one() { # key
    local left=$((limit - SECONDS)) status=0
    timeout -k 2 $((left > 1 ? left : 1)) "$out/check" "$out/${1%%.*}.conf" "$1" >"$out/$1.check.txt" 2>&1 || status=$?
    echo "exit code $status" >>"$out/$1.check.txt"
}

wrong=0 asked=0 answered=0 served=0
count_one() { # key
    local list=$out/$1.check.txt line
    if [ ! -f "$list" ]; then
        echo "$1: no tuned.conf: not checked"
        other_failure
        return
    fi
    line=$(grep -E "^$1 +asked " "$list")
    grep -vE "^$1 +asked |^exit code " "$list" | head -n "${LINES_OF_A_KEY:-12}" | cut -c1-260
    echo "${line:-$1: the check ended with $(tail -n 1 "$list")}"
    case $(tail -n 1 "$list") in
    "exit code 0") ;;
    "exit code 1") failed=1 ;;
    *) other_failure ;;
    esac
    number() { sed -nE "s/.* $1 +([0-9]+).*/\1/p" <<<"${line:- $1 0}"; }
    asked=$((asked + $(number asked)))
    answered=$((answered + $(number answered)))
    wrong=$((wrong + $(number WRONG)))
    served=$((served + $(number 'planted served')))
}

for name in $names; do tune_one "$name"; done
for key in $keys; do
    if [ -f "$out/${key%%.*}.conf" ]; then check_one "$key" & fi
done
wait
rm -rf "$TUNE_CACHE_DIR"
for key in $keys; do count_one "$key"; done
echo "all: asked $asked, answered $answered, wrong $wrong; planted configurations served $served times; $SECONDS s"
exit "$failed"
