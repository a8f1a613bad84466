# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# `tune capture` on programs built by nvcc in several ways (tests/gpu/capture): their results are unchanged, launches
# are kept whole, one is tuned without its source, and the cost is written to capture.txt.

# capture_one NAME WHAT: the result is unchanged, and every kept launch that is no node of a graph is whole.
capture_one() {
    local program=$build/tests/gpu/capture_$1 file=$1-$2.cap plain kept whole
    set -- "$1" "$2"
    plain=$("$program" ${2:+"$2"}) || { echo "FAILED $1 $2: it does not run by itself"; return 1; }
    "$tune" capture --kernel '*' --keep 4 -o "$file" -- "$program" ${2:+"$2"} >"$1-$2.txt" 2>"$1-$2.err" ||
        { echo "FAILED $1 $2: $(tail -n 1 "$1-$2.err")"; return 1; }
    [ "$(head -n 1 "$1-$2.txt")" = "$plain" ] || { echo "FAILED $1 $2: another result"; return 1; }
    "$build/tests/gpu/capture_dump" "$file" >"$1-$2.dump" || return 1
    kept=$(grep -c '^launch .* entry=\(kernel\|kernel_ex\|cooperative\) stream=\(legacy\|per_thread\|other\)' "$1-$2.dump")
    whole=$(grep -cE '^launch .* stream=(legacy|per_thread|other) .* left_out=0 result=0' "$1-$2.dump")
    printf '%-10s %-11s %2d launches kept, %2d whole, %2d buffers changed, %9d bytes\n' "$1" "$2" "$kept" "$whole" \
        "$(grep -c '^buffer .* changed=1 ' "$1-$2.dump")" "$(stat -c %s "$file")"
    if [ "$kept" -lt 1 ] || [ "$kept" -ne "$whole" ] || ! grep -q '^buffer .* changed=1 ' "$1-$2.dump"; then
        echo "FAILED $1 $2: not whole"
        grep -v ' left_out=0 ' "$1-$2.dump"
        return 1
    fi
}

# expect_dump FILE PATTERN
expect_dump() {
    grep -qE "$2" "$1.dump" || { echo "FAILED $1: nothing like $2"; return 1; }
}

capture() {
    local status=0 name what only
    mkdir -p "$work/capture" && cd "$work/capture" || return 1
    {
        for name in static shared ptx per_thread rdc; do
            if ! "$build/tests/gpu/capture_$name" view >/dev/null 2>&1; then
                echo "left out: capture_$name does not run here"
                continue
            fi
            for what in add view memory streams pool graph cooperative threads reset driver; do
                capture_one $name $what || status=1
            done
        done
        capture_one cub "" || status=1
        "$tune" capture --kernel read_texture -o texture.cap -- "$build/tests/gpu/capture_static" texture >texture.txt 2>&1
        if ! grep -q 'a texture or surface' texture.txt || "$tune" run --binary texture.cap --device 0 >texture.err 2>&1 ||
            ! grep -q 'no launch can be replayed: the capture lacks a texture or surface' texture.err; then
            cat texture.txt texture.err
            echo "FAILED texture: it is not told"
            status=1
        fi
        # Names, variables, pointers in structs, nodes.
        expect_dump static-add '^kernel 0 _ZN3own3addI' || status=1
        expect_dump static-view '^pointer 0 parameters at=8 buffer=0 offset=40' || status=1
        expect_dump static-memory '^buffer 0\.[0-9] managed ' || status=1
        expect_dump static-memory '^buffer 0\.[0-9] (constant|variable) bytes=16 name=factors ' || status=1
        expect_dump static-memory '^buffer 0\.[0-9] (constant|variable) bytes=4 name=bias ' || status=1
        expect_dump static-graph '^launch 0 .* stream=capturing ' || status=1
        expect_dump static-graph '^note 0 count=4' || status=1
        expect_dump static-graph '^kernel 0 .* launches=3 nodes=2 ' || status=1
        expect_dump per_thread-add '^launch 0 .* stream=per_thread ' || status=1
        expect_dump static-driver '^image 0 kind=3 ' || status=1
        echo "-- listed, with times"
        "$tune" capture --times -- "$build/tests/gpu/capture_static" add || status=1
        echo "-- tuned without the source"
        "$tune" run --binary static-add.cap --kernel add --device 0 --effort quick --no-report --budget 120s 2>&1 || status=1
        echo "-- applied to the program: the same result, and launches that are tuned"
        "$build/tests/gpu/capture_static" add >add.plain
        only=()
        grep -q '^  registers:' static-add.captured/*.yaml && only=(--only registers=0)
        "$tune" run --binary static-add.cap --kernel add --device 0 --effort quick --no-report --budget 60s "${only[@]}" --db applied.db \
            --conf applied.conf >applied.log 2>&1 || { tail -n 5 applied.log; status=1; }
        "$tune" apply applied.conf --repeat 6 -- "$build/tests/gpu/capture_static" add >applied.out 2>applied.err || status=1
        cat applied.err
        [ "$(sort -u applied.out)" = "$(sort -u add.plain)" ] || { echo "FAILED apply: another result"; status=1; }
        grep -qE '^tune: [^ ]+ n=[0-9]+: ([0-9]+ of [0-9]+ launches of add changed|.* own launch is the winner)' applied.err ||
            { echo "FAILED apply: no entry met a launch"; status=1; }
        TUNE_APPLY=off "$tune" apply applied.conf --once -- "$build/tests/gpu/capture_static" add 2>&1 | grep 'TUNE_APPLY=off' || status=1
        echo "-- a launch: bare, while listed, while another kernel's are kept, with times"
        for what in 1 2 3; do
            { "$build/tests/gpu/capture_static" loop >/dev/null; } 2>&1
            { "$tune" capture -- "$build/tests/gpu/capture_static" loop >/dev/null; } 2>&1 | grep '^app'
            { "$tune" capture -k other -o loop.cap -- "$build/tests/gpu/capture_static" loop >/dev/null; } 2>&1 | grep '^app'
            { "$tune" capture --times -- "$build/tests/gpu/capture_static" loop >/dev/null; } 2>&1 | grep '^app'
        done
    } >"$out/capture.txt"
    cat "$out/capture.txt"
    return $status
}
