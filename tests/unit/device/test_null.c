/* The scripted device with rows of its formula, `null`: properties on which tests of tune rely. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/hash.h"
#include "tuner/device/kinds.h"
#include "tuner/device/traits.h"

enum { BLOCKS = 400 };

static struct error error;
static char binary[64];

static void must(enum status status)
{
    if (status != STATUS_OK)
        fail_msg("%s", error.text);
}

/* Compiles a kernel with WIDTH defined as the number. */
static void compile(int64_t width)
{
    struct text log = {0};
    struct binary_request request = {.source_path = TEST_SOURCE_DIR "/kernels/reduce/reduce.cu",
                                     .define_count = 1,
                                     .defines = {{"WIDTH", value_integer(width)}},
                                     .kernel_count = 1,
                                     .kernels = {"copy"}};
    (void)snprintf(binary, sizeof binary, "null-%d-%d.bin", (int)getpid(), (int)width);
    must(device_null.compile(&request, binary, &log, &error));
    text_free(&log);
}

static struct launch_plan plan_of(int64_t n, uint32_t block)
{
    return (struct launch_plan){
        .launch_count = 1,
        .launches =
            {{.kernel = "copy", .grid = {1024, 1, 1}, .block = {block, 1, 1}, .argument_count = 1}},
        .argument_count = 1,
        .arguments = {{.name = "in", .type = ELEMENT_F32, .role = ARGUMENT_INPUT, .count = n}}};
}

static struct device *opened(const char *seed)
{
    struct device *device = NULL;
    const struct warm_up warm_up = {0};
    assert_int_equal(setenv("TUNE_NULL_SEED", seed, 1), 0);
    must(device_null.open(0, &warm_up, &device, NULL, &error));
    must(device_null.load(device, binary, &error));
    return device;
}

static void time_blocks(const char *seed, const struct launch_plan *plan, double times[BLOCKS])
{
    struct device *device = opened(seed);
    const struct block block = {.plan = plan, .runs = 20, .mode = L2_COLD};
    for (size_t i = 0; i < BLOCKS; i++)
        must(device_null.time_block(device, &block, &times[i], &error));
    device_null.close(device);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double times[BLOCKS])
{
    qsort(times, BLOCKS, sizeof *times, compare);
    return times[BLOCKS / 2];
}

TEST(times_follow_from_seed_plan_and_binary)
{
    static double first[BLOCKS], again[BLOCKS], other[BLOCKS];
    const struct launch_plan plan = plan_of(1 << 20, 256), larger = plan_of(1 << 24, 256);
    compile(1);
    time_blocks("5", &plan, first);
    time_blocks("5", &plan, again);
    assert_memory_equal(first, again, sizeof first);
    time_blocks("6", &plan, other);
    assert_memory_not_equal(first, other, sizeof first);
    /* The noise is small and even, so that as many rounds as usual tell one percent. */
    const double ns = median(first);
    assert_true(fabs(median(other) / ns - 1) < 0.002);
    assert_true(first[BLOCKS - 1] < 1.5 * ns && first[BLOCKS / 20] > 0.98 * ns);
    time_blocks("5", &larger, other);
    assert_true(median(other) > 8 * ns);
    assert_int_equal(unlink(binary), 0);
    compile(2);
    time_blocks("5", &plan, other);
    assert_true(fabs(median(other) / ns - 1) > 0.001);
    assert_int_equal(unlink(binary), 0);
}

TEST(launches_are_limited_as_on_a_gpu)
{
    struct facts facts = {0};
    struct kernel_resources resources = {0};
    char hash[HASH_TEXT_BYTES];
    compile(3);
    must(device_null.describe(0, NULL, &facts, &error));
    must(device_null.inspect(binary, "copy", &resources, hash, &error));
    assert_true(resources.registers >= 24 && resources.registers <= 64);
    must(
        device_null.occupancy(&facts, &(struct launch){.block = {1024, 1, 1}}, &resources, &error));
    assert_int_equal(resources.active_blocks_per_sm,
                     65536 / resources.registers / 1024 < 2 ? 1 : 2);
    must(device_null.occupancy(&facts,
                               &(struct launch){.block = {32, 1, 1}, .shared_bytes = 100 << 10},
                               &resources, &error));
    assert_int_equal(resources.active_blocks_per_sm, 2);
    must(
        device_null.occupancy(&facts, &(struct launch){.block = {1025, 1, 1}}, &resources, &error));
    assert_int_equal(resources.active_blocks_per_sm, 0);
    facts_free(&facts);
    assert_int_equal(unlink(binary), 0);
    assert_int_equal(device_null.inspect(binary, "copy", &resources, hash, &error),
                     STATUS_NOT_FOUND);
}

TEST(nobody_gets_it_unasked)
{
    int count = 0;
    struct error wrong = {0};
    const struct device_api *api = NULL;
    int index = 0;
    assert_true(device_traits("null")->by_name_only && device_traits("null")->computes_nothing);
    assert_ptr_not_equal(device_kinds[0], &device_null);
    assert_ptr_not_equal(device_host(), &device_null);
    assert_string_equal(device_traits_of_section("cuda")->kind, "cuda");
    must(device_null.count(&count, &error));
    assert_int_equal(device_parse("null:1", &api, &index, &wrong), STATUS_OK);
    assert_ptr_equal(api, &device_null);
    assert_true(index == 1 && index < count);
}

TEST_MAIN(NULL, NULL)
