# bench/foreign.py: winners of others are raced here against those tuned here, a row for each of them.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
command -v python3 >/dev/null || exit 77
write_copy 2
export TUNE_FAULTS='kernel@WAY=2: slower=3'
run "$TUNE" run ./copy.yaml --device cuda:0 --no-report "${warm[@]}"
expect_code 0
n=$(query "SELECT min(n) FROM problems")
cat >fleet.conf <<T
tuned-conf 4
[cuda "Another"] compute_capability=9.0 sm_count=78
copy.i32 n=1-100000 way=2 block=64 grid=4 | at=$n
other.i32 n=1-100000 way=2 | at=$n
[cuda "*"] capabilities=9
copy.i32 n=$n way=1 block=64
end
T
run python3 "$TUNE_SOURCE/bench/foreign.py" "$TUNE" fleet.conf tune.db --device cuda:0
expect_code 0
expect_out '^\| [^|]* \| Another \| 1 \| [1-9][0-9]+\.[0-9]+ \| [1-9][0-9]+\.[0-9]+ \| 1 \|$'
expect_out '^\| [^|]* \| portable \| 1 \| [0-9.]+ \| [0-9.]+ \| [01] \|$'
expect_out "^Another: copy.i32 n=$n: [0-9.]+ %\$"
# Entries that cannot be raced are reported, not omitted.
sed -i 's/way=2 block=64 grid=4/way=7 block=64/' fleet.conf
run python3 "$TUNE_SOURCE/bench/foreign.py" "$TUNE" fleet.conf tune.db --device cuda:0
expect_code 1
expect_out "^Another: copy.i32 n=$n: cannot be checked: "
