/* The shipped reduction of the CPU, in all its shapes, with each installed compiler. Other
 * operators and types are checked by run_points (tests/gpu). */
#include "cpu_test.h"

static const char source[] = TEST_SOURCE_DIR "/kernels/reduce/reduce_cpu.c";

enum { N_MAX = 30000 };

struct shape {
    const char *variant; /* "loop", "blocks" */
    const char *type;    /* "i32", "f32" */
    int width;
    int accumulators;
};

static struct device *device;

static int open_device(void **state)
{
    struct error error = {0};
    if (make_folder(state) != 0 || setenv("HWLOC_SYNTHETIC", "core:3 pu:1", 1) != 0)
        return -1;
    return device_cpu.open(0, &no_warm_up, &device, NULL, &error) == STATUS_OK ? 0 : -1;
}

static int close_device(void **state)
{
    device_cpu.close(device);
    return remove_folder(state);
}

static void load_shape(const struct shape *shape, const char *op, const char *compiler)
{
    struct error error = {0};
    struct text log = {0};
    struct binary_request request = request_for(source);
    char binary[300];
    request.defines[0] = (struct named_value){"OP", value_text(op)};
    request.defines[1] = (struct named_value){"TYPE", value_text(shape->type)};
    request.defines[2] = (struct named_value){"WIDTH", value_integer(shape->width)};
    request.defines[3] = (struct named_value){"ACCUMULATORS", value_integer(shape->accumulators)};
    request.define_count = 4;
    (void)snprintf(binary, sizeof binary, "%s/%s-%s-%s-%d-%d.so", folder, compiler, op, shape->type,
                   shape->width, shape->accumulators);
    if (device_cpu.compile(&request, binary, &log, &error) != STATUS_OK ||
        device_cpu.load(device, binary, &error) != STATUS_OK)
        fail_msg("%s\n%s", error.text, text_string(&log));
    text_free(&log);
}

static struct launch_plan reduction(const struct shape *shape, enum element_type type, int64_t n,
                                    int64_t block)
{
    bool loop = strcmp(shape->variant, "loop") == 0;
    int64_t grid = (n + block - 1) / block;
    struct launch_plan plan = {.launch_count = !loop && grid > 1 ? 2 : 1, .argument_count = 6};
    plan.arguments[0] = (struct argument){.type = type, .role = ARGUMENT_INPUT, .count = n};
    plan.arguments[1] = (struct argument){.type = type, .role = ARGUMENT_OUTPUT, .count = 1};
    plan.arguments[2] =
        (struct argument){.type = ELEMENT_U64, .role = ARGUMENT_SCRATCH, .count = grid};
    const int64_t scalars[] = {block, n, grid};
    for (size_t i = 0; i < 3; i++)
        plan.arguments[3 + i] = (struct argument){
            .type = ELEMENT_I64, .role = ARGUMENT_SCALAR, .scalar = value_integer(scalars[i])};
    for (size_t i = 0; i < 2; i++) {
        plan.launches[i] = (struct launch){.kernel = i == 0 ? "reduce_blocks" : "reduce_partials",
                                           .grid = {i == 0 ? (uint32_t)grid : 1, 1, 1},
                                           .block = {1, 1, 1},
                                           .threads = i == 0 && !loop ? 3 : 1,
                                           .schedule = SCHEDULE_QUEUED,
                                           .argument_count = 6,
                                           .arguments = {0, 1, 2, 3, 4, 5}};
    }
    if (loop)
        plan.launches[0].kernel = "reduce_loop";
    return plan;
}

static void check_sum(const struct shape *shape, enum element_type type, const void *input,
                      int64_t n, int64_t block, const void *expected)
{
    const void *inputs[ARGUMENTS_MAX] = {input};
    struct launch_plan plan = reduction(shape, type, n, block);
    struct error error = {0};
    double elapsed_ns = 0;
    unsigned char got[8];
    if (device_cpu.bind(device, &plan, inputs, 1, NULL, &error) != STATUS_OK ||
        device_cpu.run(device, &plan, RUN_FIRST, &elapsed_ns, &error) != STATUS_OK ||
        device_cpu.read(device, 1, got, element_bytes(type), &error) != STATUS_OK)
        fail_msg("%s", error.text);
    if (memcmp(got, expected, element_bytes(type)) != 0)
        fail_msg("%s %s width %d accumulators %d n %lld block %lld", shape->variant, shape->type,
                 shape->width, shape->accumulators, (long long)n, (long long)block);
}

