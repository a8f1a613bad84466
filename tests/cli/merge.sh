# shellcheck shell=bash
# tune merge: databases of two boards become one; repeating changes nothing; an older schema is brought up
# to date on a copy; a damaged file leaves everything unchanged; tune show --compare compares boards of one model.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
write_experiment
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --quiet
expect_code 0
python3 - <<'P'
import sqlite3
db = sqlite3.connect("tune.db")
db.execute("""INSERT INTO peers SELECT id, 'double', 1000, 'cold', 'other', 1e6, 1, 2, 3, 4, 5, 6, 'file.csv',
    '2026-01-01T00:00:00Z' FROM environments""")
db.execute("UPDATE problems SET operations = n, operations_type = 'i32'")
db.commit()
P
mv tune.db a.db

# The same model on another host, with another winner at n = 5000 and slower by a tenth.
cat >twin.py <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript("""
    UPDATE devices SET uuid = 'twin'; UPDATE environments SET host = 'elsewhere';
    UPDATE trials SET median_ns = median_ns * 1.1, value = value * 1.1;
    UPDATE winners SET trial_id = (
        SELECT t.id FROM trials AS t JOIN trials AS o ON o.id = winners.trial_id
        WHERE t.problem_id = winners.problem_id AND t.stage = 'race' AND t.status = 'ok'
          AND t.configuration_id <> o.configuration_id LIMIT 1)
    WHERE problem_id = (SELECT id FROM problems WHERE n = 5000);""")
P
cp a.db b.db
python3 twin.py b.db
dump() { python3 -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).iterdump(), sep="\n")' "$1"; }
sha256sum a.db b.db >before.sum

run "$TUNE" merge all.db a.db b.db
expect_code 0
expect_err '^a.db: 1 device, 2 problems, [0-9]+ trials, 2 winners added$'
expect_err '^b.db: 1 device, 0 problems, [0-9]+ trials, 2 winners added$'
sha256sum --check --quiet before.sum || fail "what was merged was changed"
[[ $(echo all.db.merge-*) == 'all.db.merge-*' ]] || fail "copies were left"
dump all.db >once
run "$TUNE" merge all.db b.db a.db
expect_code 0
dump all.db | cmp - once || fail "merging again changed something"
python3 - <<'P' || fail "rows were lost"
import sqlite3
one, all = sqlite3.connect("a.db"), sqlite3.connect("all.db")
count = lambda db, t: db.execute(f"SELECT count(*) FROM {t}").fetchone()[0]
for table, times in [("problems", 1), ("configurations", 1), ("experiments", 1), ("runs", 2),
                     ("trials", 2), ("samples", 2), ("resources", 2), ("winners", 2),
                     ("contenders", 2), ("rounds", 2), ("ranges", 2), ("range_checks", 2),
                     ("baselines", 2), ("gauntlets", 2), ("searches", 2), ("ceilings", 2),
                     ("arithmetic_ceilings", 2), ("peers", 2)]:
    assert count(all, table) == times * count(one, table), table
assert not all.execute("PRAGMA foreign_key_check").fetchall()
# Columns, too: what a run was started by, what other implementations took.
for what in ("SELECT command FROM runs", "SELECT operations, operations_type FROM problems",
             "SELECT problem_key, n, l2_mode, name, time_ns, mad_ns, tuned_ns, ratio, ratio_low, ratio_high, rounds,"
             " source, imported_at FROM peers", "SELECT type, gops FROM arithmetic_ceilings"):
    rows = one.execute(what).fetchall()
    assert rows and None not in rows[0] and set(rows) == set(all.execute(what)), what
# Each winner still stands for the same configuration and time.
question = """SELECT d.uuid, p.n, c.key, t.median_ns, (SELECT count(*) FROM samples AS s WHERE s.trial_id = t.id)
    FROM winners AS w JOIN trials AS t ON t.id = w.trial_id JOIN problems AS p ON p.id = t.problem_id
    JOIN configurations AS c ON c.id = t.configuration_id
    JOIN environments AS e ON e.id = t.environment_id JOIN devices AS d ON d.id = e.device_id"""
parts = [row for name in ("a.db", "b.db") for row in sqlite3.connect(name).execute(question)]
assert sorted(parts) == sorted(all.execute(question)), "winners"
P
run "$TUNE" show --compare --db all.db --json
expect_code 0
expect_json 'sorted((r["n"], r["move"] == "same") for r in j)' '[(1000, True), (5000, False)]'
expect_json 'all(0.099 < r["more"] < 0.101 for r in j if r["move"] == "same")' True

