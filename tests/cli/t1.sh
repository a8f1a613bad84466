#!/bin/bash
# Files of T1 in both dialects are tuned unchanged, with an overlay for the CPU; trials are exported as
# T4, which the schemas and a reader of T4 accept.
source "$TUNE_TESTS/lib.sh"

# ---- KTT's dialect: a sum of two vectors, one of them out of a file ----
cat >sum.json <<'J'
{
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "CHUNK", "Type": "uint", "Values": "[64 * i for i in range(1, 5)]"},
      {"Name": "WAY", "Type": "string", "Values": "['plain', 'late', 'broken']"}
    ],
    "Conditions": [{"Parameters": ["CHUNK"], "Expression": "CHUNK != 192"}]
  },
  "Search": {"Name": "Random"},
  "General": {"TimeUnit": "Microseconds", "OutputFormat": "JSON", "FormatVersion": "1"},
  "Budget": {"Type": "ConfigurationCount", "BudgetValue": 10},
  "KernelSpecification": {
    "Language": "CUDA",
    "KernelName": "sum",
    "KernelFile": "sum.cu",
    "SharedMemory": 0,
    "GlobalSize": {"X": "(1000 + CHUNK - 1) // CHUNK"},
    "LocalSize": {"X": "1"},
    "Arguments": [
      {"Name": "a", "Type": "float", "Size": 1000, "TypeSize": 4, "FillType": "Generator",
       "DataSource": "i", "AccessType": "ReadOnly", "MemoryType": "Vector"},
      {"Name": "b", "Type": "float", "Size": 1000, "FillType": "BinaryRaw", "DataSource": "b.bin",
       "AccessType": "ReadOnly", "MemoryType": "Vector"},
      {"Name": "c", "Type": "float", "Size": 1000, "FillType": "Constant", "FillValue": 0.0,
       "AccessType": "WriteOnly", "MemoryType": "Vector"},
      {"Name": "k", "Type": "float", "FillValue": 3.0, "MemoryType": "Scalar"}
    ],
    "ReferenceArguments": [
      {"Name": "reference", "FillType": "Generator", "DataSource": "3 * i + 3", "TargetName": "c",
       "ValidationMethod": "SideBySideComparison", "ValidationThreshold": 0.1}
    ]
  }
}
J
python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<1000f", *(2.0 * i for i in range(1000))))' >b.bin
mkdir cpu
cat >cpu/sum_cpu.c <<'C'
#define WAY_IS_late 1
#define WAY_IS_plain 2
#define WAY_IS_broken 3
#define PASTE(a, b) a##b
#define IS(way) PASTE(WAY_IS_, way)
#if IS(WAY) == 3
#error this way is broken by intent
#endif
void sum(const struct tune_block *block, void *const *arguments)
{
    const float *a = arguments[0], *b = arguments[1];
    float *c = arguments[2], k = *(const float *)arguments[3];
    for (long long i = block->index * CHUNK; i < (block->index + 1) * CHUNK && i < 1000; i++)
        c[i] = a[i] + b[i] + k + (IS(WAY) == 1);
}
C
cat >cpu/overlay.json <<'J'
{
  "KernelSpecification": {"KernelFile": "sum_cpu.c"},
  "tune": {"device": "cpu", "metrics": {"gflops": "2 * 1000 / time_ns"}}
}
J

golden "$TUNE" run sum.json --overlay cpu/overlay.json --show-experiment
cp "$captured.out" sum.yaml

# For a kernel in HIP the CUDA source beside it is used.
mkdir hip
sed 's/"sum.cu"/"sum.cu.hip"/; s/b.bin/..\/b.bin/' sum.json >hip/sum.json
touch hip/sum.cu.hip
golden_refusal "$TUNE" run hip/sum.json --show-experiment
touch hip/sum.cu
golden "$TUNE" run hip/sum.json --show-experiment

run "$TUNE" run sum.json --overlay cpu/overlay.json --device cpu "${steady[@]}"
expect_code 0
expect_out 'CHUNK'
# Counts the statuses of the sweep of problem $1; trials disturbed by this machine count as ok.
statuses() {
    query "SELECT replace(t.status, 'unstable', 'ok'), count(*) FROM trials AS t
        JOIN problems AS p ON p.id = t.problem_id WHERE stage = 'sweep' AND p.key = '$1' GROUP BY 1 ORDER BY 1" | xargs
}
[[ $(statuses sum) == 'compile_failed 3 ok 3 wrong_result 3' ]] || fail "not 3 of each: $(statuses sum)"

# The printed experiment is the same.
run "$TUNE" run sum.yaml --device cpu "${steady[@]}"
expect_code 0
expect_err ' 0 trials \(9 known already\)'

# ---- T4 ----
cat >validate.py <<'P'
import json, pathlib, sys

data = pathlib.Path(sys.argv[1])
file = json.load(open(sys.argv[2]))
version = file["schema_version"]
schemas = [f"T4-results-schema-{version}.json"] + (["T4-metadata-schema-1.0.0.json"] if version == "1.0.0" else [])
try:
    from jsonschema import Draft202012Validator
    for name in schemas:
        schema = json.load(open(data / name))
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(file)
except ImportError:
    print("no jsonschema here: the schemas themselves are left out")

