/* Messages arrive unchanged, and data that is no message of tune is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/message.h"

static struct launch_plan sample_plan(void)
{
    struct launch_plan plan = {.launch_count = 2, .argument_count = 2};
    plan.launches[0] = (struct launch){.kernel = "reduce<int, 4>",
                                       .grid = {264, 2, 1},
                                       .block = {1024, 1, 1},
                                       .cluster = {8, 1, 1},
                                       .shared_bytes = 4096,
                                       .threads = 3,
                                       .schedule = SCHEDULE_QUEUED,
                                       .dependent = true,
                                       .cooperative = true,
                                       .argument_count = 2,
                                       .arguments = {1, 0}};
    plan.launches[1] = plan.launches[0];
    plan.launches[1].dependent = false;
    plan.arguments[0] = (struct argument){.name = "in",
                                          .type = ELEMENT_F32,
                                          .role = ARGUMENT_INPUT,
                                          .fill = FILL_RANDOM_ODD,
                                          .seed = UINT64_C(0xfedcba9876543210),
                                          .count = 100000000,
                                          .alignment_bytes = 16,
                                          .offset_bytes = 4};
    plan.arguments[1] = (struct argument){.name = "n",
                                          .type = ELEMENT_I64,
                                          .role = ARGUMENT_SCALAR,
                                          .scalar = value_integer(INT64_MAX)};
    return plan;
}

TEST(plans_come_out_the_same)
{
    struct arena arena = {0};
    struct error error = {0};
    struct launch_plan in = sample_plan();
    struct launch_plan out;
    json_t *json = message_encode(&message_plan, &in);
    assert_non_null(json);
    assert_int_equal(message_decode(&message_plan, json, &arena, &out, &error), STATUS_OK);
    assert_string_equal(out.launches[0].kernel, "reduce<int, 4>");
    assert_memory_equal(out.launches[0].grid, in.launches[0].grid, sizeof in.launches[0].grid);
    assert_memory_equal(out.launches[0].block, in.launches[0].block, sizeof in.launches[0].block);
    assert_int_equal(out.launches[0].cluster[0], 8);
    assert_true(out.launches[0].cooperative);
    assert_int_equal(out.launches[0].shared_bytes, 4096);
    assert_int_equal(out.launches[0].threads, 3);
    assert_int_equal(out.launches[0].schedule, SCHEDULE_QUEUED);
    assert_true(out.launches[0].dependent);
    assert_false(out.launches[1].dependent);
    assert_int_equal(out.launches[0].arguments[0], 1);
    assert_int_equal(out.arguments[0].count, 100000000);
    assert_true(out.arguments[0].seed == UINT64_C(0xfedcba9876543210));
    assert_int_equal(out.arguments[0].fill, FILL_RANDOM_ODD);
    assert_int_equal(out.arguments[0].alignment_bytes, 16);
    assert_int_equal(out.arguments[0].offset_bytes, 4);
    assert_int_equal(out.arguments[1].offset_bytes, 0);
    assert_true(out.arguments[1].scalar.integer == INT64_MAX);
    json_decref(json);
    arena_free(&arena);
}

/* Makes a plan with arguments of all sorts, each field with its own value. */
static struct launch_plan own_plan(void)
{
    static struct field pair[3];
    const struct field values[] = {{ELEMENT_U8, value_boolean(true), 0},
                                   {ELEMENT_F64, value_real(0.1), 0},
                                   {ELEMENT_I64, value_integer(INT64_MIN), 0}};
    memcpy(pair, values, sizeof pair);
    struct launch_plan plan = sample_plan();
    plan.launches[0].repeat = 12;
    plan.launches[1].repeat = REPEAT_MAX;
    plan.argument_count = 5;
    plan.arguments[0].fill = FILL_NORMAL;
    plan.arguments[0].fill_low = -0.1;
    plan.arguments[0].fill_high = 1e300;
    plan.arguments[2] = (struct argument){.name = "v",
                                          .type = ELEMENT_BF16,
                                          .role = ARGUMENT_UPDATE,
                                          .fill = FILL_SERIES,
                                          .fill_text = "i % 7 + 1",
                                          .count = 3};
    plan.arguments[3] = (struct argument){.name = "table",
                                          .role = ARGUMENT_INPUT,
                                          .fill = FILL_FILE,
                                          .fill_text = "/data/a b.bin",
                                          .symbol = "own::table<3>",
                                          .count = 4};
    plan.arguments[4] = (struct argument){
        .name = "pair", .role = ARGUMENT_STRUCT, .field_count = 3, .fields = pair};
    return plan;
}

