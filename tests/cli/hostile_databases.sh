#!/bin/bash
# Prepared databases: refused at once, or read as if harmless; older ones are read through a copy, with one message.
source "$TUNE_TESTS/lib.sh"
"$TUNE_BUILD/tests/make_fixture" good.db
run "$TUNE" show --db good.db
expect_code 0
expect_empty err
cp "$captured.out" good.txt

# edited FILE SQL: a copy of good.db, changed.
edited() {
    cp good.db "$1"
    python3 -S - "$1" "$2" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript(sys.argv[2])
P
}
# Longer than any refusal takes; an endless statement takes longer.
reading() {
    run timeout 60 "$TUNE" "$@"
    [[ $code -ne 124 ]] || fail "it does not end"
}
every_reader() { # DATABASE COMMAND...
    reading show --db "$1" && "${@:2}"
    reading show --trust --db "$1" && "${@:2}"
    reading report --output report.html --db "$1" && "${@:2}"
    reading plot --data --output rows --db "$1" && "${@:2}"
    reading export --replayed --output out.conf --db "$1" && "${@:2}"
    reading merge new.db "$1" && "${@:2}"
    reading run reduce.sum.i32 --device "replay:$1" --no-report --db other.db && "${@:2}"
}
refused() {
    expect_code 3
    expect_one_line err
    expect_err "$expected"
}
endless='WITH RECURSIVE more(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM more) SELECT'

edited view.db "ALTER TABLE winners RENAME TO hidden; CREATE VIEW winners AS $endless n AS id FROM more"
expected="view.db: its 'winners' is no table: tune did not make it so, and it is not read$"
every_reader view.db refused
edited virtual.db "PRAGMA foreign_keys = OFF; DROP TABLE states; CREATE VIRTUAL TABLE states USING fts5(a)"
expected="virtual.db: its 'states' is no table"
every_reader virtual.db refused

# Views are this program's own.
edited own.db "DROP VIEW points; CREATE VIEW points AS $endless n AS id FROM more;
    DROP VIEW latest_winners; CREATE VIEW latest_winners AS $endless n AS id FROM more;
    CREATE VIEW other AS $endless n FROM more"
reading show --db own.db
expect_code 0
cmp -s "$captured.out" good.txt || fail "not what the database has"
reading report --output report.html --db own.db
expect_code 0

# A name of 100 MB, by a limit of memory that it does not fit in.
edited name.db "UPDATE devices SET name = printf('%.*c', 100000000, 'x')"
(
    [[ ${TUNE_SANITIZE:-} ]] || ulimit -v 600000
    for words in "show" "show --trust" "report --output report.html" "export --replayed --output out.conf"; do
        # shellcheck disable=SC2086 # words
        reading $words --db name.db
        expect_code 3
        expect_one_line err
        expect_err 'name.db: a value in it is larger than any that tune writes: it is not read$'
    done
) || exit 1

golden_refusal "$TUNE" merge merged.db name.db

# So is one of an older schema, whose copy is read.
unpack "$TUNE_SOURCE/db/recorded/nvidia-h200/gemm.db.xz" >fifth.db
cp fifth.db long.db
python3 -S -c 'import sqlite3; sqlite3.connect("long.db").executescript("UPDATE devices SET name = printf(\"%.*c\", 100000000, \"x\")")'
for words in "show --db long.db" "report --output report.html --db long.db" "merge merged.db long.db"; do
    # shellcheck disable=SC2086 # words
    reading $words
    expect_code 3
    expect_err 'larger than any that tune writes'
done

# Writers refuse them before they measure or copy, and leave them unchanged.
edited trigger.db "CREATE TRIGGER slow AFTER INSERT ON trials BEGIN SELECT count(*) FROM ($endless n FROM more); END;
    CREATE TRIGGER slow_too AFTER INSERT ON runs BEGIN SELECT count(*) FROM ($endless n FROM more); END"
