# shellcheck shell=bash
# Helpers of the tests in this folder: `source "$TUNE_TESTS/lib.sh"`.

# fail TEXT...: ends the test and shows the output of the last command.
fail() {
    echo "FAILED: $*"
    echo "--- command: ${command_line:-none} (exit code ${code:-none})"
    for stream in out err; do
        [[ ! -s ${captured:-/nonexistent}.$stream ]] || { echo "--- $stream"; head -c 4000 "$captured.$stream"; }
    done
    exit 1
}

# run COMMAND...: keeps its exit code in $code, its output in $captured.out and $captured.err.
run() {
    command_line=$*
    captured=$TMPDIR/last
    code=0
    "$@" >"$captured.out" 2>"$captured.err" || code=$?
}

# expect_code N
expect_code() {
    [[ $code -eq $1 ]] || fail "exit code $code, not $1"
}

# expect_out REGEX, expect_err REGEX: a line of stdout or stderr matches (extended regex).
expect_out() {
    grep -qE -- "$1" "$captured.out" || fail "stdout has no line with: $1"
}
expect_err() {
    grep -qE -- "$1" "$captured.err" || fail "stderr has no line with: $1"
}
refuse_out() {
    ! grep -qE -- "$1" "$captured.out" || fail "stdout has a line with: $1"
}
refuse_err() {
    ! grep -qE -- "$1" "$captured.err" || fail "stderr has a line with: $1"
}

# The line about other tests that run on the processor.
beside=': [0-9]+ other process(es run| runs) there: '

# expect_empty out|err, but for $beside.
expect_empty() {
    ! grep -qvE "$beside" "$captured.$1" || fail "$1 is not empty"
}

# expect_one_line err: an error is one line.
expect_one_line() {
    [[ $(wc -l <"$captured.$1") -eq 1 ]] || fail "$1 is not one line"
}

