# Commands that have not led to an agent yet: a killed one is run again, a wrong one is not, and one without an answer
# is awaited as long as the user permits.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/fleet/lib.sh"
write_copy
export TUNE_HOST_RETRY_MS=1 TUNE_HOST_GRACE_MS=3600000
# unlucky WHAT COMMAND...: does WHAT the first time.
cat >"$TMPDIR/unlucky" <<'S2'
#!/bin/sh
echo try >>"$(dirname "$0")/tries"
[ "$(wc -l <"$(dirname "$0")/tries")" -gt 1 ] || eval "$1"
shift
exec "$@"
S2
chmod +x "$TMPDIR/unlucky"
unlucky() { echo "$TMPDIR/unlucky '$1' $TMPDIR/host a"; }
expect_tries() { [[ $(wc -l <"$TMPDIR/tries") -eq $1 ]] || fail "tried $(wc -l <"$TMPDIR/tries") times, not $1"; }

# Killed itself, killed where it was started, and gone when the agent had said that it is one, but not yet hello.
for end in 'kill -9 $$' 'exit 137' 'echo tune host agent; exit 1'; do
    forget
    rm -f "$TMPDIR/tries"
    tune_on 'devices=big' --on "$(unlucky "$end")" --effort quick
    expect_code 0
    expect_tries 2
    expect_sweep 'Stand-in GPU 132 18 ok'
done
# Who ends it in another way means it, or has mistyped it.
for end in 'exit 127' 'kill $$' 'exit 1'; do
    rm -f "$TMPDIR/tries"
    run "$TUNE" devices --remote-tune "$TUNE" --on "$(unlucky "$end")"
    expect_code 4
    expect_tries 1
done

# Nobody answers, and the launcher stays: alone, and beside a host that is there.
cat >"$TMPDIR/queue" <<'S2'
#!/bin/sh
echo Submitted.
echo $$ >"$(dirname "$0")/queue.pid"
exec cat # until its input ends
S2
chmod +x "$TMPDIR/queue"
export TUNE_HOST_WAIT_MS=200
run "$TUNE" devices --remote-tune "$TUNE" --on "$TMPDIR/queue"
expect_code 4
expect_err 'did not answer within 0\.2 s \(TUNE_HOST_WAIT_MS\)'
forget
tune_on 'devices=big' --on here --on "$TMPDIR/queue" --effort quick
expect_code 0
expect_err 'did not answer within 0\.2 s'
expect_sweep 'Stand-in GPU 132 18 ok'
! kill -0 "$(cat "$TMPDIR/queue.pid")" 2>/dev/null || fail "the launcher stays behind"
TUNE_HOST_WAIT_MS=soon run "$TUNE" devices --on true
expect_code 3
expect_err 'TUNE_HOST_WAIT_MS=soon: write a whole number'
refuse_agents
