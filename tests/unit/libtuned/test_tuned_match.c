/* libtuned: the answering entry, the devices that may run it, its values there, and its staleness.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "load.h"
#include "tests/unit/suite.h"

static const char conf[] =
    "tuned-conf 4\n"
    "[cuda \"*\"] sm_count=100 capabilities=7,9\n"
    "sum n=1024 block=11 grid=400 | worst_loss_percent=3.5 per_unit=grid threads=64\n"
    "only n=1024 block=12 | worst_loss_percent=9\n"
    "[cuda \"A 40GB PCIe\"] compute_capability=8.0 sm_count=108 memory_bytes=40000000000\n"
    "sum n=1024 block=21 grid=216 workers=1 rows=108 | per_unit=grid,workers threads=1024\n"
    "[cuda \"B\"] compute_capability=8.6 sm_count=84\n"
    "sum n=1024 block=31 | threads=128\n"
    "[cuda \"C\"] compute_capability=8.0 sm_count=54 bandwidth_gbs=1000\n"
    "slow n=1024 block=41\n"
    "[cuda \"D\"] compute_capability=8.0 sm_count=54 bandwidth_gbs=3000\n"
    "slow n=1024 block=51\n"
    "far n=1024 block=52 grid=54 | per_unit=grid\n"
    "[cuda \"L\"] compute_capability=9.0 sm_count=132 driver=1.0 compiler=\"NVRTC 13.0\"\n"
    "big n=1-10 block=61 | threads=1024 registers=64 shared_bytes=1000 source=abc flags=f1\n"
    "big n=11-20 block=62 | threads=256 registers=33 shared_bytes=100000 driver=2.0\n"
    "big n=21-30 block=63 | threads=256 registers=32 shared_bytes=1000\n"
    "gemm n=64 m@64 k@1-100 block=1\n"
    "gemm n=64 m@128 k@1-100 block=2\n"
    "gemm n=64 m@128 k@101-200 block=3\n"
    "gemm n=4096 m@64-4096 k@64 block=4\n"
    "gemm n=128 m@64 k@7 block=5\n"
    "end\n";

static struct tuned_device gpu(const char *name, int major, int minor, int unit_count)
{
    return (struct tuned_device){.kind = "cuda",
                                 .name = name,
                                 .compute_capability_major = major,
                                 .compute_capability_minor = minor,
                                 .unit_count = unit_count};
}

/* Returns the block of the answer; tuned_find and a handle must agree. */
static long long block_of(const struct tuned *tuned, const struct tuned_device *device,
                          const char *problem, long long n, enum tuned_grade grade,
                          struct tuned_answer *answer)
{
    struct tuned_answer resolved;
    struct tuned_handle handle;
    char reason[TUNED_REASON_BYTES];
    enum tuned_grade most = tuned_resolve(tuned, device, problem, &handle);
    enum tuned_grade got = tuned_find(tuned, device, problem, n, answer);
    assert_int_equal(tuned_find_resolved(&handle, n, &resolved), got);
    assert_ptr_equal(resolved.entry, answer->entry);
    assert_true(resolved.distance == answer->distance);
    assert_true(got <= most);
    tuned_reason(&resolved, reason, sizeof reason);
    assert_true(reason[0] != '\0');
    tuned_reason(answer, reason, sizeof reason);
    if (got != grade || answer->grade != got)
        fail_msg("%s: %s: %s", problem, tuned_grade_name(got), reason);
    return tuned_integer(answer->entry, "block", -1);
}

