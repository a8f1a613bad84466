/* The inputs of the measuring child. */
#include <stdlib.h>
#include <string.h>

#include "tuner/worker/measure.h"
#include "tuner/worker/message.h"

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : !a && !b;
}

/* Element i depends on the fill and i only, so a longer vector still serves a shorter need. */
static bool serves(const struct host_input *input, const struct argument *argument)
{
    const struct argument *made = &input->argument;
    return input->data && made->type == argument->type && made->fill == argument->fill &&
           made->seed == argument->seed && made->fill_low == argument->fill_low &&
           made->fill_high == argument->fill_high &&
           same_text(input->fill_text, argument->fill_text) && made->count >= argument->count;
}

static void free_input(struct host_input *input)
{
    free(input->data);
    free(input->fill_text);
    *input = (struct host_input){0};
}

/* The old data is freed after the new was allocated: the device knows data by its address, and must
 * never find other data where it last took some. */
static enum status make_input(const struct measuring *state, struct host_input *input,
                              const struct argument *argument, struct error *error)
{
    if (serves(input, argument))
        return STATUS_OK;
    size_t bytes = (size_t)argument->count * element_bytes(argument->type);
    struct host_input made = {.data = malloc(bytes > 0 ? bytes : 1), .argument = *argument};
    if (argument->fill_text)
        made.fill_text = strdup(argument->fill_text);
    enum status status = made.data && (made.fill_text || !argument->fill_text)
                             ? host_fill(state, argument, made.data, error)
                             : error_no_memory(error);
    if (status != STATUS_OK) {
        free_input(&made);
        return status;
    }
    free_input(input);
    *input = made;
    return STATUS_OK;
}

enum status inputs_of_problem(const struct measuring *state, const struct launch_plan *plan,
                              const void *out[ARGUMENTS_MAX], struct error *error)
{
    memset(out, 0, ARGUMENTS_MAX * sizeof *out);
    for (size_t i = 0; i < plan->argument_count; i++) {
        if (!role_is_filled(plan->arguments[i].role))
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
        if (!role_is_filled(argument->role))
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
        free_input(&state->inputs[i]);
        free_input(&state->cases[i]);
    }
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
        if (role_is_filled(plan.arguments[i].role))
            status = make_input(state, &state->inputs[i], &plan.arguments[i], error);
    if (status != STATUS_OK)
        return status;
    status = inputs_of_problem(state, &plan, inputs, error);
    if (status != STATUS_OK)
        return status;
    return expectations_make(state, request, &plan, inputs, &state->expected, error);
}
