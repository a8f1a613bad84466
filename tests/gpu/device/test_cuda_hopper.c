/* Dependent launches and clusters (compute capability 9.0), and sources that include others.
 * Skipped where there is no GPU. */
#include "tests/gpu/device/cuda_fixture.h"

/* Scratch of this many elements stays in place, so that runs find the marks of earlier ones. */
enum { STAYS = 1 << 16, RUNS = 100, CLUSTER = 16, CLUSTERS = 3 };

static bool has_clusters(void)
{
    return facts_integer(&facts, "cluster_launch", 0) != 0 ||
           strcmp(facts_text(&facts, "architecture", ""), "sm_90") == 0;
}

/* Makes a binary of a source current. */
static void load_from(const char *path, size_t count, const char *const *kernels, int64_t cluster)
{
    struct text log = {0};
    char made[80];
    struct binary_request request = {.source_path = path,
                                     .architecture = facts_text(&facts, "architecture", ""),
                                     .define_count = cluster ? 1 : 0,
                                     .defines = {{"CLUSTER", value_integer(cluster)}},
                                     .kernel_count = count};
    for (size_t i = 0; i < count; i++)
        request.kernels[i] = kernels[i];
    (void)snprintf(made, sizeof made, "%s.hopper", binary);
    enum status status = cuda->compile(&request, made, &log, &error);
    text_free(&log);
    assert_ok(status);
    status = cuda->load(device, made, &error);
    (void)unlink(made);
    assert_ok(status);
}

static struct launch_plan notice_plan(bool dependent)
{
    return (struct launch_plan){
        .launch_count = 2,
        .launches = {{.kernel = "begin_early",
                      .grid = {1, 1, 1},
                      .block = {1, 1, 1},
                      .argument_count = 1,
                      .arguments = {0}},
                     {.kernel = "notice",
                      .grid = {1, 1, 1},
                      .block = {1, 1, 1},
                      .dependent = dependent,
                      .argument_count = 2,
                      .arguments = {0, 1}}},
        .argument_count = 2,
        .arguments = {vector("middle", ELEMENT_I32, ARGUMENT_SCRATCH, STAYS),
                      vector("seen", ELEMENT_I32, ARGUMENT_SCRATCH, STAYS)},
    };
}

static void check_seen(int runs, bool dependent)
{
    int seen[3];
    assert_ok(cuda->read(device, 1, seen, sizeof seen, &error));
    assert_int_equal(seen[0], runs);
    assert_int_equal(seen[2], 0);
    if (dependent)
        assert_true(seen[1] > 0);
    else
        assert_int_equal(seen[1], 0);
    print_message("  %s: %d of %d runs began early\n", dependent ? "dependent" : "plain", seen[1],
                  runs);
}

static void check_plan(bool dependent)
{
    static const char *const kernels[] = {"begin_early", "notice"};
    struct launch_plan plan = notice_plan(dependent);
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    double elapsed_ns = 0;
    load_from(source, 2, kernels, 0);
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    (void)time_slot(&plan, RUNS, L2_COLD, 0, false);
    check_seen(RUNS, dependent);
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    for (int i = 1; i < RUNS; i++)
        assert_ok(cuda->run(device, &plan, RUN_AGAIN, &elapsed_ns, &error));
    check_seen(RUNS, dependent);
}

/* In a graph of many runs and in a stream: the second kernel begins while the first runs, still
 * sees its result, and the next run waits for both. */
TEST(test_dependent_launch_begins_early)
{
    need_gpu();
    if (!has_clusters())
        skip();
    check_plan(false);
    check_plan(true);
}

