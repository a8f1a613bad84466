#!/usr/bin/env bash
# Records the CPU of this machine for db/recorded/: the shipped experiments, look-ups in their tuned.conf,
# the example program. The database is kept as bench/slim.py compresses it: tune.db.xz.
#   bench/record_cpu.sh BUILD_FOLDER [OUT_FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: bench/record_cpu.sh BUILD_FOLDER [OUT_FOLDER]}" && pwd)
out=${2:-cpu-results}
mkdir -p "$out" && cd "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/bin/tune" --device cpu --no-report --db "$work/tune.db" 2>run.txt
python3 "$here/slim.py" "$work/tune.db" tune.db.xz
"$build/bin/tune" devices --device cpu --json >devices.json
"$build/bench/bench_lookup" tuned.conf | tee lookup.txt
"$build/bench/bench_lookup_peers" | tee lookup_peers.txt
: >example.txt
for n in 16384 1048576 16777216; do
    "$build/examples/reduce_cpu" tuned.conf "$n" | tee -a example.txt
done
