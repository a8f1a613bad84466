/* Baselines become candidates like any other, measured before all others. */
#include <math.h>
#include <string.h>

#include "tuner/session/internal.h"

/* Replaces the parameter by the block size that the Occupancy API suggests for the first kernel as
 * it is compiled with the baseline's own value. */
static enum status ask_occupancy(struct sweep *sweep, struct lane *lane,
                                 const struct baseline *baseline, struct candidate *candidate,
                                 struct configuration *configuration, struct error *error)
{
    struct loaded loaded = {0};
    struct worker_outcome outcome = {.status = TRIAL_OK};
    enum status status = sweep_binary(sweep, candidate, true, error);
    if (candidate->broken)
        return error_set(error, STATUS_LAUNCH_FAILED, "%s", candidate->broken);
    if (status == STATUS_OK)
        status = budget_await(sweep->group, &sweep->group->binaries, candidate->binary, error);
    if (status == STATUS_OK)
        status = sweep_load(sweep, lane, &lane->scratch, candidate, &loaded, &outcome, error);
    if (status == STATUS_OK && outcome.status != TRIAL_OK)
        return error_set(error, STATUS_LAUNCH_FAILED, "%s", outcome.detail);
    if (status != STATUS_OK || loaded.resources[0].suggested_block <= 0)
        return status;
    for (size_t i = 0; i < configuration->count; i++) {
        struct named_value *parameter = &configuration->values[i];
        if (strcmp(parameter->name, baseline->occupancy_parameter) == 0)
            parameter->value = value_integer(loaded.resources[0].suggested_block);
    }
    return STATUS_OK;
}

static bool is_fault_of_baseline(enum status status)
{
    return status == STATUS_COMPILE_FAILED || status == STATUS_LAUNCH_FAILED;
}

static enum status store_it(struct sweep *sweep, const struct baseline *baseline,
                            const struct candidate *candidate, struct error *error)
{
    return store_baseline(sweep->group->session->store, sweep->group->environment_id,
                          sweep->problem_id, baseline->name, baseline->about,
                          candidate->configuration_id, error);
}

static enum status adjust(struct sweep *sweep, const struct baseline *baseline,
                          struct configuration *out, struct error *error)
{
    struct lane *lane = group_lane(sweep->group);
    struct candidate candidate = {
        .own = out, .point = NO_POINT, .binary = NO_BINARY, .median_ns = (double)NAN};
    *out = baseline->configuration;
    if (!lane)
        return error_set(error, STATUS_DEVICE_LOST, "no device is left");
    enum status status = STATUS_OK;
    if (baseline->occupancy_parameter)
        status = ask_occupancy(sweep, lane, baseline, &candidate, out, error);
    arena_free(&lane->scratch);
    return status;
}

/* The candidate of the baseline: a point of the space, one that is there already, or its own. */
static enum status add(struct sweep *sweep, const struct baseline *baseline, struct error *error)
{
    struct configuration configuration;
    struct candidate *candidate = NULL;
    enum status status = adjust(sweep, baseline, &configuration, error);
    if (is_fault_of_baseline(status)) {
        session_note(sweep->group->session, "baseline '%s' is left out: %s", baseline->name,
                     error->text);
        error_clear(error);
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = sweep_candidate_of(sweep, &configuration, &candidate, error);
    if (status != STATUS_OK)
        return status;
    candidate->is_baseline = true;
    return store_it(sweep, baseline, candidate, error);
}

enum status sweep_add_baselines(struct sweep *sweep, struct error *error)
{
    struct baseline *baselines =
        arena_alloc(&sweep->arena, EXPERIMENT_BASELINES_MAX, sizeof *baselines);
    size_t count = 0;
    if (!baselines)
        return error_no_memory(error);
    enum status status = experiment_baselines(sweep->experiment, &sweep->problem,
                                              sweep->group->facts, baselines, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = add(sweep, &baselines[i], error);
    return status;
}