# golden COMMAND...: runs it, and keeps its exit code and its output for expect_golden, lines of stderr behind "! ". Days
# before 2090, folders, elapsed times and the numbers of ${steady[@]} count as equal, and all that a test's own golden_filter
# (for sed -E) makes equal; that other tests run on the processor is left out.
golden() {
    golden_lines '' "$@"
}
# golden_lines REGEX COMMAND...: of the output only these lines, where others tell of the machine.
golden_lines() {
    run "${@:2}"
    keep_golden "$1"
}
# golden_refusal COMMAND...: the exit code and the error.
golden_refusal() {
    golden_lines '^tune [a-z]+: ' "$@"
}
keep_golden() {
    local line=${command_line//"$TUNE"/tune}
    line=${line//"${steady[*]}"/STEADY}
    {
        echo "\$ ${line//"${steady[*]:1}"/STEADY} (exit code $code)"
        grep -E -- "$1" "$captured.out" || true
        { grep -E -- "$1" "$captured.err" || true; } | sed -E "/$beside/d; s/^/! /"
        echo
    } | sed -E "s|$PWD|HERE|g; s|${TMPDIR%/*}/work|HERE|g; s|$TMPDIR|TMPDIR|g; s|$TUNE_SOURCE|SOURCE|g; s/20[0-8][0-9]-[0-9]{2}-[0-9]{2}(T[0-9:]+Z)?/DAY/g; s/\bin [0-9.]+ s\b/in TIME/g; ${golden_filter:-}" \
        >>"$TMPDIR/golden.txt"
}
# expect_golden, at a test's end: compares all kept output with golden/TEST.txt beside the test, which tests/rewrite_texts.py
# rewrites.
expect_golden() {
    local kept
    kept=$(dirname "$0")/golden/$(basename "$0" .sh).txt
    if [[ -n ${TUNE_REWRITE_GOLDEN:-} ]]; then
        cp "$TMPDIR/golden.txt" "$kept"
    else
        diff "$kept" "$TMPDIR/golden.txt" || fail "other texts: read the change, then tests/rewrite_texts.py takes it up"
    fi
}

expect_file() {
    [[ -s $1 ]] || fail "no file $1, or an empty one"
}

refuse_file() {
    [[ ! -e $1 ]] || fail "a file $1 was left"
}

# Drafts an experiment of scale.cu, which it writes; ends the test if no CUDA compiler is available.
init_or_skip() {
    echo '__global__ void scale(float *y) { y[threadIdx.x] *= 2; }' >scale.cu
    run "$TUNE" init scale.cu
    if [[ $code -eq 4 ]] || grep -q 'without CUDA' "$captured.err"; then
        echo "skipped: $(cat "$captured.err")"
        exit 0
    fi
    expect_code 0
}

# drafted LINE FILE: the file has it, blanks and the comment left out.
drafted() {
    sed 's/ *#.*//' "$2" | grep -qxF -- "$1" || { cat "$2"; fail "no line: $1"; }
}
# init_refused CODE REGEX INIT...: tune init writes no file, and gives the reason in one line.
init_refused() {
    local expected=$1 text=$2
    shift 2
    run "$TUNE" init "$@" -o refused.yaml
    expect_code "$expected"
    expect_one_line err
    expect_err "$text"
    refuse_file refused.yaml
}

# wait_for COMMAND...: until it is true; false when it is not within minutes ($patience_s), in which even a full machine comes to it.
wait_for() {
    local end=$((SECONDS + ${patience_s:-600}))
    until "$@"; do
        [[ $SECONDS -lt $end ]] || return 1
        sleep 0.05
    done
}
# counts LEAST SQL: tells whether SQL counts at least that many in tune.db; false while the table is
# missing.
counts() {
    [[ $(query "$2" 2>/dev/null || echo 0) -ge $1 ]]
}
# is_gone PID: it has ended, though its parent may not know yet.
is_gone() {
    ! kill -0 "$1" 2>/dev/null
}

# pick EXPRESSION: evaluates Python on the JSON of the last command, as `j`.
pick() {
    python3 -S -c 'import json, sys; j = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' \
        "$captured.out" "$1"
}
# expect_json EXPRESSION VALUE
expect_json() {
    local got
    got=$(pick "$1") || fail "no JSON, or no $1 in it"
    [[ $got == "$2" ]] || fail "$1 is $got, not $2"
}

# Numbers to measure by where it does not matter how well: quickly, and however busy this machine is, no
# winner is too unstable to be written.
export STEADY='--no-report --effort quick --set anchor_shift=10 --set anchor_mads=1000 --set clock_shift=10 --set dropped_most=1
    --set twin_bias=1 --set floor_most=1000 --set other_wait_ms=0 --set sweep_slower=5 --set sweep_blocks=2 --set warm_window_ms=1 --set warm_least_ms=0 --set warm_most_ms=0'
# shellcheck disable=SC2034 # used by the tests
read -ra steady <<<"${STEADY//$'\n'/ }"

# write_experiment [SPINS]: a small experiment for the CPU, double.yaml, with twenty configurations, some of them wrong
# by intent: `way: late` computes a wrong result, `way: broken` does not compile, `way: again` is `plain` under another
# name. Each run spins SPINS times (default none), so that a run can be caught in the middle.
write_experiment() {
    local spins=${1:-0}
    cat >double.yaml <<Y
experiment: double
about: Doubles an array.
device: cpu
source: double_cpu.c
sizes:
  n: [1000, 5000]
parameters:
  way: [plain, late, broken, again]
  block: [100, 200, 250, 500, 1000]
derived:
  grid: ceil_div(n, block)
defines:
  WAY_late: 1 if way == "late" else 0
  WAY_broken: 1 if way == "broken" else 0
  SPINS: $spins
launches:
  - kernel: double_blocks
    grid: grid
    threads: 1
    arguments: [in, out, block, n]
arguments:
  - {name: in, type: i32, count: n, fill: random}
  - {name: out, type: i32, count: n, output: true}
  - {name: block, type: i64, value: block}
  - {name: n, type: i64, value: n}
check:
  reference: double_reference
  source: double_reference.c
  output: out
  tolerance: 0
metrics:
  bytes: 2 * n * sizeof("i32")
baselines:
  - name: whole
    about: blocks of a thousand
    set: {way: plain, block: 1000}
Y
    cat >double_cpu.c <<'C'
#if WAY_broken
#error this way is broken by intent
#endif
void double_blocks(const struct tune_block *block, void *const *arguments)
{
    const unsigned *in = arguments[0];
    unsigned *out = arguments[1];
    long long size = *(const long long *)arguments[2], n = *(const long long *)arguments[3];
    for (volatile long long spin = 0; spin < SPINS; spin++)
        ;
    for (long long i = block->index * size; i < (block->index + 1) * size && i < n; i++)
        out[i] = 2 * in[i] + WAY_late;
}
C
    cat >double_reference.c <<'C'
void double_reference(void *const *arguments, struct tune_expected *expected)
{
    const unsigned *in = arguments[0];
    long long n = *(const long long *)arguments[3];
    for (long long i = 0; i < n; i++)
        expected[i].integer = (int)(2 * in[i]);
}
C
}

# unpack FILE.xz: prints its content. Uses Python's module; xz need not be installed.
unpack() {
    python3 -S -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' "$1"
}

# query SQL: asks tune.db, one row per line, columns separated by blanks.
query() {
    python3 -S - "$1" <<'P'
import sqlite3, sys
for row in sqlite3.connect("file:tune.db?mode=ro", uri=True).execute(sys.argv[1]):
    print(*row)
P
}

# expect_data PAGE EXPRESSION WANTED: of the data that a page draws, as j with its problems that have winners as `winners`, the
# expression of Python is that.
expect_data() {
    local got
    got=$(
        python3 -S - "$1" "$2" <<'P'
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
j = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
winners = [problem for part in j["parts"] for problem in part["problems"] if "winner" in problem]
print(eval(sys.argv[2]))
P
    )
    [[ $got == "$3" ]] || fail "$1: $2 is '$got', not '$3'"
}
