/* What a device can move, and calculate, at best, to hold winners against. */
#include "tuner/session/internal.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static enum status keep_arithmetic(struct session *session, const struct lane *lane,
                                   const struct arithmetic *arithmetic, struct error *error)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < ELEMENT_TYPE_COUNT && status == STATUS_OK; i++) {
        const char *type = element_name((enum element_type)i);
        double known_gops = 0;
        if (!(arithmetic->gops[i] > 0))
            continue;
        status =
            store_arithmetic_get(session->store, lane->environment_id, type, &known_gops, error);
        if (status == STATUS_OK)
            status = store_arithmetic_put(session->store, lane->environment_id, type,
                                          larger(arithmetic->gops[i], known_gops), error);
    }
    return status;
}

/* As measure_ceilings. */
static enum status measure_arithmetic(struct session *session, struct lane *lane,
                                      struct error *error)
{
    struct arithmetic arithmetic = {{0}};
    int64_t left_ns = lane_leave(lane);
    enum status status = worker_arithmetic(lane->worker, &arithmetic, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    if (status == STATUS_OK)
        return keep_arithmetic(session, lane, &arithmetic, error);
    session_note(session, "%s: how fast it calculates could not be measured: %s", lane->name,
                 error->text);
    error_clear(error);
    return STATUS_OK;
}

/* Measures how fast the device can be at best, and keeps the better of that and of what is known.
 */
static enum status measure_ceilings(struct session *session, struct lane *lane, int64_t bytes,
                                    struct store_ceilings *ceilings, struct error *error)
{
    struct bandwidth bandwidth = {0};
    int64_t left_ns = lane_leave(lane);
    enum status status = worker_bandwidth(lane->worker, bytes, &bandwidth, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
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
    return store_ceilings_put(session->store, lane->environment_id, ceilings, error);
}

/* Once for each environment. */
enum status session_know_ceilings(struct session *session, struct lane *lane, struct error *error)
{
    bool found = false;
    int64_t bytes = 0; /* a wrong wish is told also where they are known */
    struct store_ceilings ceilings = {0};
    enum status status = device_ceiling_bytes(&bytes, error);
    if (status != STATUS_OK || bytes < 0)
        return status;
    status = store_ceilings_get(session->store, lane->environment_id, &found, &ceilings, error);
    if (status == STATUS_OK && !found)
        status = measure_ceilings(session, lane, bytes, &ceilings, error);
    double gops = 0; /* what has any has f32 */
    if (status == STATUS_OK)
        status = store_arithmetic_get(session->store, lane->environment_id,
                                      element_name(ELEMENT_F32), &gops, error);
    if (status == STATUS_OK && !(gops > 0))
        status = measure_arithmetic(session, lane, error);
    return status;
}

static double ceiling_gbs(const struct store_ceilings *ceilings, enum ceiling ceiling)
{
    switch (ceiling) {
    case CEILING_WRITE:
        return ceilings->write_gbs;
    case CEILING_COPY:
        return ceilings->copy_gbs;
    case CEILING_READ:
        break;
    }
    return ceilings->read_gbs;
}

/* The first ceiling that is known and that a winner broke through; CEILINGS: none. */
static int broken_ceiling(const struct group *group, const struct store_ceilings *ceilings)
{
    int i = 0;
    while (i < CEILINGS && (ceiling_gbs(ceilings, (enum ceiling)i) <= 0 ||
                            group->fastest_gbs[i] <= ceiling_gbs(ceilings, (enum ceiling)i)))
        i++;
    return i;
}

/* A ceiling that a winner broke through was measured on a busy machine: once more. */
enum status session_recheck_ceilings(struct session *session, struct group *group,
                                     struct error *error)
{
    bool found = false;
    struct store_ceilings ceilings = {0};
    int64_t bytes = 0;
    struct lane *lane = group_lane(group);
    enum status status = device_ceiling_bytes(&bytes, error);
    if (status != STATUS_OK || bytes < 0)
        return status;
    status = store_ceilings_get(session->store, group->environment_id, &found, &ceilings, error);
    if (status != STATUS_OK || !found || !lane || broken_ceiling(group, &ceilings) == CEILINGS ||
        lane->environment_id != group->environment_id)
        return status;
    status = measure_ceilings(session, lane, bytes, &ceilings, error);
    if (status == STATUS_OK)
        status = measure_arithmetic(session, lane, error);
    int broken = broken_ceiling(group, &ceilings);
    if (status == STATUS_OK && broken < CEILINGS)
        session_note(session,
                     "%s: a winner moves %.0f GB/s, more than the measured %s ceiling of %.0f: "
                     "the machine is busy, or a cache keeps part of the data",
                     lane->name, group->fastest_gbs[broken], ceiling_name((enum ceiling)broken),
                     ceiling_gbs(&ceilings, (enum ceiling)broken));
    return status;
}
