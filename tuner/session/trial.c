/* The parts of a sweep: its space, candidates of requested points, and a trial of one of them, from
 * its binary to a row of trials. */
#include "tuner/session/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/session/recorded.h"

enum {
    USUAL_TRIES = 64,    /* points tried for one whose expressions all have a value */
    BLOCKS_TO_JUDGE = 5, /* least timings for a spread */
};
/* Timings whose median absolute deviation is above this share of their median are unstable. */
static const double unstable_share = 0.25;

/* ---- the space, and candidates of its points ---- */

bool session_leaves_points(const struct session_options *options, uint64_t space_count)
{
    return options->points == 0 && options->points_share == 0 && options->pick_count == 0 &&
           options->budget_ns == 0 && options->until == 0 &&
           (!options->strategy || strcmp(options->strategy, "auto") == 0) &&
           space_count > SEARCH_ALL_MAX;
}

uint64_t session_points(const struct session_options *options, uint64_t space_count)
{
    uint64_t points = space_count;
    if (options->pick_count > 0)
        return 0;
    double share = options->points_share * (double)space_count;
    if (share > 0) /* 0.02 % of 110,000 are 22, despite rounding */
        points = (uint64_t)(fabs(share - round(share)) < 1e-9 * share ? round(share) : ceil(share));
    else if (options->points > 0)
        points = options->points;
    else if (session_leaves_points(options, space_count))
        points = SEARCH_TRIALS;
    return points < space_count ? points : space_count;
}

/* Finds the first point for which no expression fails. A problem's inputs do not depend on the
 * configuration, so one point stands for all. */
void work_representative(const struct work *work, struct space *space, struct configuration *out)
{
    struct arena scratch = {0};
    enum status status = STATUS_BAD_INPUT;
    for (uint64_t i = 0; status != STATUS_OK && i < USUAL_TRIES && i < space_count(space); i++) {
        struct launch_plan plan;
        struct error ignored = {0};
        space_configuration(space, i, out);
        struct point point = work_point(work, out, 1);
        status = point_plan(&point, &scratch, &plan, &ignored);
        arena_free(&scratch);
    }
    if (status != STATUS_OK)
        space_configuration(space, 0, out);
}

enum status sweep_open(struct sweep *sweep, const struct work *work, struct space *space,
                       struct error *error)
{
    *sweep = (struct sweep){.space = space, .candidates = {.space = space}};
    sweep->space_count = space_count(space);
    if (sweep->space_count == 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: %s: the constraints leave nothing",
                         experiment_head(work->experiment)->path,
                         problem_name(work->problem.key, work->problem.n).text);
    sweep->allowance.points_most = session_points(work->options, sweep->space_count);
    work_representative(work, space, &sweep->representative);
    sweep->inputs.configuration = &sweep->representative;
    return STATUS_OK;
}

void sweep_free(struct sweep *sweep)
{
    candidates_free(&sweep->candidates);
    space_free(sweep->space);
    arena_free(&sweep->inputs.arena);
    arena_free(&sweep->arena);
}

static enum status add_candidate(const struct work *work, struct sweep *sweep,
                                 const struct configuration *configuration, uint64_t point,
                                 struct candidate **candidate, struct error *error)
{
    char key[CONFIGURATION_KEY_BYTES];
    if (!configuration_key(configuration, key))
        return error_set(error, STATUS_BAD_INPUT, "%s: a configuration's values are too long",
                         experiment_head(work->experiment)->path);
    *candidate = point == NO_POINT ? candidates_outside(&sweep->candidates, key) : NULL;
    if (*candidate)
        return STATUS_OK;
    *candidate = candidates_add(&sweep->candidates, configuration, key, point);
    if (!*candidate)
        return error_no_memory(error);
    return store_configuration(work->store, work->experiment_id, key, configuration->values,
                               configuration->count, &(*candidate)->configuration_id, error);
}

enum status sweep_candidate(const struct work *work, struct sweep *sweep, uint64_t point,
                            struct candidate **candidate, struct error *error)
{
    struct configuration configuration;
    *candidate = candidates_at_point(&sweep->candidates, point);
    if (*candidate)
        return STATUS_OK;
    space_configuration(sweep->space, point, &configuration);
    return add_candidate(work, sweep, &configuration, point, candidate, error);
}

enum status sweep_candidate_of(const struct work *work, struct sweep *sweep,
                               const struct configuration *configuration,
                               struct candidate **candidate, struct error *error)
{
    uint64_t point = 0;
    if (space_find(sweep->space, configuration, &point))
        return sweep_candidate(work, sweep, point, candidate, error);
    return add_candidate(work, sweep, configuration, NO_POINT, candidate, error);
}