edited changed.db "DROP TRIGGER trials_added; CREATE TRIGGER trials_added AFTER INSERT ON trials BEGIN DELETE FROM winners; END"
edited columns.db "ALTER TABLE winners RENAME COLUMN trust TO belief"
edited tables.db "PRAGMA foreign_keys = OFF; DROP TABLE trials"
edited none.db "PRAGMA user_version = 0"
edited text.db "UPDATE experiments SET text = printf('%.*c', 20000000, 'x')"
edited key.db "UPDATE configurations SET key = printf('%.*c', 20000000, 'x') WHERE id = (SELECT max(id) FROM configurations)"
declare -A why=([view]="its 'winners' is no table" [virtual]="its 'states' is no table" [name]='larger than any that tune writes'
    [text]='larger than any that tune writes' [key]='larger than any that tune writes' [trigger]="a trigger that is not tune's"
    [changed]="a trigger that is not tune's" [columns]="'winners' has no 'trust'" [tables]="'trials' has no " [none]='its schema is 0')
cp good.db kept.db
for name in "${!why[@]}"; do
    before=$(sha256sum "$name.db")
    expected="$name.db: .*${why[$name]}"
    for words in "run elementwise.add --sizes 2**16 --device null --no-report --effort quick --db $name.db" "merge new.db good.db $name.db" "merge $name.db good.db" \
        "run elementwise.add --sizes 2**16 --device null --no-report --effort quick --db fresh.db --prior $name.db" "run --device replay:$name.db --no-report --db other.db" \
        "check $TUNE_SOURCE/configs/tuned.conf --device null --db $name.db"; do
        # shellcheck disable=SC2086 # words
        reading $words
        expect_code 3
        expect_err "$expected"
    done
    [[ $(sha256sum "$name.db") == "$before" ]] || fail "$name.db: changed"
    cmp -s good.db kept.db || fail "good.db is changed"
done
[[ ! -e new.db ]] || fail "half a merge is left"

# Writers do not read the file's views either.
cp own.db w.db
reading run elementwise.add --sizes 2**16 --device null --no-report --effort quick --db w.db
expect_code 0
reading merge new.db own.db
expect_code 0

# Older ones: of the first schema on, by each command, which says so once; a hostile one ends.
python3 -S - "$TUNE_SOURCE/tests/data/schema_1.sql" <<'P'
import sqlite3, sys
text = open(sys.argv[1]).read()
for name, more in (("first.db", ""), ("old.db", "ALTER TABLE trials RENAME TO kept; CREATE VIEW trials AS "
        "WITH RECURSIVE more(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM more) SELECT n AS id FROM more")):
    sqlite3.connect(name).executescript(text + more)
P
before=$(sha256sum first.db)
told() {
    expect_code 0
    [[ $(grep -c 'first.db is of an older tune (schema 1): a copy is read' "$captured.err") -eq 1 ]] || fail "not told once"
}
for words in "show" "show --trust" "show --why" "show --searches" "show --compare" "report --output report.html" "plot --data --output rows" \
    "export --t4 t4.json --replayed --n 4096"; do
    # shellcheck disable=SC2086 # words
    reading $words --db first.db
    told
done
reading export --output out.conf --db fifth.db
expect_code 0
expect_err 'fifth.db is of an older tune \(schema 5\): a copy is read'
cp fifth.db late.db
python3 -S - <<'P'
import sqlite3
sqlite3.connect("late.db").executescript("""UPDATE winners SET trust = 'noisy', floor = 0.5, trust_reason = NULL; CREATE TRIGGER late AFTER UPDATE ON winners BEGIN
    SELECT count(*) FROM (WITH RECURSIVE more(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM more) SELECT n FROM more); END""")
P
reading show --db late.db
expect_code 3
expect_err "late.db: it has a trigger that is not tune's, which need not end"
[[ $(sha256sum first.db) == "$before" && -z $(ls first.db-* 2>/dev/null) ]] || fail "what is read is changed"
[[ -z $(compgen -G "$TMPDIR/tune-read-*") ]] || fail "copies are left"
expected="old.db: its 'trials' is no table"
every_reader old.db refused

# After a replay its database is the only one.
mkdir replayed
cp good.db replayed/replayed.db
cd replayed || exit
for words in "show" "report" "plot --data --output rows"; do
    # shellcheck disable=SC2086 # words
    reading $words
    expect_code 0
    [[ $(grep -c '^tune: there is no tune.db here: this is of replayed.db, of a replay$' "$captured.err") -eq 1 ]] || fail "not told"
done
reading show --db tune.db
expect_code 3
expect_golden