TEST(arguments_of_all_sorts_come_out_the_same)
{
    struct arena arena = {0};
    struct error error = {0};
    struct launch_plan in = own_plan();
    struct launch_plan out;
    json_t *json = message_encode(&message_plan, &in);
    assert_non_null(json);
    assert_int_equal(message_decode(&message_plan, json, &arena, &out, &error), STATUS_OK);
    assert_int_equal(out.launches[0].repeat, 12);
    assert_int_equal(out.launches[1].repeat, REPEAT_MAX);
    assert_int_equal(out.argument_count, 5);
    assert_int_equal(out.arguments[0].fill, FILL_NORMAL);
    assert_true(out.arguments[0].fill_low == -0.1 && out.arguments[0].fill_high == 1e300);
    assert_null(out.arguments[0].symbol);
    assert_null(out.arguments[0].fill_text);
    assert_int_equal(out.arguments[2].role, ARGUMENT_UPDATE);
    assert_int_equal(out.arguments[2].fill, FILL_SERIES);
    assert_string_equal(out.arguments[2].fill_text, "i % 7 + 1");
    assert_string_equal(out.arguments[3].fill_text, "/data/a b.bin");
    assert_string_equal(out.arguments[3].symbol, "own::table<3>");
    assert_int_equal(out.arguments[4].role, ARGUMENT_STRUCT);
    assert_int_equal(out.arguments[4].field_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(out.arguments[4].fields[i].type, in.arguments[4].fields[i].type);
        assert_true(value_equal(out.arguments[4].fields[i].value, in.arguments[4].fields[i].value));
    }
    json_decref(json);
    arena_free(&arena);
}

TEST(wrong_arguments_are_refused)
{
    for (int i = 0; i < 10; i++) {
        struct arena arena = {0};
        struct error error = {0};
        struct launch_plan in = own_plan();
        struct launch_plan out;
        in.launches[0].repeat = i == 0 ? REPEAT_MAX + 1 : 1;
        in.arguments[2].fill_text = i == 1 ? NULL : "i";
        struct field fields[3];
        memcpy(fields, in.arguments[4].fields, sizeof fields);
        in.arguments[4].fields = fields;
        fields[1].type = i == 2 ? ELEMENT_TYPE_COUNT : ELEMENT_I8;
        in.arguments[4].role = i == 3 ? ARGUMENT_STRUCT + 1 : ARGUMENT_STRUCT;
        in.arguments[0].fill = i == 4 ? ARGUMENT_FILLS : FILL_ZERO;
        if (i > 5) /* to NULL, to no vector, with an address that is no u64; a sound one */
            fields[2] = (struct field){i == 8 ? ELEMENT_I64 : ELEMENT_U64, value_integer(8),
                                       i == 6   ? (uint8_t)(in.argument_count + 1)
                                       : i == 7 ? 5
                                                : 1};
        json_t *json = message_encode(&message_plan, &in);
        assert_int_equal(message_decode(&message_plan, json, &arena, &out, &error),
                         i == 5 || i == 9 ? STATUS_OK : STATUS_INTERNAL);
        json_decref(json);
        arena_free(&arena);
    }
}

