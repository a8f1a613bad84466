/* Plans that are timed in turn on a GPU, each in a slot, and the modes of the cache. Skipped where
 * there is none. */
#include "tests/gpu/device/cuda_fixture.h"

/* Scratch of this many elements stays in place, so that runs find the notes of earlier ones. */
enum { NOTED_RUNS = 6, NOTED_MAX = 64, STAYS = 1 << 16 };

struct notes {
    uint64_t addresses[NOTED_MAX];
    int firsts[NOTED_MAX];
    uint32_t ticket;
};

static struct launch_plan note_plan(uint32_t offset_bytes)
{
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "note_input",
                      .grid = {1, 1, 1},
                      .block = {1, 1, 1},
                      .argument_count = 4,
                      .arguments = {0, 1, 2, 3}}},
        .argument_count = 4,
        .arguments = {vector("in", ELEMENT_I32, ARGUMENT_INPUT, 100),
                      vector("addresses", ELEMENT_U64, ARGUMENT_SCRATCH, STAYS),
                      vector("firsts", ELEMENT_I32, ARGUMENT_SCRATCH, STAYS),
                      vector("ticket", ELEMENT_U32, ARGUMENT_SCRATCH, STAYS)},
    };
    plan.arguments[0].offset_bytes = offset_bytes;
    return plan;
}

static void bind_plan(const struct launch_plan *plan, const void *first, uint32_t copies)
{
    const void *inputs[ARGUMENTS_MAX] = {first, plan->argument_count > 1 ? b : NULL};
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, plan, inputs, copies, NULL, &error));
}

/* Reads the notes of the runs since the scratch was zeroed. */
static void read_notes(struct notes *out, size_t expected)
{
    assert_ok(cuda->read(device, 1, out->addresses, sizeof out->addresses, &error));
    assert_ok(cuda->read(device, 2, out->firsts, sizeof out->firsts, &error));
    assert_ok(cuda->read(device, 3, &out->ticket, sizeof out->ticket, &error));
    assert_int_equal(out->ticket, expected);
    for (size_t i = 0; i < expected; i++)
        assert_int_equal(out->firsts[i], 41);
}

static void time_notes(enum l2_mode mode, uint32_t offset_bytes, size_t expected,
                       struct notes *notes)
{
    struct launch_plan plan = note_plan(offset_bytes);
    bind_plan(&plan, a + 41, NOTED_RUNS);
    (void)time_slot(&plan, NOTED_RUNS, mode, 0, false);
    read_notes(notes, expected);
}

TEST(test_runs_each_have_their_own_copy)
{
    const enum l2_mode modes[] = {L2_COLD, L2_STREAM, L2_DIRTY, l2_mode_as(L2_COLD, ISSUE_STREAM),
                                  l2_mode_as(L2_COLD, ISSUE_EAGER)};
    static const uint32_t offsets[] = {0, 4, 60, 128};
    struct notes notes;
    need_gpu();
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        for (size_t j = 0; j < sizeof offsets / sizeof *offsets; j++) {
            time_notes(modes[i], offsets[j], NOTED_RUNS, &notes);
            for (size_t run = 0; run < NOTED_RUNS; run++) {
                assert_int_equal(notes.addresses[run] % 256, offsets[j]);
                for (size_t before = 0; before < run; before++)
                    assert_int_not_equal(notes.addresses[run], notes.addresses[before]);
            }
        }
}

TEST(test_hot_runs_share_one_copy)
{
    struct notes notes;
    need_gpu();
    for (int issue = 0; issue < ISSUES; issue++) {
        time_notes(l2_mode_as(L2_HOT, (enum issue)issue), 0, NOTED_RUNS + 2, &notes);
        for (size_t i = 1; i < NOTED_RUNS; i++)
            assert_int_equal(notes.addresses[i], notes.addresses[0]);
    }
}

/* Behind the gate a stream holds so many launches, and no more. */
TEST(test_a_stream_has_limits)
{
    double elapsed_ns = 0;
    struct launch_plan plan = note_plan(0);
    struct block block = {.plan = &plan, .runs = QUEUED_MAX + 1, .issue = ISSUE_STREAM};
    need_gpu();
    bind_plan(&plan, a + 41, QUEUED_MAX + 1);
    assert_int_equal(cuda->time_block(device, &block, &elapsed_ns, &error), STATUS_LAUNCH_FAILED);
    block.issue = ISSUE_EAGER;
    assert_ok(cuda->time_block(device, &block, &elapsed_ns, &error));
    block = (struct block){.plan = &plan, .runs = NOTED_RUNS, .issue = ISSUE_STREAM};
    assert_ok(cuda->time_block(device, &block, &elapsed_ns, &error));
}

