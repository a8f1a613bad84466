# The typed command is in the database, quoted for a shell.
# shellcheck shell=bash
source "$TUNE_TESTS/lib.sh"
write_experiment

odd="it's a \$(touch planted) \"file\" 100%*.yaml"
mv double.yaml "$odd"
tune() {
    run "$TUNE" "$@"
    expect_code 0
}
commands() {
    query "SELECT command FROM runs ORDER BY id"
}

tune run "$odd" --device cpu "${steady[@]}" --conf $'li\nne.conf'
typed=$(commands)
[[ $(wc -l <<<"$typed") -eq 1 ]] || fail "more than one line: $typed"
[[ $typed == "tune run "*"--conf $'li\\012ne.conf'" ]] || fail "$typed"

# Typed again, it does the same again.
rm tune.db $'li\nne.conf'
eval "$typed"
[[ $(commands) == "$typed" ]] || fail "the second time: $(commands)"
[[ -f $'li\nne.conf' && ! -e planted ]] || fail "it was not read as it was meant"

# 'tune' alone is 'tune run', and a checker's own database says so of it, too.
tune --quiet --db other.db --device cpu "${steady[@]}" "./$odd" --conf tuned.conf
run "$TUNE" check tuned.conf "./$odd" --device cpu --db check.db "${steady[@]:1}"
[[ $code -eq 7 ]] || expect_code 0 # 7: on a busy machine something else was faster
python3 - <<'P' || fail "the other commands"
import sqlite3
for path, start in ("other.db", "tune --quiet --db other.db "), ("check.db", "tune check tuned.conf './it"):
    got = sqlite3.connect(path).execute("SELECT command FROM runs").fetchone()[0]
    assert got.startswith(start), got
P
