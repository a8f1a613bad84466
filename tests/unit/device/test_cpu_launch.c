#include "cpu_test.h"

/* More threads than this machine may have; these are not pinned then. */
enum { THREADS = 6, BLOCKS_MAX = 50000 };

static const char kernels[] =
    "void visit(const struct tune_block *b, void *const *a) {\n"
    "    __atomic_fetch_add((int *)a[0] + b->index, 1, 5); ((int *)a[1])[b->index] = b->thread;\n"
    "    ((int *)a[2])[b->index] = b->threads; ((long long *)a[3])[b->index] = b->count; }\n"
    "void add_up(const struct tune_block *b, void *const *a) {\n"
    "    int sum = 0; for (int i = 0; i < *(const int *)a[1]; i++) sum += ((int *)a[0])[i];\n"
    "    ((int *)a[2])[b->index] = sum; }\n"
    "void nothing(const struct tune_block *b, void *const *a) { (void)b, (void)a; }\n"
    "void scalars(const struct tune_block *b, void *const *a) {\n"
    "    double *out = a[10]; (void)b;\n"
    "    out[0] = *(signed char *)a[0]; out[1] = *(unsigned char *)a[1];\n"
    "    out[2] = *(short *)a[2]; out[3] = *(unsigned short *)a[3];\n"
    "    out[4] = *(int *)a[4]; out[5] = *(unsigned *)a[5];\n"
    "    out[6] = (double)*(long long *)a[6]; out[7] = (double)*(unsigned long long *)a[7];\n"
    "    out[8] = *(float *)a[8]; out[9] = *(double *)a[9];\n"
    "    out[10] = *(unsigned short *)a[11]; out[11] = *(unsigned short *)a[12]; }\n"
    /* a: in, addresses seen, how many runs there were */
    "void address(const struct tune_block *b, void *const *a) {\n"
    "    long long *runs = a[2]; ((void **)a[1])[(*runs)++] = a[0]; (void)b; }\n"
    /* likewise for a struct that points to `in`, 4 bytes behind its start, and to the counters */
    "struct view { int first; const char *in; void **seen; long long *runs; };\n"
    "void viewed(const struct tune_block *b, void *const *a) {\n"
    "    struct view *v = a[0]; v->seen[(*v->runs)++] = (void *)(v->in - v->first); (void)b; }\n";

static struct device *device;
static struct calibration calibration;

static int open_device(void **state)
{
    struct error error = {0};
    char topology[32];
    if (make_folder(state) != 0)
        return -1;
    (void)snprintf(topology, sizeof topology, "core:%d pu:1", THREADS);
    if (setenv("HWLOC_SYNTHETIC", topology, 1) != 0 || setenv("HWLOC_THISSYSTEM", "0", 1) != 0 ||
        device_cpu.open(0, &no_warm_up, &device, &calibration, &error) != STATUS_OK)
        return -1;
    const char *binary = in_folder("kernels.so");
    must_compile(kernels, binary);
    return device_cpu.load(device, binary, &error) == STATUS_OK ? 0 : -1;
}

static int close_device(void **state)
{
    device_cpu.close(device);
    return remove_folder(state);
}

static struct argument vector_of(enum element_type type, enum argument_role role, int64_t count)
{
    return (struct argument){.name = "v", .type = type, .role = role, .count = count};
}

static struct argument scalar_of(enum element_type type, struct value value)
{
    return (struct argument){.name = "s", .type = type, .role = ARGUMENT_SCALAR, .scalar = value};
}

/* Makes a launch of all the plan's arguments in their order. */
static struct launch launch_of(const char *kernel, size_t arguments, uint32_t grid)
{
    struct launch launch = {.kernel = kernel,
                            .grid = {grid, 1, 1},
                            .block = {1, 1, 1},
                            .threads = 1,
                            .argument_count = arguments};
    for (size_t i = 0; i < arguments; i++)
        launch.arguments[i] = (uint8_t)i;
    return launch;
}

static void must(enum status status, const struct error *error)
{
    if (status != STATUS_OK)
        fail_msg("%s", error->text);
}

static void bind(const struct launch_plan *plan, const void *const *inputs, uint32_t copies)
{
    struct error error = {0};
    must(device_cpu.bind(device, plan, inputs, copies, NULL, &error), &error);
}

