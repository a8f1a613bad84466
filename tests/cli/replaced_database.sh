#!/bin/bash
# The database is removed, or replaced by another file, during a run: the run ends with a message and saves its
# measurements beside; none of them gets into the other file.
source "$TUNE_TESTS/lib.sh"
write_experiment '20000 + n' # each problem has binaries of its own
# One of them is compiled when something has happened to the database, and not before: all trials of the problem but the
# baseline's are behind that.
export COMPILER=${CC:-cc}
cat >waiting-cc <<'C'
#!/bin/bash
[[ $* != *WAY_late=1*SPINS=$SPINS* ]] || until [[ -e ${0%/*}/happened ]]; do sleep 0.05; done
exec "$COMPILER" "$@"
C
chmod +x waiting-cc

# of FILE SQL
of() {
    python3 -S -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)' "$1" "$2"
}
printf 'CREATE TABLE others (a); INSERT INTO others VALUES (1), (2);' |
    python3 -S -c 'import sqlite3, sys
db = sqlite3.connect("other.db"); db.executescript(sys.stdin.read()); db.commit()'

saved=0
for way in remove replace; do
    for moment in 1 21; do # trials: in the first problem, and in the second, the last
        rm -rf tune.db tune.db-wal tune.db-shm tuned.conf happened "$TUNE_CACHE_DIR"
        export SPINS=$((moment == 1 ? 21000 : 25000))
        CC=$PWD/waiting-cc "$TUNE" run double.yaml --device cpu --jobs 2 "${steady[@]}" >gone.out 2>gone.err &
        tune=$!
        wait_for counts "$moment" "SELECT count(*) FROM trials WHERE stage = 'sweep'" || fail "not $moment trials"
        cp other.db fresh.db
        [[ -e tune.db ]] || fail "there is no database"
        if [[ $way == remove ]]; then rm tune.db; else mv fresh.db tune.db; fi
        ! is_gone "$tune" || fail "it had ended"
        touch happened
        code=0
        wait "$tune" || code=$?
        captured=gone
        command_line="tune run, and $way tune.db after $moment trials"
        expect_code 5
        saved=$((saved + 1))
        expect_err "tune.db: removed, or replaced by another file.*saved in tune.db.saved-$saved"
        [[ $(of tune.db.saved-$saved "PRAGMA integrity_check") == ok ]] || fail "it is damaged"
        [[ $(of tune.db.saved-$saved "SELECT count(*) FROM trials WHERE stage = 'sweep'") -ge $moment ]] ||
            fail "trials are lost"
        [[ $(of tune.db.saved-$saved "SELECT count(*) FROM winners") -ge 1 ]] || fail "no winner is saved"
        refuse_file tuned.conf
        [[ $way == remove ]] || cmp tune.db other.db || fail "the other file was written"
        [[ $way == remove ]] || [[ $(of tune.db "SELECT count(*) FROM others") == 2 ]] || fail "the other file is damaged"
    done
done
# The saved file is an ordinary database.
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --db "tune.db.saved-$saved"
expect_code 0
[[ $(of "tune.db.saved-$saved" "SELECT count(*) FROM trials WHERE stage = 'sweep'") -eq 40 ]] || fail "not gone on with"
