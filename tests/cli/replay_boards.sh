#!/bin/bash
# Every board that is recorded is tuned as a whole from its recording, with normal effort and no GPU: at each size the recorded
# winner, or one that the recording declares a tie.
source "$TUNE_TESTS/lib.sh"
export TUNE_CACHE_DIR=$PWD/cache
cat >agree.py <<'P'
import sqlite3, sys
board, *keys = sys.argv[1:]
db = sqlite3.connect(f"{board}/replayed.db")
db.execute("ATTACH ? AS r", (f"{board}.db",))
replayed = {row[:2]: row[2:] for row in db.execute("""SELECT p.key, p.n, c.key, w.stage FROM winners AS w JOIN problems AS p ON p.id = w.problem_id
    JOIN trials AS t ON t.id = w.trial_id JOIN configurations AS c ON c.id = t.configuration_id""")}
recorded = {}
for key, n, configuration in db.execute("""SELECT p.key, p.n, c.key FROM r.winners AS w JOIN r.problems AS p ON p.id = w.problem_id
        JOIN r.trials AS t ON t.id = w.trial_id JOIN r.contenders AS k ON k.winner_id = w.id JOIN r.configurations AS c ON c.id = k.configuration_id
        WHERE t.l2_mode = 'cold' AND w.objective = 'time' AND (k.tied = 1 OR k.configuration_id = t.configuration_id)"""):
    if key in keys:
        recorded.setdefault((key, n), set()).add(configuration)
assert recorded and recorded.keys() == replayed.keys(), (recorded.keys() ^ replayed.keys())
for problem, (configuration, stage) in replayed.items():
    assert stage == "confirm" and configuration in recorded[problem], (board, problem, stage, configuration, recorded[problem])
print(f"{board}: {len(recorded)} problems")
P
boards=0
for packed in "$TUNE_SOURCE"/db/recorded/nvidia-*/tune.db.xz; do
    board=$(basename "$(dirname "$packed")")
    unpack "$packed" >"$board.db"
    mkdir "$board"
    (cd "$board" && run "$TUNE" run reduce.sum.i32 reduce.sum.f32 --device "replay:../$board.db" --seed 7 --no-report && expect_code 0) || exit 1
    python3 -S agree.py "$board" reduce.sum.i32 reduce.sum.f32 || fail "$board: another answer than the recording's"
    boards=$((boards + 1))
done
[[ $boards -ge 2 ]] || fail "$boards boards are recorded"
