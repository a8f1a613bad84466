#!/bin/bash
# Sources that exhaust their compiler, among one that is well: each fails by itself, within its limits
# of memory, file size and time, and its compiler's words are kept. Damaged binaries in the cache are
# compiled again; the cache stays below its limit.
source "$TUNE_TESTS/lib.sh"

cat >bomb.yaml <<'Y'
experiment: bomb
about: Sources that exhaust their compiler, among one that is well.
device: cpu
source: bomb.c
sizes: {n: [1000]}
parameters:
  way: [0, 1, 2, 3, 4]
defines: {WAY: way}
launches:
  - {kernel: copy, grid: 1, threads: 1, schedule: static, arguments: [in, out, n]}
arguments:
  - {name: in, type: i32, count: n, fill: random}
  - {name: out, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
check: {reference: copy_reference, source: copy_reference.c, output: out, tolerance: 0}
metrics: {bytes: 8 * n}
Y
cat >bomb.c <<'C'
#if WAY == 1 /* never ends, and grows */
#define ENDLESS "/dev/zero"
#include ENDLESS
#elif WAY == 2 /* 16^9 numbers */
#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(A(x)))
int many[] = {B(B(B(1,)))};
#elif WAY == 3 /* a file of 64 GiB */
char huge[1ll << 36] = {1};
#elif WAY == 4 /* includes itself */
#include __FILE__
#endif
void copy(const struct tune_block *block, void *const *arguments)
{
    const int *in = arguments[0];
    int *out = arguments[1];
    const long long n = *(const long long *)arguments[2];
    for (long long i = block->index; i < n; i += block->count)
        out[i] = in[i];
}
C
cat >copy_reference.c <<'C'
void copy_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    const long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n; i++)
        expected[i].integer = in[i];
}
C

# Sanitizers reserve more address space than any limit: there memory is not limited, and the bombs
# that grow would fill this machine.
if [[ -z ${TUNE_SANITIZE:-} ]]; then
    export TUNE_COMPILE_MEMORY_BYTES=900000000 TUNE_COMPILE_TIMEOUT_MS=20000
    run "$TUNE" run bomb.yaml --device cpu "${steady[@]}"
    expect_code 0
    expect_err ' 4 failed'
    [[ $(query "SELECT count(*) FROM trials WHERE status = 'compile_failed'") -eq 4 ]] ||
        fail "not all four are compile_failed"
    run "$TUNE" show --wide --failures
    expect_out 'way=1 .*(memory|signal|killed)'
    expect_out 'way=4 .*nested'
    [[ -z $(ls "$TUNE_CACHE_DIR/scratch") ]] || fail "files of compilers were left in the cache"
    [[ -z $(find "$TMPDIR" -mindepth 1 ! -name 'last.*') ]] || fail "files of compilers were left in TMPDIR"
fi

# Time: the compiler of a healthy source, slowed down by another program of its name.
stuck="sleep 100000 0.$$" # unique; a waiter would never end
cat >slow_cc <<C
#!/bin/sh
case "\$*" in *--version*) exec cc --version ;; *WAY=0*) exec $stuck ;; esac
exec cc "\$@"
C
chmod +x slow_cc
sed -i 's/way: \[.*/way: [0, 7]/' bomb.yaml
rm -f "$TUNE_CACHE_DIR"/*.bin
run env CC="$PWD/slow_cc" TUNE_COMPILE_TIMEOUT_MS=8000 "$TUNE" run bomb.yaml --device cpu "${steady[@]}" --db slow.db
expect_code 0
run "$TUNE" show --wide --failures --db slow.db
expect_out 'way=0 .*killed after 8\.0 s \(TUNE_COMPILE_TIMEOUT_MS\)'
! pgrep -fx "$stuck" >/dev/null || fail "the compiler's own children were left"

export TUNE_CEILING_BYTES=0 # many new databases, none of them for its ceilings
# The cache: cut, damaged and foreign files.
sed -i 's/way: \[.*/way: [0]/' bomb.yaml
fresh() {
    rm -f tune.db*
    run "$TUNE" run bomb.yaml --device cpu "${steady[@]}"
    expect_code 0
}
fresh
fresh
expect_err ' 0 binaries compiled, 1 cached'
for binary in "$TUNE_CACHE_DIR"/*.bin; do truncate -s 3000 "$binary"; done
fresh
expect_err ' 1 binary compiled, 0 cached'
expect_err ' 0 failed'
for binary in "$TUNE_CACHE_DIR"/*.bin; do
    printf 'damage' | dd of="$binary" bs=1 seek=4000 conv=notrunc status=none
done
fresh
expect_err ' 1 binary compiled, 0 cached'
expect_err ' 0 failed'
for binary in "$TUNE_CACHE_DIR"/*.bin; do echo 'something else' >"$binary"; done
fresh
expect_err ' 1 binary compiled, 0 cached'

# The least recently used files are removed first, and no file of others.
mkdir -p "$TUNE_CACHE_DIR/mine"
head -c 100000 /dev/zero >"$TUNE_CACHE_DIR/00000000000000000000000000000000.bin"
touch -d '2 days ago' "$TUNE_CACHE_DIR/00000000000000000000000000000000.bin"
head -c 100000 /dev/zero >"$TUNE_CACHE_DIR/notes.bin"
TUNE_CACHE_BYTES=90000 fresh
refuse_file "$TUNE_CACHE_DIR/00000000000000000000000000000000.bin"
expect_file "$TUNE_CACHE_DIR/notes.bin"
fresh
expect_err ' 0 binaries compiled, 1 cached'
TUNE_CACHE_BYTES=0 fresh
[[ $(find "$TUNE_CACHE_DIR" -name '[0-9a-f]*.bin' | wc -l) -eq 0 ]] || fail "the cache is not empty"

# Hostile values of our variables.
for name in TUNE_CACHE_BYTES TUNE_CEILING_BYTES TUNE_FLUSH_BYTES TUNE_WATCH_MS TUNE_COMPILE_TIMEOUT_MS TUNE_COMPILE_MEMORY_BYTES; do
    for value in x -1 1e9 ' 7' 99999999999999999999 $'\xff\xfe' "$(printf '9%.0s' {1..3000})"; do
        # A child reads this one, and a name that is no text does not pass through its message.
        [[ $name != TUNE_FLUSH_BYTES || $value != $'\xff\xfe' ]] || continue
        run env "$name=$value" "$TUNE" run bomb.yaml --device cpu "${steady[@]}" --quiet
        expect_code 3
        expect_one_line err
        expect_err "$name="
    done
done
long=/$(printf 'x%.0s' {1..9000})
for value in "$long" $'/tmp/\xff\xfe' /dev/null /proc/none /dev/null/x; do
    run env TUNE_CACHE_DIR="$value" "$TUNE" run bomb.yaml --device cpu "${steady[@]}" --quiet
    [[ $code -eq 3 || $code -eq 5 ]] || fail "TUNE_CACHE_DIR=$value: exit code $code"
    expect_one_line err
done
for value in "$long" $'/tmp/\xff\xfe' /dev/null relative/folder; do
    run env TUNE_DATA_DIR="$value" "$TUNE" run --device cpu "${steady[@]}"
    expect_code 3
    expect_one_line err
    run env TMPDIR="$value" TUNE_LOCK_DIR="$value" XDG_RUNTIME_DIR="$value" XDG_CACHE_HOME="$value" \
        "$TUNE" run bomb.yaml --device cpu "${steady[@]}"
    expect_code 0
done
