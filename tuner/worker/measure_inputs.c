/* Inputs and expected results of the measuring child. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/seal.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/message.h"
#include "tuner/worker/reference.h"

/* One thread fills a small vector in less time than others take to start. */
enum { FILLERS_MAX = 16 };
static const int64_t filler_bytes = INT64_C(8) << 20;

struct part {
    void *data;
    const struct argument *argument;
    uint64_t first;
    uint64_t count;
};

static void *fill_part(void *context)
{
    const struct part *part = context;
    fill_vector(part->data, part->argument->type, part->argument->fill, part->argument->seed,
                part->first, part->count);
    return NULL;
}

/* Fillers run where this process might before it was pinned: nothing is timed meanwhile. */
static bool start_filler(const struct measuring *state, struct part *part, pthread_t *thread)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool started = pthread_attr_setaffinity_np(&attributes, sizeof state->processors,
                                               &state->processors) == 0 &&
                   pthread_create(thread, &attributes, fill_part, part) == 0;
    (void)pthread_attr_destroy(&attributes);
    return started;
}

static void fill(const struct measuring *state, void *data, const struct argument *argument)
{
    pthread_t threads[FILLERS_MAX];
    struct part parts[FILLERS_MAX];
    bool started[FILLERS_MAX];
    uint64_t count = (uint64_t)argument->count;
    int64_t most = argument->count * (int64_t)element_bytes(argument->type) / filler_bytes;
    uint64_t fillers = state->processor_count < FILLERS_MAX ? (uint64_t)state->processor_count
                                                            : (uint64_t)FILLERS_MAX;
    if ((int64_t)fillers > most)
        fillers = (uint64_t)most;
    if (fillers < 1)
        fillers = 1;
    for (uint64_t i = 0; i < fillers; i++) {
        uint64_t first = count / fillers * i;
        uint64_t end = i + 1 == fillers ? count : count / fillers * (i + 1);
        parts[i] = (struct part){data, argument, first, end - first};
        started[i] = fillers > 1 && start_filler(state, &parts[i], &threads[i]);
    }
    for (uint64_t i = 0; i < fillers; i++)
        if (started[i])
            (void)pthread_join(threads[i], NULL);
        else
            (void)fill_part(&parts[i]);
}

/* Element i depends on the seed and i only, so a longer vector still serves a shorter need. */
static bool serves(const struct host_input *input, const struct argument *argument)
{
    return input->data && input->type == argument->type && input->fill == argument->fill &&
           input->seed == argument->seed && input->count >= argument->count;
}

/* The old data is freed after the new was allocated: the device knows data by its address, and must
 * never find other data where it last took some. */
static enum status make_input(const struct measuring *state, struct host_input *input,
                              const struct argument *argument, struct error *error)
{
    if (serves(input, argument))
        return STATUS_OK;
    size_t bytes = (size_t)argument->count * element_bytes(argument->type);
    void *data = malloc(bytes > 0 ? bytes : 1);
    if (!data)
        return error_no_memory(error);
    free(input->data);
    fill(state, data, argument);
    *input = (struct host_input){.data = data,
                                 .type = argument->type,
                                 .fill = argument->fill,
                                 .seed = argument->seed,
                                 .count = argument->count};
    return STATUS_OK;
}

enum status inputs_of_problem(const struct measuring *state, const struct launch_plan *plan,
                              const void *out[ARGUMENTS_MAX], struct error *error)
{
    memset(out, 0, ARGUMENTS_MAX * sizeof *out);
    for (size_t i = 0; i < plan->argument_count; i++) {
        if (plan->arguments[i].role != ARGUMENT_INPUT)
            continue;
        if (!serves(&state->inputs[i], &plan->arguments[i]))
            return error_set(error, STATUS_INTERNAL, "the problem has no data for argument '%s'",
                             plan->arguments[i].name);
        out[i] = state->inputs[i].data;
    }
    return STATUS_OK;
}

enum status inputs_for_check(struct measuring *state, const struct launch_plan *plan,
                             const void *out[ARGUMENTS_MAX], struct error *error)
{
    enum status status = STATUS_OK;
    memset(out, 0, ARGUMENTS_MAX * sizeof *out);
    for (size_t i = 0; status == STATUS_OK && i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        if (argument->role != ARGUMENT_INPUT)
            continue;
        struct host_input *input = &state->inputs[i];
        if (!serves(input, argument)) {
            input = &state->cases[i];
            status = make_input(state, input, argument, error);
        }
        out[i] = input->data;
    }
    return status;
}

void inputs_free(struct measuring *state)
{
    for (size_t i = 0; i < ARGUMENTS_MAX; i++) {
        free(state->inputs[i].data);
        free(state->cases[i].data);
    }
}

void expectation_free(struct expectation *expected)
{
    free(expected->elements);
    free(expected->got);
    *expected = (struct expectation){0};
}

enum status expectation_make(const json_t *request, const struct launch_plan *plan,
                             const void *const inputs[ARGUMENTS_MAX], struct expectation *out,
                             struct error *error)
{
    const char *path = message_text(request, "reference_path", NULL);
    expectation_free(out);
    if (!path)
        return STATUS_OK;
    out->output = (size_t)message_integer(request, "output", 0);
    out->tolerance = message_real(request, "tolerance", 0);
    enum status status = seal_check(path, error);
    if (status == STATUS_OK)
        status = reference_compute(path, message_text(request, "reference", ""), plan, inputs,
                                   out->output, &out->elements, error);
    if (status != STATUS_OK)
        return status;
    const struct argument *output = &plan->arguments[out->output];
    out->count = (size_t)output->count;
    out->got = malloc(out->count * element_bytes(output->type) + 1);
    return out->got ? STATUS_OK : error_no_memory(error);
}

enum status expectation_holds(struct measuring *state, const struct expectation *expected,
                              const struct launch_plan *plan, bool *right, char *detail,
                              size_t detail_bytes, struct error *error)
{
    const struct argument *output = &plan->arguments[expected->output];
    if (expected->output >= plan->argument_count || (size_t)output->count != expected->count)
        return error_set(error, STATUS_INTERNAL, "the plan's output is not the problem's");
    size_t bytes = expected->count * element_bytes(output->type);
    enum status status =
        state->api->read(state->device, expected->output, expected->got, bytes, error);
    if (status == STATUS_OK)
        *right = output_matches(expected->got, output->type, expected->count, expected->elements,
                                expected->tolerance, output->name, detail, detail_bytes);
    return status;
}

enum status serve_problem(struct measuring *state, const json_t *request, json_t *answer,
                          struct arena *arena, struct error *error)
{
    struct launch_plan plan;
    const void *inputs[ARGUMENTS_MAX];
    (void)answer;
    slots_forget(state);
    enum status status = message_to_plan(json_object_get(request, "plan"), arena, &plan, error);
    for (size_t i = 0; status == STATUS_OK && i < plan.argument_count; i++)
        if (plan.arguments[i].role == ARGUMENT_INPUT)
            status = make_input(state, &state->inputs[i], &plan.arguments[i], error);
    if (status != STATUS_OK)
        return status;
    status = inputs_of_problem(state, &plan, inputs, error);
    if (status != STATUS_OK)
        return status;
    return expectation_make(request, &plan, inputs, &state->expected, error);
}
