# A host lost at any moment costs only time: no configuration is blamed, no trial is missing or doubled, the exit code
# is 0, and no process stays. Also before its devices are known.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/fleet/lib.sh"
write_copy 6
export TUNE_HOST_RETRY_MS=100
# On a machine that stands still for a while, a trial is not late, and no host silent.
export TUNE_TRIAL_TIMEOUT_MS=60000 TUNE_HOST_GRACE_MS=60000
a=(--on "$TMPDIR/host a" --effort quick)

# expect_unharmed: the run has the results of an undisturbed one.
expect_unharmed() {
    expect_code 0
    refuse_err 'tuning CPUs|no GPU on'
    expect_sweep 'Stand-in GPU 132 18 ok'
    [[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep'") -eq 18 ]] || fail "a trial is there twice"
    [[ $(query 'SELECT count(DISTINCT problem_id) FROM winners') -eq 1 ]] || fail "there is no winner"
    expect_file tuned.conf
    refuse_agents
}

# dying NTH NAME COMMAND...: a host whose agent is killed once, as soon as its NTH child appears.
cat >"$TMPDIR/dying" <<'S2'
#!/bin/sh
place=$(dirname "$0")
nth=$1
shift
mkdir "$place/died.$nth" 2>/dev/null || exec "$place/host" "$@"
exec 3<&0
"$place/host" "$@" <&3 3<&- &
agent=$!
exec 3<&- >/dev/null
seen=' '
while kill -0 "$agent" 2>/dev/null && [ "$nth" -gt 0 ]; do
    for child in $(pgrep -P "$agent" -f '^tune __'); do
        case $seen in *" $child "*) continue ;; esac
        seen="$seen$child "
        nth=$((nth - 1))
    done
    sleep 0.01
done
kill -9 "$agent"
S2
chmod +x "$TMPDIR/dying"

# Asked which devices there are, the first and the second time; when they start; when something is compiled and measured.
for nth in 1 2 3 4 6; do
    forget
    tune_on 'devices=big; cuInit: slow=400' --on "$TMPDIR/dying $nth a" --effort quick
    expect_unharmed
    [[ -d $TMPDIR/died.$nth ]] || fail "nothing died"
done
for what in devices 'devices --device cuda:0'; do
    rm -r "$TMPDIR/died.1"
    # shellcheck disable=SC2086 # words
    TUNE_FAULTS='cuInit: slow=400' run "$TUNE" $what --remote-tune "$TUNE" --on "$TMPDIR/dying 1 a"
    expect_code 0
    expect_out 'cuda:0: Stand-in GPU 132'
    refuse_err '^tune devices: '
done

# One that stands still until it is given up holds its device until it goes on, and sees that nobody is there any more.
cat >"$TMPDIR/behind" <<'S2' # this is what is ended with the connection
#!/bin/sh
"$(dirname "$0")/host" "$@"
exit $?
S2
chmod +x "$TMPDIR/behind"
forget
wake() {
    local pid
    pid=$(agent a)
    kill -STOP "$pid"
    patience_s=120 wait_for grep -q 'being tuned by' "$TMPDIR/last.err" || true
    kill -CONT "$pid"
}
when_trials 3 wake
TUNE_HOST_SILENT_MS=4000 tune_on "devices=big; $(held 20 3)" --on "$TMPDIR/behind a" --effort quick
wait
expect_err 'being tuned by'
expect_err 'is there again'
expect_unharmed

# One that is stopped once a device was found, and before anything is measured.
forget
mkdir -p stopped && cp copy* stopped && cd stopped || exit
cat >stop.py <<'P'
import os, signal, sqlite3, subprocess, sys, time
holder = sqlite3.connect("tune.db", isolation_level=None)
holder.execute("BEGIN EXCLUSIVE")
tune = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
def waits():
    for file in range(3, 64):
        try:
            if os.readlink(f"/proc/{tune.pid}/fd/{file}").endswith("/tune.db"):
                return True
        except OSError: # not open
            pass
    return False
while tune.poll() is None and not waits():
    time.sleep(0.01)
tune.send_signal(signal.SIGTERM)
holder.execute("ROLLBACK")
holder.close()
said = tune.communicate()[1].decode()
assert tune.returncode == 130 and "stopped before" in said, f"exit code {tune.returncode}: {said}"
P
TUNE_FAULTS='devices=big' python3 -S stop.py "$TUNE" run ./copy.yaml --remote-tune "$TUNE" --no-report "${a[@]}" || fail "one that was stopped early"
cd ..
refuse_agents

# Moments that nobody thought of. `MOMENTS=SEED bash ...` is that round once more, as far as the machine lets it be.
# processes_of PATTERN: of this test's host, so called behind `tune `.
processes_of() {
    local pid
    for pid in $(pgrep -f "^$TUNE $1"); do
        [[ $(readlink "/proc/$pid/cwd") != "$TMPDIR/hosts/a" ]] || echo "$pid"
    done
}
# kill_some WHAT SECONDS: so long after the host was first asked something, one of the processes there.
kill_some() {
    local pids
    is_asked() { [[ -e ended || -n $(processes_of '__(count|measure|compile)') ]]; }
    wait_for is_asked
    sleep "$2"
    pids=$(processes_of "$1")
    kill -9 "${pids%%$'\n'*}" 2>/dev/null || true
}
seed=${MOMENTS:-$RANDOM}
RANDOM=$seed
echo "seed $seed"
victims=(__host __host __measure __compile)
for ((round = 0; round < 4; round++)); do
    forget
    rm -f ended
    kill_some "${victims[RANDOM % 4]}" "$((RANDOM % 2)).$((RANDOM % 90 + 10))" &
    tune_on "devices=big; nvrtcCompileProgram@WAY=1|2|3|4|5|6: slow=$((RANDOM % 2 * 60)); cuModuleLoadData@WAY=1|2|3|4|5|6: slow=60" "${a[@]}"
    wait
    expect_unharmed
done
