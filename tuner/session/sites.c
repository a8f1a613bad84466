/* Hosts that come late, are lost, and come again. */
#include <stdlib.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/session/run.h"
#include "tuner/session/sweep.h"

enum { LOOK_MS = 300 };
static const int64_t tell_every_ns = INT64_C(60000000000);

bool sites_awaited(const struct session *session)
{
    for (size_t i = 0; i < session->site_count; i++)
        if (!session->sites[i].settled)
            return true;
    return false;
}

/* Into a run that goes on. What fails costs the run these devices, and no more; with the mutex. */
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
        if (lane->group->sweep)
            sweep_admit(lane->group->sweep, lane);
    }
}

/* Its host is there for the first time. */
static void come(struct site *site)
{
    struct session *session = site->session;
    size_t count = 0;
    enum status status = site_count(site, &count, &site->error);
    (void)pthread_mutex_lock(&session->mutex);
    if (status == STATUS_OK)
        status = site_reserve(site, count, &site->error);
    (void)pthread_mutex_unlock(&session->mutex);
    if (status == STATUS_OK)
        site_start(site);
    else
        (void)error_prefix(&site->error, "%s", site->host->name);
    (void)pthread_mutex_lock(&session->mutex);
    site->settled = true;
    if (session->begun && !session->ending)
        join_late(site);
    (void)pthread_mutex_unlock(&session->mutex);
}

/* Its host is there again, and no lock was kept; false: not everybody has noticed yet that it was
 * lost. Those lanes that did not need it meanwhile go on as they were. */
static bool come_again(struct site *site)
{
    struct session *session = site->session;
    bool all = true;
    for (size_t i = 0; i < site->lane_count; i++) {
        struct lane *lane = site->lanes[i];
        struct error error = {0};
        (void)pthread_mutex_lock(&session->mutex);
        bool revives = lane->worker && lane->lost && lane->returns && !lane->at_work;
        bool is_busy = lane->lost && lane->at_work;
        (void)pthread_mutex_unlock(&session->mutex);
        all = all && !is_busy;
        if (!lane->worker || is_busy || (!revives && !lane->relocks))
            continue;
        enum status status = revives ? worker_probe(lane->worker, &error) : STATUS_OK;
        struct host_lock lock = {0};
        if (status == STATUS_OK && lane->relocks)
            status = lane->host->lock(lane->host,
                                      facts_text(worker_facts(lane->worker), "uuid", lane->name),
                                      session->options->database, &lock, &error);
        (void)pthread_mutex_lock(&session->mutex);
        if (lock.host) {
            lane->lock = lock;
            lane->relocks = false;
        }
        if (status != STATUS_OK && host_state(site->host) == HOST_READY)
            lane->returns = false; /* it is its device that does not come back */
        if (status != STATUS_OK && !lane->lost)
            (void)lane_lose(lane, &error);
        if (revives && status == STATUS_OK) {
            lane->lost = lane->returns = false;
            session_note(session, "%s is there again", lane->name);
            if (lane->group->sweep)
                sweep_admit(lane->group->sweep, lane);
        }
        (void)pthread_mutex_unlock(&session->mutex);
    }
    return all;
}

/* It will not come. */
static void give_up(struct site *site)
{
    struct session *session = site->session;
    char trouble[512] = "";
    host_trouble(site->host, trouble, sizeof trouble);
    (void)pthread_mutex_lock(&session->mutex);
    if (!site->settled) {
        (void)error_set(&site->error, STATUS_UNAVAILABLE, "'%s' gives no host: %s",
                        host_command(site->host), trouble);
        site->settled = true;
        if (session->begun && !session->ending)
            session_note(session, "%s", site->error.text);
    } else if (!session->ending) {
        session_note(session, "%s is given up: %s", site->name, trouble);
    }
    (void)pthread_mutex_unlock(&session->mutex);
}

void *site_keep(void *context)
{
    struct site *site = context;
    struct session *session = site->session;
    unsigned connections = 0;
    if (!site->host->state) { /* this machine stays */
        come(site);
        return NULL;
    }
    for (bool pending = false;;) {
        unsigned before = connections;
        enum host_state state = host_await(site->host, LOOK_MS, NULL, &connections);
        (void)pthread_mutex_lock(&session->mutex);
        bool over = session->ending;
        bool is_first = !site->settled;
        for (size_t i = 0; connections > before && !is_first && i < site->lane_count; i++) {
            site->lanes[i]->lock = (struct host_lock){0};
            site->lanes[i]->relocks = true;
        }
        (void)pthread_mutex_unlock(&session->mutex);
        if (over)
            return NULL;
        if (state == HOST_GONE) {
            give_up(site);
            return NULL;
        }
        if (connections > before && is_first && state == HOST_READY)
            come(site);
        else if (connections > before)
            pending = true;
        if (pending || state == HOST_READY)
            pending = !come_again(site);
    }
}

void sites_tell(struct session *session, bool now)
{
    const int64_t now_ns = clock_running_ns();
    if (session->hosts_told_ns == 0)
        session->hosts_told_ns = session->started_ns;
    if (session->options->host_count == 0 || !session->events->host ||
        (!now && now_ns - session->hosts_told_ns < tell_every_ns))
        return;
    session->hosts_told_ns = now_ns;
    for (size_t i = 0; i < session->site_count; i++) {
        const struct site *site = &session->sites[i];
        size_t there = 0, trials = 0;
        int64_t measuring_ns = 0;
        char line[256];
        for (size_t j = 0; j < site->lane_count; j++) {
            there += site->lanes[j]->lost ? 0 : 1;
            trials += site->lanes[j]->trials;
            measuring_ns += site->lanes[j]->measuring_ns;
        }
        if (there == 0 && trials == 0)
            continue;
        const double all_ns = (double)(now_ns - session->started_ns) * (double)site->lane_count;
        (void)string_format(line, sizeof line,
                            "%s: %zu of %zu devices, %zu trials, %.0f %% of the time measuring",
                            site->name, there, site->lane_count, trials,
                            all_ns > 0 ? 100 * (double)measuring_ns / all_ns : 0.0);
        session->events->host(session->events->context, line);
    }
}
