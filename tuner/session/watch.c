#include "tuner/session/watch.h"

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

enum status contest_watch(struct contest *contest, struct lane *lane, struct finalist *finalist,
                          struct error *error)
{
    struct sweep *sweep = contest->sweep;
    struct candidate *candidate = finalist->runner.candidate;
    const struct launch_plan *plan = &finalist->runner.loaded.plan;
    struct worker_outcome outcome = {.status = TRIAL_OK};
    if (candidate->compared > 0 || lane->lost || session_stopped(sweep->group->session) ||
        !sweep->description || sweep->description->checks.count == 0 || plan->launch_count == 0)
        return STATUS_OK;
    struct worker_case what = {
        .binary_path = sweep->group->binaries.items[candidate->binary].path,
        .plan = plan,
        .checks = sweep->description->checks,
        .repeats = COMPARISONS,
        .timeout_ms = WATCH_TIMEOUT_MS,
    };
    session_progress(sweep->group, "check");
    int64_t most_ms = candidate->median_ns > short_run_ns ? LONG_MS : SHORT_MS;
    int64_t left_ns = lane_leave(lane);
    enum status status =
        worker_watch(lane->worker, &what, most_ms, &candidate->compared, &outcome, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
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
