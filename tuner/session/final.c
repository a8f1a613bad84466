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
    bool unstable; /* its timings lie too far apart to be trusted */
    int64_t trial_id;
    int64_t spent_ns;
    struct worker_outcome outcome;
};

struct finals {
    struct sweep *sweep;
    struct lane *lane;
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

static void add_finalist(struct finals *finals, struct candidate *candidate)
{
    for (size_t i = 0; i < finals->count; i++)
        if (finals->finalists[i].candidate == candidate)
            return;
    if (finals->count < FINALISTS_MAX)
        finals->finalists[finals->count++].candidate = candidate;
}

/* The fastest, and what stands for each baseline. */
static enum status pick(struct finals *finals, struct error *error)
{
    struct sweep *sweep = finals->sweep;
    struct candidate **order =
        arena_alloc(&finals->arena, sweep->count > 0 ? sweep->count : 1, sizeof *order);
    size_t ok = 0;
    if (!order)
        return error_no_memory(error);
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->candidates[i].status == TRIAL_OK && sweep->candidates[i].done)
            order[ok++] = &sweep->candidates[i];
    qsort(order, ok, sizeof *order, by_median);
    for (size_t i = 0; i < ok && i < FINALISTS; i++)
        add_finalist(finals, order[i]);
    for (size_t i = 0; i < sweep->count; i++) {
        struct candidate *candidate = &sweep->candidates[i];
        if (!candidate->is_baseline || !candidate->done)
            continue;
        if (candidate->same_as != NO_CANDIDATE)
            candidate = &sweep->candidates[candidate->same_as];
        if (candidate->status == TRIAL_OK)
            add_finalist(finals, candidate);
    }
    return STATUS_OK;
}

/* One block of one finalist. */
static enum status measure_once(struct finals *finals, struct finalist *finalist, int round,
                                struct error *error)
{
    struct sweep *sweep = finals->sweep;
    struct worker_samples samples = {0};
    struct timing timing = {.blocks = 1, .runs = finalist->candidate->runs, .verify = round == 0};
    int64_t started_ns = clock_now_ns();
    enum status status = sweep_load(sweep, finals->lane, finalist->candidate, &finalist->loaded,
                                    &finalist->outcome, error);
    if (status == STATUS_OK && finalist->outcome.status == TRIAL_OK)
        status = sweep_measure(sweep, finals->lane, &finalist->loaded, &timing, &samples,
                               &finalist->outcome, error);
    if (status == STATUS_OK && finalist->outcome.status == TRIAL_OK && samples.count == 1) {
        finalist->candidate->runs = samples.runs;
        finalist->samples[finalist->sample_count++] = (struct store_sample){
            .round = round, .runs = (int32_t)samples.runs, .elapsed_ns = samples.elapsed_ns[0]};
    }
    finalist->spent_ns += clock_now_ns() - started_ns;
    return status;
}

