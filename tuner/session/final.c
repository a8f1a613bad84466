/* The fastest of the sweep again, interleaved with the baselines, round by round: drift then
 * touches all alike. The winner is the smallest median of these. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/random.h"
#include "tuner/session/internal.h"
#include "tuner/trial/summary.h"

enum {
    FINALISTS = 12,
    FINALISTS_MAX = FINALISTS + EXPERIMENT_BASELINES_MAX,
    ROUNDS_LEAST = 15,
    ROUNDS_MOST = 41,
};
/* Rounds beyond the least are added while the final has taken less than this. */
static const int64_t final_budget_ns = 1500000000;

struct finalist {
    struct candidate *candidate;
    struct loaded loaded;
    struct store_sample samples[ROUNDS_MOST];
    size_t sample_count;
    double median_ns;
    int64_t trial_id;
    int64_t spent_ns;
    struct worker_outcome outcome;
};

struct final {
    struct sweep *sweep;
    struct finalist *finalists;
    size_t count;
    struct arena arena;
};

static int by_median(const void *a, const void *b)
{
    const struct candidate *x = *(const struct candidate *const *)a;
    const struct candidate *y = *(const struct candidate *const *)b;
    if (x->median_ns != y->median_ns)
        return x->median_ns < y->median_ns ? -1 : 1;
    return strcmp(x->key, y->key);
}

static void add_finalist(struct final *final, struct candidate *candidate)
{
    for (size_t i = 0; i < final->count; i++)
        if (final->finalists[i].candidate == candidate)
            return;
    if (final->count < FINALISTS_MAX)
        final->finalists[final->count++].candidate = candidate;
}

/* The fastest, and what stands for each baseline. */
static enum status pick(struct final *final, struct error *error)
{
    struct sweep *sweep = final->sweep;
    struct candidate **order =
        arena_alloc(&final->arena, sweep->count > 0 ? sweep->count : 1, sizeof *order);
    size_t ok = 0;
    if (!order)
        return error_no_memory(error);
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->candidates[i].status == TRIAL_OK && sweep->candidates[i].done)
            order[ok++] = &sweep->candidates[i];
    qsort(order, ok, sizeof *order, by_median);
    for (size_t i = 0; i < ok && i < FINALISTS; i++)
        add_finalist(final, order[i]);
    for (size_t i = 0; i < sweep->count; i++) {
        struct candidate *candidate = &sweep->candidates[i];
        if (!candidate->is_baseline || !candidate->done)
            continue;
        if (candidate->same_as != NO_CANDIDATE)
            candidate = &sweep->candidates[candidate->same_as];
        if (candidate->status == TRIAL_OK)
            add_finalist(final, candidate);
    }
    return STATUS_OK;
}

/* One block of one finalist. */
static enum status measure_once(struct final *final, struct finalist *finalist, int round,
                                struct error *error)
{
    struct sweep *sweep = final->sweep;
    struct worker_samples samples = {.count = 0};
    int64_t started_ns = clock_now_ns();
    enum status status =
        sweep_load(sweep, finalist->candidate, &finalist->loaded, &finalist->outcome, error);
    if (status == STATUS_OK && finalist->outcome.status == TRIAL_OK)
        status = sweep_measure(sweep, &finalist->loaded, 1, finalist->candidate->runs, round == 0,
                               0, &samples, &finalist->outcome, error);
    if (status == STATUS_OK && finalist->outcome.status == TRIAL_OK && samples.count == 1) {
        finalist->candidate->runs = samples.runs;
        finalist->samples[finalist->sample_count++] = (struct store_sample){
            .round = round, .runs = (int32_t)samples.runs, .elapsed_ns = samples.elapsed_ns[0]};
    }
    finalist->spent_ns += clock_now_ns() - started_ns;
    return status;
}

