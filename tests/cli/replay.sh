#!/bin/bash
# The replay device (tuner/device/scripted/): the recording of an H100 is tuned as a whole, from the sweep to the
# export, without a GPU or a compiler: the recorded winner, or one that the recording declares a tie, the same with each
# seed. Failures are as recorded; T4 files and caches of Kernel Tuner are replayed, too. Replayed numbers never count as
# measured.
source "$TUNE_TESTS/lib.sh"
export TUNE_CACHE_DIR=$PWD/cache
unpack "$TUNE_SOURCE/db/recorded/nvidia-h100/tune.db.xz" >h100.db
# replay FOLDER OPTIONS...: in a folder of its own, where no compiler is found.
mkdir bin && ln -s "$(command -v gzip)" bin
replay() { (cd "$1" && PATH=$OLDPWD/bin run "$TUNE" run "${@:2}" --no-report && expect_code 0) || exit 1; }
rows() { python3 -S -c 'import sqlite3, sys
for row in sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute(sys.argv[2]): print(*row)' "$@"; }

# Any three sizes of the recording.
read -r problem small middle large < <(rows h100.db "WITH won AS (SELECT key, n, row_number() OVER (PARTITION BY key ORDER BY n) AS place,
    count(*) OVER (PARTITION BY key) AS count FROM winners AS w JOIN problems AS p ON p.id = w.problem_id WHERE stage = 'confirm' AND n > 1)
    SELECT key, min(n), max(CASE WHEN place = (count + 1) / 2 THEN n END), max(n) FROM won GROUP BY key ORDER BY max(count) DESC, key LIMIT 1")
[[ -n $large && $small -lt $middle && $middle -lt $large ]] || fail "the recording has no problem of three sizes"
mkdir first second other
replay first "$problem" --sizes "$small,$middle,$large" --device "replay:$PWD/h100.db" --seed 7
cat >agree.py <<'P'
import sqlite3
db = sqlite3.connect("first/replayed.db")
db.execute("ATTACH 'h100.db' AS r")
replayed = db.execute("""SELECT p.key, p.n, c.key, w.stage, w.trust, t.median_ns FROM winners AS w JOIN problems AS p ON p.id = w.problem_id
    JOIN trials AS t ON t.id = w.trial_id JOIN configurations AS c ON c.id = t.configuration_id""").fetchall()
assert len(replayed) == 3, replayed
for key, n, configuration, stage, trust, median_ns in replayed:
    assert (stage, trust) == ("confirm", "sound"), (key, n, stage, trust)
    recorded = db.execute("""SELECT k.tied, t.median_ns FROM r.winners AS w JOIN r.problems AS p ON p.id = w.problem_id
        JOIN r.contenders AS k ON k.winner_id = w.id JOIN r.configurations AS c ON c.id = k.configuration_id
        JOIN r.trials AS t ON t.id = w.trial_id WHERE p.key = ? AND p.n = ? AND c.key = ?""", (key, n, configuration)).fetchone()
    assert recorded and recorded[0] == 1, f"{key} n={n}: {configuration} neither won nor tied when it was recorded"
    assert abs(median_ns / recorded[1] - 1) < 0.01, f"{key} n={n}: {median_ns} ns, not {recorded[1]}"
    tried, space = db.execute("SELECT s.points, s.space_count FROM searches AS s JOIN problems AS p ON p.id = s.problem_id WHERE p.n = ?", (n,)).fetchone()
    known = db.execute("SELECT count(*) FROM r.trials AS t JOIN r.problems AS p ON p.id = t.problem_id WHERE stage = 'sweep' AND p.key = ? AND p.n = ?", (key, n)).fetchone()[0]
    assert tried <= space <= known, (tried, space, known)
P
python3 -S agree.py || fail "another answer than the recording's"
for stage in sweep race confirm; do
    [[ $(rows first/replayed.db "SELECT count(*) > 5 FROM trials WHERE status = 'ok' AND stage = '$stage'") -eq 1 ]] || fail "no $stage"
done
[[ $(rows first/replayed.db "SELECT count(*) > 0, min(passed) FROM gauntlets") == "1 1" ]] || fail "no gauntlet"
[[ $(rows first/replayed.db "SELECT count(*) > 0 FROM ranges") -eq 1 ]] || fail "no ranges"
[[ $(rows first/replayed.db "SELECT max(registers) > 8, min(active_blocks_per_sm) > 0 FROM resources") == "1 1" ]] || fail "no resources"

# The same seed, the same numbers, to the last bit; and a strategy that tries a fifth.
measured() { rows "$1/replayed.db" "SELECT c.key, p.key, p.n, stage, status, median_ns, mad_ns, sample_count FROM trials AS t JOIN configurations AS c
    ON c.id = configuration_id JOIN problems AS p ON p.id = problem_id ORDER BY t.id" && grep -v '^#' "$1/replayed.conf"; }
# On a machine so busy that the program seems to be stopped now and then, too.
(cd second && PATH=$OLDPWD/bin exec "$TUNE" run "$problem" --sizes "$small,$middle,$large" --device "replay:../h100.db" --seed 7 --no-report --quiet) &
replaying=$!
while [[ -e /proc/$replaying/task/$replaying/children && -z $(<"/proc/$replaying/task/$replaying/children") ]]; do sleep 0.05; done
for _ in {1..15}; do
    sleep 0.08
    kill -STOP $replaying 2>/dev/null || break
    sleep 0.6
    kill -CONT $replaying
done
wait $replaying || fail "exit code $? after pauses"
diff <(measured first) <(measured second) >changes || fail "another answer: $(head -n 4 changes)"
replay other "$problem" --sizes "$middle" --device "replay:$PWD/h100.db" --seed 8 --points 20% --strategy local
[[ $(rows other/replayed.db "SELECT points < space_count / 3 FROM searches") -eq 1 ]] || fail "all was tried"

# No trial is left; another recording of that name has no known results.
(cd second && PATH=$OLDPWD/bin run "$TUNE" run "$problem" --sizes "$small" --device "replay:../h100.db" --no-report && expect_code 0 && expect_err ' 0 trials \(') || exit 1
mkdir changed && cp h100.db changed/ && python3 -S -c 'import sqlite3
db = sqlite3.connect("changed/h100.db"); db.execute("UPDATE trials SET mad_ns = 2 * mad_ns"); db.commit()'
(cd second && run "$TUNE" run "$problem" --sizes "$small" --device replay:../changed/h100.db --effort quick --no-report && expect_code 0 && refuse_err ' 0 trials \(') || exit 1

# The page names the recorded device, and the numbers never count as this machine's.
grep -q '^\[replay "NVIDIA H100.*, replayed from h100.db of 20' first/replayed.conf || fail "no section: $(head -n 6 first/replayed.conf)"
run "$TUNE" report --db first/replayed.db --output page.html
expect_code 0
grep -q 'replayed from h100.db of 20' page.html || fail "the page does not say so"
grep -q '"is_replayed":true' page.html || fail "the page's next step is an export, which refuses replayed numbers"
golden_refusal "$TUNE" export --db first/replayed.db
refuse_file tuned.conf
run "$TUNE" export --db first/replayed.db --replayed
expect_code 0
run "$TUNE" merge all.db first/replayed.db
expect_code 3
run "$TUNE" merge all.db first/replayed.db --replayed
expect_code 0
run "$TUNE" check first/replayed.conf --device cpu
expect_code 3
golden_refusal "$TUNE" run "$problem" --device "replay:$PWD/h100.db" --db h100.db --no-report
golden_refusal "$TUNE" run "$problem" --device "replay:$PWD/first/replayed.db" --no-report
run "$TUNE" run elementwise --device null --db first/replayed.db --no-report
expect_code 3
run "$TUNE" run gemm --device "replay:$PWD/h100.db" --no-report
expect_code 3
for words in "run --device cpu,replay" "devices --device replay:h100.db" "check first/replayed.conf --device replay"; do
    # shellcheck disable=SC2086 # words
    golden "$TUNE" $words
done
run "$TUNE" run --device replay:nvidia-h1 --no-report
expect_code 3
expect_err 'nvidia-h100'
mkdir shipped
(cd shipped && run "$TUNE" run "$problem" --sizes "$small" --device replay --effort quick --no-report && expect_code 0 &&
    expect_err '^tune: replayed from nvidia-h[0-9]+ of 20') || exit 1

# T4 as KTT writes it, with a mark of the order of bytes; a unit that is none of time.
python3 -S - <<'P'
import json
def t4(name, unit, mark=b""):
    results = [{"configuration": {"width": width}, "objectives": [name], "invalidity": "correct", "correctness": 1, "times": {},
                "measurements": [{"name": name, "value": 3072 / width, "unit": unit}]} for width in (32, 64)]
    return mark + json.dumps({"schema_version": "1.0.0", "results": results}).encode()
open("ktt.json", "wb").write(t4("TotalDuration", "Microseconds"))
open("marked.json", "wb").write(t4("time", "microseconds", b"\xef\xbb\xbf"))
open("banana.json", "wb").write(t4("time", "banana"))
P
for file in ktt marked; do
    run "$TUNE" run --device "replay:$file.json" --no-report --db "$file.db" --conf "$file.conf"
    expect_code 0
    expect_out ' 48\.00 us '
done
golden "$TUNE" run --device replay:banana.json --no-report

# Packed files that are none, are cut, or would become far larger than they are.
head -c 1000000 "$TUNE_SOURCE/db/recorded/nvidia-h100/tune.db.xz" >cut.db.xz
python3 -S -c 'import gzip, lzma; zeros = bytes(1 << 28)
open("bomb.db.xz", "wb").write(lzma.compress(zeros, preset=0)); open("bomb.json.gz", "wb").write(gzip.compress(zeros[:1 << 26]) * 8)'
echo "no archive" >named.db.xz
while read -r file words; do
    run "$TUNE" run "$problem" --device "replay:$file" --no-report
    expect_code 3
    expect_one_line err
    expect_err "$file: $words"
done <<'T'
cut.db.xz cannot be unpacked: it is cut \(xz\)$
bomb.db.xz unpacked it is larger than 7[0-9] MiB, which is too much for its size
bomb.json.gz unpacked it is larger than [0-9]+ MiB, which is too much for its size
named.db.xz its name says that it is packed, and it is not$
T

# Recordings of processors, if a database has no GPU or they are named: the same with the same seed, and never this
# machine's.
mkdir cpus cpus_again
unpack "$TUNE_SOURCE/db/recorded/cpu-2-cores/tune.db.xz" >cpu.db
read -r cpu_problem cpu_n < <(rows cpu.db "SELECT key, n FROM winners AS w JOIN problems AS p ON p.id = w.problem_id ORDER BY n DESC, key LIMIT 1")
replay cpus "$cpu_problem" --sizes "$cpu_n" --device "replay:$PWD/cpu.db" --seed 3
replay cpus_again "$cpu_problem" --sizes "$cpu_n" --device "replay_cpu:$PWD/cpu.db" --seed 3
diff <(measured cpus) <(measured cpus_again) >changes || fail "another answer: $(head -n 4 changes)"
[[ $(rows cpus/replayed.db "SELECT count(*) FROM winners WHERE stage = 'confirm'") -eq 1 ]] || fail "no winner of a CPU"
grep -q '^\[replay_cpu ".*, replayed from cpu.db of 20.*"\] cores=' cpus/replayed.conf || fail "no section: $(head -n 6 cpus/replayed.conf)"
run "$TUNE" export --db cpus/replayed.db
expect_code 3
run "$TUNE" run "$problem" --device "replay_cpu:$PWD/h100.db" --no-report
expect_code 3
expect_err 'nothing of CPUs'

# Failures are as recorded, stage by stage; a recording of the null device will do.
mkdir failing
cd failing || exit
run "$TUNE" run elementwise.add --sizes 2**16 --device null --no-report --effort quick
expect_code 0
python3 -S - <<'P'
import sqlite3
db = sqlite3.connect("tune.db")
db.execute("UPDATE devices SET uuid = 'GPU-1'")
ids = [row[0] for row in db.execute("SELECT id FROM trials WHERE stage = 'sweep' AND same_as_trial_id IS NULL AND status = 'ok' AND configuration_id NOT IN (SELECT configuration_id FROM baselines) ORDER BY median_ns")]
for id, status in zip(ids[-5:], ["compile_failed", "launch_failed", "timed_out", "crashed", "wrong_result"]):
    db.execute("UPDATE trials SET status = ?, detail = 'as ' || ?, median_ns = NULL, mad_ns = NULL WHERE id = ?", (status, status, id))
winner = db.execute("SELECT t.configuration_id FROM winners AS w JOIN trials AS t ON t.id = w.trial_id").fetchone()[0]
db.execute("UPDATE gauntlets SET passed = 0, detail = 'as found' WHERE configuration_id = ?", (winner,))
open("barred", "w").write(db.execute("SELECT key FROM configurations WHERE id = ?", (winner,)).fetchone()[0])
db.commit()
P
run "$TUNE" run --device replay:./tune.db --no-report
expect_code 0
rows replayed.db "SELECT status, detail FROM trials WHERE status NOT IN ('ok', 'skipped_by_constraint') ORDER BY status" >failures
for status in compile_failed launch_failed timed_out crashed wrong_result; do
    grep -q "^$status .*as $status" failures || fail "no $status: $(cat failures)"
done
[[ $(rows replayed.db "SELECT count(*) FROM gauntlets AS g JOIN configurations AS c ON c.id = g.configuration_id WHERE passed = 0 AND detail LIKE '%as found%' AND c.key = '$(cat barred)'") -eq 1 ]] ||
    fail "the gauntlet passed what it did not then"
cd .. || exit

# Energies, if a run by energy recorded them: the same winner, and no other objective.
mkdir energies
cd energies || exit
run "$TUNE" run elementwise.add --sizes 2**16 --device null --objective energy --no-report --effort quick
expect_code 0
python3 -S -c 'import sqlite3
db = sqlite3.connect("tune.db"); db.execute("UPDATE devices SET uuid = ?", ("GPU-1",)); db.commit()'
run "$TUNE" run --device replay:./tune.db --objective energy --no-report
expect_code 0
won="SELECT c.key, round(t.energy_j, 7) FROM winners AS w JOIN trials AS t ON t.id = w.trial_id JOIN configurations AS c ON c.id = t.configuration_id"
[[ -n $(rows tune.db "$won") && $(rows replayed.db "$won") == "$(rows tune.db "$won")" ]] || fail "by energy: $(rows replayed.db "$won")"
# A budget has time for windows of half a second, or names one that has.
run "$TUNE" run --device replay:./tune.db,clock --objective energy --db budget.db --no-report --budget 20s
expect_code 0
refuse_err 'too short to compare energies'
[[ $(rows budget.db "SELECT min(rounds) >= 2 FROM winners") -eq 1 ]] || fail "too few rounds: $(rows budget.db "SELECT * FROM winners")"
run "$TUNE" run --device replay:./tune.db,clock --objective energy --db short.db --no-report --budget 4s
expect_err 'too short to compare energies: give at least [0-9]+s'
run "$TUNE" run "$problem" --sizes "$middle" --device replay:../h100.db --objective energy --db other.db --no-report
expect_code 4
expect_err 'recorded by a run with the objective energy'
cd .. || exit

# Recorded durations are charged to the budget, and are those of its trials.
mkdir clocked
replay clocked "$problem" --sizes "$middle,$large" --device "replay:$PWD/h100.db,clock" --budget 2s --quiet
[[ $(rows clocked/replayed.db "SELECT sum(duration_ns) BETWEEN 1000000000 AND 4000000000 FROM trials") -eq 1 ]] || fail "not what the recording's trials took"
[[ $(rows clocked/replayed.db "SELECT points < space_count FROM searches LIMIT 1") -eq 1 ]] || fail "nothing was charged"
# Whatever this machine's speed, the same trials are made, and each takes as long.
mkdir clocked_again
replay clocked_again "$problem" --sizes "$middle,$large" --device "replay:$PWD/h100.db,clock" --budget 2s --quiet
took() { rows "$1/replayed.db" "SELECT id, duration_ns FROM trials UNION ALL SELECT problem_id, sweep_ns FROM searches UNION ALL SELECT problem_id, near_ns FROM searches"; }
diff <(measured clocked && took clocked) <(measured clocked_again && took clocked_again) >changes || fail "another answer under a budget: $(head -n 4 changes)"

# Results of other tools: T4, a cache of Kernel Tuner that was not closed, and a table.
python3 -S - <<'P'
import gzip, json
space = [(block, tile, hint) for block in (32, 64, 128, 256) for tile in (1, 2, 4) for hint in ("none", "ldg")]
time = lambda block, tile, hint: 0.05 * (1 + abs(block - 64) / 64) * (1 + abs(tile - 2) / 5) * (0.9 if hint == "ldg" else 1)
wrong = lambda block, tile, hint: "runtime" if block == 256 and tile == 4 else "compile" if block == 32 and hint == "ldg" else "correct"
results = [{"configuration": {"block_size_x": p[0], "tile": p[1], "hint": p[2], "unroll": p[1] > 1}, "objectives": ["time"], "invalidity": wrong(*p),
            "times": {"compilation_time": 0.5, "runtimes": [time(*p) / 1000] * 7}, "measurements": [{"name": "time", "value": time(*p), "unit": "ms"}]} for p in space]
gzip.open("a-t4.json.gz", "wt").write(json.dumps({"schema_version": "1.0.0", "results": results}))
for result in results:
    result["times"] = {"compilation": 500, "runtimes": [1000 * s for s in result["times"]["runtimes"]]}
gzip.open("b-t4.json.gz", "wt").write(json.dumps({"schema_version": "1.0.0", "metadata": {"timeunit": "miliseconds"}, "results": results}))
cache = {f"{p[0]},{p[1]},{p[2]}": {"block_size_x": p[0], "tile": p[1], "hint": p[2], "time": time(*p) if wrong(*p) == "correct" else "RuntimeFailedConfig"} for p in space}
text = json.dumps({"device_name": "NVIDIA A100-PCIE-40GB", "tune_params_keys": ["block_size_x", "tile", "hint"], "cache": cache})
open("cache.json", "w").write(text[:-2] + ",\n")
rate = {key: value | ({"GFLOP/s": 1 / value["time"]} if value["time"] != "RuntimeFailedConfig" else {"GFLOP/s": value["time"]}) for key, value in cache.items()}
open("rate.json", "w").write(json.dumps({"device_name": "NVIDIA A100-PCIE-40GB", "tune_params_keys": ["block_size_x", "tile", "hint"], "objective": "GFLOP/s", "cache": rate}))
for value in rate.values():
    del value["time"]
open("rate_alone.json", "w").write(json.dumps({"tune_params_keys": ["block_size_x", "tile", "hint"], "objective": "GFLOP/s", "cache": rate}))
for result in results:
    result["objectives"] = ["GFLOP/s"]
    result["measurements"].insert(0, {"name": "GFLOP/s", "value": 1 / result["measurements"][0]["value"], "unit": ""})
json.dump({"schema_version": "1.0.0", "metadata": {"timeunit": "ms"}, "results": results}, open("rate-t4.json", "w"))
for result in results:
    del result["measurements"][1:]
json.dump({"schema_version": "1.0.0", "results": results}, open("rate_alone-t4.json", "w"))
lines = [",".join(map(str, (*p, time(*p) if wrong(*p) == "correct" else wrong(*p), 12.5))) for p in space]
open("table.csv", "w").write("\r\n".join(["block_size_x,tile,hint,time_ms,cost_ms", *lines]) + "\r\n")
P
mkdir t4 t4_ms kernel_tuner table rate rate_t4
# 24 times half a second; of seconds this would be hours.
replay t4_ms --device "replay:$PWD/b-t4.json.gz,clock" --budget 10m
replay t4 --device "replay:$PWD/a-t4.json.gz"
replay kernel_tuner --device "replay:$PWD/cache.json"
replay table --device "replay:$PWD/table.csv"
# Tuned for something else, of which more may be better: its times are played, and where it has none it is refused.
replay rate --device "replay:$PWD/rate.json"
replay rate_t4 --device "replay:$PWD/rate-t4.json"
for file in rate_alone.json rate_alone-t4.json; do
    run "$TUNE" run --device "replay:$PWD/$file" --db none.db
    expect_code 3
    expect_err "its objective is 'GFLOP/s', and no configuration has a time"
done
for folder in t4 t4_ms kernel_tuner table rate rate_t4; do
    [[ $(rows $folder/replayed.db "SELECT c.key, t.median_ns FROM winners AS w JOIN trials AS t ON t.id = w.trial_id JOIN configurations AS c ON c.id = t.configuration_id") \
        =~ ^"block_size_x=64 tile=2 hint=ldg"(" unroll=1")?" 45000" ]] || fail "$folder: another winner"
    [[ $(rows $folder/replayed.db "SELECT count(*) FROM trials WHERE stage = 'sweep'") -eq 24 ]] || fail "$folder: not the file's space"
    [[ $(rows $folder/replayed.db "SELECT count(*) FROM trials WHERE stage = 'sweep' AND status <> 'ok'") -eq 5 ]] || fail "$folder: not its failures"
done
grep -q '^\[replay "NVIDIA A100-PCIE-40GB, replayed from cache.json"\]' kernel_tuner/replayed.conf || fail "the GPU's name is not told"
expect_golden