enum status sweep_request_binary(const struct work *work, struct sweep *sweep,
                                 struct candidate *candidate, bool wanted, struct error *error)
{
    struct configuration room;
    const struct binaries *binaries = &work->group->binaries;
    if (candidate->broken || (candidate->binary != NO_BINARY &&
                              (!wanted || binaries_is_requested(binaries, candidate->binary))))
        return STATUS_OK; /* its values are not needed */
    return candidate_request_binary(work, candidate,
                                    candidate_configuration(&sweep->candidates, candidate, &room),
                                    wanted, error);
}

static void compare_with_best(struct sweep *sweep, struct candidate *candidate)
{
    if (candidate_works(candidate) &&
        (!sweep->best || candidate->median_ns < sweep->best->median_ns))
        sweep->best = candidate;
    sweep->allowance.run_ns = sweep->best ? sweep->best->median_ns : 0;
}

void sweep_find_best(struct sweep *sweep)
{
    sweep->best = NULL;
    for (size_t i = 0; i < sweep->candidates.count; i++)
        compare_with_best(sweep, sweep->candidates.items[i]);
}

/* ---- a trial ---- */

struct track sweep_track(const struct work *work, struct sweep *sweep, struct lane *lane,
                         const char *stage)
{
    return (struct track){
        .inputs = &sweep->inputs,
        .candidates = &sweep->candidates,
        .lane = lane,
        .stage = stage,
        .mode = work->options->l2_mode,
        .best_ns = sweep->best && sweep->measured > 0 ? sweep->best->median_ns : 0,
    };
}

enum status sweep_take_trial(const struct work *work, struct sweep *sweep,
                             struct candidate *candidate, struct error *error)
{
    candidate->state = CANDIDATE_DONE;
    work->session->progress.points_done++;
    compare_with_best(sweep, candidate);
    return candidates_done(&sweep->candidates, candidate) ? STATUS_OK : error_no_memory(error);
}

/* Stores the slot's trial and adds it to the counts. `aside`: not launched. */
static enum status end_trial(const struct work *work, struct sweep *sweep, struct track *track,
                             const struct slot *slot, const struct measured *measured, bool aside,
                             struct error *error)
{
    struct session *session = work->session;
    struct candidate *candidate = slot->candidate;
    const struct summary *times = &measured->times;
    bool ok = slot->outcome.status == TRIAL_OK;
    bool failed = !ok && slot->outcome.status != TRIAL_SKIPPED;
    TRY(slot_store(work, track, slot, measured, aside, &candidate->trial_id, error));
    candidate->status = slot->outcome.status;
    candidate->median_ns = ok ? times->median : (double)NAN;
    if (ok && times->count >= BLOCKS_TO_JUDGE) {
        sweep->spread.sum += times->mad / times->median;
        sweep->spread.count++;
    }
    candidate->runs = slot->runs;
    candidate->spent_ns = slot->spent_ns;
    candidate->value = candidate_search_value(work, candidate, slot->prepared);
    sweep->measured++;
    work->group->costs.trials++;
    work->group->costs.trials_ns += (double)slot->spent_ns;
    sweep->failures += failed ? 1 : 0;
    track->lane->trials++;
    session->summary->trials++;
    session->summary->samples += slot->sample_count;
    session->summary->failures += failed ? 1 : 0;
    session->summary->failed[slot->outcome.status] += failed ? 1 : 0;
    session->progress.failures += failed ? 1 : 0;
    return sweep_take_trial(work, sweep, candidate, error);
}

enum status sweep_record(const struct work *work, struct sweep *sweep, struct lane *lane,
                         struct candidate *candidate, const struct worker_outcome *outcome,
                         struct error *error)
{
    struct track track = sweep_track(work, sweep, lane, "sweep");
    struct slot slot = {.candidate = candidate, .outcome = *outcome};
    const struct measured none = measured_none();
    return end_trial(work, sweep, &track, &slot, &none, false, error);
}

/* Returns whether a candidate with the same launches was measured: the outcome then names it. */
static bool repeats(const struct work *work, struct sweep *sweep, struct slot *slot)
{
    struct candidate *candidate = slot->candidate;
    candidate->launch_hash =
        prepared_launch_hash(slot->prepared, candidate_binary(work, candidate));
    struct candidate *twin = candidates_at_launch(&sweep->candidates, candidate->launch_hash);
    candidate->same_as = twin != candidate ? twin : NULL;
    if (!candidate->same_as)
        return false;
    char key[CONFIGURATION_KEY_BYTES];
    slot->outcome.status = TRIAL_SKIPPED;
    (void)string_format(slot->outcome.detail, sizeof slot->outcome.detail,
                        "launches the same as '%s'",
                        candidate_key(&sweep->candidates, candidate->same_as, key));
    sweep->duplicates++;
    return true;
}

