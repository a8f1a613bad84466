# The unpacked files of a capture are executed: a folder that others can write is refused, and no file is written
# through a link.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/capture/lib.sh"
[[ $(id -u) -eq 0 ]] || { echo "needs root, to be two users"; exit 77; }
stranger=65534

capture app.cap --keep 2 -- link add
dry() { run "$TUNE" run --binary "$1" --device 0 --dry-run; }
dry app.cap
expect_code 0
[[ $(stat -c %a app.captured) == 700 ]] || fail "the folder is open to others"
[[ -z $(find app.captured -type f ! -perm 600) ]] || fail "files are open to others"

# Somebody else's folder in a place open to all; one's own that others may write to; one that others could rename.
mkdir -m 1777 open
cp app.cap open/
mkdir -m 777 open/app.captured
chown "$stranger" open/app.captured
dry open/app.cap
expect_code 5
expect_one_line err
expect_err "open/app.captured: the folder is another user's, or others may write to it"
[[ -z $(ls -A open/app.captured) ]] || fail "something was unpacked into another user's folder"
rmdir open/app.captured
mkdir open/app.captured
chmod 777 open/app.captured
dry open/app.cap
expect_code 5
rmdir open/app.captured
dry open/app.cap
expect_code 0
mkdir -m 777 loose
cp app.cap loose/
dry loose/app.cap
expect_code 5
expect_err 'loose/app.captured: others may put a folder of theirs in its place'
mkdir -m 755 theirs
cp app.cap theirs/
chown "$stranger" theirs
dry theirs/app.cap
expect_code 5

# Links planted in one's own folder are replaced, and their targets stay.
echo precious >precious
for file in app.captured/*; do ln -sf "$PWD/precious" "$file"; done
dry app.cap
expect_code 0
[[ $(cat precious) == precious ]] || fail "a link was written through"
[[ -z $(find app.captured -type l) ]] || fail "a link is taken for what was unpacked"
# So are files with another name elsewhere, and files of other owners; right ones keep their date.
touch -d 2020-01-01 app.captured/*
ln app.captured/image elsewhere
chown "$stranger" app.captured/app.yaml
dry app.cap
expect_code 0
[[ $(stat -c %h app.captured/image) -eq 1 && $(stat -c %u app.captured/app.yaml) -eq 0 ]] || fail "another's file is taken"
[[ -n $(find app.captured -name '*.before' -not -newermt 2021-01-01) ]] || fail "what was right was written anew"

# Binaries are made in the cache of the user, never where anybody could put another in their place.
mkdir -m 777 tmp
run env TMPDIR="$PWD/tmp" "$TUNE" run --binary app.cap --device 0 --effort quick --points 1 --no-report
expect_code 0
[[ -z $(find tmp -type f) ]] || fail "made where others may take it away: $(find tmp -type f)"
