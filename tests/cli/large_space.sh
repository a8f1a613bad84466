#!/bin/bash
# A space of 10^8 points costs nothing until it is searched: --points tries that many, and the same
# command continues without repeating a measurement or compilation. Baselines come first, so that no
# budget omits them.
source "$TUNE_TESTS/lib.sh"
write_experiment
sed -i '/^parameters:/,/^derived:/c\
parameters:\
  block: [100, 200, 250, 500, 1000]\
  a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\
  b: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\
  c: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\
  d: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\
  e: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\
  f: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\
  g: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\
  h: [0, 1, 2, 3]\
constraints:\
  - a + b < 10\
derived:' double.yaml
sed -i 's/^  WAY_late:.*/  WAY_late: 0/; s/^  WAY_broken:.*/  WAY_broken: 0/
    s/^  SPINS:.*/  SPINS: 100 * a + 10 * b + c\n  REST: d + 10 * e + 100 * f + 1000 * g + 10000 * h/
    s/set: {way: plain, block: 1000}/set: {block: 1000, a: 9, b: 9, c: 0, d: 0, e: 0, f: 0, g: 0, h: 0}/' double.yaml
sizes=(--sizes 1000)
export golden_filter='s/(devices|out of [^ ]+) \(.*/\1 (DEVICE)/'
# known OPTION...: runs it; what it knew, tried and began with is kept.
known() {
    golden_lines ' known already| legal configurations|the search (begins|tries)' "$TUNE" run double.yaml --device cpu "${steady[@]}" "$@"
}

