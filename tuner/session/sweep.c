/* The configurations of one problem, by all devices of a group. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuner/base/clock.h"
#include "tuner/session/internal.h"

/* The others go on meanwhile. */
static void wait_for_compilers(struct sweep *sweep, struct lane *lane)
{
    const struct timespec pause = {.tv_nsec = 500000};
    session_progress(sweep->group, "compile");
    int64_t left_ns = lane_leave(lane);
    (void)nanosleep(&pause, NULL);
    lane_enter(lane, left_ns, &lane->compile_wait_ns);
}

/* Where compiling takes the cores that kernels are timed on, a batch is compiled before it is
 * timed.
 */
static bool must_compile(const struct sweep *sweep)
{
    const struct group *group = sweep->group;
    return !group->session->options->compiles_beside_measuring &&
           compile_pool_pending(group->binaries.pool) > 0;
}

static void tell_best(struct sweep *sweep)
{
    if (sweep->best) {
        sweep->group->best_ns = sweep->best->median_ns;
        sweep->group->best_key = sweep->best->key;
    }
    session_progress(sweep->group, "sweep");
}

static enum status try_one(struct sweep *sweep, struct lane *lane, struct candidate *candidate,
                           struct error *error)
{
    enum status status = sweep_tell(sweep, lane, true, error);
    if (status == STATUS_OK)
        status = sweep_try(sweep, lane, candidate, error);
    if (status == STATUS_NO_TIME)
        error_clear(error);
    if (lane->lost || status == STATUS_NO_TIME)
        return window_put_back(sweep, candidate, error);
    if (status != STATUS_OK)
        return status;
    window_done(sweep, candidate);
    if (stage_enter(sweep->group, STAGE_SWEEP) == STAGE_SET_UP)
        budget_begin_sweep(sweep); /* what its set-up takes is known by now */
    tell_best(sweep);
    return STATUS_OK;
}

static enum status tell(struct sweep *sweep, struct lane *lane, struct error *error)
{
    enum status status = sweep_tell(sweep, lane, true, error);
    if (!lane->lost && status != STATUS_NO_TIME)
        return status;
    error_clear(error); /* the loop ends by itself */
    return STATUS_OK;
}

/* One point by one lane; *idle: nothing is left to take. */
static enum status lane_step(struct sweep *sweep, struct lane *lane, bool *idle,
                             struct error *error)
{
    enum status status = window_fill(sweep, error);
    if (status == STATUS_OK)
        status = binaries_collect(&sweep->group->binaries, 0, error);
    if (status != STATUS_OK)
        return status;
    /* What others have in hand may let the search go on. */
    *idle = sweep->window_count == 0 && sweep->in_hand == 0;
    if (*idle)
        return STATUS_OK;
    struct candidate *candidate = must_compile(sweep) ? NULL : window_take(sweep);
    if (candidate)
        return try_one(sweep, lane, candidate, error);
    if (lane->told != sweep) /* inputs and expected results are made while others compile */
        return tell(sweep, lane, error);
    wait_for_compilers(sweep, lane);
    return STATUS_OK;
}

/* Its share of the budget is spent; but a sweep ends with something to choose from, and something
 * to compare it with, unless the whole of the budget is. */
static bool is_spent(const struct sweep *sweep)
{
    return budget_ended(sweep->group->session) ||
           (sweep->best && sweep->baselines_left == 0 &&
            budget_over(sweep->group->session, sweep->deadline_ns));
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
    sweep->searched_all = sweep->searched_all || idle;
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
    enum status status = STATUS_OK;
    do {
        status = run_lanes(sweep, error);
    } while (status == STATUS_OK && sweep->window_count > 0 && !is_spent(sweep));
    return status;
}

static void sum_up_strategy(struct session_summary *summary, const char *strategy)
{
    if (!summary->strategy)
        summary->strategy = strategy;
    else if (strcmp(summary->strategy, strategy) != 0)
        summary->strategy = "several strategies";
}

/* Counts for the summary and the store, also of a sweep that was stopped. */
static enum status sum_up(const struct sweep *sweep, enum status status, struct error *error)
{
    const struct session *session = sweep->group->session;
    const struct lane *lane = sweep->group->lanes[0];
    struct store_search row = {
        .run_id = lane->run_id,
        .problem_id = sweep->problem_id,
        .asked = session->options->strategy ? session->options->strategy : "auto",
        .strategy = sweep->search ? search_strategy(sweep->search) : "",
        .product_count = space_product_count(sweep->space),
        .space_count = sweep->space_count,
        .points_most = sweep->points_most,
        .trials = sweep->measured,
        .unlaunchable = sweep->unlaunchable,
        .duplicates = sweep->duplicates,
        .failures = sweep->failures,
    };
    for (size_t i = 0; i < sweep->table.count; i++)
        row.points += sweep->table.items[i]->done && sweep->table.items[i]->point != NO_POINT;
    session->summary->points += row.points;
    session->summary->unlaunchable += sweep->unlaunchable;
    session->summary->duplicates += sweep->duplicates;
    if (!sweep->search || (status != STATUS_OK && status != STATUS_INTERRUPTED))
        return status;
    sum_up_strategy(session->summary, row.strategy);
    struct error storing = {0};
    enum status stored = store_search_put(session->store, &row, &storing);
    if (status == STATUS_OK && stored != STATUS_OK)
        *error = storing;
    return status == STATUS_OK ? stored : status;
}

enum status sweep_problem(struct sweep *sweep, struct error *error)
{
    budget_share(sweep);
    enum status status = sweep_add_baselines(sweep, error);
    if (status == STATUS_OK)
        status = sweep_take_known(sweep, error);
    if (status == STATUS_OK)
        status = window_start(sweep, error);
    if (status == STATUS_OK) {
        sweep->group->strategy = search_strategy(sweep->search);
        status = try_all(sweep, error);
        binaries_withdraw(
            &sweep->group->binaries); /* the next problem's are not to wait for them */
    }
    return sum_up(sweep, status, error);
}

void sweep_free(struct sweep *sweep)
{
    search_free(sweep->search);
    sweep->search = NULL;
    free(sweep->window);
    table_free(&sweep->table);
    space_free(sweep->space);
    arena_free(&sweep->arena);
}
