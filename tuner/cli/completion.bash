# bash completion of tune(1). What there is comes from the program's own --help, so that the two
# cannot differ.

# The commands of `tune --help`.
_tune_commands() {
    "$1" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# The options of `tune COMMAND --help`, one a line: "--db FILE", "--quiet".
_tune_options() {
    "$1" "$2" --help 2>/dev/null | sed -n '/^options:/,$p' |
        sed -n 's/^  *\(-[a-zA-Z], \)\{0,1\}\(--[a-z0-9-]*\)\( [A-Z][A-Z,]*\)\{0,1\}.*/\2\3/p'
}

# The numbers of the measuring protocol, by name.
_tune_numbers() {
    "$1" run --list-protocol 2>/dev/null | sed -n '2,$s/ .*//p'
}

# Names of experiments, and of their problems up to the next dot, that word $2 may be the beginning of.
_tune_problems() {
    "$1" __complete "$2" 2>/dev/null | sort -u
}

# Words for the value $3 of option $1 of program $4, which help names $2 ("FILE"); files where nothing
# better is known.
_tune_value() {
    case $1 in
    --device) compgen -W 'cpu cuda:0 all' -- "$3" ;;
    --strategy) compgen -W "$("$4" run --list-strategies 2>/dev/null | sed 's/ .*//')" -- "$3" ;;
    --arch) compgen -W 'sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120 sm_121' -- "$3" ;;
    --l2) compgen -W 'cold hot stream dirty' -- "$3" ;;
    --dialect) compgen -W 'kernel_tuner ktt' -- "$3" ;;
    --t4-version) compgen -W '1.0.0 1.1.0' -- "$3" ;;
    --effort) compgen -W 'quick normal thorough' -- "$3" ;;
    --objective) compgen -W 'time energy edp' -- "$3" ;;
    --set) compgen -W "$(_tune_numbers "$4")" -S = -- "$3" ;;
    *)
        case $2 in
        FOLDER | DIR) compgen -d -- "$3" ;;
        N | N,N | K | ID | TIME | TEXT | MAP) ;;
        *) compgen -f -- "$3" ;;
        esac
        ;;
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
            mapfile -t COMPREPLY < <(_tune_value "$before" "${line#* }" "$word" "$program")
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
        if [[ -n $word ]]; then
            mapfile -t -O "${#found[@]}" found < <(_tune_problems "$program" "$word")
        fi
    elif [[ $command == run ]]; then
        mapfile -t found < <(_tune_problems "$program" "$word")
    fi
    mapfile -t COMPREPLY < <(compgen -W "${found[*]}" -- "$word")
    if [[ ${#COMPREPLY[@]} -eq 0 || $word != -* ]]; then
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -F _tune tune