TEST(requests_come_out_the_same)
{
    struct arena arena = {0};
    struct error error = {0};
    const struct binary_request in = {
        .source_path = "/a/b.cu",
        .source_hash = "0123",
        .unit_count = 2,
        .units = {"/a/c.cu", "/a/d.cu"},
        .unit_hashes = {"4567", NULL},
        .folder_count = 2,
        .folders = {"/include", "/more"},
        .architecture = "sm_90",
        .define_count = 1,
        .defines = {{"A", value_text("(1 + 2)")}},
        .flag_count = 1,
        .flags = {"-lineinfo"},
        .kernel_count = 1,
        .kernels = {"k<int>"},
        .symbol_count = 2,
        .symbols = {"weights", "own::bias"},
    };
    struct binary_request out;
    json_t *json = message_encode(&message_binary_request, &in);
    assert_non_null(json);
    assert_int_equal(message_decode(&message_binary_request, json, &arena, &out, &error),
                     STATUS_OK);
    assert_string_equal(out.source_path, "/a/b.cu");
    assert_string_equal(out.source_hash, "0123");
    assert_int_equal(out.unit_count, 2);
    assert_string_equal(out.units[1], "/a/d.cu");
    assert_string_equal(out.unit_hashes[0], "4567");
    assert_null(out.unit_hashes[1]);
    assert_int_equal(out.folder_count, 2);
    assert_string_equal(out.folders[0], "/include");
    assert_string_equal(out.folders[1], "/more");
    assert_string_equal(out.defines[0].value.text, "(1 + 2)");
    assert_string_equal(out.flags[0], "-lineinfo");
    assert_string_equal(out.kernels[0], "k<int>");
    assert_int_equal(out.symbol_count, 2);
    assert_string_equal(out.symbols[1], "own::bias");
    json_t *units = json_object_get(json, "units");
    for (int i = 0; i < UNITS_MAX; i++)
        assert_int_equal(json_array_append(units, json_array_get(units, 0)), 0);
    assert_int_equal(message_decode(&message_binary_request, json, &arena, &out, &error),
                     STATUS_INTERNAL);
    json_decref(json);
    arena_free(&arena);
}

TEST(wrong_plans_are_refused)
{
    static const char *const changes[] = {"grid",    "block",    "shared_bytes",
                                          "threads", "schedule", "repeat"};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct arena arena = {0};
        struct error error = {0};
        struct launch_plan in = sample_plan();
        struct launch_plan out;
        json_t *json = message_encode(&message_plan, &in);
        json_t *launch = json_array_get(json_object_get(json, "launches"), 0);
        assert_int_equal(json_object_set_new(launch, changes[i], json_integer(-7)), 0);
        assert_int_equal(message_decode(&message_plan, json, &arena, &out, &error),
                         STATUS_INTERNAL);
        json_decref(json);
        arena_free(&arena);
    }
    struct arena arena = {0};
    struct error error = {0};
    struct launch_plan in = sample_plan();
    struct launch_plan out;
    in.launches[0].arguments[1] = 2; /* there are two */
    json_t *json = message_encode(&message_plan, &in);
    assert_int_equal(message_decode(&message_plan, json, &arena, &out, &error), STATUS_INTERNAL);
    json_decref(json);
    in = sample_plan();
    in.arguments[0].offset_bytes = UINT32_MAX;
    json = message_encode(&message_plan, &in);
    assert_int_equal(message_decode(&message_plan, json, &arena, &out, &error), STATUS_INTERNAL);
    json_decref(json);
    arena_free(&arena);
}

TEST(errors_keep_status_and_text)
{
    struct error in = {0};
    struct error out = {0};
    (void)error_set(&in, STATUS_COMPILE_FAILED, "a.cu:3: no such thing");
    json_t *json = message_from_error(&in);
    assert_int_equal(message_to_error(json, &out), STATUS_COMPILE_FAILED);
    assert_string_equal(out.text, in.text);
    json_decref(json);
    json = json_pack("{s:i}", "error", 4711);
    assert_int_equal(message_to_error(json, &out), STATUS_INTERNAL);
    json_decref(json);
}

TEST(frames_pass_a_pipe)
{
    int ends[2];
    struct error error = {0};
    assert_int_equal(pipe(ends), 0);
    json_t *in = json_pack("{s:s, s:f}", "do", "trial", "x", 0.1);
    json_t *out = NULL;
    assert_int_equal(frame_write(ends[1], in, &error), STATUS_OK);
    assert_int_equal(frame_read(ends[0], 1000, &out, &error), STATUS_OK);
    assert_true(json_equal(in, out));
    json_decref(out);
    assert_int_equal(frame_read(ends[0], 10, &out, &error), STATUS_TIMED_OUT);
    assert_int_equal(close(ends[1]), 0);
    assert_int_equal(frame_read(ends[0], 10, &out, &error), STATUS_DEVICE_LOST);
    assert_int_equal(close(ends[0]), 0);
    json_decref(in);
}

