#!/bin/bash
# File names with anything in them: spaces, quotes, newlines, shell words, leading dashes, bytes that
# are no UTF-8, the longest there are. Each works, or is refused with one line; none reaches a shell.
source "$TUNE_TESTS/lib.sh"
export TUNE_CEILING_BYTES=0 # many new databases, none of them for its ceilings
write_experiment
# Each name meets a compiler and a run; their number does not matter.
sed -i 's/^  way: .*/  way: [plain]/; s/\(WAY_[a-z]*\): .*/\1: 0/; s/^  block: .*/  block: [500, 1000]/' double.yaml
longest=$(printf 'n%.0s' {1..200})
names=('with space' "single'quote" 'double"quote' 'back\slash' 'semi;touch pwned' '$(touch pwned)'
    '`touch pwned`' '| touch pwned' '%s%n%d' '#hash?query&x=1' ':memory:' 'file:x?mode=memory' '~'
    '*' '-dash' '--help' $'new\nline' $'tab\tand\x1b[31mcolour' $'\xff\xfebytes' 'ünïcödé' "$longest")

for name in "${names[@]}"; do
    # The folder has the name too. A leading dash is given behind ./ or =, as everywhere.
    mkdir "./$name"
    path=./$name/$name
    experiment=$path.yaml cache=$PWD/$name/cache
    cp double_cpu.c double_reference.c "./$name/"
    cp double.yaml "$experiment"
    if [[ $name == *$'\xff'* ]]; then # the workers' messages are UTF-8
        run env TUNE_CACHE_DIR="$cache" "$TUNE" run double.yaml --device cpu --quiet --db=refused.db
        expect_code 3
        expect_one_line err
        expect_err 'UTF-8'
        run "$TUNE" run "$experiment" --device cpu "${steady[@]}" --quiet --sizes 1000 --db=refused.db
        expect_code 3
        expect_one_line err
        expect_err 'UTF-8'
        experiment=double.yaml cache=$TUNE_CACHE_DIR
    fi
    run env TUNE_CACHE_DIR="$cache" "$TUNE" run "$experiment" --device cpu "${steady[@]}" --quiet \
        --sizes 1000 --db="$path.db" --conf="$path.conf"
    expect_code 0
    expect_file "$path.db"
    expect_file "$path.conf"
    run "$TUNE" show --db="$path.db"
    expect_code 0
    expect_out 'double'
    run "$TUNE" export --db="$path.db" --output="$path.h.conf"
    expect_code 0
    expect_file "$path.h.conf"
    run "$TUNE" plot size --data --db="$path.db" --output="./$name/figures"
    expect_code 0
    [[ -n $(ls "./$name/figures") ]] || fail "no figure"
    rm -rf "./$name"
done
refuse_file pwned

# A word that begins with a dash is an option, unless behind --.
run "$TUNE" run -dash.yaml --device cpu "${steady[@]}"
expect_code 2
cp double.yaml ./-dash.yaml
run "$TUNE" run --device cpu "${steady[@]}" --quiet --sizes 1000 -- -dash.yaml
expect_code 0

# Too long for a file, for SQLite or for a path, and empty.
mkdir -p "$longest/$longest"
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --db="$longest/$longest/$longest.db"
expect_code 3
expect_one_line err
expect_err 'SQLite takes'
too_long=$(printf 'n%.0s' {1..300})
beyond=$(printf 'a/%.0s' {1..3000})x
for path in "$too_long" "$beyond" ''; do
    for option in --db --conf; do
        run "$TUNE" run double.yaml --device cpu "${steady[@]}" --quiet --sizes 1000 "$option=$path"
        [[ $code -eq 3 || $code -eq 5 || $code -eq 2 ]] || fail "$option with ${#path} bytes: exit code $code"
        expect_one_line err
    done
    run "$TUNE" run --device cpu "${steady[@]}" --quiet -- "$path"
    [[ $code -eq 3 || $code -eq 2 ]] || fail "an experiment of ${#path} bytes: exit code $code"
    expect_one_line err
done
