# shellcheck shell=bash
# tune import: times of other implementations come to stand beside tune's own: all of a table, or none.
source "$TUNE_TESTS/lib.sh"
export golden_filter="s/there is .*/there is DEVICE/" # its name
write_experiment
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --quiet
expect_code 0
cp tune.db before.db

cat >'odd "name".csv' <<'C'
problem,n,mode,rival,rival_ns,rival_mad_ns,what
double,1000,cold,lib::Double,2000.5,3,"a, b"
double,5000,cold,lib::Double,9000,,
double,5000,hot,"lib, ""hot""",8000,1,
double,7777,cold,lib::Double,1,1,
C
map=l2_mode=mode,name=rival,time_ns=rival_ns,mad_ns=rival_mad_ns
golden "$TUNE" import 'odd "name".csv' --columns "$map"
[[ $(query 'SELECT n, l2_mode, name, time_ns, mad_ns, source FROM peers ORDER BY n, l2_mode') == \
'1000 cold lib::Double 2000.5 3.0 odd "name".csv
5000 cold lib::Double 9000.0 None odd "name".csv
5000 hot lib, "hot" 8000.0 1.0 odd "name".csv' ]] || fail "$(query 'SELECT * FROM peers')"

# Again, it changes no row but the date; with Windows' line ends and a mark, it is the same table.
sed -i '1s/^/\xef\xbb\xbf/; s/$/\r/; s/2000.5/2001/' 'odd "name".csv'
run "$TUNE" import 'odd "name".csv' --columns "$map" --device cpu
expect_code 0
[[ $(query 'SELECT count(*), min(time_ns) FROM peers') == '3 2001.0' ]] || fail "not replaced"

# The key in two parts.
sed 's/^double,/ble,/' 'odd "name".csv' >short.csv
run "$TUNE" import short.csv --columns "$map" --prefix dou
expect_code 0
golden "$TUNE" import short.csv --columns "$map"

# Errors are named with their line, and no row of the table is taken.
sed 's/2001/1/; s/8000/8e3x/' 'odd "name".csv' >wrong.csv
golden "$TUNE" import wrong.csv --columns "$map"
[[ $(query 'SELECT count(*), min(time_ns) FROM peers') == '3 2001.0' ]] || fail "a part was taken"
golden "$TUNE" import wrong.csv
golden "$TUNE" import before.db

# Wrong use, and files that are not there; no database is made.
run "$TUNE" import
expect_code 2
run "$TUNE" import a.csv b.csv
expect_code 2
run "$TUNE" import wrong.csv --columns "rival_ns=time_ns"
expect_code 2
run "$TUNE" import nothing.csv
expect_code 3
golden "$TUNE" import short.csv --db other.db
[[ ! -e other.db ]] || fail "a database was made"
golden_refusal "$TUNE" import short.csv --columns "$map" --prefix dou --device cuda:3

# The shipped table fits the shipped recording's keys.
golden_refusal "$TUNE" import "$TUNE_SOURCE/db/recorded/nvidia-h200/peers-wide.csv" --prefix reduce. \
    --columns l2_mode=mode,name=rival,time_ns=rival_ns,mad_ns=rival_mad_ns,tuned_ns=tune_ns
unpack "$TUNE_SOURCE/db/recorded/nvidia-h200/tune.db.xz" >tune.db
run "$TUNE" import "$TUNE_SOURCE/db/recorded/nvidia-h200/peers-wide.csv" --prefix reduce. \
    --columns l2_mode=mode,name=rival,time_ns=rival_ns,mad_ns=rival_mad_ns,tuned_ns=tune_ns
expect_code 0
[[ $(query "SELECT count(*) > 40, count(*) = count(ratio), count(*) = count(tuned_ns) FROM peers") == '1 1 1' ]] ||
    fail "of the recorded table: $(query 'SELECT count(*) FROM peers')"

# The recording of that device has times of two kinds: reported for sizes with clear ones, not for others.
run "$TUNE" show --wide --trust reduce.sum.i32
expect_code 0
expect_out '^reduce\.sum\.i32, n = 100000000: times form two groups 0\.9 % apart: 25 % at 88\.27 us, 75 % at 89\.09 us$'
[[ $(grep -c 'two groups' "$captured.out") -eq 3 ]] || fail "not three sizes with two groups: $(grep 'two groups' "$captured.out")"
expect_golden
