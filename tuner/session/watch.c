#include "tuner/session/watch.h"

#include <math.h>

#include "tuner/base/text.h"

/* A kernel that is wrong once in a thousand runs stays unseen in one of 20,000 such watches. What
 * takes long is not run as often. */
enum {
    COMPARISONS = 10000,
    SHORT_MS = 500,
    LONG_MS = 100,
    WATCH_TIMEOUT_MS = 60000,
};
static const double short_run_ns = 20e3;
/* So much beyond the ceiling, and beyond everybody who is not, nobody is believed to be. */
static const double unbelievable = 1.5;

/* What the sweep's configurations come to, on both sides of what may be believed. */
struct sides {
    double fastest_believable_ns; /* 0: nobody */
    double slowest_unbelievable_ns;
};

static struct sides sides_of(const struct sweep *sweep, double unbelievable_ns)
{
    struct sides out = {0};
    for (size_t i = 0; i < sweep->table.count; i++) {
        const struct candidate *other = sweep->table.items[i];
        double time_ns = other->median_ns;
        if (!other->done || other->status != TRIAL_OK || other->rejected || !(time_ns > 0))
            continue;
        if (time_ns < unbelievable_ns)
            out.slowest_unbelievable_ns = fmax(out.slowest_unbelievable_ns, time_ns);
        else if (!(out.fastest_believable_ns > 0) || time_ns < out.fastest_believable_ns)
            out.fastest_believable_ns = time_ns;
    }
    return out;
}

/* A few alone that are far beyond what memory does, with nobody in between: they do not do the
 * work. Where all are, or some are everywhere between, it is the ceiling or the bytes that are
 * wrong.
 */
static enum status doubt(struct contest *contest, struct finalist *finalist, struct error *error)
{
    struct sweep *sweep = contest->sweep;
    double time_ns = 0, value = 0, share = 0;
    enum status status = runner_value(sweep, &finalist->runner, &time_ns, &value, error);
    if (status == STATUS_OK)
        status = session_ceiling_share(sweep, time_ns, &share, error);
    if (status != STATUS_OK || share <= unbelievable)
        return status;
    struct sides sides = sides_of(sweep, time_ns * share / unbelievable);
    double others_ns = sides.fastest_believable_ns;
    if (others_ns <= unbelievable * fmax(time_ns, sides.slowest_unbelievable_ns))
        return STATUS_OK;
    return contest_reject(contest, finalist, 0,
                          arena_printf(&sweep->arena,
                                       "not believed: %.0f GB/s from cold caches, %.1f times the "
                                       "ceiling and %.1f times as fast as any that is not above it",
                                       sweep->bytes_moved / time_ns, share, others_ns / time_ns),
                          error);
}

enum status contest_watch(struct contest *contest, struct lane *lane, struct finalist *finalist,
                          struct error *error)
{
    struct sweep *sweep = contest->sweep;
    struct candidate *candidate = finalist->runner.candidate;
    const struct launch_plan *plan = &finalist->runner.loaded.plan;
    struct worker_outcome outcome = {.status = TRIAL_OK};
    if (candidate->watched || lane->lost || session_stopped(sweep->group->session) ||
        !sweep->description || sweep->description->checks.count == 0 || plan->launch_count == 0)
        return STATUS_OK;
    enum status status = doubt(contest, finalist, error);
    if (status != STATUS_OK || finalist->out)
        return status;
    struct worker_case what = {
        .binary_path = sweep->group->binaries.items[candidate->binary].path,
        .plan = plan,
        .checks = sweep->description->checks,
        .repeats = COMPARISONS,
        .told = lane->told == sweep && lane->told_check,
        .timeout_ms = WATCH_TIMEOUT_MS,
    };
    session_progress(sweep->group, "check");
    int64_t most_ms =
        budget_watch_ms(sweep, candidate->median_ns > short_run_ns ? LONG_MS : SHORT_MS);
    int64_t compared = 0;
    int64_t left_ns = lane_leave(lane);
    status = worker_watch(lane->worker, &what, most_ms, &compared, &outcome, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    candidate->watched = true;
    candidate->compared += compared;
    if (status != STATUS_OK)
        return lane_lose(lane, error);
    if (outcome.status == TRIAL_CRASHED || outcome.status == TRIAL_TIMED_OUT)
        status = lane_probe(lane, error);
    if (status != STATUS_OK || outcome.status == TRIAL_OK)
        return status;
    return contest_reject(contest, finalist, 1,
                          arena_printf(&sweep->arena, "watched: %s: %s",
                                       trial_status_name(outcome.status), outcome.detail),
                          error);
}
