#!/bin/bash
# JSON and CSV have a version, and docs/schema.json has every member of each answer with its type, and no other.
source "$TUNE_TESTS/lib.sh"
"$TUNE_BUILD/tests/make_fixture" tune.db
cat >valid.py <<'P'
"""valid.py SCHEMA NAME FILE: checks the answer against #/$defs/NAME; of CSV (NAME-csv) each row, its cells read as the schema's types."""
import csv, json, re, sys
schema = json.load(open(sys.argv[1]))
name, out = sys.argv[2], open(sys.argv[3])
types = {"string": str, "number": (int, float), "boolean": bool, "array": list, "object": dict, "null": type(None)}
members = schema["$defs"]["members"]

def fits(value, kind):
    return isinstance(value, types[kind]) and not (kind == "number" and isinstance(value, bool))

def check(where, value, rule):
    for word, said in rule.items():
        if word == "$ref":
            own = schema
            for part in said.split("/")[1:]:
                own = own[part]
            check(where, value, own)
        elif word == "type":
            assert any(fits(value, kind) for kind in ([said] if isinstance(said, str) else said)), (where, value, said)
        elif word == "enum":
            assert value in said, (where, value, said)
        elif word == "const":
            assert value == said, (where, value)
        elif word == "anyOf":
            assert any(passes(where, value, each) for each in said), (where, value)
        elif word == "pattern":
            assert re.search(said, value), (where, value)
        elif word == "propertyNames":
            for key in value or {}:
                check(where, key, said)
        elif word == "minProperties":
            assert value is None or len(value) >= said, (where, len(value), said)
        elif word == "items":
            for row in value if isinstance(value, list) else []:
                check(where, row, said)
        elif word in ("properties", "patternProperties"):
            for key, own in value.items() if isinstance(value, dict) else []:
                for pattern, each in said.items():
                    if key == pattern if word == "properties" else key not in members["properties"] and re.search(pattern, key):
                        check(f"{where}.{key}", own, each)
        else:
            assert word in ("description", "title", "$schema"), word

def passes(where, value, rule):
    try:
        check(where, value, rule)
        return True
    except AssertionError:
        return False

def cell(key, text):
    own = members["properties"].get(key, {"enum": []} if key.endswith("_standing") else {"type": ["number"]})
    if text == "":
        return None
    return text if "enum" in own or "string" in own.get("type", []) else json.loads(text)

def is_known(names):
    return all(key in members["properties"] for key in names)

for rule in schema["$defs"].values():
    for names in re.findall(r'"enum": (\[[^]]*\])', json.dumps({key: own for key, own in rule.items() if rule is not members})):
        assert is_known(json.loads(names)), names
rule = schema["$defs"][name]
if name.endswith("-csv"):
    rows = [{key: cell(key, text) for key, text in row.items()} for row in csv.DictReader(out)]
    assert rows, "no rows"
    for row in rows:
        check(name, row, rule)
else:
    answer = json.load(out)
    assert answer and all(list(row)[0] == "version" for row in (answer if isinstance(answer, list) else [answer])), answer
    check(name, answer, rule)
P
# valid NAME: the last output is as docs/schema.json says.
valid() {
    python3 valid.py "$TUNE_SOURCE/docs/schema.json" "$1" "$captured.out" || fail "docs/schema.json: $1"
}

cp tune.db old.db
for question in '' --baselines '--top 3' --failures --ties --ranges --runs --why --trust '--trial 1000' \
    '--compare --before old.db'; do
    name=${question%% *}
    name=${name#--}
    for form in json csv; do
        # shellcheck disable=SC2086 # words
        run "$TUNE" show $question --$form
        expect_code 0
        valid "${name:-show}$([ $form = json ] || printf %s -csv)"
    done
done
python3 -c 'import sqlite3
db = sqlite3.connect("old.db")
db.execute("UPDATE devices SET uuid = \"GPU-other\"")
db.commit()'
run "$TUNE" export --json -
expect_code 0
valid export
expect_json '{e["device"] for e in j}' "{'Fixture GPU'}"

# This machine: present devices, and a kind without any.
CUDA_VISIBLE_DEVICES='' run "$TUNE" devices --json
expect_code 0
valid devices
expect_json '[d["address"] for d in j["devices"]], {d["address"] for d in j["unavailable"]} <= {"cuda"}' "(['cpu'], True)"
device=$(pick 'j["devices"][0]["device"], j["devices"][0]["device_uuid"]')
write_experiment
run "$TUNE" run double.yaml --device cpu "${steady[@]}" --sizes 1000 --db own.db --points 6 --as graph,eager --quiet
expect_code 0
for form in json csv; do
    run "$TUNE" show --as --db own.db --$form
    expect_code 0
    valid "as$([ $form = json ] || printf %s -csv)"
    run "$TUNE" show --searches --db own.db --$form
    expect_code 0
    valid "searches$([ $form = json ] || printf %s -csv)"
done
run "$TUNE" check double.yaml --device cpu "${steady[@]:1}" --json
valid check
expect_json 'j[0]["device"], j[0]["device_uuid"]' "$device"
