# fish completion of tune(1). What may stand where, the program itself knows: `tune __complete`
# (tuner/cli/complete.h).

function __tune_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program __complete $words "$current" 2>/dev/null)
        switch $line
            case ':*'
                set -l before (string match -r -- '^--[^=]*=' "$current")
                set -l begun (string replace -r -- '^--[^=]*=' '' "$current")
                for file in (__fish_complete_path "$begun")
                    set -l name (string split -m 1 \t -- $file)[1]
                    # Folders, and files of the endings that are named.
                    set -l endings (string split -n ' ' -- $line)[2..]
                    if string match -q -- '*/' $name
                        or test $line = ':files'
                        or contains -- (string replace -r '.*\.' '' -- $name) $endings
                        echo "$before$name"
                    end
                end
            case '*'
                echo $line
        end
    end
end

complete -c tune -f -a '(__tune_complete)'
