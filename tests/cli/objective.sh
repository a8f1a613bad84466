#!/bin/bash
# Winners by something else than time: a formula, side by side with those by time; energy, where there is a
# counter.
source "$TUNE_TESTS/lib.sh"
write_experiment

run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000
expect_code 0
cp tuned.conf time.conf

# The block has so much weight that the smallest wins, whatever the times.
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --objective 'time_ns  *block**6'
expect_code 0
expect_err '1 problem, 0 trials \(20 known already\)'
expect_out ', by time_ns \* block \*\* 6;'
expect_out '^1000 .* [0-9.]+e\+1[0-9] .* block=100$'
expect_err 'tuned.conf is left as it is'
cmp tuned.conf time.conf || fail "winners by another objective went into tuned.conf"
[[ $(query "SELECT objective FROM winners ORDER BY objective") == $'time\ntime_ns * block ** 6' ]] || fail "$(query "SELECT objective FROM winners")"

# Each is shown and exported by its name; blanks do not matter.
run "$TUNE" show --json
expect_json '[w["objective"] for w in j]' "['time']"
run "$TUNE" show --objective 'time_ns*block**6' --json
expect_json '[(w["objective"], w["value"] > 1e8, w["parameters"]["block"]) for w in j]' "[('time_ns * block ** 6', True, 100)]"
for question in --ties --trust '--top 3'; do
    # shellcheck disable=SC2086 # words
    run "$TUNE" show $question --objective 'time_ns*block**6'
    expect_code 0
    expect_out ', by time_ns \* block \*\* 6'
done
golden "$TUNE" show --objective energy
run "$TUNE" export --objective 'time_ns * block ** 6' -o -
expect_code 0
expect_out '^double n=1000 .* block=100 '

# A file that is named is written, with these winners.
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --objective 'time_ns * block ** 6' --conf small.conf
expect_code 0
grep -q '^double n=1000 .* block=100 ' small.conf || fail "not the winner by the formula: $(cat small.conf)"
cmp tuned.conf time.conf || fail "tuned.conf was changed"

# A wrong objective is reported before the first measurement.
for objective in enrgy 'time_ns * foo' 'time_ns *' ''; do
    golden "$TUNE" run double.yaml --device cpu "${steady[@]}" --objective "$objective" --db other.db
done
refuse_file other.db

# Energy: measured where there is a counter, else refused in words.
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --objective energy --db energy.db --set energy_window_ms=20
if [[ $code -eq 4 ]]; then
    expect_err 'energy counter'
    expect_empty out
else
    expect_code 0
    expect_out ', by energy'
    run "$TUNE" show --objective energy --db energy.db --json
    expect_json 'all(w["value"] > 0 for w in j)' True
fi
expect_golden
