# A real Slurm on loopback, as the user of the test, with two nodes on this machine: skipped if it is not installed.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/fleet/lib.sh"
export PATH=$PATH:/usr/sbin:/sbin
command -v munged slurmctld slurmd srun >/dev/null || { echo "skipped: no Slurm"; exit 77; }
write_copy
user=$(id -un)
# A socket's path is short.
slurm=$(mktemp -d /tmp/tune-slurm.XXXXXX)
mkdir -p "$slurm"/{etc,run,log,state,spool}
chmod 755 "$slurm" "$slurm"/*
end_slurm() {
    local file
    [[ ! -f step ]] || kill -9 "$(cat step)" 2>/dev/null || true
    for file in "$slurm"/run/*.pid; do
        [[ -f $file ]] && kill "$(cat "$file")" 2>/dev/null
    done
    sleep 0.5
    rm -rf "$slurm"
}
trap end_slurm EXIT
head -c 128 /dev/urandom >"$slurm/etc/munge.key"
chmod 400 "$slurm/etc/munge.key"
ports=$(python3 - <<'P'
import socket
sockets = [socket.socket() for _ in range(3)]
for one in sockets:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))
P
)
read -r control first second <<<"$ports"
cat >"$slurm/etc/slurm.conf" <<C
ClusterName=loop
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$control
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$slurm/run/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool/%n
SlurmctldPidFile=$slurm/run/slurmctld.pid
SlurmdPidFile=$slurm/run/slurmd.%n.pid
SlurmctldLogFile=$slurm/log/slurmctld.log
SlurmdLogFile=$slurm/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdTimeout=30
KillWait=5
TreeWidth=65533
SlurmdParameters=config_overrides
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname=$(hostname -s) Port=$first CPUs=2 RealMemory=1000 State=UNKNOWN
NodeName=n2 NodeAddr=127.0.0.1 NodeHostname=$(hostname -s) Port=$second CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
C
export SLURM_CONF=$slurm/etc/slurm.conf
(
    unset LD_LIBRARY_PATH
    munged --force --socket="$slurm/run/munge.socket" --pid-file="$slurm/run/munged.pid" \
        --log-file="$slurm/log/munged.log" --key-file="$slurm/etc/munge.key" --seed-file="$slurm/run/munge.seed"
    sleep 0.5
    slurmctld -f "$SLURM_CONF"
    slurmd -f "$SLURM_CONF" -N n1
    slurmd -f "$SLURM_CONF" -N n2
) >"$slurm/log/start" 2>&1 || true
for ((i = 0; i < 600; i++)); do
    [[ $(sinfo -h -t idle -o %D 2>/dev/null) == 2 ]] && break
    sleep 0.1
done
[[ $(sinfo -h -t idle -o %D 2>/dev/null) == 2 ]] || { echo "skipped: Slurm does not run here: $(tail -qn 1 "$slurm"/log/*)"; exit 77; }

export TUNE_HOST_RETRY_MS=200
n1=(--on "srun -t 60 -N1 -w n1 env CUDA_VISIBLE_DEVICES=0 $TMPDIR/host n1")
n2=(--on "srun -N1 -w n2 env CUDA_VISIBLE_DEVICES=1 $TMPDIR/host n2")
refuse_jobs() {
    no_jobs() { [[ -z $(squeue -h) ]]; }
    patience_s=120 wait_for no_jobs || fail "jobs are left: $(squeue)"
}

# Two models on two nodes, and hostile kernels.
hangs_cost 4000
tune_on 'devices=big,small; kernel@WAY=3,block=64: crash; kernel@WAY=4,block=64: hang' "${n1[@]}" "${n2[@]}" --effort quick
expect_code 0
expect_sweep 'Stand-in GPU 132 1 crashed' 'Stand-in GPU 132 16 ok' 'Stand-in GPU 132 1 timed_out' \
    'Stand-in GPU 40 1 crashed' 'Stand-in GPU 40 16 ok' 'Stand-in GPU 40 1 timed_out'
[[ $(grep -cE ': its job ends in [0-9]{1,2}\.[0-9] min' "$captured.err") -eq 1 ]] || fail "not one of two jobs ends"
refuse_jobs
refuse_agents

# A job that is cancelled in the middle comes again.
forget
when_trials 3 scancel -u "$user"
tune_on "devices=big,small; $(held 150 3)" "${n1[@]}" --effort quick
expect_code 0
wait
expect_err 'is there again'
expect_sweep 'Stand-in GPU 132 18 ok'
refuse_jobs
refuse_agents

# Failures of a node's daemons, and of the node, cost the run that node at most: the other one does the rest.
step_daemon() {
    local pid
    pid=$(agent "$1")
    while [[ $(<"/proc/$pid/comm") != slurmstepd ]]; do pid=$(cut -d' ' -f4 "/proc/$pid/stat"); done
    echo "$pid"
}
lose() {
    forget
    when_trials 2 "$@"
    TUNE_HOST_GRACE_MS=120000 tune_on "devices=big,big; $(held 400 1)" "${n1[@]}" "${n2[@]}" --effort quick
    expect_code 0
    wait
    expect_sweep 'Stand-in GPU 132 18 ok'
}
kill_daemon() { kill -9 "$(cat "$slurm/run/slurmd.n1.pid")"; }
lose kill_daemon
refuse_err 'is lost'
refuse_agents
slurmd -f "$SLURM_CONF" -N n1
refuse_jobs
export TUNE_HOST_SILENT_MS=2000
kill_step() { kill -9 "$(step_daemon n1)"; }
lose kill_step
expect_err 'is lost: .*nothing was heard of it'
refuse_agents
refuse_jobs
stop_step() { step_daemon n1 >step && kill -STOP "$(cat step)"; }
lose stop_step
expect_err 'is lost: .*nothing was heard of it'
refuse_agents
kill -9 "$(cat step)"
rm step
refuse_jobs
down() { scontrol update nodename=n1 state=down reason=test; }
lose down
expect_err 'is lost'
refuse_agents
unset TUNE_HOST_SILENT_MS
scontrol update nodename=n1 state=resume 2>/dev/null || true # ReturnToService may have come first
refuse_jobs

# The parent is killed: no job stays.
forget
kill_parent() { kill -9 "$(tune_itself "$TMPDIR/host n1")"; }
when_trials 6 kill_parent
tune_on "devices=big,small; $(held 150 3)" "${n1[@]}" "${n2[@]}"
expect_code 137
wait
refuse_jobs
refuse_agents
