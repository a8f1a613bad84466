#!/bin/bash
# Completion: the program's answers, and that bash, zsh and fish request them. A shell that is not
# installed is skipped.
source "$TUNE_TESTS/lib.sh"

# offers WORD... : the words that the program offers for the last, sorted, in one line.
offers() {
    "$TUNE" __complete "$@" | cut -f 1 | LC_ALL=C sort -u | paste -s -d ' '
}
# expect_offers 'WANTED' WORD...
expect_offers() {
    local got
    got=$(offers "${@:2}")
    [[ $got == "$1" ]] || fail "tune ${*:2}: '$got', not '$1'"
}
expect_offers_of() {
    local got
    got=$(offers "${@:2}")
    [[ " $got " == *" $1 "* ]] || fail "tune ${*:2}: no '$1' in '$got'"
}

# Commands, options, values.
expect_offers ':files yaml json plot' pl
expect_offers '--version' --v
expect_offers '--no-report' run --no-r
expect_offers '--dialect' --dia
expect_offers 'quick' run --effort q
expect_offers '--effort=normal --effort=quick --effort=thorough' run --effort=
expect_offers 'normal' check --effort = n
expect_offers 'quick' --effort q
expect_offers 'cold dirty hot stream' run --l2 ''
expect_offers 'race_z=' run --set race_z
expect_offers 'edp energy' show --objective e
expect_offers 'sm_90' init --arch sm_9
expect_offers ':folders' plot -o ''
expect_offers ':files' export -o ''
expect_offers ':files db' show --db ''
expect_offers ':files db' merge ''
expect_offers ':files cu' init ''
expect_offers '' run --seed ''
expect_offers 'replay' run --device r
expect_offers 'timed_out' run --retry t
expect_offers 'crashed,timed_out' run --retry crashed,t
while read -r strategy _; do
    expect_offers_of "$strategy" run --strategy ''
done < <("$TUNE" run --list-strategies)

# Every option of every command is offered, and a command that is none is run's.
for command in $("$TUNE" __complete '' | sed -n '/^:/d;s/\t.*//p'); do
    "$TUNE" "$command" --help | sed -n '/^options:/,$p' | grep -oE '^  +(-[a-zA-Z], )?--[a-z0-9-]+' |
        grep -oE -- '--[a-z0-9-]+' | LC_ALL=C sort -u >wanted
    "$TUNE" __complete "$command" -- | cut -f 1 | LC_ALL=C sort -u >offered
    diff wanted offered || fail "options of $command"
done

# Figures and their formats.
while read -r figure _; do
    expect_offers_of "$figure" plot ''
done < <("$TUNE" plot --list)
expect_offers 'influence' plot infl
expect_offers 'pdf png svg' plot --format ''
expect_offers 'png,svg' plot --format png,s

# Experiments and problems: shipped ones to run, those of the database to show.
expect_offers_of reduce.sum.f32 run reduce.sum.
expect_offers_of reduce red
expect_offers '' show ''
"$TUNE_BUILD/tests/make_fixture" 'my own.db'
mapfile -t problems < <(python3 -c 'import sqlite3
for row in sqlite3.connect("my own.db").execute("SELECT DISTINCT key FROM problems"): print(*row)')
mapfile -t sizes < <(python3 -c 'import sqlite3
for row in sqlite3.connect("my own.db").execute("SELECT DISTINCT n FROM problems"): print(*row)')
[[ ${#problems[@]} -gt 0 && ${#sizes[@]} -gt 1 ]] || fail "an empty database"
for problem in "${problems[@]}"; do
    expect_offers_of "$problem" show --db 'my own.db' ''
    expect_offers_of "$problem" report '--db=my own.db' "${problem:0:3}"
    expect_offers_of "$problem" plot --db 'my own.db' --problem ''
done
for size in "${sizes[@]}"; do
    expect_offers_of "$size" show --db 'my own.db' --n ''
done
expect_offers '' show --db missing.db ''
refuse_file missing.db
refuse_file tune.db

# ---- the shells ----
mkdir bin folder
ln -s "$TUNE" bin/tune
export PATH=$PWD/bin:$PATH
: >other.txt
source "$TUNE_SOURCE/tuner/cli/completion/tune.bash"
# bash_offers WORD...
bash_offers() {
    COMP_WORDS=(tune "$@")
    COMP_CWORD=$#
    _tune
    printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -s -d ' '
}
[[ $(bash_offers plot infl) == influence ]] || fail "bash: figures: $(bash_offers plot infl)"
[[ $(bash_offers run --effort = n) == normal ]] || fail "bash: --effort=n: $(bash_offers run --effort = n)"
[[ $(bash_offers show --db '') == 'bin folder my own.db' ]] || fail "bash: files: $(bash_offers show --db '')"
[[ $(bash_offers plot -o f) == folder ]] || fail "bash: folders: $(bash_offers plot -o f)"
[[ $(bash_offers run --set race_z) == race_z= ]] || fail "bash: numbers: $(bash_offers run --set race_z)"

if command -v fish >/dev/null; then
    fish_offers() {
        fish --no-config -c "source $TUNE_SOURCE/tuner/cli/completion/tune.fish; complete -C '$1'" | cut -f 1 | LC_ALL=C sort | paste -s -d ' '
    }
    [[ $(fish_offers 'tune plot infl') == influence ]] || fail "fish: figures: $(fish_offers 'tune plot infl')"
    [[ $(fish_offers 'tune run --effort=n') == --effort=normal ]] || fail "fish: $(fish_offers 'tune run --effort=n')"
    [[ $(fish_offers 'tune plot --format png,s') == png,svg ]] || fail "fish: $(fish_offers 'tune plot --format png,s')"
    [[ $(fish_offers 'tune show --db ') == 'bin/ folder/ my own.db' ]] || fail "fish: files: $(fish_offers 'tune show --db ')"
    [[ $(fish_offers 'tune plot -o f') == folder/ ]] || fail "fish: folders: $(fish_offers 'tune plot -o f')"
else
    echo "no fish here"
fi

# zsh completes only at a terminal.
if command -v zsh >/dev/null; then
    python3 - "$TUNE_SOURCE/tuner/cli/completion" <<'P' || fail "zsh"
import fcntl, os, pty, select, struct, sys, termios, time
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", PS1="> ")
    os.execvp("zsh", ["zsh", "-f", "-i"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
text = ""
def wait(wanted, seconds=60):
    global text
    end = time.monotonic() + seconds
    while wanted not in text:
        if time.monotonic() > end:
            sys.exit("no %r in %r" % (wanted, text))
        if select.select([terminal], [], [], 1)[0]:
            text += os.read(terminal, 65536).decode(errors="replace")
    text = text.split(wanted, 1)[1]
os.write(terminal, b"fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep; echo rea''dy\n" % sys.argv[1].encode())
wait("ready")
# Each is typed, completed, and printed by echo in front of it.
for typed, wanted in (("plot infl", "<plot influence>"), ("run --effort=n", "<run --effort=normal>"),
                      ("plot --format png,s", "<plot --format png,svg>"),
                      ("run --set race_z", "<run --set race_z=>"),
                      ("show --db my", "<show --db my\\ own.db>"), ("plot -o fol", "<plot -o folder>")):
    os.write(terminal, b"tune " + typed.encode() + b"\t")
    # ^A and a command in front, which prints the line as it stands.
    time.sleep(0.5)
    os.write(terminal, b"\x01print -r -- '<\x05>'\n")
    wait(wanted.replace("<", "<tune "))
os.write(terminal, b"exit\n")
P
else
    echo "no zsh here"
fi