static enum status run_round(struct final *final, const size_t *order, int round,
                             struct error *error)
{
    /* What the round before left of the plans; those of the last round are stored. */
    arena_free(&final->sweep->scratch);
    for (size_t i = 0; i < final->count; i++) {
        struct finalist *finalist = &final->finalists[order[i]];
        if (session_stopped(final->sweep->session))
            return error_set(error, STATUS_INTERRUPTED, "stopped; run again to go on");
        if (finalist->outcome.status != TRIAL_OK)
            continue;
        enum status status = measure_once(final, finalist, round, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status run_rounds(struct final *final, struct error *error)
{
    struct session *session = final->sweep->session;
    size_t order[FINALISTS_MAX];
    struct random random = {.seed = session->options->seed ^ (uint64_t) final->sweep->problem.n};
    int64_t started_ns = clock_now_ns();
    for (size_t i = 0; i < final->count; i++)
        order[i] = i;
    for (int round = 0; round < ROUNDS_MOST; round++) {
        if (round >= ROUNDS_LEAST && clock_now_ns() - started_ns > final_budget_ns)
            return STATUS_OK;
        random_shuffle(&random, order, final->count);
        enum status status = run_round(final, order, round, error);
        if (status != STATUS_OK)
            return status;
        session_progress(session, "final");
    }
    return STATUS_OK;
}

static enum status put(struct final *final, struct finalist *finalist, struct error *error)
{
    struct sweep *sweep = final->sweep;
    double values[ROUNDS_MOST];
    for (size_t i = 0; i < finalist->sample_count; i++)
        values[i] = finalist->samples[i].elapsed_ns;
    struct summary summary = summarize(values, finalist->sample_count);
    bool ok = finalist->outcome.status == TRIAL_OK;
    finalist->median_ns = ok ? summary.median : (double)NAN;
    sweep->session->summary->samples += finalist->sample_count;
    struct store_trial trial = {
        .run_id = sweep->session->summary->run_id,
        .environment_id = sweep->session->environment_id,
        .problem_id = sweep->problem_id,
        .configuration_id = finalist->candidate->configuration_id,
        .stage = "final",
        .l2_mode = sweep->session->options->l2_mode,
        .status = finalist->outcome.status,
        .detail = ok ? NULL : finalist->outcome.detail,
        .binary_hash = sweep->session->binaries.items[finalist->candidate->binary].hash,
        .derived = ok ? finalist->loaded.derived : NULL,
        .derived_count = ok ? finalist->loaded.derived_count : 0,
        .plan = ok ? &finalist->loaded.plan : NULL,
        .resources = ok ? finalist->loaded.resources : NULL,
        .samples = finalist->samples,
        .sample_count = finalist->sample_count,
        .median_ns = summary.median,
        .mad_ns = summary.mad,
        .min_ns = summary.minimum,
        .max_ns = summary.maximum,
        .duration_ns = finalist->spent_ns,
    };
    return store_trial(sweep->session->store, &trial, &finalist->trial_id, error);
}

static enum status crown(struct final *final, bool *found, struct error *error)
{
    struct sweep *sweep = final->sweep;
    struct session *session = sweep->session;
    const struct finalist *best = NULL;
    size_t candidates = 0;
    for (size_t i = 0; i < final->count; i++) {
        const struct finalist *finalist = &final->finalists[i];
        if (finalist->outcome.status == TRIAL_OK && finalist->median_ns > 0 &&
            (!best || finalist->median_ns < best->median_ns))
            best = finalist;
    }
    for (size_t i = 0; i < sweep->count; i++)
        candidates += sweep->candidates[i].status == TRIAL_OK ? 1 : 0;
    *found = best != NULL;
    if (!best)
        return STATUS_OK;
    struct store_winner winner = {
        .environment_id = session->environment_id,
        .problem_id = sweep->problem_id,
        .l2_mode = session->options->l2_mode,
        .trial_id = best->trial_id,
        .run_id = session->summary->run_id,
        .candidate_count = (int64_t)candidates,
    };
    enum status status = store_winner_put(session->store, &winner, error);
    if (status == STATUS_OK && session->events->winner)
        session->events->winner(session->events->context, sweep->problem.key, sweep->problem.n,
                                best->candidate->key, best->median_ns);
    return status;
}

enum status sweep_choose(struct sweep *sweep, bool *found, struct error *error)
{
    struct final final = {.sweep = sweep};
    *found = false;
    final.finalists = arena_alloc(&final.arena, FINALISTS_MAX, sizeof *final.finalists);
    enum status status = final.finalists ? pick(&final, error) : error_no_memory(error);
    if (status == STATUS_OK)
        status = run_rounds(&final, error);
    for (size_t i = 0; status == STATUS_OK && i < final.count; i++)
        status = put(&final, &final.finalists[i], error);
    if (status == STATUS_OK)
        status = crown(&final, found, error);
    arena_free(&sweep->scratch);
    arena_free(&final.arena);
    return status;
}
