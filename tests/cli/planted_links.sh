#!/bin/bash
# In a folder open to all, links, logs and folders that another user planted are not written through.
source "$TUNE_TESTS/lib.sh"
[[ $(id -u) -eq 0 ]] || { echo "needs root, to be two users"; exit 77; }
write_experiment
stranger=65534

# A folder like /tmp, and files that must not be touched.
mkdir open precious
chmod 1777 open
for file in conf db schema figure; do echo "precious" >"precious/$file"; done
plant() { # TARGET LINK
    ln -s "$1" "$2"
    chown -h "$stranger" "$2"
}
untouched() {
    for file in precious/*; do
        [[ $(cat "$file") == precious ]] || fail "$file was written to"
    done
}

run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000
expect_code 0

# Remains of killed programs are removed by the next run: of replays, in TMPDIR, and of merges.
mkdir -p "$TMPDIR"/tune-replay-abc123/copy.db.migrate-abc123 tune.db.merge-abc123 tune.db.merge-backup-2
touch "$TMPDIR"/tune-replay-abc123/copy.db.migrate-abc123/copy.db tune.db.merge-abc123/1.db
ln -s "$PWD/precious" "$TMPDIR/tune-replay-abc123/copy.db.migrate-abc123/link"
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000
expect_code 0
refuse_file "$TMPDIR/tune-replay-abc123"
refuse_file tune.db.merge-abc123
[[ -d tune.db.merge-backup-2 ]] || fail "a folder that is not ours was removed"
untouched

plant "$PWD/precious/conf" open/tuned.conf
golden "$TUNE" export --output open/tuned.conf
untouched

plant "$PWD/precious/db" open/tune.db
plant "$PWD/precious/new" open/new.db
plant "$PWD/precious" open/folder
for database in open/tune.db open/new.db open/folder/other.db; do
    golden_refusal "$TUNE" run double.yaml --device cpu "${steady[@]}" --db "$database"
done
refuse_file precious/new
refuse_file precious/other.db
untouched

# A log that would be played into the database.
cp tune.db open/mine.db
echo "not ours" >open/mine.db-wal
chown "$stranger" open/mine.db-wal
golden_refusal "$TUNE" show --db open/mine.db
rm open/mine.db-wal

# The rows behind the figures.
run "$TUNE" plot --data --output open
expect_code 0
name=$(head -1 "$captured.out")
rm "$name"
plant "$PWD/precious/figure" "$name"
run "$TUNE" plot --data --output open
[[ $code -ne 0 ]] || fail "the planted link was written over"
expect_err 'symbolic link that another user'
untouched

# The cache.
plant "$PWD/precious" open/cache
run env TUNE_CACHE_DIR="$PWD/open/cache" "$TUNE" run double.yaml --device cpu "${steady[@]}" --db new.db
expect_code 5
expect_err 'symbolic link that another user'
run env TUNE_CACHE_DIR="$PWD/open" "$TUNE" run double.yaml --device cpu "${steady[@]}" --db new.db
expect_code 5
expect_err 'others may write there'
[[ $(stat -c %a open) == 1777 ]] || fail "the mode of a folder that the user named was changed"

mkdir -m 700 precious/cache
mkdir loose
mv precious/cache loose/
chmod 777 loose
run env TUNE_CACHE_DIR="$PWD/loose/cache" "$TUNE" run double.yaml --device cpu "${steady[@]}" --db new.db
expect_code 5
expect_err 'loose/cache: others may put their own cache in its place'

# One's own links are followed, and stay links.
mkdir elsewhere
ln -s "$PWD/elsewhere/real.conf" open/own.conf
ln -s "$PWD/elsewhere/real.db" open/own.db
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --db open/own.db --conf open/own.conf
expect_code 0
[[ -L open/own.conf && -L open/own.db ]] || fail "a link was replaced"
expect_file elsewhere/real.conf
expect_file elsewhere/real.db
expect_golden
