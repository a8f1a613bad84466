/* Devices, their workers, and which of them are alike. */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/session/run.h"
#include "tuner/worker/host.h"

/* Starting takes a second or more, most of it warming up: all devices at once. */
static void *start_lane(void *context)
{
    struct lane *lane = context;
    struct session *session = lane->session;
    int64_t started_ns = clock_running_ns();
    enum status status = worker_start(lane->host, session->options->device_kind, lane->index,
                                      &session->options->protocol, &lane->worker, &lane->error);
    lane->start_ns = clock_running_ns() - started_ns;
    if (status == STATUS_OK && !session->options->recording) /* which any number may play */
        status = lane->host->lock(facts_text(worker_facts(lane->worker), "uuid", lane->name),
                                  &lane->lock, &lane->error);
    if (status != STATUS_OK) {
        (void)error_prefix(&lane->error, "%s", lane->name);
        worker_stop(lane->worker);
        lane->worker = NULL;
        lane->lost = true;
    }
    return NULL;
}

static bool alike(const struct facts *a, const struct facts *b)
{
    static const char *const texts[] = {"name", "architecture", "driver", "compiler"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(facts_text(a, texts[i], ""), facts_text(b, texts[i], "")) != 0)
            return false;
    return facts_integer(a, "memory_bytes", 0) == facts_integer(b, "memory_bytes", 0) &&
           facts_integer(a, "sm_count", 0) == facts_integer(b, "sm_count", 0);
}

static void join_group(struct session *session, struct lane *lane)
{
    const struct facts *facts = worker_facts(lane->worker);
    struct group *group = NULL;
    for (size_t i = 0; i < session->group_count && !group; i++)
        if (alike(session->groups[i].facts, facts))
            group = &session->groups[i];
    if (!group) {
        group = &session->groups[session->group_count++];
        *group = (struct group){.session = session,
                                .facts = facts,
                                .machine = worker_machine(lane->worker),
                                .wake_file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                                .problem_key = "",
                                .best_key = ""};
        group->clock.since_ns = session->started_ns;
    }
    group->lanes[group->lane_count++] = lane;
    group->costs.fresh_ns = lane->start_ns;
    lane->group = group;
}

/* Processors of the machine that the devices are on. */
static long processors(const struct session *session)
{
    for (size_t i = 0; i < session->lane_count; i++)
        if (!session->lanes[i].lost)
            return worker_machine(session->lanes[i].worker)->cores;
    return 1;
}

static size_t compilers_a_group(const struct session *session)
{
    const struct session_options *options = session->options;
    if (options->compile_workers > 0)
        return options->compile_workers;
    long cores = processors(session);
    /* A core each is left to the processes that measure beside them. */
    if (options->compiles_beside_measuring)
        cores -= (long)session->lane_count;
    long groups = session->group_count > 0 ? (long)session->group_count : 1;
    long share = cores / groups;
    return share < 1 ? 1 : share > COMPILERS_MAX ? COMPILERS_MAX : (size_t)share;
}

/* Each worker near its device, on a core of its own; compilers on the others. Devices whose kernels
 * run on these cores place their threads themselves. */
static enum status place_lanes(struct session *session, struct error *error)
{
    const char *addresses[SESSION_DEVICES_MAX] = {NULL};
    struct lane *lanes[SESSION_DEVICES_MAX];
    size_t count = 0;
    if (!session->options->compiles_beside_measuring)
        return STATUS_OK;
    for (size_t i = 0; i < session->lane_count; i++) {
        struct lane *lane = &session->lanes[i];
        if (lane->lost)
            continue;
        addresses[count] = facts_text(worker_facts(lane->worker), "pci_address", NULL);
        lanes[count++] = lane;
    }
    enum status status = session->host->place(addresses, count, &session->placement, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        lanes[i]->place = session->placement.devices[i];
        if (lanes[i]->place.cpus[0])
            status = worker_pin(lanes[i]->worker, lanes[i]->place.cpus, &lanes[i]->pinned, error);
    }
    if (status == STATUS_OK && session->placement.note[0])
        session_note(session, "%s", session->placement.note);
    return status;
}

static enum status start_groups(struct session *session, struct error *error)
{
    enum status status = STATUS_OK;
    size_t compilers = compilers_a_group(session);
    const char *cpus =
        session->placement.compilers.cpus[0] ? session->placement.compilers.cpus : NULL;
    for (size_t i = 0; status == STATUS_OK && i < session->group_count; i++) {
        struct group *group = &session->groups[i];
        status = binaries_start(&group->binaries, session->host, session->options->device_kind,
                                compilers, cpus, group->facts, error);
        if (status == STATUS_OK)
            status = binaries_start(&group->references, session->host, device_host()->kind, 1, cpus,
                                    group->facts, error);
    }
    return status;
}

enum status lanes_start(struct session *session, struct error *error)
{
    const struct session_options *options = session->options;
    session->lane_count = options->device_count;
    for (size_t i = 0; i < session->lane_count; i++) {
        struct lane *lane = &session->lanes[i];
        *lane = (struct lane){
            .session = session, .host = session->host, .index = options->device_indices[i]};
        (void)string_format(lane->name, sizeof lane->name, "%s:%d", options->device_kind,
                            lane->index);
        if (pthread_create(&lane->thread, NULL, start_lane, lane) != 0) {
            lane->thread = pthread_self();
            (void)start_lane(lane);
        }
    }
    const struct lane *first_lost = NULL;
    for (size_t i = 0; i < session->lane_count; i++) {
        struct lane *lane = &session->lanes[i];
        if (!pthread_equal(lane->thread, pthread_self()))
            (void)pthread_join(lane->thread, NULL);
        if (lane->lost) {
            first_lost = first_lost ? first_lost : lane;
            continue;
        }
        if (options->database && lane->lock)
            lock_note(lane->lock, options->database);
        if (lane->lock && lock_warning(lane->lock)[0])
            session_note(session, "%s: %s", lane->name, lock_warning(lane->lock));
        join_group(session, lane);
    }
    if (session->group_count == 0 && first_lost) {
        *error = first_lost->error;
        return error->status;
    }
    for (size_t i = 0; i < session->lane_count; i++)
        if (session->lanes[i].lost)
            session_note(session, "%s; the other devices are tuned", session->lanes[i].error.text);
    enum status status = place_lanes(session, error);
    return status == STATUS_OK ? start_groups(session, error) : status;
}

void lanes_stop(struct session *session)
{
    for (size_t i = 0; i < session->group_count; i++) {
        binaries_free(&session->groups[i].binaries);
        binaries_free(&session->groups[i].references);
        if (session->groups[i].wake_file >= 0)
            (void)close(session->groups[i].wake_file);
    }
    for (size_t i = 0; i < session->lane_count; i++) {
        worker_stop(session->lanes[i].worker);
        lock_release(session->lanes[i].lock);
    }
}
