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
exec "$@"
S
chmod +x "$TMPDIR/host"

# tune_on FAULTS [OPTION...]: tunes copy.yaml there.
tune_on() {
    export TUNE_FAULTS=$1
    run "$TUNE" run ./copy.yaml --remote-tune "$TUNE" --no-report "${warm[@]}" "${@:2}"
}

# agent NAME: the process that serves on that host, once there is one.
agent() {
    local pid i
    for ((i = 0; i < 200; i++)); do
        for pid in $(pgrep -f "^$TUNE __host"); do
            if [[ $(readlink "/proc/$pid/cwd") == "$TMPDIR/hosts/$1" ]]; then
                echo "$pid"
                return
            fi
        done
        sleep 0.05
    done
    fail "no agent on $1"
}

# when_trials COUNT COMMAND...: in the background, once the database has so many.
when_trials() {
    local want=$1
    shift
    {
        for ((i = 0; i < 600; i++)); do
            [[ $(query 'SELECT count(*) FROM trials' 2>/dev/null || echo 0) -ge $want ]] && break
            sleep 0.05
        done
        "$@"
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

# refuse_agents: nothing of ours runs any more, neither here nor there.
refuse_agents() {
    local pid i left
    for ((i = 0; i < 600; i++)); do
        left=
        for pid in $(pgrep -f '(^|/)tune __'); do
            grep -qzF "TUNE_FAULTS_STATE=$TUNE_FAULTS_STATE" "/proc/$pid/environ" 2>/dev/null && left+=" $pid"
        done
        [[ -z $left ]] && return
        sleep 0.1
    done
    fail "left behind: $left"
}
