# A real ssh, on loopback, by a daemon of the test's own: skipped where there is none, or it may not run.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/fleet/lib.sh"
daemon=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd) && command -v ssh ssh-keygen >/dev/null || { echo "skipped: no sshd"; exit 77; }
write_copy
mkdir -p ssh
ssh-keygen -q -t ed25519 -N '' -f ssh/key && ssh-keygen -q -t ed25519 -N '' -f ssh/server
cp ssh/key.pub ssh/authorized
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >ssh/daemon.conf <<C
ListenAddress 127.0.0.1
Port $port
HostKey $PWD/ssh/server
PidFile none
AuthorizedKeysFile $PWD/ssh/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
C
[[ $EUID -ne 0 ]] || mkdir -p /run/sshd # a package's start script would
env -u LD_LIBRARY_PATH "$daemon" -D -e -f "$PWD/ssh/daemon.conf" 2>ssh/log &
daemon_pid=$!
trap 'kill $daemon_pid 2>/dev/null || true' EXIT
box="env -u LD_LIBRARY_PATH ssh -F none -i $PWD/ssh/key -p $port -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR $(id -un)@127.0.0.1"
for ((i = 0; i < 600; i++)); do
    $box true 2>/dev/null && break
    kill -0 $daemon_pid 2>/dev/null || break
    sleep 0.1
done
$box true 2>/dev/null || { echo "skipped: sshd does not run here: $(tail -n 1 ssh/log)"; exit 77; }
there="env LD_LIBRARY_PATH=$LD_LIBRARY_PATH TUNE_NVRTC_PATH=$TUNE_NVRTC_PATH TUNE_FAULTS_STATE=$TUNE_FAULTS_STATE"

tune_on '' --on "$box $there TUNE_FAULTS='kernel@WAY=3,block=64:crash' $TMPDIR/host box" --effort quick
expect_code 0
expect_failed '3 64 crashed .*signal 11'
refuse_agents

# The connection goes: the command is run again.
forget
export TUNE_HOST_RETRY_MS=100
cut() { kill -9 "$(pgrep -f "^ssh .*-p $port")"; }
when_trials 3 cut
tune_on '' --on "$box $there TUNE_FAULTS=cuModuleLoadData@source=copy.cu#4:until=$PWD/done $TMPDIR/host box" --effort quick
expect_code 0
expect_err 'is there again'
expect_sweep 'Stand-in GPU 132 18 ok'
refuse_agents

# A key that is not taken is the reason that is given.
forget
: >ssh/authorized
tune_on '' --on "$box"
expect_code 4
expect_err 'Permission denied'
