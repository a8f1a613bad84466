# Hosts reached by a command: tuning there gives the same as here, whatever the login prints and wherever the files lie.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/fleet/lib.sh"
write_copy
export TUNE_HOST_GRACE_MS=120000
a=(--on "$TMPDIR/host a")
b=(--on "env CUDA_VISIBLE_DEVICES=0 $TMPDIR/host b")

# Two models on two hosts: equal ones share the sweep, each configuration is measured once a model, and race and confirm
# a problem each.
sed -i 's/^sizes:.*/sizes: {n: [1000, 5000]}/' copy.yaml
tune_on 'devices=big,small; cuModuleLoadData@WAY=1|2|3|4|5|6: slow=150' "${a[@]}" "${b[@]}" --set confirm_processes=2
expect_code 0
expect_sweep 'Stand-in GPU 132 18 ok' 'Stand-in GPU 40 18 ok'
[[ $(query "SELECT count(DISTINCT run_id) FROM trials WHERE stage = 'sweep'") -eq 3 ]] ||
    fail "one of three devices did nothing"
expect_apart
[[ $(grep -cE ': [12] of [12] devices?, [1-9][0-9]* trials, ' "$captured.err") -ge 2 ]] || fail "not a line a host"
[[ $(grep -c '^copy\.i32 n=1000\>' tuned.conf) -eq 3 ]] || fail "not a winner for each model"
[[ -n $(query 'SELECT host FROM environments LIMIT 1') ]] || fail "which host it was is not in the database"
refuse_agents

# Known results stay known, and the gate works there.
tune_on 'devices=big,small' "${a[@]}"
expect_code 0
expect_err '0 trials \(72 known already\)'
run "$TUNE" check --remote-tune "$TUNE" "${a[@]}" ./copy.yaml "${warm[@]}"
expect_out 'copy\.i32'
refuse_agents
sed -i 's/^sizes:.*/sizes: {n: [1000]}/' copy.yaml

# Devices of all hosts.
run "$TUNE" devices --remote-tune "$TUNE" "${a[@]}" --json
expect_code 0
expect_out ':cuda:1"'
run "$TUNE" devices --remote-tune "$TUNE" --on 'echo who are you >&2; false' --on here --device cpu
expect_code 0
expect_err 'who are you'

# A compiler that an experiment names is each host's own, and known: devices with another one are no equals.
for version in 12.1.99 13.0.7; do
    printf '#!/bin/sh\n[ "$1" = --version ] && echo "release, V%s" || { echo "k.cu(1): error: $0 it is" >&2; exit 1; }\n' $version >"$TMPDIR/nvcc-$version"
    chmod +x "$TMPDIR/nvcc-$version"
done
forget
sed -i 's/^source:/compiler: nvcc\nsource:/' copy.yaml
with_nvcc() { echo "env CUDA_VISIBLE_DEVICES=0 TUNE_NVCC_PATH=$TMPDIR/nvcc-$1 $TMPDIR/host $2"; }
tune_on 'devices=big' --on "$(with_nvcc 12.1.99 a)" --on "$(with_nvcc 13.0.7 b)" --effort quick
expect_code 6
expect_err '2 problems, 36 trials' # a group each, though all else of the two hosts is one machine's
query "SELECT facts FROM devices" | grep -qE '"nvcc":"nvcc (12\.1\.99|13\.0\.7)"' || fail "which nvcc it was is not known"
sed -i '/^compiler:/d' copy.yaml

# The end of a job limits new work, unless another host stays.
forget
in_job() { echo "env SLURM_JOB_END_TIME=$(($(date +%s) + $1)) $TMPDIR/host $2"; }
tune_on 'devices=big' --on "$(in_job 5 a)" --effort quick
[[ $code -ne 0 ]] || fail "a job that is over was measured in"
expect_err 'its job ends in'
forget
tune_on 'devices=big' --on "$(in_job 5 a)" --on "$(in_job 86400 b)" --effort quick
expect_code 0
expect_sweep 'Stand-in GPU 132 18 ok'

# Where Slurm does not tell its tasks, it is asked.
forget
mkdir bin
printf '#!/bin/sh\necho 1-00:30:00 "$@" >>asked; echo 1-00:30:00\n' >bin/squeue
chmod +x bin/squeue
tune_on 'devices=big' --on "env -u SLURM_JOB_END_TIME SLURM_JOB_ID=17 PATH=$PWD/bin:$PATH $TMPDIR/host a" --effort quick
expect_code 0
expect_err ': its job ends in 14[67][0-9]\.[0-9] min'
grep -q -- '-j 17' "$TMPDIR/hosts/a/asked" || fail "another job was asked after"