static double run(const struct launch_plan *plan)
{
    struct error error = {0};
    double elapsed_ns = -1;
    must(device_cpu.run(device, plan, RUN_FIRST, &elapsed_ns, &error), &error);
    return elapsed_ns;
}

static void read_back(size_t index, void *out, size_t bytes)
{
    struct error error = {0};
    const void *seen = NULL;
    must(device_cpu.read(device, index, out, bytes, &error), &error);
    must(device_cpu.look(device, index, &seen, bytes, &error), &error);
    assert_memory_equal(out, seen, bytes);
}

static const void *const no_inputs[ARGUMENTS_MAX];

/* Makes a plan whose kernel writes: visits, thread, number of threads, number of blocks; then the
 * sum over all visits. */
static struct launch_plan visiting_plan(uint32_t x, uint32_t y, uint32_t threads,
                                        enum schedule schedule)
{
    int blocks = (int)(x * y);
    struct launch_plan plan = {.launch_count = 2, .argument_count = 6};
    for (size_t i = 0; i < 4; i++)
        plan.arguments[i] = vector_of(i == 3 ? ELEMENT_I64 : ELEMENT_I32, ARGUMENT_SCRATCH, blocks);
    plan.arguments[4] = scalar_of(ELEMENT_I32, value_integer(blocks));
    plan.arguments[5] = vector_of(ELEMENT_I32, ARGUMENT_OUTPUT, 1);
    plan.launches[0] = launch_of("visit", 4, x);
    plan.launches[0].grid[1] = y;
    plan.launches[0].threads = threads;
    plan.launches[0].schedule = schedule;
    plan.launches[1] = launch_of("add_up", 3, 1);
    plan.launches[1].arguments[0] = 0;
    plan.launches[1].arguments[1] = 4;
    plan.launches[1].arguments[2] = 5;
    return plan;
}

static void check_visits(uint32_t x, uint32_t y, uint32_t threads, enum schedule schedule)
{
    static int visits[BLOCKS_MAX], who[BLOCKS_MAX], of[BLOCKS_MAX];
    static long long counts[BLOCKS_MAX];
    struct launch_plan plan = visiting_plan(x, y, threads, schedule);
    size_t blocks = (size_t)x * y;
    int sum = 0, share[THREADS] = {0};
    bind(&plan, no_inputs, 1);
    assert_true(run(&plan) >= 0);
    read_back(0, visits, blocks * sizeof visits[0]);
    read_back(1, who, blocks * sizeof who[0]);
    read_back(2, of, blocks * sizeof of[0]);
    read_back(3, counts, blocks * sizeof counts[0]);
    read_back(5, &sum, sizeof sum);
    for (size_t i = 0; i < blocks; i++) {
        assert_int_equal(visits[i], 1);
        assert_int_equal(of[i], threads);
        assert_int_equal(counts[i], blocks);
        assert_in_range(who[i], 0, threads - 1);
        if (schedule == SCHEDULE_STATIC && i > 0)
            assert_true(who[i] == who[i - 1] || who[i] > who[i - 1]);
        share[who[i]]++;
    }
    for (uint32_t t = 0; schedule == SCHEDULE_STATIC && t < threads; t++)
        assert_in_range(share[t], blocks / threads, (blocks + threads - 1) / threads);
    /* The second launch saw all of the first. */
    assert_int_equal(sum, blocks);
}

TEST(every_block_runs_once_and_launches_follow_one_another)
{
    static const uint32_t grids[][2] = {{1, 1}, {2, 1}, {5, 1}, {7, 11}, {200, 250}};
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++)
        for (uint32_t threads = 1; threads <= THREADS; threads++) {
            check_visits(grids[g][0], grids[g][1], threads, SCHEDULE_STATIC);
            check_visits(grids[g][0], grids[g][1], threads, SCHEDULE_QUEUED);
        }
}

static void check_refused(const struct launch_plan *plan, const char *word)
{
    struct error error = {0};
    double elapsed_ns = 0;
    bind(plan, no_inputs, 1);
    assert_int_equal(device_cpu.run(device, plan, RUN_FIRST, &elapsed_ns, &error),
                     STATUS_LAUNCH_FAILED);
    assert_non_null(strstr(error.text, word));
    const struct block block = {.plan = plan, .runs = 1, .mode = L2_HOT};
    assert_int_equal(device_cpu.time_block(device, &block, &elapsed_ns, &error),
                     STATUS_LAUNCH_FAILED);
}