enum status sweep_foresee(const struct work *work, struct sweep *sweep, struct slot *slot,
                          struct error *error)
{
    TRY(prepare_ahead(work, slot->candidate, slot->prepared, &slot->outcome, error));
    if (slot->outcome.status != TRIAL_OK)
        sweep->unlaunchable += prepared_fits(slot->prepared) ? 0 : 1;
    else if (slot->prepared->plan.launch_count > 0)
        (void)repeats(work, sweep, slot);
    return STATUS_OK;
}

/* Times the slot and summarises its samples. If these lie far apart, takes a second batch of the
 * same size. */
static enum status time_slot(const struct work *work, struct sweep *sweep, struct track *track,
                             struct slot *slot, struct measured *measured, struct error *error)
{
    const struct protocol *protocol = work->protocol;
    const struct summary *times = &measured->times;
    struct timing timing = {.blocks = (uint32_t)protocol->sweep_blocks};
    bool unstable = true;
    /* A hopeless candidate costs one block, if the time is the objective. */
    if (sweep->best && work_is_about_time(work))
        timing.stop_above_ns = (1 + protocol->sweep_slower) * sweep->best->median_ns;
    for (int batch = 0; batch < 2 && unstable; batch++) {
        TRY(track_time_alone(work, track, slot, &timing, error));
        TRY(slot_times(slot, measured, error));
        unstable = slot->outcome.status == TRIAL_OK && times->count >= BLOCKS_TO_JUDGE &&
                   times->mad > unstable_share * times->median;
        timing.runs = slot->runs;
    }
    if (!unstable)
        return STATUS_OK;
    slot->outcome.status = TRIAL_UNSTABLE;
    (void)string_format(slot->outcome.detail, sizeof slot->outcome.detail,
                        "the median deviation of %zu timings is over %.0f %% of their median",
                        slot->sample_count, unstable_share * 100);
    return STATUS_OK;
}

enum status sweep_try(const struct work *work, struct sweep *sweep, struct lane *lane,
                      struct candidate *candidate, struct error *error)
{
    struct track track = sweep_track(work, sweep, lane, "sweep");
    struct slot slot = {.candidate = candidate,
                        .prepared = prepared_create(&sweep->candidates, candidate),
                        .outcome = {.status = TRIAL_OK}};
    struct measured measured = measured_none();
    const int64_t started_ns = clock_budget_ns();
    bool launched = false;
    enum status status =
        slot.prepared ? sweep_foresee(work, sweep, &slot, error) : error_no_memory(error);
    bool aside = slot.outcome.status != TRIAL_OK;
    if (status == STATUS_OK && !aside)
        status = track_load(work, &track, &slot, error);
    if (status == STATUS_OK && slot.outcome.status == TRIAL_OK && !repeats(work, sweep, &slot)) {
        launched = true;
        /* Recorded before the launch, so that the next run after a machine crash knows the trial.
         * The disk is awaited only while the binary is new to the device. */
        struct binary *binary = &work->group->binaries.items[candidate->binary];
        struct store_in_flight row = {
            .environment_id = work->environment_id,
            .problem_id = work->problem_id,
            .configuration_id = candidate->configuration_id,
            .run_id = lane->run_id,
            .boot_id = worker_head(lane->worker)->machine.boot_id,
        };
        bool durable =
            !binary->has_run && !work->options->recording; /* a replay crashes no machine */
        binary->has_run = true;
        status = store_in_flight_put(work->store, &row, durable, error);
        if (status == STATUS_OK)
            status = time_slot(work, sweep, &track, &slot, &measured, error);
    }
    if (slot.prepared)
        recorded_charge(work, &slot.prepared->configuration, 0);
    slot.spent_ns = clock_budget_ns() - started_ns; /* basis of a race's length */
    if (status == STATUS_OK)
        status = end_trial(work, sweep, &track, &slot, &measured, aside, error);
    struct error clearing = {0};
    if (launched &&
        (status == STATUS_OK || status == STATUS_NO_TIME)) /* not the candidate's fault */
        status =
            first_failure(status,
                          store_in_flight_clear(work->store, work->environment_id, work->problem_id,
                                                candidate->configuration_id, &clearing),
                          &clearing, error);
    slot_free(&slot);
    return status;
}