# As a reader of T4 takes it: seconds, five costs added up, the least time of what is correct.
assert file["metadata"]["timeunit"] == "seconds"
best = None
for result in file["results"]:
    times = result["times"]
    assert times["compilation"] == times["compilation_time"] >= 0
    cost = sum(times[key] for key in ("compilation", "framework", "search_algorithm", "validation"))
    cost += sum(times.get("runtimes", []))
    assert 0 < cost < 60, cost
    value = next(m["value"] for m in result["measurements"] if m["name"] == "time")
    correct = result["invalidity"] == "correct"
    assert result["correctness"] == correct and isinstance(value, str) != correct
    if correct:
        unit = next(m["unit"] for m in result["measurements"] if m["name"] == "time")
        assert unit == ("s" if version == "1.0.0" else "")
        assert 0 < value < 1 and min(times["runtimes"]) <= value <= max(times["runtimes"])
        best = min(best or value, value)
print(len(file["results"]), sorted({r["invalidity"] for r in file["results"]}))
assert best
P
for version in 1.0.0 1.1.0; do
    run "$TUNE" export --t4 "sum-$version.json" --t4-version "$version"
    expect_code 0
    expect_err "^sum-$version.json: 9 trials of sum n=1 on .*cold"
    run python3 validate.py "$TUNE_SOURCE/tests/data/t1" "sum-$version.json"
    expect_code 0
    expect_out "^9 \['compile', 'correct', 'correctness'\]"
done
run "$TUNE" export --t4 - --problem sum --n 1
expect_code 0
expect_json 'j["schema_version"]' 1.1.0
expect_json 'sorted({r["configuration"]["WAY"] for r in j["results"]})' "['broken', 'late', 'plain']"
expect_json 'sorted({r["configuration"]["CHUNK"] for r in j["results"]})' '[64, 128, 256]'

# ---- Kernel Tuner's dialect: a filter in constant memory, held against the default configuration ----
cat >filter.json <<'J'
{
  "General": {"BenchmarkName": "filter", "Objective": "GFLOPs"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[1, 2]", "Default": 1},
      {"Name": "tile_size_x", "Type": "int", "Values": "[16, 50]", "Default": 16},
      {"Name": "taps", "Type": "int", "Values": "[3]", "Default": 3},
      {"Name": "skip", "Type": "int", "Values": "[0, 1]", "Default": 0}
    ],
    "Conditions": [{"Parameters": [], "Expression": "skip == 0 or tile_size_x == 50 and block_size_x == 1"}]
  },
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "filter", "KernelFile": "filter_cpu.c",
    "ProblemSize": [600], "GridDivX": ["tile_size_x"],
    "CompilerOptions": ["-std=c++11"], "Stream": null,
    "GlobalSize": {"X": "1"}, "LocalSize": {"X": "1"},
    "Arguments": [
      {"Name": "out", "Type": "double", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "Size": "ProblemSize[0]", "Output": 1},
      {"Name": "in", "Type": "double", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "FillType": "Random", "FillValue": 1.0, "Size": "ProblemSize[0] + max(taps) - 1"},
      {"Name": "weights", "Type": "double", "MemoryType": "Vector", "AccessType": "ReadOnly", "MemType": "Constant",
       "FillType": "Random", "Size": "max(taps)"}
    ]
  }
}
J
cat >filter_cpu.c <<'C'
#ifndef kernel_tuner
#error kernel_tuner is defined for every kernel
#endif
double weights[taps];
void filter(const struct tune_block *block, void *const *arguments)
{
    double *out = arguments[0];
    const double *in = arguments[1];
    for (long long i = block->index * tile_size_x; i < (block->index + 1) * tile_size_x && i < 600; i++) {
        double sum = 0;
        for (int k = skip; k < taps; k++)
            sum += weights[k] * in[i + k];
        out[i] = sum;
    }
}
C
echo '{"tune": {"device": "cpu"}}' >on_cpu.json
run "$TUNE" run filter.json --overlay on_cpu.json --device cpu "${steady[@]}"
expect_code 0
expect_err 'ignored: .*General.Objective'
[[ $(statuses filter) == 'ok 4 wrong_result 1' ]] || fail "not 4 right and 1 wrong: $(statuses filter)"

# Two problems now: a file is about one.
golden "$TUNE" export --t4 both.json
refuse_file both.json
run "$TUNE" export --t4 filter-t4.json --problem filter
expect_code 0
run python3 validate.py "$TUNE_SOURCE/tests/data/t1" filter-t4.json
expect_out "^5 \['correct', 'correctness'\]"

# ---- what is wrong is said before anything runs ----
sed 's/"CHUNK != 192"/"CHNK != 192"/' sum.json >wrong.json
golden_refusal "$TUNE" run wrong.json --overlay cpu/overlay.json --device cpu
head -c 3000 b.bin >short.bin
sed 's/b\.bin/short.bin/' sum.json >wrong.json
golden_refusal "$TUNE" run wrong.json --overlay cpu/overlay.json --device cpu
sed 's/"CUDA"/"OpenCL"/' sum.json >wrong.json
golden_refusal "$TUNE" run wrong.json
golden "$TUNE" run sum.json --dialect both
golden_refusal "$TUNE" run sum.json --overlay missing.json
golden "$TUNE" run sum.yaml --show-experiment
golden "$TUNE" export --problem sum
run "$TUNE" export --t4 x.json --t4-version 2
expect_code 2
run "$TUNE" export --t4 x.json -o y.conf
expect_code 2
refuse_file x.json

expect_golden
