/* Results of timed runs, and differing copies of inputs. */
#include "tests/gpu/device/cuda_fixture.h"

enum { SIZE = 1000, LONG_SIZE = 50000, OUT = 2 };

/* Makes patches of three elements of a. */
static void make_patches(struct patch patches[ARGUMENTS_MAX])
{
    static const int values[] = {-5, 70000, 12};
    memset(patches, 0, ARGUMENTS_MAX * sizeof *patches);
    patches[0].count = 3;
    patches[0].at[0] = 1;
    patches[0].at[1] = SIZE / 2;
    patches[0].at[2] = SIZE - 2;
    memcpy(patches[0].values, values, sizeof values);
}

static void expect_out(const struct patch *patch, int64_t count, bool varied)
{
    int *out = calloc((size_t)count, sizeof *out);
    int *wanted = calloc((size_t)count, sizeof *wanted);
    assert_true(out && wanted);
    assert_ok(cuda->read(device, OUT, out, (size_t)count * sizeof *out, &error));
    for (int64_t i = 0; i < count; i++)
        wanted[i] = a[i] - 3 * b[i];
    for (uint32_t i = 0; varied && i < patch->count; i++) {
        int value = 0;
        memcpy(&value, patch->values + i * sizeof value, sizeof value);
        wanted[patch->at[i]] = value - 3 * b[patch->at[i]];
    }
    assert_memory_equal(out, wanted, (size_t)count * sizeof *out);
    free(out);
    free(wanted);
}

/* Binds, times a block and checks the result of each of its runs; returns the number with changed
 * inputs. */
static uint32_t time_and_look(int64_t count, uint32_t copies, const struct patch *patches,
                              uint64_t draw, uint64_t sums[2])
{
    struct launch_plan plan = add_plan(count);
    const struct block block = {
        .plan = &plan, .runs = copies, .mode = L2_COLD, .slot = 7, .draw = draw};
    const void *inputs[ARGUMENTS_MAX] = {a, b};
    struct run_result runs[BLOCK_RUNS_MAX];
    char detail[200] = "";
    double elapsed_ns = 0;
    uint32_t seen = 0, varied = 0;
    bool intact = false, worn = false;
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, &plan, inputs, copies, patches, &error));
    assert_ok(cuda->time_block(device, &block, &elapsed_ns, &error));
    assert_ok(cuda->results(device, &block, 1u << OUT, runs, &seen, &error));
    assert_int_equal(seen, count == SIZE ? copies : 1);
    for (uint32_t i = 0; i < seen; i++) {
        assert_int_equal(runs[i].run, copies - seen + i);
        varied += runs[i].varied ? 1 : 0;
        if (sums[runs[i].varied] == 0)
            sums[runs[i].varied] = runs[i].sum;
        assert_true(sums[runs[i].varied] == runs[i].sum);
        assert_ok(cuda->show(device, &block, runs[i].run, &error));
        expect_out(&patches[0], count, runs[i].varied);
    }
    assert_ok(cuda->inputs_intact(device, &plan, &intact, &worn, detail, sizeof detail, &error));
    assert_true(intact);
    return varied;
}

TEST(test_every_second_copy_differs)
{
    static const uint32_t copies[] = {7, 2, 12, 13, 1};
    struct patch patches[ARGUMENTS_MAX];
    static const struct patch none[ARGUMENTS_MAX];
    uint64_t sums[2] = {0};
    need_gpu();
    make_patches(patches);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        for (uint64_t draw = 0; draw < 3; draw++)
            assert_int_equal(time_and_look(SIZE, copies[i], patches, draw, sums), copies[i] / 2);
    assert_true(sums[0] != sums[1]);
    uint64_t alike[2] = {sums[0], 0};
    assert_int_equal(time_and_look(SIZE, 7, none, 0, alike), 0);
    assert_int_equal(time_and_look(SIZE, 7, patches, 0, sums), 3);
    for (uint64_t draw = 0; draw < 4; draw++) { /* a large output is the last run's */
        uint64_t large[2] = {0};
        assert_true(time_and_look(LONG_SIZE, 5, patches, draw, large) <= 1);
    }
    check_add(SIZE); /* checked runs find the host's elements */
}

TEST(test_what_writes_nothing_leaves_poison)
{
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "write_at",
                      .grid = {1, 1, 1},
                      .block = {1, 1, 1},
                      .argument_count = 3,
                      .arguments = {0, 1, 2}}},
        .argument_count = 3,
        .arguments = {vector("out", ELEMENT_I32, ARGUMENT_OUTPUT, SIZE),
                      scalar("place", ELEMENT_I64, 3), scalar("value", ELEMENT_I32, 9)},
    };
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    int out[SIZE];
    need_gpu();
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, &plan, inputs, 4, NULL, &error));
    for (int run = 0; run < 3; run++) {
        (void)time_slot(&plan, 4, L2_COLD, 8, false);
        assert_ok(cuda->read(device, 0, out, sizeof out, &error));
        for (int i = 0; i < SIZE; i++)
            assert_int_equal(out[i], i == 3 ? 9 : (int)0xa5a5a5a5);
    }
}

TEST_MAIN(open_device, close_device)
