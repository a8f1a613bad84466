/* The bandwidth and arithmetic that a device reaches at best, as ceilings for winners. */
#include "tuner/base/clock.h"
#include "tuner/session/check.h"
#include "tuner/stats/ceiling.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Measures arithmetic, as measure_bandwidth does memory. */
static enum status measure_arithmetic(struct session *session, struct lane *lane,
                                      struct error *error)
{
    struct arithmetic arithmetic = {{0}};
    int64_t left_ns = lane_leave(lane);
    enum status status = worker_ceilings(lane->worker, 0, NULL, &arithmetic, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    lane->group->ceilings_left |= status != STATUS_OK && worker_head(lane->worker)->host_was_lost;
    if (status != STATUS_OK) {
        session_note(session, "%s: how fast it calculates could not be measured: %s", lane->name,
                     error->text);
        error_clear(error);
        return STATUS_OK;
    }
    for (int i = 0; i < ELEMENT_TYPE_COUNT && status == STATUS_OK; i++) {
        const char *type = element_name((enum element_type)i);
        double known_gops = 0;
        if (!(arithmetic.gops[i] > 0))
            continue;
        status =
            store_arithmetic_get(session->store, lane->environment_id, type, &known_gops, error);
        if (status == STATUS_OK)
            status = store_arithmetic_put(session->store, lane->environment_id, type,
                                          larger(arithmetic.gops[i], known_gops), error);
    }
    return status;
}

/* Measures the device's best bandwidth, and keeps the larger of the new and the known values. */
static enum status measure_bandwidth(struct session *session, struct lane *lane, int64_t bytes,
                                     struct store_ceilings *ceilings, bool *measured,
                                     struct error *error)
{
    struct bandwidth bandwidth = {0};
    int64_t left_ns = lane_leave(lane);
    enum status status = worker_ceilings(lane->worker, bytes, &bandwidth, NULL, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    *measured = status == STATUS_OK;
    lane->group->ceilings_left |= status != STATUS_OK && worker_head(lane->worker)->host_was_lost;
    if (status != STATUS_OK) {
        session_note(session, "%s: its ceilings could not be measured: %s", lane->name,
                     error->text);
        error_clear(error);
        return STATUS_OK;
    }
    *ceilings = (struct store_ceilings){
        .buffer_bytes = bandwidth.bytes,
        .host_to_device_gbs = larger(ceilings->host_to_device_gbs, bandwidth.host_to_device_gbs),
        .device_to_host_gbs = larger(ceilings->device_to_host_gbs, bandwidth.device_to_host_gbs),
        .copy_gbs = larger(ceilings->copy_gbs, bandwidth.copy_gbs),
        .read_gbs = larger(ceilings->read_gbs, bandwidth.read_gbs),
        .write_gbs = larger(ceilings->write_gbs, bandwidth.write_gbs),
    };
    return STATUS_OK;
}

/* Measures the missing ceilings. */
static enum status complete(struct session *session, struct lane *lane, int64_t bytes, bool found,
                            struct store_ceilings *ceilings, struct error *error)
{
    double gops = 0; /* any known type implies f32 */
    bool measured = false;
    const bool before = lane->at_work;
    int64_t started_ns = clock_budget_ns();
    lane->at_work = true; /* reserves the worker, even if the host comes back meanwhile */
    enum status status =
        found ? STATUS_OK : measure_bandwidth(session, lane, bytes, ceilings, &measured, error);
    if (status == STATUS_OK && measured)
        status = store_ceilings_put(session->store, lane->environment_id, ceilings, error);
    if (status == STATUS_OK)
        status = store_arithmetic_get(session->store, lane->environment_id,
                                      element_name(ELEMENT_F32), &gops, error);
    if (status == STATUS_OK && !(gops > 0))
        status = measure_arithmetic(session, lane, error);
    lane->at_work = before;
    lane->group->costs.ceilings_ns = clock_budget_ns() - started_ns;
    return status;
}

/* Measures ceilings once for each environment; under a small budget, in the time left at the end.
 */
enum status session_know_ceilings(struct session *session, struct lane *lane, struct error *error)
{
    bool found = false;
    int64_t bytes = 0; /* an invalid setting is an error even if ceilings are known */
    struct store_ceilings ceilings = {0};
    TRY(device_ceiling_bytes(&bytes, error));
    if (bytes < 0)
        return STATUS_OK;
    TRY(store_ceilings_get(session->store, lane->environment_id, &found, &ceilings, error));
    if (budget_postpones_ceilings(lane))
        return STATUS_OK;
    return complete(session, lane, bytes, found, &ceilings, error);
}

static double *ceiling_gbs(struct store_ceilings *ceilings, enum ceiling ceiling)
{
    switch (ceiling) {
    case CEILING_WRITE:
        return &ceilings->write_gbs;
    case CEILING_COPY:
        return &ceilings->copy_gbs;
    case CEILING_READ:
        break;
    }
    return &ceilings->read_gbs;
}

/* Returns whether a winner of this run is clearly faster than the ceiling, or whether that ceiling
 * was given up. */
static bool wants_again(const struct group *group, struct store_ceilings *ceilings)
{
    for (int i = 0; i < CEILINGS; i++) {
        double gbs = *ceiling_gbs(ceilings, (enum ceiling)i);
        if (group->fastest_gbs[i] > 0 &&
            (!(gbs > 0) || ceiling_is_broken(group->fastest_gbs[i], gbs)))
            return true;
    }
    return false;
}

enum status session_recheck_ceilings(struct session *session, struct group *group,
                                     struct error *error)
{
    bool found = false;
    bool measured = false;
    struct store_ceilings ceilings = {0};
    int64_t bytes = 0;
    struct lane *lane = group_lane(group);
    enum status status = device_ceiling_bytes(&bytes, error);
    if (status != STATUS_OK || bytes < 0)
        return status;
    status = store_ceilings_get(session->store, group->environment_id, &found, &ceilings, error);
    bool postponed = lane && ((!found && budget_postpones_ceilings(lane)) || group->ceilings_left);
    group->ceilings_left = false;
    if (status != STATUS_OK || !lane || !(postponed || (found && wants_again(group, &ceilings))) ||
        lane->environment_id != group->environment_id ||
        !budget_fits(group, STAGE_END, budget_ceilings_ns(lane)))
        return status;
    if (postponed)
        return complete(session, lane, bytes, found, &ceilings, error);
    TRY(measure_bandwidth(session, lane, bytes, &ceilings, &measured, error));
    if (measured) {
        /* Ceilings that are still broken by data too large for any cache are given up: no share is
         * shown. */
        for (int i = 0; i < CEILINGS; i++) {
            double *gbs = ceiling_gbs(&ceilings, (enum ceiling)i);
            const char *name = ceiling_names[(enum ceiling)i];
            if (ceiling_is_broken(group->fastest_uncached_gbs[i], *gbs)) {
                session_note(
                    session,
                    "%s: a winner moves %.0f GB/s, more than the %s ceiling of %.0f, which "
                    "was measured twice: it is not used",
                    lane->name, group->fastest_uncached_gbs[i], name, *gbs);
                *gbs = 0;
            } else if (ceiling_is_broken(group->fastest_gbs[i], *gbs)) {
                session_note(
                    session,
                    "%s: a winner moves %.0f GB/s, more than the %s ceiling of %.0f: part of it "
                    "comes out of a cache, and its share of the ceiling is not shown",
                    lane->name, group->fastest_gbs[i], name, *gbs);
            }
        }
        TRY(store_ceilings_put(session->store, lane->environment_id, &ceilings, error));
    }
    return measure_arithmetic(session, lane, error);
}

double work_cache_bytes(const struct facts *facts)
{
    int64_t third = facts_integer(facts, "l3_bytes", 0) * facts_integer(facts, "l3_count", 1);
    return (double)(third > 0 ? third : facts_integer(facts, "l2_bytes", 0));
}

enum status work_ceiling_share(const struct work *work, double time_ns, double *share,
                               struct error *error)
{
    struct store_ceilings ceilings = {0};
    bool found = false;
    *share = 0;
    if (l2_state(work->options->l2_mode) != L2_COLD || !(time_ns > 0) ||
        work->bytes_moved <= 2 * work_cache_bytes(work->facts))
        return STATUS_OK;
    TRY(store_ceilings_get(work->store, work->environment_id, &found, &ceilings, error));
    double gbs = *ceiling_gbs(&ceilings, work->ceiling);
    if (found && gbs > 0)
        *share = work->bytes_moved / time_ns / gbs;
    return STATUS_OK;
}
