#!/bin/bash
# tune plot: which figures, of what, into which files; without gnuplot; wrong words.
source "$TUNE_TESTS/lib.sh"
fixture=$TUNE_BUILD/tests/make_fixture
[[ -x $fixture ]] || exit 77

# Nothing to read, and nothing in it.
run "$TUNE" plot
expect_code 3
expect_one_line err
expect_err 'tune\.db'
"$fixture" tune.db

run "$TUNE" plot --list
expect_code 0
expect_out '^occupancy +[A-Z]'
expect_out '^grid_block +[A-Z]'
expect_empty err

# Wrong words: one line with the nearest right one.
run "$TUNE" plot ocupancy
expect_code 3
expect_err "did you mean 'occupancy'\?"
run "$TUNE" plot --formt png
expect_code 2
expect_one_line err
expect_err "did you mean '--format'\?"
run "$TUNE" plot --format gif
expect_code 2
expect_err 'png and svg'
run "$TUNE" plot --n 5
expect_code 3
expect_one_line err
expect_err 'n = 5; measured: '
run "$TUNE" plot --device 'GTX 0'
expect_code 3
expect_err 'measured: Fixture GPU'
run "$TUNE" plot --l2 warm
expect_code 2
for left in *.png *.svg *.tsv; do
    refuse_file "$left"
done

# The rows need no gnuplot; pictures say what to install.
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

# A folder in which nobody may make a file.
run "$TUNE" plot --data -o /sys/figures
expect_code 5
expect_err '/sys/figures'

command -v gnuplot >/dev/null || exit 0
run "$TUNE" plot -o 'a folder'
expect_code 0
for figure in occupancy grid_block size; do
    for format in png svg; do
        file="a folder/$figure-$key-$n.$format"
        expect_file "$file"
        expect_out "^$file\$"
    done
    grep -q 'Fixture GPU' "a folder/$figure-$key-$n.svg" || fail "no device on $figure"
    [[ $(head -c 4 "a folder/$figure-$key-$n.png") == $'\x89PNG' ]] || fail "$figure: not a PNG"
done
# What this device cannot have is said, once, and is no failure.
expect_err '^tune plot: threads: nothing to draw '
run "$TUNE" plot threads
expect_code 3
expect_empty out
[[ -z $(find "$TMPDIR" -name "tune-plot*") ]] || fail "something is left in $TMPDIR"

# A full disk behind standard output.
code=0
"$TUNE" plot size --format png >/dev/full 2>full.err || code=$?
command_line="tune plot >/dev/full"
[[ $code -eq 5 ]] || fail "exit code $code, not 5"
