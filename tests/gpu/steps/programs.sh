# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# Programs of others, in the folder PROGRAMS (tests/gpu/programs.py describes it): listed, captured, tuned with and
# without their source, and run with the winners. programs.txt is the table, programs-lists.txt the output.

programs() {
    local status=0
    [ -f "${PROGRAMS:-}/manifest" ] || { echo "PROGRAMS names no folder with a manifest"; return 1; }
    mkdir -p "$work/programs"
    # shellcheck disable=SC2086 # options are words
    timeout 540 python3 "$here/tests/gpu/programs.py" "$tune" "$(cd "$PROGRAMS" && pwd)" "$out/programs.txt" --work "$work/programs" \
        ${PROGRAMS_OPTIONS:-} >"$out/programs-lists.txt" 2>&1 || status=1
    tail -c 8000 "$out/programs-lists.txt"
    cat "$out/programs.txt"
    (cd "$work/programs" && tar -cf - ./*/log.txt ./*/*.conf ./*/*.yaml ./*/*.captured/*.yaml 2>/dev/null) | gzip >"$more/programs-logs.tar.gz"
    return $status
}
