#!/bin/bash
# test.sh BENCH_PROTOCOL: the three commands over tiny sizes on the CPU give CSV of the right shape.
# Timings are no part of the verdict.
set -euo pipefail
bench=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/tune-bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
export TUNE_CACHE_DIR=$folder/cache TUNE_LOCK_DIR=$folder/locks
unset TUNE_DATA_DIR
mkdir -m 700 "$folder/locks"
cd "$folder"

fail() {
    echo "FAILED: $*"
    for file in ./*.csv ./*.txt; do
        echo "--- $file"
        head -n 40 "$file"
    done
    exit 1
}

quick=(--device cpu --effort quick --set warm_least_ms=0 --set warm_most_ms=50 --set visit_blocks=1
    --set other_wait_ms=0 --set anchor_shift=10 --set clock_shift=10 --set block_ns=20000)

# columns FILE: the fields of each line, quoted ones with commas counted as one.
columns() {
    sed 's/"[^"]*"/quoted/g' "$1" | awk -F, '{ print NF }' | sort -u
}

"$bench" twin "${quick[@]}" --sizes 2^10,3000 --rounds 41 --out twin.csv --raw raw.csv >twin.txt
[[ $(columns twin.csv) == 18 ]] || fail "twin: columns"
[[ $(wc -l <twin.csv) == 4 ]] || fail "twin: a head, two sizes, all"
[[ $(wc -l <raw.csv) == $((1 + 2 * 41 * 16)) ]] || fail "twin: every block is in the raw file"
# Valid rounds make windows of 40 over 8 pairs; the last line is the sum of the others.
awk -F, '{ gsub(/"[^"]*"/, "quoted") }
    NR > 1 && $2 != "all" {
        if ($13 != 8 * int($6 / 40) || $15 != 8 || $17 != 120) exit 1
        windows += $13; whole += $15; all += $17; rejected += $14
    }
    $2 == "all" { exit !($13 == windows && $14 == rejected && $15 == whole && $17 == all) }
' twin.csv || fail "twin: the tests that were made"
grep -q '^2^10 .* of 41 ' twin.txt || fail "twin: the table"

"$bench" flush "${quick[@]}" --sizes 2^12 --rounds 4 --out flush.csv >flush.txt
[[ $(columns flush.csv) == 13 ]] || fail "flush: columns"
awk -F, 'NR > 1 && !($7 > 0 && $8 > 0 && $11 > 0 && $13 > 0) { exit 1 } END { exit NR < 2 }' \
    flush.csv || fail "flush: a time in each mode"
awk -F, 'NR == 2 { difference = $9 - $8 / $7; exit !(difference < 0.001 && difference > -0.001) }' \
    flush.csv || fail "flush: the ratio"

"$bench" agree "${quick[@]}" --sizes 2^12,2^13 --candidates 2 --screen 5 --repeats 2 \
    --set look_rounds.0=4 --set look_rounds.1=0 --set look_rounds.2=0 --set look_rounds.3=0 \
    --set look_rounds.4=0 --set look_rounds.5=0 --set look_rounds.6=0 \
    --reference-rounds 4 --min-time 0.0001 --timeout 0.1 --out agree.csv >agree.txt 2>agree.err
[[ $(columns agree.csv) == 11 ]] || fail "agree: columns"
[[ $(wc -l <agree.csv) == $((1 + 2 * 2 * 4)) ]] || fail "agree: sizes, repetitions and ways"
for way in mean_of_7 nvbench race race_ties; do
    [[ $(grep -c ",$way,\"variant=" agree.csv) == 4 ]] || fail "agree: winners by $way"
done
# Seven timings of each of the candidates, at least ten as nvbench; a winner is tied with itself.
awk -F, '$4 == "mean_of_7" && $10 != 7 * $6 { exit 1 } $4 == "nvbench" && $10 < 10 * $6 { exit 1 }
    NR > 1 && ($7 < 1 || $8 < 0) { exit 1 }' \
    agree.csv || fail "agree: what was measured"
grep -q '^race, ties, fixed order .* of 2 ' agree.txt || fail "agree: the table"

if "$bench" twin --device cpu --configuration block=3 --sizes 2^10 >/dev/null 2>none.txt; then
    fail "a configuration that there is not"
fi
grep -q "neither a configuration nor a baseline" none.txt || fail "and why"
