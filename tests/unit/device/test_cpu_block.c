/* Memory, slots and modes of timed blocks, on an invented machine of two nodes. */
#include "cpu_test.h"

#include <fcntl.h>
#include <math.h>

#include "tuner/device/cpu/device.h"

enum { L3_BYTES = 1 << 16, COUNT = 20000 };

static const char kernels[] =
    "#include <stdio.h>\n"
    "#include <unistd.h>\n"
    "void nothing(const struct tune_block *b, void *const *a) { (void)b, (void)a; }\n"
    "void poke(const struct tune_block *b, void *const *a) {\n"
    "    (void)b; ((char *)a[0])[*(const int *)a[1]] ^= 1; }\n"
    "void copy(const struct tune_block *b, void *const *a) {\n"
    "    int i = *(const int *)a[2]; (void)b; ((int *)a[1])[i] = ((const int *)a[0])[i]; }\n"
    "void count(const struct tune_block *b, void *const *a) {\n"
    "    int *out = a[1]; (void)b; out[0] = ++*(int *)a[0]; if (out[0] == 1) out[1] = 7; }\n"
    "void address(const struct tune_block *b, void *const *a) {\n"
    "    long long *runs = a[2]; ((void **)a[1])[(*runs)++] = a[0]; (void)b; }\n"
    /* Spends a millijoule, so that timed work moves the counter. */
    "void burn(const struct tune_block *b, void *const *a) {\n"
    "    static long long spent_uj; char text[32]; (void)b; spent_uj += 1000;\n"
    "    int length = snprintf(text, sizeof text, \"%12lld\\n\", spent_uj);\n"
    "    (void)!pwrite(*(const int *)a[0], text, (unsigned long)length, 0); }\n";

static struct device *device;
static const void *const no_inputs[ARGUMENTS_MAX];

