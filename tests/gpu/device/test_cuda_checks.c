/* A GPU's reports about itself, and about kernels that leave their memory. Skipped without a GPU.
 */
#include <math.h>

#include "tests/gpu/device/cuda_fixture.h"
#include "tuner/base/clock.h"

static struct launch_plan write_plan(int64_t place, uint32_t offset_bytes)
{
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "write_at",
                      .grid = {1, 1, 1},
                      .block = {1, 1, 1},
                      .argument_count = 3,
                      .arguments = {0, 1, 2}}},
        .argument_count = 3,
        .arguments = {vector("out", ELEMENT_I32, ARGUMENT_OUTPUT, 1000),
                      scalar("place", ELEMENT_I64, place), scalar("value", ELEMENT_I32, 7)},
    };
    plan.arguments[0].offset_bytes = offset_bytes;
    return plan;
}

/* Runs the plan; `detail` is "" if the guard bands are intact. */
static void run_guarded(const struct launch_plan *plan, char *detail, size_t bytes)
{
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    double elapsed_ns = 0;
    bool intact = false;
    detail[0] = '\0';
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, plan, inputs, 1, NULL, &error));
    assert_ok(cuda->run(device, plan, RUN_FIRST, &elapsed_ns, &error));
    assert_ok(cuda->guards_intact(device, plan, &intact, detail, bytes, &error));
    assert_true(intact == !*detail);
}

TEST(test_guards_catch_a_write_outside)
{
    static const struct {
        int64_t place;
        const char *detail;
    } wrong[] = {
        {1000, "'out': 4 bytes behind it, the nearest 0 bytes"},
        {2023, "'out': 4 bytes behind it, the nearest 4092 bytes"},
        {-1, "'out': 4 bytes before it, the nearest 0 bytes"},
    };
    char detail[200];
    need_gpu();
    for (uint32_t offset = 0; offset <= 12; offset += 4) {
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            struct launch_plan plan = write_plan(wrong[i].place, offset);
            run_guarded(&plan, detail, sizeof detail);
            if (!strstr(detail, wrong[i].detail))
                fail_msg("written at %d: '%s'", (int)wrong[i].place, detail);
        }
        struct launch_plan first = write_plan(0, offset);
        struct launch_plan last = write_plan(999, offset);
        run_guarded(&first, detail, sizeof detail);
        assert_string_equal(detail, "");
        run_guarded(&last, detail, sizeof detail);
        assert_string_equal(detail, "");
    }
}

/* Elements behind one vector, copied to those behind another. */
TEST(test_guards_are_not_alike)
{
    struct launch_plan plan = write_plan(1000, 0);
    char detail[200];
    plan.launches[0].kernel = "copy_at";
    plan.arguments[2] = plan.arguments[1];
    plan.arguments[1] = vector("to", ELEMENT_I32, ARGUMENT_OUTPUT, 1000);
    need_gpu();
    run_guarded(&plan, detail, sizeof detail);
    assert_non_null(strstr(detail, "'to'"));
}

/* Damage is still seen after another run, and gone with the next verification. */
TEST(test_runs_again_as_the_last_left_it)
{
    struct launch_plan plan = write_plan(1000, 0);
    char detail[200];
    double elapsed_ns = 0;
    bool intact = true;
    int out[1000];
    need_gpu();
    run_guarded(&plan, detail, sizeof detail);
    assert_string_not_equal(detail, "");
    plan.arguments[1].scalar = value_integer(5);
    assert_ok(cuda->run(device, &plan, RUN_AGAIN, &elapsed_ns, &error));
    assert_ok(cuda->guards_intact(device, &plan, &intact, detail, sizeof detail, &error));
    assert_false(intact);
    assert_ok(cuda->read(device, 0, out, sizeof out, &error));
    assert_int_equal(out[5], 7);
    assert_int_equal((unsigned)out[4], 0xa5a5a5a5u);
    run_guarded(&plan, detail, sizeof detail);
    assert_string_equal(detail, "");
}

TEST(test_run_again_keeps_the_scratch)
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
                      vector("addresses", ELEMENT_U64, ARGUMENT_SCRATCH, 8),
                      vector("firsts", ELEMENT_I32, ARGUMENT_SCRATCH, 8),
                      vector("ticket", ELEMENT_U32, ARGUMENT_SCRATCH, 1)},
    };
    const void *inputs[ARGUMENTS_MAX] = {a};
    double elapsed_ns = 0;
    uint32_t ticket = 0;
    need_gpu();
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    assert_ok(cuda->run(device, &plan, RUN_AGAIN, &elapsed_ns, &error));
    assert_ok(cuda->run(device, &plan, RUN_AGAIN, &elapsed_ns, &error));
    assert_ok(cuda->read(device, 3, &ticket, sizeof ticket, &error));
    assert_int_equal(ticket, 3);
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    assert_ok(cuda->read(device, 3, &ticket, sizeof ticket, &error));
    assert_int_equal(ticket, 1);
}

