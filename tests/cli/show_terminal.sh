#!/bin/bash
# tune show on a terminal: colour where it is wanted, words all the same, tables and sentences broken to the width;
# a pipe is as wide as a terminal of 100 columns, and with --wide as wide as it gets.
source "$TUNE_TESTS/lib.sh"
"$TUNE_BUILD/tests/make_fixture" tune.db

# on_terminal.py COLUMNS COMMAND...: runs it on a terminal of its own; copies its output to stdout.
cat >on_terminal.py <<'P'
import fcntl, os, pty, struct, sys, termios
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(sys.argv[1]), 0, 0))
child = os.fork()
if child == 0:
    os.close(master)
    os.dup2(slave, 1)
    os.execvp(sys.argv[2], sys.argv[2:])
os.close(slave)
out = b""
while True:
    try:
        some = os.read(master, 65536)
    except OSError:  # the last to hold it has closed it
        break
    if not some:
        break
    out += some
sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
P
escape=$'\033['
plain() {
    sed 's/\x1b\[[0-9]*m//g' "$captured.out"
}
words() {
    tr -s ' \n' '\n' | sort
}
unset NO_COLOR
export TERM=xterm

# ---- colour ----
for question in '' --wide --why --baselines '--top 5' --trust --ties --failures --runs --searches --ranges '--trial 1'; do
    # shellcheck disable=SC2086 # words
    run "$TUNE" show $question
    expect_code 0
    ! grep -qF "$escape" "$captured.out" || fail "colour in a pipe: $question"
    cp "$captured.out" piped
    # shellcheck disable=SC2086
    run python3 on_terminal.py 100 "$TUNE" show $question
    expect_code 0
    plain >coloured
    # A pipe has no width with --wide, nor for the line to forward: blanks and line ends count as one.
    if [[ -z $question || $question == --wide ]]; then
        words <piped >piped.words
        words <coloured | cmp piped.words - || fail "other words on a terminal: $question"
    else
        cmp piped coloured || fail "another page on a terminal: $question"
    fi
done
run python3 on_terminal.py 500 "$TUNE" show
expect_out "${escape//[/\\[}32msure${escape//[/\\[}0m"
expect_out "${escape//[/\\[}31mnot sure${escape//[/\\[}0m"
run python3 on_terminal.py 500 "$TUNE" show --wide
expect_out "^${escape//[/\\[}1mFixture GPU${escape//[/\\[}0m, driver"
expect_out "${escape//[/\\[}32msure${escape//[/\\[}0m"
expect_out "${escape//[/\\[}33mnearly sure${escape//[/\\[}0m"
expect_out "${escape//[/\\[}31mnot sure${escape//[/\\[}0m"
run python3 on_terminal.py 500 "$TUNE" show --wide --failures
expect_out "${escape//[/\\[}31mlaunch_failed${escape//[/\\[}0m"
# Every colour ends before the line does.
run python3 on_terminal.py 80 "$TUNE" show
cp "$captured.out" winners
run python3 on_terminal.py 500 "$TUNE" show --wide --why
cat winners >>"$captured.out"
! grep -E "${escape//[/\\[}[1-9][0-9]*m" "$captured.out" | grep -qvE "${escape//[/\\[}0m[^"$'\033'"]*$" || fail "a colour runs on"

without_colour() {
    run "$@"
    expect_code 0
    ! grep -qF "$escape" "$captured.out" || fail "colour where none was wanted"
}
NO_COLOR=1 without_colour python3 on_terminal.py 500 "$TUNE" show
TERM=dumb without_colour python3 on_terminal.py 500 "$TUNE" show
without_colour env -u TERM python3 on_terminal.py 500 "$TUNE" show
without_colour python3 on_terminal.py 500 "$TUNE" show --json
without_colour python3 on_terminal.py 500 "$TUNE" show --csv
without_colour python3 on_terminal.py 500 "$TUNE" show --why --json
NO_COLOR='' run python3 on_terminal.py 500 "$TUNE" show
grep -qF "$escape" "$captured.out" || fail "an empty NO_COLOR counts as none"

# ---- width: what is too wide goes on in the next line of its column; nothing is cut ----
# tables: all but the last paragraph, the line to forward.
tables() {
    awk -v RS= 'NR > 1 { print before } { before = $0 }'
}
run "$TUNE" show
cp "$captured.out" piped
for columns in 80 100 140; do
    run python3 on_terminal.py $columns "$TUNE" show
    plain >narrow
    sed '$d' narrow | awk -v most=$columns 'length($0) > most { exit 1 }' || fail "a line is wider than $columns columns"
    cmp <(words <piped) <(words <narrow) || fail "other words in $columns columns"
    ! grep -q ' $' narrow || fail "a blank at the end of a line"
    [[ $columns -ne 100 ]] || cmp <(tables <piped) <(tables <narrow) || fail "a pipe is not as wide as a terminal of 100"
done
# Aligned: a continued cell begins at its column.
run python3 on_terminal.py 80 "$TUNE" show fixture.sum.i32
plain >narrow
awk '/verdict/ { at = index($0, "launch") } at && /^ +[a-z_]+=/ { more++; if (match($0, /[^ ]/) != at) exit 1 } END { exit !more }' narrow ||
    fail "a launch does not go on below itself"
COLUMNS=60 run "$TUNE" show
cmp piped "$captured.out" || fail "COLUMNS changes what a pipe gets"
run "$TUNE" show --wide
cp "$captured.out" piped
run python3 on_terminal.py 165 "$TUNE" show --wide
plain >narrow
awk 'length($0) > 165 { exit 1 }' narrow || fail "a line is wider than the terminal"
cmp <(words <piped) <(words <narrow) || fail "--wide has other words on a terminal"
[[ $(grep -c '^fixture\.sum' piped) -eq 6 ]] || fail "in a pipe a row of --wide is not a line"
run python3 on_terminal.py 60 "$TUNE" show --wide --why fixture.sum.i32 --n 2**26
plain >cut.txt
grep -E '^(limit|configuration|- |  [^ ])' cut.txt | awk 'length($0) > 60 { exit 1 }' || fail "a sentence is not broken to the width"
grep -qE '[^ ] $' cut.txt && fail "a blank at the end of a line"

# ---- tables of other scripts are aligned as they are seen ----
python3 - <<'P'
import sqlite3
d = sqlite3.connect("tune.db")
d.execute("UPDATE problems SET key = '合計.' || substr(key, 13) WHERE key = 'fixture.sum.i32'")
d.execute("UPDATE problems SET key = 'é' || char(101, 769) || 'n' WHERE key = 'fixture.sum.f32'")
d.commit()
P
cat >aligned.py <<'P'
import sys, unicodedata
def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
lines = sys.stdin.read().splitlines()[1:]
assert len(lines) == 7 and any("合計" in line for line in lines), lines
assert len({width(line.split("variant=")[0]) for line in lines[1:]}) == 1, lines
P
run "$TUNE" show --wide
python3 aligned.py <"$captured.out" || fail "columns do not stand below one another"
# Text that is no UTF-8, or would control the terminal, does neither.
python3 - <<'P'
import sqlite3
d = sqlite3.connect("tune.db")
d.execute("UPDATE problems SET key = CAST(x'ff1b5b33316dc29b33316d' AS TEXT) || key WHERE n = 65536")
d.commit()
P
for wide in '' --wide; do
    # shellcheck disable=SC2086 # no word, or one
    run "$TUNE" show $wide
    expect_code 0
    ! grep -qP '\x1b|\xc2\x9b' "$captured.out" || fail "a name commands the terminal"
done
