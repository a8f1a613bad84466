#!/bin/bash
# Outputs that are no regular files: standard output by each of its names, FIFOs, devices, sockets.
# They are written, or refused, and stay unchanged otherwise; inputs are never overwritten.
source "$TUNE_TESTS/lib.sh"
[[ -x $TUNE_BUILD/tests/make_fixture ]] || exit 77
"$TUNE_BUILD/tests/make_fixture" tune.db
"$TUNE" export -o usual.conf
"$TUNE" export usual.conf --header usual.h
"$TUNE" export --t4 usual.json --problem fixture.sum.i32 --n 67108864
"$TUNE" report -o usual.html

# export_of KIND FILE: the command line that writes this kind of output to the file.
declare -a words
export_of() {
    case $1 in
    conf) words=("$TUNE" export -o "$2") ;;
    h) words=("$TUNE" export usual.conf --header "$2") ;;
    json) words=("$TUNE" export --t4 "$2" --problem fixture.sum.i32 --n 67108864) ;;
    html) words=("$TUNE" report -o "$2") ;;
    esac
}
# same KIND FILE: has the requested content (a page has the time of its making).
same() {
    if [[ $1 == html ]]; then
        grep -q '</html>' "$2"
    else
        cmp -s "usual.$1" "$2"
    fi
}

for kind in conf h json html; do
    for name in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
        export_of $kind $name
        run "${words[@]}"
        expect_code 0
        same $kind "$captured.out" || fail "not what is written to a file"
        "${words[@]}" 2>/dev/null | cat >piped
        same $kind piped || fail "another to a pipe"
    done
    export_of $kind /dev/fd/7
    run "${words[@]}" 7>seventh
    expect_code 0
    same $kind seventh || fail "another to a file that is open"
    # A redirected file is gone on with, not started anew.
    export_of $kind /dev/stdout
    { echo before && "${words[@]}" && echo after; } >appended 2>/dev/null
    [[ $(head -1 appended) == before && $(tail -1 appended) == after ]] || fail "what was there is gone"

    # A FIFO has a reader, and stays.
    [[ -p fifo ]] || mkfifo fifo
    cat fifo >through &
    export_of $kind fifo
    run timeout 300 "${words[@]}"
    expect_code 0
    wait $!
    [[ -p fifo ]] || fail "the FIFO is none any more"
    same $kind through || fail "another to a FIFO"

    # A full disk behind them is told.
    for name in - /dev/stdout; do
        export_of $kind $name
        code=0
        "${words[@]}" >/dev/full 2>full.err || code=$?
        command_line="${words[*]} >/dev/full"
        [[ $code -eq 5 ]] || fail "exit code $code, not 5: $(cat full.err)"
        grep -q 'standard output' full.err || fail "it does not say what is full"
    done

    python3 -S -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' 2>/dev/null || true
    if [[ -S socket ]]; then
        export_of $kind socket
        run "${words[@]}"
        expect_code 3
        expect_one_line err
        expect_err 'socket: a socket'
        [[ -S socket ]] || fail "the socket is none any more"
    fi
    # Nodes of devices: only root makes them, and only where the file system takes them.
    if [[ -c null ]] || { mknod null c 1 3 && : >null; } 2>/dev/null; then
        for link in null to_null; do
            ln -sf null to_null
            export_of $kind $link
            run "${words[@]}"
            expect_code 0
            [[ -c null ]] || fail "the device is none any more"
        done
    fi
    if [[ -b disk ]] || mknod disk b 7 250 2>/dev/null; then
        export_of $kind disk
        run "${words[@]}"
        expect_code 3
        expect_err 'disk: a block device'
        [[ -b disk ]] || fail "the block device is none any more"
    fi
done

# A run without its files, as one would write it; and with them on standard output, alone.
write_experiment
for node in fifo null; do
    [[ -e $node ]] || continue
    reader=
    [[ $node == null ]] || { timeout 800 tail -f -n +1 --pid=$$ $node >/dev/null & reader=$!; }
    run timeout 600 "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --db run.db --conf $node
    expect_code 0
    [[ ! -f $node ]] || fail "$node was replaced"
    [[ -z $reader ]] || kill "$reader"
done
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --db run.db --conf -
expect_code 0
[[ $(head -1 "$captured.out") == 'tuned-conf '* && $(tail -1 "$captured.out") == end ]] ||
    fail "something else than tuned.conf on standard output"

# Databases are files.
for name in fifo socket null /dev/null; do
    [[ -e $name ]] || continue
    for mode in 'run double.yaml --device cpu --quiet' show; do
        # shellcheck disable=SC2086 # words
        run timeout 300 "$TUNE" $mode --db $name
        expect_code 3
        expect_one_line err
        expect_err "$name: a special file, not a database"
    done
done
run "$TUNE" run double.yaml --device cpu --db -
expect_code 2
expect_one_line err

# A figure.
run "$TUNE" plot samples --data -o -
expect_code 0
expect_out $'\t'
for wrong in 'plot -o -' 'plot samples --format png,svg -o -' 'plot samples threads --data -o /dev/stdout'; do
    # shellcheck disable=SC2086 # words
    golden "$TUNE" $wrong
done

# Folders that are made are as open as the umask says.
(umask 022 && "$TUNE" plot samples --data -o made/deep >/dev/null 2>&1)
[[ $(stat -c %a made) == 755 && $(stat -c %a made/deep) == 755 ]] || fail "folders of mode $(stat -c %a made)"

# Inputs are not overwritten.
cp double.yaml kept.yaml
sum=$(cat tune.db usual.conf double.yaml | cksum)
ln -s tune.db link.db
echo 'extern "C" __global__ void k(float *x, int n) { x[n] = 1; }' >kernel.cu
cp kernel.cu kernel.kept
for wrong in 'export -o tune.db' 'export -o link.db' 'report -o tune.db' 'export usual.conf --header usual.conf' \
    'export --configurations tune.db' 'export --t4 link.db' 'run ./double.yaml --device cpu --conf double.yaml' \
    'run ./double.yaml --device cpu --report tune.db' 'run ./double.yaml --device cpu --conf usual.conf --report usual.conf'; do
    # shellcheck disable=SC2086 # words
    golden "$TUNE" $wrong
done
[[ $(cat tune.db usual.conf double.yaml | cksum) == "$sum" ]] || fail "an input was written over"
run "$TUNE" init kernel.cu --force -o kernel.cu
[[ $code -eq 2 || $code -eq 4 ]] || fail "exit code $code"
run "$TUNE" init kernel.cu --force -o "./../${PWD##*/}/kernel.cu"
[[ $code -eq 2 || $code -eq 4 ]] || fail "exit code $code"
cmp -s kernel.cu kernel.kept || fail "init wrote over its source"
expect_golden