TEST(what_cannot_be_launched_is_refused)
{
    struct launch_plan plan = visiting_plan(4, 1, THREADS + 1, SCHEDULE_STATIC);
    check_refused(&plan, "7 threads");
    plan = visiting_plan(4, 1, 1, SCHEDULE_STATIC);
    plan.launches[1].kernel = "no_such_kernel";
    check_refused(&plan, "no_such_kernel");
    plan.launches[1].kernel = "add_up";
    plan.launches[0].grid[0] = plan.launches[0].grid[1] = plan.launches[0].grid[2] = UINT32_MAX;
    check_refused(&plan, "visit");
    plan = visiting_plan(4, 1, 1, SCHEDULE_STATIC);
    assert_true(run(&plan) >= 0);
}

TEST(outputs_are_poisoned_and_scratch_is_zeroed)
{
    unsigned char output[5000], scratch[5000];
    struct launch_plan plan = {.launch_count = 1, .argument_count = 2};
    plan.arguments[0] = vector_of(ELEMENT_U8, ARGUMENT_OUTPUT, sizeof output);
    plan.arguments[1] = vector_of(ELEMENT_U8, ARGUMENT_SCRATCH, sizeof scratch);
    plan.launches[0] = launch_of("nothing", 2, 1);
    bind(&plan, no_inputs, 1);
    for (int round = 0; round < 2; round++) {
        (void)run(&plan);
        read_back(0, output, sizeof output);
        read_back(1, scratch, sizeof scratch);
        for (size_t i = 0; i < sizeof output; i++) {
            assert_int_equal(output[i], 0xa5);
            assert_int_equal(scratch[i], 0);
        }
    }
}

TEST(scalars_arrive_in_their_types)
{
    /* the last two: 1.5 as f16 and as bf16, in bits */
    static const double expected[] = {-1, 255, -300, 65535, -70000, 4294967295.0,
                                      -5, 6,   0.5,  0.25,  0x3e00, 0x3fc0};
    double got[12];
    struct launch_plan plan = {.launch_count = 1, .argument_count = 13};
    for (size_t i = 0; i < 8; i++)
        plan.arguments[i] = scalar_of((enum element_type)i, value_integer((int64_t)expected[i]));
    plan.arguments[8] = scalar_of(ELEMENT_F32, value_real(expected[8]));
    plan.arguments[9] = scalar_of(ELEMENT_F64, value_real(expected[9]));
    plan.arguments[10] = vector_of(ELEMENT_F64, ARGUMENT_OUTPUT, 12);
    plan.arguments[11] = scalar_of(ELEMENT_F16, value_real(1.5));
    plan.arguments[12] = scalar_of(ELEMENT_BF16, value_real(1.5));
    plan.launches[0] = launch_of("scalars", 13, 1);
    bind(&plan, no_inputs, 1);
    (void)run(&plan);
    read_back(10, got, sizeof got);
    for (size_t i = 0; i < 12; i++)
        assert_true(got[i] == expected[i]);
}

static struct launch_plan address_plan(int64_t count)
{
    struct launch_plan plan = {.launch_count = 1, .argument_count = 3};
    plan.arguments[0] = vector_of(ELEMENT_F32, ARGUMENT_INPUT, count);
    plan.arguments[1] = vector_of(ELEMENT_U64, ARGUMENT_SCRATCH, 64);
    plan.arguments[2] = vector_of(ELEMENT_I64, ARGUMENT_SCRATCH, 1);
    plan.launches[0] = launch_of("address", 3, 1);
    return plan;
}

/* Times one block in a new slot, so that the scratch is zeroed before, and returns the addresses of
 * its input. */
static long long addresses_seen(const struct launch_plan *plan, uint32_t runs, enum l2_mode mode,
                                uint64_t addresses[64])
{
    struct error error = {0};
    double elapsed_ns = 0;
    long long count = 0;
    const struct block block = {.plan = plan, .runs = runs, .mode = mode};
    must(device_cpu.time_block(device, &block, &elapsed_ns, &error), &error);
    assert_true(elapsed_ns > 0);
    read_back(1, addresses, 64 * sizeof addresses[0]);
    read_back(2, &count, sizeof count);
    for (long long i = 0; i < count; i++)
        assert_int_equal(addresses[i] % 64, 0);
    return count;
}

