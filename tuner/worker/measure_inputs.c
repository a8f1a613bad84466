/* The inputs of the measuring child. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/worker/measure.h"

/* Element i depends on the fill and i only, so a longer vector still serves a shorter need. */
static bool serves(const struct host_input *input, const struct argument *argument)
{
    return input->contents == argument_contents(argument) && input->count >= argument->count;
}

/* That it cannot although it should is said once. */
static bool device_makes(struct measuring *state, const struct argument *argument)
{
    struct error why = {0};
    const bool makes = state->device && state->api->makes &&
                       works_on_device(state, argument_bytes(argument)) &&
                       state->api->makes(state->device, argument, &why);
    if (why.status != STATUS_OK && !state->told_of_inputs) {
        measure_remark(state, "inputs are made on the host: %s", why.text);
        state->told_of_inputs = true;
    }
    return makes;
}

/* Without `on_host` only what the device does not make itself is made, and as much of it as was
 * there. The old data is freed after the new was allocated: the device knows data by its address,
 * and must never find other data where it last took some. */
static enum status make_input(struct measuring *state, struct host_input *input,
                              const struct argument *argument, bool on_host, struct error *error)
{
    const bool same = serves(input, argument);
    const bool there = same ? input->there : device_makes(state, argument);
    struct argument whole = *argument;
    if (same)
        whole.count = input->count;
    struct host_input made = {
        .contents = argument_contents(argument), .count = whole.count, .there = there};
    if (same && (input->data || (there && !on_host)))
        return STATUS_OK;
    if (on_host || !there) {
        made.data = host_room(argument_bytes(&whole));
        enum status status =
            made.data ? host_fill(state, &whole, made.data, error) : error_no_memory(error);
        if (status != STATUS_OK) {
            free(made.data);
            return status;
        }
    }
    free(input->data);
    *input = made;
    return STATUS_OK;
}

/* What it is bound with. */
static const void *given(const struct host_input *input)
{
    return input->there ? NULL : input->data;
}

static bool has_data(const struct measuring *state, const struct argument *argument)
{
    return role_is_filled(argument->role) && !state->computes_nothing;
}

enum status inputs_bind(struct measuring *state, const struct launch_plan *plan,
                        const void *const *inputs, uint32_t copies, struct error *error)
{
    TRY(state->api->bind(state->device, plan, inputs, copies, error));
    for (size_t i = 0; i < plan->argument_count; i++)
        if (has_data(state, &plan->arguments[i]) && !inputs[i])
            (void)device_makes(state, &plan->arguments[i]);
    return STATUS_OK;
}

enum status inputs_of_problem(const struct measuring *state, const struct launch_plan *plan,
                              const void *out[ARGUMENTS_MAX], struct error *error)
{
    memset(out, 0, ARGUMENTS_MAX * sizeof *out);
    for (size_t i = 0; i < plan->argument_count; i++) {
        if (!has_data(state, &plan->arguments[i]))
            continue;
        if (!serves(&state->inputs[i], &plan->arguments[i]))
            return error_set(error, STATUS_INTERNAL, "the problem has no data for argument '%s'",
                             plan->arguments[i].name);
        out[i] = given(&state->inputs[i]);
    }
    return STATUS_OK;
}

enum status inputs_on_host(struct measuring *state, const struct launch_plan *plan,
                           const void *out[ARGUMENTS_MAX], struct error *error)
{
    enum status status = STATUS_OK;
    memset(out, 0, ARGUMENTS_MAX * sizeof *out);
    for (size_t i = 0; status == STATUS_OK && i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        struct host_input *places[] = {&state->inputs[i], &state->cases[i], &state->others[i]};
        size_t place = 0;
        if (!has_data(state, argument))
            continue;
        while (place < 2 && !serves(places[place], argument))
            place++;
        status = make_input(state, places[place], argument, true, error);
        out[i] = places[place]->data;
    }
    return status;
}

