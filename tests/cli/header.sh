# shellcheck shell=bash
# tune export --header: a header that C99 and C++11 accept without a warning, and whose answers are
# libtuned's, for known devices, similar ones, and those with the portable entry.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
command -v "${CC:-cc}" >/dev/null || exit 77

cat >all.conf <<'T'
tuned-conf 5
[cuda "NVIDIA H200"] compute_capability=9.0 sm_count=132
reduce.sum.i32 n=1000-2000 class=one_block block=256 grid=1 wide=true share=0.5 | capability=7.0 domain="n%3==0"
reduce.sum.i32 n=2001-50000 class=last block=512 grid=40 wide=false share=0.25 | at=20000 capability=8.0 formula.grid="3+min(units*2,ceil_div(n,block))-2"
reduce.sum.i32 n=100000 class=last block=1024 grid=528 wide=false share=2 | capability=9.0 cluster=16 measured=grid
gemm.f32 n=512 name="a \"quoted\" ?? one" tile=-3 | source=5eed
gemm.mnk n=64-256 m@64-512 k@8 class=small block=64 grid=3 | at=128,64,8 formula.grid="ceil_div(n,block)*ceil_div(m,32)"
gemm.mnk n=64-256 m@513-2048 k@8-100 class=tall block=128 grid=4 | at=100,600,8 measured=grid
gemm.mnk n=257-4096 m@64-2048 k@1-100 class=wide block=256 grid=5 | formula.grid="k*units"
[cuda "NVIDIA H100 PCIe"] compute_capability=9.0 sm_count=114
reduce.sum.i32 n=4096 class=last block=128 grid=239 wide=true share=1 | per_unit=grid capability=9.0-9.0 cluster=8
reduce.sum.i32 n=3000000 class=last block=32 grid=239 wide=true share=1 | formula.grid=grid*block/0
[cuda "NVIDIA A100"] compute_capability=8.0 sm_count=108
reduce.sum.i32 n=4096 class=atomic block=64 grid=9 wide=true share=1
reduce.sum.i32 n=65536 class=atomic block=64 grid=9 wide=true share=1 | capability=8.6
[cuda "*"] capabilities=9,10
reduce.sum.i32 n=1-1000000 class=portable block=96 grid=2 wide=true share=1 | capability=7.5 formula.grid="max(4,(n+1)/96%1000)*(2+1)" cluster=16
reduce.sum.i32 n=1000001-2000000 class=portable block=64 grid=2 wide=true share=1 | capabilities=10 capability=7.0
[cpu "AMD EPYC"] cores=8
reduce.sum.i32 n=77 class=threads block=8 grid=8 wide=true share=1
[cpu "*"]
reduce.sum.i32 n=1000-2000 class=threads block=8 grid=4 wide=true share=1
end
T
run "$TUNE" export all.conf --json -
expect_code 0
expect_json 'len(j)' 15
expect_json '[e for e in j if e["problem"] == "gemm.f32"][0]["values"]' "{'name': 'a \"quoted\" ?? one', 'tile': -3}"
expect_json 'sorted({e["device_facts"].get("compute_capability", e["device_facts"].get("cores", "-")) for e in j}, key=str)' "['-', 8, '8.0', '9.0']"
expect_json '[(e["sizes"]["n"], e["values"]["share"], e["values"]["wide"], e["evidence"]) for e in j if e["line"] == 4]' \
    "[([2001, 50000], 0.25, False, {'at': 20000, 'capability': '8.0', 'formula.grid': '3+min(units*2,ceil_div(n,block))-2'})]"
run "$TUNE" export all.conf --json - --header made.h
expect_code 2
# A tuned.conf that was meant to be read is not written over.
cp all.conf kept.conf
for option in --json --header --configurations; do
    golden "$TUNE" export "$option" kept.conf
done
cmp all.conf kept.conf || fail "kept.conf was written over"
run "$TUNE" export all.conf --header made.h
expect_code 0
expect_err 'made.h: 3 problems'

