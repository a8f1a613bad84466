#!/bin/bash
# run.sh BUILD SECONDS [TARGET...]: runs each fuzz target of the build (preset sanitize, target fuzz_targets) for that
# long, one after the other, on one core, after the inputs of its corpus. Prints a table: inputs and crashes of each;
# crashing inputs are in BUILD/tests/crashes. Exit code 1 after a crash.
set -uo pipefail
[[ $# -ge 2 && $1 != -* ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
here=$(cd -- "$(dirname -- "$0")" && pwd)
build=$(cd -- "$1" && pwd) seconds=$2
targets=("${@:3}")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <(cd -- "$here" && basename -s .c fuzz_*.c)
mkdir -p "$build/tests/crashes"
cd -- "$build/tests" || exit
printf '%s: %s s for each target, on one of %s processors\n\n' "$(date +%F)" "$seconds" "$(nproc)"
printf '%-18s %10s %8s\n' target inputs crashes
all=0 crashed=0
for target in "${targets[@]}"; do
    corpus=$here/corpus/${target#fuzz_} longest=8192
    [[ -x $target ]] || { echo "$target is not built"; crashed=1; continue; }
    [[ $target != fuzz_capture ]] || longest=16384
    dictionary=()
    [[ ! -f $here/${target#fuzz_}.dict ]] || dictionary=(-dict="$here/${target#fuzz_}.dict")
    mkdir -p "corpus-$target"
    before=$(find crashes -type f | wc -l)
    nice -n 19 "./$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=$longest -print_final_stats=1 -close_fd_mask=3 \
        -artifact_prefix=crashes/ "${dictionary[@]}" "corpus-$target" "$corpus" >"log-$target" 2>&1 || true
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "log-$target")
    found=$(($(find crashes -type f | wc -l) - before))
    printf '%-18s %10s %8s\n' "$target" "${count:-0}" "$found"
    all=$((all + ${count:-0})) crashed=$((crashed + found))
done
printf '%-18s %10s %8s\n' together "$all" "$crashed"
[[ $crashed -eq 0 ]]