/* Sizes with and without tails; blocks that start anywhere; integers that overflow. */
static void check_shape(const struct shape *shape)
{
    static const int64_t sizes[] = {1, 7, 16, 129, 1000, 4096, N_MAX};
    static const int64_t blocks[] = {1, 3, 127, 4096, N_MAX};
    static int integers[N_MAX];
    static float reals[N_MAX];
    bool real = strcmp(shape->type, "f32") == 0;
    unsigned sum = 0;
    float real_sum = 0;
    int64_t done = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (; done < sizes[s]; done++) {
            integers[done] = (int)((unsigned)done * 2654435761U);
            reals[done] = (float)(done % 17 - 8);
            sum += (unsigned)integers[done];
            real_sum += reals[done];
        }
        for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
            check_sum(shape, real ? ELEMENT_F32 : ELEMENT_I32,
                      real ? (const void *)reals : integers, sizes[s], blocks[b],
                      real ? (const void *)&real_sum : &sum);
    }
}

static void check_all_shapes(const char *compiler)
{
    static const int widths[] = {1, 8, 16};
    static const int accumulators[] = {1, 8};
    static const char *const types[] = {"i32", "f32"};
    for (size_t e = 0; e < 2; e++)
        for (size_t w = 0; w < 3; w++)
            for (size_t a = 0; a < 2; a++) {
                struct shape shape = {"blocks", types[e], widths[w], accumulators[a]};
                load_shape(&shape, "sum", compiler);
                check_shape(&shape);
                shape.variant = "loop";
                if (widths[w] == 1 && accumulators[a] == 1)
                    check_shape(&shape);
            }
}

/* Checks extremes of halves by their bits: NaN counts as missing, -0 is less than +0, and the other
 * values contain no infinity. */
static void check_extremes(const char *op, const uint16_t *in, int64_t n, uint16_t expected)
{
    for (int width = 1; width <= 16; width *= 16) {
        const struct shape shape = {"blocks", "f16", width, 4};
        load_shape(&shape, op, "cc");
        check_sum(&shape, ELEMENT_F16, in, n, n, &expected);
        check_sum(&shape, ELEMENT_F16, in, n, 7, &expected);
    }
}

TEST(extremes_of_reals_follow_the_rules)
{
    enum { N = 200, NAN_BITS = 0x7e00, MINUS_NAN = 0xfe00, MINUS_ZERO = 0x8000, LEAST = 1 };
    static uint16_t in[4][N]; /* the device keeps the contents bound at an address */
    for (int i = 0; i < 4 * N; i++)
        in[i / N][i % N] = i % 2 ? NAN_BITS : MINUS_NAN;
    in[1][150] = in[2][150] = in[3][150] = 0;
    in[2][20] = in[3][20] = MINUS_ZERO;
    in[3][199] = MINUS_ZERO | LEAST;
    in[3][0] = LEAST;
    check_extremes("min", in[0], N, 0x7c00);
    check_extremes("max", in[0], N, 0xfc00);
    check_extremes("min", in[1], N, 0);
    check_extremes("min", in[2], N, MINUS_ZERO);
    check_extremes("max", in[2], N, 0);
    check_extremes("min", in[3], N, MINUS_ZERO | LEAST);
    check_extremes("max", in[3], N, LEAST);
}

TEST(all_shapes_sum_right)
{
    static const char *const compilers[] = {"gcc", "clang"};
    int tried = 0;
    for (size_t i = 0; i < 2; i++) {
        char command[64];
        (void)snprintf(command, sizeof command, "command -v %s >/dev/null", compilers[i]);
        if (system(command) != 0)
            continue;
        assert_int_equal(setenv("CC", compilers[i], 1), 0);
        check_all_shapes(compilers[i]);
        tried++;
    }
    (void)unsetenv("CC");
    if (tried == 0)
        check_all_shapes("cc");
}

TEST_MAIN(open_device, close_device)
