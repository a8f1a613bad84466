# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# PyTorch and Triton programs: results are unchanged, their kernels are listed and kept, one is tuned without its source
# and applied. The output is written to torch.txt.

# torch_one WHAT KERNEL
torch_one() {
    local what=$1 kernel=$2 plain status=0 app=("$(command -v python3)" "$here/tests/gpu/capture/torch_app.py" "$1")
    echo "-- $what: bare, listed, $kernel kept"
    plain=$(timeout 100 "${app[@]}" 2>"$what.err") || { tail -n 3 "$what.err"; echo "left out: $what does not run here by itself"; return 0; }
    timeout 120 "$tune" capture --times -- "${app[@]}" >"$what.txt" 2>>"$what.err" || { tail -n 3 "$what.err"; echo "FAILED $what: not listed"; return 1; }
    cut -c1-180 "$what.txt"
    timeout 120 "$tune" capture --kernel "$kernel" --keep 2 -o "$what.cap" -- "${app[@]}" >"$what-kept.txt" 2>>"$what.err" ||
        { tail -n 3 "$what.err"; echo "FAILED $what: not kept"; return 1; }
    sed -n '/launches\? kept/,$p' "$what-kept.txt" | cut -c1-180
    for file in "$what.txt" "$what-kept.txt"; do
        grep -qxF -- "$plain" "$file" || { echo "FAILED $what: another result in $file: not $plain"; status=1; }
    done
    grep -qE '^[1-9][0-9]* launch(es)? kept' "$what-kept.txt" || { echo "FAILED $what: no launch was kept"; return 1; }
    if timeout 100 "$tune" run --binary "$what.cap" --device 0 --effort quick --no-report --budget 20s --db "$what.db" --conf "$what.conf" 2>&1; then
        timeout 100 "$tune" apply "$what.conf" -- "${app[@]}" >"$what-applied.txt" 2>"$what-applied.err" || { echo "FAILED $what: apply"; status=1; }
        cat "$what-applied.err"
        [ "$(sort -u "$what-applied.txt")" = "$plain" ] || { echo "FAILED $what: another result with tuned launches"; status=1; }
    else
        echo "$what: not tuned without its source, as said above"
    fi
    return $status
}

torch() {
    local status=0
    mkdir -p "$work/torch" && cd "$work/torch" || return 1
    python3 -c 'import torch' 2>/dev/null || { echo "there is no torch here"; return 1; }
    {
        torch_one ops '*softmax*' || status=1
        torch_one triton add_kernel || status=1
    } >"$out/torch.txt" 2>&1
    cat "$out/torch.txt"
    return $status
}
