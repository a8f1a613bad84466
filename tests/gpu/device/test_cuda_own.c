/* Arguments of all sorts on a GPU: read and written, structs, variables; consecutive launches;
 * arguments that do not fit. Skipped without a GPU. */
#include "tests/gpu/device/cuda_fixture.h"
#include "tuner/device/cuda/measure.h"

enum { STEPS = 1000, REPEATS = 3, SIGN = -1, BIAS = 11 };
static const float factor = 0.5f;
static const int steps[4] = {1, 20, 300, 4000};
static const int others[4] = {5, 6, 7, 8};

static struct argument symbol(struct argument argument, const char *name)
{
    argument.symbol = name;
    return argument;
}

static struct launch_plan step_plan(uint32_t repeats)
{
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "take_steps",
                      .grid = {3, 1, 1},
                      .block = {128, 1, 1},
                      .repeat = repeats,
                      .argument_count = 4,
                      .arguments = {0, 1, 2, 3}}},
        .argument_count = 6,
        .arguments = {vector("v", ELEMENT_I32, ARGUMENT_UPDATE, STEPS),
                      vector("x", ELEMENT_I32, ARGUMENT_INPUT, STEPS),
                      vector("out", ELEMENT_I32, ARGUMENT_OUTPUT, STEPS),
                      {.name = "step", .role = ARGUMENT_STRUCT, .field_count = 3},
                      symbol(vector("steps", ELEMENT_I32, ARGUMENT_INPUT, 4), "steps"),
                      symbol(scalar("bias", ELEMENT_I64, BIAS), "own::bias")},
    };
    static struct field fields[3];
    const struct field step[] = {{ELEMENT_I8, value_integer(SIGN), 0},
                                 {ELEMENT_F32, value_real((double)factor), 0},
                                 {ELEMENT_I64, value_integer(STEPS), 0}};
    memcpy(fields, step, sizeof fields);
    plan.arguments[3].fields = fields;
    return plan;
}

static void load(struct binary_request *request)
{
    struct text log = {0};
    char path[80];
    request->source_path = source;
    request->architecture = facts_text(&facts, "architecture", "");
    (void)snprintf(path, sizeof path, "%s.steps", binary);
    enum status status = cuda->compile(request, path, &log, &error);
    text_free(&log);
    assert_ok(status);
    status = cuda->load(device, path, &error);
    (void)unlink(path);
    assert_ok(status);
}

static void load_steps(void)
{
    struct binary_request request = {
        .kernel_count = 2,
        .kernels = {"take_steps", "write_at"},
        .symbol_count = 2,
        .symbols = {"steps", "own::bias"},
    };
    load(&request);
}

static void bind(const struct launch_plan *plan, const int *table, uint32_t copies)
{
    const void *inputs[ARGUMENTS_MAX] = {a, b, NULL, NULL, table, NULL};
    assert_ok(cuda->bind(device, plan, inputs, copies, NULL, &error));
}

/* Returns the amount that each launch adds to v[i]. */
static int delta(const int *table, int i)
{
    return SIGN * (int)(factor * (float)b[i]) + table[i % 4] + BIAS;
}

/* Checks v after a number of launches since it had the host's elements. */
static void expect_launches(const int *table, int launches)
{
    int v[STEPS];
    assert_ok(cuda->read(device, 0, v, sizeof v, &error));
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(v[i], a[i] + launches * delta(table, i));
}

static void expect_out(const int *table, int launches)
{
    int out[STEPS];
    assert_ok(cuda->read(device, 2, out, sizeof out, &error));
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(out[i], 2 * (a[i] + launches * delta(table, i)));
}

TEST(test_runs_begin_with_the_hosts_data)
{
    struct launch_plan plan = step_plan(REPEATS);
    double elapsed_ns = 0;
    need_gpu();
    load_steps();
    bind(&plan, steps, 1);
    for (int i = 0; i < 2; i++) {
        assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
        expect_launches(steps, REPEATS);
        expect_out(steps, REPEATS);
        assert_ok(cuda->run(device, &plan, RUN_AGAIN, &elapsed_ns, &error));
        expect_launches(steps, REPEATS);
        expect_out(steps, REPEATS);
    }
    plan.launches[0].repeat = 0;
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    expect_launches(steps, 1);
}