static int open_device(void **state)
{
    struct error error = {0};
    char topology[64];
    (void)snprintf(topology, sizeof topology, "pack:2 [numa] l3:1(size=%d) core:2 pu:1", L3_BYTES);
    if (make_folder(state) != 0 || setenv("HWLOC_SYNTHETIC", topology, 1) != 0 ||
        setenv("HWLOC_THISSYSTEM", "0", 1) != 0 ||
        device_cpu.open(0, &no_warm_up, &device, NULL, &error) != STATUS_OK)
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

static void must(enum status status, const struct error *error)
{
    if (status != STATUS_OK)
        fail_msg("%s", error->text);
}

static struct argument vector_of(const char *name, enum element_type type, enum argument_role role,
                                 int64_t count)
{
    return (struct argument){.name = name, .type = type, .role = role, .count = count};
}

static struct argument integer_of(int64_t value)
{
    return (struct argument){
        .name = "i", .type = ELEMENT_I32, .role = ARGUMENT_SCALAR, .scalar = value_integer(value)};
}

/* Makes a plan of one launch of one block, of all arguments. */
static struct launch_plan plan_of(const char *kernel, size_t arguments)
{
    struct launch_plan plan = {.launch_count = 1, .argument_count = arguments};
    plan.launches[0] = (struct launch){.kernel = kernel,
                                       .grid = {1, 1, 1},
                                       .block = {1, 1, 1},
                                       .threads = 1,
                                       .argument_count = arguments};
    for (size_t i = 0; i < arguments; i++)
        plan.launches[0].arguments[i] = (uint8_t)i;
    return plan;
}

static void bind(const struct launch_plan *plan, const void *const *inputs, uint32_t copies)
{
    struct error error = {0};
    must(device_cpu.bind(device, plan, inputs, copies, NULL, &error), &error);
}

static void run(const struct launch_plan *plan)
{
    struct error error = {0};
    double elapsed_ns = -1;
    must(device_cpu.run(device, plan, RUN_FIRST, &elapsed_ns, &error), &error);
    assert_true(elapsed_ns >= 0);
}

static void time_block(const struct launch_plan *plan, uint32_t runs, enum l2_mode mode,
                       uint32_t slot, bool prepared)
{
    struct error error = {0};
    double elapsed_ns = -1;
    const struct block block = {
        .plan = plan, .runs = runs, .mode = mode, .slot = slot, .prepared = prepared};
    must(device_cpu.time_block(device, &block, &elapsed_ns, &error), &error);
    assert_true(elapsed_ns > 0);
}

static void read_back(size_t index, void *out, size_t bytes)
{
    struct error error = {0};
    must(device_cpu.read(device, index, out, bytes, &error), &error);
}

/* ---- guard bands ---- */

static bool pokes_seen(enum argument_role role, int64_t count, uint32_t offset, int64_t at,
                       char *detail)
{
    struct error error = {0};
    bool intact = false;
    struct launch_plan plan = plan_of("poke", 2);
    plan.arguments[0] = vector_of("victim", ELEMENT_U8, role, count);
    plan.arguments[0].offset_bytes = offset;
    plan.arguments[1] = integer_of(at);
    bind(&plan, no_inputs, 1);
    run(&plan);
    detail[0] = '\0';
    must(device_cpu.guards_intact(device, &plan, &intact, detail, 200, &error), &error);
    return !intact;
}

TEST(writes_past_the_ends_are_seen)
{
    static const int64_t counts[] = {1, 100, 4096, 70000};
    static const uint32_t offsets[] = {0, 4, 252};
    char detail[200];
    for (size_t c = 0; c < 4; c++)
        for (size_t o = 0; o < 3; o++)
            for (int r = 0; r < 2; r++) {
                enum argument_role role = r ? ARGUMENT_OUTPUT : ARGUMENT_SCRATCH;
                int64_t n = counts[c];
                uint32_t offset = offsets[o];
                assert_false(pokes_seen(role, n, offset, 0, detail));
                assert_false(pokes_seen(role, n, offset, n - 1, detail));
                assert_string_equal(detail, "");
                assert_true(pokes_seen(role, n, offset, n, detail));
                assert_non_null(strstr(detail, r ? "output 'victim'" : "scratch 'victim'"));
                assert_non_null(strstr(detail, "byte 1 behind"));
                assert_true(pokes_seen(role, n, offset, n + GUARD_BYTES - 1, detail));
                assert_true(pokes_seen(role, n, offset, -1, detail));
                assert_non_null(strstr(detail, "byte 1 before"));
                assert_true(pokes_seen(role, n, offset, -GUARD_BYTES, detail));
                /* The next run writes them again. */
                assert_false(pokes_seen(role, n, offset, 0, detail));
            }
}

/* Elements behind one vector, copied to those behind another. */
TEST(guards_are_not_alike)
{
    struct error error = {0};
    char detail[200] = "";
    bool intact = true;
    struct launch_plan plan = plan_of("copy", 3);
    plan.arguments[0] = vector_of("from", ELEMENT_I32, ARGUMENT_OUTPUT, 100);
    plan.arguments[1] = vector_of("to", ELEMENT_I32, ARGUMENT_OUTPUT, 100);
    plan.arguments[2] = integer_of(100);
    bind(&plan, no_inputs, 1);
    run(&plan);
    must(device_cpu.guards_intact(device, &plan, &intact, detail, sizeof detail, &error), &error);
    assert_non_null(strstr(detail, "'to'"));
}

/* A shorter plan in memory that a longer one had: the band lies behind the shorter one's end. */
TEST(bands_follow_the_plan_that_is_bound)
{
    char detail[200];
    assert_false(pokes_seen(ARGUMENT_OUTPUT, 70000, 0, 0, detail));
    assert_true(pokes_seen(ARGUMENT_OUTPUT, 50, 0, 50, detail));
}

/* ---- runs and slots ---- */

static struct launch_plan counting_plan(uint32_t threads)
{
    struct launch_plan plan = plan_of("count", 2);
    plan.arguments[0] = vector_of("state", ELEMENT_I32, ARGUMENT_SCRATCH, 2000);
    plan.arguments[1] = vector_of("out", ELEMENT_I32, ARGUMENT_OUTPUT, 2);
    plan.launches[0].threads = threads;
    return plan;
}

TEST(a_second_run_finds_the_scratch_as_it_was_left)
{
    struct error error = {0};
    int out[2];
    double elapsed_ns = 0;
    struct launch_plan plan = counting_plan(1);
    bind(&plan, no_inputs, 1);
    for (int round = 0; round < 2; round++) {
        run(&plan);
        for (int again = 1; again < 4; again++) {
            read_back(1, out, sizeof out);
            assert_int_equal(out[0], again);
            assert_int_equal((unsigned)out[1], again == 1 ? 7 : 0xa5a5a5a5U);
            must(device_cpu.run(device, &plan, RUN_AGAIN, &elapsed_ns, &error), &error);
        }
    }
}

static int counted(const struct launch_plan *plan, uint32_t slot, bool prepared)
{
    int state = 0;
    time_block(plan, 3, L2_COLD, slot, prepared);
    read_back(0, &state, sizeof state);
    return state;
}

TEST(scratch_is_zeroed_when_another_slot_was_timed)
{
    struct launch_plan plan = counting_plan(1);
    bind(&plan, no_inputs, 1);
    device_cpu.drop_slots(device);
    assert_int_equal(counted(&plan, 7, false), 3);
    assert_int_equal(counted(&plan, 7, true), 6);
    assert_int_equal(counted(&plan, 8, false), 3);
    assert_int_equal(counted(&plan, 7, true), 3);
    assert_int_equal(counted(&plan, 7, true), 6);
    assert_int_equal(counted(&plan, 7, false), 3); /* another plan, in the same slot */
    run(&plan);
    assert_int_equal(counted(&plan, 7, true), 3);
    device_cpu.drop_slots(device);
    assert_int_equal(counted(&plan, 7, true), 3);
}

/* ---- inputs: offsets, layouts, streaming ---- */

static float *numbers(int64_t count)
{
    static float input[COUNT * 16];
    for (int64_t i = 0; i < count; i++)
        input[i] = (float)i + 0.5F;
    return input;
}

static void check_copies(const struct launch_plan *plan, size_t copies)
{
    const struct vector *vector = device->shelves[0].bound;
    size_t bytes = argument_bytes(&plan->arguments[0]);
    assert_int_equal(vector->count, copies);
    for (uint32_t i = 0; i < vector->count; i++) {
        assert_memory_equal(vector_data(vector, i), numbers(0), bytes);
        assert_int_equal((uintptr_t)vector_data(vector, i) % 4096, plan->arguments[0].offset_bytes);
    }
}

TEST(every_copy_starts_at_its_offset)
{
    static const uint32_t offsets[] = {0, 4, 8, 124, 4, 0};
    const void *inputs[ARGUMENTS_MAX] = {numbers(COUNT)};
    struct launch_plan plan = plan_of("nothing", 1);
    plan.arguments[0] = vector_of("in", ELEMENT_F32, ARGUMENT_INPUT, COUNT);
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        plan.arguments[0].offset_bytes = offsets[i];
        bind(&plan, inputs, 3);
        check_copies(&plan, 3);
        run(&plan);
    }
}

