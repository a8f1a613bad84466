/* The measuring child: one device, one problem at a time, one configuration in flight. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/seal.h"
#include "tuner/device/device.h"
#include "tuner/trial/data.h"
#include "tuner/trial/summary.h"
#include "tuner/worker/child.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/message.h"
#include "tuner/worker/reference.h"
#include "tuner/worker/spawn.h"
#include "tuner/worker/worker.h"

/* Copies of the inputs for cold timing fill at most this much, and a 16th of the device's memory.
 */
static const int64_t copies_bytes_max = INT64_C(768) << 20;
enum { COPIES_MAX = 512 };
static const double block_target_ns = 100000.0;

struct host_input {
    void *data;
    enum element_type type;
    enum argument_fill fill;
    uint64_t seed;
    int64_t count;
};

struct measuring {
    const struct device_api *api;
    struct device *device;
    struct facts facts;
    struct calibration calibration;
    struct host_input inputs[ARGUMENTS_MAX];
    struct tune_expected *expected; /* NULL: nothing is checked */
    size_t output;
    double tolerance;
    void *got; /* the output read back */
    uint32_t copies;
};

/* Element i depends on the seed and i only, so a longer vector still serves a shorter need. */
static enum status make_input(struct host_input *input, const struct argument *argument,
                              struct error *error)
{
    if (input->data && input->type == argument->type && input->fill == argument->fill &&
        input->seed == argument->seed && input->count >= argument->count)
        return STATUS_OK;
    free(input->data);
    size_t bytes = (size_t)argument->count * element_bytes(argument->type);
    *input = (struct host_input){.data = malloc(bytes > 0 ? bytes : 1)};
    if (!input->data)
        return error_no_memory(error);
    fill_vector(input->data, argument->type, argument->fill, argument->seed, 0,
                (uint64_t)argument->count);
    input->type = argument->type;
    input->fill = argument->fill;
    input->seed = argument->seed;
    input->count = argument->count;
    return STATUS_OK;
}

static uint32_t copies_for(const struct measuring *state, const struct launch_plan *plan)
{
    int64_t bytes = 1;
    for (size_t i = 0; i < plan->argument_count; i++)
        if (plan->arguments[i].role == ARGUMENT_INPUT)
            bytes += plan->arguments[i].count * (int64_t)element_bytes(plan->arguments[i].type);
    int64_t memory = facts_integer(&state->facts, "memory_bytes", INT64_C(4) << 30);
    int64_t room = memory / 16 < copies_bytes_max ? memory / 16 : copies_bytes_max;
    int64_t copies = room / bytes;
    if (copies < 1)
        return 1;
    return copies > COPIES_MAX ? COPIES_MAX : (uint32_t)copies;
}

static void input_pointers(const struct measuring *state, const struct launch_plan *plan,
                           const void *out[ARGUMENTS_MAX])
{
    for (size_t i = 0; i < plan->argument_count; i++)
        out[i] = plan->arguments[i].role == ARGUMENT_INPUT ? state->inputs[i].data : NULL;
}

static enum status expect(struct measuring *state, const struct launch_plan *plan,
                          const json_t *request, struct error *error)
{
    const char *path = message_text(request, "reference_path", NULL);
    free(state->expected);
    state->expected = NULL;
    if (!path)
        return STATUS_OK;
    const void *inputs[ARGUMENTS_MAX] = {0};
    input_pointers(state, plan, inputs);
    state->output = (size_t)message_integer(request, "output", 0);
    state->tolerance = message_real(request, "tolerance", 0);
    enum status status = seal_check(path, error);
    if (status == STATUS_OK)
        status = reference_compute(path, message_text(request, "reference", ""), plan, inputs,
                                   state->output, &state->expected, error);
    if (status != STATUS_OK)
        return status;
    const struct argument *output = &plan->arguments[state->output];
    free(state->got);
    state->got = malloc((size_t)output->count * element_bytes(output->type) + 1);
    return state->got ? STATUS_OK : error_no_memory(error);
}

static enum status serve_problem(struct measuring *state, const json_t *request,
                                 struct arena *arena, struct error *error)
{
    struct launch_plan plan;
    enum status status = message_to_plan(json_object_get(request, "plan"), arena, &plan, error);
    for (size_t i = 0; status == STATUS_OK && i < plan.argument_count; i++)
        if (plan.arguments[i].role == ARGUMENT_INPUT)
            status = make_input(&state->inputs[i], &plan.arguments[i], error);
    if (status == STATUS_OK)
        status = expect(state, &plan, request, error);
    if (status == STATUS_OK)
        state->copies = copies_for(state, &plan);
    return status;
}

