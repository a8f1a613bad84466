# bash completion of tune(1). What may stand where, the program itself knows: `tune __complete`
# (tuner/cli/complete.h).

# Files below word $1 whose names end in one of the rest, and folders; all where none is given.
_tune_files() {
    local word=$1 ending
    shift
    [[ $# -gt 0 ]] || compgen -f -- "$word"
    for ending in "$@"; do
        compgen -f -X "!*.$ending" -- "$word"
    done
    compgen -d -- "$word"
}

_tune() {
    local line word=${COMP_WORDS[COMP_CWORD]}
    [[ $word != = ]] || word=
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :folders | :files*)
            compopt -o filenames 2>/dev/null
            if [[ $line == :folders ]]; then
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$word")
            else
                # shellcheck disable=SC2086 # endings are words
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(_tune_files "$word" ${line#:files} | sort -u)
            fi
            ;;
        *=) compopt -o nospace 2>/dev/null ;;&
        *) COMPREPLY+=("$line") ;;
        esac
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1 | sort -u)
}

complete -F _tune tune