TEST(each_layout_holds_all_of_the_input)
{
    const int64_t count = COUNT * 16; /* pages of 4 KiB, and turns over both nodes */
    const void *inputs[ARGUMENTS_MAX] = {numbers(count)};
    char *first[4] = {0};
    struct launch_plan plan = plan_of("nothing", 1);
    plan.arguments[0] = vector_of("in", ELEMENT_F32, ARGUMENT_INPUT, count);
    for (int round = 0; round < 2; round++)
        for (uint32_t threads = 1; threads <= 4; threads++) {
            plan.launches[0].threads = threads;
            plan.launches[0].schedule = threads == 3 ? SCHEDULE_QUEUED : SCHEDULE_STATIC;
            bind(&plan, inputs, 2);
            check_copies(&plan, 2);
            char *data = vector_data(device->shelves[0].bound, 0);
            /* One and two threads run on one node, where the memory can be the same. */
            if (threads == 2)
                assert_ptr_equal(data, first[0]);
            if (threads > 2)
                assert_ptr_not_equal(data, first[0]);
            if (round > 0)
                assert_ptr_equal(data, first[threads - 1]); /* kept, not made again */
            first[threads - 1] = data;
        }
}

static struct launch_plan address_plan(int64_t count)
{
    struct launch_plan plan = plan_of("address", 3);
    plan.arguments[0] = vector_of("in", ELEMENT_F32, ARGUMENT_INPUT, count);
    plan.arguments[1] = vector_of("seen", ELEMENT_U64, ARGUMENT_SCRATCH, 64);
    plan.arguments[2] = vector_of("runs", ELEMENT_I64, ARGUMENT_SCRATCH, 1);
    return plan;
}

/* Reads the addresses of three blocks of two runs. */
static void addresses_of_three(const struct launch_plan *plan, enum l2_mode mode, uint64_t seen[6])
{
    device_cpu.drop_slots(device);
    for (int i = 0; i < 3; i++)
        time_block(plan, 2, mode, 1, i > 0);
    read_back(1, seen, 6 * sizeof seen[0]);
}