TEST(grades_are_in_their_order)
{
    struct tuned *tuned = load_with(conf, TUNED_FAR_DEVICE, 1025);
    struct tuned_answer answer;
    char reason[TUNED_REASON_BYTES];
    struct tuned_device device = gpu("A 40GB PCIe", 8, 0, 108);
    assert_int_equal(block_of(tuned, &device, "sum", 1024, TUNED_EXACT, &answer), 21);
    assert_true(answer.distance == 0);
    assert_int_equal(block_of(tuned, &device, "sum", 4096, TUNED_NEAREST_SIZE, &answer), 21);
    assert_true(answer.distance == 3);
    device = gpu("A 80GB PCIe", 8, 0, 108);
    assert_int_equal(block_of(tuned, &device, "sum", 1024, TUNED_SAME_MODEL, &answer), 21);
    device = gpu("A 80GB SXM", 8, 0, 108);
    assert_int_equal(block_of(tuned, &device, "sum", 1024, TUNED_OTHER_DEVICE, &answer), 21);
    device = gpu("A 80GB PCIe", 8, 0, 54); /* half of a board is another device */
    assert_int_equal(block_of(tuned, &device, "sum", 2048, TUNED_OTHER_DEVICE, &answer), 21);
    assert_true(answer.distance == 3);
    device = gpu("E", 8, 6, 108); /* the minor one before the units */
    assert_int_equal(block_of(tuned, &device, "sum", 1024, TUNED_OTHER_DEVICE, &answer), 31);
    device = gpu("E", 9, 0, 80); /* portable before another generation */
    assert_int_equal(block_of(tuned, &device, "sum", 1024, TUNED_PORTABLE, &answer), 11);
    assert_true(answer.distance == 0); /* units only for scaling, of no device */
    tuned_reason(&answer, reason, sizeof reason);
    assert_non_null(strstr(
        reason, "sum has no entry for E that fits; taken, for n = 1024, from the entry of "));
    assert_non_null(strstr(reason, " for every device"));
    assert_int_equal(block_of(tuned, &device, "far", 1024, TUNED_FAR_DEVICE, &answer), 52);
    device = gpu("B", 8, 6, 84);
    assert_int_equal(block_of(tuned, &device, "only", 1, TUNED_FAR_DEVICE, &answer), 12);
    assert_int_equal(block_of(tuned, &device, "none", 1, TUNED_NONE, &answer), -1);
    assert_null(answer.entry);
    /* Units and bandwidth decide: here 3000 GB/s are nearer. */
    device = gpu("F", 8, 0, 54);
    device.bandwidth_gbs = 2000;
    assert_int_equal(block_of(tuned, &device, "slow", 1024, TUNED_OTHER_DEVICE, &answer), 51);
    assert_true(answer.distance == 0.5);
    device.bandwidth_gbs = 1500;
    assert_int_equal(block_of(tuned, &device, "slow", 1024, TUNED_OTHER_DEVICE, &answer), 41);
    tuned_free(tuned);
}

TEST(what_could_not_be_launched_is_not_given)
{
    struct tuned *tuned = load(conf);
    struct tuned_answer answer;
    struct tuned_device device = gpu("L", 9, 0, 132);
    assert_int_equal(block_of(tuned, &device, "big", 5, TUNED_IN_RANGE, &answer), 61);
    device.max_threads_per_block = 1024;
    device.max_shared_bytes = 100000;
    device.registers_per_unit = 65536;
    assert_int_equal(block_of(tuned, &device, "big", 5, TUNED_IN_RANGE, &answer), 61);
    device.max_threads_per_block = 1023;
    assert_int_equal(block_of(tuned, &device, "big", 5, TUNED_NEAREST_SIZE, &answer), 62);
    device.max_shared_bytes = 99999;
    assert_int_equal(block_of(tuned, &device, "big", 5, TUNED_NEAREST_SIZE, &answer), 63);
    device.max_threads_per_block = 0;
    assert_int_equal(block_of(tuned, &device, "big", 15, TUNED_NEAREST_SIZE, &answer), 63);
    device.registers_per_unit = 65535; /* 1024 threads of 64 are 65536 */
    assert_int_equal(block_of(tuned, &device, "big", 5, TUNED_NEAREST_SIZE, &answer), 63);
    device.max_shared_bytes = 0;
    device.registers_per_unit = 256 * 40 - 1; /* 33 count as 40 */
    assert_int_equal(block_of(tuned, &device, "big", 15, TUNED_NEAREST_SIZE, &answer), 63);
    device.registers_per_unit = 256 * 40;
    assert_int_equal(block_of(tuned, &device, "big", 15, TUNED_IN_RANGE, &answer), 62);
    device.max_threads_per_block = 255;
    assert_int_equal(block_of(tuned, &device, "big", 5, TUNED_NONE, &answer), -1);
    char reason[TUNED_REASON_BYTES];
    tuned_reason(&answer, reason, sizeof reason);
    assert_string_equal(reason, "big has no entry for the kind 'cuda' that fits n = 5 here");
    /* The most similar device has only entries that do not fit: the next one is taken, then the
     * portable one. */
    device = gpu("G", 8, 0, 108);
    device.max_threads_per_block = 512;
    assert_int_equal(block_of(tuned, &device, "sum", 1024, TUNED_OTHER_DEVICE, &answer), 31);
    device.max_threads_per_block = 64;
    assert_int_equal(block_of(tuned, &device, "sum", 1024, TUNED_NONE, &answer), -1);
    device = gpu("G", 9, 0, 108); /* a major capability on which the portable entry was measured */
    device.max_threads_per_block = 64;
    assert_int_equal(block_of(tuned, &device, "sum", 1024, TUNED_PORTABLE, &answer), 11);
    device.max_threads_per_block = 32;
    assert_int_equal(block_of(tuned, &device, "sum", 1024, TUNED_NONE, &answer), -1);
    tuned_free(tuned);
}

