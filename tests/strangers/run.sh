#!/bin/bash
# run.sh [-l LIST] [-o FOLDER] SOURCES: tries 'tune init' and a dry run with each source of the list that lies below
# SOURCES, a folder of checkouts of other people's projects, and prints a table of Markdown. A line of
# the list (default: list.txt beside this script) is
#   PROJECT | FILE below SOURCES/PROJECT | KERNEL | further words for tune init | edits: sed's, by ';;'
# and the experiments are left in FOLDER (default: ./strangers). TUNE names the program.
set -uo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
list=$here/list.txt
out=strangers
while getopts l:o: option; do
    case $option in
    l) list=$OPTARG ;;
    o) out=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
sources=${1:?name the folder of the checkouts}
sources=$(cd -- "$sources" && pwd) || exit 2
tune=${TUNE:-tune}
if ! command -v -- "$tune" >/dev/null; then
    echo "run.sh: $tune is not a program: name it by TUNE=PROGRAM" >&2
    exit 2
fi
mkdir -p "$out" || exit 1
log=$out/log.txt
: >"$log"

trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }

# The first line of the last message, without the folders of this machine.
reason() {
    grep -v '^  ' "$1" | grep -m 1 'tune [a-z]*: ' | sed "s|$sources/||g; s|$out/||g; s|^tune [a-z]*: ||; s/|/\\\\|/g" | cut -c1-240
}

tried=0 good=0
echo '| project | file | kernel | init | dry run | edited | why not |'
echo '|---|---|---|---|---|---|---|'
while IFS='|' read -r project file kernel words edits; do
    project=$(trim "$project") file=$(trim "$file") kernel=$(trim "$kernel")
    words=$(trim "$words") edits=$(trim "${edits:-}")
    [[ -z $project || $project == \#* ]] && continue
    [[ -e $sources/$project/$file ]] || continue
    tried=$((tried + 1))
    name=$(tr -c 'A-Za-z0-9\n' _ <<<"${project}_$(basename "${file%.*}")_$kernel")
    yaml=$out/$name.yaml
    rm -f "$yaml"
    init=no
    dry=no
    arguments=()
    for word in $words; do
        case $word in
        @*) arguments+=("$sources/$project/${word#@}") ;;
        *) arguments+=("$word") ;;
        esac
    done
    [[ $kernel == - ]] || arguments+=(--kernel "$kernel")
    if "$tune" init "$sources/$project/$file" -o "$yaml" ${arguments[@]+"${arguments[@]}"} >"$out/last" 2>&1; then
        init=yes
    fi
    { echo "== $project/$file"; cat "$out/last"; } >>"$log"
    why=$(reason "$out/last")
    if [[ $init == yes ]]; then
        count=0
        while IFS= read -r edit; do
            [[ -n $edit ]] || continue
            sed -i "$edit" "$yaml"
            count=$((count + 1))
        done <<<"${edits//;;/$'\n'}"
        timeout "${LIMIT:-120}" "$tune" run --dry-run --arch "${ARCH:-sm_90}" --points "${POINTS:-2}" "$yaml" >"$out/last" 2>&1
        code=$?
        cat "$out/last" >>"$log"
        why=$(reason "$out/last")
        if [[ $code -eq 0 ]]; then
            dry=yes
            why=""
            good=$((good + 1))
        elif [[ $code -eq 124 ]]; then
            why="not over after ${LIMIT:-120} s"
        fi
    fi
    edited=no
    [[ -z $edits ]] || edited=$count
    [[ -z $words ]] || edited="$([[ $edited == no ]] || echo "$edited, ")\`${words//@/}\`"
    echo "| $project | ${file##*/} | $kernel | $init | $dry | $edited | $why |"
done <"$list"
rm -f "$out/last"
echo
echo "$good of $tried."