# From a file, as an editor may have saved it, with a host that is this one; --device counts on each.
forget
printf "\xef\xbb\xbf# the fleet\n\n%s env NOTE='a # b'  # the big one\n\there \n" "$TMPDIR/host a" >fleet.conf
tune_on 'devices=big,small' --hosts fleet.conf --device 1 --effort quick
expect_code 0
refuse_err 'gives no host'
expect_sweep 'Stand-in GPU 40 18 ok'

# The file also names one that is on the command line.
echo here >here.conf
TUNE_FAULTS='devices=big' run "$TUNE" devices --on here --hosts here.conf
expect_code 0

# Two commands that reach one machine; its devices are there once.
forget
tune_on 'devices=big' "${a[@]}" "${a[@]}" --effort quick
expect_code 0
expect_err '(#2:cuda:0 is the device that [^#]*|[^#]*cuda:0 is the device that .*#2:cuda:0) is, reached twice'
expect_sweep 'Stand-in GPU 132 18 ok'

# Endless output of a command beside its agent does no harm, nor do its remains.
cat >"$TMPDIR/loud" <<'S'
#!/bin/sh
echo "channel 3: open failed: administratively prohibited: no way through to $$" >&2
(while echo "channel 3: open failed: administratively prohibited: no way through to $$"; do :; done >&2) &
exec "$@"
S
chmod +x "$TMPDIR/loud"
forget
tune_on 'devices=big' --on "$TMPDIR/loud $TMPDIR/host a" --effort quick
expect_code 0
expect_sweep 'Stand-in GPU 132 18 ok'
run "$TUNE" devices --on "$TMPDIR/loud sleep 1;:"
expect_code 4
expect_err 'gives no host: channel 3: .* no way through to [0-9]+'

# None that can be reached.
forget
tune_on '' --on 'false' --on 'echo no route >&2; false'
expect_code 4
expect_err "'false' gives no host"
run "$TUNE" run ./copy.yaml --on ''
expect_code 2
tune_on '' --on "env TUNE_CACHE_DIR=/proc/none $TUNE __complete x ;:"
expect_code 4
tune_on '' --on 'env TUNE_CACHE_DIR=/proc/none'
expect_code 4
expect_err "gives no host: /proc/none: .*TUNE_CACHE_DIR=FOLDER"
tune_on 'cuInit: 803' --on env
expect_code 3
expect_err 'no GPU on [^ ]+ \(.*803.*\); tuning CPUs'
run "$TUNE" devices --on 'env' --remote-tune "$PWD/none/tune"
expect_code 4
expect_err 'gives no host: .*No such file.*name it with --remote-tune'
run "$TUNE" devices --remote-tune "$TUNE" --on "sh -c 'printf \"a broken \" >&2; sleep 0.3; printf \"line\" >&2'"
expect_code 4
expect_err 'gives no host: a broken line$'
refuse_agents

# A host that does not see the folder receives the files that requests name.
if unshare --user --map-root-user --mount true 2>/dev/null; then
    mkdir -p "$TMPDIR/project"
    cp copy* "$TMPDIR/project"
    echo '#define NOTHING' >"$TMPDIR/project/extra.h"
    sed -i '1i #include "extra.h"' "$TMPDIR/project/copy.cu" "$TMPDIR/project/copy_reference.c"
    cat >"$TMPDIR/blind" <<S
#!/bin/sh
exec unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none $TMPDIR/project && exec "\$@"' sh "$TMPDIR/host" blind "\$@"
S
    chmod +x "$TMPDIR/blind"
    forget
    export TUNE_FAULTS='devices=big'
    run "$TUNE" run "$TMPDIR/project/copy.yaml" --on "$TMPDIR/blind" --remote-tune "$TUNE" --no-report "${warm[@]}" --effort quick
    expect_code 0
    expect_sweep 'Stand-in GPU 132 18 ok'
    [[ -z $(ls -A "$TMPDIR/hosts/blind/cache/scratch") ]] || fail "what was sent is left there"
    refuse_agents
fi

# A host without a working compiler, and the only one of its model: it is named, and the other model has its winner.
forget
mkdir few
for program in sh mkdir dirname printf env; do ln -s "$(command -v "$program")" few/; done
tune_on 'devices=big,small' "${b[@]}" --on "env CUDA_VISIBLE_DEVICES=1 CC= PATH=$PWD/few $TMPDIR/host bare" --effort quick
expect_code 4
expect_err 'tune run: [^:]*: the reference of copy .*no C compiler'
expect_err 'wrote tuned\.conf'
grep -q '^\[cuda "Stand-in GPU 132"\]' tuned.conf || fail "the other model has no winner"