known "${sizes[@]}" --points 12
expect_err '^tune: [0-9.]+ trials per second, [0-9]+ % of the time measuring, '
[[ $(query "SELECT count(*) FROM configurations") -eq 13 ]] || fail "more configurations than were tried"
[[ $(query "SELECT c.key FROM trials t JOIN configurations c ON c.id = t.configuration_id
            WHERE t.stage = 'sweep' ORDER BY t.id LIMIT 1") == 'block=1000 a=9 b=9 '* ]] ||
    fail "the baseline was not the first"
[[ $(query "SELECT asked, strategy <> 'exhaustive', product_count, space_count, points_most, points, trials
            FROM searches") == 'auto 1 200000000 110000000 12 12 13' ]] || fail "$(query "SELECT * FROM searches")"

# Repeated: no work is left, and no compilation happens, even without the cache.
query "SELECT id, configuration_id, measured_at FROM trials WHERE stage = 'sweep' ORDER BY id" >before
rm -rf "$TUNE_CACHE_DIR"
known "${sizes[@]}" --points 12
expect_err '0 binaries compiled'

# More points: only those that are missing.
known "${sizes[@]}" --points 20 --strategy random
query "SELECT id, configuration_id, measured_at FROM trials WHERE stage = 'sweep' ORDER BY id LIMIT 13" >after
cmp before after || fail "something was measured twice"

# A share of the space.
known "${sizes[@]}" --points 0.00002%

# Another size begins with the results of this one, if the search has a model; the baseline is no point of it.
known --sizes 5000 --points 8 --strategy surrogate
known --sizes 5000 --points 10 --strategy random
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --points 40 --strategy surrogate
expect_code 0
expect_err 'more than 1 % better is [0-9]+ %, and with 90 % none is better by more than [0-9.e+]+ %'
run "$TUNE" show --searches --n 5000 --csv
expect_code 0
python3 - "$captured.out" <<'P' || fail "show --searches does not say what is left"
import csv, sys
row, = csv.DictReader(open(sys.argv[1]))
assert 0 < float(row["chance_percent"]) <= 100 and 0 < float(row["most_percent"]) < 100, row
assert 0 < float(row["near_percent"]) <= 100, row
P

# Another database is begun with likewise, and stays as it is.
cp tune.db prior.db
known --sizes 5000 --points 8 --strategy surrogate --db new.db --prior prior.db
cmp tune.db prior.db || fail "--prior changed the database"
golden_refusal "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --points 9 --db new.db --prior none.db

# Only the first of several problems is reported, and their number at the end.
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000,5000 --points 12 --strategy surrogate --db several.db --prior prior.db
expect_code 0
for line in 'the search begins with the results of [0-9]+ trials [a-z, ]* devices \(' 'devices, out of prior.db'; do
    [[ $(grep -cE "$line" "$captured.err") -eq 1 ]] || fail "not once: $line"
done
expect_err "^tune: searches: 1 began with other problems' trials, 2 with those of --prior.*; 'tune show --db several.db --searches' says how likely each left a better one$"

# A packed database, and a shipped one, which has no results for another kind of device.
gzip -k prior.db
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --points 9 --strategy surrogate --db new.db --prior prior.db.gz
expect_code 0
expect_err 'trials of other sizes, problems or devices, out of prior.db.gz \('
known --sizes 5000 --points 10 --strategy surrogate --db new.db --prior nvidia-h100
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --points 9 --db new.db --prior nvidia-h1
expect_code 3
expect_err "there is no recording 'nvidia-h1'"
[[ -z $(compgen -G "$TMPDIR/tune-replay-*") ]] || fail "what was unpacked is left behind"

# Shipped rankings are in a folder; without those of this model of device none is left.
mkdir -p ranked/configs ranked/db/recorded
ln -s "$TUNE_SOURCE"/{kernels,include,plots} ranked/
cp prior.db ranked/db/recorded/prior.db
for prior in recorded others; do
    TUNE_DATA_DIR=ranked PATH=/nowhere run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --points 9 --strategy surrogate --db $prior.db --prior $prior
    expect_code 0
    if [[ $prior == recorded ]]; then
        expect_err 'n=5000: the search begins with the results of 62 trials of other sizes, problems or devices, out of ranked/db/recorded/prior.db \('
    else
        refuse_err 'the search begins with'
    fi
done
TUNE_DATA_DIR=$TUNE_SOURCE run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --points 2 --db shipped.db --prior recorded
expect_code 0
TUNE_DATA_DIR=ranked known --sizes 5000 --points 9 --strategy surrogate --db usual.db

# The search ends if little gain is left, even before its limit; a strategy without a model is
# refused.
known --sizes 5000 --points 60 --until 99.999%
golden "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --until 1
golden_refusal "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --until 1% --strategy random

# Without a budget worth the name there is still something to compare with, of each problem that it began.
rm -f tune.db* tuned.conf
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --budget 1s
[[ $code -eq 0 || $code -eq 6 ]] || fail "exit code $code"
expect_err 'the budget cut short: '
! grep -q '0\.00x' "$captured.out" || fail "a gain that nobody knows is told as a number"
[[ $(query "SELECT count(DISTINCT t.problem_id) FROM trials t JOIN baselines b
            ON b.problem_id = t.problem_id AND b.configuration_id = t.configuration_id
            WHERE t.stage = 'sweep' AND t.status = 'ok'") -eq $(query "SELECT count(DISTINCT problem_id) FROM trials") ]] ||
    fail "a baseline was left out"

golden "$TUNE" run double.yaml --device cpu --strategy exhaustiv
golden "$TUNE" run double.yaml --device cpu --points 120%
run "$TUNE" run double.yaml --device cpu --points 0
expect_code 2
run "$TUNE" run --list-strategies
expect_code 0
expect_out '^exhaustive +every'

# Shipped winners are tried early if they are points of the space, unless the user declines.
mkdir -p data/configs
ln -s "$TUNE_SOURCE"/{kernels,include,plots,db} data/
entry() { echo "double n=$1 block=$2 a=$3 b=4 c=5 d=6 e=7 f=8 g=9 h=3 | time_ns=1"; }
{
    echo 'tuned-conf 4'
    echo '[cpu "Elsewhere"] cores=4'
    entry 10 100 1
    entry 4000-6000 200 2
    entry 7000 250 9 # ruled out
    entry 8000 200 2 # the same again
    entry 1 100 3    # farther than the tenth of 20 points goes
    echo 'triple n=5000 block=100 | time_ns=1'
    echo '[cuda "Elsewhere"] compute_capability=9.0'
    entry 5000 500 3
    echo end
} >data/configs/tuned.conf
for strategy in surrogate random; do
    rm -f tune.db*
    TUNE_DATA_DIR=data run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --points 8 --strategy $strategy
    expect_code 0
    tried=$(query "SELECT group_concat(p.key) FROM (SELECT c.key FROM trials t JOIN configurations c ON c.id = t.configuration_id
            WHERE c.key LIKE '% c=5 d=6 e=7 f=8 g=9 h=3' ORDER BY t.id) AS p")
    if [[ $strategy == random ]]; then
        refuse_err 'that won elsewhere'
    else
        expect_err 'n=5000: the search tries 2 that won elsewhere, out of data/configs/tuned.conf \(Elsewhere\); --prior none leaves them out$'
        [[ $tried == 'block=200 a=2 b=4 '*',block=100 a=1 b=4 '* ]] || fail "of the winners it tried: $tried"
    fi
done
rm -f tune.db*
name=$("$TUNE" devices --device cpu --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["devices"][0]["device"])')
sed "s/^.cpu \"Elsewhere\"/[cpu \"$name\"/" data/configs/tuned.conf >own.conf
mkdir -p own/configs own/db/recorded
ln -s "$TUNE_SOURCE"/{kernels,include,plots} own/
mv own.conf own/configs/tuned.conf
cp ranked/db/recorded/prior.db own/db/recorded/
TUNE_DATA_DIR=own run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --points 8 --strategy surrogate --db own.db --prior recorded
expect_code 0
expect_err 'that won elsewhere, out of own/configs/tuned.conf'
TUNE_DATA_DIR=own known --sizes 5000 --points 8 --strategy surrogate --db own2.db --prior others
TUNE_DATA_DIR=data known --sizes 5000 --points 3 --strategy surrogate --prior none
sed -i '$d' data/configs/tuned.conf
TUNE_DATA_DIR=data golden_refusal "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 5000 --points 4
expect_golden
