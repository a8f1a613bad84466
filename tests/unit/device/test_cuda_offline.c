/* GPUs that are not present: their facts, and occupancy without a driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/base/hash.h"
#include "tuner/device/device.h"
#include "tuner/device/kinds.h"

#ifdef TUNE_WITH_CUDA

static struct facts imagine(const char *architecture)
{
    struct facts facts = {0};
    struct error error = {0};
    assert_int_equal(device_cuda.describe(0, architecture, &facts, &error), STATUS_OK);
    return facts;
}

/* Blocks an SM of a kernel with these registers and shared bytes, in blocks of `threads`. */
static int32_t blocks(const struct facts *facts, uint32_t threads, int32_t registers, int32_t fixed,
                      uint32_t dynamic, double *occupancy)
{
    struct kernel_resources resources = {
        .registers = registers, .static_shared_bytes = fixed, .max_threads_per_block = -1};
    struct error error = {0};
    assert_int_equal(device_cuda.occupancy(
                         facts, &(struct launch){.block = {threads, 1, 1}, .shared_bytes = dynamic},
                         &resources, &error),
                     STATUS_OK);
    if (occupancy)
        *occupancy = resources.occupancy;
    return resources.active_blocks_per_sm;
}

/* Every board has all facts that expressions may use; a board of the same chip as the real H200
 * (db/recorded/nvidia-h200/devices.json) has nearly the same numbers. */
TEST(test_boards_have_all_facts)
{
    static const char *const all[] = {"sm_70",  "sm_72",  "sm_75",  "sm_80",  "sm_86",
                                      "sm_87",  "sm_89",  "sm_90",  "sm_90a", "sm_100",
                                      "sm_103", "sm_110", "sm_120", "sm_121"};
    static const char *const numbers[] = {"memory_bytes",
                                          "l2_bytes",
                                          "sm_count",
                                          "max_threads_per_block",
                                          "max_threads_per_sm",
                                          "max_blocks_per_sm",
                                          "registers_per_sm",
                                          "registers_per_block",
                                          "shared_bytes_per_block",
                                          "shared_bytes_per_sm",
                                          "warp_size",
                                          "shared_bytes_per_block_optin"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct facts facts = imagine(all[i]);
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
            assert_true(facts_integer(&facts, numbers[j], 0) > 0);
        assert_string_equal(facts_text(&facts, "architecture", ""), all[i]);
        assert_true(blocks(&facts, 256, 32, 0, 0, NULL) > 0);
        facts_free(&facts);
    }
    struct facts h100 = imagine("sm_90");
    assert_int_equal(facts_integer(&h100, "sm_count", 0), 132);
    assert_int_equal(facts_integer(&h100, "max_threads_per_sm", 0), 2048);
    assert_int_equal(facts_integer(&h100, "shared_bytes_per_sm", 0), 233472);
    assert_int_equal(facts_integer(&h100, "shared_bytes_per_block_optin", 0), 232448);
    assert_int_equal(facts_integer(&h100, "shared_bytes_reserved_per_block", 0), 1024);
    assert_string_equal(facts_text(&h100, "compute_capability", ""), "9.0");
    facts_free(&h100);
}

TEST(test_unknown_architectures_are_refused)
{
    static const char *const wrong[] = {"sm_91", "90", "sm_", "sm_90x", "sm_90aa", "", "native"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct facts facts = {0};
        struct error error = {0};
        assert_int_equal(device_cuda.describe(0, wrong[i], &facts, &error), STATUS_UNAVAILABLE);
        assert_non_null(strstr(error.text, "sm_90"));
        facts_free(&facts);
    }
}

/* Results of the real Occupancy API on an H200 for every kernel ever measured there, except those
 * in clusters. */
TEST(test_agrees_with_what_an_h200_said)
{
    char line[128];
    size_t rows = 0;
    struct facts facts = imagine("sm_90");
    FILE *file =
        fopen(TEST_SOURCE_DIR "/tests/unit/device/recorded/occupancy-nvidia-h200.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        double fields[6];
        double occupancy = 0;
        char *at = line;
        for (size_t i = 0; i < 6; i++) {
            fields[i] = strtod(at, &at);
            assert_true(i == 5 ? *at == '\n' : *at++ == ',');
        }
        assert_int_equal(blocks(&facts, (uint32_t)fields[0], (int32_t)fields[1], (int32_t)fields[2],
                                (uint32_t)fields[3], &occupancy),
                         (int)fields[4]);
        assert_float_equal(occupancy, fields[5], 1e-9);
        rows++;
    }
    (void)fclose(file);
    facts_free(&facts);
    assert_true(rows > 1000);
}