/* In the stream and in a graph each repeat reads the result of the one before. */
TEST(test_vectors_take_turns)
{
    enum { ELEMENTS = 512, TURNS = 3 };
    const void *inputs[ARGUMENTS_MAX] = {a};
    double elapsed_ns = 0;
    int from[ELEMENTS], to[ELEMENTS];
    need_gpu();
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "advance",
                      .grid = {2, 1, 1},
                      .block = {ELEMENTS / 2, 1, 1},
                      .repeat = TURNS,
                      .swap_other = 1,
                      .argument_count = 2,
                      .arguments = {0, 1}}},
        .argument_count = 2,
        .arguments = {vector("from", ELEMENT_I32, ARGUMENT_UPDATE, ELEMENTS),
                      vector("to", ELEMENT_I32, ARGUMENT_OUTPUT, ELEMENTS)},
    };
    load(&(struct binary_request){.kernel_count = 1, .kernels = {"advance"}});
    for (int timed = 0; timed < 2; timed++) {
        assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
        if (timed)
            (void)time_slot(&plan, 1, L2_COLD, 0, false);
        else
            assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
        assert_ok(cuda->read(device, 0, from, sizeof from, &error));
        assert_ok(cuda->read(device, 1, to, sizeof to, &error));
        for (int i = 0; i < ELEMENTS; i++) {
            assert_int_equal(from[i], 9 * a[i] + 4);
            assert_int_equal(to[i], 27 * a[i] + 13);
        }
    }
}

/* Each of the copies that runs rotate over has a texture of its own. */
TEST(test_textures_are_of_the_runs_copies)
{
    enum { WIDTH = 40, HEIGHT = 30, ELEMENTS = WIDTH * HEIGHT, RUNS = 12 };
    float *image = calloc(ELEMENTS, sizeof *image);
    float *out = calloc(ELEMENTS, sizeof *out);
    const void *inputs[ARGUMENTS_MAX] = {image};
    double elapsed_ns = 0;
    assert_true(image && out);
    for (int i = 0; i < ELEMENTS; i++)
        image[i] = (float)(i % 977);
    if (device) {
        struct launch_plan plan = {
            .launch_count = 1,
            .launches = {{.kernel = "turned",
                          .grid = {HEIGHT, 1, 1},
                          .block = {WIDTH, 1, 1},
                          .argument_count = 2,
                          .arguments = {0, 1}}},
            .argument_count = 2,
            .arguments = {vector("image", ELEMENT_F32, ARGUMENT_INPUT, ELEMENTS),
                          vector("out", ELEMENT_F32, ARGUMENT_OUTPUT, ELEMENTS)},
        };
        plan.arguments[0].texture = (struct texture){
            .width = WIDTH, .height = HEIGHT, .channels = 1, .address = TEXTURE_CLAMP};
        load(&(struct binary_request){.kernel_count = 1, .kernels = {"turned"}});
        for (uint32_t copies = 0; copies <= RUNS; copies += RUNS) {
            assert_ok(cuda->bind(device, &plan, inputs, copies, NULL, &error));
            if (copies > 0)
                (void)time_slot(&plan, RUNS, L2_COLD, 0, false);
            else
                assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
            assert_ok(cuda->read(device, 1, out, ELEMENTS * sizeof *out, &error));
            for (int i = 0; i < ELEMENTS; i++)
                assert_true(out[i % WIDTH * HEIGHT + i / WIDTH] == image[i]);
        }
        cuda->drop_slots(device);
        assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    }
    free(image);
    free(out);
    need_gpu();
}

/* A texture reference has the object over its input's current place: when checked, and again when a
 * block was prepared before. */