static enum status serve_load(struct measuring *state, const json_t *request, json_t *answer,
                              struct error *error)
{
    const json_t *kernels = json_object_get(request, "kernels");
    json_t *list = json_array();
    const char *binary = message_text(request, "binary", "");
    enum status status = message_set(answer, "resources", list, error);
    if (status == STATUS_OK)
        status = seal_check(binary, error); /* a cut shared object would end this process */
    if (status == STATUS_OK)
        status = state->api->load(state->device, binary, error);
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(kernels); i++) {
        const json_t *use = json_array_get(kernels, i);
        struct kernel_resources resources;
        status =
            state->api->resources(state->device, message_text(use, "kernel", ""),
                                  (uint32_t)message_integer(use, "threads", 1),
                                  (uint32_t)message_integer(use, "shared", 0), &resources, error);
        if (status == STATUS_OK)
            status = message_append(list, message_from_resources(&resources), error);
    }
    return status;
}

/* Reads the output and holds it against the reference; false with the reason in `detail`. */
static enum status check_output(struct measuring *state, const struct launch_plan *plan,
                                bool *right, char *detail, size_t detail_bytes, struct error *error)
{
    const struct argument *output = &plan->arguments[state->output];
    size_t bytes = (size_t)output->count * element_bytes(output->type);
    enum status status = state->api->read(state->device, state->output, state->got, bytes, error);
    if (status == STATUS_OK)
        *right = output_matches(state->got, output->type, (size_t)output->count, state->expected,
                                state->tolerance, output->name, detail, detail_bytes);
    return status;
}

struct timing {
    enum l2_mode mode;
    uint32_t blocks;
    uint32_t runs; /* 0: to be found */
    double stop_above_ns;
};

static enum status take_samples(struct measuring *state, const struct launch_plan *plan,
                                struct timing *timing, json_t *samples, struct error *error)
{
    double elapsed_ns = 0;
    enum status status = STATUS_OK;
    if (timing->runs == 0) {
        status =
            state->api->time_block(state->device, plan, 1, timing->mode, false, &elapsed_ns, error);
        timing->runs =
            block_runs(elapsed_ns, state->calibration.tick_ns, block_target_ns, state->copies);
        bool hopeless = timing->stop_above_ns > 0 && elapsed_ns > timing->stop_above_ns;
        if (status != STATUS_OK || hopeless) {
            timing->runs = 1;
            return status == STATUS_OK ? message_append(samples, json_real(elapsed_ns), error)
                                       : status;
        }
    }
    for (uint32_t i = 0; status == STATUS_OK && i < timing->blocks; i++) {
        status = state->api->time_block(state->device, plan, timing->runs, timing->mode, i > 0,
                                        &elapsed_ns, error);
        if (status == STATUS_OK)
            status = message_append(samples, json_real(elapsed_ns), error);
        if (timing->stop_above_ns > 0 && elapsed_ns > timing->stop_above_ns)
            break;
    }
    return status;
}

static enum status verify(struct measuring *state, const struct launch_plan *plan, json_t *answer,
                          bool *right, struct error *error)
{
    char detail[ERROR_TEXT_BYTES] = "";
    enum status status = check_output(state, plan, right, detail, sizeof detail, error);
    if (status == STATUS_OK && !*right)
        status = message_set(answer, "wrong", json_string(detail), error);
    return status;
}

static enum status serve_trial(struct measuring *state, const json_t *request, json_t *answer,
                               struct arena *arena, struct error *error)
{
    struct launch_plan plan;
    const void *inputs[ARGUMENTS_MAX] = {0};
    struct timing timing = {
        .mode = message_integer(request, "mode", L2_COLD) == L2_HOT ? L2_HOT : L2_COLD,
        .blocks = (uint32_t)message_integer(request, "blocks", 1),
        .runs = (uint32_t)message_integer(request, "runs", 0),
        .stop_above_ns = message_real(request, "stop_above_ns", 0),
    };
    bool checked = json_is_true(json_object_get(request, "verify")) && state->expected;
    bool right = true;
    double first_ns = 0;
    json_t *samples = json_array();
    enum status status = message_set(answer, "samples", samples, error);
    if (status == STATUS_OK)
        status = message_to_plan(json_object_get(request, "plan"), arena, &plan, error);
    if (status != STATUS_OK)
        return status;
    input_pointers(state, &plan, inputs);
    if (timing.runs > state->copies)
        timing.runs = state->copies;
    status = state->api->bind(state->device, &plan, inputs, state->copies, error);
    if (status == STATUS_OK && checked)
        status = state->api->run(state->device, &plan, &first_ns, error);
    if (status == STATUS_OK && checked)
        status = verify(state, &plan, answer, &right, error);
    if (status == STATUS_OK && right && timing.blocks > 0)
        status = take_samples(state, &plan, &timing, samples, error);
    if (status == STATUS_OK && checked && right) /* what repeated launches left behind */
        status = verify(state, &plan, answer, &right, error);
    if (status == STATUS_OK)
        status = message_set(answer, "runs", json_integer(timing.runs), error);
    return status;
}

