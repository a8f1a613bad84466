#!/bin/bash
# tune plot: the figures, their subjects and files; as text; of each device; wrong words; without gnuplot, with
# one that is old or lacks a format.
source "$TUNE_TESTS/lib.sh"
fixture=$TUNE_BUILD/tests/make_fixture
[[ -x $fixture ]] || exit 77

# No database, and an empty one.
golden "$TUNE" plot
"$fixture" tune.db

golden "$TUNE" plot --list

# Wrong words: one line with the nearest right one.
golden "$TUNE" plot ocupancy
golden "$TUNE" plot --formt png
golden "$TUNE" plot --format gif
golden "$TUNE" plot --n 5
golden "$TUNE" plot --device 'GTX 0'
golden "$TUNE" plot --l2 warm
for mode in stream dirty; do # modes that 'tune run' has
    golden "$TUNE" plot --l2 "$mode"
done
for left in *.png *.svg *.tsv; do
    refuse_file "$left"
done

# The rows need no gnuplot; pictures name the package to install.
key=$(query "SELECT key FROM problems ORDER BY n DESC, id LIMIT 1")
n=$(query "SELECT max(n) FROM problems")
run env PATH=/nonexistent "$TUNE" plot occupancy --data
expect_code 0
expect_out "^occupancy-$key-$n\.tsv\$"
expect_file "occupancy-$key-$n.tsv"
expect_err "$key, n = $n, L2 cold, on Fixture GPU"
run env PATH=/nonexistent "$TUNE" plot
expect_code 4
expect_err 'gnuplot is not installed: apt-get install gnuplot-nox, or use --data'
expect_empty out

# A folder in which no one can create a file.
golden_refusal "$TUNE" plot --data -o /sys/figures

# A gnuplot that is too old prints no message of ours; style.gp tests its version. One without a format makes
# the others. Stand-ins of both, as the scripts find them.
mkdir bin
stand_in() {
    printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot
    chmod +x bin/gnuplot
}
stand_in "echo 'tune old: gnuplot 5.4 or later is needed, and this is 4.6' >&2; exit 1"
run env PATH="$PWD/bin:$PATH" "$TUNE" plot
expect_code 4
expect_err '^tune plot: gnuplot 5.4 or later is needed, and this is 4.6'
expect_empty out
[[ $(wc -l <"$captured.err") -eq 2 ]] || fail "said more than once"
stand_in "grep -q \"^format = 'pdf'\" variables.gp && { echo 'tune lacks: built without pdfcairo' >&2; exit 1; }
echo '<svg />' >figure.svg"
run env PATH="$PWD/bin:$PATH" "$TUNE" plot occupancy size --format svg,pdf -o lacking
expect_code 4
expect_err '^tune plot: built without pdfcairo$'
[[ $(grep -c pdfcairo "$captured.err") -eq 1 ]] || fail "said more than once"
expect_err 'not every figure was drawn'
expect_file "lacking/occupancy-$key-$n.svg"
expect_file "lacking/size-$key-$n.svg"
# One figure that gnuplot stumbles on keeps none of the others.
stand_in "for last; do :; done
[ \$last = plots/size.gp ] && { echo '\"plots/size.gp\" line 3: no such thing' >&2; exit 1; }
echo '<svg />' >figure.svg"
run env PATH="$PWD/bin:$PATH" "$TUNE" plot --format svg -o stumbling
expect_code 1
expect_err 'size: gnuplot: "plots/size.gp" line 3: no such thing'
expect_err 'not every figure was drawn'
expect_file "stumbling/occupancy-$key-$n.svg"
expect_file "stumbling/stability-$key-$n.svg"
refuse_file "stumbling/size-$key-$n.svg"

command -v gnuplot >/dev/null || exit 0
run "$TUNE" plot -o 'a folder'
expect_code 0
for figure in occupancy grid_block size; do
    for format in png svg; do
        file="a folder/$figure-$key-$n.$format"
        expect_file "$file"
        expect_out "^$file\$"
    done
    for word in 'Fixture GPU' "L2 cold" 'tune.db' "$key"; do
        grep -q "$word" "a folder/$figure-$key-$n.svg" || fail "no $word on $figure"
    done
    [[ $(head -c 4 "a folder/$figure-$key-$n.png") == $'\x89PNG' ]] || fail "$figure: not a PNG"
