#!/bin/bash
# outcome.sh [-b BUDGET] [-o FOLDER] [-l LIST] CHECKOUTS: what a person gets who has a project that builds, and a GPU. A line of the
# list (default: outcomes.txt beside this script) is
#   PROJECT | FILE below CHECKOUTS/PROJECT | KERNEL | how it is compiled | the program that launches it
# The compiler's line is run in the project's folder and handed to 'tune init' behind `--`; `cmake` means that of a build folder, whose
# compile_commands.json 'tune init' finds by itself; nothing: the file alone. The program may be missing. Each kernel is drafted, run with
# a budget of its own (default: 20s), and is
#   meaningful   the program's launch is the default, at the program's sizes, a parameter was tuned, and the verdict is sure
#   guessed      a winner, or none, and sure; but sizes, counts or the launch were guesses, which the file marks
#   refused      'tune init' said why not
#   useless      drafted, and the run had no sure answer: most configurations failed, or all
# TUNE names the program. Experiments and what was said stay in FOLDER (default: ./outcomes).
set -uo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
list=$here/outcomes.txt budget=20s out=outcomes
while getopts b:o:l: option; do
    case $option in
    b) budget=$OPTARG ;;
    o) out=$OPTARG ;;
    l) list=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
sources=$(cd -- "${1:?name the folder of the checkouts}" && pwd) || exit 2
mkdir -p "$out" || exit 1
out=$(cd -- "$out" && pwd)
tune=$(command -v -- "${TUNE:-tune}") || { echo "outcome.sh: ${TUNE:-tune} is not a program: name it by TUNE=PROGRAM" >&2; exit 2; }
tune=$(realpath -- "$tune")
child=
end() {
    trap '' HUP INT TERM
    [[ -z $child ]] || kill -TERM "$child" 2>/dev/null
    wait
    exit "$1"
}
trap 'end 129' HUP
trap 'end 130' INT
trap 'end 143' TERM

trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }

# limited SECONDS COMMAND...: in the background, so that a signal reaches us; its output is in $out/NAME.log.
limited() {
    timeout --kill-after=10 "$@" >>"$log" 2>&1 &
    child=$!
    wait "$child"
    local code=$?
    child=
    return "$code"
}

# The guesses that a draft marks where they decide what is measured: sizes, the launch, counts and scalars.
is_guessed() { # YAML
    grep -qE '^(sizes|  n):.*# \?|^    (grid|block|shared):.*# \?' "$1" ||
        ! grep -qE 'name: program, about|as the source launches it|# as in line' "$1" ||
        { ! grep -q 'name: program, about' "$1" && grep -qE '^  - \{name: .*(value|update|count).*# \?' "$1"; }
}

judge() { # YAML CODE
    local said failed trials
    said=$(grep -hE '^[0-9]+ of [0-9]+ problems?: ' "$log" | tail -n 1)
    read -r trials failed < <(grep -oE '[0-9]+ trials?, .*[0-9]+ failed' "$log" | tail -n 1 | grep -oE '^[0-9]+|[0-9]+ failed' | tr '\n' ' ' | sed 's/ failed//')
    why=${said:-$(grep -E '^tune [a-z]+: ' "$log" | tail -n 1)}
    if [[ $2 -ne 0 || -z $said || $said != *sure* || $said == 0\ of* ]]; then
        class=useless
    elif [[ -n ${trials:-} && $((2 * ${failed:-0})) -gt $trials ]]; then
        class=useless why="$failed of $trials trials failed; $why"
    elif is_guessed "$1"; then
        class=guessed
    elif ! sed -n '/^parameters:/,/^defaults:/p' "$1" | grep -qE '^  [A-Za-z_0-9]+: \[[^],]+,'; then
        class=guessed why="nothing to tune; $why"
    else
        class=meaningful
    fi
}

declare -A count
tried=0
echo '| project | file | kernel | outcome | seconds to the draft | |'
echo '|---|---|---|---|---:|---|'
while IFS='|' read -r project file kernel line program; do
    project=$(trim "$project") file=$(trim "$file") kernel=$(trim "$kernel") line=$(trim "${line:-}") program=$(trim "${program:-}")
    [[ -z $project || $project == \#* ]] && continue
    tried=$((tried + 1))
    name=$(tr -c 'A-Za-z0-9\n' _ <<<"${project}_$(basename "${file%.*}")_$kernel")
    yaml=$out/$name.yaml log=$out/$name.log
    rm -rf "$yaml" "$out/$name".{cap,captured,db,conf}
    : >"$log"
    class=refused
    seconds=-
    words=("$file")
    if ! cd -- "$sources/$project" 2>/dev/null; then
        why="no checkout"
    elif [[ -n $line && $line != cmake ]] && ! limited 600 bash -c "$line"; then
        why="does not build: $(grep -m 1 -i error "$log" | cut -c1-160)"
    else
        options=(--kernel "$kernel" -o "$yaml" --force)
        [[ -z $program ]] || options+=(--program "$program")
        begun=$SECONDS
        if [[ -n $line && $line != cmake ]]; then
            read -ra words <<<"$line"
            limited 180 "$tune" init "$file" "${options[@]}" -- "${words[@]}"
        else
            limited 180 "$tune" init "$file" "${options[@]}"
        fi
        code=$?
        seconds=$((SECONDS - begun))
        why=$(grep -E '^tune init: ' "$log" | tail -n 1)
        if [[ $code -eq 0 ]]; then
            limited 300 "$tune" run "$yaml" --device 0 --budget "$budget" --db "$out/$name.db" --conf "$out/$name.conf" --no-report
            judge "$yaml" $?
        elif [[ -z $why ]]; then
            class=useless why="tune init ended with $code and no word"
        fi
    fi
    cd -- "$out" || exit 1
    count[$class]=$((${count[$class]:-0} + 1))
    why=${why//|/\\|} why=${why//$sources\//}
    echo "| $project | ${file##*/} | $kernel | $class | $seconds | ${why:0:260} |"
done <"$list"
echo
for class in meaningful guessed refused useless; do echo "$class: ${count[$class]:-0} of $tried"; done