/* A trace of the messages between a parent and its children, for people who look for a fault. */
TEST(messages_are_traced)
{
    char path[] = "/tmp/tune-test-XXXXXX";
    char text[256] = "";
    int ends[2];
    struct error error = {0};
    json_t *in = json_pack("{s:s, s:i}", "do", "visit", "slot", 3);
    json_t *out = NULL;
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(setenv("TUNE_WORKER_TRACE", path, 1), 0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(frame_write(ends[1], in, &error), STATUS_OK);
    assert_int_equal(frame_read(ends[0], 1000, &out, &error), STATUS_OK);
    assert_int_equal(unsetenv("TUNE_WORKER_TRACE"), 0);
    assert_true(read(file, text, sizeof text - 1) > 0);
    assert_string_equal(text, "> {\"do\":\"visit\",\"slot\":3}\n< {\"do\":\"visit\",\"slot\":3}\n");
    json_decref(in);
    json_decref(out);
    (void)close(ends[0]);
    (void)close(ends[1]);
    (void)close(file);
    (void)unlink(path);
}

static enum status read_bytes(const void *bytes, size_t count)
{
    int ends[2];
    struct error error = {0};
    json_t *out = NULL;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, count), (ssize_t)count);
    assert_int_equal(close(ends[1]), 0);
    enum status status = frame_read(ends[0], 1000, &out, &error);
    json_decref(out);
    assert_int_equal(close(ends[0]), 0);
    return status;
}

TEST(what_is_no_frame_is_refused)
{
    assert_int_equal(read_bytes("TUN2\2\0\0\0{}", 10), STATUS_INTERNAL); /* another version */
    assert_int_equal(read_bytes("TUN1\xff\xff\xff\xff{}", 10), STATUS_INTERNAL); /* too long */
    assert_int_equal(read_bytes("TUN1\0\0\0\0", 8), STATUS_INTERNAL);
    assert_int_equal(read_bytes("TUN1\2\0\0\0[]", 10), STATUS_INTERNAL); /* no object */
    assert_int_equal(read_bytes("TUN1\2\0\0\0{]", 10), STATUS_INTERNAL);
    assert_int_equal(read_bytes("TUN1\3\0\0\0{}", 10), STATUS_DEVICE_LOST); /* cut off */
    assert_int_equal(read_bytes("TUN1\2\0\0\0{}", 10), STATUS_OK);
}

TEST(what_is_unknown_stays_unknown)
{
    struct error error = {0};
    struct measure_answer in = measure_answer_empty();
    struct measure_answer out;
    in.conditions.sm_clock_mhz = 1980;
    in.conditions.ecc_errors = 3;
    json_t *json = message_encode(&message_answer, &in);
    assert_non_null(json);
    assert_int_equal(message_decode(&message_answer, json, NULL, &out, &error), STATUS_OK);
    const struct conditions *there = &out.conditions;
    assert_true(there->sm_clock_mhz == 1980);
    assert_true(isnan(there->memory_clock_mhz) && isnan(there->temperature_c) &&
                isnan(there->power_w) && isnan(there->energy_j));
    assert_int_equal(there->ecc_errors, 3);
    assert_int_equal(there->throttle, -1);
    assert_int_equal(there->other_processes, -1);
    assert_true(isnan(out.anchor_ns));
    json_decref(json);
}

/* Default values are not sent: the answer to most visits is just a time. */
TEST(answers_hold_what_there_is)
{
    struct error error = {0};
    struct measure_answer in = measure_answer_empty();
    struct measure_answer out;
    json_t *json = message_encode(&message_answer, &in);
    assert_int_equal(json_object_size(json), 0);
    json_decref(json);
    in.samples = (struct worker_samples){.results = {.outputs = UINT64_C(1) << (ARGUMENTS_MAX - 1),
                                                     .exact = true,
                                                     .known = {true, false},
                                                     .sums = {UINT64_MAX, 7},
                                                     .compared = 2},
                                         .runs = 5,
                                         .count = 2,
                                         .elapsed_ns = {1.5, 0.1}};
    in.resource_count = 1;
    in.resources[0] =
        (struct kernel_resources){.registers = 40, .spill_bytes = -1, .occupancy = -1};
    (void)strcpy(in.wrong, "out[3] is 4, not 5");
    in.energy.runs = 3;
    json = message_encode(&message_answer, &in);
    assert_int_equal(json_object_size(json), 4);
    assert_int_equal(message_decode(&message_answer, json, NULL, &out, &error), STATUS_OK);
    assert_int_equal(out.samples.count, 2);
    assert_true(out.samples.elapsed_ns[1] == 0.1);
    assert_int_equal(out.samples.runs, 5);
    assert_true(out.samples.results.outputs == UINT64_C(1) << (ARGUMENTS_MAX - 1));
    assert_true(out.samples.results.exact && !out.samples.results.unsteady);
    assert_true(out.samples.results.known[0] && !out.samples.results.known[1]);
    assert_true(out.samples.results.sums[0] == UINT64_MAX && out.samples.results.sums[1] == 7);
    assert_int_equal(out.resource_count, 1);
    assert_int_equal(out.resources[0].registers, 40);
    assert_int_equal(out.resources[0].spill_bytes, -1);
    assert_true(out.resources[0].occupancy == -1);
    assert_string_equal(out.wrong, in.wrong);
    assert_true(out.energy.runs == 3);
    json_decref(json);
}

