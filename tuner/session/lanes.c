/* Devices, workers, and groups of like devices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/session/run.h"

/* Starts a worker: a second or more, mostly warming up, so all devices start at once. */
static void *start_lane(void *context)
{
    struct lane *lane = context;
    struct session *session = lane->site->session;
    struct protocol protocol = session->options->protocol;
    int64_t started_ns = clock_budget_ns();
    lane->needs_lock = false;
    error_clear(&lane->error);
    if (session->options->budget_ns > 0) /* a fifth of it for the warm-up */
        protocol.warm_most_ms =
            fmax(protocol.warm_least_ms,
                 fmin(protocol.warm_most_ms, (double)session->options->budget_ns * 1e-6 / 5));
    enum status status = worker_start(lane->site->host, session->options->device_kind, lane->index,
                                      &protocol, &lane->worker, &lane->error);
    lane->start_ns = clock_budget_ns() - started_ns;
    if (status == STATUS_OK)
        worker_end_by(lane->worker, budget_last_ns(session));
    if (status == STATUS_OK)
        (void)string_format(lane->uuid, sizeof lane->uuid, "%s",
                            facts_text(&worker_head(lane->worker)->facts, "uuid", lane->name));
    if (status == STATUS_OK && !session->options->recording) /* a replay needs no lock */
        status = lane->site->host->lock(lane->site->host, lane->uuid, session->options->database,
                                        &lane->lock, &lane->error);
    if (status != STATUS_OK) {
        (void)error_prefix(&lane->error, "%s", lane->name);
        worker_stop(lane->worker);
        lane->worker = NULL;
    }
    return NULL;
}

static bool alike(const struct session *session, const struct facts *a, const struct facts *b)
{
    static const char *const texts[] = {"name", "architecture", "driver", "compiler"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(facts_text(a, texts[i], ""), facts_text(b, texts[i], "")) != 0)
            return false;
    /* The hosts report the same version of each compiler that an experiment names. */
    for (size_t i = 0; i < session->experiment_count; i++) {
        const char *compiler = experiment_head(session->experiments[i].experiment)->compiler;
        if (compiler && strcmp(facts_text(a, compiler, ""), facts_text(b, compiler, "")) != 0)
            return false;
    }
    return facts_integer(a, "memory_bytes", 0) == facts_integer(b, "memory_bytes", 0) &&
           facts_integer(a, "sm_count", 0) == facts_integer(b, "sm_count", 0);
}

static void join_group(struct session *session, struct lane *lane)
{
    const struct facts *facts = &worker_head(lane->worker)->facts;
    struct group *group = NULL;
    for (size_t i = 0; i < session->group_count && !group; i++)
        if (alike(session, session->groups[i].facts, facts))
            group = &session->groups[i];
    if (!group) {
        group = &session->groups[session->group_count++];
        *group = (struct group){.session = session,
                                .facts = facts,
                                .machine = &worker_head(lane->worker)->machine,
                                .wake_file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                                .position.problem_key = "",
                                .position.best_key = ""};
        group->clock.since_ns = session->started_ns;
    }
    group->lanes[group->lane_count++] = lane;
    group->costs.fresh_ns = lane->start_ns;
    if (session->options->budget_ns > 0)
        group->costs.spared_ns = worker_head(lane->worker)->calibration.reserved_ns;
    lane->group = group;
}

static bool has_group(const struct site *site, const struct group *group)
{
    for (size_t i = 0; i < site->lane_count; i++)
        if (site->lanes[i]->group == group)
            return true;
    return false;
}