TEST(values_given_by_the_unit_are_scaled)
{
    struct tuned *tuned = load(conf);
    struct tuned_answer answer;
    struct tuned_device device = gpu("A 40GB PCIe", 8, 0, 108);
    (void)block_of(tuned, &device, "sum", 1024, TUNED_EXACT, &answer);
    assert_int_equal(tuned_answer_integer(&answer, "grid", 0), 216);
    device = gpu("H", 8, 0, 54);
    (void)block_of(tuned, &device, "sum", 1024, TUNED_OTHER_DEVICE, &answer);
    assert_int_equal(tuned_answer_integer(&answer, "grid", 0), 108);
    assert_int_equal(tuned_answer_integer(&answer, "workers", 0), 1); /* a half, at least 1 */
    assert_int_equal(tuned_answer_integer(&answer, "rows", 0), 108);  /* not by the unit */
    assert_int_equal(tuned_answer_integer(&answer, "absent", 7), 7);
    assert_int_equal(tuned_integer(answer.entry, "grid", 0), 216); /* as in the file */
    assert_int_equal(tuned_answer_integer_at(&answer, tuned_value_index(tuned, "grid"), 0), 108);
    device = gpu("H", 8, 0, 0); /* unknown */
    (void)block_of(tuned, &device, "sum", 1024, TUNED_OTHER_DEVICE, &answer);
    assert_int_equal(tuned_answer_integer(&answer, "grid", 0), 216);
    device = gpu("E", 9, 0, 33); /* portable: its section gives the number of units */
    (void)block_of(tuned, &device, "sum", 1024, TUNED_PORTABLE, &answer);
    assert_int_equal(tuned_answer_integer(&answer, "grid", 0), 132);
    answer.entry = NULL;
    assert_int_equal(tuned_answer_integer(&answer, "grid", 5), 5);
    tuned_free(tuned);

    tuned = load("tuned-conf 4\n[cuda \"X\"] sm_count=1\n"
                 "p n=1 a=9223372036854775807 b=-4 c=0 d=x e=4294967299 | per_unit=a,b,c,d,e\n"
                 "[cuda \"Z\"]\nq n=1 a=5 | per_unit=a\n"
                 "[cuda \"W\"] sm_count=100\nr n=1 a=1 b=8 c=8 | per_unit=a,bb,cc,c\nend\n");
    device = gpu("Y", 0, 0, 2147483647);
    assert_int_equal(tuned_find(tuned, &device, "p", 1, &answer), TUNED_OTHER_DEVICE);
    assert_true(tuned_answer_integer(&answer, "a", 0) == INT64_MAX); /* not beyond */
    assert_int_equal(tuned_answer_integer(&answer, "b", 0), -4);
    assert_int_equal(tuned_answer_integer(&answer, "c", 9), 0);
    assert_int_equal(tuned_answer_integer(&answer, "d", 9), 9);
    assert_true(tuned_answer_integer(&answer, "e", 0) == 4294967299);    /* exceeds the type */
    (void)block_of(tuned, &device, "q", 1, TUNED_OTHER_DEVICE, &answer); /* unknown units */
    assert_int_equal(tuned_answer_integer(&answer, "a", 0), 5);
    device.unit_count = 25;
    (void)block_of(tuned, &device, "r", 1, TUNED_OTHER_DEVICE, &answer);
    assert_int_equal(tuned_answer_integer(&answer, "a", 0), 1); /* a quarter, but at least 1 */
    assert_int_equal(tuned_answer_integer(&answer, "b", 0), 8); /* a name with the same beginning */
    assert_int_equal(tuned_answer_integer(&answer, "c", 0), 2);
    tuned_free(tuned);
}

/* Properties that distinguish two devices, one by one. */
TEST(devices_are_told_apart_by_each_of_their_numbers)
{
    struct tuned *tuned = load("tuned-conf 4\n"
                               "[cuda \"A 40GB PCIe\"] compute_capability=8.0 sm_count=108\n"
                               "p n=1 block=1\n"
                               "[cuda \"A 40Gi\"] compute_capability=8.0 sm_count=108\n"
                               "q n=1 block=2\n"
                               "[cuda \"A 40GBx\"] compute_capability=8.0 sm_count=108\n"
                               "r n=1 block=3\n"
                               "[cpu \"A 40GB PCIe\"] cores=108\n"
                               "p n=1 block=4\n"
                               "end\n");
    struct tuned_answer answer;
    struct tuned_device device = gpu("A 40GB PCIe", 8, 0, 108);
    assert_int_equal(block_of(tuned, &device, "p", 1, TUNED_EXACT, &answer), 1);
    device.compute_capability_minor = 6;
    assert_int_equal(block_of(tuned, &device, "p", 1, TUNED_OTHER_DEVICE, &answer), 1);
    device = gpu("A 80GB PCIe", 8, 6, 108);
    assert_int_equal(block_of(tuned, &device, "p", 1, TUNED_OTHER_DEVICE, &answer), 1);
    device = gpu("A 80Gi", 8, 0, 108); /* no size of memory */
    assert_int_equal(block_of(tuned, &device, "q", 1, TUNED_OTHER_DEVICE, &answer), 2);
    device = gpu("A 80GBx", 8, 0, 108);
    assert_int_equal(block_of(tuned, &device, "r", 1, TUNED_OTHER_DEVICE, &answer), 3);
    device = gpu("A 40GB PCIe", 0, 0, 108);
    device.kind = "cpu";
    assert_int_equal(block_of(tuned, &device, "p", 1, TUNED_EXACT, &answer), 4);
    assert_int_equal(block_of(tuned, &device, "q", 1, TUNED_NONE, &answer), -1);
    tuned_free(tuned);
}

