# Faults on another host, and of the host: a configuration is blamed for its own faults, and a host for its own.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/fleet/lib.sh"
write_copy
export TUNE_HOST_RETRY_MS=100
a=(--on "$TMPDIR/host a")
b=(--on "env CUDA_VISIBLE_DEVICES=0 $TMPDIR/host b")

# Hostile kernels cost a process there, and read as they do here.
hangs_cost 3000
tune_on 'kernel@WAY=3,block=64: hang; kernel@WAY=4,block=64: crash; kernel@WAY=5,block=64: exit=3;
    kernel@WAY=6,block=64: 700' "${a[@]}" --effort quick
expect_code 0
expect_failed '3 64 timed_out no result after 3000 ms' '4 64 crashed .*signal 11' '5 64 crashed .*exit code 3' \
    '6 64 crashed .*CUDA_ERROR_ILLEGAL_ADDRESS'
refuse_agents

# A GPU that falls off the bus there leaves its work to the others.
forget
tune_on 'devices=big,big; kernel@device=1,kernel=copy_elements#300: lost; cuModuleLoadData@device=0: slow=50' "${a[@]}" --effort quick
expect_code 0
expect_err 'cuda:1 is lost'
expect_sweep 'Stand-in GPU 132 18 ok'

# An agent that is killed: its work goes to the other host, it is asked for again, and no configuration is blamed.
forget
kill_agent() { kill -9 "$(agent "$1")"; }
when_trials 6 kill_agent a
tune_on "devices=big; $(held 150 3)" "${a[@]}" "${b[@]}"
expect_code 0
wait
expect_err 'its host is requested again'
expect_sweep 'Stand-in GPU 132 18 ok'
refuse_agents

# The only one: it is waited for.
forget
when_trials 3 kill_agent a
tune_on "devices=big; $(held 150 3)" "${a[@]}"
expect_code 0
wait
expect_err 'is there again'
expect_sweep 'Stand-in GPU 132 18 ok'
refuse_agents

# One that stands still for longer than any limit of time, and goes on; then one that never does.
forget
pause_agent() {
    local pid
    pid=$(agent a)
    kill -STOP "$pid"
    sleep 4
    kill -CONT "$pid"
}
when_trials 3 pause_agent
tune_on "devices=big; $(held 150 3)" "${a[@]}" --effort quick
expect_code 0
wait
refuse_err 'is lost'
expect_sweep 'Stand-in GPU 132 18 ok'
hangs_cost 60000
forget
stop_agent() { kill -STOP "$(agent a)"; }
when_trials 6 stop_agent
TUNE_HOST_SILENT_MS=2000 tune_on "devices=big; $(held 150 3)" "${a[@]}" "${b[@]}" --effort quick
expect_code 0
wait
expect_err 'is lost: .*nothing was heard of it'
expect_sweep 'Stand-in GPU 132 18 ok'
refuse_agents

# A connection that dies without an end: the run goes on with the other host, and the agent behind it ends by itself.
forget
cat >"$TMPDIR/relay" <<'S'
#!/bin/sh
cat | "$@" | cat
S
chmod +x "$TMPDIR/relay"
cats() { pgrep -x cat -P "$(pgrep -d, -f "^/bin/sh $TMPDIR/relay")"; }
cut_relay() { cats >cats && xargs kill -STOP <cats; }
when_trials 6 cut_relay
TUNE_HOST_SILENT_MS=2000 tune_on "devices=big; $(held 150 3)" --on "$TMPDIR/relay $TMPDIR/host far" "${b[@]}" --effort quick
expect_code 0
wait
expect_err 'is lost: .*nothing was heard of it'
expect_sweep 'Stand-in GPU 132 18 ok'
refuse_agents
xargs kill -9 <cats || true

# The parent is killed: no process stays, no result is lost.
forget
kill_parent() { kill -9 "$(tune_itself "$TMPDIR/host a")"; }
when_trials 5 kill_parent
tune_on "devices=big; $(held 150 5)" "${a[@]}"
expect_code 137
wait
refuse_agents
[[ $(query "SELECT count(*) FROM trials WHERE status = 'ok'") -ge 5 ]] || fail "measurements are lost"
tune_on 'devices=big' "${a[@]}"
expect_code 0
expect_sweep 'Stand-in GPU 132 18 ok'

# A host of another model that comes late gets its winner, too.
forget
export TUNE_HOST_GRACE_MS=0
tune_on 'devices=big,small' --device 0 "${b[@]}" --on "sh -c 'sleep 3; export CUDA_VISIBLE_DEVICES=1; exec \"\$@\"' sh $TMPDIR/host late"
expect_code 0
expect_err 'takes part when it comes'
expect_sweep 'Stand-in GPU 132 18 ok' 'Stand-in GPU 40 18 ok'
refuse_agents
