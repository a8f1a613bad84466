#!/bin/bash
# The program as a process: without terminal, streams, HOME, /proc; with few resources; under every
# signal; and its remains.
source "$TUNE_TESTS/lib.sh"
write_experiment

# Processes of this test: they have our cache folder in their environment.
ours() {
    local process
    for process in /proc/[0-9]*; do
        [[ $(readlink "$process/exe" 2>/dev/null) =~ (/tune|/cc1|gnuplot.*)$ ]] || continue
        if tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qxF "TUNE_CACHE_DIR=$TUNE_CACHE_DIR"; then
            echo "${process#/proc/}"
        fi
    done
}
expect_nothing_left() {
    local left
    none_left() { left=$(ours) && [[ -z $left ]]; }
    patience_s=60 wait_for none_left || fail "$1: processes were left: $(for p in $left; do tr '\0' ' ' <"/proc/$p/cmdline"; done)"
    left=$(find . "$TMPDIR" "$TUNE_CACHE_DIR" -name '*.tune-*' -o -name 'tune-plot*' -o -name 'cc??????.*')
    [[ -z $left ]] || fail "$1: files were left: $left"
}

# A run that is ended in the middle by a signal, and one more that goes on.
write_experiment 400000
start_run() {
    rm -f tune.db* tuned.conf
    "$@" "$TUNE" run double.yaml --device cpu "${steady[@]}" >first.out 2>first.err &
    tune=$!
    is_time() { is_gone "$tune" || counts 3 "SELECT count(*) FROM trials WHERE stage = 'sweep'"; }
    wait_for is_time || fail "not three trials: $(cat first.err)"
    ! is_gone "$tune" || fail "it ended by itself: $(cat first.err)"
}
end_run() { # EXIT-CODE WHAT
    code=0
    wait "$tune" || code=$?
    command_line="tune run, then $2"
    [[ $code -eq $1 ]] || fail "$2: exit code $code, not $1: $(cat first.err)"
    expect_nothing_left "$2"
    [[ $(query "PRAGMA integrity_check") == ok ]] || fail "$2: the database is damaged"
}
for signal in INT TERM HUP; do
    start_run env
    kill -"$signal" "$tune"
    end_run 130 "SIG$signal"
    grep -q 'run again to continue' first.err || fail "SIG$signal: it does not say how to go on: $(cat first.err)"
    [[ $(query "SELECT outcome FROM runs") == interrupted ]] || fail "SIG$signal: the run is not marked"
done
for signal in INT TERM; do
    start_run env
    kill -"$signal" "$tune"
    kill -"$signal" "$tune"
    code=0
    wait "$tune" || code=$?
    [[ $code -eq 130 || $code -eq 143 ]] || fail "SIG$signal twice: exit code $code: $(cat first.err)"
    expect_nothing_left "SIG$signal twice"
done
start_run env
kill -KILL "$tune"
end_run 137 SIGKILL
start_run nohup
kill -HUP "$tune"
sleep 0.2
kill -0 "$tune" 2>/dev/null || fail "nohup: ended by SIGHUP: $(cat first.err)"
kill -INT "$tune"
end_run 130 'nohup, SIGHUP, SIGINT'
# Stopped and continued, it is only slow.
start_run env
kill -STOP "$tune"
sleep 0.5
kill -CONT "$tune"
end_run 0 'SIGSTOP and SIGCONT'
write_experiment

# A pipe whose reader goes away.
for words in show 'show --json' 'devices --json' --help 'run --help'; do
    # shellcheck disable=SC2086 # words
    "$TUNE" $words 2>pipe.err | head -c 1 >/dev/null || true
    ! grep -qi 'signal\|core' pipe.err || fail "$words into a closed pipe: $(cat pipe.err)"
done
rm -f tune.db*
code=0
"$TUNE" run double.yaml --device cpu "${steady[@]}" 2>&1 >/dev/null | head -1 >/dev/null
[[ ${PIPESTATUS[0]} -eq 0 || ${PIPESTATUS[0]} -eq 5 ]] || fail "stderr into a closed pipe: ${PIPESTATUS[*]}"
[[ $(query "SELECT count(*) FROM winners") -eq 2 ]] || fail "stderr into a closed pipe: the run did not end"