/* Computed by hand from the limits in the programming guide; each limit binds once. */
TEST(test_each_limit_binds)
{
    struct facts a100 = imagine("sm_80");
    struct facts t4 = imagine("sm_75");
    struct facts ada = imagine("sm_89");
    assert_int_equal(blocks(&a100, 32, 16, 0, 0, NULL), 32);        /* blocks */
    assert_int_equal(blocks(&a100, 1024, 16, 0, 0, NULL), 2);       /* threads */
    assert_int_equal(blocks(&a100, 256, 64, 0, 0, NULL), 4);        /* 65536 registers */
    assert_int_equal(blocks(&a100, 256, 65, 0, 0, NULL), 3);        /* in steps of 8 a thread */
    assert_int_equal(blocks(&a100, 64, 16, 0, 80 * 1024, NULL), 2); /* 164 KiB, 1 of each kept */
    assert_int_equal(blocks(&a100, 64, 16, 0, 163 * 1024, NULL), 1);
    assert_int_equal(blocks(&a100, 64, 16, 0, 164 * 1024, NULL), 0);
    assert_int_equal(blocks(&t4, 256, 16, 0, 0, NULL), 4);
    assert_int_equal(blocks(&t4, 64, 16, 16 * 1024, 0, NULL), 4);
    assert_int_equal(blocks(&ada, 32, 16, 0, 0, NULL), 24);
    facts_free(&a100);
    facts_free(&t4);
    facts_free(&ada);
}

TEST(test_what_cannot_be_launched_has_none)
{
    struct kernel_resources bound = {.registers = 16, .max_threads_per_block = 128};
    struct error error = {0};
    struct facts facts = imagine("sm_90");
    assert_int_equal(blocks(&facts, 1025, 16, 0, 0, NULL), 0);
    assert_int_equal(blocks(&facts, 0, 16, 0, 0, NULL), 0);
    assert_int_equal(blocks(&facts, 1024, 128, 0, 0, NULL), 0);
    assert_int_equal(blocks(&facts, 32, 16, 48 * 1024, UINT32_MAX, NULL), 0);
    assert_int_equal(
        device_cuda.occupancy(&facts, &(struct launch){.block = {128, 1, 1}}, &bound, &error),
        STATUS_OK);
    assert_int_equal(bound.active_blocks_per_sm, 16);
    assert_int_equal(
        device_cuda.occupancy(&facts, &(struct launch){.block = {129, 1, 1}}, &bound, &error),
        STATUS_OK);
    assert_int_equal(bound.active_blocks_per_sm, 0);
    /* Named barriers count from compute capability 9.0 on: 64 an SM. */
    bound = (struct kernel_resources){.registers = 16, .max_threads_per_block = -1, .barriers = 16};
    assert_int_equal(
        device_cuda.occupancy(&facts, &(struct launch){.block = {32, 1, 1}}, &bound, &error),
        STATUS_OK);
    assert_int_equal(bound.active_blocks_per_sm, 4);
    facts_free(&facts);
}

TEST(test_needs_facts_and_registers)
{
    struct kernel_resources resources = {.registers = 16};
    struct facts none = {0};
    struct error error = {0};
    assert_int_equal(
        device_cuda.occupancy(&none, &(struct launch){.block = {32, 1, 1}}, &resources, &error),
        STATUS_UNAVAILABLE);
    struct facts facts = imagine("sm_90");
    resources.registers = -1;
    assert_int_equal(
        device_cuda.occupancy(&facts, &(struct launch){.block = {32, 1, 1}}, &resources, &error),
        STATUS_UNAVAILABLE);
    facts_free(&facts);
}
#endif

TEST(test_a_cpu_cannot_be_imagined)
{
    const struct device_api *cpu = device_kind("cpu");
    struct facts facts = {0};
    struct error error = {0};
    assert_int_equal(cpu->describe(0, "sm_90", &facts, &error), STATUS_UNAVAILABLE);
    assert_true(facts.count == 0 && !cpu->inspect && !cpu->occupancy);
}

TEST_MAIN(NULL, NULL)
