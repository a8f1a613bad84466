/* State after errors on a GPU: a device that continues, or one that needs a new process. Skipped
 * without a GPU. */
#include "tests/gpu/device/cuda_fixture.h"

TEST(test_opts_in_to_shared_memory)
{
    need_gpu();
    int64_t most = facts_integer(&facts, "shared_bytes_per_block_optin", 0);
    if (most <= 48 << 10)
        skip();
    int64_t count = most / (int64_t)sizeof(int);
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "reverse_block",
                      .grid = {1, 1, 1},
                      .block = {256, 1, 1},
                      .shared_bytes = (uint32_t)most,
                      .argument_count = 2,
                      .arguments = {0, 1}}},
        .argument_count = 2,
        .arguments = {vector("in", ELEMENT_I32, ARGUMENT_INPUT, count),
                      vector("out", ELEMENT_I32, ARGUMENT_OUTPUT, count)},
    };
    const void *inputs[ARGUMENTS_MAX] = {a};
    double elapsed_ns = 0;
    int *out = calloc((size_t)count, sizeof *out);
    assert_non_null(out);
    load_others("reverse_block");
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    assert_ok(cuda->read(device, 1, out, (size_t)count * sizeof *out, &error));
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(out[i], a[count - 1 - i]);
    free(out);
    plan.launches[0].shared_bytes = (uint32_t)most + 4;
    assert_is(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    assert_non_null(strstr(error.text, "shared memory"));
    check_add(1000);
}

TEST(test_wrong_launch_leaves_the_device_usable)
{
    struct launch_plan plan = add_plan(1000);
    const void *inputs[ARGUMENTS_MAX] = {a, b};
    double elapsed_ns = 0;
    need_gpu();
    plan.launches[0].block[0] = 2048;
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_is(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    assert_non_null(strstr(error.text, "scaled_add <<<8, 2048, 0>>>"));
    const struct block block = {.plan = &plan, .runs = 4, .mode = L2_COLD};
    assert_is(cuda->time_block(device, &block, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    check_add(1000);
}

/* The last test: after it the process has no device. */
TEST(test_wild_write_loses_the_device)
{
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "write_nowhere",
                      .grid = {1, 1, 1},
                      .block = {32, 1, 1},
                      .argument_count = 1,
                      .arguments = {0}}},
        .argument_count = 1,
        .arguments = {vector("out", ELEMENT_I32, ARGUMENT_OUTPUT, 1)},
    };
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    double elapsed_ns = 0;
    need_gpu();
    load_others("write_nowhere");
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_is(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error), STATUS_DEVICE_LOST);
    print_message("  %s\n", error.text);
    assert_non_null(strstr(error.text, "write_nowhere"));
    assert_is(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error), STATUS_DEVICE_LOST);
}

TEST_MAIN(open_device, close_device)
