/* Baselines become candidates like any other, measured with everything else. */
#include <math.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/session/internal.h"

/* Replaces the parameter by the block size that the Occupancy API suggests for the first kernel as
 * it is compiled with the baseline's own value. */
static enum status ask_occupancy(struct sweep *sweep, struct lane *lane,
                                 const struct baseline *baseline, struct candidate *candidate,
                                 struct error *error)
{
    struct binary_request request;
    struct loaded loaded = {0};
    struct worker_outcome outcome = {.status = TRIAL_OK};
    struct point point = sweep_point(sweep, candidate, 0);
    enum status status = point_binary(&point, &lane->scratch, &request, error);
    if (status == STATUS_OK)
        status = binaries_request(&sweep->group->binaries, &request, &candidate->binary, error);
    if (status == STATUS_OK)
        status = binaries_await(&sweep->group->binaries, candidate->binary, error);
    if (status == STATUS_OK)
        status = sweep_load(sweep, lane, &lane->scratch, candidate, &loaded, &outcome, error);
    if (status == STATUS_OK && outcome.status != TRIAL_OK)
        return error_set(error, STATUS_LAUNCH_FAILED, "%s", outcome.detail);
    if (status != STATUS_OK || loaded.resources[0].suggested_block <= 0)
        return status;
    for (size_t i = 0; i < candidate->configuration.count; i++) {
        struct named_value *parameter = &candidate->configuration.values[i];
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

/* The candidate of the baseline: one that is there already, or a new one at the end. */
static enum status add(struct sweep *sweep, const struct baseline *baseline, struct error *error)
{
    struct lane *lane = group_lane(sweep->group);
    struct candidate *candidate = &sweep->candidates[sweep->count];
    *candidate = (struct candidate){.configuration = baseline->configuration,
                                    .median_ns = (double)NAN,
                                    .same_as = NO_CANDIDATE,
                                    .is_baseline = true};
    enum status status = STATUS_OK;
    if (!lane)
        return error_set(error, STATUS_DEVICE_LOST, "no device is left");
    if (baseline->occupancy_parameter)
        status = ask_occupancy(sweep, lane, baseline, candidate, error);
    arena_free(&lane->scratch);
    if (is_fault_of_baseline(status)) {
        session_note(sweep->group->session, "baseline '%s' is left out: %s", baseline->name,
                     error->text);
        error_clear(error);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return status;
    if (!configuration_key(&candidate->configuration, candidate->key))
        return error_set(error, STATUS_BAD_INPUT, "baseline '%s': its values are too long",
                         baseline->name);
    for (size_t i = 0; i < sweep->count; i++) {
        if (strcmp(sweep->candidates[i].key, candidate->key) == 0) {
            sweep->candidates[i].is_baseline = true;
            return store_it(sweep, baseline, &sweep->candidates[i], error);
        }
    }
    status = store_configuration(sweep->group->session->store, sweep->experiment_id, candidate->key,
                                 candidate->configuration.values, candidate->configuration.count,
                                 &candidate->configuration_id, error);
    if (status != STATUS_OK)
        return status;
    sweep->count++;
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
    sweep->best = sweep->count;
    return status;
}
