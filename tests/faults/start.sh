# A driver or a device that is unusable from the beginning: one line with the reason, the right exit
# code, no remains.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 2

# refuses CODE FAULTS LINE
refuses() {
    forget
    tune_copy "$2"
    expect_code "$1"
    expect_err "$3"
    expect_one_line err
    refuse_file tuned.conf
}

refuses 4 'cuInit: 999' 'CUDA_ERROR_UNKNOWN \(999\).*nvidia_uvm'
refuses 4 'cuInit: 100' 'CUDA_ERROR_NO_DEVICE \(100\).*nvidia-smi'
refuses 4 'cuInit: 803' '803.*different versions'
refuses 4 'mode=prohibited' 'cuda:0 .*closed to computing'
refuses 4 'cuDevicePrimaryCtxRetain: 46' 'cuda:0 is in use'
refuses 1 'cuDevicePrimaryCtxRetain: 2' 'cuda:0: opening its context: CUDA_ERROR_OUT_OF_MEMORY'
refuses 1 'kernel@kernel=tune_empty: 700' 'CUDA_ERROR_ILLEGAL_ADDRESS \(700\)'
refuses 1 'cuInit: crash' '(cuda:0 ended at its start|the driver of cuda devices did not list them) \(signal 11'
CUDA_VISIBLE_DEVICES='' refuses 4 '' 'CUDA_VISIBLE_DEVICES'

# Another process has the device to itself; when it is done, the same command works.
forget
(
    flock 9
    tune_copy 'mode=exclusive'
    expect_code 4
    expect_err 'cuda:0 is in use by another process in exclusive mode'
) 9>"$TUNE_FAULTS_STATE.device0"
tune_copy 'mode=exclusive; kernel@WAY=2,block=64: 700'
expect_code 0
expect_failed '2 64 crashed .*700'

# Without a GPU, tune without a device takes the CPU, and says so; asked for all GPUs, it does not.
TUNE_FAULTS='cuInit: 100' run "$TUNE" run ./copy.yaml --device all --no-report
expect_code 4
expect_err 'CUDA_ERROR_NO_DEVICE'
