# Winners tuned without the source are launched by the program at once: those launches and no others, with unchanged
# results.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/capture/lib.sh"

tune_capture() {
    run "$TUNE" run --binary "$1" --conf "$2" --device 0 --effort quick --points 4 --no-report --set warm_window_ms=1 --set warm_least_ms=1 --set warm_most_ms=20
    expect_code 0
    # Marks the winner as shown to be faster, whatever was the fastest here.
    sed -i -E 's/ gain\.program=[0-9.]+//; s/^  \| time_ns=[0-9.]+/& gain.program=1.5/' "$2"
}
# apply CONF [OPTION...] -- WAY WORK...: each run's result is unchanged; no file is left behind.
apply() {
    local plain
    plain=$("$APP" "${@: -2}")
    run "$TUNE" apply "${@:1:$#-2}" "$APP" "${@: -2}"
    [[ $(sort -u "$captured.out") == "$(sort -u <<<"$plain")" ]] || fail "the program's result changed: $(cat "$captured.out"), not $plain"
    [[ -z $(find "$TMPDIR" -name '.tune-capture-*' -o -name '*.tmp') ]] || fail "files were left"
}

capture app.cap --keep 3 -- link add
tune_capture app.cap tuned.conf
grep -qE '^app n=.* image=[0-9a-f]{32} kernel=scaled_add launched=4x1x1/256x1x1/1x1x1/64/[0-9a-f]{32}/0\+8\+16 ' tuned.conf || fail "no evidence: $(cat tuned.conf)"
# A winner that the program does not launch, whatever was the fastest here.
sed -i -E 's/block_x=[0-9]+/block_x=64/; s/launch.block=[0-9]+/launch.block=64/; s/at=500 (.*)launch.grid=[^ ]+/at=500 \1launch.grid=8/; s/at=1000 (.*)launch.grid=[^ ]+/at=1000 \1launch.grid=16/; s/at=10000 (.*)launch.grid=[^ ]+/at=10000 \1launch.grid=157/' tuned.conf

# However the program comes to the driver's functions.
for way in link dlsym address per_thread library; do
    apply tuned.conf -- "$way" add
    expect_code 0
    expect_err '^tune: app n=1000: 1 of 6 launches of scaled_add changed, from grid 4, block 256, dynamic shared 64 B to grid 16, block 64, dynamic shared 64 B$'
    expect_err '^tune: 3 of 6 launches changed$'
    expect_err '^tune: wall time: .* s as it is, .* s with tuned launches;'
done
# The driver receives that launch.
launched_as() { # CONF RULE [WORK]
    TUNE_FAULTS="$2: exit=41" run "$TUNE" apply "$1" --once -- "$APP" address "${3:-add}"
    expect_err 'ended with exit code 41$'
}
launched_as tuned.conf 'cuLaunchKernel@grid=16,block=64,shared=64'
launched_as tuned.conf 'cuLaunchKernel@grid=157,block=64'
apply tuned.conf --repeat 6 -- link add
expect_err '^tune: wall time, the median of 6 runs each: '
expect_err '^tune: (.* times as fast with tuned launches \(.* at 95 %\)|no faster and no slower with tuned launches: .* at 95 %.*)$'
[[ $(wc -l <"$captured.out") -eq 12 ]] || fail "not six runs each"

# Both sides of a fork, modules that come and go, graphs, other forms of launches.
apply tuned.conf --once -- link fork
expect_err '^tune: app n=10000: 2 of 12 launches of scaled_add changed'
apply tuned.conf --once -- dlsym modules
expect_err '^tune: app n=500: nothing changed: scaled_add was launched 20 times, never with grid 2, block 256, dynamic shared 64 B$'
apply tuned.conf --once -- address graph
expect_err '^tune: app n=500: nothing changed: 1 launch in a graph or cooperative: left alone$'
expect_err '^tune: app n=1000: 1 of 3 launches of scaled_add changed, .*; 1 like them stayed'
apply tuned.conf --once -- link forms
expect_err '^tune: 0 of 2 launches changed$'

