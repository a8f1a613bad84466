/* Hosts that come late, are lost, and come back. */
#include <stdlib.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/session/run.h"
#include "tuner/session/sweep.h"
#include "tuner/worker/agent.h"

enum { LOOK_MS = 300 };

/* Adds a site to a run in progress, with the mutex. After a failure the run only lacks these
 * devices. */
static void join_late(struct site *site)
{
    struct session *session = site->session;
    size_t groups = session->group_count;
    struct error error = {0};
    site->is_late = true;
    enum status status =
        site->error.status != STATUS_OK ? site->error.status : site_join(site, &error);
    if (site->error.status != STATUS_OK)
        error = site->error;
    for (size_t i = groups; status == STATUS_OK && i < session->group_count; i++)
        status = group_count_work(&session->groups[i], &error);
    for (size_t i = 0; status == STATUS_OK && i < site->lane_count; i++)
        if (!site->lanes[i]->lost)
            status = lane_begin(site->lanes[i], &error);
    for (size_t i = groups; status == STATUS_OK && i < session->group_count; i++)
        status = group_begin(&session->groups[i], &error);
    if (status != STATUS_OK) {
        for (size_t i = 0; i < site->lane_count; i++)
            site->lanes[i]->lost = true;
        session_note(session, "%s takes no part: %s", site->name, error.text);
        return;
    }
    for (size_t i = 0; i < site->lane_count; i++) {
        struct lane *lane = site->lanes[i];
        if (lane->lost) {
            session_note(session, "%s", lane->error.text);
            continue;
        }
        session_note(session, "%s takes part now", lane->name);
        if (lane->group->sweeping)
            sweep_admit(lane->group->sweeping, lane);
    }
}

/* Starts the devices of a host that has arrived. If the host is lost meanwhile, which proves no
 * fault of the devices, the devices are started anew once the host is back. */
static void site_arrived(struct site *site, unsigned connections)
{
    struct session *session = site->session;
    struct error error = {0};
    size_t count = 0;
    bool all = true;
    enum status status = site->lane_count == 0 ? site_devices(site, &count, &error) : STATUS_OK;
    (void)pthread_mutex_lock(&session->mutex);
    if (status == STATUS_OK && site->lane_count == 0)
        status = site_reserve(site, count, &error);
    (void)pthread_mutex_unlock(&session->mutex);
    if (status == STATUS_OK)
        site_start(site);
    for (size_t i = 0; i < site->lane_count; i++)
        all = all && site->lanes[i]->worker;
    all = all && status == STATUS_OK && site->place_error.status == STATUS_OK;
    if (!all && host_was_lost(site->host, connections))
        return;
    if (status != STATUS_OK) {
        (void)error_prefix(&error, "%s", site->host->name);
        site->error = error;
    }
    (void)pthread_mutex_lock(&session->mutex);
    site->settled = true;
    if (session->begun && !session->ending)
        join_late(site);
    (void)pthread_mutex_unlock(&session->mutex);
}

/* Takes the lock of the former agent again. Waits for an agent that still holds it, not having
 * noticed the cut connection; no process of this run uses the device meanwhile. */
static enum status lock_again(struct lane *lane, bool *waits, struct error *error)
{
    static const int64_t slack_ns = INT64_C(30000000000);
    const char *uuid = facts_text(&worker_head(lane->worker)->facts, "uuid", lane->name);
    struct session *session = lane->site->session;
    struct host_lock lock = {0};
    int64_t silent_ms = 0;
    enum status status =
        lane->site->host->lock(lane->site->host, uuid, session->options->database, &lock, error);
    *waits = false;
    if (status == STATUS_UNAVAILABLE) {
        const int64_t now_ns = clock_running_ns();
        struct error ignored = {0};
        (void)host_silent_ms(&silent_ms, &ignored);
        if (lane->lock_wait_end_ns == 0)
            lane->lock_wait_end_ns =
                now_ns + AGENT_SILENCES * silent_ms * INT64_C(1000000) + slack_ns;
        *waits = now_ns < lane->lock_wait_end_ns;
    }
    if (status != STATUS_OK)
        return status;
    (void)pthread_mutex_lock(&session->mutex);
    lane->lock = lock;
    lane->needs_lock = false;
    lane->lock_wait_end_ns = 0;
    (void)pthread_mutex_unlock(&session->mutex);
    return STATUS_OK;
}