cat >use.c <<'C'
#include "made.h"
#include "made.h"
#include <stdio.h>
#include "tuned.h"
#define COUNT(configuration, name, tile) +1
#define COUNT7(configuration, a, b, c, d, e) +1
enum { GEMMS = TUNED_CONFIGURATIONS_gemm_f32(COUNT), SUMS = TUNED_CONFIGURATIONS_reduce_sum_i32(COUNT7) };
static int compared;
static struct tuned *held;
static int differs(const struct tuned *tuned, const struct tuned_device *device, long long n)
{
    struct tuned_answer right;
    struct tuned_reduce_sum_i32_answer made = tuned_reduce_sum_i32(held, device, n);
    enum tuned_grade grade = tuned_find(tuned, device, "reduce.sum.i32", n, &right);
    compared++;
    if (grade == TUNED_NONE && made.grade == TUNED_NONE && made.configuration == 0)
        return 0;
    if (made.grade == grade && made.configuration > 0 && made.block == tuned_integer(right.entry, "block", -1) &&
        made.grid == tuned_answer_integer(&right, "grid", 0) &&
        strcmp(made.class_, tuned_text(right.entry, "class", "?")) == 0 &&
        made.wide == (strcmp(tuned_text(right.entry, "wide", "?"), "true") == 0) &&
        !(made.share < tuned_real(right.entry, "share", -1)) &&
        !(made.share > tuned_real(right.entry, "share", -1)) &&
        made.low == tuned_entry_n_low(right.entry) && made.high == tuned_entry_n_high(right.entry))
        return 0;
    printf("%s n=%lld: grade %d and %d, block %lld, grid %lld and %lld\n", device->name, n, (int)made.grade,
           (int)grade, made.block, made.grid, tuned_answer_integer(&right, "grid", -1));
    return 1;
}
static unsigned draw(unsigned bound)
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % bound;
}
static int differs_in_sizes(const struct tuned *tuned, const struct tuned_device *device)
{
    const long long n = draw(4) ? 1LL << draw(13) : 100, m = draw(4) ? draw(3000) : 600;
    const long long k = draw(2) ? draw(130) : 8;
    const struct tuned_size further[] = {{"k", k}, {"m", m}};
    struct tuned_answer right;
    struct tuned_gemm_mnk_answer made = tuned_gemm_mnk(held, device, n, m, k);
    enum tuned_grade grade = tuned_find_sizes(tuned, device, "gemm.mnk", n, further, 2, &right);
    compared++;
    if (grade == TUNED_NONE && made.grade == TUNED_NONE)
        return 0;
    if (made.grade == grade && made.block == tuned_integer(right.entry, "block", -1) &&
        made.grid == tuned_answer_integer(&right, "grid", 0))
        return 0;
    printf("n=%lld m=%lld k=%lld: grade %d and %d, block %lld, grid %lld and %lld\n", n, m, k, (int)made.grade,
           (int)grade, made.block, made.grid, tuned_answer_integer(&right, "grid", -1));
    return 1;
}
int main(void)
{
    static const struct { const char *kind, *name; int major, minor, units; } asked[] = {
        {"cuda", "NVIDIA H200", 9, 0, 132}, {"cuda", "NVIDIA H100 PCIe", 9, 0, 114},
        {"cuda", "NVIDIA A100", 8, 0, 108}, {"cuda", "Another", 9, 0, 120},
        {"cuda", "NVIDIA RTX", 8, 9, 72},   {"cuda", "NVIDIA B200", 10, 0, 148},
        {"cuda", "NVIDIA T4", 7, 5, 40},    {"cuda", "NVIDIA RTX 5090", 12, 0, 170},
        {"cuda", "NVIDIA A100", 8, 6, 12},  {"cuda", "NVIDIA H100 MIG", 9, 0, 14},
        {"cuda", "NVIDIA B300", 10, 3, 15}, {"cuda", "NVIDIA H200", 9, 0, 0},
        {"cpu", "AMD EPYC", 0, 0, 8},       {"cpu", "Another", 0, 0, 4}};
    static const long long sizes[] = {0, 1, 76, 77, 78, 999, 1000, 1500, 2000, 2001, 4096, 50000,
                                      50001, 70710, 70711, 99999, 100000, 1000000, 9000000000000LL,
                                      -1, 400000, 400001, 800000, 800001, 1000001, 16000000, 16000001};
    struct tuned_error error;
    struct tuned *tuned = tuned_load("all.conf", &error);
    struct tuned_device h200 = {"cuda", "NVIDIA H200", 9, 0, 132, 0, 0, 0, 0, 0, 0, {0}, 0, 0};
    size_t i, j;
    int bad = 0;
    held = tuned_header_load(&error);
    if (!tuned || !held)
        return 1;
    for (i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        struct tuned_device device;
        memset(&device, 0, sizeof device);
        device.kind = asked[i].kind;
        device.name = asked[i].name;
        device.compute_capability_major = asked[i].major;
        device.compute_capability_minor = asked[i].minor;
        device.unit_count = asked[i].units;
        for (j = 0; j < sizeof sizes / sizeof sizes[0]; j++)
            bad += differs(tuned, &device, sizes[j]);
        for (j = 1; j < 5000; j++)
            bad += differs(tuned, &device, (long long)j * 37) + differs_in_sizes(tuned, &device);
    }
    bad += strcmp(TUNED_SOURCE_gemm_f32, "5eed") != 0;
    if (GEMMS != 1 || SUMS != 10 || tuned_gemm_f32(held, &h200, 500).tile != -3 ||
        strcmp(tuned_gemm_f32(held, &h200, 500).name, "a \"quoted\" ?? one") != 0 ||
        tuned_gemm_f32(held, &h200, 500000).grade != TUNED_NONE || tuned_gemm_f32(NULL, NULL, 1).configuration != 0)
        bad++;
    printf("%d compared, %d differ\n", compared, bad);
    tuned_free(tuned);
    tuned_free(held);
    return bad != 0;
}
C
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
run "${CC:-cc}" -std=c99 -O1 "${warnings[@]}" -Wstrict-prototypes -I"$TUNE_SOURCE/libtuned" -I. use.c \
    "$TUNE_SOURCE/libtuned/tuned.c" -o use
