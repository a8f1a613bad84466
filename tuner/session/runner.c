/* A runner's row in the store. */
#include <math.h>
#include <stdlib.h>

#include "tuner/session/internal.h"

struct valid_samples {
    double *times;
    double *energies;
    size_t count;
};

static enum status take_valid(const struct runner *runner, struct valid_samples *out,
                              struct error *error)
{
    *out = (struct valid_samples){
        .times = malloc((runner->sample_count + 1) * sizeof *out->times),
        .energies = malloc((runner->sample_count + 1) * sizeof *out->energies),
    };
    if (!out->times || !out->energies) {
        free(out->times);
        free(out->energies);
        *out = (struct valid_samples){0};
        return error_no_memory(error);
    }
    for (size_t i = 0; i < runner->sample_count; i++) {
        if (runner->samples[i].invalid)
            continue;
        out->times[out->count] = runner->samples[i].elapsed_ns;
        out->energies[out->count++] = runner->samples[i].energy_j;
    }
    return STATUS_OK;
}

/* The medians of what counts, and the objective of them. */
struct measured {
    struct summary times;
    double energy_j;
    double value;
    struct named_value metrics[EXPERIMENT_METRICS_MAX];
    size_t metric_count;
};

static enum status measure_of(const struct sweep *sweep, const struct runner *runner,
                              struct measured *out, struct error *error)
{
    struct valid_samples valid;
    double value = (double)NAN;
    enum status status = take_valid(runner, &valid, error);
    if (status != STATUS_OK || !valid.times)
        return status;
    out->times = summarize(valid.times, valid.count);
    out->energy_j = valid.count > 0 ? median_of(valid.energies, valid.count) : (double)NAN;
    if (runner->outcome.status == TRIAL_OK && out->times.median > 0) {
        status = sweep_value(sweep, runner->candidate, &runner->loaded, out->times.median,
                             out->energy_j, &value, error);
        out->metric_count = sweep_metrics(sweep, runner->candidate, &runner->loaded,
                                          out->times.median, out->energy_j, out->metrics);
    }
    out->value = exp(value);
    free(valid.times);
    free(valid.energies);
    return status;
}

enum status runner_value(const struct sweep *sweep, const struct runner *runner, double *median_ns,
                         double *value, struct error *error)
{
    struct measured measured = {0};
    enum status status = measure_of(sweep, runner, &measured, error);
    *median_ns = measured.times.median;
    *value = measured.value;
    return status;
}

static void fill(const struct track *track, const struct runner *runner,
                 const struct measured *measured, struct store_trial *trial)
{
    const struct sweep *sweep = track->sweep;
    bool ok = runner->outcome.status == TRIAL_OK;
    *trial = (struct store_trial){
        .run_id = track->lane->run_id,
        .environment_id = sweep->group->environment_id,
        .problem_id = sweep->problem_id,
        .configuration_id = runner->candidate->configuration_id,
        .stage = track->stage,
        .objective = objective_text(sweep->objective),
        .l2_mode = sweep->group->session->options->l2_mode,
        .status = runner->outcome.status,
        .detail = ok ? NULL : runner->outcome.detail,
        .binary_hash = sweep->group->binaries.items[runner->candidate->binary].hash,
        .derived = ok ? runner->loaded.derived : NULL,
        .derived_count = ok ? runner->loaded.derived_count : 0,
        .metrics = measured->metrics,
        .metric_count = measured->metric_count,
        .plan = ok ? &runner->loaded.plan : NULL,
        .resources = ok ? runner->loaded.resources : NULL,
        .samples = runner->samples,
        .sample_count = runner->sample_count,
        .median_ns = measured->times.median,
        .mad_ns = measured->times.mad,
        .min_ns = measured->times.minimum,
        .max_ns = measured->times.maximum,
        .energy_j = measured->energy_j,
        .value = measured->value,
        .duration_ns = runner->spent_ns,
    };
}

enum status runner_store(const struct track *track, const struct runner *runner, int64_t *trial_id,
                         struct error *error)
{
    struct measured measured = {0};
    struct store_trial trial;
    enum status status = measure_of(track->sweep, runner, &measured, error);
    fill(track, runner, &measured, &trial);
    if (status == STATUS_OK)
        status = store_trial(track->sweep->group->session->store, &trial, trial_id, error);
    return status;
}

void runner_free(struct runner *runner)
{
    free(runner->samples);
    runner->samples = NULL;
    runner->sample_count = 0;
    runner->sample_capacity = 0;
}
