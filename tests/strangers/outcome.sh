#!/bin/bash
# outcome.sh [-b BUDGET] [-d DEVICES] [-j JOBS] [-p SECONDS] [-s SECONDS] [-o FOLDER] [-l LIST] CHECKOUTS: the outcome for a
# person with a project that builds, and a GPU. A line of the list (default: outcomes.txt beside this script) is
#   PROJECT | FILE below CHECKOUTS/PROJECT | KERNEL | how it is compiled | the program that launches it | a budget of its own
# The compiler's line is run in the project's folder and handed to 'tune init' behind `--`; `cmake` means that of a build folder, whose
# compile_commands.json 'tune init' finds by itself; nothing: the file alone. Program and budget may be missing. Each kernel is drafted,
# run with its budget (default: that of -b, 20s), and is
#   meaningful   the program's launch is the default, at the program's sizes, a parameter was tuned, and the verdict is sure
#   guessed      a winner, or none, and sure; but sizes, counts or the launch were guesses, which the file marks
#   refused      'tune init' said why not
#   useless      drafted, and the run had no sure answer: most configurations failed, or all
#   not reached  no time was left of the SECONDS of -s (default: no limit) for all of the list
# JOBS kernels are built and drafted at once (default: 1), each within the SECONDS of -p (default: 120). On each of the DEVICES (default:
# 0; several as 0,1) kernels are tuned one after the other: on the last, where the programs run for their drafts, when no more than four
# drafts are left (these wait for their programs' processor); on the others as soon as there is a draft. Where the run says that its
# time was too short, the same command is run again after all others, with four times the budget. TUNE names the program.
# Experiments and messages stay in FOLDER (default: ./outcomes).
set -uo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
list=$here/outcomes.txt budget=20s out=outcomes jobs=1 limit=1000000 patience=120 devices=(0)
while getopts b:d:j:p:s:o:l: option; do
    case $option in
    b) budget=$OPTARG ;;
    d) IFS=, read -ra devices <<<"$OPTARG" ;;
    p) patience=$OPTARG ;;
    j) jobs=$OPTARG ;;
    s) limit=$OPTARG ;;
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
end() { # CODE: with all that this shell started
    trap '' HUP INT TERM
    jobs -p | xargs -r kill -TERM 2>/dev/null
    [[ $BASHPID -ne $$ ]] || table
    wait
    exit "$1"
}
end_with_signals() { # in each shell, since one in the background begins without
    trap 'end 129' HUP
    trap 'end 130' INT
    trap 'end 143' TERM
}

trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }

# limited SECONDS COMMAND...: in the background, so that a signal reaches us; appends its output to $log. 'tune init' whose program
# is ended drafts from the launches until then.
limited() {
    timeout --preserve-status --kill-after=45 "$@" >>"$log" 2>&1 &
    wait $!
}

build() { # INDEX: of the first kernel of its line; leaves $out/build.INDEX.done or .failed
    local log=$out/build.$1.log
    cd -- "$sources/${projects[$1]}" 2>/dev/null || return 0 # the draft says so
    if limited 300 bash -c "${lines[$1]}"; then touch "$out/build.$1.done"; else touch "$out/build.$1.failed"; fi
}

# draft INDEX: leaves CODE, SECONDS and why in $out/NAME.draft.
draft() {
    end_with_signals
    local log=$out/${names[$1]}.log yaml=$out/${names[$1]}.yaml line=${lines[$1]} begun k words code=1
    local options=(--kernel "${kernels[$1]}" -o "$yaml" --force)
    [[ -z ${programs[$1]} ]] || options+=(--program "${programs[$1]}")
    : >"$log"
    for ((k = 0; k < $1; k++)); do # the first of the line builds
        [[ ${projects[k]}$line != "${projects[$1]}${lines[k]}" ]] || break
    done
    if [[ -n $line && $line != cmake && -d $sources/${projects[$1]} ]]; then
        [[ $k -ne $1 ]] || build "$k"
        while [[ ! -e $out/build.$k.done && ! -e $out/build.$k.failed ]]; do sleep 0.2; done
    fi
    begun=$SECONDS
    if ! cd -- "$sources/${projects[$1]}" 2>/dev/null; then
        echo "no checkout" >>"$log"
    elif [[ -e $out/build.$k.failed ]]; then
        echo "tune init: does not build: $(grep -m 1 -i error "$out/build.$k.log" | cut -c1-160)" >>"$log"
    elif ((SECONDS >= limit)); then
        code=124
    else
        [[ -z $line || $line == cmake ]] || { read -ra words <<<"$line" && options+=(-- "${words[@]}"); }
        CUDA_VISIBLE_DEVICES=${devices[-1]} limited "$patience" "$tune" init "${files[$1]}" "${options[@]}"
        code=$?
        rm -f "$out/${names[$1]}.cap" # it is unpacked
    fi
    echo "$code $((SECONDS - begun))" >"$out/$1.draft.new" && mv "$out/$1.draft.new" "$out/${names[$1]}.draft"
}