# The newer of two measurements stays, whichever comes first.
cp a.db newer.db
python3 -c 'import sqlite3
db = sqlite3.connect("newer.db")
db.execute("UPDATE trials SET median_ns = 12345, measured_at = \"2999-01-01T00:00:00Z\" WHERE stage = \"race\"")
db.execute("UPDATE peers SET time_ns = 54321, imported_at = \"2999-01-01T00:00:00Z\"")
db.execute("UPDATE arithmetic_ceilings SET gops = gops / 2 WHERE type = \"f32\"")
db.execute("UPDATE problems SET operations = NULL, operations_type = NULL WHERE n = 1000")
db.commit()'
for order in 'a.db newer.db' 'newer.db a.db'; do
    rm -f two.db
    # shellcheck disable=SC2086 # two words
    run "$TUNE" merge two.db $order
    expect_code 0
    cp two.db tune.db
    [[ $(query "SELECT count(*) FROM trials WHERE stage = 'race' AND median_ns <> 12345") -eq 0 ]] ||
        fail "an older measurement won"
    [[ $(query "SELECT time_ns FROM peers") == 54321.0 ]] || fail "an older peer won"
    [[ $(query "SELECT operations, operations_type FROM problems ORDER BY n") == $'1000.0 i32\n5000.0 i32' ]] ||
        fail "operations that one of them knew"
    halved=$(query "SELECT gops FROM arithmetic_ceilings WHERE type = 'f32'")
    cp a.db tune.db
    [[ $(query "SELECT gops FROM arithmetic_ceilings WHERE type = 'f32'") == "$halved" ]] || fail "the lower of a second"
done

# An older schema, as recorded; a damaged file is refused before any row is taken.
unpack "$TUNE_SOURCE/db/recorded/nvidia-h200/gemm.db.xz" >old.db
python3 -c 'import sqlite3
db = sqlite3.connect("old.db")
assert db.execute("PRAGMA user_version").fetchone()[0] < 6
db.execute("UPDATE winners SET floor = 0.2, trust = \"noisy\", trust_reason = \"as it was\" WHERE trial_id = (SELECT max(trial_id) FROM winners)")
db.commit()'
sha256sum old.db >before.sum
run "$TUNE" merge all.db old.db
expect_code 0
sha256sum --check --quiet before.sum || fail "the older database was changed"
# A choice that an older tune called noisy, but with two timings that differ by more than 10 %, is not sure.
cp all.db tune.db
[[ $(query "SELECT count(*) > 0, sum(trust <> 'unstable' OR trust_reason NOT LIKE 'Not sure: %') FROM winners
    WHERE floor > 0.1 AND problem_id IN (SELECT id FROM problems WHERE key LIKE 'gemm%')") == '1 0' ]] ||
    fail "noise is called usable: $(query "SELECT floor, trust, trust_reason FROM winners WHERE floor > 0.1")"
dump all.db >with_old
python3 - <<'P'
data = bytearray(open("b.db", "rb").read())
for at in range(len(data) // 2, len(data) // 2 + 20000):
    data[at] = (data[at] * 7 + 13) % 256
open("broken.db", "wb").write(data)
open("cut.db", "wb").write(open("b.db", "rb").read()[:-5000])
P
cp b.db dangling.db
python3 -c 'import sqlite3
db = sqlite3.connect("dangling.db")
db.execute("DELETE FROM problems WHERE n = 5000")
db.commit()'
python3 twin.py newer.db
for bad in broken.db cut.db dangling.db; do
    golden_refusal "$TUNE" merge all.db newer.db $bad
    dump all.db | cmp - with_old || fail "something was taken beside $bad"
done
echo no database >text.db
run "$TUNE" merge all.db text.db
expect_code 3
run "$TUNE" merge all.db all.db
expect_code 2
run "$TUNE" merge
expect_code 2
run "$TUNE" merge all.db
expect_code 2

# Problems with many timed points are exported in a moment, not in minutes.
unpack "$TUNE_SOURCE/db/recorded/nvidia-h200/tune.db.xz" >large.db
run "$TUNE" merge large.db old.db
expect_code 0
run timeout 60 "$TUNE" export --db large.db -o large.conf
expect_code 0
expect_golden
