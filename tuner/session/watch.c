/* Watches that see thousands of runs: of the coming winner, and of the slowest candidates where all
 * finalists were wrong on changed inputs. */
#include <math.h>

#include "tuner/base/text.h"
#include "tuner/session/check.h"

/* A kernel that is wrong once in a thousand runs passes one of 20,000 such watches. Long kernels
 * run less often, in a watch a fifth as long. */
enum { COMPARISONS = 10000, LONG_RUNS = 5, WATCH_TIMEOUT_MS = 60000 };
static const double short_run_ns = 20e3;
/* Factor beyond the ceiling, and beyond all candidates below it, at which a time is not believed.
 */
static const double unbelievable = 1.5;

/* Rejects a finalist far beyond the memory's bandwidth if a gap separates the finalist from all
 * slower ones, as incomplete work does. If all are beyond, or times fill the gap, the ceiling or
 * the bytes are wrong instead. */
static enum status doubt_speed(struct contest *contest, struct finalist *finalist,
                               struct error *error)
{
    struct sweep *sweep = contest->sweep;
    struct measured measured;
    double share = 0;
    TRY(slot_times(&finalist->slot, &measured, error));
    const double time_ns = measured.times.median;
    TRY(work_ceiling_share(&contest->work, time_ns, &share, error));
    if (share <= unbelievable)
        return STATUS_OK;
    const double unbelievable_ns = time_ns * share / unbelievable;
    double others_ns = 0;         /* the fastest that is to be believed; 0: none */
    double slowest_beyond_ns = 0; /* the slowest that is not */
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        const struct candidate *other = sweep->candidates.items[i];
        const double other_ns = other->median_ns;
        if (!candidate_works(other) || !(other_ns > 0))
            continue;
        if (other_ns < unbelievable_ns)
            slowest_beyond_ns = fmax(slowest_beyond_ns, other_ns);
        else if (!(others_ns > 0) || other_ns < others_ns)
            others_ns = other_ns;
    }
    if (others_ns <= unbelievable * fmax(time_ns, slowest_beyond_ns))
        return STATUS_OK;
    return contest_reject(contest, finalist, 0,
                          arena_printf(&sweep->arena,
                                       "not believed: %.0f GB/s from cold caches, %.1f times the "
                                       "ceiling and %.1f times as fast as any that is not above it",
                                       contest->work.bytes_moved / time_ns, share,
                                       others_ns / time_ns),
                          error);
}

/* Watches a slot's runs and compares their results; *compared: the number of these. */
static enum status watch_runs(struct contest *contest, struct lane *lane, struct slot *slot,
                              int32_t comparisons, int64_t *compared,
                              struct worker_outcome *outcome, struct error *error)
{
    struct candidate *candidate = slot->candidate;
    const struct check_set *set = NULL;
    enum status status = inputs_checks(&contest->work, &contest->sweep->inputs,
                                       &slot->prepared->configuration, &set, error);
    bool retry = true;
    for (int tries = 0; status == STATUS_OK && retry && tries < 2; tries++) {
        const struct worker_task task = {
            .binary_path = candidate_binary(&contest->work, candidate)->path,
            .plan = &slot->prepared->plan,
            .checks = set->checks,
            .checks_key = set->key,
            .repeats = (uint32_t)comparisons,
            .problem_known = lane->known == &contest->sweep->inputs && lane->has_expected,
            .varies = !contest->sweep->inputs.alike,
            .most_ms = budget_watch_ms(contest->work.group, &contest->sweep->allowance,
                                       contest->work.session->watch_ms /
                                           (candidate->median_ns > short_run_ns ? LONG_RUNS : 1)),
            .timeout_ms = WATCH_TIMEOUT_MS,
        };
        int64_t left_ns = lane_leave(lane);
        status = worker_watch(lane->worker, &task, compared, outcome, error);
        lane_enter(lane, left_ns, &lane->measuring_ns);
        status = status == STATUS_OK
                     ? prepare_restore(&contest->work, &contest->sweep->inputs, candidate,
                                       slot->prepared, outcome, &retry, error)
                     : lane_lose(lane, error); /* watched by another lane */
    }
    return status;
}