static enum status inputs_in(struct measuring *state, struct host_input *cases,
                             const struct launch_plan *plan, const void *out[ARGUMENTS_MAX],
                             struct error *error)
{
    enum status status = STATUS_OK;
    memset(out, 0, ARGUMENTS_MAX * sizeof *out);
    for (size_t i = 0; status == STATUS_OK && i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        if (!has_data(state, argument))
            continue;
        struct host_input *input = &state->inputs[i];
        if (!serves(input, argument)) {
            input = &cases[i];
            status = make_input(state, input, argument, false, error);
        }
        out[i] = given(input);
    }
    return status;
}

enum status inputs_for_check(struct measuring *state, const struct launch_plan *plan,
                             const void *out[ARGUMENTS_MAX], struct error *error)
{
    return inputs_in(state, state->cases, plan, out, error);
}

enum status inputs_of_variant(struct measuring *state, const struct launch_plan *plan,
                              const void *out[ARGUMENTS_MAX], struct error *error)
{
    return inputs_in(state, state->others, plan, out, error);
}

void inputs_free(struct measuring *state)
{
    for (size_t i = 0; i < ARGUMENTS_MAX; i++) {
        free(state->inputs[i].data);
        free(state->cases[i].data);
        free(state->others[i].data);
    }
}

struct measuring *measuring_of_host(const struct device_api *api)
{
    struct measuring *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->api = api;
    if (sched_getaffinity(0, sizeof state->processors, &state->processors) == 0)
        state->processor_count = CPU_COUNT(&state->processors);
    return state;
}

static bool may_vary_in_turns(const struct argument *argument)
{
    return argument->role == ARGUMENT_INPUT && argument_rotates(argument);
}

/* What every second copy of the inputs is to be like when timed, and what that comes to. Where
 * there is but one copy there is nothing to vary. */
static enum status vary_problem(struct measuring *state, const struct worker_task *problem,
                                struct error *error)
{
    const struct launch_plan *plan = problem->plan;
    const void *inputs[ARGUMENTS_MAX];
    if (!problem->varies || copies_for(state, plan, L2_COLD) < 2 ||
        state->reference_ns > WORKER_COSTLY_NS)
        return STATUS_OK;
    state->varied = malloc(sizeof *state->varied);
    if (!state->varied)
        return error_no_memory(error);
    *state->varied = *plan;
    vary_together(state->varied, may_vary_in_turns);
    for (size_t i = 0; i < plan->argument_count; i++)
        vary_patch(&state->varied->arguments[i], &state->patches[i]);
    enum status status = STATUS_OK;
    if (state->expected[0].count > 0)
        status = inputs_of_variant(state, state->varied, inputs, error);
    return status == STATUS_OK && state->expected[0].count > 0
               ? expectations_make(state, &problem->checks, state->varied, inputs,
                                   &state->expected[0], &state->expected[1], error)
               : status;
}

enum status serve_problem(struct measuring *state, const struct measure_request *request,
                          struct measure_answer *answer, struct arena *arena, struct error *error)
{
    const struct worker_task *problem = &request->task;
    const struct launch_plan *plan = problem->plan;
    const void *inputs[ARGUMENTS_MAX];
    slots_forget(state);
    state->varied_right = false;
    free(state->varied);
    state->varied = NULL;
    enum status status = expectations_begin(state, problem->checks_key, error);
    (void)arena;
    for (size_t i = 0; status == STATUS_OK && i < plan->argument_count; i++)
        if (has_data(state, &plan->arguments[i]))
            status = make_input(state, &state->inputs[i], &plan->arguments[i], false, error);
    if (status != STATUS_OK)
        return status;
    status = inputs_of_problem(state, plan, inputs, error);
    int64_t started_ns = clock_now_ns();
    state->recalled_ns = 0;
    if (status == STATUS_OK)
        status = expectations_make(state, &problem->checks, plan, inputs, NULL, &state->expected[0],
                                   error);
    answer->reference_ns = state->expected[0].count > 0 ? clock_now_ns() - started_ns : 0;
    /* What is costly is so whether or not the cache has it: what varies is the same each time. */
    state->reference_ns = answer->reference_ns + state->recalled_ns;
    return status == STATUS_OK ? vary_problem(state, problem, error) : status;
}