TEST(test_texture_references_follow_their_input)
{
    enum { WIDTH = 40, HEIGHT = 30, ELEMENTS = WIDTH * HEIGHT };
    static const uint32_t copies[] = {0, 1, 0, 1};
    static float image[ELEMENTS], out[ELEMENTS];
    const void *inputs[ARGUMENTS_MAX] = {image};
    double elapsed_ns = 0;
    need_gpu();
    for (int i = 0; i < ELEMENTS; i++)
        image[i] = (float)(i % 977);
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "turned_picture",
                      .grid = {HEIGHT, 1, 1},
                      .block = {WIDTH, 1, 1},
                      .argument_count = 1,
                      .arguments = {1}}},
        .argument_count = 2,
        .arguments = {symbol(vector("image", ELEMENT_F32, ARGUMENT_INPUT, ELEMENTS), "picture"),
                      vector("out", ELEMENT_F32, ARGUMENT_OUTPUT, ELEMENTS)},
    };
    plan.arguments[0].texture =
        (struct texture){.width = WIDTH, .height = HEIGHT, .channels = 1, .address = TEXTURE_CLAMP};
    load(&(struct binary_request){.kernel_count = 1,
                                  .kernels = {"turned_picture"},
                                  .symbol_count = 1,
                                  .symbols = {"picture"}});
    for (size_t turn = 0; turn < sizeof copies / sizeof *copies; turn++) {
        assert_ok(cuda->bind(device, &plan, inputs, copies[turn], NULL, &error));
        memset(out, 0, sizeof out);
        if (copies[turn] > 0)
            (void)time_slot(&plan, 1, L2_COLD, 0, turn > 1);
        else
            assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
        assert_ok(cuda->read(device, 1, out, sizeof out, &error));
        for (int i = 0; i < ELEMENTS; i++)
            assert_true(out[i % WIDTH * HEIGHT + i / WIDTH] == image[i]);
    }
    plan.arguments[0].symbol = "elsewhere";
    assert_int_equal(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "no kernel uses a __constant__ or __device__ variable"));
}

/* A surface holds the vector's elements, before and after runs, in each of the copies that runs
 * rotate over. */
TEST(test_surfaces_hold_what_their_vectors_do)
{
    enum { WIDTH = 40, HEIGHT = 30, ELEMENTS = WIDTH * HEIGHT, RUNS = 5, SHIFT = 7 };
    float image[ELEMENTS], sums[ELEMENTS], out[ELEMENTS];
    const void *inputs[ARGUMENTS_MAX] = {image, sums};
    double elapsed_ns = 0;
    char detail[256];
    bool intact = false, worn = false;
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "paint",
                      .grid = {HEIGHT, 1, 1},
                      .block = {WIDTH, 1, 1},
                      .argument_count = 3,
                      .arguments = {0, 1, 2}}},
        .argument_count = 3,
        .arguments = {vector("image", ELEMENT_F32, ARGUMENT_INPUT, ELEMENTS),
                      vector("sums", ELEMENT_F32, ARGUMENT_UPDATE, ELEMENTS),
                      {.name = "shift",
                       .type = ELEMENT_I64,
                       .role = ARGUMENT_SCALAR,
                       .count = 1,
                       .scalar = value_integer(SHIFT)}},
    };
    need_gpu();
    for (int i = 0; i < ELEMENTS; i++) {
        image[i] = (float)(i % 977);
        sums[i] = (float)(2 * i);
    }
    for (size_t i = 0; i < 2; i++)
        plan.arguments[i].texture =
            (struct texture){.width = WIDTH, .height = HEIGHT, .channels = 1, .is_surface = true};
    load(&(struct binary_request){.kernel_count = 1, .kernels = {"paint"}});
    for (uint32_t copies = 0; copies <= RUNS; copies += RUNS) {
        int times = 1;
        assert_ok(cuda->bind(device, &plan, inputs, copies, NULL, &error));
        if (copies > 0) {
            (void)time_slot(&plan, RUNS, L2_COLD, 0, false);
            (void)time_slot(&plan, RUNS, L2_COLD, 0, true);
            times = 2;
        } else {
            assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
            assert_ok(cuda->run(device, &plan, RUN_AGAIN, &elapsed_ns, &error));
        }
        assert_ok(cuda->read(device, 1, out, sizeof out, &error));
        for (int i = 0; i < ELEMENTS; i++) {
            const int to = i / WIDTH * WIDTH + (i % WIDTH + SHIFT) % WIDTH;
            assert_true(out[to] == sums[to] + (float)times * image[i]);
        }
        assert_ok(
            cuda->inputs_intact(device, &plan, &intact, &worn, detail, sizeof detail, &error));
        assert_true(intact);
    }
    cuda->drop_slots(device);
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
}