static enum status read_answer(const char *text, struct measure_answer *answer)
{
    struct error error = {0};
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    enum status status = message_decode(&message_answer, json, NULL, answer, &error);
    json_decref(json);
    return status;
}

TEST(samples_are_numbers)
{
    struct measure_answer answer;
    assert_int_equal(read_answer("{\"samples\":{\"elapsed_ns\":[1.5,2],\"runs\":3}}", &answer),
                     STATUS_OK);
    assert_int_equal(answer.samples.count, 2);
    assert_int_equal(answer.samples.runs, 3);
    assert_true(answer.samples.elapsed_ns[0] == 1.5 && answer.samples.elapsed_ns[1] == 2);
    assert_int_equal(read_answer("{\"samples\":{\"runs\":-1}}", &answer), STATUS_INTERNAL);
    assert_int_equal(read_answer("{\"samples\":{\"elapsed_ns\":[1,\"2\"]}}", &answer),
                     STATUS_INTERNAL);
    assert_int_equal(read_answer("{\"samples\":[1]}", &answer), STATUS_INTERNAL);
    char many[3 * WORKER_SAMPLES_MAX + 64] = "{\"samples\":{\"elapsed_ns\":[1";
    for (int i = 0; i < WORKER_SAMPLES_MAX; i++)
        (void)strcat(many, ",1");
    assert_int_equal(read_answer(strcat(many, "]}}"), &answer), STATUS_INTERNAL);
}

/* A request without its subject is refused; omitted members have their defaults. */
TEST(requests_are_whole)
{
    static const struct {
        const struct message_shape *shape;
        const char *text;
        enum status status;
    } rows[] = {
        {&message_request, "{\"act\":\"trial\",\"task\":{\"plan\":{}}}", STATUS_OK},
        {&message_request, "{\"task\":{\"plan\":{}}}", STATUS_INTERNAL},
        {&message_request, "{\"act\":\"trial\",\"task\":{\"blocks\":65}}", STATUS_INTERNAL},
        {&message_request, "{\"act\":\"trial\",\"task\":{\"l2_mode\":12}}", STATUS_INTERNAL},
        {&message_request, "{\"act\":\"visit\",\"slot\":-1}", STATUS_INTERNAL},
        {&message_request, "{\"act\":\"visit\",\"slot\":100000}", STATUS_INTERNAL},
        {&message_request, "{\"act\":\"load\",\"launches\":[{}]}", STATUS_INTERNAL},
        {&message_binary_request, "{\"source_path\":\"a\",\"architecture\":\"b\"}", STATUS_OK},
        {&message_binary_request,
         "{\"source_path\":\"a\",\"architecture\":\"b\",\"unit_hashes\":[\"c\"]}", STATUS_INTERNAL},
        {&message_binary_request, "{\"source_path\":\"a\"}", STATUS_INTERNAL},
        {&message_plan, "{\"launches\":[{}]}", STATUS_INTERNAL},
        {&message_plan, "{\"launches\":{}}", STATUS_INTERNAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arena arena = {0};
        struct error error = {0};
        json_t *json = json_loads(rows[i].text, 0, NULL);
        assert_non_null(json);
        void *out = arena_alloc(&arena, 1, rows[i].shape->bytes);
        if (message_decode(rows[i].shape, json, &arena, out, &error) != rows[i].status)
            fail_msg("%s: %s", rows[i].text, error.text);
        json_decref(json);
        arena_free(&arena);
    }
}

TEST_MAIN(NULL, NULL)