static enum status serve_bandwidth(struct measuring *state, json_t *answer, struct error *error)
{
    struct bandwidth bandwidth = {0};
    enum status status = state->api->bandwidth(state->device, 0, &bandwidth, error);
    const struct {
        const char *key;
        double gbs;
    } rows[] = {{"host_to_device", bandwidth.host_to_device_gbs},
                {"device_to_host", bandwidth.device_to_host_gbs},
                {"copy", bandwidth.copy_gbs},
                {"read", bandwidth.read_gbs},
                {"write", bandwidth.write_gbs}};
    for (size_t i = 0; status == STATUS_OK && i < sizeof rows / sizeof rows[0]; i++)
        status = message_set(answer, rows[i].key, json_real(rows[i].gbs), error);
    if (status == STATUS_OK)
        status = message_set(answer, "bytes", json_integer(bandwidth.bytes), error);
    return status;
}

static enum status serve(void *context, const json_t *request, json_t **answer, struct error *error)
{
    struct measuring *state = context;
    struct arena arena = {0};
    const char *what = message_text(request, "do", "");
    enum status status = STATUS_OK;
    *answer = json_object();
    if (strcmp(what, "problem") == 0)
        status = serve_problem(state, request, &arena, error);
    else if (strcmp(what, "load") == 0)
        status = serve_load(state, request, *answer, error);
    else if (strcmp(what, "trial") == 0)
        status = serve_trial(state, request, *answer, &arena, error);
    else if (strcmp(what, "bandwidth") == 0)
        status = serve_bandwidth(state, *answer, error);
    else
        status = error_set(error, STATUS_INTERNAL, "worker was asked to '%s'", what);
    arena_free(&arena);
    return status;
}

static enum status describe(struct measuring *state, int index, struct error *error)
{
    facts_free(&state->facts);
    state->facts = (struct facts){0};
    return state->api->describe(index, &state->facts, error);
}

/* When a device has gone, those behind it have other numbers. */
static enum status find_device(struct measuring *state, int *index, const char *uuid,
                               struct error *error)
{
    int count = 0;
    if (describe(state, *index, error) == STATUS_OK &&
        strcmp(facts_text(&state->facts, "uuid", ""), uuid) == 0)
        return STATUS_OK;
    error_clear(error);
    enum status status = state->api->count(&count, error);
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        struct error ignored = {0};
        if (describe(state, i, &ignored) != STATUS_OK ||
            strcmp(facts_text(&state->facts, "uuid", ""), uuid) != 0)
            continue;
        *index = i;
        return STATUS_OK;
    }
    return status == STATUS_OK
               ? error_set(error, STATUS_UNAVAILABLE, "%s is gone, other devices are there", uuid)
               : status;
}

/* The first message: who we are, or why we cannot be. */
static enum status greet(struct measuring *state, int index, const char *uuid, struct error *error)
{
    json_t *hello = NULL;
    enum status status =
        uuid ? find_device(state, &index, uuid, error) : describe(state, index, error);
    if (status == STATUS_OK)
        status = state->api->open(index, &state->device, error);
    if (status == STATUS_OK) {
        state->api->calibration(state->device, &state->calibration);
        hello = json_pack("{s:o, s:f, s:f}", "facts", message_from_facts(&state->facts), "tick_ns",
                          state->calibration.tick_ns, "empty_pair_ns",
                          state->calibration.empty_pair_ns);
    } else {
        hello = message_from_error(error);
    }
    struct error sending = {0};
    if (!hello || frame_write(CHILD_OUTPUT, hello, &sending) != STATUS_OK)
        status = STATUS_INTERNAL;
    json_decref(hello);
    return status;
}

int measure_child(const char *kind, int index, const char *uuid)
{
    struct measuring state = {.api = device_kind(kind), .copies = 1};
    struct error error = {0};
    int code = EXIT_CODE_FAILED;
    if (!state.api)
        return EXIT_CODE_USAGE;
    if (greet(&state, index, uuid, &error) == STATUS_OK)
        code = child_loop(serve, &state);
    if (state.device)
        state.api->close(state.device);
    for (size_t i = 0; i < ARGUMENTS_MAX; i++)
        free(state.inputs[i].data);
    free(state.expected);
    free(state.got);
    facts_free(&state.facts);
    return code;
}
