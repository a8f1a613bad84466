/* Programmatic edges of a graph, and programmatic launches: on the stand-in driver, which records
 * them, and on one that is too old for any. */
#include <dlfcn.h>

#include "tests/gpu/device/cuda_fixture.h"

enum { RUNS = 3 };

static void *driver; /* the stand-in, which the device has loaded already */

static const char *noted(const char *name)
{
    const char *(*function)(void) = NULL;
    void *symbol = dlsym(driver, name);
    assert_non_null(symbol);
    memcpy(&function, &symbol, sizeof function);
    return function();
}

static bool is_old(void)
{
    driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(driver);
    return !dlsym(driver, "cuLaunchKernelEx");
}

static void load_with(const char *define)
{
    struct text log = {0};
    char path[80];
    struct binary_request request = {.source_path = source,
                                     .architecture = facts_text(&facts, "architecture", ""),
                                     .define_count = define ? 1 : 0,
                                     .defines = {{define, value_integer(16)}},
                                     .kernel_count = 3,
                                     .kernels = {"begin_early", "notice", "sum_ranks"}};
    (void)snprintf(path, sizeof path, "%s.edges", binary);
    enum status status = cuda->compile(&request, path, &log, &error);
    text_free(&log);
    assert_ok(status);
    status = cuda->load(device, path, &error);
    (void)unlink(path);
    assert_ok(status);
}

/* Makes a plan of three launches; `dependent` has a bit for each dependent one. */
static struct launch_plan plan_of(unsigned dependent)
{
    struct launch_plan plan = {
        .launch_count = 3,
        .argument_count = 2,
        .arguments = {vector("middle", ELEMENT_I32, ARGUMENT_SCRATCH, 1),
                      vector("seen", ELEMENT_I32, ARGUMENT_SCRATCH, 3)},
    };
    for (size_t i = 0; i < plan.launch_count; i++)
        plan.launches[i] = (struct launch){.kernel = i % 2 == 0 ? "begin_early" : "notice",
                                           .grid = {1, 1, 1},
                                           .block = {1, 1, 1},
                                           .dependent = dependent >> i & 1,
                                           .argument_count = i % 2 == 0 ? 1 : 2,
                                           .arguments = {0, 1}};
    return plan;
}

static void check_edges(unsigned dependent, const char *graph, const char *stream)
{
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    struct launch_plan plan = plan_of(dependent);
    double elapsed_ns = 0;
    load_with(NULL);
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    (void)time_slot(&plan, RUNS, L2_COLD, 0, false);
    assert_string_equal(noted("standin_edges"), graph);
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    const char *all = noted("standin_stream_edges");
    assert_true(strlen(all) >= 3);
    assert_string_equal(all + strlen(all) - 3, stream);
}

TEST(edges_are_programmatic_where_asked_for)
{
    need_gpu();
    if (is_old())
        return;
    check_edges(0, ".--------", "---");
    check_edges(2,
                ".>--"
                ">--"
                ">-",
                "->-");
    check_edges(4,
                ".->--"
                ">--"
                ">",
                "-->");
    check_edges(6,
                ".>>-"
                ">>-"
                ">>",
                "->>");
}

TEST(an_old_driver_refuses_dependent_launches_only)
{
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    struct launch_plan plan = plan_of(2);
    double elapsed_ns = 0;
    need_gpu();
    if (!is_old())
        return;
    load_with(NULL);
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_is(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    assert_non_null(strstr(error.text, "kernel notice <<<1, 1, 0>>>"));
    assert_non_null(strstr(error.text, "needs a driver for CUDA 12.3, this one is for CUDA 11.4"));
    const struct block block = {.plan = &plan, .runs = RUNS, .mode = L2_COLD};
    assert_is(cuda->time_block(device, &block, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    check_edges(0, ".--------", "---");
    check_add(1000);
}

/* 132 SMs, 128 of them in groups that hold a cluster: 2 blocks of 1024 threads each. */
TEST(occupancy_is_that_of_whole_clusters)
{
    struct kernel_resources resources;
    need_gpu();
    load_with("CLUSTER");
    assert_ok(cuda->resources(device,
                              &(struct launch){.kernel = "sum_ranks", .block = {1024, 1, 1}},
                              &resources, &error));
    assert_int_equal(resources.active_blocks_per_sm, is_old() ? 2 : 1);
    assert_int_equal((int)(resources.occupancy * 1000), is_old() ? 1000 : 969);
    load_with(NULL);
    assert_ok(cuda->resources(device,
                              &(struct launch){.kernel = "sum_ranks", .block = {1024, 1, 1}},
                              &resources, &error));
    assert_int_equal(resources.active_blocks_per_sm, 2);
    assert_int_equal((int)(resources.occupancy * 1000), 1000);
}

TEST_MAIN(open_device, close_device)