TEST(likeness_has_its_order)
{
    struct tuned *tuned = load("tuned-conf 4\n"
                               "[cuda \"A\"] compute_capability=8.0\n"
                               "units n=1 block=1\n"
                               "[cuda \"B\"] compute_capability=8.0 sm_count=1000\n"
                               "units n=1 block=2\n"
                               "[cuda \"C\"] compute_capability=8.0 sm_count=10 memory_bytes=100\n"
                               "name n=1 block=3\nmemory n=1 block=3\n"
                               "[cuda \"D\"] compute_capability=8.0 sm_count=40\n"
                               "name n=1 block=4\nmemory n=1 block=4\n"
                               "[cuda \"E\"] compute_capability=8.0 sm_count=40 memory_bytes=900\n"
                               "memory n=1 block=5\n"
                               "end\n");
    struct tuned_answer answer;
    struct tuned_device device = gpu("X", 8, 0, 10); /* known units, at any distance */
    assert_int_equal(block_of(tuned, &device, "units", 1, TUNED_OTHER_DEVICE, &answer), 2);
    device = gpu("C", 8, 0, 20); /* both by a factor of two: the name */
    assert_int_equal(block_of(tuned, &device, "name", 1, TUNED_OTHER_DEVICE, &answer), 3);
    device = gpu("D", 8, 0, 20);
    assert_int_equal(block_of(tuned, &device, "name", 1, TUNED_OTHER_DEVICE, &answer), 4);
    device = gpu("X", 8, 0, 20); /* then the memory; of alike ones the first */
    assert_int_equal(block_of(tuned, &device, "memory", 1, TUNED_OTHER_DEVICE, &answer), 3);
    device.memory_bytes = 400;
    assert_int_equal(block_of(tuned, &device, "memory", 1, TUNED_OTHER_DEVICE, &answer), 5);
    device.memory_bytes = 1;
    assert_int_equal(block_of(tuned, &device, "memory", 1, TUNED_OTHER_DEVICE, &answer), 3);
    tuned_free(tuned);

    tuned = load("tuned-conf 4\n"
                 "[cuda \"A\"] sm_count=10\np n=1 block=1\n"
                 "[cuda \"B\"] sm_count=10 memory_bytes=1\np n=1 block=2\nend\n");
    device = gpu("X", 0, 0, 10); /* a known memory, at any distance */
    device.memory_bytes = 1LL << 40;
    assert_int_equal(block_of(tuned, &device, "p", 1, TUNED_OTHER_DEVICE, &answer), 2);
    tuned_free(tuned);
}

/* Sizes that are one as floating-point numbers are two. */
TEST(large_sizes_are_told_apart)
{
    struct tuned *tuned = load("tuned-conf 4\n[cuda \"L\"] compute_capability=9.0 sm_count=132\n"
                               "gemm n=64 m@9007199254740992 k@1 block=1\n"
                               "gemm n=64 m@9007199254740993 k@1 block=2\n"
                               "p n=9007199254740992 block=3\n"
                               "p n=9007199254740993 block=4\nend\n");
    struct tuned_answer answer;
    struct tuned_device device = gpu("L", 9, 0, 132);
    const struct tuned_size sizes[] = {{"m", 9007199254740993}, {"k", 1}};
    assert_int_equal(tuned_find_sizes(tuned, &device, "gemm", 64, sizes, 2, &answer), TUNED_EXACT);
    assert_int_equal(tuned_integer(answer.entry, "block", 0), 2);
    assert_int_equal(block_of(tuned, &device, "p", 9007199254740992, TUNED_EXACT, &answer), 3);
    assert_int_equal(block_of(tuned, &device, "p", 9007199254740993, TUNED_EXACT, &answer), 4);
    tuned_free(tuned);
}

TEST(older_formats_know_no_limits)
{
    struct tuned *tuned = load("tuned-conf 2\n[cuda \"X\"] sm_count=1\n"
                               "p n=1 block=1 | threads=many\n"
                               "p n=2 block=2 | threads=2048\nend\n");
    struct tuned_answer answer;
    struct tuned_device device = gpu("X", 0, 0, 1);
    device.max_threads_per_block = 1024;
    assert_int_equal(block_of(tuned, &device, "p", 2, TUNED_EXACT, &answer), 2);
    tuned_free(tuned);
}

