/* Layout: the thread, and so the node, that touches each part of a vector, on invented machines. */
#include "cpu_test.h"

#include "tuner/device/cpu/layout.h"
#include "tuner/device/cpu/machine.h"

enum { GRANULES_MAX = 5000, NOBODY = -1 };

static struct machine load(const char *topology)
{
    struct machine machine;
    struct error error = {0};
    assert_int_equal(setenv("HWLOC_SYNTHETIC", topology, 1), 0);
    assert_int_equal(machine_load(&machine, &error), STATUS_OK);
    (void)unsetenv("HWLOC_SYNTHETIC");
    return machine;
}

/* Fills in toucher[i] of each granule; each has exactly one. */
static void touch_all(const struct layout *layout, const int *nodes, size_t granules,
                      int toucher[GRANULES_MAX])
{
    for (size_t i = 0; i < granules; i++)
        toucher[i] = NOBODY;
    for (int t = 0; t < layout->threads; t++) {
        struct share share = layout_share(layout, nodes, t, granules);
        for (size_t i = share.first; i < share.end; i += share.step) {
            assert_in_range(i, 0, granules - 1);
            assert_int_equal(toucher[i], NOBODY);
            toucher[i] = t;
        }
    }
    for (size_t i = 0; i < granules; i++)
        assert_int_not_equal(toucher[i], NOBODY);
}

TEST(threads_know_their_nodes)
{
    static const int expected[] = {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1};
    struct machine machine = load("pack:2 [numa] core:4 pu:2");
    for (int i = 0; i < 16; i++)
        assert_int_equal(machine.nodes[i], expected[i]);
    machine_free(&machine);
    machine = load("core:3 pu:1");
    for (int i = 0; i < 3; i++)
        assert_int_equal(machine.nodes[i], 0);
    machine_free(&machine);
}

/* As the launch deals out blocks: the first part to the first thread, and so on. */
TEST(equal_runs_lie_with_their_threads)
{
    static const size_t sizes[] = {1, 3, 16, 17, 1000, 4999};
    static int toucher[GRANULES_MAX];
    struct machine machine = load("pack:2 [numa] core:4 pu:2");
    for (int threads = 1; threads <= 16; threads++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            struct layout layout = layout_of(machine.nodes, threads, SCHEDULE_STATIC);
            touch_all(&layout, machine.nodes, sizes[s], toucher);
            size_t each = sizes[s] / (size_t)threads;
            for (size_t i = 0, count = 1; i < sizes[s]; i++, count++) {
                bool last = i + 1 == sizes[s] || toucher[i + 1] != toucher[i];
                assert_true(last || toucher[i + 1] >= toucher[i]);
                if (!last)
                    continue;
                assert_in_range(count, each, each + 1);
                count = 0;
            }
        }
    /* Eight threads on eight cores: the first half on node 0, the second on node 1. */
    struct layout layout = layout_of(machine.nodes, 8, SCHEDULE_STATIC);
    touch_all(&layout, machine.nodes, 1000, toucher);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(machine.nodes[toucher[i]], i < 500 ? 0 : 1);
    machine_free(&machine);
}

TEST(queued_blocks_read_from_all_nodes_in_turn)
{
    static int toucher[GRANULES_MAX];
    struct machine machine = load("pack:4 [numa] core:3 pu:2");
    for (int threads = 1; threads <= 24; threads++) {
        struct layout layout = layout_of(machine.nodes, threads, SCHEDULE_QUEUED);
        int share[24] = {0};
        touch_all(&layout, machine.nodes, 960, toucher);
        int used = threads < 12 ? (threads + 2) / 3 : 4;
        assert_int_equal(layout.nodes, used);
        assert_int_equal(layout.interleaved, used > 1);
        for (size_t i = 0; i < 960; i++) {
            assert_int_equal(machine.nodes[toucher[i]], used > 1 ? (int)i % used : 0);
            share[toucher[i]]++;
        }
        /* All threads take part. */
        for (int t = 0; t < threads; t++)
            assert_true(share[t] > 0);
    }
    machine_free(&machine);
}

TEST(alike_layouts_share_their_memory)
{
    struct machine machine = load("pack:2 [numa] core:4 pu:2");
    const int *nodes = machine.nodes;
    struct layout one = layout_of(nodes, 1, SCHEDULE_STATIC);
    struct layout four = layout_of(nodes, 4, SCHEDULE_QUEUED);
    struct layout five = layout_of(nodes, 5, SCHEDULE_STATIC);
    struct layout eight = layout_of(nodes, 8, SCHEDULE_STATIC);
    struct layout turns = layout_of(nodes, 8, SCHEDULE_QUEUED);
    struct layout more_turns = layout_of(nodes, 16, SCHEDULE_QUEUED);
    assert_true(layout_same(&one, &four));
    assert_true(layout_same(&turns, &more_turns));
    assert_true(layout_same(&eight, &eight));
    assert_false(layout_same(&four, &five));
    assert_false(layout_same(&five, &eight));
    assert_false(layout_same(&eight, &turns));
    machine_free(&machine);
}

/* The launch with the most threads of those that take the argument decides, not the plan's. */
TEST(each_argument_lies_as_its_launch_reads_it)
{
    struct machine machine = load("pack:2 [numa] core:4 pu:1");
    struct launch_plan plan = {
        .launch_count = 2,
        .argument_count = 4,
        .launches =
            {{.threads = 8, .schedule = SCHEDULE_QUEUED, .argument_count = 2, .arguments = {0, 1}},
             {.threads = 2, .schedule = SCHEDULE_STATIC, .argument_count = 2, .arguments = {1, 2}}},
    };
    struct layout layout = layout_for_argument(&plan, 0, machine.nodes, 8);
    assert_true(layout.threads == 8 && layout.interleaved);
    layout = layout_for_argument(&plan, 1, machine.nodes, 8);
    assert_true(layout.threads == 8 && layout.interleaved);
    layout = layout_for_argument(&plan, 2, machine.nodes, 8);
    assert_true(layout.threads == 2 && layout.nodes == 1);
    layout = layout_for_argument(&plan, 3, machine.nodes, 8);
    assert_int_equal(layout.threads, 1);
    layout = layout_for_argument(&plan, 0, machine.nodes, 3);
    assert_int_equal(layout.threads, 3);
    machine_free(&machine);
}

TEST_MAIN(NULL, NULL)