/* Returns the compilers for each group, by the cores of the devices' machine. */
static size_t compilers_a_group(const struct site *site)
{
    const struct session *session = site->session;
    const struct session_options *options = session->options;
    long cores = 1, groups = 0, lanes = 0;
    if (options->compile_workers > 0)
        return options->compile_workers;
    for (size_t i = 0; i < site->lane_count; i++) {
        if (site->lanes[i]->worker)
            cores = worker_head(site->lanes[i]->worker)->machine.cores;
        lanes++;
    }
    for (size_t i = 0; i < session->group_count; i++)
        groups += has_group(site, &session->groups[i]);
    /* One core is left to each measuring process. */
    if (options->compiles_beside_measuring)
        cores -= lanes;
    long share = cores / (groups > 0 ? groups : 1);
    return share < 1 ? 1 : share > COMPILERS_MAX ? COMPILERS_MAX : (size_t)share;
}

/* Places each worker near the device, on a separate core, and the compilers on the others.
 * Devices whose kernels run on these cores place threads themselves. */
static enum status place_lanes(struct site *site, struct error *error)
{
    const char *addresses[SESSION_DEVICES_MAX] = {NULL};
    struct lane *lanes[SESSION_DEVICES_MAX];
    size_t count = 0;
    error_clear(error);
    for (size_t i = 0; i < site->lane_count; i++) {
        struct lane *lane = site->lanes[i];
        if (!lane->worker)
            continue;
        addresses[count] = facts_text(&worker_head(lane->worker)->facts, "pci_address", NULL);
        lanes[count++] = lane;
    }
    if (count == 0 || !site->session->options->compiles_beside_measuring)
        return STATUS_OK;
    TRY(site->host->place(site->host, addresses, count, &site->placement, error));
    for (size_t i = 0; i < count; i++) {
        lanes[i]->place = site->placement.devices[i];
        if (lanes[i]->place.cpus[0])
            TRY(worker_pin(lanes[i]->worker, lanes[i]->place.cpus, &lanes[i]->pinned, error));
    }
    return STATUS_OK;
}

/* ---- sites ---- */

enum status site_devices(const struct site *site, size_t *count, struct error *error)
{
    const struct session_options *options = site->session->options;
    int found = 0;
    *count = options->device_count;
    if (options->host_count == 0)
        return STATUS_OK;
    TRY(worker_count(site->host, options->device_kind, &found, error));
    if (options->device_count == 0)
        *count = found > 0 ? (size_t)found : 0;
    if (found == 0)
        return error_set(error, STATUS_UNAVAILABLE, "it has no %s device", options->device_kind);
    return STATUS_OK;
}

enum status site_reserve(struct site *site, size_t count, struct error *error)
{
    struct session *session = site->session;
    const struct session_options *options = session->options;
    size_t namesakes = 1;
    if (session->lane_count + count > SESSION_DEVICES_MAX)
        return error_set(error, STATUS_UNAVAILABLE, "more than %d devices in all",
                         SESSION_DEVICES_MAX);
    for (size_t i = 0; i < session->site_count; i++)
        namesakes += session->sites[i].lane_count > 0 &&
                     strcmp(session->sites[i].host->name, site->host->name) == 0;
    if (namesakes > 1)
        (void)string_format(site->name, sizeof site->name, "%.58s#%zu", site->host->name,
                            namesakes);
    else
        (void)string_format(site->name, sizeof site->name, "%.60s", site->host->name);
    for (size_t i = 0; i < count; i++) {
        struct lane *lane = &session->lanes[session->lane_count++];
        int index = options->device_count > 0 ? options->device_indices[i] : (int)i;
        *lane = (struct lane){.site = site,
                              .lost = true, /* until the site joins */
                              .index = index};
        (void)string_format(lane->name, sizeof lane->name, "%s%s%s:%d",
                            options->host_count > 0 ? site->name : "",
                            options->host_count > 0 ? ":" : "", options->device_kind, index);
        site->lanes[site->lane_count++] = lane;
    }
    return STATUS_OK;
}