static long long gemm(const struct tuned *tuned, long long n, long long m, long long k,
                      enum tuned_grade grade)
{
    const struct tuned_size sizes[] = {{"k", k}, {"other", 5}, {"m", m}};
    const struct tuned_device device = gpu("L", 9, 0, 132);
    struct tuned_answer answer, resolved;
    struct tuned_handle handle;
    assert_int_equal(tuned_find_sizes(tuned, &device, "gemm", n, sizes, 3, &answer), grade);
    assert_int_equal(tuned_resolve(tuned, &device, "gemm", &handle), TUNED_EXACT);
    assert_int_equal(tuned_find_resolved_sizes(&handle, n, sizes, 3, &resolved), grade);
    assert_ptr_equal(resolved.entry, answer.entry);
    return tuned_integer(answer.entry, "block", -1);
}

TEST(further_sizes_choose)
{
    struct tuned *tuned = load_with(conf, TUNED_NONE, 20000);
    assert_int_equal(gemm(tuned, 64, 64, 50, TUNED_IN_RANGE), 1);
    assert_int_equal(gemm(tuned, 64, 128, 50, TUNED_IN_RANGE), 2);
    assert_int_equal(gemm(tuned, 64, 128, 101, TUNED_IN_RANGE), 3);
    assert_int_equal(gemm(tuned, 128, 64, 7, TUNED_EXACT), 5);
    assert_int_equal(gemm(tuned, 4096, 100, 64, TUNED_IN_RANGE), 4);
    assert_int_equal(gemm(tuned, 64, 70, 50, TUNED_NEAREST_SIZE), 1);
    assert_int_equal(gemm(tuned, 64, 1000000, 400, TUNED_NEAREST_SIZE), 3);
    struct tuned_answer answer;
    const struct tuned_device device = gpu("L", 9, 0, 132);
    /* A missing size: no entry is certain. */
    assert_int_equal(tuned_find(tuned, &device, "gemm", 64, &answer), TUNED_NEAREST_SIZE);
    (void)gemm(tuned, 4096, 64, 64, TUNED_IN_RANGE);
    long long low = 0, high = 0;
    const struct tuned_entry *entry = NULL;
    for (size_t i = 0; i < tuned_entry_count(tuned); i++)
        if (tuned_integer(tuned_entry_at(tuned, i), "block", 0) == 3)
            entry = tuned_entry_at(tuned, i);
    assert_string_equal(tuned_entry_size_at(entry, 1, &low, &high), "k");
    assert_true(low == 101 && high == 200);
    assert_string_equal(tuned_entry_size_at(entry, 0, &low, &high), "m");
    assert_true(low == 128 && high == 128);
    assert_null(tuned_entry_size_at(entry, 2, &low, &high));
    assert_int_equal(tuned_value_count(entry), 1);
    tuned_free(tuned);
}

TEST(indices_hold_for_all_entries)
{
    struct tuned *tuned =
        load("tuned-conf 4\n[cuda \"X\"]\np n=1 a=1 b=2.5 c=x\np n=2 c=y a=7 | b=9\n"
             "q n=1 b=4\nend\n");
    int a = tuned_value_index(tuned, "a"), b = tuned_value_index(tuned, "b");
    int c = tuned_value_index(tuned, "c");
    assert_int_equal(tuned_value_index(tuned, "nobody"), -1);
    assert_int_equal(tuned_value_index(NULL, "a"), -1);
    const struct tuned_entry *first = tuned_entry_at(tuned, 0), *second = tuned_entry_at(tuned, 1);
    const struct tuned_entry *third = tuned_entry_at(tuned, 2);
    assert_int_equal(tuned_integer_at(first, a, 0), 1);
    assert_int_equal(tuned_integer_at(second, a, 0), 7);
    assert_int_equal(tuned_integer_at(third, a, -3), -3);
    assert_true(tuned_real_at(first, b, 0) == 2.5);
    assert_true(tuned_real_at(second, b, -1) == -1); /* evidence */
    assert_int_equal(tuned_integer_at(third, b, 0), 4);
    assert_string_equal(tuned_text_at(first, c, ""), "x");
    assert_string_equal(tuned_text_at(second, c, ""), "y");
    assert_string_equal(tuned_text_at(second, -1, "none"), "none");
    assert_string_equal(tuned_text_at(NULL, c, "none"), "none");
    assert_string_equal(tuned_text_at(second, 1 << 30, "none"), "none");
    tuned_free(tuned);
}

