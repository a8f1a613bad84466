/* All configurations of one problem, by all devices of a group. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuner/base/clock.h"
#include "tuner/session/internal.h"

enum status sweep_list(struct sweep *sweep, struct error *error)
{
    enum status status =
        space_create(sweep->experiment, &sweep->problem, sweep->group->facts, &sweep->space, error);
    if (status != STATUS_OK)
        return status;
    size_t count = space_count(sweep->space);
    sweep->candidates = calloc(count + EXPERIMENT_BASELINES_MAX, sizeof sweep->candidates[0]);
    if (!sweep->candidates)
        return error_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct candidate *candidate = &sweep->candidates[i];
        candidate->median_ns = (double)NAN;
        candidate->same_as = NO_CANDIDATE;
        space_configuration(sweep->space, i, &candidate->configuration);
        if (!configuration_key(&candidate->configuration, candidate->key))
            return error_set(error, STATUS_BAD_INPUT, "%s: a configuration's values are too long",
                             experiment_path(sweep->experiment));
        status =
            store_configuration(sweep->group->session->store, sweep->experiment_id, candidate->key,
                                candidate->configuration.values, candidate->configuration.count,
                                &candidate->configuration_id, error);
        if (status != STATUS_OK)
            return status;
    }
    sweep->count = count;
    sweep->space_count = count;
    if (count == 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: %s n=%lld: the constraints leave nothing",
                         experiment_path(sweep->experiment), sweep->problem.key,
                         (long long)sweep->problem.n);
    return STATUS_OK;
}

static enum status request_binaries(struct sweep *sweep, struct error *error)
{
    struct arena scratch = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sweep->count; i++) {
        struct binary_request request;
        struct point point = sweep_point(sweep, &sweep->candidates[i], 0);
        status = point_binary(&point, &scratch, &request, error);
        if (status == STATUS_OK)
            status = binaries_request(&sweep->group->binaries, &request,
                                      &sweep->candidates[i].binary, error);
        arena_free(&scratch);
    }
    return status;
}

static void refill(struct sweep *sweep)
{
    uint64_t point = 0;
    while (sweep->window_count < LOOKAHEAD && search_ask(sweep->search, &point))
        if (!sweep->candidates[point].done)
            sweep->window[sweep->window_count++] = point;
}

/* The first of the window whose binary is there (or never will be); false: all are being compiled.
 */
static bool take_ready(struct sweep *sweep, size_t *point)
{
    for (size_t i = 0; i < sweep->window_count; i++) {
        const struct candidate *candidate = &sweep->candidates[sweep->window[i]];
        if (sweep->group->binaries.items[candidate->binary].state == BINARY_PENDING)
            continue;
        *point = sweep->window[i];
        sweep->window_count--;
        memmove(&sweep->window[i], &sweep->window[i + 1],
                (sweep->window_count - i) * sizeof sweep->window[0]);
        return true;
    }
    return false;
}

/* What a lost lane had in hand is left to the others. One place is free: it was taken from there,
 * and other lanes refill only what is missing. */
static void put_back(struct sweep *sweep, size_t point)
{
    if (sweep->window_count == LOOKAHEAD)
        return; /* stays undone; the next run takes it */
    sweep->window[sweep->window_count++] = point;
}

/* The others go on meanwhile. */
static void wait_for_compilers(struct sweep *sweep, struct lane *lane)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    session_progress(sweep->group, "compile");
    int64_t left_ns = lane_leave(lane);
    (void)nanosleep(&pause, NULL);
    lane_enter(lane, left_ns, &lane->compile_wait_ns);
}

/* Where compiling takes the cores that kernels are timed on, all of it comes first. */
static enum status compile_first(struct sweep *sweep, struct error *error)
{
    struct group *group = sweep->group;
    struct lane *lane = group_lane(group);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && lane && !group->session->options->compiles_beside_measuring &&
           compile_pool_pending(group->binaries.pool) > 0) {
        if (session_stopped(group->session))
            return session_stop_error(error);
        wait_for_compilers(sweep, lane);
        status = binaries_collect(&group->binaries, 0, error);
    }
    return status;
}

static void tell_best(struct sweep *sweep)
{
    if (sweep->best != sweep->count) {
        sweep->group->best_ns = sweep->candidates[sweep->best].median_ns;
        sweep->group->best_key = sweep->candidates[sweep->best].key;
    }
    session_progress(sweep->group, "sweep");
}