/* Revives the lanes of a host that is back, and locks devices again. Lanes that did not need the
 * host meanwhile go on. Returns false if some thread has not noticed the loss yet, or if the host
 * was lost once more. */
static bool site_returned(struct site *site)
{
    struct session *session = site->session;
    const unsigned connections = host_connections(site->host);
    bool all = true;
    for (size_t i = 0; i < site->lane_count; i++) {
        struct lane *lane = site->lanes[i];
        struct error error = {0};
        (void)pthread_mutex_lock(&session->mutex);
        bool revives = lane->worker && lane->lost && lane->may_return && !lane->at_work;
        bool is_busy = lane->lost && lane->at_work;
        (void)pthread_mutex_unlock(&session->mutex);
        all = all && !is_busy;
        if (!lane->worker || is_busy || (!revives && !lane->needs_lock))
            continue;
        bool waits = false;
        const bool waited = lane->lock_wait_end_ns != 0;
        enum status status = lane->needs_lock ? lock_again(lane, &waits, &error) : STATUS_OK;
        if (status == STATUS_OK && revives)
            status = worker_probe(lane->worker, &error);
        waits = waits || (status != STATUS_OK && host_was_lost(site->host, connections));
        all = all && !waits;
        (void)pthread_mutex_lock(&session->mutex);
        if (status != STATUS_OK && !lane->lost)
            (void)lane_lose(lane, &error);
        else if (status != STATUS_OK && !waits)
            session_note(session, "%s stays lost: %s", lane->name, error.text);
        else if (!waited && lane->lock_wait_end_ns != 0)
            session_note(session, "%s is waited for: %s", lane->name, error.text);
        if (status != STATUS_OK) { /* unless the device itself stays away */
            lane->may_return = waits;
            lane->error = error;
        }
        if (revives && status == STATUS_OK) {
            lane->lost = lane->may_return = false;
            session_note(session, "%s is there again", lane->name);
            if (lane->group->sweeping)
                sweep_admit(lane->group->sweeping, lane);
        }
        (void)pthread_mutex_unlock(&session->mutex);
    }
    return all;
}

void *site_keep(void *context)
{
    struct site *site = context;
    struct session *session = site->session;
    unsigned connections = 0;
    if (!site->host->view) { /* this machine stays */
        site_arrived(site, 0);
        return NULL;
    }
    for (bool pending = false;;) {
        unsigned before = connections;
        enum host_state state = host_await(site->host, LOOK_MS, NULL, &connections);
        (void)pthread_mutex_lock(&session->mutex);
        bool over = session->ending;
        bool is_first = !site->settled;
        for (size_t i = 0; connections > before && i < site->lane_count; i++) {
            struct lane *lane = site->lanes[i];
            if (lane->lock.host && lane->lock.connections == connections)
                continue; /* taken from this agent before this thread knew of it */
            lane->lock = (struct host_lock){0};
            lane->needs_lock = true;
        }
        (void)pthread_mutex_unlock(&session->mutex);
        if (over)
            return NULL;
        if (state == HOST_GONE) {
            char trouble[512] = "";
            host_trouble(site->host, trouble, sizeof trouble);
            (void)pthread_mutex_lock(&session->mutex);
            if (!site->settled) {
                (void)error_set(&site->error, STATUS_UNAVAILABLE, "'%s' gives no host: %s",
                                host_command(site->host), trouble);
                site->settled = true;
                if (session->begun && !session->ending)
                    session_note(session, "%s", site->error.text);
                /* Also lanes that had begun before the loss. */
                for (size_t i = 0; i < site->lane_count; i++) {
                    worker_stop(site->lanes[i]->worker);
                    site->lanes[i]->worker = NULL;
                    site->lanes[i]->error = site->error;
                }
            } else if (!session->ending) {
                session_note(session, "%s is given up: %s", site->name, trouble);
            }
            (void)pthread_mutex_unlock(&session->mutex);
            return NULL;
        }
        if (connections > before && is_first && state == HOST_READY)
            site_arrived(site, connections);
        else if (connections > before)
            pending = true;
        if (site->settled && (pending || state == HOST_READY))
            pending = !site_returned(site);
    }
}
