#!/bin/bash
# The program and its compile worker are killed at once while a compiler's own child waits for ever: no process
# is left.
source "$TUNE_TESTS/lib.sh"
write_experiment

# cc, with a part like cc1 that never ends.
export COMPILER=${CC:-cc}
cat >stuck-cc <<'C'
#!/bin/bash
[[ $* == *-shared* ]] || exec "$COMPILER" "$@"
sleep 1000 &
echo "$PPID $$ $!" >"$0.started.$$"
mv "$0.started.$$" "$0.pids"
wait
C
chmod +x stuck-cc

# is_alive PID: excludes a process that has ended and was not awaited.
is_alive() {
    [[ -n $(tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline") ]]
}

for killed in both worker parent; do
    rm -rf stuck-cc.pids tune.db* "$TUNE_CACHE_DIR"
    CC=$PWD/stuck-cc "$TUNE" run double.yaml --device cpu --jobs 1 "${steady[@]}" >orphans.out 2>orphans.err &
    tune=$!
    captured=orphans
    wait_for test -s stuck-cc.pids || fail "no compiler was started"
    read -r worker driver part <stuck-cc.pids
    is_alive "$part" || fail "the compiler does not wait"
    case $killed in
    both) # neither has time to see the other go
        kill -STOP "$worker" "$tune"
        kill -KILL "$worker" "$tune"
        ;;
    worker) kill -KILL "$worker" ;;
    parent) kill -KILL "$tune" ;;
    esac
    none_left() { ! is_alive "$part" && ! is_alive "$driver" && ! is_alive "$worker"; }
    patience_s=60 wait_for none_left || true
    kill -KILL "$tune" 2>/dev/null || true
    wait "$tune" 2>/dev/null || true
    for pid in "$part" "$driver" "$worker"; do
        ! is_alive "$pid" || fail "killed: $killed; left: $(tr '\0' ' ' <"/proc/$pid/cmdline"; kill "$part")"
    done
done