void site_start(struct site *site)
{
    bool started[SESSION_DEVICES_MAX];
    for (size_t i = 0; i < site->lane_count; i++) {
        struct lane *lane = site->lanes[i];
        started[i] = !lane->worker && pthread_create(&lane->thread, NULL, start_lane, lane) == 0;
        if (!started[i] && !lane->worker)
            (void)start_lane(lane);
    }
    for (size_t i = 0; i < site->lane_count; i++)
        if (started[i])
            (void)pthread_join(site->lanes[i]->thread, NULL);
    (void)place_lanes(site, &site->place_error);
}

/* Explains a lock held by this run, if two commands reach one machine. */
static void name_twin(struct lane *lane)
{
    const struct session *session = lane->site->session;
    for (size_t i = 0; i < session->lane_count; i++) {
        const struct lane *other = &session->lanes[i];
        if (lane->error.status == STATUS_UNAVAILABLE && other->lock.host && lane->uuid[0] &&
            strcmp(lane->uuid, other->uuid) == 0)
            (void)error_set(&lane->error, STATUS_UNAVAILABLE,
                            "%s is the device that %s is, reached twice", lane->name, other->name);
    }
}

enum status site_join(struct site *site, struct error *error)
{
    struct session *session = site->session;
    bool joins = false;
    for (size_t i = 0; i < site->lane_count; i++) {
        struct lane *lane = site->lanes[i];
        if (!lane->worker) {
            name_twin(lane);
            continue;
        }
        lane->lost = false;
        joins = true;
        if (lane->lock.warning[0])
            session_note(session, "%s: %s", lane->name, lane->lock.warning);
        join_group(session, lane);
    }
    const int64_t end_ns = host_end_ns(site->host);
    if (joins && end_ns != INT64_MAX)
        session_note(session,
                     "%s: its job ends in %.1f min: work that needs it ends before, and the same "
                     "command continues it",
                     site->name, (double)(end_ns - clock_running_ns()) / 60e9);
    if (!joins)
        return STATUS_OK;
    if (site->place_error.status != STATUS_OK) {
        *error = site->place_error;
        return error->status;
    }
    if (site->placement.note[0])
        session_note(session, "%s%s%s", site->host->view ? site->name : "",
                     site->host->view ? ": " : "", site->placement.note);
    const char *kind = session->options->device_kind;
    const char *cpus = site->placement.compilers.cpus[0] ? site->placement.compilers.cpus : NULL;
    size_t compilers = compilers_a_group(site);
    static const size_t ahead_most = 3; /* most processes that make references of coming problems */
    for (size_t i = 0; i < session->group_count; i++) {
        struct group *group = &session->groups[i];
        if (!has_group(site, group))
            continue;
        if (group->binaries.pool) {
            TRY(compile_pool_add(group->binaries.pool, site->host, compilers, cpus, error));
            TRY(compile_pool_add(group->references.pool, site->host, 1, cpus, error));
            continue;
        }
        TRY(binaries_start(&group->binaries, site->host, kind, compilers, cpus, group->facts,
                           error));
        TRY(binaries_start(&group->references, site->host, device_host()->kind,
                           1 + (compilers / 2 < ahead_most ? compilers / 2 : ahead_most), cpus,
                           group->facts, error));
    }
    return STATUS_OK;
}

/* Waits for sites, some of which may queue for hours: those that arrive shortly after the first
 * begin together. */
