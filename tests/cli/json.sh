#!/bin/bash
# JSON and CSV have a version, and docs/json.md has every member of each answer with its type, and no other.
source "$TUNE_TESTS/lib.sh"
"$TUNE_BUILD/tests/make_fixture" tune.db
cat >documented.py <<'P'
"""documented.py PAGE QUESTION FILE: compares the answer with its section: the members of the answer (of an array: of each
row), and below a heading of its own what is within a member."""
import json, re, sys
page, question, out = open(sys.argv[1]).read(), sys.argv[2], json.load(open(sys.argv[3]))
names = {str: "text", int: "number", float: "number", bool: "truth", list: "array", dict: "object"}

def members(text):
    return dict(re.findall(r"^\| `(\w+)` \| ([a-z, ]+) \|", text, re.M))

def check(where, row, documented):
    assert set(row) == set(documented), (where, set(row) ^ set(documented))
    for key, value in row.items():
        assert value is None or names[type(value)] == documented[key], (where, key, value)

section = re.search(rf"^## `{re.escape(question)}`\n(.*?)(?=^## |\Z)", page, re.M | re.S)
assert section, f"no section of {question}"
own, *within = re.split(r"^### `(\w+)`$", section[1], flags=re.M)
assert out, "nothing to compare"
for row in out if isinstance(out, list) else [out]:
    assert row["version"] == 1 and list(row)[0] == "version", row
    check(question, row, members(own))
    for member, text in zip(within[::2], within[1::2]):
        assert row[member], f"nothing in {member}"
        for inner in row[member] if isinstance(row[member], list) else [row[member]]:
            check(member, inner, members(text))
P
# documented SECTION: the last output is as docs/json.md says.
documented() {
    python3 documented.py "$TUNE_SOURCE/docs/json.md" "$1" "$captured.out" || fail "docs/json.md: $1"
}

cp tune.db old.db
for question in '' --baselines '--top 3' --failures --ties --ranges --runs --why --trust '--trial 1000' \
    '--compare --before old.db'; do
    # shellcheck disable=SC2086 # words
    run "$TUNE" show $question --json
    expect_code 0
    documented "tune show${question:+ ${question%% *}}"
done
run "$TUNE" show --csv
expect_out '^version,device,'
expect_out '^1,Fixture GPU,'
python3 -c 'import sqlite3
db = sqlite3.connect("old.db")
db.execute("UPDATE devices SET uuid = \"GPU-other\"")
db.commit()'
run "$TUNE" merge both.db tune.db old.db --json
expect_code 0
documented 'tune merge --json'
run "$TUNE" export --json -
expect_code 0
documented 'tune export --json'
expect_json '{e["device"] for e in j}' "{'Fixture GPU'}"

# Of this machine: devices that are there, and a kind of which there is none.
CUDA_VISIBLE_DEVICES='' run "$TUNE" devices --json
expect_code 0
documented 'tune devices --json'
expect_json '[d["address"] for d in j["devices"]], j["unavailable"][0]["address"]' "(['cpu'], 'cuda')"
device=$(pick 'j["devices"][0]["device"], j["devices"][0]["device_uuid"]')
write_experiment
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --db own.db --points 6 --quiet
expect_code 0
run "$TUNE" show --searches --db own.db --json
expect_code 0
documented 'tune show --searches'
run "$TUNE" check double.yaml --device cpu "${steady[@]:1}" --json
documented 'tune check --json'
expect_json 'j[0]["device"], j[0]["device_uuid"]' "$device"