TEST(streaming_goes_on_where_the_block_before_ended)
{
    const void *inputs[ARGUMENTS_MAX] = {numbers(COUNT)};
    uint64_t seen[6];
    struct launch_plan plan = address_plan(COUNT);
    /* Two caches: ten times L3_BYTES are wanted, at 80 kB a copy. */
    bind(&plan, inputs, 9);
    addresses_of_three(&plan, L2_STREAM, seen);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
    addresses_of_three(&plan, L2_COLD, seen);
    assert_true(seen[0] != seen[1] && seen[0] == seen[2] && seen[1] == seen[3]);
}

static void fill_flush_buffers(int value)
{
    for (int i = 0; i < device->machine.cores; i++)
        memset(device->flush[i], value, flush_bytes(&device->machine, i));
}

/* Counts the lines of the flush buffers that the block wrote to. */
static size_t lines_written(const struct launch_plan *plan, enum l2_mode mode)
{
    size_t written = 0;
    fill_flush_buffers(0);
    time_block(plan, 2, mode, 1, false);
    for (int i = 0; i < device->machine.cores; i++)
        for (size_t at = 0; at < flush_bytes(&device->machine, i); at += 64)
            written += device->flush[i][at] != 0;
    fill_flush_buffers(0x5a);
    return written;
}

TEST(only_the_dirty_mode_writes_to_the_caches)
{
    const void *inputs[ARGUMENTS_MAX] = {numbers(COUNT)};
    uint64_t seen[6];
    struct launch_plan plan = address_plan(COUNT);
    plan.arguments[0].seed = 9; /* earlier copies do not count */
    bind(&plan, inputs, 3);
    assert_int_equal(lines_written(&plan, L2_COLD), 0);
    assert_int_equal(lines_written(&plan, L2_HOT), 0);
    assert_int_equal(lines_written(&plan, L2_STREAM), 0);
    assert_int_equal(lines_written(&plan, L2_DIRTY), 4 * 2 * L3_BYTES / 64);
    /* Too few copies to stream by: as cold. */
    addresses_of_three(&plan, L2_STREAM, seen);
    assert_true(seen[0] != seen[1] && seen[0] == seen[2] && seen[1] == seen[3]);
}

/* ---- the device's state ---- */

TEST(the_anchor_takes_its_time)
{
    struct error error = {0};
    struct conditions now;
    for (int i = 0; i < 3; i++) {
        double elapsed_ns = 0;
        must(device_cpu.anchor(device, &elapsed_ns, &error), &error);
        assert_true(elapsed_ns > 0 && isfinite(elapsed_ns));
    }
    device_cpu.conditions(device, &now);
    assert_true(isnan(now.power_w));
    assert_true(now.other_processes >= -1 && now.throttle >= -1);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(in_folder(path), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

TEST(energy_is_what_was_spent_between_steps)
{
    struct error error = {0};
    struct energy energy;
    char command[300], root[200];
    (void)snprintf(root, sizeof root, "%s", in_folder("root"));
    (void)snprintf(command, sizeof command, "mkdir -p %s/sys/class/powercap/intel-rapl:0", root);
    assert_int_equal(system(command), 0);
    put("root/sys/class/powercap/intel-rapl:0/name", "package-0\n");
    put("root/sys/class/powercap/intel-rapl:0/energy_uj", "           0\n");
    put("root/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n");
    int counter = open(in_folder("root/sys/class/powercap/intel-rapl:0/energy_uj"), O_WRONLY);
    assert_true(counter >= 0);
    sensors_close(&device->sensors);
    sensors_open(&device->sensors, root, NULL, 0);
    struct launch_plan plan = plan_of("burn", 1);
    plan.arguments[0] = integer_of(counter);
    bind(&plan, no_inputs, 1);
    struct block block = {.plan = &plan, .runs = 1, .mode = L2_COLD};
    must(device_cpu.measure_energy(device, &block, 20, &energy, &error), &error);
    assert_true(energy.window_ns >= 20e6);
    assert_true(energy.runs >= 1);
    assert_true(fabs(energy.energy_j / energy.runs - 1e-3) < 1e-9);
    assert_true(energy.resolution_j >= 1e-3 - 1e-9 && energy.resolution_j <= energy.energy_j);
    /* One that stands still is no counter. */
    plan.launches[0].kernel = "nothing";
    assert_int_equal(device_cpu.measure_energy(device, &block, 20, &energy, &error),
                     STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.text, "stands still"));
    assert_int_equal(close(counter), 0);
}

int main(void)
{
    (void)unsetenv("CC");
    return run_suite(open_device, close_device);
}
