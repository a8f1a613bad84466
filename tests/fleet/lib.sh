# shellcheck shell=bash
# Helpers of the tests in this folder, beside those of tests/faults: "hosts" on this machine, each with folders of its own.
# shellcheck source=tests/faults/lib.sh
source "$TUNE_SOURCE/tests/faults/lib.sh"

# host NAME COMMAND...: runs it as a login on another machine would.
cat >"$TMPDIR/host" <<'S'
#!/bin/sh
place=$(dirname "$0")/hosts/$1
shift
mkdir -p "$place/home" "$place/locks"
cd "$place" || exit 1
printf 'Welcome.\nThis machine is watched. ' # no end of a line
export HOME="$place/home" TUNE_CACHE_DIR="$place/cache" TUNE_LOCK_DIR="$place/locks"
# And devices: nobody elsewhere has a context on them.
export TUNE_FAULTS_STATE="$TUNE_FAULTS_STATE.${place##*/}"
exec "$@"
S
chmod +x "$TMPDIR/host"

# tune_on FAULTS [OPTION...]: tunes copy.yaml there.
tune_on() {
    export TUNE_FAULTS=$1
    run "$TUNE" run ./copy.yaml --remote-tune "$TUNE" --no-report "${warm[@]}" "${@:2}"
    touch ended
}
# held MS TRIALS: faults by which each load takes MS, and the next one waits TRIALS trials for the action of
# when_trials: then each device has made these, and has the next one in hand.
held() {
    local loads="cuModuleLoadData@WAY=1|2|3|4|5|6"
    echo "$loads#$(($2 + 1)): until=$PWD/done; $loads: slow=$1"
}

# agent NAME: the process that serves on that host, once there is one.
agent() {
    agent_of() {
        local pid
        for pid in $(pgrep -f "^$TUNE __host"); do
            [[ $(readlink "/proc/$pid/cwd") != "$TMPDIR/hosts/$1" ]] || { echo "$pid"; return; }
        done
        return 1
    }
    wait_for agent_of "$1" || fail "no agent on $1"
}

# when_trials COUNT COMMAND...: in the background, once the database has so many (or the run has ended); the run is held until then.
when_trials() {
    rm -f ended 'done'
    {
        has_them() { [[ -e ended || ! -d $TMPDIR ]] || counts "$1" 'SELECT count(*) FROM trials'; }
        wait_for has_them "$1"
        "${@:2}" || echo "when_trials: ${*:2}: exit code $?"
        touch 'done'
    } &
}

# expect_sweep LINE...: "MODEL CONFIGURATIONS STATUS" of all trials of sweeps.
expect_sweep() {
    local got
    got=$(query "SELECT d.name, count(DISTINCT t.configuration_id), t.status FROM trials t
        JOIN environments e ON e.id = t.environment_id JOIN devices d ON d.id = e.device_id
        WHERE t.stage = 'sweep' GROUP BY 1, 3 ORDER BY 1, 3")
    [[ $got == "$(printf '%s\n' "$@")" ]] || fail "swept: $got"
}

# refuse_agents: no process of ours runs any more, neither here nor there.
refuse_agents() {
    local left
    none_left() {
        local pid
        left=
        for pid in $(pgrep -f '(^|/)tune __'); do
            ! grep -qzF "TUNE_FAULTS_STATE=$TUNE_FAULTS_STATE" "/proc/$pid/environ" 2>/dev/null || left+=" $pid"
        done
        [[ -z $left ]]
    }
    patience_s=120 wait_for none_left || fail "left behind: $left"
}
# tune_itself PATTERN: the one process of `tune run ./copy.yaml` with this on its command line, not its next child.
tune_itself() {
    pgrep -of "^$TUNE run ./copy.yaml.*$1"
}
