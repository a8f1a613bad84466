#!/bin/bash
# A compiler that takes a quarter of the budget for each binary: the search has the time that a confirmation would keep
# for itself, and a problem has an answer. Tried points are counted, not timed.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
little=() # with usual effort

# The device measures while compilers work: after the first four binaries it waits for others.
write_copy 24
sed -i 's/^defines:.*/defines: {WAY: way, BLOCK: block}/' copy.yaml # each configuration has a binary of its own
tune_copy 'nvrtcCompileProgram@source=copy.cu: slow=2500' --jobs 4 --budget 10s
expect_code 0
tried=$(query "SELECT count(*) FROM trials WHERE stage = 'sweep'")
[[ $tried -ge 8 ]] || fail "$tried of 72 points tried"

# The device is the compilers' own processor: a batch that would take the whole budget is not compiled first.
cat >twice.yaml <<'Y'
experiment: twice
about: Doubles n elements.
device: cpu
source: twice.c
sizes: {n: [1000]}
parameters: {block: [10, 20, 50, 100], way: [1, 2, 3, 4, 5, 6, 7, 8]}
defines: {BLOCK: block, WAY: way}
launches: [{kernel: twice, grid: 'ceil_div(n, block)', threads: 1, arguments: [in, out, n]}]
arguments:
  - {name: in, type: i32, count: n, fill: random}
  - {name: out, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
check: {reference: twice_reference, source: twice_reference.c, output: out, tolerance: 0}
metrics: {bytes: 8 * n}
Y
cat >twice.c <<'C'
void twice(const struct tune_block *block, void *const *arguments)
{
    const int *in = arguments[0];
    int *out = arguments[1];
    const long long n = *(const long long *)arguments[2], begin = (long long)block->index * BLOCK;
    for (long long i = begin; i < begin + BLOCK && i < n; i++)
        out[i] = 2U * (unsigned)in[i] + 0 * WAY;
}
C
cat >twice_reference.c <<'C'
void twice_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    for (long long i = 0; i < *(const long long *)arguments[2]; i++)
        expected[i].integer = (int)(2U * (unsigned)in[i]);
}
C
export COMPILER=${CC:-cc}
cat >slow-cc <<'C'
#!/bin/bash
[[ $* != *-DWAY* ]] || sleep 2.5
exec "$COMPILER" "$@"
C
chmod +x slow-cc
forget
CC=$PWD/slow-cc run "$TUNE" run twice.yaml --device cpu --no-report "${warm[@]}" --jobs 2 --budget 10s
[[ $code -eq 0 || $code -eq 6 ]] || fail "exit code $code" # 6: a busy machine makes no verdict sure
[[ $(query "SELECT count(*) FROM winners") -eq 1 ]] || fail "no winner"
tried=$(query "SELECT count(*) FROM trials WHERE stage = 'sweep'")
[[ $tried -ge 2 ]] || fail "$tried of 32 points tried"