/* Kernels may keep tickets from run to run, but not those of another plan. */
TEST(test_scratch_is_zeroed_for_another_slot)
{
    struct launch_plan plan = note_plan(0);
    struct notes notes;
    need_gpu();
    bind_plan(&plan, a + 41, NOTED_RUNS);
    (void)time_slot(&plan, NOTED_RUNS, L2_COLD, 3, false);
    read_notes(&notes, NOTED_RUNS);
    (void)time_slot(&plan, NOTED_RUNS, L2_COLD, 3, true);
    read_notes(&notes, (size_t)2 * NOTED_RUNS);
    (void)time_slot(&plan, 2, L2_COLD, 4, false);
    read_notes(&notes, 2);
    (void)time_slot(&plan, NOTED_RUNS, L2_COLD, 3, true);
    read_notes(&notes, NOTED_RUNS);
}

static void check_sum(void)
{
    int out = 0;
    assert_ok(cuda->read(device, 2, &out, sizeof out, &error));
    assert_int_equal(out, sum_of_a());
}

static void check_first_sums(size_t count, int scale)
{
    int *out = calloc(count, sizeof *out);
    assert_non_null(out);
    assert_ok(cuda->read(device, 2, out, count * sizeof *out, &error));
    for (size_t i = 0; i < count; i++)
        assert_int_equal(out[i], a[i] + scale * b[i]);
    free(out);
}

static void check_sums_with(int scale)
{
    check_first_sums(COUNT, scale);
}

/* Two plans that lay claim to the same memory in different ways. */
TEST(test_plans_in_turn_are_right)
{
    struct launch_plan sum = sum_plan(COUNT);
    struct launch_plan add = add_plan(COUNT);
    need_gpu();
    for (int round = 0; round < 3; round++) {
        bind_plan(&sum, a, 4);
        (void)time_slot(&sum, 4, L2_COLD, 0, round > 0);
        check_sum();
        bind_plan(&add, a, 8);
        (void)time_slot(&add, 8, L2_COLD, 1023, round > 0);
        check_sums_with(-3);
    }
}

/* Another plan of the same shape needs more memory: it moves, and the graph follows. */
TEST(test_graph_follows_memory)
{
    struct launch_plan sum = sum_plan(COUNT);
    struct launch_plan larger = sum_plan(COUNT);
    need_gpu();
    for (int64_t count = 1 << 12; count <= 1 << 22; count <<= 5) {
        bind_plan(&sum, a, 4);
        (void)time_slot(&sum, 4, L2_COLD, 7, count > 1 << 12);
        check_sum();
        larger.arguments[1].count = count;
        bind_plan(&larger, a, 4);
        (void)time_slot(&larger, 4, L2_COLD, 8, false);
        check_sum();
    }
}

/* While no memory moves, a graph stays as built, with its scalars. */
TEST(test_graph_is_kept_until_dropped)
{
    struct launch_plan add = add_plan(COUNT);
    struct launch_plan sum = sum_plan(1000);
    need_gpu();
    bind_plan(&add, a, 2);
    (void)time_slot(&add, 2, L2_COLD, 5, false);
    bind_plan(&sum, a, 2);
    (void)time_slot(&sum, 2, L2_COLD, 6, false);
    bind_plan(&add, a, 2);
    add.arguments[3].scalar = value_integer(9);
    (void)time_slot(&add, 2, L2_COLD, 5, true);
    check_sums_with(-3);
    cuda->drop_slots(device);
    (void)time_slot(&add, 2, L2_COLD, 5, true);
    check_sums_with(9);
}

/* More slots, and more nodes, than are kept at once: dropped ones are built again. */
TEST(test_all_slots)
{
    struct launch_plan add = add_plan(1000);
    need_gpu();
    bind_plan(&add, a, 1);
    for (int round = 0; round < 2; round++)
        for (uint32_t slot = 0; slot < DEVICE_SLOTS; slot++)
            (void)time_slot(&add, 150, L2_HOT, slot, round > 0);
    check_first_sums(1000, -3);
    cuda->drop_slots(device);
    const struct block beyond = {.plan = &add, .runs = 1, .slot = DEVICE_SLOTS};
    double elapsed_ns = 0;
    assert_is(cuda->time_block(device, &beyond, &elapsed_ns, &error), STATUS_INTERNAL);
}

/* 16 copies of 64 MiB stream through any L2 there is. */
TEST(test_stream_of_large_inputs)
{
    enum { LARGE = 16 << 20 };
    struct launch_plan sum = sum_plan(LARGE);
    int *large = calloc(LARGE, sizeof *large);
    int out = 1;
    if (!device)
        free(large);
    need_gpu();
    assert_non_null(large);
    bind_plan(&sum, large, 16);
    for (int mode = 0; mode < L2_MODES; mode++)
        print_message("  sum of 2^24, %s: %.1f ns\n", l2_mode_name((enum l2_mode)mode),
                      time_slot(&sum, 16, (enum l2_mode)mode, (uint32_t)mode, false));
    assert_ok(cuda->read(device, 2, &out, sizeof out, &error));
    assert_int_equal(out, 0);
    free(large);
}

TEST_MAIN(open_device, close_device)