# Closed standard streams: no output goes into the database.
for closed in '0<&-' '1>&-' '2>&-' '0<&- 1>&- 2>&-'; do
    rm -f tune.db*
    code=0
    eval "\"\$TUNE\" run double.yaml --device cpu \$STEADY >closed.out 2>closed.err $closed" || code=$?
    command_line="tune run $closed"
    if [[ $closed == *'1>&-'* ]]; then # the winners could not be printed
        [[ $code -eq 5 ]] || fail "exit code $code, not 5"
    else
        [[ $code -eq 0 ]] || fail "exit code $code: $(cat closed.err)"
    fi
    [[ $(query "PRAGMA integrity_check") == ok ]] || fail "the database is damaged"
    [[ $(query "SELECT count(*) FROM winners") -eq 2 ]] || fail "not every winner was found"
done
expect_nothing_left 'closed streams'

# Little of everything.
fresh() { rm -f tune.db* "$TUNE_CACHE_DIR"/*.bin; }
fresh
run bash -c 'ulimit -n 32; "$TUNE" run double.yaml --device cpu $STEADY --jobs 40'
expect_code 0
fresh
run bash -c 'ulimit -s 256; "$TUNE" run double.yaml --device cpu $STEADY'
expect_code 0
fresh
few=(env -i TUNE_CEILING_BYTES="$TUNE_CEILING_BYTES")
run "${few[@]}" TUNE_CACHE_DIR="$TUNE_CACHE_DIR" "$TUNE" run double.yaml --device cpu "${steady[@]}"
expect_code 0
run "${few[@]}" "$TUNE" run double.yaml --device cpu "${steady[@]}" --quiet --db other.db
expect_code 3
expect_one_line err
expect_err 'set TUNE_CACHE_DIR or HOME'

# An unprivileged user: no HOME, files of others, a current folder without write permission.
if [[ $(id -u) -eq 0 ]] && command -v setpriv >/dev/null; then
    chmod -R a+rX "$PWD" "$PWD/.." && mkdir nobody && chmod 1777 nobody
    nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups env -u HOME TMPDIR=/tmp
        TUNE_CACHE_DIR="$PWD/nobody/cache")
    if "${nobody[@]}" "$TUNE" --version >/dev/null 2>&1; then
        run "${nobody[@]}" "$TUNE" run double.yaml --device cpu "${steady[@]}" --quiet --db nobody/tune.db --conf nobody/tuned.conf
        expect_code 0
        expect_file nobody/tuned.conf
        run "${nobody[@]}" "$TUNE" run double.yaml --device cpu "${steady[@]}" --quiet
        expect_code 5
        expect_one_line err
        expect_err 'tune\.db'
        run "${nobody[@]}" "$TUNE" show --db tune.db
        expect_code 0
        # Few processes: fewer compilers, or a reason. The limit counts those of the user elsewhere.
        rm -rf nobody/cache nobody/tune.db*
        run "${nobody[@]}" prlimit --nproc=24 "$TUNE" run double.yaml --device cpu "${steady[@]}" --quiet --jobs 20 --db nobody/tune.db --conf nobody/tuned.conf
        [[ $code -ne 139 && $code -ne 134 ]] || fail "it crashed for want of processes"
        [[ $code -eq 0 ]] || expect_err '(process|thread|Resource temporarily)'
    fi
fi

# A container that hides /proc/sys, then one without /proc and /sys.
if [[ $(id -u) -eq 0 ]] && unshare --mount true 2>/dev/null; then
    for hide in 'mount -t tmpfs none /proc/sys' 'mount -t tmpfs none /sys' \
        'mount -t tmpfs none /proc' 'mount -t tmpfs none /proc; mount -t tmpfs none /sys'; do
        fresh
        run unshare --mount --propagation private bash -c "$hide"' && exec "$TUNE" run double.yaml --device cpu $STEADY --quiet'
        [[ $code -ne 32 ]] || continue # mounting is not allowed here
        expect_code 0
        refuse_err '/proc|/sys'
    done
fi
expect_nothing_left 'the end'