TEST(test_first_launch_depends_on_none)
{
    static const char *const kernels[] = {"begin_early", "notice"};
    struct launch_plan plan = notice_plan(false);
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    double elapsed_ns = 0;
    need_gpu();
    plan.launches[0].dependent = true;
    load_from(source, 2, kernels, 0);
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_is(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    const struct block block = {.plan = &plan, .runs = 4, .mode = L2_COLD};
    assert_is(cuda->time_block(device, &block, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    check_add(1000);
}

static struct launch_plan rank_plan(uint32_t blocks)
{
    return (struct launch_plan){
        .launch_count = 1,
        .launches = {{.kernel = "sum_ranks",
                      .grid = {blocks, 1, 1},
                      .block = {64, 1, 1},
                      .argument_count = 1,
                      .arguments = {0}}},
        .argument_count = 1,
        .arguments = {vector("out", ELEMENT_I32, ARGUMENT_OUTPUT, CLUSTERS)},
    };
}

TEST(test_clusters_of_16)
{
    static const char *const kernels[] = {"sum_ranks"};
    struct launch_plan plan = rank_plan(CLUSTERS * CLUSTER);
    struct kernel_resources resources;
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    double elapsed_ns = 0;
    int out[CLUSTERS];
    need_gpu();
    if (!has_clusters())
        skip();
    load_from(source, 1, kernels, CLUSTER);
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    (void)time_slot(&plan, 8, L2_COLD, 0, false);
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    assert_ok(cuda->read(device, 0, out, sizeof out, &error));
    for (int i = 0; i < CLUSTERS; i++)
        assert_int_equal(out[i], CLUSTER * (CLUSTER + 1) / 2);
    assert_ok(cuda->resources(device,
                              &(struct launch){.kernel = "sum_ranks", .block = {1024, 1, 1}},
                              &resources, &error));
    print_message("  clusters of 16 x 1024: %d blocks per SM, occupancy %.3f\n",
                  resources.active_blocks_per_sm, resources.occupancy);
    assert_true(resources.active_blocks_per_sm >= 1);
    assert_true(resources.occupancy > 0 && resources.occupancy <= 1);
}

TEST(test_grid_that_is_no_multiple_of_its_clusters)
{
    static const char *const kernels[] = {"sum_ranks"};
    struct launch_plan plan = rank_plan(CLUSTER + 8);
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    double elapsed_ns = 0;
    need_gpu();
    if (!has_clusters())
        skip();
    load_from(source, 1, kernels, CLUSTER);
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_is(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    assert_non_null(strstr(error.text, "24 blocks cannot be made of clusters of 16"));
    const struct block block = {.plan = &plan, .runs = 4, .mode = L2_COLD};
    assert_is(cuda->time_block(device, &block, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    check_add(1000);
}

/* The launch says the clusters, in the stream, in a graph and to the Occupancy API. */
TEST(test_clusters_of_the_launch)
{
    static const char *const kernels[] = {"sum_cluster"};
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    struct kernel_resources resources;
    double elapsed_ns = 0;
    int out[CLUSTERS];
    need_gpu();
    if (!has_clusters())
        skip();
    load_from(source, 1, kernels, 0);
    for (uint32_t size = 1; size <= CLUSTER; size *= 4) {
        struct launch_plan plan = rank_plan(CLUSTERS * size);
        plan.launches[0].kernel = "sum_cluster";
        plan.launches[0].cluster[0] = size;
        assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
        for (int i = 0; i < 2; i++) {
            assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
            assert_ok(cuda->read(device, 0, out, sizeof out, &error));
            for (int k = 0; k < CLUSTERS; k++)
                assert_int_equal(out[k], size * (size + 1) / 2);
            (void)time_slot(&plan, 8, L2_COLD, 0, false);
            assert_ok(cuda->read(device, 0, out, sizeof out, &error));
            for (int k = 0; k < CLUSTERS; k++)
                assert_int_equal(out[k], size * (size + 1) / 2);
        }
        assert_ok(cuda->resources(device, &plan.launches[0], &resources, &error));
        assert_true(resources.active_blocks_per_sm >= 1);
        plan.launches[0].grid[0]++;
        assert_is(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error),
                  size == 1 ? STATUS_OK : STATUS_LAUNCH_FAILED);
    }
    check_add(1000);
}

/* As many blocks as are resident, in the stream and in a graph; one more is refused, and the device
 * stays usable. */
TEST(test_cooperative_launch)
{
    static const char *const kernels[] = {"meet"};
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    const int sm_count = (int)facts_integer(&facts, "sm_count", 0);
    struct kernel_resources resources;
    double elapsed_ns = 0;
    need_gpu();
    load_from(source, 1, kernels, 0);
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "meet",
                      .grid = {1, 1, 1},
                      .block = {256, 1, 1},
                      .cooperative = true,
                      .argument_count = 2,
                      .arguments = {0, 1}}},
        .argument_count = 2,
        .arguments = {vector("ticket", ELEMENT_U32, ARGUMENT_SCRATCH, 1),
                      vector("out", ELEMENT_I32, ARGUMENT_OUTPUT, STAYS)},
    };
    assert_ok(cuda->resources(device, &plan.launches[0], &resources, &error));
    const int blocks = resources.active_blocks_per_sm * sm_count;
    int *out = calloc(STAYS, sizeof *out);
    assert_non_null(out);
    assert_true(blocks > 0 && blocks < STAYS);
    plan.launches[0].grid[0] = (uint32_t)blocks;
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    for (int i = 0; i < 2; i++) {
        assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
        assert_ok(cuda->read(device, 1, out, STAYS * sizeof *out, &error));
        for (int k = 0; k < blocks; k++)
            assert_int_equal(out[k], blocks);
        (void)time_slot(&plan, 8, L2_COLD, 0, false);
    }
    free(out);
    plan.launches[0].grid[0]++;
    assert_is(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    const struct block block = {.plan = &plan, .runs = 4, .mode = L2_COLD, .slot = 1};
    assert_is(cuda->time_block(device, &block, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    print_message("  %d blocks met; one more: %s\n", blocks, error.text);
    check_add(1000);
}

TEST(test_source_that_includes_its_kernels)
{
    static const char *const kernels[] = {"scaled_add", "sum<int>"};
    struct launch_plan plan = sum_plan(COUNT);
    const void *inputs[ARGUMENTS_MAX] = {a};
    double elapsed_ns = 0;
    char path[80];
    char text[160];
    int out = 0;
    need_gpu();
    (void)snprintf(path, sizeof path, "%s.including.cu", binary);
    (void)snprintf(text, sizeof text, "#include \"%s\"\n", strrchr(source, '/') + 1);
    assert_ok(file_write_atomically(path, text, strlen(text), &error));
    load_from(path, 2, kernels, 0);
    (void)unlink(path);
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    assert_ok(cuda->read(device, 2, &out, sizeof out, &error));
    assert_int_equal(out, sum_of_a());
}

TEST_MAIN(open_device, close_device)
