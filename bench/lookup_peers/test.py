#!/usr/bin/env python3
"""test.py BENCH_LOOKUP_PEERS: over few configurations, for its shape: all contenders give the same
answers (the program checks that itself), the table and the CSV have a row each, ratios are what they say."""
import csv
import os
import subprocess
import sys
import tempfile

program = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "out.csv")
    done = subprocess.run([program, "--devices", "3", "--kernels", "5", "--ranges", "4", "--samples", "3",
                           "--csv", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
names = [row["contender"] for row in rows]
wanted = ["libtuned", "libtuned, resolved", "unordered_map", "SQLite"]
assert [name for name in names if name != "cJSON"] == wanted, names
lines = done.stdout.splitlines()
assert lines[0].startswith("3 devices x 5 kernels x 4 ranges on "), lines[0]
assert [line[:20].rstrip() for line in lines[-len(names):]] == names, done.stdout
for row in rows:
    assert (row["devices"], row["kernels"], row["ranges"], row["samples"]) == ("3", "5", "4", "3")
    for name in ("file_bytes", "load_ns", "memory_bytes", "lookup_ns"):
        assert float(row[name]) > 0, (row["contender"], name, row[name])
    for ratio, of in (("load_ratio", "load_ns"), ("lookup_ratio", "lookup_ns")):
        computed = float(row[of]) / float(rows[0][of])
        assert abs(float(row[ratio]) - computed) < 0.01 * computed + 0.001, (row["contender"], ratio)
for wrong in (["--devices", "0"], ["--ranges", "41"], ["--csv"], ["more"]):
    assert subprocess.run([program, *wrong], capture_output=True).returncode == 2, wrong
