# shellcheck shell=bash
# Helpers of the tests in this folder, beside those of tests/cli.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"

if [[ ${TUNE_SANITIZE:-} == *thread* ]]; then
    echo "skipped: the stand-in driver is not made for it"
    exit 77
fi
# Memory that the program and the driver never free does not matter here.
export ASAN_OPTIONS=detect_leaks=0
unset CUDA_VISIBLE_DEVICES TUNE_FAULTS LD_PRELOAD TUNE_CAPTURE_LIBRARY
export LD_LIBRARY_PATH=$TUNE_DRIVER TUNE_NVRTC_PATH=$TUNE_DRIVER
export TUNE_FAULTS_STATE=$TMPDIR/driver.state
# In golden texts: the build folder, random names, and the size of a file that has the program's path.
export golden_filter='s/(data of the program) \([0-9.]+ .iB\)/\1 (SIZE)/; s|[^ ]*/capture_app|APP|g; s|[^ ]*/capture_dump|DUMP|g; s|(\.tune-capture-)[^ :]+|\1RANDOM|g'

# capture FILE [OPTION...] -- WAY WHAT...: keeps launches of scaled_add. The program's result is unchanged.
capture() {
    local file=$1 plain options=()
    shift
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    run "$APP" "$@"
    plain=$(cat "$captured.out")
    run "$TUNE" capture --kernel scaled_add -o "$file" "${options[@]}" -- "$APP" "$@"
    [[ $(grep -xc -- "$(head -n 1 <<<"$plain")" "$captured.out") -ge 1 ]] ||
        fail "the program's result changed: $(head -n 1 "$captured.out"), not $plain"
    # Only the requested files remain.
    [[ -z $(find . "$TMPDIR" -name '.tune-capture-*' -o -name '*.tmp') ]] || fail "files were left"
}

# dump FILE: prints its content to $captured.out.
dump() {
    run "$DUMP" "$1"
    expect_code 0
}