/* Hot: two runs before, and one copy of the data. */
TEST(test_timed_runs_go_on_from_one_another)
{
    enum { RUNS = 5 };
    struct launch_plan plan = step_plan(REPEATS);
    double elapsed_ns = 0;
    need_gpu();
    load_steps();
    bind(&plan, steps, 1);
    (void)time_slot(&plan, RUNS, L2_HOT, 0, false);
    expect_launches(steps, (2 + RUNS) * REPEATS);
    (void)time_slot(&plan, RUNS, L2_HOT, 0, true);
    expect_launches(steps, 2 * (2 + RUNS) * REPEATS);
    bind(&plan, steps, 1);
    expect_launches(steps, 0);
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    expect_launches(steps, REPEATS);
}

/* As many runs as copies: each finds the original data; and changed copies are made again when the
 * plan is bound again. */
TEST(test_copies_take_turns)
{
    enum { COPIES = 7 };
    struct launch_plan plan = step_plan(REPEATS);
    need_gpu();
    load_steps();
    for (int i = 0; i < 3; i++) {
        bind(&plan, steps, COPIES);
        expect_launches(steps, 0);
        (void)time_slot(&plan, COPIES, L2_COLD, 0, false);
        expect_launches(steps, REPEATS);
        (void)time_slot(&plan, COPIES, L2_COLD, 0, true);
        expect_launches(steps, 2 * REPEATS);
    }
    plan.arguments[0].offset_bytes = 12;
    bind(&plan, steps, 2);
    (void)time_slot(&plan, 2, L2_COLD, 0, false);
    expect_launches(steps, REPEATS);
}

TEST(test_variables_are_those_of_the_plan)
{
    struct launch_plan plan = step_plan(1);
    double elapsed_ns = 0;
    need_gpu();
    load_steps();
    for (int i = 0; i < 2; i++) {
        bind(&plan, others, 1);
        assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
        expect_out(others, 1);
        bind(&plan, steps, 1);
        assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
        expect_out(steps, 1);
    }
}

TEST(test_variables_that_do_not_fit_are_refused)
{
    const void *inputs[ARGUMENTS_MAX] = {a, b, NULL, NULL, steps, NULL};
    struct launch_plan plan = step_plan(1);
    need_gpu();
    load_steps();
    plan.arguments[4].count = 5;
    assert_is(cuda->bind(device, &plan, inputs, 1, NULL, &error), STATUS_BAD_INPUT);
    assert_string_equal(error.text,
                        "argument 'steps' has 20 bytes, and the variable 'steps' only 16");
    /* Fewer values are the beginning of the same data. */
    plan.arguments[4].count = 3;
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    plan.arguments[4].count = 4;
    plan.arguments[5].symbol = "own::nothing";
    assert_is(cuda->bind(device, &plan, inputs, 1, NULL, &error), STATUS_BAD_INPUT);
    assert_string_equal(error.text, "argument 'bias': no kernel uses a __constant__ or __device__ "
                                    "variable 'own::nothing'");
    bind(&(struct launch_plan){0}, NULL, 1);
}

/* Variables that kernels write behave as passed vectors: poisoned, or with the host's elements,
 * before a checked run, and readable after it. Each binary has its own. */
