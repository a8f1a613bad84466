# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# Captured launches (invented by make_capture, with right inputs and outputs) are replayed and tuned on the GPU
# without a source, from PTX; compiled-in parts are not changed. captured.txt is kept.

captured() {
    local status=0
    mkdir -p "$work/captured" && cd "$work/captured" || return 1
    "$build/tests/gpu/make_capture" app.cap "$here/tests/gpu/captured.ptx" || return 1
    local quick=(--device 0 --effort quick --points 60 --no-report)
    {
        "$tune" run --binary app.cap --kernel view_copy "${quick[@]}" || status=1
        grep -E '^app n=' tuned.conf
        "$tune" run --binary app.cap --kernel copy_by_128 "${quick[@]}" --db fixed.db --conf fixed.conf || status=1
        grep -E '^app n=' fixed.conf
    } >captured.out 2>&1
    cp captured.out "$out/captured.txt" && cat captured.out
    [ "$(grep -c 'replayed three times each: the program.s results, to the bit' captured.out)" -eq 2 ] ||
        { echo "a replay differs from what was captured"; status=1; }
    grep -qE '^app n=.*checked_on=2 image=' tuned.conf || { echo "no winner of view_copy"; status=1; }
    grep -qE '^app n=.*launch.block=128' fixed.conf || { echo "copy_by_128 won with another block"; status=1; }
    # Each limit of registers is another binary, and all that ran were right.
    python3 - tune.db <<'P' || { echo "no limit of registers was tried, or a launch was wrong"; status=1; }
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("""SELECT json_extract(c.parameters, '$.registers'), t.status, count(*)
    FROM trials t JOIN configurations c ON c.id = t.configuration_id WHERE t.stage = 'sweep' GROUP BY 1, 2""").fetchall()
for row in rows:
    print("registers %s: %s, %d" % row)
sys.exit(0 if any(r[0] and r[1] == "ok" for r in rows) and not any(r[1] == "wrong_result" for r in rows) else 1)
P
    return $status
}