TEST(stale_entries_say_why)
{
    struct tuned *tuned = load(conf);
    struct tuned_answer answer;
    char reason[TUNED_REASON_BYTES] = "";
    const struct tuned_device device = gpu("L", 9, 0, 132);
    (void)tuned_find(tuned, &device, "big", 5, &answer);
    struct tuned_build have = {"abc", "f1", "1.0", "NVRTC 13.0", {NULL}};
    assert_false(tuned_stale(answer.entry, &have, reason, sizeof reason));
    have.source = "abd";
    assert_true(tuned_stale(answer.entry, &have, reason, sizeof reason));
    assert_string_equal(reason, "source: abc when it was measured, abd now");
    have.source = NULL; /* not to be compared */
    have.flags = "f2";
    assert_true(tuned_stale(answer.entry, &have, reason, sizeof reason));
    assert_string_equal(reason, "flags: f1 when it was measured, f2 now");
    have.flags = "f1";
    have.driver = ""; /* a known, empty driver */
    assert_true(tuned_stale(answer.entry, &have, reason, sizeof reason));
    have.driver = "2.0";
    assert_true(tuned_stale(answer.entry, &have, NULL, 0));
    struct tuned *of_tune = load("tuned-conf 4\n[cuda \"L\"] driver=\"580.159.04 (CUDA 13.0)\"\n"
                                 "p n=1 a=1\nend\n");
    static const struct {
        const char *driver;
        int is_stale;
    } drivers[] = {{"580.159.04 (CUDA 13.0)", 0},
                   {"CUDA 13.0", 0},
                   {"CUDA 13.1", 1},
                   {"CUDA 13", 1},
                   {"580.159.04", 1},
                   {"", 1}};
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        const struct tuned_build now = {.driver = drivers[i].driver};
        assert_int_equal(tuned_stale(tuned_entry_at(of_tune, 0), &now, NULL, 0),
                         drivers[i].is_stale);
    }
    tuned_free(of_tune);
    (void)tuned_find(tuned, &device, "big", 15, &answer); /* its own driver; no hashes */
    assert_false(tuned_stale(answer.entry, &have, reason, sizeof reason));
    have.compiler = "NVRTC 12.0";
    assert_true(tuned_stale(answer.entry, &have, reason, sizeof reason));
    assert_non_null(strstr(reason, "NVRTC 13.0 when it was measured, NVRTC 12.0 now"));
    tuned_free(tuned);
}

/* Results of a replay are not a device's, however similar the recorded device is. */
TEST(replayed_sections_are_for_no_device)
{
    struct tuned *tuned = load("tuned-conf 4\n"
                               "[replay \"NVIDIA H200\"] compute_capability=9.0 sm_count=132 "
                               "memory_bytes=150000000000\n"
                               "sum n=1024 block=11\n"
                               "end\n");
    struct tuned_answer answer;
    struct tuned_device h200 = gpu("NVIDIA H200", 9, 0, 132);
    h200.memory_bytes = 150000000000;
    assert_int_equal(tuned_find(tuned, &h200, "sum", 1024, &answer), TUNED_NONE);
    tuned_free(tuned);
}

/* A program that states its way of issuing launches gets the winner of that way if the file has
 * more than one for a device; any other gets the usual winner. */
