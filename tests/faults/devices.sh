# Output of `tune devices` for several devices, for reasons of lower clocks, and for hidden, broken or
# missing ones.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"

# facts KEY: of each CUDA device of the last output, one per line.
facts() {
    python3 - "$captured.out" "$1" <<'P'
import json, sys
for device in json.load(open(sys.argv[1]))["devices"]:
    if device["address"].startswith("cuda"):
        print(device["address"], {**device["device_facts"], **device}.get(sys.argv[2]))
P
}

# expect_facts KEY LINE...
expect_facts() {
    local got
    got=$(facts "$1")
    [[ $got == "$(printf '%s\n' "${@:2}")" ]] || fail "$1: $got"
}

export TUNE_FAULTS='devices=big,big,small; nvml.throttle=hw_slowdown|sw_thermal'
run "$TUNE" devices --json
expect_code 0
expect_facts device 'cuda:0 Stand-in GPU 132' 'cuda:1 Stand-in GPU 132' 'cuda:2 Stand-in GPU 40'
expect_facts pci_address 'cuda:0 0000:1b:00.0' 'cuda:1 0000:1c:00.0' 'cuda:2 0000:50:00.0'
reasons='hardware slowdown, software thermal'
expect_facts throttle_reasons "cuda:0 $reasons" "cuda:1 $reasons" "cuda:2 $reasons"
run "$TUNE" devices
expect_code 0
expect_out 'throttle_reasons +hardware slowdown, software thermal'

CUDA_VISIBLE_DEVICES=2,0 run "$TUNE" devices --json
expect_code 0
expect_facts device 'cuda:0 Stand-in GPU 40' 'cuda:1 Stand-in GPU 132'
CUDA_VISIBLE_DEVICES=GPU-011121 run "$TUNE" devices --json
expect_code 0
expect_facts device_uuid 'cuda:0 GPU-01112131-4151-6171-8191-a1b1c1d1e1f1'
CUDA_VISIBLE_DEVICES='' run "$TUNE" devices --json
expect_code 0
expect_err 'CUDA_VISIBLE_DEVICES'

# No NVML, or one that does not start: a fact less, not a device less.
export TUNE_FAULTS='nvmlInit: 9'
run "$TUNE" devices --json
expect_code 0
expect_facts nvml 'cuda:0 does not start: Driver Not Loaded'

# A device that does not describe itself does not hide the others.
export TUNE_FAULTS='devices=big,small; cuDeviceGetName#1: 101 times=1'
run "$TUNE" devices --json
expect_code 0
expect_facts device 'cuda:1 Stand-in GPU 40'
expect_err 'cuda:0'

# The ceilings are measured on the one that is asked for.
export TUNE_FAULTS='devices=big,small'
run "$TUNE" devices --device cuda:1 --bandwidth
expect_code 0
expect_out '^  read_gbs +[0-9.]+$'

# A driver that crashes does so in a process of its own, and hides only its devices.
for at in cuInit cuDeviceGetName; do
    export TUNE_FAULTS="$at: crash"
    run "$TUNE" devices
    expect_code 0
    expect_err '^tune devices: cuda.*: the driver of cuda devices did not list them \(signal 11'
    expect_out '^cpu: '
    run "$TUNE" devices --device cuda:0
    expect_code 1
    expect_one_line err
done
