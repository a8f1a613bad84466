/* libtuned: launches at a size on a device, by the file's formulas; and entries that are never
 * given to a device that may be unable to run them, in files of each format. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "load.h"
#include "tests/unit/suite.h"

static struct tuned_device gpu(const char *name, int major, int minor, int unit_count)
{
    return (struct tuned_device){.kind = "cuda",
                                 .name = name,
                                 .compute_capability_major = major,
                                 .compute_capability_minor = minor,
                                 .unit_count = unit_count};
}

/* Evaluates a formula for n = 1000, m = 7, 132 units; `none` if it has no value. */
static long long value_of(const char *formula, long long none)
{
    char text[4096];
    struct tuned_answer answer;
    const struct tuned_device device = gpu("A", 9, 0, 132);
    const struct tuned_size sizes[] = {{"m", 7}};
    (void)snprintf(text, sizeof text,
                   "tuned-conf 4\n[cuda \"A\"] compute_capability=9.0 sm_count=132\n"
                   "p n=0-9223372036854775807 m@7 x=0 tile=64 big=9223372036854775807 zero=0 "
                   "low=-5 word=abc own=1 loop=1 | formula.x=\"%s\" formula.own=tile*2 "
                   "formula.loop=loop+1\nend\n",
                   formula);
    struct tuned *tuned = load(text);
    (void)tuned_find_sizes(tuned, &device, "p", 1000, sizes, 1, &answer);
    long long value = tuned_answer_integer(&answer, "x", none);
    assert_int_equal(tuned_integer(answer.entry, "x", 1), 0); /* as in the file */
    tuned_free(tuned);
    return value;
}

