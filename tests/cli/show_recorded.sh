#!/bin/bash
# Recordings of real devices in tune show: piped and on terminals of 80, 100 and 132 columns no line is longer, except
# the piped one to forward, and the launch of each winner is complete, with all of its parameters. Every question fits pages
# of 80 and 100 columns, a problem takes few lines, and the legend below the table has only present words. The sizes of
# --ranges are those of tuned.conf, with its configurations.
source "$TUNE_TESTS/lib.sh"
cat >page.py <<'P'
import fcntl, json, os, pty, re, struct, subprocess, sys, termios

tune, width, question = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width or 100, 0, 0))
child = subprocess.Popen([tune, "show", *question], stdout=slave if width else subprocess.PIPE)
os.close(slave)
page = b"" if width else child.stdout.read()
while width:
    try:
        page += os.read(master, 1 << 16)
    except OSError:  # the last to hold it has closed it
        break
assert child.wait() == 0
page = re.sub(r"\x1b\[[0-9;]*m", "", page.decode()).replace("\r\n", "\n")
long = [line for line in page.splitlines() if len(line) > (width or 100)]
assert all(not width and re.match(r"\d+ of \d+ problems?: ", line) for line in long), long
if question:
    sys.exit()
winners = json.loads(subprocess.run([tune, "show", "--json"], capture_output=True, text=True, check=True).stdout)
found = 0
for block in page.split("\n\n"):
    lines = block.splitlines()
    head = next((i for i, line in enumerate(lines) if re.match(r" *(n +)?time .* launch", line)), None)
    if head is None:
        continue
    title = " ".join(line.strip() for line in lines[:head])
    at, rows = lines[head].index("launch"), []
    for line in lines[head + 1:]:
        if re.match("(nearly sure|not sure|loss)[,:]", line):
            break
        if line[:at].strip():
            rows.append([int(line.split()[0]) if lines[head].split()[0] == "n" else 1, line[at:]])
        else:
            rows[-1][1] += " " + line[at:]
    shared = dict(one.split("=", 1) for one in title.split("all: ")[1].split()) if "all: " in title else {}
    own = [w for w in winners if w["problem"] == title.split(":")[0].split(" ")[0]]
    assert len(rows) == len(own) > 0, (title, rows)
    for (n, launch), winner in zip(rows, own):
        numbers, _, parameters = launch.partition(": ")
        told = {**shared, **dict(one.split("=", 1) for one in parameters.split())}
        wanted = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in winner["parameters"].items()}
        assert n == winner["n"] and told == wanted and numbers, (title, n, launch, wanted)
        found += 1
assert found == len(winners) > 0, (found, len(winners))
P
cat >entries.py <<'P'
import csv, re, subprocess, sys

rows = list(csv.DictReader(subprocess.run([sys.argv[1], "show", "--ranges", "--csv"], capture_output=True, text=True, check=True).stdout.splitlines()))
found = set()
for line in re.sub(r"\n\[[^\n]* for=all-other-sizes[^[]*", "\n", open("tuned.conf").read()).splitlines():
    entry = re.match(r"(\S+) n=(\d+)(?:-(\d+))? (.*?) \|", line)
    if entry:
        low, high = int(entry[2]), int(entry[3] or entry[2])
        at = [i for i, row in enumerate(rows) if row["problem"] == entry[1] and int(row["n_low"]) <= low and high <= int(row["n_high"])]
        assert len(at) == 1 and entry[4].startswith(rows[at[0]]["configuration"]), (line, [rows[i]["configuration"] for i in at])
        found.update(at)
assert len(found) == len(rows) > 0, [row for i, row in enumerate(rows) if i not in found]
P
# page QUESTION LINES: at most so many lines for each winner, and forty more.
page() {
    run "$TUNE" show "$1"
    expect_code 0
    awk 'length($0) > 100 { print; exit 1 }' "$captured.out" >long || fail "$recorded: show $1 is wider than 100 columns: $(cat long)"
    [[ $(wc -l <"$captured.out") -le $(($2 * winners + 40)) ]] || fail "$recorded: show $1 has $(wc -l <"$captured.out") lines for $winners winners"
    run python3 page.py "$TUNE" 80 "$1"
    # With long names, or of two boards, the columns that are always there need more.
    [[ $code -eq 0 || $recorded == */families || $recorded == boards ]] || fail "$recorded: show $1 is wider than a terminal of 80 columns"
    [[ $1 == --ties || $1 == --ranges ]] || return 0
    # "word, word: meaning" behind the last blank line: one of the words stands above it.
    tac "$captured.out" | sed '/^$/,$d' | sed -nE 's/^([a-z][^:]*): .*/\1/p' >legend
    tac "$captured.out" | sed '1,/^$/d' | tr -s ' \n' ' ' >above
    while IFS= read -r words; do
        grep -qE -- "${words//, /|}" above || fail "$recorded: show $1 explains '$words', which is not there"
    done <legend
}
# compare: two boards, side by side.
for board in nvidia-h100 nvidia-h200; do
    unpack "$TUNE_SOURCE/db/recorded/$board/tune.db.xz" >"$board.db"
done
run "$TUNE" merge tune.db nvidia-h100.db nvidia-h200.db
expect_code 0
recorded=boards winners=$("$TUNE" show --csv | tail -n +2 | wc -l)
page --compare 3
for recorded in nvidia-h100/tune nvidia-h200/families nvidia-h200/gemm-2048 nvidia-h200/t1 cpu-2-cores/tune; do
    rm -f tune.db*
    unpack "$TUNE_SOURCE/db/recorded/$recorded.db.xz" >old.db
    run "$TUNE" merge tune.db old.db
    expect_code 0
    winners=$("$TUNE" show --csv | tail -n +2 | wc -l)
    page --ties 14
    page --trust 20
    page --searches 1
    page --runs 1
    page --baselines 6
    page --ranges 6
    page --top=2 12
    page --why 90
    page --trial="$(query "SELECT max(id) FROM trials")" 40
    run "$TUNE" export -o tuned.conf
    expect_code 0
    python3 entries.py "$TUNE" || fail "$recorded: --ranges are not those of tuned.conf"
    # The winner is the first of its problem, and unlisted ones are counted.
    run "$TUNE" show --ties
    awk '/, n = |^[a-z][^ ]*: [0-9]+ /{ head = 1 } head && /^ *#/ { at = 1; head = 0; next } at && /^ *[0-9]+ / { if ($2 != "winner") exit 1; at = 0 }' "$captured.out" ||
        fail "$recorded: the winner is not first"
    for width in 0 80 100 132; do
        run python3 page.py "$TUNE" "$width"
        [[ $code -eq 0 ]] || fail "$recorded at $width columns"
    done
done