TEST(programs_say_how_they_launch)
{
    struct tuned *tuned = load("tuned-conf 5\n"
                               "[cuda \"A\"] compute_capability=9.0 sm_count=132\n"
                               "both n=1024 block=1\nboth n=2048 block=2\n"
                               "one n=1024 block=3\n"
                               "[cuda \"A\"] compute_capability=9.0 sm_count=132 for=eager\n"
                               "both n=1024 block=4\n"
                               "[cuda \"A\"] compute_capability=9.0 sm_count=132 for=stream\n"
                               "both n=1024 block=5\n"
                               "end\n");
    static const struct {
        const char *device, *problem;
        int issue;
        long long block;
        enum tuned_grade grade;
    } rows[] = {
        {"A", "both", 0, 1, TUNED_EXACT},
        {"A", "both", TUNED_GRAPH, 1, TUNED_EXACT},
        {"A", "both", TUNED_STREAM, 5, TUNED_EXACT},
        {"A", "both", TUNED_EAGER, 4, TUNED_EXACT},
        {"A", "one", TUNED_EAGER, 3, TUNED_EXACT},
        {"B", "both", 0, 1, TUNED_OTHER_DEVICE},
        {"B", "both", TUNED_EAGER, 4, TUNED_OTHER_DEVICE},
        {"B", "one", TUNED_STREAM, 3, TUNED_OTHER_DEVICE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tuned_answer answer, again;
        struct tuned_handle handle;
        struct tuned_device device = gpu(rows[i].device, 9, 0, 132);
        device.issue = rows[i].issue;
        assert_int_equal(tuned_find(tuned, &device, rows[i].problem, 1024, &answer), rows[i].grade);
        assert_int_equal(tuned_integer(answer.entry, "block", 0), rows[i].block);
        (void)tuned_resolve(tuned, &device, rows[i].problem, &handle);
        (void)tuned_find_resolved(&handle, 1024, &again);
        assert_ptr_equal(again.entry, answer.entry);
    }
    tuned_free(tuned);
}

/* ---- domains ---- */

static const char domains[] = "tuned-conf 5\n[cuda \"A\"] compute_capability=9.0\n"
                              "p n=1000-2000 way=1 | at=1024 domain=\"n%128==0\"\n"
                              "p n=2001-9000 way=2 | at=4096 domain=\"n>=3000\"\n"
                              "p n=9001-9500 way=3 | at=9100 domain=\"n==9100||n==9200\"\n"
                              "q n=64 way=4 | domain=\"4611686018427387904%n==0\"\n"
                              "r n=64 way=5 | domain=\"n%\"\n"
                              "[cuda \"*\"]\nq n=1-1000 way=9 | domain=n<100\n"
                              "end\n";

static long long way_of(const struct tuned *tuned, const char *problem, long long n,
                        enum tuned_grade grade, char reason[TUNED_REASON_BYTES])
{
    const struct tuned_device device = {.kind = "cuda", .name = "A", .compute_capability_major = 9};
    struct tuned_answer answer, resolved;
    struct tuned_handle handle;
    tuned_resolve(tuned, &device, problem, &handle);
    assert_int_equal(tuned_find(tuned, &device, problem, n, &answer), grade);
    assert_int_equal(tuned_find_resolved(&handle, n, &resolved), grade);
    assert_ptr_equal(answer.entry, resolved.entry);
    tuned_reason(&answer, reason, TUNED_REASON_BYTES);
    return tuned_integer(answer.entry, "way", 0);
}

TEST(entry_is_never_given_outside_its_domain)
{
    struct tuned *tuned = load(domains);
    char reason[TUNED_REASON_BYTES];
    assert_int_equal(way_of(tuned, "p", 1024, TUNED_EXACT, reason), 1);
    assert_null(strstr(reason, "not for this size"));
    assert_int_equal(way_of(tuned, "p", 1152, TUNED_IN_RANGE, reason), 1);
    /* nearer ones are for other sizes: the next answers, as the nearest */
    assert_int_equal(way_of(tuned, "p", 2999, TUNED_NONE, reason), 0);
    assert_int_equal(way_of(tuned, "p", 3072, TUNED_IN_RANGE, reason), 2);
    assert_int_equal(way_of(tuned, "p", 2944, TUNED_NEAREST_SIZE, reason), 1);
    assert_non_null(strstr(reason, "line 4 is not for this size, but where n>=3000"));
    assert_int_equal(way_of(tuned, "p", 1001, TUNED_NONE, reason), 0);
    assert_non_null(strstr(reason, "line 3 is not for this size, but where n%128==0"));
    assert_int_equal(way_of(tuned, "p", 9200, TUNED_IN_RANGE, reason), 3);
    assert_int_equal(way_of(tuned, "p", 9300, TUNED_NEAREST_SIZE, reason), 2);
    /* none of the grades of this device: powers of two, then an entry for every device, then none
     */
    assert_int_equal(way_of(tuned, "q", 64, TUNED_EXACT, reason), 4);
    assert_int_equal(way_of(tuned, "q", 128, TUNED_NEAREST_SIZE, reason), 4);
    assert_int_equal(way_of(tuned, "q", 96, TUNED_DEFAULT, reason), 9);
    assert_int_equal(way_of(tuned, "q", 100, TUNED_NONE, reason), 0);
    assert_int_equal(way_of(tuned, "r", 64, TUNED_NONE, reason), 0); /* no formula at all */
    tuned_free(tuned);
}

static long long way_at(const struct tuned *tuned, long long n, long long m, long long k,
                        enum tuned_grade grade)
{
    static const struct tuned_device device = {
        .kind = "cuda", .name = "A", .compute_capability_major = 9};
    const struct tuned_size sizes[] = {{"k", k}, {"m", m}};
    struct tuned_answer answer, resolved;
    struct tuned_handle handle;
    assert_int_equal(tuned_find_sizes(tuned, &device, "g", n, sizes, 2, &answer), grade);
    (void)tuned_resolve(tuned, &device, "g", &handle);
    assert_int_equal(tuned_find_resolved_sizes(&handle, n, sizes, 2, &resolved), grade);
    assert_ptr_equal(answer.entry, resolved.entry);
    return tuned_integer(answer.entry, "way", 0);
}

/* A box answers all sizes in it, a measured size is exact, and outside the nearest of all sizes
 * answers whose domain has them. */
TEST(several_sizes_are_answered_like_one)
{
    struct tuned *tuned = load("tuned-conf 5\n[cuda \"A\"] compute_capability=9.0\n"
                               "g n=1024 m@512 k@64 way=1 | domain=\"m%4==0&&k>=8\"\n"
                               "g n=2048-8192 m@512-4096 k@64-128 way=2 | at=4096,600,64\n"
                               "g n=2048-8192 m@64-511 k@64-128 way=3 | at=4096,100\nend\n");
    assert_int_equal(way_at(tuned, 1024, 512, 64, TUNED_EXACT), 1);
    assert_int_equal(way_at(tuned, 1024, 500, 64, TUNED_NEAREST_SIZE), 1);
    assert_int_equal(way_at(tuned, 1024, 501, 64, TUNED_NEAREST_SIZE), 3);
    assert_int_equal(way_at(tuned, 1024, 514, 64, TUNED_NEAREST_SIZE), 2);
    assert_int_equal(way_at(tuned, 1024, 512, 4, TUNED_NONE), 0); /* 2 times 16 away */
    assert_int_equal(way_at(tuned, 4096, 600, 64, TUNED_EXACT), 2);
    assert_int_equal(way_at(tuned, 4096, 600, 65, TUNED_IN_RANGE), 2);
    assert_int_equal(way_at(tuned, 4096, 100, 64, TUNED_IN_RANGE), 3); /* k is not told */
    assert_int_equal(way_at(tuned, 8192, 4096, 129, TUNED_NEAREST_SIZE), 2);
    tuned_free(tuned);
}

TEST(domains_are_of_format_5)
{
    char reason[TUNED_REASON_BYTES];
    struct tuned *tuned = load(
        "tuned-conf 4\n[cuda \"A\"] compute_capability=9.0\np n=1-9 way=1 | domain=n>5\nend\n");
    assert_int_equal(way_of(tuned, "p", 3, TUNED_IN_RANGE, reason), 1);
    tuned_free(tuned);
}

TEST_MAIN(NULL, NULL)

/* Second entries answer where the domains of the first ones exclude a size, the nearest of them,
 * wherever their sizes begin and end; the first ones everywhere else. */
TEST(second_entries_answer_where_domains_exclude_a_size)
{
    struct tuned *tuned =
        load("tuned-conf 5\n"
             "[cuda \"A\"] compute_capability=9.0 sm_count=132 date=2026-11-30\n"
             "sum n=100-800 block=1 | at=400 domain=\"n%8==0\"\n"
             "sum n=2000-4000 block=2 | at=4000\n"
             "sum n=8000-16000 block=3 | at=16000 domain=\"n%4==0\"\n"
             "other n=100 block=9 | domain=\"n%2==0\"\n"
             "[cuda \"A\"] compute_capability=9.0 sm_count=132 for=all-other-sizes\n"
             "sum n=100-200 block=11 | at=200\n"
             "sum n=201-800 block=12 | at=800 time_ns=7 date=2026-11-29\n"
             "sum n=8000-16000 block=13 | domain=\"n%2==0\"\n"
             "[cuda \"A\"] compute_capability=9.0 sm_count=132 for=eager\n"
             "sum n=100-800 block=21 | domain=\"n%8==0\"\n"
             "end\n");
    const struct {
        long long n, block;
        enum tuned_grade grade;
    } cases[] = {{400, 1, TUNED_EXACT},           {408, 1, TUNED_IN_RANGE},
                 {56, 1, TUNED_NEAREST_SIZE},     {57, 11, TUNED_NEAREST_SIZE},
                 {101, 11, TUNED_IN_RANGE},       {200, 1, TUNED_IN_RANGE},
                 {201, 12, TUNED_IN_RANGE},       {800, 1, TUNED_IN_RANGE},
                 {801, 12, TUNED_NEAREST_SIZE},   {1104, 1, TUNED_NEAREST_SIZE},
                 {1101, 12, TUNED_NEAREST_SIZE},  {3001, 2, TUNED_IN_RANGE},
                 {8004, 3, TUNED_IN_RANGE},       {8006, 13, TUNED_IN_RANGE},
                 {8007, 2, TUNED_NEAREST_SIZE},   {100000, 3, TUNED_NEAREST_SIZE},
                 {100002, 13, TUNED_NEAREST_SIZE}};
    struct tuned_device device = gpu("A", 9, 0, 132);
    struct tuned_answer answer;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (block_of(tuned, &device, "sum", cases[i].n, cases[i].grade, &answer) != cases[i].block)
            fail_msg("n = %lld", cases[i].n);
    assert_int_equal(block_of(tuned, &device, "other", 101, TUNED_NONE, &answer), -1);
    /* Evidence and place are the entry's own, as in the file; none is lost. */
    assert_int_equal(block_of(tuned, &device, "sum", 203, TUNED_IN_RANGE, &answer), 12);
    assert_string_equal(tuned_evidence_text(answer.entry, "date", ""), "2026-11-29");
    assert_string_equal(tuned_device_text(answer.entry, "for", ""), "all-other-sizes");
    assert_int_equal(tuned_entry_line(answer.entry), 9);
    assert_int_equal(tuned_entry_count(tuned), 8);
    device.issue = TUNED_EAGER;
    assert_int_equal(block_of(tuned, &device, "sum", 408, TUNED_IN_RANGE, &answer), 21);
    assert_int_equal(block_of(tuned, &device, "sum", 203, TUNED_IN_RANGE, &answer), 12);
    tuned_free(tuned);
}
