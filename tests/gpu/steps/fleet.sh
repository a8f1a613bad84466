# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# The files that production trusts: tuned.conf compared with this machine, and the headers for programs
# with CUDA.

# A fresh tuning holds; a file with the textbook's launches does not. Twice, since a gate must not change
# its mind.
check() {
    local status=0 wrong=$work/textbook.conf
    record check "$tune" check "$work/tuned.conf" --device 0 --from "$work/tune.db" -q || status=1
    "$tune" check "$work/tuned.conf" --device 0 --from "$work/tune.db" -q >/dev/null || status=1
    sed -E 's/ variant=[^|]*\|/ variant=two_launches map=strided step=tree cluster_size=1 stages=0 block=1024 count=1 loads=1 cache=no_allocate bound=free min_blocks=1 blocks_per_sm=2 |/' \
        "$work/tuned.conf" >"$wrong"
    "$tune" check "$wrong" --device 0 --from "$work/tune.db" -q >"$work/check-wrong.txt"
    [ $? -eq 7 ] || { echo "a file of textbook configurations passed"; status=1; }
    head -n 12 "$work/check-wrong.txt" | tee "$more/check-wrong.txt"
    return $status
}

# Losses of this device with others' winners, with the portable section and untuned: of the shipped file, against the
# tuning of this start, else the recording of this device. Some 60 s.
foreign() {
    local own=$work/tune.db folder name
    if [ ! -e "$own" ]; then
        name=$("$tune" devices --device 0 --json | sed -n 's/^ *"device": \(".*"\),*$/\1/p' | head -n 1)
        for folder in "$here"/db/recorded/*/; do
            grep -qF ": $name" "$folder/devices.json" 2>/dev/null || continue
            xz -dkc "$folder/tune.db.xz" >"$work/recorded.db" && "$tune" merge "$work/own.db" "$work/recorded.db" && own=$work/own.db
        done
    fi
    [ -e "$own" ] || { echo "nothing was tuned here, and nothing of this device is recorded: GPU_STEPS='tune foreign'"; return 1; }
    record foreign timeout 300 python3 "$here/bench/foreign.py" "$tune" "${FOREIGN_CONF:-$here/configs/tuned.conf}" "$own"
}

# An example that launches by tuned_cuda.h, without a file and with one.
saxpy() {
    local program=$work/saxpy cuda=${CUDA_HOME:-/usr/local/cuda} status=0
    gcc -std=c99 -D_POSIX_C_SOURCE=200809L -O2 -I "$here/libtuned" -I "$cuda/include" "$here/examples/consumer/saxpy.c" \
        "$here/libtuned/tuned.c" -L "$cuda/lib64" -L "$cuda/lib64/stubs" -lnvrtc -lcuda -lm -o "$program" || return 1
    printf 'tuned-conf 4\n[cuda "*"]\nsaxpy.f32 n=1-1073741824 variant=plain block=512 | launch.block=block launch.grid="min(units*8,ceil_div(n,block))"\nend\n' >"$work/saxpy.conf"
    (cd "$work" && LD_LIBRARY_PATH=$cuda/lib64:${LD_LIBRARY_PATH:-} "$program" 1000003 &&
        TUNED_CONF=$work/saxpy.conf LD_LIBRARY_PATH=$cuda/lib64:${LD_LIBRARY_PATH:-} "$program" 100000007) |
        tee "$more/saxpy.txt"
    status=${PIPESTATUS[0]}
    return "$status"
}