TEST(cold_blocks_take_another_copy_each_run)
{
    static float input[3000];
    const void *inputs[ARGUMENTS_MAX] = {input};
    uint64_t addresses[64];
    struct launch_plan plan = address_plan(3000);
    bind(&plan, inputs, 8);
    assert_int_equal(addresses_seen(&plan, 8, L2_COLD, addresses), 8);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++)
            assert_true(addresses[i] != addresses[j]);
}

TEST(structs_point_to_the_copy_of_each_run)
{
    static float input[3000];
    const struct field fields[] = {{ELEMENT_I32, value_integer(4), 0},
                                   {ELEMENT_U64, value_integer(4), 1},
                                   {ELEMENT_U64, value_integer(0), 2},
                                   {ELEMENT_U64, value_integer(0), 3}};
    const void *inputs[ARGUMENTS_MAX] = {input};
    uint64_t addresses[64];
    struct launch_plan plan = address_plan(3000);
    plan.arguments[plan.argument_count++] = (struct argument){
        .name = "view", .role = ARGUMENT_STRUCT, .field_count = 4, .fields = fields};
    plan.launches[0] = launch_of("viewed", 1, 1);
    plan.launches[0].arguments[0] = 3;
    bind(&plan, inputs, 8);
    assert_int_equal(addresses_seen(&plan, 8, L2_COLD, addresses), 8);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++)
            assert_true(addresses[i] != addresses[j]);
}

TEST(hot_blocks_run_twice_before_on_the_same_copy)
{
    static float input[3000];
    const void *inputs[ARGUMENTS_MAX] = {input};
    uint64_t addresses[64];
    struct launch_plan plan = address_plan(3000);
    bind(&plan, inputs, 4);
    assert_int_equal(addresses_seen(&plan, 5, L2_HOT, addresses), 2 + 5);
    for (int i = 1; i < 7; i++)
        assert_int_equal(addresses[i], addresses[0]);
}

static void check_input(size_t bytes, const void *expected)
{
    static float got[20000];
    read_back(0, got, bytes);
    assert_memory_equal(got, expected, bytes);
}

TEST(inputs_are_uploaded_when_they_change)
{
    static float first[20000], second[20000];
    const void *inputs[ARGUMENTS_MAX] = {first};
    uint64_t addresses[64];
    for (size_t i = 0; i < 20000; i++) {
        first[i] = (float)i;
        second[i] = (float)i + 0.5F;
    }
    struct launch_plan small = address_plan(100), large = address_plan(20000);
    bind(&small, inputs, 1);
    check_input(100 * sizeof(float), first);
    bind(&large, inputs, 3);
    check_input(sizeof first, first);
    bind(&small, inputs, 5);
    check_input(100 * sizeof(float), first);
    assert_int_equal(addresses_seen(&small, 5, L2_COLD, addresses), 5);
    inputs[0] = second;
    bind(&large, inputs, 1);
    check_input(sizeof second, second);
}

/* Memory that is freed and allocated again may have the same address. */
TEST(other_contents_at_the_same_address_are_uploaded)
{
    static float values[1000];
    const void *inputs[ARGUMENTS_MAX] = {values};
    struct launch_plan plans[4] = {address_plan(1000), address_plan(1000), address_plan(1000),
                                   address_plan(1000)};
    plans[1].arguments[0].type = ELEMENT_I32;
    plans[2].arguments[0].seed = 7;
    plans[3].arguments[0].fill = FILL_RANDOM;
    for (size_t i = 0; i < 8; i++) {
        values[0] = (float)i + 1;
        bind(&plans[i % 4], inputs, 1);
        check_input(sizeof values, values);
    }
}

TEST(an_empty_input_has_an_address)
{
    static float input[1];
    const void *inputs[ARGUMENTS_MAX] = {input};
    uint64_t addresses[64];
    struct launch_plan plan = address_plan(0);
    bind(&plan, inputs, 2);
    assert_int_equal(addresses_seen(&plan, 2, L2_COLD, addresses), 2);
    assert_true(addresses[0] != 0);
}