draft_all() {
    end_with_signals
    local k
    for ((k = 0; k < ${#kernels[@]}; k++)); do
        while (($(jobs -rp | wc -l) >= jobs)); do wait -n; done
        draft "$k" &
    done
    while (($(jobs -rp | wc -l) > 4)); do wait -n; done
    touch "$out/drafted"
    wait
}

# The guesses that a draft marks and that decide the measurement: sizes, the launch, counts and scalars.
is_guessed() { # YAML
    grep -qE '^(sizes|  n):.*# \?|^    (grid|block|shared):.*# \?' "$1" ||
        ! grep -qE 'name: program, about|as the source launches it|# as in line' "$1" ||
        { ! grep -q 'name: program, about' "$1" && grep -qE '^  - \{name: .*(value|update|count).*# \?' "$1"; }
}

judge() { # YAML CODE
    local said failed trials
    said=$(grep -hE '^[0-9]+ of [0-9]+ problems?: ' "$log" | tail -n 1)
    read -r trials failed < <(grep -oE '[0-9]+ trials? .*[0-9]+ failed' "$log" | tail -n 1 | grep -oE '^[0-9]+|[0-9]+ failed' | tr '\n' ' ' | sed 's/ failed//')
    why=${said:-$(grep -E '^tune [a-z]+: ' "$log" | tail -n 1)}
    if [[ $2 -ne 0 || ! $said =~ problems?:\ (nearly\ )?sure || $said == *not\ sure* ]]; then
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

projects=() files=() kernels=() lines=() programs=() budgets=() names=()
while IFS='|' read -r project file kernel line program own; do
    project=$(trim "$project") file=$(trim "$file") kernel=$(trim "$kernel")
    [[ -z $project || $project == \#* ]] && continue
    projects+=("$project") files+=("$file") kernels+=("$kernel") lines+=("$(trim "${line:-}")") programs+=("$(trim "${program:-}")") budgets+=("$(trim "${own:-$budget}")")
    name=$(tr -c 'A-Za-z0-9\n' _ <<<"${project}_$(basename "${file%.*}")_$kernel")
    names+=("$name")
    rm -rf "$out/$name".{yaml,cap,captured,db,conf,draft,log}
done <"$list"
rm -rf "$out"/build.* "$out"/*.taken "$out"/*.again "$out"/*.row "$out"/drafted

# conclude INDEX DEVICE BUDGET: tunes what was drafted, and leaves the row of the table and its class.
conclude() {
    local name=${names[$1]} class why code seconds yaml
    log=$out/$name.log yaml=$out/$name.yaml
    read -r code seconds <"$out/$name.draft"
    class=refused why=$(grep -oE '(^|[^a-z])tune init: .*|^no checkout' "$log" | tail -n 1) # a program may have left a line unended
    if [[ $code -eq 0 || -z $why ]] && ((SECONDS >= limit)); then
        class="not reached" why=
    elif [[ $code -eq 0 ]]; then
        cd -- "$sources/${projects[$1]}" || return
        CUDA_VISIBLE_DEVICES=$2 limited "$((${3%s} + 60))" "$tune" run "$yaml" --device 0 --budget "$3" --db "$out/$name.db" \
            --conf "$out/$name.conf" --no-report
        judge "$yaml" $?
    elif [[ -z $why ]]; then
        class=useless why="tune init ended with $code and no word"
    fi
    why=${why//|/\\|} why=${why//$sources\//}
    printf '%s\n| %s | %s | %s | %s | %s | %s |\n' "$class" "${projects[$1]}" "${files[$1]##*/}" "${kernels[$1]}" "$class" "$seconds" "${why:0:260}" \
        >"$out/$1.row"
}

# Tells whether the last run ended for want of time before it was sure, and has more to find.
was_short() { # INDEX
    [[ $(head -n 1 "$out/$1.row" 2>/dev/null) == useless ]] &&
        tail -n 30 "$out/${names[$1]}.log" | grep -qE '^tune: out of time: |the budget cut short: .*(searches|races)|^tune: next: .*(continues|larger --budget)'
}

tune_all() { # DEVICE IS_LAST
    end_with_signals
    local k left own
    while [[ $2 -ne 0 && ! -e $out/drafted ]]; do sleep 0.2; done
    while :; do
        left=0
        for ((k = 0; k < ${#kernels[@]}; k++)); do
            [[ ! -e $out/$k.taken ]] || continue
            left=1
            if [[ -e $out/${names[k]}.draft ]] && mkdir "$out/$k.taken" 2>/dev/null; then conclude "$k" "$1" "${budgets[k]}"; fi
        done
        ((left == 1)) || break
        sleep 0.2
    done
    for ((k = 0; k < ${#kernels[@]}; k++)); do
        own=${budgets[k]%s}
        if ((SECONDS + 4 * own < limit)) && was_short "$k" && mkdir "$out/$k.again" 2>/dev/null; then conclude "$k" "$1" "$((4 * own))s"; fi
    done
}

table() {
    local -A count=()
    local k class row
    echo '| project | file | kernel | outcome | seconds to the draft | |'
    echo '|---|---|---|---|---:|---|'
    for ((k = 0; k < ${#kernels[@]}; k++)); do
        class="not reached" row="| ${projects[k]} | ${files[k]##*/} | ${kernels[k]} | not reached | | |"
        [[ ! -s $out/$k.row ]] || { IFS= read -r class && IFS= read -r row; } <"$out/$k.row"
        count[$class]=$((${count[$class]:-0} + 1))
        printf '%s\n' "$row"
    done
    echo
    for class in meaningful guessed refused useless "not reached"; do echo "$class: ${count[$class]:-0} of ${#kernels[@]}"; done
}

end_with_signals
draft_all &
for ((d = 0; d < ${#devices[@]}; d++)); do tune_all "${devices[d]}" $((d + 1 == ${#devices[@]})) & done
wait
table