enum status contest_watch(struct contest *contest, struct lane *lane, struct finalist *finalist,
                          struct error *error)
{
    struct sweep *sweep = contest->sweep;
    struct candidate *candidate = finalist->slot.candidate;
    const struct worker_task *problem = sweep->inputs.problem;
    struct worker_outcome outcome = {.status = TRIAL_OK};
    if (candidate->watched || lane->lost || session_stopped(contest->work.session) || !problem ||
        problem->checks.count == 0 || !finalist->slot.prepared ||
        finalist->slot.prepared->plan.launch_count == 0)
        return STATUS_OK;
    TRY(doubt_speed(contest, finalist, error));
    if (finalist->rejection)
        return STATUS_OK;
    contest_progress(contest, "check");
    int64_t compared = 0;
    TRY(watch_runs(contest, lane, &finalist->slot, COMPARISONS, &compared, &outcome, error));
    candidate->watched = true;
    candidate->compared += compared;
    TRY(lane_probe_after(lane, &outcome, error));
    if (outcome.status == TRIAL_OK)
        return STATUS_OK;
    return contest_reject(contest, finalist, 1,
                          arena_printf(&sweep->arena, "watched: %s: %s",
                                       trial_status_name(outcome.status), outcome.detail),
                          error);
}

/* ---- inputs that belong together ---- */

enum status contest_blame_inputs(struct contest *contest, struct lane *lane, bool *blamed,
                                 struct error *error)
{
    struct sweep *sweep = contest->sweep;
    const struct work *work = &contest->work;
    const struct candidate *first = NULL;
    size_t out = 0;
    *blamed = false;
    for (size_t i = 0; i < sweep->candidates.count; i++)
        if (sweep->candidates.items[i]->rejected &&
            wrong_on_changed(sweep->candidates.items[i]->rejected)) {
            first = first ? first : sweep->candidates.items[i];
            out++;
        }
    if (!first || sweep->inputs.alike || session_stopped(work->session))
        return STATUS_OK;
    enum { JUDGES_MAX = 4, LEAST = 2 };
    /* The slowest working candidates come first, since a kernel that keeps results is fast. The
     * inputs are blamed if all of these fail as well, or if so many are rejected that none is left.
     */
    const struct candidate *judges[JUDGES_MAX] = {NULL};
    size_t count = 0;
    *blamed = true;
    while (*blamed && count < JUDGES_MAX) {
        struct candidate *slowest = slowest_right(contest->sweep, judges, count);
        if (!slowest)
            break;
        judges[count++] = slowest;
        enum { FEW = 8 };
        struct track track = sweep_track(&contest->work, contest->sweep, lane, "race");
        struct slot slot = {.candidate = slowest, .outcome = {.status = TRIAL_OK}};
        struct worker_outcome outcome = {.status = TRIAL_OK};
        int64_t ignored = 0;
        enum status status =
            inputs_send(&contest->work, &contest->sweep->inputs, lane, true, error);
        if (status == STATUS_OK)
            status = track_load(&contest->work, &track, &slot, error);
        if (status == STATUS_OK && slot.outcome.status == TRIAL_OK)
            status = watch_runs(contest, lane, &slot, FEW, &ignored, &outcome, error);
        if (status == STATUS_OK)
            status = lane_probe_after(lane, &outcome, error);
        *blamed = outcome.status == TRIAL_WRONG_RESULT && wrong_on_changed(outcome.detail);
        slot_free(&slot);
        TRY(status);
    }
    *blamed = *blamed && out + count >= LEAST;
    if (!*blamed)
        return STATUS_OK;
    problem_note(
        work->session, &work->problem,
        "results are right on the file's inputs and wrong on inputs with a few changed elements: "
        "arguments belong together in a way that the file does not describe (the same data twice: "
        "same_as). No configuration is rejected for it; the run continues without changed inputs, "
        "so a kernel that remembers its result is not detected (%s)",
        first->rejected);
    sweep->inputs.alike = true;
    for (size_t i = 0; i < sweep->candidates.count; i++)
        if (sweep->candidates.items[i]->rejected &&
            wrong_on_changed(sweep->candidates.items[i]->rejected))
            sweep->candidates.items[i]->rejected = NULL;
    for (size_t i = 0; i < work->group->lane_count; i++)
        if (work->group->lanes[i]->known == &sweep->inputs)
            work->group->lanes[i]->known = NULL;
    sweep_find_best(sweep);
    return STATUS_OK;
}
