#!/bin/bash
# The device: unknown and absent ones, and a missing driver, are each one clear line.
source "$TUNE_TESTS/lib.sh"
write_experiment

run "$TUNE" devices
expect_code 0
expect_out 'cpu'
run "$TUNE" devices --json
expect_code 0
python3 -c '
import json, sys
kinds = [device["device_kind"] for device in json.load(open(sys.argv[1]))["devices"]]
assert "cpu" in kinds, kinds
' "$captured.out" || fail "tune devices --json names no cpu"
has_gpu=$(python3 -c '
import json, sys
print(int(any(d["device_kind"] == "cuda" for d in json.load(open(sys.argv[1]))["devices"])))' "$captured.out")

golden "$TUNE" devices --device cpu:7
run "$TUNE" run double.yaml --device cpu:7
[[ $code -eq 3 ]] || fail "exit code $code, not 3"
expect_err "cpu:7"
golden "$TUNE" run double.yaml --device cqu

# A GPU is asked for where no driver is (or tune was built without CUDA).
if [[ $has_gpu -eq 0 ]]; then
    run "$TUNE" run reduce --device 0
    expect_code 4
    expect_one_line err
    expect_err '(driver|built without CUDA)'
    # No device given: the CPU, with a message unless the experiment is for no other.
    run "$TUNE" run double.yaml "${steady[@]}" --sizes 1000
    expect_code 0
    refuse_err 'no GPU'
    run "$TUNE" run reduce.sum.i32 "${steady[@]}" --sizes 1024 --points 2
    expect_code 0
    expect_err '^tune: no GPU \(.*\): the device is the CPU$'
fi
expect_golden