static enum status await_sites(struct session *session, struct error *error)
{
    int64_t grace_ms = 0, first_ns = 0, note_at_ns = clock_running_ns() + INT64_C(5000000000);
    enum status status =
        environment_integer("TUNE_HOST_GRACE_MS", 0, INT64_C(3600) * 1000, 15000, &grace_ms, error);
    for (bool over = status != STATUS_OK; !over;) {
        size_t unsettled = 0;
        bool has_lanes = false;
        for (size_t i = 0; i < session->site_count; i++) {
            const struct site *site = &session->sites[i];
            unsettled += !site->settled;
            for (size_t j = 0; site->settled && j < site->lane_count; j++)
                has_lanes = has_lanes || site->lanes[j]->worker;
        }
        if (has_lanes && first_ns == 0)
            first_ns = clock_running_ns();
        over =
            unsettled == 0 || (first_ns != 0 && clock_running_ns() - first_ns > grace_ms * 1000000);
        if (session_stopped(session))
            return session_stop_error(error);
        for (size_t i = 0; clock_running_ns() > note_at_ns && i < session->site_count; i++) {
            char trouble[512] = "";
            const struct site *site = &session->sites[i];
            if (site->settled || !site->host->view)
                continue;
            host_trouble(site->host, trouble, sizeof trouble);
            session_note(session, "waiting for '%s'%s%s%s", host_command(site->host),
                         trouble[0] ? " (" : "", trouble, trouble[0] ? ")" : "");
        }
        if (clock_running_ns() > note_at_ns)
            note_at_ns = INT64_MAX;
        if (!over)
            session_pause(session);
    }
    return status;
}

enum status lanes_start(struct session *session, struct error *error)
{
    const struct error *first_lost = NULL;
    const struct session_options *options = session->options;
    size_t count = options->host_count > 0 ? options->host_count : 1;
    session->sites = calloc(count, sizeof *session->sites);
    if (!session->sites)
        return error_no_memory(error);
    session->site_count = count;
    for (size_t i = 0; i < session->site_count; i++) {
        struct site *site = &session->sites[i];
        site->session = session;
        site->host = options->host_count > 0 ? options->hosts[i] : host_local();
        site->has_thread =
            options->host_count > 0 && pthread_create(&site->thread, NULL, site_keep, site) == 0;
        if (site->has_thread)
            continue;
        size_t devices = 0;
        enum status status = site_devices(site, &devices, &site->error);
        if (status == STATUS_OK)
            status = site_reserve(site, devices, &site->error);
        if (status == STATUS_OK)
            site_start(site);
        site->settled = true;
    }
    if (options->host_count > 0)
        TRY(await_sites(session, error));
    for (size_t i = 0; i < session->site_count; i++) {
        struct site *site = &session->sites[i];
        if (!site->settled)
            continue;
        if (site->error.status != STATUS_OK && !first_lost)
            first_lost = &site->error;
        for (size_t j = 0; j < site->lane_count && !first_lost; j++)
            if (!site->lanes[j]->worker)
                first_lost = &site->lanes[j]->error;
        TRY(site_join(site, error));
    }
    if (session->group_count == 0 && first_lost) {
        *error = *first_lost;
        return error->status;
    }
    for (size_t i = 0; i < session->lane_count; i++)
        if (!session->lanes[i].worker && session->lanes[i].site->settled)
            session_note(session, "%s; the other devices are tuned", session->lanes[i].error.text);
    for (size_t i = 0; i < session->site_count; i++)
        if (session->sites[i].settled && session->sites[i].error.status != STATUS_OK)
            session_note(session, "%s; the other hosts are tuned", session->sites[i].error.text);
        else if (!session->sites[i].settled)
            session_note(session, "'%s' is not there yet: it takes part when it comes",
                         host_command(session->sites[i].host));
    session->begun = true;
    return STATUS_OK;
}

void lanes_stop(struct session *session)
{
    (void)pthread_mutex_lock(&session->mutex);
    session->ending = true;
    (void)pthread_mutex_unlock(&session->mutex);
    for (size_t i = 0; i < session->site_count; i++)
        if (session->sites[i].has_thread)
            (void)pthread_join(session->sites[i].thread, NULL);
    for (size_t i = 0; i < session->group_count; i++) {
        binaries_free(&session->groups[i].binaries);
        binaries_free(&session->groups[i].references);
        free(session->groups[i].empty.items);
        file_close(session->groups[i].wake_file);
    }
    for (size_t i = 0; i < session->lane_count; i++) {
        worker_stop(session->lanes[i].worker);
        host_unlock(&session->lanes[i].lock);
    }
    free(session->sites);
}
