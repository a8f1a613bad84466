#!/bin/bash
# Files of strangers and unusual surroundings have no effect on a terminal, a shell or the time.
source "$TUNE_TESTS/lib.sh"
write_experiment
escape=$'\033'
c1=$'\302\233' # U+009B, which begins a sequence as ESC [ does

# refuse_escapes FILE...: no text in it controls a terminal.
refuse_escapes() {
    ! grep -lE "$escape|$c1" "$@" || fail "control characters in it"
}

# Names that would clear the screen: in an experiment file, in T1, in a database, in a table, in another's lock.
sed 's/kernel: double_blocks/kernel: "a\\e[2Jb\\x9b2Jc"/; s/about: blocks/about: "x"\n    # blocks/' double.yaml >evil.yaml
run "$TUNE" run --dry-run evil.yaml --device cpu
refuse_escapes "$captured.out" "$captured.err"
expect_out 'a *\[2Jb *2Jc'
"$TUNE_BUILD/tests/make_fixture" tune.db
python3 -S - <<'P'
import sqlite3
d = sqlite3.connect("tune.db")
bad = "x\x1b[2J\u009b2J,y"
d.execute("UPDATE devices SET name = ?", (bad,))
d.execute("UPDATE problems SET ceiling = ? WHERE 0", (bad,))
for table, column in (("environments", "driver"), ("environments", "compiler")):
    d.execute(f"UPDATE {table} SET {column} = ?", (bad,))
d.commit()
P
for what in '' '--csv' '--trust' '--top 3' '--top 3 --csv' '--baselines' '--failures' '--ranges' '--why'; do
    # shellcheck disable=SC2086 # words
    run "$TUNE" show $what
    refuse_escapes "$captured.out" "$captured.err"
done
printf 'problem,n,name,time_ns\nfixture.sum.i32,67108864,a\033[2Jb,1000\n' >times.csv
golden_refusal "$TUNE" import times.csv
refuse_escapes "$captured.err"
run "$TUNE" show "no${escape}[2J${c1}2J" --db "none${c1}2J.db"
[[ $code -ne 0 ]] || fail "no failure"
refuse_escapes "$captured.err"

# The settings of somebody's project, and the names of files.
mkdir settings && cd settings || exit
printf 'objective: "\\e]0;pwned\\a\\e[31mred"\n' >tune.yaml
run "$TUNE" run reduce --device cpu --dry-run
[[ $code -ne 0 ]] || fail "it is taken"
expect_err 'by .*tune.yaml: --objective +\]0;pwned'
refuse_escapes "$captured.out" "$captured.err"
cd .. || exit
odd="odd${escape}[2J.yaml"
cp double.yaml "$odd"
sed '/^check:/,/tolerance/d' double.yaml >"unchecked-$odd"
for file in "$odd" "unchecked-$odd"; do
    run "$TUNE" run --dry-run "./$file" --device cpu
    refuse_escapes "$captured.out" "$captured.err"
done
run "$TUNE" show --db "none-$odd"
refuse_escapes "$captured.out" "$captured.err"
run "$TUNE" report --output "$odd.html"
refuse_escapes "$captured.out" "$captured.err"

# Data of a terabyte that is not there; a FIFO.
truncate -s 1T huge.bin
for data in huge.bin fifo; do
    [[ $data != fifo ]] || mkfifo fifo
    sed "s/fill: random/fill: {file: $data}/" double.yaml >large.yaml
    run timeout 300 "$TUNE" run --dry-run ./large.yaml --device cpu
    expect_code 3
    expect_one_line err
    expect_err "$data: (larger than 64 GiB|not a regular file)|there is no file '$data'"
done

# An endless file is not given to a compiler.
for name in '"/dev/zero"' '</dev/zero>' "<$PWD/fifo>" '"fifo"'; do
    { echo "#include $name"; cat double_cpu.c; } >endless.c
    sed 's/double_cpu\.c/endless.c/' double.yaml >endless.yaml
    run timeout 300 "$TUNE" run ./endless.yaml --device cpu --quiet "${steady[@]}" --db endless.db
    expect_code 3
    expect_one_line err
    expect_err 'included, and no regular file'
done

# An entry for children, typed by hand: the shell that it was typed into lives on.
for words in '__measure cpu 0' '__compile cpu' '__describe cpu'; do
    run bash -c "$TUNE $words; echo \$? lives"
    expect_code 0
    expect_out '^2 lives$'
    expect_err 'only tune itself starts this'
done

# Files that may not grow, few files, little stack: a line each, or it works.
code=0
(ulimit -f 8; "$TUNE" run double.yaml --device cpu "${steady[@]}" --db small.db --sizes 1000 >small.out 2>small.err) || code=$?
command_line="with files of at most 8 KiB"
[[ $code -eq 5 ]] || fail "exit code $code, not 5: $(cat small.err)"
[[ -s small.err ]] || fail "without a word"
for files in 8 10; do
    code=0
    (ulimit -n $files; "$TUNE" run double.yaml --device cpu "${steady[@]}" --db few.db >few.out 2>few.err) || code=$?
    command_line="with $files files"
    [[ $code -ne 0 && $code -lt 128 ]] || fail "exit code $code"
    ! grep -q 'Invalid argument' few.err || fail "not what is wrong: $(cat few.err)"
    grep -qE 'Too many open files|unable to open' few.err || fail "it does not say what is wrong: $(cat few.err)"
done
for stack in 64 128 512; do
    code=0
    (ulimit -s $stack; "$TUNE" --version >stack.out 2>stack.err) || code=$?
    command_line="with $stack KiB of stack"
    [[ $code -eq 1 ]] && grep -q 'ulimit -s' stack.err || [[ $code -eq 0 ]] || fail "exit code $code: $(cat stack.err)"
    # Where it may have more, it takes it.
    code=0
    (ulimit -S -s $stack; "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --db stack.db --quiet >stack.out 2>stack.err) || code=$?
    [[ $code -eq 0 ]] || fail "exit code $code: $(cat stack.err)"
done
expect_golden
