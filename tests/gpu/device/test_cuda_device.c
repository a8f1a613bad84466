/* The CUDA device on a GPU: results of a plan, and timings. Skipped without a GPU. */
#include "tests/gpu/device/cuda_fixture.h"
#include "tuner/base/clock.h"

TEST(test_facts_are_those_of_a_gpu)
{
    need_gpu();
    for (size_t i = 0; i < facts.count; i++) {
        char value[VALUE_TEXT_BYTES] = "";
        const struct fact *fact = &facts.items[i];
        (void)value_format(fact->value, value, sizeof value);
        print_message("  %-32s %s\n", fact->key,
                      fact->value.kind == VALUE_TEXT ? fact->value.text : value);
    }
    static const char *const keys[] = {
        "kind",
        "index",
        "name",
        "uuid",
        "driver",
        "compiler",
        "sm_count",
        "architecture",
        "compute_capability",
        "warp_size",
        "memory_bytes",
        "max_threads_per_block",
        "l2_bytes",
        "pci_address",
        "max_threads_per_sm",
        "registers_per_sm",
        "max_blocks_per_sm",
        "shared_bytes_per_block",
        "shared_bytes_per_sm",
        "shared_bytes_per_block_optin",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!facts_find(&facts, keys[i]))
            fail_msg("no fact '%s'", keys[i]);
    assert_int_equal(facts_integer(&facts, "warp_size", 0), 32);
    assert_true(facts_integer(&facts, "memory_bytes", 0) > 1 << 28);
}

TEST(test_calibration_is_plausible)
{
    need_gpu();
    print_message("  tick %.1f ns, empty pair %.1f ns, each further node %.1f ns\n",
                  calibration.tick_ns, calibration.empty_pair_ns, calibration.node_gap_ns);
    assert_true(calibration.tick_ns >= 0.5 && calibration.tick_ns < 5000);
    assert_true(calibration.empty_pair_ns >= 0 && calibration.empty_pair_ns < 50000);
    assert_true(calibration.node_gap_ns > 0 && calibration.node_gap_ns < 50000);
}

TEST(test_computes)
{
    need_gpu();
    check_add(COUNT);
    check_add(1);
    check_add(1000);
    check_add(COUNT);
}

TEST(test_two_launches_and_scratch)
{
    struct launch_plan plan = sum_plan(COUNT);
    const void *inputs[ARGUMENTS_MAX] = {a};
    double elapsed_ns = 0;
    int out = 0;
    need_gpu();
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, &plan, inputs, 4, NULL, &error));
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    assert_ok(cuda->read(device, 2, &out, sizeof out, &error));
    assert_int_equal(out, sum_of_a());
    (void)time_slot(&plan, 4, L2_COLD, 0, false);
    assert_ok(cuda->read(device, 2, &out, sizeof out, &error));
    assert_int_equal(out, sum_of_a());
}

/* Elements that a kernel does not write stay poisoned: an output of the last run must not pass for
 * one of this run. */
TEST(test_poisons_outputs)
{
    struct launch_plan plan = add_plan(1000);
    const void *inputs[ARGUMENTS_MAX] = {a, b};
    double elapsed_ns = 0;
    int out[1000];
    need_gpu();
    check_add(1000);
    plan.arguments[4].scalar = value_integer(999);
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    assert_ok(cuda->read(device, 2, out, sizeof out, &error));
    assert_int_equal(out[998], a[998] - 3 * b[998]);
    assert_int_equal((unsigned)out[999], 0xa5a5a5a5u);
}

/* Judged by the device's own clock: a run takes at least the time that its kernel waits. */
TEST(test_times_what_the_kernel_takes)
{
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "wait_ns",
                      .grid = {1, 1, 1},
                      .block = {1, 1, 1},
                      .argument_count = 1,
                      .arguments = {0}}},
        .argument_count = 1,
        .arguments = {scalar("wanted", ELEMENT_U64, 50000)},
    };
    const void *inputs[ARGUMENTS_MAX] = {NULL};
    need_gpu();
    load_others("wait_ns");
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    for (int i = 0; i < 3; i++) {
        double elapsed_ns = time_slot(&plan, 10, L2_COLD, 0, i > 0);
        print_message("  waits 50000 ns: %.1f ns\n", elapsed_ns);
        assert_true(elapsed_ns > 48000 && elapsed_ns < 200000);
    }
}

TEST(test_hot_is_not_slower_than_cold)
{
    struct launch_plan plan = add_plan(COUNT);
    const void *inputs[ARGUMENTS_MAX] = {a, b};
    double best[2] = {1e30, 1e30};
    need_gpu();
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, &plan, inputs, 16, NULL, &error));
    for (int mode = 0; mode < 2; mode++) {
        for (int i = 0; i < 9; i++) {
            double elapsed_ns = time_slot(&plan, 16, mode ? L2_HOT : L2_COLD, 0, i > 0);
            best[mode] = elapsed_ns < best[mode] ? elapsed_ns : best[mode];
        }
    }
    print_message("  add of %d: cold %.1f ns, hot %.1f ns\n", COUNT, best[0], best[1]);
    assert_true(best[1] <= 1.05 * best[0]); /* alike, where no cache matters */
}