TEST(formulas_are_evaluated)
{
    static const struct {
        const char *formula;
        long long value;
    } cases[] = {
        {"5", 5},
        {"n", 1000},
        {"m", 7},
        {"units", 132},
        {"tile", 64},
        {"own", 128},
        {"ceil_div(n,tile)", 16},
        {"n/tile", 15},
        {"n%tile", 40},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"10-4-3", 3},
        {"100/10/5", 2},
        {"100%7*2", 4},
        {"2*100%7", 4},
        {"10-2*3+1", 5},
        {"min(3,2,1)", 1},
        {"max(3,units,1)", 132},
        {"min(units*8,ceil_div(n,tile))+1", 17},
        {"0-5", -5},
        {"low", -5},
        {"min(low,3)", -5},
        {"ceil_div(1,9223372036854775807)", 1},
        {"((((((n))))))", 1000},
        {"n==1000", 1},
        {"n!=1000", 0},
        {"n<1000", 0},
        {"n<=1000", 1},
        {"n>1000", 0},
        {"n>=1000", 1},
        {"n%8==0&&n>=512", 1},
        {"n%16==0||n<512", 0},
        {"0||7", 1},
        {"7||0", 1},
        {"7&&0", 0},
        {"0&&7||1", 1},
        {"1||0&&0", 1},
        {"!n", 0},
        {"!!n", 1},
        {"!(n%16==0)", 1},
        {"!0+1", 2},
        {"1+2==3", 1},
        {"2*(n>5)+1", 3},
        {"n==1000||1/0", 1}, /* a decided operand ends the evaluation */
        {"n!=1000&&absent==1", 0},
        {"(n==1000||(1/0&&1/0))&&n>1", 1},
        {"4611686018427387904%n==0", 0},
        {"4611686018427387904%(n+24)==0", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (value_of(cases[i].formula, -77) != cases[i].value)
            fail_msg("%s is %lld", cases[i].formula, value_of(cases[i].formula, -77));
}

/* Every formula ends; these have no value. */
TEST(what_has_no_value_is_told)
{
    static const char *const formulas[] = {
        "n/0",
        "n%0",
        "n/zero",
        "ceil_div(n,0)",
        "n/low",
        "low/2",
        "low%2",
        "big+1",
        "big*big",
        "0-big-big",
        "99999999999999999999",
        "absent",
        "word",
        "loop",
        "",
        "(",
        ")",
        "n+",
        "+n",
        "n n",
        "n,m",
        "min(",
        "min()",
        "min(1",
        "ceil_div(1,)",
        "odd(1,2)",
        "n(1)",
        "1.5",
        "1e3",
        "n-",
        "-n",
        "*",
        "n**2",
        "n=1000",
        "n=<1000",
        "n&1",
        "n|1",
        "n&&",
        "||n",
        "n===1",
        "!",
        "n!",
        "n!1",
        "n==1000&&1/0",
        "1/0||1",
        "min(1 ,2)",
        "((n)",
    };
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        if (value_of(formulas[i], -77) != -77)
            fail_msg("%s is %lld", formulas[i], value_of(formulas[i], -77));
    char deep[3000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(value_of(deep, -77), -77);
    for (size_t i = 0; i + 2 < sizeof deep; i += 2)
        memcpy(deep + i, "n+", 2);
    assert_int_equal(value_of(deep, -77), -77); /* too many steps */
}

/* Names that call each other up twice each would take 2^40 steps. */
TEST(formulas_that_multiply_come_to_an_end)
{
    char text[8192] = "tuned-conf 4\n[cuda \"A\"]\np n=1";
    size_t length = strlen(text);
    for (int i = 0; i < 40; i++)
        length += (size_t)sprintf(text + length, " v%d=1", i);
    length += (size_t)sprintf(text + length, " |");
    for (int i = 0; i < 39; i++)
        length += (size_t)sprintf(text + length, " formula.v%d=v%d+v%d", i, i + 1, i + 1);
    (void)sprintf(text + length, "\nend\n");
    struct tuned *tuned = load(text);
    const struct tuned_device device = gpu("A", 0, 0, 0);
    struct tuned_answer answer;
    assert_int_equal(tuned_find(tuned, &device, "p", 1, &answer), TUNED_EXACT);
    assert_int_equal(tuned_answer_integer(&answer, "v0", -1), -1);
    assert_int_equal(tuned_answer_integer(&answer, "v36", -1), 8);
    tuned_free(tuned);
}

/* Names of any length may have a formula. */
TEST(formulas_of_long_names)
{
    for (size_t length = 60; length < 300; length++) {
        char name[300] = "", text[1024];
        struct tuned_answer answer;
        memset(name, 'x', length);
        (void)snprintf(text, sizeof text,
                       "tuned-conf 4\n[cuda \"A\"]\np n=1-100 %s=3 | at=50 formula.%s=n*2\nend\n",
                       name, name);
        struct tuned *tuned = load(text);
        const struct tuned_device device = gpu("A", 0, 0, 0);
        assert_int_equal(tuned_find(tuned, &device, "p", 7, &answer), TUNED_IN_RANGE);
        assert_int_equal(tuned_answer_integer(&answer, name, -1), 14);
        tuned_free(tuned);
    }
}

static const char launches[] =
    "tuned-conf 4\n[cuda \"A\"] compute_capability=9.0 sm_count=132\n"
    "p n=1-4096 block=64 tile=256 grid=4 | at=1024 formula.grid=ceil_div(n,tile) "
    "launch.grid=\"grid,2\" launch.block=block launch.shared=tile*4 launch.cluster=2 "
    "launch2.grid=1 launch2.block=1024 launch2.cooperative=1\n"
    "q n=1-4096 grid=4 block=64 | at=1024 launch.grid=4 launch.block=block "
    "measured=grid,launch.grid\n"
    "r n=1 block=64 grid=3\n"
    "s n=1 block=64 | launch.grid=0 launch.block=block\n"
    "t n=1 block=64 | launch.grid=1,2,3,4 launch.block=block\n"
    "end\n";

static int ask(const struct tuned *tuned, const struct tuned_device *device, const char *problem,
               long long n, int index, struct tuned_launch *launch)
{
    struct tuned_answer answer;
    memset(launch, 0x5a, sizeof *launch);
    const struct tuned_launch before = *launch;
    (void)tuned_find(tuned, device, problem, n, &answer);
    int is_told = tuned_answer_launch(&answer, index, launch);
    if (!is_told)
        assert_memory_equal(launch, &before, sizeof before);
    return is_told;
}

TEST(launches_are_told_or_not)
{
    struct tuned *tuned = load(launches);
    const struct tuned_device own = gpu("A", 9, 0, 132), other = gpu("B", 9, 0, 66);
    struct tuned_launch launch;
    assert_true(ask(tuned, &own, "p", 1024, 0, &launch));
    assert_true(launch.grid[0] == 4 && launch.grid[1] == 2 && launch.grid[2] == 1);
    assert_true(launch.block[0] == 64 && launch.cluster[0] == 2 && launch.shared_bytes == 1024);
    assert_int_equal(launch.is_cooperative, 0);
    assert_true(ask(tuned, &other, "p", 4000, 0, &launch));
    assert_true(launch.grid[0] == 16 && launch.block[0] == 64);
    assert_true(ask(tuned, &other, "p", 4000, 1, &launch));
    assert_true(launch.grid[0] == 1 && launch.block[0] == 1024 && launch.shared_bytes == 0);
    assert_int_equal(launch.is_cooperative, 1);
    assert_false(ask(tuned, &other, "p", 4000, 2, &launch));
    assert_false(ask(tuned, &other, "p", 4000, INT_MAX, &launch));
    /* Known at the measured size on the measured device alone. */
    assert_true(ask(tuned, &own, "q", 1024, 0, &launch));
    assert_false(ask(tuned, &own, "q", 1025, 0, &launch));
    assert_false(ask(tuned, &other, "q", 1024, 0, &launch));
    struct tuned_answer answer;
    (void)tuned_find(tuned, &own, "q", 1024, &answer);
    assert_int_equal(tuned_answer_integer(&answer, "grid", -1), 4);
    (void)tuned_find(tuned, &own, "q", 1025, &answer);
    assert_int_equal(tuned_answer_integer(&answer, "grid", -1), -1);
    assert_int_equal(tuned_answer_integer(&answer, "block", -1), 64);
    /* Values that happen to be called so are no launch; nor is one that no device can have. */
    assert_false(ask(tuned, &own, "r", 1, 0, &launch));
    assert_false(ask(tuned, &own, "s", 1, 0, &launch));
    assert_false(ask(tuned, &own, "t", 1, 0, &launch));
    assert_false(ask(tuned, &own, "none", 1, 0, &launch));
    assert_false(ask(tuned, &own, "p", 1024, -1, &launch) && launch.grid[0] != 4);
    assert_false(ask(NULL, &own, "p", 1024, 0, &launch));
    tuned_free(tuned);
}

/* A formula may give a launch at other sizes that no device, or not this one, can have. */
TEST(a_launch_beyond_the_limits_is_not_given)
{
    struct tuned *tuned =
        load("tuned-conf 5\n[cuda \"A\"] compute_capability=9.0 sm_count=132\n"
             "x n=8 a=1 | launch.grid=n*1000000000 launch.block=64\n"
             "y n=8 a=1 | launch.grid=\"1,n*8191\" launch.block=64\n"
             "z n=8 a=1 | launch.grid=\"1,1,n*8191\" launch.block=64\n"
             "block n=8 a=1 | launch.grid=1 launch.block=n*64\n"
             "block_z n=8 a=1 | launch.grid=1 launch.block=\"1,1,n*8\"\n"
             "volume n=8 a=1 | launch.grid=1 launch.block=\"n*2,16,2\"\n"
             "shared n=8 a=1 | launch.grid=1 launch.block=64 launch.shared=n*4096\n"
             "cluster n=8 a=1 | launch.grid=n launch.block=64 launch.cluster=4\n"
             "product n=8 a=1 | launch.grid=1 launch.block=\"n*100000000000,4000000000000000000\"\n"
             "end\n");
    static const struct {
        const char *problem;
        long long last, beyond; /* sizes */
    } cases[] = {{"x", 2, 3},       {"y", 8, 9},      {"z", 8, 9},      {"block", 8, 9},
                 {"block_z", 8, 9}, {"volume", 8, 9}, {"shared", 8, 9}, {"cluster", 8, 9}};
    struct tuned_device device = gpu("A", 9, 0, 132);
    struct tuned_launch launch;
    device.max_threads_per_block = 512;
    device.max_shared_bytes = 32768;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(ask(tuned, &device, cases[i].problem, cases[i].last, 0, &launch));
        assert_false(ask(tuned, &device, cases[i].problem, cases[i].beyond, 0, &launch));
    }
    assert_false(ask(tuned, &device, "product", 8, 0, &launch));
    device.max_threads_per_block = 0; /* unknown */
    device.max_shared_bytes = 0;
    assert_true(ask(tuned, &device, "block", 16, 0, &launch));
    assert_false(ask(tuned, &device, "block", 17, 0, &launch));
    assert_true(ask(tuned, &device, "shared", 60, 0, &launch));
    tuned_free(tuned);
}

static enum tuned_grade grade_on(const struct tuned *tuned, const char *problem,
                                 struct tuned_device device)
{
    struct tuned_answer answer;
    return tuned_find(tuned, &device, problem, 1, &answer);
}

TEST(what_a_device_may_lack_is_not_given)
{
    static const char text[] = "tuned-conf 4\n"
                               "[cuda \"A\"] compute_capability=9.0 sm_count=132\n"
                               "any n=1 a=1 | capability=7.0\n"
                               "untold n=1 a=1\n"
                               "window n=1 a=1 | capability=8.6-9.0\n"
                               "eight n=1 a=1 | capability=9.0 cluster=8\n"
                               "sixteen n=1 a=1 | capability=9.0 cluster=16\n"
                               "end\n";
    struct tuned *tuned = load_with(text, TUNED_FAR_DEVICE, 0);
    assert_int_equal(grade_on(tuned, "any", gpu("T4", 7, 5, 40)), TUNED_FAR_DEVICE);
    assert_int_equal(grade_on(tuned, "untold", gpu("A10", 8, 6, 72)), TUNED_NONE);
    assert_int_equal(grade_on(tuned, "untold", gpu("B200", 10, 0, 148)), TUNED_FAR_DEVICE);
    assert_int_equal(grade_on(tuned, "window", gpu("A100", 8, 0, 108)), TUNED_NONE);
    assert_int_equal(grade_on(tuned, "window", gpu("A10", 8, 6, 72)), TUNED_FAR_DEVICE);
    assert_int_equal(grade_on(tuned, "window", gpu("B200", 10, 0, 148)), TUNED_NONE);
    assert_int_equal(grade_on(tuned, "eight", gpu("L4", 8, 9, 58)), TUNED_NONE);
    assert_int_equal(grade_on(tuned, "eight", gpu("B200", 10, 0, 148)), TUNED_FAR_DEVICE);
    assert_int_equal(grade_on(tuned, "sixteen", gpu("B200", 10, 0, 148)), TUNED_NONE);
    assert_int_equal(grade_on(tuned, "sixteen", gpu("H20", 9, 0, 78)), TUNED_OTHER_DEVICE);
    assert_int_equal(grade_on(tuned, "sixteen", gpu("MIG", 9, 0, 15)), TUNED_NONE);
    struct tuned_device device = gpu("B200", 10, 0, 148);
    device.max_cluster_blocks = 16; /* the device says so */
    assert_int_equal(grade_on(tuned, "sixteen", device), TUNED_FAR_DEVICE);
    device = gpu("A", 9, 0, 132);
    device.max_cluster_blocks = 8;
    assert_int_equal(grade_on(tuned, "sixteen", device), TUNED_NONE);
    /* An unknown compute capability is no leave, but for the device of that name. */
    assert_int_equal(grade_on(tuned, "any", gpu("X", 0, 0, 132)), TUNED_NONE);
    assert_int_equal(grade_on(tuned, "any", gpu("A", 0, 0, 132)), TUNED_EXACT);
    tuned_free(tuned);
    tuned = load(text); /* a far device is returned only on request */
    assert_int_equal(grade_on(tuned, "any", gpu("T4", 7, 5, 40)), TUNED_NONE);
    tuned_free(tuned);
}

TEST(portable_is_for_what_was_measured)
{
    struct tuned *tuned = load("tuned-conf 4\n"
                               "[cuda \"*\"] capabilities=8,9\n"
                               "p n=1 a=1 | capability=7.0\n"
                               "q n=1 a=1 | capability=7.0 capabilities=9\n"
                               "[cuda \"A\"] compute_capability=9.0\n"
                               "p n=1 a=2\n"
                               "end\n");
    assert_int_equal(grade_on(tuned, "p", gpu("X", 8, 6, 72)), TUNED_PORTABLE);
    assert_int_equal(grade_on(tuned, "p", gpu("X", 9, 0, 72)), TUNED_PORTABLE); /* before A's */
    assert_int_equal(grade_on(tuned, "p", gpu("X", 7, 5, 72)), TUNED_NONE);
    assert_int_equal(grade_on(tuned, "q", gpu("X", 9, 0, 72)), TUNED_PORTABLE);
    assert_int_equal(grade_on(tuned, "q", gpu("X", 8, 0, 72)), TUNED_NONE);
    tuned_free(tuned);
    tuned = load("tuned-conf 4\n[cuda \"*\"]\np n=1 a=1\nend\n"); /* for every device */
    assert_int_equal(grade_on(tuned, "p", gpu("X", 7, 5, 72)), TUNED_DEFAULT);
    tuned_free(tuned);
}

/* Formats before 4 do not contain the needs of a launch. */
TEST(older_files_harm_nobody)
{
    struct tuned *tuned = load_with("tuned-conf 3\n"
                                    "[cuda \"A\"] compute_capability=9.0 sm_count=132\n"
                                    "plain n=1 a=1 | capability=7.0\n"
                                    "cluster n=1 cluster_size=16\n"
                                    "[cuda \"*\"]\nall n=1 a=1\nboth n=1 cluster_size=8\n"
                                    "[cuda \"U\"]\nunknown n=1 cluster_size=4\n"
                                    "end\n",
                                    TUNED_FAR_DEVICE, 0);
    assert_int_equal(grade_on(tuned, "plain", gpu("A100", 8, 0, 108)), TUNED_NONE);
    assert_int_equal(grade_on(tuned, "plain", gpu("H20", 9, 0, 78)), TUNED_OTHER_DEVICE);
    assert_int_equal(grade_on(tuned, "cluster", gpu("H20", 9, 0, 78)), TUNED_OTHER_DEVICE);
    assert_int_equal(grade_on(tuned, "cluster", gpu("RTX 5090", 12, 0, 170)), TUNED_NONE);
    assert_int_equal(grade_on(tuned, "all", gpu("H100", 9, 0, 132)), TUNED_FAR_DEVICE);
    assert_int_equal(grade_on(tuned, "both", gpu("T4", 7, 5, 40)), TUNED_NONE);
    assert_int_equal(grade_on(tuned, "both", gpu("H100", 9, 0, 132)), TUNED_FAR_DEVICE);
    assert_int_equal(grade_on(tuned, "unknown", gpu("T4", 7, 5, 40)), TUNED_NONE);
    tuned_free(tuned);
}

TEST_MAIN(NULL, NULL)