done
# A figure that this device cannot have is reported, once, and is no failure.
expect_err '^tune plot: threads: nothing to draw '
run "$TUNE" plot threads
expect_code 3
expect_empty out
golden_refusal "$TUNE" plot size threads --format svg -o two
expect_file "two/size-$key-$n.svg"
[[ -z $(find "$TMPDIR" -name "tune-plot*") ]] || fail "something is left in $TMPDIR"

run "$TUNE" plot size --format pdf -o 'a folder'
expect_code 0
[[ $(head -c 5 "a folder/size-$key-$n.pdf") == %PDF- ]] || fail "not a PDF"

# As text: as wide as the terminal, without colours if stdout is none; no file.
mkdir text
cd text || exit 1
run env COLUMNS=80 "$TUNE" plot size occupancy --terminal --db ../tune.db
expect_code 0
expect_out "^ +Problem size and throughput: $key$"
expect_out 'Fixture GPU, .*, tune.db'
expect_out 'winner'
expect_out 'throughput \(GB/s\), median'
refuse_control=$(grep -c $'[\x1b\f]' "$captured.out") || true
[[ $refuse_control -eq 0 ]] || fail "control characters"
python3 - "$captured.out" <<'P' || fail "lines that are longer than the terminal, or none that use it"
import sys
longest = max(len(line.rstrip("\n")) for line in open(sys.argv[1], encoding="utf-8"))
sys.exit(not 60 < longest < 80)
P
# The names of the axes are whole in 80 columns: none left out, none run into another.
run env COLUMNS=80 "$TUNE" plot blocks occupancy search --terminal --db ../tune.db
expect_code 0
[[ $(grep -cE '^ +throughput \(GB/s\), median( |$)' "$captured.out") -eq 2 ]] || fail "the name of an axis is not whole"
expect_out '#SM x 2 = [0-9]+$'
expect_out '^ +time; the best: [0-9.]+ [^ ]{1,2}s'
[[ -z $(ls) ]] || fail "a file was made"
cd ..
if command -v script >/dev/null; then
    colours() {
        script -qec "stty cols 90; $* TERM=xterm-256color '$TUNE' plot size --terminal" /dev/null </dev/null | grep -c $'\x1b\[38;5' || true
    }
    [[ $(colours env -u NO_COLOR) -gt 5 ]] || fail "no colours on a terminal"
    [[ $(colours NO_COLOR=1) -eq 0 ]] || fail "colours in spite of NO_COLOR"
fi

# Each device of the database has files of its own; a missing figure is no failure.
cp tune.db several.db
other=$(python3 - <<'P'
import sqlite3
sql = sqlite3.connect("several.db")
def twin(table, **changed):
    row = sql.execute(f"SELECT * FROM {table} ORDER BY id LIMIT 1")
    values = {column[0]: value for column, value in zip(row.description, row.fetchone())}
    values.update(changed, id=1000)
    sql.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", list(values.values()))
twin("devices", uuid="other", name="Größe `µ`\n$(touch pwned)'")
twin("environments", device_id=1000)
problem, key, n = sql.execute("SELECT id, key, n FROM problems ORDER BY n, id LIMIT 1").fetchone()
sql.execute("UPDATE trials SET environment_id = 1000 WHERE problem_id = ?", (problem,))
sql.execute("UPDATE winners SET environment_id = 1000 WHERE problem_id = ?", (problem,))
sql.commit()
print(f"{key}-{n}")
P
)
run "$TUNE" plot size occupancy --device all --format svg -o all --db several.db
expect_code 0
expect_file "all/size-$key-$n-Fixture_GPU.svg"
expect_file "all/size-$other-Gr____e________touch_pwned__.svg"
grep -qF 'Größe  µ  $(touch pwned) , ' "all/size-$other-Gr____e________touch_pwned__.svg" || fail "no name in UTF-8"
python3 -c 'import sys, xml.dom.minidom; [xml.dom.minidom.parse(f) for f in sys.argv[1:]]' all/*.svg ||
    fail "no XML"
expect_err '^tune plot: .* on Größe .* measured '
refuse_file pwned
refuse_file all/pwned
run "$TUNE" plot size --device all --problem no.such --format svg --db several.db
expect_code 3

# A full disk behind standard output.
code=0
"$TUNE" plot size --format png >/dev/full 2>full.err || code=$?
command_line="tune plot >/dev/full"
[[ $code -eq 5 ]] || fail "exit code $code, not 5"
expect_golden
