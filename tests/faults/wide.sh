# Step wide of tests/gpu/run.sh: the results of a search race the best that the recording of this model of device has;
# without such a recording, or with one that has only baselines, there is no comparison.
# shellcheck shell=bash disable=SC2034 # variables of the step
source "$TUNE_SOURCE/tests/faults/lib.sh"
command -v python3 >/dev/null || exit 77
export TUNE_FAULTS='kernel@WAY=2: slower=3'
write_copy 2
warm+=(--effort quick)
sed -i 's#source: copy#source: kernels/copy#' copy.yaml
cat >>copy.yaml <<'Y'
baselines:
  - {name: plain, about: what one would write, set: {way: 2, block: 64}}
Y
mkdir -p tree/kernels tree/configs tree/tests/gpu/wide tree/db/recorded/stand-in work
mv copy.cu copy_reference.c tree/kernels/
mv copy.yaml tree/configs/
cp "$TUNE_SOURCE/tests/gpu/wide/duel.py" tree/tests/gpu/wide/
echo 'tuned-conf 4' >tree/configs/tuned.conf
echo 'end' >>tree/configs/tuned.conf

here=$PWD/tree work=$PWD/work build=$PWD tune=$TUNE
record() ("${@:2}") # in a process of its own, as where it is piped
# shellcheck source=tests/gpu/steps/wide.sh
source "$TUNE_SOURCE/tests/gpu/steps/wide.sh"
export WIDE_FAMILY=copy WIDE_SIZES=1000 WIDE_OPTIONS="${warm[*]}"

# recorded OPTION...: a recording of such a run.
recorded() {
    forget
    TUNE_DATA_DIR=$here "$TUNE" run "$here/configs/copy.yaml" --device cuda:0 --no-report "${warm[@]}" "$@" >out.txt 2>&1 ||
        fail "$(cat out.txt)"
    xz -c tune.db >tree/db/recorded/stand-in/families.db.xz
}

"$TUNE" devices --json | sed 's/"device": "[^"]*"/"device": "Another"/' >tree/db/recorded/stand-in/devices.json
recorded
run wide
expect_code 1
expect_err 'no families.db.xz of Stand-in GPU'
[[ ! -e work/wide/copy/wide.db ]] || fail "it searched all the same"

"$TUNE" devices --json >tree/db/recorded/stand-in/devices.json
run wide
expect_code 0
# Its own rival, not the baseline, which takes three times as long.
expect_out '^copy.i32 +1000 +1\.[0-9]+ +1\.[0-9]+ +[-+][0-9.]+%$'
expect_out '^geometric mean: '

# Rankings that are named for it, with those of this model of device and without.
recorded
cp tune.db rankings.db
for prior in recorded others; do
    rm -rf work/wide
    WIDE_PRIOR=$PWD/rankings.db WIDE_OPTIONS="${warm[*]} --strategy surrogate --prior $prior" run wide
    expect_code 0
    begun=$(grep -c 'the search begins with the results of .*, out of .*/wide/copy/data/db/recorded/prior.db (Stand-in GPU' work/wide/copy/wide.txt) || true
    [[ $begun -eq $([[ $prior == recorded ]] && echo 1 || echo 0) ]] || fail "--prior $prior: $(cat work/wide/copy/wide.txt)"
done
WIDE_PRIOR=none.db run wide
expect_code 1

recorded --only way=2 --only block=64
rm -rf work/wide
run wide
expect_code 1
expect_out 'nothing but baselines raced beside the winner of copy.i32 n=1000: '
