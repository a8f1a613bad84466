# shellcheck shell=bash
# hide PATTERN...: from here on no command of such a name is on the path, which is a folder of links.
hide() {
    local folder pattern
    mkdir "$TMPDIR/path"
    while IFS= read -r -d : folder; do
        ln -s "$folder"/* "$TMPDIR/path/" 2>/dev/null || true
    done <<<"$PATH:"
    for pattern in "$@"; do
        # shellcheck disable=SC2086 # a pattern
        (cd "$TMPDIR/path" && rm -f -- $pattern)
    done
    # shellcheck disable=SC2123 # it is that path
    PATH=$TMPDIR/path
    hash -r
}

# test_ends CODE... SCRIPT: the test passes (0) or says that it is skipped (77), as one of the codes says.
test_ends() {
    local script=${*: -1} code=0
    bash "$TUNE_TESTS/run" "$TUNE_SOURCE/tests/$script" >"$TMPDIR/out" 2>&1 || code=$?
    [[ " ${*:1:$#-1} " == *" $code "* ]] || { cat "$TMPDIR/out" && fail "$script ends with $code"; }
}