TEST(reading_past_an_argument_is_refused)
{
    struct error error = {0};
    char byte[9];
    const void *seen = NULL;
    struct launch_plan plan = visiting_plan(1, 1, 1, SCHEDULE_STATIC);
    struct launch_plan fresh = {.launch_count = 1, .argument_count = 1};
    fresh.arguments[0] = vector_of(ELEMENT_U8, ARGUMENT_OUTPUT, 1);
    bind(&plan, no_inputs, 1);
    assert_int_equal(device_cpu.read(device, 4, byte, 1, &error), STATUS_INTERNAL);
    assert_int_equal(device_cpu.read(device, 6, byte, 1, &error), STATUS_INTERNAL);
    assert_int_equal(device_cpu.look(device, 6, &seen, 1, &error), STATUS_INTERNAL);
    assert_int_equal(device_cpu.read(device, 0, byte, SIZE_MAX, &error), STATUS_INTERNAL);
    double elapsed_ns = 0;
    assert_int_equal(device_cpu.run(device, &fresh, RUN_FIRST, &elapsed_ns, &error),
                     STATUS_INTERNAL);
}

TEST(binaries_are_kept_apart)
{
    struct error error = {0};
    int out = 0;
    char one[256], two[256];
    (void)snprintf(one, sizeof one, "%s", in_folder("one.so"));
    (void)snprintf(two, sizeof two, "%s", in_folder("two.so"));
    must_compile("void k(const struct tune_block *b, void *const *a) { *(int *)a[b->index] = 1; }",
                 one);
    must_compile("void k(const struct tune_block *b, void *const *a) { *(int *)a[b->index] = 2; }",
                 two);
    struct launch_plan plan = {.launch_count = 1, .argument_count = 1};
    plan.arguments[0] = vector_of(ELEMENT_I32, ARGUMENT_OUTPUT, 1);
    plan.launches[0] = launch_of("k", 1, 1);
    bind(&plan, no_inputs, 1);
    for (int round = 0; round < 4; round++) {
        must(device_cpu.load(device, round % 2 ? two : one, &error), &error);
        (void)run(&plan);
        read_back(0, &out, sizeof out);
        assert_int_equal(out, 1 + round % 2);
    }
    assert_int_equal(device_cpu.load(device, "/nowhere/k.so", &error), STATUS_LAUNCH_FAILED);
    assert_non_null(strstr(error.text, "/nowhere/k.so"));
    must(device_cpu.load(device, in_folder("kernels.so"), &error), &error);
}

TEST(timer_is_calibrated_and_ceilings_are_measured)
{
    struct bandwidth bandwidth = {0};
    struct error error = {0};
    assert_true(calibration.tick_ns > 0);
    assert_true(calibration.empty_pair_ns >= 0);
    assert_true(calibration.node_gap_ns > 0);
    must(device_cpu.ceilings(device, 1 << 20, &bandwidth, NULL, &error), &error);
    assert_int_equal(bandwidth.bytes, 1 << 20);
    assert_true(bandwidth.copy_gbs > 0 && bandwidth.read_gbs > 0 && bandwidth.write_gbs > 0);
    assert_true(bandwidth.copy_way[0] && bandwidth.read_way[0] && bandwidth.write_way[0]);
    assert_true(bandwidth.host_to_device_gbs == 0 && bandwidth.device_to_host_gbs == 0);
    assert_int_equal(device_cpu.ceilings(device, 63, &bandwidth, NULL, &error), STATUS_BAD_INPUT);
}

/* All vectors, on all cores: none is so slow that a vector of it would be useless. */
TEST(arithmetic_is_measured)
{
    struct arithmetic got;
    struct error error = {0};
    must(device_cpu.ceilings(device, 0, NULL, &got, &error), &error);
    for (int i = 0; i < ELEMENT_TYPE_COUNT; i++) {
        bool wanted = i == ELEMENT_F32 || i == ELEMENT_F64 || i == ELEMENT_I32 || i == ELEMENT_I64;
        if (i != ELEMENT_F16)
            assert_int_equal(got.gops[i] > 0, wanted);
    }
    assert_true(got.gops[ELEMENT_F32] > 1 && got.gops[ELEMENT_F32] < 1e6);
    /* Ceilings can be measured again, and leave no files. */
    must(device_cpu.ceilings(device, 0, NULL, &got, &error), &error);
    assert_true(got.gops[ELEMENT_I64] > 0);
    must(device_cpu.load(device, in_folder("kernels.so"), &error), &error);
}

TEST(there_is_no_second_cpu)
{
    struct error error = {0};
    struct device *other = NULL;
    assert_int_equal(device_cpu.open(1, &no_warm_up, &other, NULL, &error), STATUS_NOT_FOUND);
    assert_null(other);
}

int main(void)
{
    (void)unsetenv("CC");
    return run_suite(open_device, close_device);
}