/* Makes a plan whose kernel writes to an input. */
static struct launch_plan scribble_plan(int64_t place, int value)
{
    struct launch_plan plan = write_plan(place, 0);
    plan.arguments[0].role = ARGUMENT_INPUT;
    plan.arguments[2].scalar = value_integer(value);
    return plan;
}

static bool inputs_intact(const struct launch_plan *plan)
{
    char detail[200] = "";
    bool intact = false;
    bool worn = true;
    assert_ok(cuda->inputs_intact(device, plan, &intact, &worn, detail, sizeof detail, &error));
    assert_false(worn);
    assert_string_equal(detail, intact ? "" : "it writes its input: 'out' is changed");
    return intact;
}

TEST(test_inputs_that_are_written_are_seen)
{
    const void *inputs[ARGUMENTS_MAX] = {a};
    struct launch_plan bad = scribble_plan(999, 7);
    struct launch_plan same = scribble_plan(5, 5); /* the present value */
    double elapsed_ns = 0;
    int out[1000];
    need_gpu();
    assert_ok(cuda->load(device, binary, &error));
    for (uint32_t copies = 0; copies < 8; copies += 7) {
        assert_ok(cuda->bind(device, &bad, inputs, copies, NULL, &error));
        assert_ok(cuda->run(device, &bad, RUN_FIRST, &elapsed_ns, &error));
        assert_false(inputs_intact(&bad));
        assert_ok(cuda->bind(device, &same, inputs, copies, NULL, &error));
        assert_ok(cuda->read(device, 0, out, sizeof out, &error));
        assert_memory_equal(out, a, sizeof out);
        assert_ok(cuda->run(device, &same, RUN_FIRST, &elapsed_ns, &error));
        assert_true(inputs_intact(&same));
    }
}

/* All copies given to a block's runs are checked, wherever it begins; and a shorter plan in the
 * memory of a longer one does not inherit changed elements. */
TEST(test_inputs_are_held_while_timed)
{
    const void *inputs[ARGUMENTS_MAX] = {a};
    struct launch_plan bad = scribble_plan(3, -1);
    struct launch_plan same = scribble_plan(5, 5);
    int out[500];
    need_gpu();
    assert_ok(cuda->load(device, binary, &error));
    for (uint64_t draw = 0; draw < 5; draw++) {
        const struct block block = {
            .plan = &bad, .runs = 4, .mode = L2_COLD, .slot = 5, .draw = draw};
        double elapsed_ns = 0;
        assert_ok(cuda->bind(device, &same, inputs, 7, NULL, &error));
        (void)time_slot(&same, 7, L2_COLD, 6, false);
        assert_true(inputs_intact(&same));
        assert_ok(cuda->bind(device, &bad, inputs, 7, NULL, &error));
        assert_ok(cuda->time_block(device, &block, &elapsed_ns, &error));
        if (draw < 4) {
            assert_false(inputs_intact(&bad));
            continue;
        }
        bad.arguments[0].count = 500;
        assert_ok(cuda->bind(device, &bad, inputs, 7, NULL, &error));
        assert_ok(cuda->read(device, 0, out, sizeof out, &error));
        assert_memory_equal(out, a, sizeof out);
    }
}

/* The sum of one element more than there are differs from run to run; that of all there are, not.
 */
TEST(test_what_lies_around_inputs_changes)
{
    const void *inputs[ARGUMENTS_MAX] = {a};
    need_gpu();
    assert_ok(cuda->load(device, binary, &error));
    for (int beyond = 0; beyond < 2; beyond++) {
        struct launch_plan plan = {
            .launch_count = 1,
            .launches = {{.kernel = "sum<int>",
                          .grid = {1, 1, 1},
                          .block = {1, 1, 1},
                          .argument_count = 3,
                          .arguments = {0, 1, 2}}},
            .argument_count = 3,
            .arguments = {vector("in", ELEMENT_I32, ARGUMENT_INPUT, 100),
                          vector("out", ELEMENT_I32, ARGUMENT_OUTPUT, 1),
                          scalar("n", ELEMENT_I64, 100 + beyond)},
        };
        double elapsed_ns = 0;
        int sums[3] = {0};
        char detail[200] = "";
        bool intact = false;
        assert_ok(cuda->bind(device, &plan, inputs, 0, NULL, &error));
        for (int i = 0; i < 3; i++) {
            if (i == 0)
                assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
            else
                assert_ok(cuda->run(device, &plan, RUN_AGAIN, &elapsed_ns, &error));
            assert_ok(cuda->read(device, 1, &sums[i], sizeof sums[i], &error));
            assert_true((sums[i] == 99 * 100 / 2) == !beyond);
        }
        assert_true(!beyond == (sums[0] == sums[1]) && !beyond == (sums[1] == sums[2]));
        assert_ok(cuda->guards_intact(device, &plan, &intact, detail, sizeof detail, &error));
        assert_true(intact);
        assert_true(inputs_intact(&plan));
    }
}

