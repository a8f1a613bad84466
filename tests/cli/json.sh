#!/bin/bash
# JSON and CSV have a version, and docs/json.md has every member of each answer with its type, and no other.
source "$TUNE_TESTS/lib.sh"
"$TUNE_BUILD/tests/make_fixture" tune.db
for question in '' --baselines '--top 3' --failures --ties --ranges --searches --runs --why; do
    # shellcheck disable=SC2086 # words
    run "$TUNE" show $question --json
    expect_code 0
    python3 - "$TUNE_SOURCE/docs/json.md" "tune show${question:+ ${question%% *}}" "$captured.out" <<'P' || fail "docs/json.md"
import json, re, sys
page, question, out = open(sys.argv[1]).read(), sys.argv[2], json.load(open(sys.argv[3]))
section = re.search(rf"^## `{re.escape(question)}`\n(.*?)(?=^## |\Z)", page, re.M | re.S)
assert section, f"no section of {question}"
documented = dict(re.findall(r"^\| `(\w+)` \| ([a-z, ]+) \|", section[1], re.M))
names = {str: "text", int: "number", float: "number", bool: "truth", list: "array", dict: "object"}
for row in out:
    assert row["version"] == 1 and list(row)[0] == "version", row
    assert set(row) == set(documented), (question, set(row) ^ set(documented))
    for key, value in row.items():
        assert value is None or names[type(value)] in documented[key].split(", "), (question, key, value)
P
done
run "$TUNE" show --csv
expect_out '^version,device,'
expect_out '^1,Fixture GPU,'
run "$TUNE" show --trust --json
expect_json 'j["version"]' 1