TEST(test_variables_that_kernels_write)
{
    enum { MARKS = 32, TIMED = 4, TOTAL = 1000 };
    const long long total = TOTAL;
    const void *inputs[ARGUMENTS_MAX] = {b, NULL, &total};
    const struct binary_request first = {.kernel_count = 1,
                                         .kernels = {"leave_marks"},
                                         .symbol_count = 2,
                                         .symbols = {"marks", "own::total"}};
    struct binary_request second = first;
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "leave_marks",
                      .grid = {1, 1, 1},
                      .block = {MARKS, 1, 1},
                      .argument_count = 1,
                      .arguments = {0}}},
        .argument_count = 3,
        .arguments = {vector("x", ELEMENT_I32, ARGUMENT_INPUT, MARKS),
                      symbol(vector("marks", ELEMENT_I32, ARGUMENT_OUTPUT, MARKS + 1), "marks"),
                      symbol(vector("total", ELEMENT_I64, ARGUMENT_UPDATE, 1), "own::total")},
    };
    int marks[MARKS + 1];
    long long got = 0;
    char detail[200] = "";
    bool intact = false;
    double elapsed_ns = 0;
    need_gpu();
    second.defines[second.define_count++] = (struct named_value){"OTHER", value_integer(1)};
    for (uint32_t turn = 0; turn < 3; turn++) {
        struct binary_request request = turn == 1 ? second : first;
        load(&request);
        assert_ok(cuda->bind(device, &plan, inputs, turn, NULL, &error));
        for (int run = 0; run < 3; run++) {
            assert_ok(run == 0   ? cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error)
                      : run == 1 ? cuda->run(device, &plan, RUN_AGAIN, &elapsed_ns, &error)
                                 : cuda->run(device, &plan, RUN_ON, &elapsed_ns, &error));
            assert_ok(cuda->read(device, 1, marks, sizeof marks, &error));
            assert_ok(cuda->read(device, 2, &got, sizeof got, &error));
            for (int i = 0; i < MARKS; i++)
                assert_int_equal(marks[i], 3 * b[i]);
            assert_int_equal((uint32_t)marks[MARKS], 0x01010101u * POISON);
            assert_int_equal(got, TOTAL + (run == 2 ? 2 : 1) * b[1]);
        }
        assert_ok(cuda->guards_intact(device, &plan, &intact, detail, sizeof detail, &error));
        assert_true(intact);
    }
    assert_ok(cuda->bind(device, &plan, inputs, TIMED, NULL, &error));
    (void)time_slot(&plan, TIMED, L2_COLD, 0, false);
    assert_ok(cuda->read(device, 2, &got, sizeof got, &error));
    assert_int_equal(got, TOTAL + TIMED * b[1]);
    (void)time_slot(&plan, 1, L2_HOT, 1, false);
    assert_ok(cuda->read(device, 2, &got, sizeof got, &error));
    assert_int_equal(got, TOTAL + (TIMED + 2 + 1) * b[1]);
    plan.arguments[1].count = 65;
    assert_is(cuda->bind(device, &plan, inputs, 1, NULL, &error), STATUS_BAD_INPUT);
    assert_string_equal(error.text,
                        "argument 'marks' has 260 bytes, and the variable 'marks' only 256");
}

static void expect_refused(const struct launch_plan *plan, const char *text)
{
    const struct block block = {.plan = plan, .runs = 1, .mode = L2_COLD};
    double elapsed_ns = 0;
    bind(plan, steps, 1);
    assert_is(cuda->run(device, plan, RUN_FIRST, &elapsed_ns, &error), STATUS_BAD_INPUT);
    assert_string_equal(error.text, text);
    assert_is(cuda->run(device, plan, RUN_AGAIN, &elapsed_ns, &error), STATUS_BAD_INPUT);
    assert_is(cuda->time_block(device, &block, &elapsed_ns, &error), STATUS_BAD_INPUT);
}