TEST(test_computes_from_awkward_starts)
{
    static const uint32_t offsets[][3] = {{4, 0, 0}, {4, 8, 12}, {100, 256, 4}, {0, 0, 0}};
    const void *inputs[ARGUMENTS_MAX] = {a, b};
    double elapsed_ns = 0;
    int out[1001];
    need_gpu();
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        struct launch_plan plan = add_plan(1001);
        for (size_t j = 0; j < 3; j++)
            plan.arguments[j].offset_bytes = offsets[i][j];
        assert_ok(cuda->load(device, binary, &error));
        assert_ok(cuda->bind(device, &plan, inputs, 3, NULL, &error));
        assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
        (void)time_slot(&plan, 3, L2_COLD, 0, false);
        assert_ok(cuda->read(device, 2, out, sizeof out, &error));
        for (int k = 0; k < 1001; k++)
            assert_int_equal(out[k], a[k] - 3 * b[k]);
    }
}

TEST(test_anchor_is_plausible)
{
    need_gpu();
    for (int i = 0; i < 5; i++) {
        double elapsed_ns = 0;
        assert_ok(cuda->anchor(device, &elapsed_ns, &error));
        print_message("  anchor %.1f ns\n", elapsed_ns);
        assert_true(elapsed_ns > 1e3 && elapsed_ns < 50e6);
    }
}

TEST(test_conditions_are_known)
{
    struct conditions now;
    char text[160];
    need_gpu();
    for (int i = 0; i < 3; i++) {
        int64_t start = clock_now_ns();
        cuda->conditions(device, &now);
        print_message("  read in %.0f us\n", (double)(clock_now_ns() - start) * 1e-3);
    }
    print_message("  SM %.0f MHz, memory %.0f MHz, %.0f C, %.1f W, held back by %s, "
                  "%lld ECC errors, %lld other processes\n",
                  now.sm_clock_mhz, now.memory_clock_mhz, now.temperature_c, now.power_w,
                  throttle_text(now.throttle, text, sizeof text), (long long)now.ecc_errors,
                  (long long)now.other_processes);
    if (!facts_find(&facts, "sm_clock_now_mhz")) {
        assert_true(isnan(now.sm_clock_mhz) && now.throttle == -1);
        return;
    }
    assert_true(now.sm_clock_mhz > 0 && now.memory_clock_mhz > 0);
    assert_true(now.temperature_c > 0 && now.temperature_c < 150);
    assert_true(now.throttle >= 0 && now.throttle < 64);
    assert_true(now.other_processes >= 0);
}

TEST(test_energy_of_a_run)
{
    struct launch_plan plan = add_plan(COUNT);
    const struct block block = {.plan = &plan, .runs = 64, .mode = L2_COLD, .slot = 2};
    const void *inputs[ARGUMENTS_MAX] = {a, b};
    struct energy energy = {0};
    need_gpu();
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, &plan, inputs, 64, NULL, &error));
    enum status status = cuda->measure_energy(device, &block, 300, &energy, &error);
    if (status == STATUS_UNAVAILABLE) {
        print_message("  %s\n", error.text);
        return;
    }
    assert_ok(status);
    print_message("  %.3f J in %.1f ms for %.0f runs, steps of %.3f J: %.3g J a run, %.0f W\n",
                  energy.energy_j, energy.window_ns * 1e-6, energy.runs, energy.resolution_j,
                  energy.energy_j / energy.runs, energy.energy_j / energy.window_ns * 1e9);
    assert_true(energy.window_ns >= 300e6);
    assert_true(energy.energy_j > 0 && energy.runs > 64);
    assert_true(energy.resolution_j > 0 && energy.resolution_j <= energy.energy_j);
}

TEST_MAIN(open_device, close_device)
