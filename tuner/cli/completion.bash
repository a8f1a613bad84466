# bash completion of tune(1). What there is comes from the program's own --help, so that the two
# cannot differ.

# The commands of `tune --help`.
_tune_commands() {
    "$1" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# The options of `tune COMMAND --help`, one a line: "--db FILE", "--quiet", "-h".
_tune_options() {
    "$1" "$2" --help 2>/dev/null | sed -n '/^options:/,$p' |
        sed -n 's/^  *\(-[a-zA-Z]\), --.*/\1/p
                s/^  *\(-[a-zA-Z], \)\{0,1\}\(--[a-z0-9-]*\)\( [A-Z][A-Z0-9a-z|:,.]*\)\{0,1\}.*/\2\3/p'
}

# Words for the value named $1 ("FILE", "cold|hot"); files where nothing better is known.
_tune_value() {
    case $1 in
    *FOLDER* | *DIR*) compgen -d -- "$2" ;;
    DEVICE*) compgen -W 'cpu cuda:0 all' -- "$2" ;;
    [a-z]*'|'*) compgen -W "${1//|/ }" -- "$2" ;;
    N | N,*) ;;
    *) compgen -f -- "$2" ;;
    esac
}

_tune() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
    local before=${COMP_WORDS[COMP_CWORD - 1]} command=run commands line
    commands=$(_tune_commands "$program")
    if [[ $COMP_CWORD -gt 1 && " ${commands//$'\n'/ } " == *" ${COMP_WORDS[1]} "* ]]; then
        command=${COMP_WORDS[1]}
    fi
    COMPREPLY=()
    local found=()
    if [[ $before == --* && $COMP_CWORD -gt 1 ]]; then
        line=$(_tune_options "$program" "$command" | grep -E -- "^$before ")
        if [[ -n $line ]]; then
            mapfile -t COMPREPLY < <(_tune_value "${line#* }" "$word")
            return
        fi
    fi
    if [[ $word == -* ]]; then
        mapfile -t found < <(_tune_options "$program" "$command" | cut -d ' ' -f 1)
        if [[ $COMP_CWORD -eq 1 ]]; then
            found+=(--version)
        fi
    elif [[ $COMP_CWORD -eq 1 ]]; then
        mapfile -t found <<<"$commands"
    fi
    mapfile -t COMPREPLY < <(compgen -W "${found[*]}" -- "$word")
    if [[ ${#COMPREPLY[@]} -eq 0 || $word != -* ]]; then
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -F _tune tune