# Off, by a word.
TUNE_APPLY=off apply tuned.conf -- link add
expect_code 0
expect_err '^tune: TUNE_APPLY=off: all launches passed as they are$'
refuse_err ' changed'

# Entries that meet no launch, and why.
reason() { # SED PATTERN
    sed -E "$1" tuned.conf >other.conf
    apply other.conf --once -- link add
    expect_code 0
    expect_err "^tune: app n=1000: $2"
}
reason '/at=1000 /s/image=./image=x/' 'not applied: its line does not say which launch it is of$'
reason '/at=1000 /s/image=[0-9a-f]{4}/image=0123/' 'nothing changed: scaled_add was launched 6 times, but of another image'
reason '/at=1000 /s/kernel=scaled_add/kernel=other/' 'nothing changed: other was not launched$'
reason '/at=1000 /s/launched=4x/launched=5x/' 'nothing changed: scaled_add was launched 6 times, never with grid 5, block 256'
reason '/at=1000 /s#/64/[0-9a-f]{4}#/64/0123#' 'nothing changed: scaled_add was launched . times? with .*, always with other numbers'
reason '/at=1000 /s#/0\+8\+16#/0+8+99999999#' 'not applied: its line does not say'
reason '/at=1000 /s/block_x=64/& registers=32/' 'not applied: it won under a limit of 32 registers, .* --only registers=0'
reason '/at=1000 /s/launch.block=64/launch.block=256/;/at=1000 /s/launch.grid=[^ ]+/launch.grid=4/' 'nothing changed: the program.s own launch is the winner'
reason '/^  .* gain.program=/s/ gain.program=[0-9.]+//' 'not applied: it is not shown to be faster than the program.s own launch$'
reason 's/GPU 132"/GPU 133"/' 'nothing changed: it was tuned on Stand-in GPU 133, and launched on another device$'
# More shared memory than a function may have without asking for it; a cluster that the program does not know.
reason '/at=1000 /s/launch.shared=64/launch.shared=100000/' '1 of 6 launches .* to grid 16, block 64, dynamic shared 100000 B$'
launched_as other.conf 'cuLaunchKernel@grid=16,shared=100000'
reason '/at=1000 /s/block_x=64/& cluster=2/;/at=1000 /s/threads=/cluster=2 &/' '1 of 6 launches .* to grid 16, block 64, cluster 2, dynamic shared 64 B$'
launched_as other.conf 'cuLaunchKernelEx@grid=16,block=64'
reason '/at=1000 /s/threads=/cluster=2 &/' 'not applied: the file does not give its clusters$'
# Refused by the driver: the program's own.
reason '/at=1000 /s/launch.shared=64/launch.shared=1000000/' 'nothing changed: the driver refused it'
TUNE_FAULTS='cuLaunchKernel@block=64: 701' run "$TUNE" apply tuned.conf -- "$APP" link add
expect_code 0
expect_err 'n=1000: nothing changed: the driver refused it \(error 701\): launched as the program has it$'
[[ $(sort -u "$captured.out") == "$("$APP" link add)" ]] || fail "not the program's own launch: $(cat "$captured.out")"

# A cluster of the program's own stays.
run "$TUNE" capture -k view_copy -o view.cap -- "$APP" library forms
tune_capture view.cap view.conf
sed -i -E 's/launch.block=[0-9]+/launch.block=128/; s/launch.grid=[^ ]+/launch.grid=32/' view.conf
apply view.conf --once -- per_thread forms
expect_err '^tune: view n=4096: 1 of 1 launch of view_copy changed, from grid 16, block 256, cluster 2 to grid 32, block 128, cluster 2$'
launched_as view.conf 'cuLaunchKernelEx@grid=32,block=128' forms

# The program ends otherwise; there is none; no launch; no such entry.
run "$TUNE" apply tuned.conf -- bash -c '[[ -z ${TUNE_APPLY_FOLDER:-} ]] || exit 7; exec "$@"' - "$APP" link add
[[ $code -ne 0 ]] || fail "another end passed"
run "$TUNE" apply tuned.conf -- ./missing
expect_code 3
golden_refusal "$TUNE" apply tuned.conf -- /bin/true
sed -E 's/ image=[0-9a-f]+//' tuned.conf >other.conf
golden_refusal "$TUNE" apply other.conf -- "$APP" link add
run "$TUNE" apply tuned.conf
expect_code 2

