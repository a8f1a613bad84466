/* Expected outputs that depend on a parameter: a set of expectations for each value, one of which
 * is in use. */
#include <stdlib.h>
#include <string.h>

#include "tuner/worker/measure.h"

static const char *key_of(const char *key)
{
    return key ? key : "";
}

static void free_set(struct expectation_set *set)
{
    free(set->key);
    for (size_t i = 0; i < WORKER_SIDES; i++)
        expectations_free(&set->expected[i]);
    *set = (struct expectation_set){0};
}

void expectations_drop(struct measuring *state)
{
    for (size_t i = 0; i < EXPECTATION_SETS; i++)
        free_set(&state->sets[i]);
    for (size_t i = 0; i < WORKER_SIDES; i++)
        expectations_free(&state->expected[i]);
    free(state->expected_key);
    state->expected_key = NULL;
    expectations_free(&state->case_expected);
    free(state->case_key);
    state->case_key = NULL;
}

enum status expectations_begin(struct measuring *state, const char *key, struct error *error)
{
    expectations_drop(state);
    state->expected_key = strdup(key_of(key));
    return state->expected_key ? STATUS_OK : error_no_memory(error);
}

enum status expectations_choose(struct measuring *state, const struct worker_task *task,
                                struct error *error)
{
    const char *key = key_of(task->checks_key);
    if (!task->plan || strcmp(key_of(state->expected_key), key) == 0)
        return STATUS_OK;
    /* The slot with that key; else an empty one, or the least recently used. */
    struct expectation_set *set = NULL;
    bool is_known = false;
    for (size_t i = 0; i < EXPECTATION_SETS && !is_known; i++) {
        struct expectation_set *slot = &state->sets[i];
        is_known = slot->key && strcmp(slot->key, key) == 0;
        if (is_known || !set || (set->key && (!slot->key || slot->used < set->used)))
            set = slot;
    }
    if (!is_known) {
        free_set(set);
        TRY_MEMORY(set->key = strdup(key));
    }
    struct expectation_set other = {.key = state->expected_key, .used = ++state->set_clock};
    memcpy(other.expected, state->expected, sizeof other.expected);
    memcpy(state->expected, set->expected, sizeof state->expected);
    state->expected_key = set->key;
    *set = other;
    if (state->expected[0].count > 0 || task->checks.count == 0)
        return STATUS_OK;
    const void *inputs[ARGUMENTS_MAX];
    TRY(inputs_of_problem(state, task->plan, inputs, error));
    TRY(expectations_make(state, &task->checks, task->plan, inputs, NULL, &state->expected[0],
                          error));
    if (!state->varied)
        return STATUS_OK;
    struct launch_plan varied = *task->plan;
    for (size_t i = 0; i < varied.argument_count; i++)
        varied.arguments[i].variant = state->varied->arguments[i].variant;
    TRY(inputs_in(state, state->others, &varied, inputs, error));
    return expectations_make(state, &task->checks, &varied, inputs, &state->expected[0],
                             &state->expected[1], error);
}