/* One point by one lane; *idle: nothing is left to take. */
static enum status lane_step(struct sweep *sweep, struct lane *lane, bool *idle,
                             struct error *error)
{
    size_t point = 0;
    refill(sweep);
    *idle = sweep->window_count == 0;
    if (*idle)
        return STATUS_OK;
    enum status status = binaries_collect(&sweep->group->binaries, 0, error);
    if (status != STATUS_OK)
        return status;
    if (!take_ready(sweep, &point)) {
        wait_for_compilers(sweep, lane);
        return STATUS_OK;
    }
    status = sweep_tell(sweep, lane, true, error);
    if (status == STATUS_OK)
        status = sweep_try(sweep, lane, &sweep->candidates[point], error);
    if (lane->lost) {
        put_back(sweep, point);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return status;
    search_tell(sweep->search, point, sweep->candidates[point].median_ns);
    tell_best(sweep);
    return STATUS_OK;
}

/* Its share of the budget is spent; but a sweep ends with something to choose from. */
static bool is_spent(const struct sweep *sweep)
{
    return sweep->best != sweep->count && budget_over(sweep->group->session, sweep->deadline_ns);
}

/* What a lane's thread does in a sweep; the mutex is held. */
static enum status lane_loop(struct sweep *sweep, struct lane *lane, struct error *error)
{
    bool idle = false;
    while (!idle && !lane->lost && !sweep->failed && !is_spent(sweep)) {
        if (session_stopped(sweep->group->session))
            return session_stop_error(error);
        enum status status = lane_step(sweep, lane, &idle, error);
        if (status != STATUS_OK) {
            sweep->failed = true;
            return status;
        }
    }
    return STATUS_OK;
}

struct lane_task {
    struct sweep *sweep;
    struct lane *lane;
    bool started;
    pthread_t thread;
    enum status status;
    struct error error;
};

static void *run_lane(void *context)
{
    struct lane_task *task = context;
    pthread_mutex_t *mutex = &task->sweep->group->session->mutex;
    (void)pthread_mutex_lock(mutex);
    task->status = lane_loop(task->sweep, task->lane, &task->error);
    (void)pthread_mutex_unlock(mutex);
    return NULL;
}

/* All lanes at once: the first in this thread, the others in threads of their own. */
static enum status run_lanes(struct sweep *sweep, struct error *error)
{
    struct lane_task tasks[SESSION_DEVICES_MAX];
    struct group *group = sweep->group;
    size_t count = 0;
    for (size_t i = 0; i < group->lane_count; i++)
        if (!group->lanes[i]->lost)
            tasks[count++] = (struct lane_task){.sweep = sweep, .lane = group->lanes[i]};
    if (count == 0)
        return error_set(error, STATUS_DEVICE_LOST, "no device is left: %s",
                         group->lanes[0]->error.text);
    for (size_t i = 1; i < count; i++)
        tasks[i].started = pthread_create(&tasks[i].thread, NULL, run_lane, &tasks[i]) == 0;
    tasks[0].status = lane_loop(sweep, tasks[0].lane, &tasks[0].error);
    (void)pthread_mutex_unlock(&group->session->mutex);
    for (size_t i = 1; i < count; i++)
        if (tasks[i].started)
            (void)pthread_join(tasks[i].thread, NULL);
    (void)pthread_mutex_lock(&group->session->mutex);
    for (size_t i = 0; i < count; i++) {
        if (tasks[i].status != STATUS_OK) {
            *error = tasks[i].error;
            return tasks[i].status;
        }
    }
    return STATUS_OK;
}

/* Again while a lost lane left something for the others. */
static enum status try_all(struct sweep *sweep, struct error *error)
{
    enum status status = compile_first(sweep, error);
    do {
        if (status == STATUS_OK)
            status = run_lanes(sweep, error);
    } while (status == STATUS_OK && sweep->window_count > 0 && !is_spent(sweep));
    return status;
}

enum status sweep_problem(struct sweep *sweep, struct error *error)
{
    const struct session_options *options = sweep->group->session->options;
    sweep->deadline_ns = budget_sweep_end_ns(sweep->group);
    enum status status = sweep_add_baselines(sweep, error);
    if (status == STATUS_OK)
        status = request_binaries(sweep, error);
    if (status == STATUS_OK)
        status = sweep_take_known(sweep, error);
    uint64_t seed = hash_u64(sweep->problem.key, strlen(sweep->problem.key),
                             options->seed ^ (uint64_t)sweep->problem.n);
    if (status == STATUS_OK)
        status =
            search_create(&(struct search_options){.strategy = "exhaustive", .seed = seed},
                          &(struct search_space){.count = sweep->count}, &sweep->search, error);
    if (status == STATUS_OK)
        status = try_all(sweep, error);
    return status;
}

void sweep_free(struct sweep *sweep)
{
    search_free(sweep->search);
    sweep->search = NULL;
    free(sweep->candidates);
    space_free(sweep->space);
    arena_free(&sweep->arena);
}