static enum status run_round(struct finals *finals, const size_t *order, int round,
                             struct error *error)
{
    /* What the round before left of the plans; those of the last round are stored. */
    arena_free(&finals->lane->scratch);
    for (size_t i = 0; i < finals->count; i++) {
        struct finalist *finalist = &finals->finalists[order[i]];
        if (session_stopped(finals->sweep->group->session))
            return session_stop_error(error);
        if (finalist->outcome.status != TRIAL_OK)
            continue;
        enum status status = measure_once(finals, finalist, round, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status run_rounds(struct finals *finals, struct error *error)
{
    struct group *group = finals->sweep->group;
    size_t order[FINALISTS_MAX];
    struct random random = {.seed =
                                group->session->options->seed ^ (uint64_t)finals->sweep->problem.n};
    int64_t started_ns = clock_now_ns();
    for (size_t i = 0; i < finals->count; i++)
        order[i] = i;
    for (int round = 0; round < ROUNDS_MOST; round++) {
        if (round >= ROUNDS_LEAST && clock_now_ns() - started_ns > final_budget_ns)
            return STATUS_OK;
        random_shuffle(&random, order, finals->count);
        enum status status = run_round(finals, order, round, error);
        if (status != STATUS_OK)
            return status;
        session_progress(group, "final");
    }
    return STATUS_OK;
}

static enum status put(struct finals *finals, struct finalist *finalist, struct error *error)
{
    struct sweep *sweep = finals->sweep;
    double values[ROUNDS_MOST];
    for (size_t i = 0; i < finalist->sample_count; i++)
        values[i] = finalist->samples[i].elapsed_ns;
    struct summary summary = summarize(values, finalist->sample_count);
    bool ok = finalist->outcome.status == TRIAL_OK;
    finalist->median_ns = ok ? summary.median : (double)NAN;
    finalist->unstable = timings_unstable(&summary);
    sweep->group->session->summary->samples += finalist->sample_count;
    struct store_trial trial = {
        .run_id = finals->lane->run_id,
        .environment_id = sweep->group->environment_id,
        .problem_id = sweep->problem_id,
        .configuration_id = finalist->candidate->configuration_id,
        .stage = "final",
        .l2_mode = sweep->group->session->options->l2_mode,
        .status = finalist->outcome.status,
        .detail = ok ? NULL : finalist->outcome.detail,
        .binary_hash = sweep->group->binaries.items[finalist->candidate->binary].hash,
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
    return store_trial(sweep->group->session->store, &trial, &finalist->trial_id, error);
}

/* Steady before unsteady, then the smaller median. */
static bool is_better(const struct finalist *a, const struct finalist *b)
{
    if (!b || a->unstable != b->unstable)
        return !b || !a->unstable;
    return a->median_ns < b->median_ns;
}

static void tell_winner(const struct sweep *sweep, const struct finalist *best)
{
    const struct session *session = sweep->group->session;
    double gbs = sweep->bytes_moved / best->median_ns;
    if (gbs > sweep->group->fastest_gbs)
        sweep->group->fastest_gbs = gbs;
    if (best->unstable)
        session_note(
            session,
            "%s n=%lld: the timings of all finalists lie far apart (is the machine busy?); "
            "the winner is not to be trusted",
            sweep->problem.key, (long long)sweep->problem.n);
    if (session->events->winner)
        session->events->winner(session->events->context, sweep->problem.key, sweep->problem.n,
                                best->candidate->key, best->median_ns);
}

static enum status crown(struct finals *finals, bool *found, struct error *error)
{
    struct sweep *sweep = finals->sweep;
    const struct session *session = sweep->group->session;
    const struct finalist *best = NULL;
    size_t candidates = 0;
    for (size_t i = 0; i < finals->count; i++) {
        const struct finalist *finalist = &finals->finalists[i];
        if (finalist->outcome.status == TRIAL_OK && finalist->median_ns > 0 &&
            is_better(finalist, best))
            best = finalist;
    }
    for (size_t i = 0; i < sweep->count; i++)
        candidates += sweep->candidates[i].status == TRIAL_OK ? 1 : 0;
    *found = best != NULL;
    if (!best)
        return STATUS_OK;
    struct store_winner winner = {
        .environment_id = sweep->group->environment_id,
        .problem_id = sweep->problem_id,
        .l2_mode = session->options->l2_mode,
        .trial_id = best->trial_id,
        .run_id = finals->lane->run_id,
        .candidate_count = (int64_t)candidates,
    };
    enum status status = store_winner_put(session->store, &winner, error);
    if (status == STATUS_OK)
        tell_winner(sweep, best);
    return status;
}

static enum status final_on(struct sweep *sweep, struct lane *lane, bool *found,
                            struct error *error)
{
    struct finals finals = {.sweep = sweep, .lane = lane};
    *found = false;
    finals.finalists = arena_alloc(&finals.arena, FINALISTS_MAX, sizeof *finals.finalists);
    enum status status = finals.finalists ? pick(&finals, error) : error_no_memory(error);
    if (status == STATUS_OK && finals.count > 0)
        status = sweep_tell(sweep, lane, error);
    if (status == STATUS_OK)
        status = run_rounds(&finals, error);
    for (size_t i = 0; status == STATUS_OK && i < finals.count; i++)
        status = put(&finals, &finals.finalists[i], error);
    if (status == STATUS_OK)
        status = crown(&finals, found, error);
    arena_free(&lane->scratch);
    arena_free(&finals.arena);
    return status;
}

/* On one device, since times of two are not to be compared that finely; on another one when that is
 * lost. */
enum status sweep_choose(struct sweep *sweep, bool *found, struct error *error)
{
    for (;;) {
        struct lane *lane = group_lane(sweep->group);
        if (!lane)
            return error_set(error, STATUS_DEVICE_LOST, "no device is left: %s",
                             sweep->group->lanes[0]->error.text);
        enum status status = final_on(sweep, lane, found, error);
        if (!lane->lost)
            return status;
    }
}
