#!/usr/bin/env bash
# README's first command with a budget of 30 s on a busy machine: LOOPS loops (default 4) load every processor
# meanwhile. Prints the results of five runs, with empty caches; for db/recorded/DEVICE/busy.txt.
#   bench/busy.sh BUILD_FOLDER [LOOPS]
set -eu
tune=$(cd "${1:?usage: bench/busy.sh BUILD_FOLDER [LOOPS]}" && pwd)/bin/tune
loops=${2:-4}
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
printf '%s: %d processors, %d loops beside tune --device cpu --budget 30s, %s\n\n' \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$loops" "$(date +%F)"
for ((i = 0; i < loops; i++)); do
    while :; do :; done &
    pids+=($!)
done
echo 'run  load before  seconds  exit code  problems with a winner  sure or nearly  trials of the sweep'
for run in 1 2 3 4 5; do
    mkdir "$work/$run"
    cd "$work/$run"
    read -r load _ </proc/loadavg
    begun=$(date +%s%N) code=0
    TUNE_CACHE_DIR=$PWD/cache "$tune" --device cpu --budget 30s --no-report >said 2>&1 || code=$?
    took=$((($(date +%s%N) - begun) / 100000000))
    counts=$(python3 -S -c 'import sqlite3
print(*sqlite3.connect("tune.db").execute("""SELECT count(*), coalesce(sum(trust <> "unstable"), 0),
    (SELECT count(*) FROM trials WHERE stage = "sweep" AND same_as_trial_id IS NULL) FROM latest_winners""").fetchone())')
    read -r winners sure trials <<<"$counts"
    printf '%3d %12s %6d.%d %10d %23d %15d %20d\n' "$run" "$load" $((took / 10)) $((took % 10)) "$code" "$winners" "$sure" "$trials"
done
