#!/bin/bash
# Among equally fast configurations tuned.conf has those of the fewest kernels over all sizes of a problem, names other
# equally fast ones, and prefers kernels that are compiled in already; tune show agrees. With the winners recorded on an
# H100.
source "$TUNE_TESTS/lib.sh"
python3 -c 'import lzma, shutil, sys
shutil.copyfileobj(lzma.open(sys.argv[1]), open("recorded.db", "wb"))' "$TUNE_SOURCE/db/recorded/nvidia-h100/wide.db.xz"
"$TUNE" merge all.db recorded.db >/dev/null || fail "cannot merge"
cat >look.py <<'E2'
"""Entries of a tuned.conf by problem and size: values, evidence, kernel (by the names of a line of the list)."""
import collections
import re
import subprocess
import sys

def entries(path):
    text = open(path).read().split('\n[cuda "*"]')[0].replace("\n  |", " ")
    text = re.sub(r"\n\[[^\n]* for=[^[]*", "\n", text)
    found = collections.defaultdict(list)
    for line in text.splitlines():
        match = re.match(r"(\S+) n=(\d+)(?:-(\d+))? ([^|]*)\|(.*)$", line)
        if match:
            values = dict(word.split("=", 1) for word in match[4].split())
            evidence = {k: quoted or plain for k, quoted, plain in re.findall(r'(\S+?)=(?:"([^"]*)"|(\S+))', match[5])}
            found[match[1]].append((int(match[2]), int(match[3] or match[2]), values, evidence))
    return found

def kernel(names, values):
    return tuple(values[name] for name in names)

def names_of(listed):
    return {key: [word.split("=")[0] for word in words.split()]
            for key, words in re.findall(r'TUNE_CONFIGURATION\("(\S+) ([^"]*)"\)', open(listed).read())}
E2
run "$TUNE" export --db all.db --kernels "" -o few.conf
expect_code 0
run "$TUNE" export --configurations few.inc few.conf
python3 - <<'E2' || fail "not the picks that were wanted"
import json
import sqlite3
from look import entries, kernel, names_of
names, few = names_of("few.inc"), entries("few.conf")
database = sqlite3.connect("all.db")
for key in ("reduce.sum.i32", "reduce.sum.f32"):
    picked = {kernel(names[key], values) for _, _, values, _ in few[key]}
    won = {tuple(str({**json.loads(derived or "{}"), **json.loads(parameters)}[name]) for name in names[key]) for derived, parameters in
           database.execute("SELECT t.derived, c.parameters FROM latest_winners AS w JOIN trials AS t ON t.id = w.trial_id JOIN "
                            "configurations AS c ON c.id = t.configuration_id WHERE w.problem = ?", (key,))}
    assert len(picked) <= 12 and len(picked) < len(won), (key, len(picked), len(won))
    losses = [float(evidence.get("loss_percent", 0)) for *_, evidence in few[key]]
    assert 0 < max(losses) <= 1, losses
    alternatives = 0
    for _, _, values, evidence in few[key]:
        listed = [dict(word.split("=") for word in evidence[name].split()) for name in ("also1", "also2", "also3") if name in evidence]
        alternatives += len(listed)
        for also in listed:
            assert also and all(values[name] != value for name, value in also.items()), (values, also)
            assert kernel(names[key], {**values, **also}) != kernel(names[key], values)
    assert alternatives >= len(few[key]), alternatives
E2

# tune show has the same picks, with what they lose.
run "$TUNE" export --db all.db -o tuned.conf
run "$TUNE" show --db all.db --json
python3 - "$captured.out" <<'E2' || fail "tune show and tuned.conf differ"
import json
import sys
from look import entries
conf = entries("tuned.conf")
rows = json.load(open(sys.argv[1]))
assert any(row["picked"] for row in rows)
for row in rows:
    (values, evidence), = [(values, evidence) for low, high, values, evidence in conf[row["problem"]] if low <= row["n"] <= high]
    wanted = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in row["parameters"].items()}
    wanted.update(dict(word.split("=") for word in (row["picked"] or "").split()))
    if row["picked"]:
        assert all(values[name] == value for name, value in wanted.items()), (row, values)
        assert row["picked_loss_percent"] <= float(evidence["loss_percent"]) + 1e-9
E2

# What is compiled in already comes first: a list, or what a tuned.conf names. Then nothing else need be.
run "$TUNE" export --db all.db --kernels few.inc -o again.conf
expect_code 0
run "$TUNE" export --configurations again.inc again.conf
python3 -c '
few, again = (set(open(name).read().splitlines()) for name in ("few.inc", "again.inc"))
assert again <= few, again - few' || fail "others than those that are there"
run "$TUNE" export --db all.db --kernels few.conf -o -
cmp -s again.conf "$captured.out" || fail "a tuned.conf says other than its list"
run "$TUNE" export --db all.db --kernels nowhere.inc -o -
expect_code 3