expect_code 0
run ./use
expect_code 0
expect_out '^[0-9]{6} compared, 0 differ$'
if command -v g++ >/dev/null; then
    run g++ -std=c++11 -x c++ "${warnings[@]}" -I"$TUNE_SOURCE/libtuned" -I. -c use.c -o use.o
    expect_code 0
fi

# A value has one type in all problems of a file.
printf 'tuned-conf 4\n[cuda "X"]\na n=1 size=8 block=32\nb n=1 size=max block=64\nend\n' >types.conf
run "$TUNE" export types.conf --header types.h
expect_code 0
[[ $(grep -cE '^ *const char \*size;' types.h) -eq 2 && $(grep -cE '^ *long long block;' types.h) -eq 2 ]] ||
    fail "types hang on the problem: $(grep -E 'size;|block;' types.h)"

# Of devices of the same major compute capability the nearest by units, the same minor one first; an older
# format; more than 32 values before one by the units; the least integer; a text that is the list's parameter.
{
    printf 'tuned-conf 3\n[cuda "A100"] compute_capability=8.0 sm_count=108\n'
    printf 'p n=1 axis=X init=5 grid=1\n[cuda "L40S"] compute_capability=8.9 sm_count=142\np n=1 axis=X init=-9223372036854775808'
    printf ' v%s=1' {1..40}
    printf ' grid=284 | per_unit=grid\nend\n'
} >odd.conf
run "$TUNE" export odd.conf --header odd.h
expect_code 0
cat >odd.c <<'C'
#include "odd.h"
#include <stdio.h>
#define axis_X 7
#define CASE(configuration, axis, ...) axis_##axis,
static const int axes[] = {axis_X, TUNED_CONFIGURATIONS_p(CASE) 0};
int main(void)
{
    struct tuned_device l4 = {"cuda", "L4", 8, 9, 148, 0, 0, 0, 0, 0, 0, {0}, 0, 0};
    struct tuned *tuned = tuned_header_load(NULL);
    struct tuned_p_answer best = tuned_p(tuned, &l4, 1);
    printf("%s %lld %d %d\n", best.axis, best.grid, best.init < -9223372036854775807LL, axes[0]);
    tuned_free(tuned);
    return 0;
}
C
run "${CC:-cc}" -std=c99 "${warnings[@]}" -I"$TUNE_SOURCE/libtuned" -I. odd.c "$TUNE_SOURCE/libtuned/tuned.c" -o odd
expect_code 0
run ./odd
expect_out '^X 296 1 7$'

# Names with one C name are refused, and no file is written.
printf 'tuned-conf 3\n[cpu "x"]\na.b n=1 v=1\na-b n=1 v=1\nend\n' >twice.conf
golden_refusal "$TUNE" export twice.conf --header none.h
refuse_file none.h
run "$TUNE" export all.conf --header a.h --output b.conf
expect_code 2
expect_golden