# Sixteen threads. Three launches of a shape were captured, which differ in a number: that may be any, if no thread is missing.
capture threads.cap --sizes --keep 3 -- link threads
tune_capture threads.cap threads.conf
sed -i -E 's/launch.block=[0-9]+/launch.block=128/; s/launch.grid=[^ ]+/launch.grid=2/' threads.conf
apply threads.conf --once -- address threads
expect_code 0
[[ $(grep -c '^tune: threads n=.* 16 of 800 launches of scaled_add changed, from grid 1, block 256, .* to grid 2, block 128, ' "$captured.err") -eq 2 ]] || fail "not each thread's: $(cat "$captured.err")"
expect_err '^tune: threads n=.* 768 of 800 launches of scaled_add changed, '
expect_err '^tune: 800 of 800 launches changed$'
sed -i -E 's/launch.block=[0-9]+/launch.block=160/; s/launch.grid=[^ ]+/launch.grid=1/' threads.conf
apply threads.conf --once -- address threads
expect_err '^tune: 48 of 800 launches changed$'

# Foreign tables: all launches pass unchanged.
preload=${TUNE_CAPTURE_LIBRARY:-$(dirname "$TUNE")/../lib/tune/libtunecapture.so}
mkdir hostile
hostile() {
    [[ $(TUNE_APPLY_FOLDER=$PWD/hostile LD_PRELOAD=$preload "$APP" link add) == "$("$APP" link add)" ]] || fail "$1"
}
hostile 'no table'
python3 - hostile <<'P'
import os, struct, sys
folder = sys.argv[1]
def row(kernel=0, device=0, grid=(1, 1, 1), pointers=0, words=0):
    launch = struct.pack("<10I", *grid, 64, 1, 1, 1, 1, 1, 0)
    return bytes(48) + launch + launch + struct.pack("<IIiiiI", kernel, device, 9, 0, 132, pointers) + struct.pack("<64I", *[4294967295] * 64) + struct.pack("<33I", words, *[4294967295] * 32)
def table(rows, texts=b"\0scaled_add\0", version=2, count=None, text_bytes=None, row_bytes=None, magic=b"TUNEAPL\n"):
    return magic + struct.pack("<4I", version, row_bytes or len(row()), len(rows) if count is None else count,
                               len(texts) if text_bytes is None else text_bytes) + b"".join(rows) + texts
good = table([row(1)])
tables = [b"", b"x", good[:20], good[:-1], good + b"x", table([row(1)], magic=b"TUNECAP\n"), table([row(1)], version=3),
          table([row(1)], count=4294967295), table([row(1)], count=2), table([row(1)], count=0), table([row(1)], text_bytes=4294967295),
          table([row(1)], row_bytes=8), table([row(4294967295)]), table([row(1, 12)]), table([row(1, grid=(0, 1, 1))]), table([row(1, pointers=1)]),
          table([row(1, pointers=65)]), table([row(1, words=1)]), table([row(1, words=33)]), table([row(1)], texts=b"\0scaled_add"), good]
for i, data in enumerate(tables):
    for counts in (b"", bytes(24 + 80)):
        os.makedirs(f"{folder}/{i}.{len(counts)}")
        open(f"{folder}/{i}.{len(counts)}/table", "wb").write(data)
        open(f"{folder}/{i}.{len(counts)}/counts", "wb").write(counts)
P
used=0
for folder in hostile/*/; do
    [[ $(TUNE_APPLY_FOLDER=$PWD/$folder LD_PRELOAD=$preload "$APP" link add) == "$("$APP" link add)" ]] || fail "$folder"
    [[ $(tr -d '\0' <"$folder/counts" | wc -c) -eq 0 ]] || used=$((used + 1))
done
# The one that is as it must be was read, and counted.
[[ $used -eq 1 ]] || fail "$used tables were taken, not one"
expect_golden