TEST(test_lists_of_arguments_that_do_not_fit_are_refused)
{
    struct launch_plan plan = step_plan(1);
    need_gpu();
    load_steps();
    plan.launches[0].argument_count = 3;
    expect_refused(&plan,
                   "kernel take_steps takes 4 arguments of 8, 8, 8, 16 bytes; the experiment "
                   "passes 3 of 8, 8, 8");
    plan = step_plan(1);
    plan.arguments[3].field_count = 2;
    expect_refused(&plan,
                   "kernel take_steps takes 4 arguments of 8, 8, 8, 16 bytes; the experiment "
                   "passes 4 of 8, 8, 8, 8");
    plan = step_plan(1);
    plan.launches[0].argument_count = 5;
    plan.launches[0].arguments[4] = 0;
    expect_refused(&plan,
                   "kernel take_steps takes 4 arguments of 8, 8, 8, 16 bytes; the experiment "
                   "passes 5 of 8, 8, 8, 16, 8");
    check_add(1000);
}

/* One that is read and written has guard bands, too. */
TEST(test_guards_are_around_what_is_updated)
{
    struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "write_at",
                      .grid = {1, 1, 1},
                      .block = {1, 1, 1},
                      .argument_count = 3,
                      .arguments = {0, 1, 2}}},
        .argument_count = 3,
        .arguments = {vector("v", ELEMENT_I32, ARGUMENT_UPDATE, STEPS),
                      scalar("place", ELEMENT_I64, STEPS - 1), scalar("value", ELEMENT_I32, 7)},
    };
    const void *inputs[ARGUMENTS_MAX] = {a};
    static const int places[] = {0, STEPS - 1, -1, STEPS};
    char detail[200] = "";
    need_gpu();
    load_steps();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double elapsed_ns = 0;
        bool intact = false;
        plan.arguments[1].scalar = value_integer(places[i]);
        plan.arguments[0].offset_bytes = (uint32_t)i * 4;
        assert_ok(cuda->bind(device, &plan, inputs, 3, NULL, &error));
        assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
        assert_ok(cuda->guards_intact(device, &plan, &intact, detail, sizeof detail, &error));
        assert_int_equal(intact, i < 2);
    }
    assert_string_equal(detail, "it wrote outside of 'v': 4 bytes behind it, the nearest 0 bytes "
                                "from it");
}

/* A vector that is read and written begins with the host's elements, also after a kernel wrote to
 * the copy from which it is restored. */
TEST(test_updates_begin_anew)
{
    enum { LARGE = 300000, PLACE = 1234, VALUE = 9 };
    const struct launch_plan plan = {
        .launch_count = 1,
        .launches = {{.kernel = "write_at",
                      .grid = {1, 1, 1},
                      .block = {1, 1, 1},
                      .argument_count = 3,
                      .arguments = {0, 1, 2}}},
        .argument_count = 3,
        .arguments = {vector("v", ELEMENT_I32, ARGUMENT_UPDATE, LARGE),
                      scalar("place", ELEMENT_I64, PLACE), scalar("value", ELEMENT_I32, VALUE)},
    };
    int *host = calloc(LARGE, sizeof *host), *got = calloc(LARGE, sizeof *got);
    const void *inputs[ARGUMENTS_MAX] = {host};
    double elapsed_ns = 0;
    need_gpu();
    assert_true(host && got);
    for (int i = 0; i < LARGE; i++)
        host[i] = 3 * i + 1;
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, &plan, inputs, 0, NULL, &error));
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    for (int turn = 0; turn < 4; turn++) {
        if (turn == 1) /* after the guard band in front of it */
            assert_int_equal(
                device->driver->cuMemsetD8Async(device->vectors[0].base + 2 * GUARD_BYTES, 0x55,
                                                4000, device->stream),
                CUDA_SUCCESS);
        if (turn == 3)
            assert_ok(cuda->bind(device, &plan, inputs, 0, NULL, &error));
        assert_ok(cuda->run(device, &plan, RUN_AGAIN, &elapsed_ns, &error));
        assert_ok(cuda->read(device, 0, got, LARGE * sizeof *got, &error));
        assert_int_equal(got[PLACE], VALUE);
        got[PLACE] = host[PLACE];
        assert_memory_equal(got, host, LARGE * sizeof *got);
    }
    free(host);
    free(got);
}

TEST_MAIN(open_device, close_device)
