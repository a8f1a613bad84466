#include "tuner/session/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/device/recording.h"
#include "tuner/experiment/recall.h"

/* Finds the recorded point; NULL: none. */
static const struct recorded_point *find(const struct work *work,
                                         const struct configuration *configuration)
{
    char key[CONFIGURATION_KEY_BYTES];
    (void)configuration_key(configuration, key);
    return recording_find(work->options->recording,
                          recording_hash(work->problem.key, work->problem.n),
                          recording_hash(key, 0));
}

enum status recorded_restrict(const struct session *session, const struct experiment *experiment,
                              const struct problem *problem, struct space *space,
                              struct error *error)
{
    const struct recording *recording = session->options->recording;
    struct arena arena = {0};
    size_t count = 0;
    size_t kept = 0;
    if (!recording)
        return STATUS_OK;
    const struct recorded_point *points =
        recording_problem(recording, recording_hash(problem->key, problem->n), &count);
    uint64_t *numbers = malloc((count + 1) * sizeof *numbers);
    enum status status = STATUS_OK;
    if (!numbers)
        return error_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct configuration configuration;
        bool found = false;
        TRY_OR_CLEANUP(recall_configuration(experiment,
                                            recording_text(recording, points[i].parameters), &arena,
                                            &configuration, &found, error));
        if (found && space_find(space, &configuration, &numbers[kept]))
            kept++;
        arena_free(&arena);
    }
    if (kept == 0)
        status = error_set(
            error, STATUS_NOT_FOUND, "%s: nothing of %s that was recorded is in its space%s",
            experiment_head(experiment)->path, problem_name(problem->key, problem->n).text,
            count > 0 ? ", which was another then" : "");
    else if (!space_keep(space, numbers, kept))
        status = error_no_memory(error);
cleanup:
    arena_free(&arena);
    free(numbers);
    return status;
}

enum status recorded_baseline(const struct work *work, const char *name, struct arena *arena,
                              struct configuration *out, bool *found, struct error *error)
{
    const struct recording *recording = work->options->recording;
    const struct recorded_baseline *items = recording->parts[RECORDED_BASELINES].items;
    const uint64_t problem = recording_hash(work->problem.key, work->problem.n);
    *found = false;
    for (size_t i = 0; i < recording->parts[RECORDED_BASELINES].count; i++)
        if (items[i].problem == problem &&
            strcmp(recording_text(recording, items[i].name), name) == 0)
            return recall_configuration(work->experiment,
                                        recording_text(recording, items[i].parameters), arena, out,
                                        found, error);
    return STATUS_OK;
}

void recorded_binary(const struct work *work, const struct configuration *configuration,
                     struct binary_request *out)
{
    const struct recorded_point *points = work->options->recording->parts[RECORDED_POINTS].items;
    const struct recorded_point *point = find(work, configuration);
    *out = (struct binary_request){
        .source_path = work->options->recording_source,
        .architecture = facts_text(work->facts, "architecture", ""),
        .define_count = 1,
        .defines[0] = {RECORDING_POINT_DEFINE, value_integer(point ? point - points : -1)},
    };
}

void recorded_charge(const struct work *work, const struct configuration *configuration,
                     uint32_t blocks)
{
    const struct recorded_point *point =
        work->options->recording_charges ? find(work, configuration) : NULL;
    if (!point)
        return;
    if (blocks == 0)
        clock_charge(point->trial_ns);
    else if (objective_needs_energy(work->objective))
        clock_charge((int64_t)(1e6 * work->protocol->energy_window_ms));
    else
        clock_charge(blocks * point->block_ns);
}