TEST(test_tells_resources)
{
    struct kernel_resources resources;
    need_gpu();
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->resources(device, &(struct launch){.kernel = "sum<int>", .block = {256, 1, 1}},
                              &resources, &error));
    assert_true(resources.registers > 0 && resources.registers <= 255);
    assert_int_equal(resources.static_shared_bytes, 1024);
    assert_int_equal(resources.spill_bytes, 0);
    assert_true(resources.active_blocks_per_sm >= 1);
    assert_true(resources.occupancy > 0 && resources.occupancy <= 1);
    assert_true(resources.suggested_block >= 32 && resources.suggested_grid >= 1);
    assert_ok(cuda->resources(device,
                              &(struct launch){.kernel = "sum<int>", .block = {100000, 1, 1}},
                              &resources, &error));
    assert_int_equal(resources.active_blocks_per_sm, 0);
    assert_is(cuda->resources(device, &(struct launch){.kernel = "no_such", .block = {256, 1, 1}},
                              &resources, &error),
              STATUS_NOT_FOUND);
}

TEST(test_bandwidth_is_plausible)
{
    struct bandwidth bandwidth;
    need_gpu();
    assert_ok(cuda->ceilings(device, 256 << 20, &bandwidth, NULL, &error));
    print_message(
        "  GB/s: to device %.1f, to host %.1f, copy %.1f (%s), read %.1f (%s), write %.1f "
        "(%s)\n",
        bandwidth.host_to_device_gbs, bandwidth.device_to_host_gbs, bandwidth.copy_gbs,
        bandwidth.copy_way, bandwidth.read_gbs, bandwidth.read_way, bandwidth.write_gbs,
        bandwidth.write_way);
    assert_int_equal(bandwidth.bytes, 256 << 20);
    assert_true(bandwidth.host_to_device_gbs > 0 && bandwidth.device_to_host_gbs > 0);
    assert_true(bandwidth.read_gbs > bandwidth.host_to_device_gbs);
    assert_true(bandwidth.copy_gbs > 0 && bandwidth.write_gbs > 0);
    assert_true(bandwidth.copy_way[0] && bandwidth.read_way[0] && bandwidth.write_way[0]);
    check_add(COUNT);
}

/* Buffers as large as a real run's, many times the caches: the search for the best method ends in
 * time, and no ceiling exceeds the memory's peak bandwidth. */
TEST(test_ceilings_are_searched_for_in_time)
{
    struct bandwidth bandwidth;
    double pins_gbs = 0;
    need_gpu();
    const struct fact *pins = facts_find(&facts, "memory_pin_gbs");
    int64_t started_ns = clock_now_ns();
    assert_ok(cuda->ceilings(device, 0, &bandwidth, NULL, &error));
    double elapsed_s = (double)(clock_now_ns() - started_ns) * 1e-9;
    print_message("  buffers of %.2f GiB, %.1f s; GB/s: read %.1f (%s), write %.1f (%s), copy %.1f "
                  "(%s)\n",
                  (double)bandwidth.bytes / (1 << 30), elapsed_s, bandwidth.read_gbs,
                  bandwidth.read_way, bandwidth.write_gbs, bandwidth.write_way, bandwidth.copy_gbs,
                  bandwidth.copy_way);
    assert_true(elapsed_s < 30);
    if (pins && value_number(pins->value, &pins_gbs) && pins_gbs > 0) {
        assert_true(bandwidth.read_gbs < 1.02 * pins_gbs);
        assert_true(bandwidth.write_gbs < 1.02 * pins_gbs);
        assert_true(bandwidth.copy_gbs < 1.02 * pins_gbs);
    }
    check_add(COUNT);
}

/* Rates per SM and cycle are the architecture's; clocks may exceed the driver's peak. */
TEST(test_arithmetic_is_plausible)
{
    struct arithmetic got;
    need_gpu();
    const struct fact *clock = facts_find(&facts, "sm_clock_peak_mhz");
    assert_non_null(clock);
    double cycles = (double)facts_integer(&facts, "sm_count", 0) * 1.1e-3 * clock->value.real;
    assert_ok(cuda->ceilings(device, 0, NULL, &got, &error));
    print_message("  10^9 operations/s: f16 %.0f, f32 %.0f, f64 %.0f, i32 %.0f, i64 %.0f\n",
                  got.gops[ELEMENT_F16], got.gops[ELEMENT_F32], got.gops[ELEMENT_F64],
                  got.gops[ELEMENT_I32], got.gops[ELEMENT_I64]);
    /* 128 fused ones at most, of halves two at once; half of the device is seen to work. */
    assert_true(got.gops[ELEMENT_F32] > 64 * cycles / 2 && got.gops[ELEMENT_F32] < 256 * cycles);
    assert_true(got.gops[ELEMENT_F16] > 0 && got.gops[ELEMENT_F16] < 512 * cycles);
    assert_true(got.gops[ELEMENT_F64] > 0 && got.gops[ELEMENT_F64] < 1.1 * got.gops[ELEMENT_F32]);
    assert_true(got.gops[ELEMENT_F32] > got.gops[ELEMENT_F64] / 3);
    assert_true(got.gops[ELEMENT_I32] > got.gops[ELEMENT_F32] / 8);
    assert_true(got.gops[ELEMENT_I64] > 0 && got.gops[ELEMENT_I64] < 1.1 * got.gops[ELEMENT_I32]);
    assert_true(got.gops[ELEMENT_I32] < 256 * cycles);
    assert_true(got.gops[ELEMENT_U32] == 0 && got.gops[ELEMENT_BF16] == 0);
    check_add(COUNT);
}

TEST_MAIN(open_device, close_device)
