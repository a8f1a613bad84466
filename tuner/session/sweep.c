/* All configurations of one problem. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/search/search.h"
#include "tuner/session/internal.h"

enum { LOOKAHEAD = 256 };

enum status sweep_list(struct sweep *sweep, struct error *error)
{
    enum status status = space_create(sweep->experiment, &sweep->problem, sweep->session->facts,
                                      &sweep->space, error);
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
            store_configuration(sweep->session->store, sweep->experiment_id, candidate->key,
                                candidate->configuration.values, candidate->configuration.count,
                                &candidate->configuration_id, error);
        if (status != STATUS_OK)
            return status;
    }
    sweep->count = count;
    if (count == 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: %s n=%lld: the constraints leave nothing",
                         experiment_path(sweep->experiment), sweep->problem.key,
                         (long long)sweep->problem.n);
    return STATUS_OK;
}

static enum status request_binaries(struct sweep *sweep, struct error *error)
{
    for (size_t i = 0; i < sweep->count; i++) {
        struct binary_request request;
        struct point point = sweep_point(sweep, &sweep->candidates[i], 0);
        enum status status = point_binary(&point, &sweep->scratch, &request, error);
        if (status == STATUS_OK)
            status = binaries_request(&sweep->session->binaries, &request,
                                      &sweep->candidates[i].binary, error);
        arena_free(&sweep->scratch);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static struct candidate *find_key(struct sweep *sweep, const char *key)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (strcmp(sweep->candidates[i].key, key) == 0)
            return &sweep->candidates[i];
    return NULL;
}

/* A trial counts as known while the machine code it ran is the one that would run today. */
static enum status take_known(void *context, const struct store_known_trial *known,
                              struct error *error)
{
    (void)error;
    struct sweep *sweep = context;
    struct candidate *candidate = find_key(sweep, known->configuration_key);
    if (!candidate || candidate->done ||
        strcmp(sweep->session->binaries.items[candidate->binary].hash, known->binary_hash) != 0)
        return STATUS_OK;
    candidate->done = true;
    candidate->status = known->status;
    candidate->trial_id = known->trial_id;
    candidate->median_ns = known->status == TRIAL_OK ? known->median_ns : (double)NAN;
    sweep->session->summary->trials_known++;
    sweep->session->progress.points_done++;
    if (known->status == TRIAL_OK && (sweep->best == sweep->count ||
                                      known->median_ns < sweep->candidates[sweep->best].median_ns))
        sweep->best = (size_t)(candidate - sweep->candidates);
    return STATUS_OK;
}

static enum status prepare_check(struct sweep *sweep, const struct point *point,
                                 struct worker_problem *problem, struct error *error)
{
    struct check check = {0};
    size_t index = 0;
    enum status status = point_check(point, &sweep->arena, &check, error);
    if (status == STATUS_OK)
        status = binaries_request(&sweep->session->references, &check.binary, &index, error);
    if (status == STATUS_OK)
        status = binaries_await(&sweep->session->references, index, error);
    if (status != STATUS_OK)
        return error_prefix(error, "the reference of %s", experiment_name(sweep->experiment));
    problem->reference_path = sweep->session->references.items[index].path;
    problem->reference = check.reference;
    problem->output = check.output;
    problem->tolerance = check.tolerance;
    return STATUS_OK;
}

/* Inputs and expected results do not depend on the configuration: any will do to describe them. */
enum status sweep_send_problem(struct sweep *sweep, struct error *error)
{
    struct worker_problem problem = {0};
    struct launch_plan *plan = arena_alloc(&sweep->arena, 1, sizeof *plan);
    struct point point = sweep_point(sweep, &sweep->candidates[0], 1);
    if (!plan)
        return error_no_memory(error);
    enum status status = point_plan(&point, &sweep->arena, plan, error);
    problem.plan = plan;
    if (status == STATUS_OK)
        status = prepare_check(sweep, &point, &problem, error);
    if (status != STATUS_OK)
        return status;
    int64_t started_ns = clock_now_ns();
    status = worker_problem(sweep->session->worker, &problem, error);
    sweep->session->summary->measuring_ns += clock_now_ns() - started_ns;
    sweep->problem_sent = status == STATUS_OK;
    return status;
}

/* The points asked for and not tried yet, in order. */
struct window {
    size_t points[LOOKAHEAD];
    size_t count;
};

static void refill(struct window *window, struct search *search, const struct sweep *sweep)
{
    size_t point = 0;
    while (window->count < LOOKAHEAD && search_ask(search, &point))
        if (!sweep->candidates[point].done)
            window->points[window->count++] = point;
}

/* The first of the window whose binary is there (or never will be); false: all are being compiled.
 */
static bool take_ready(struct window *window, const struct sweep *sweep, size_t *point)
{
    for (size_t i = 0; i < window->count; i++) {
        const struct candidate *candidate = &sweep->candidates[window->points[i]];
        if (sweep->session->binaries.items[candidate->binary].state == BINARY_PENDING)
            continue;
        *point = window->points[i];
        window->count--;
        memmove(&window->points[i], &window->points[i + 1],
                (window->count - i) * sizeof window->points[0]);
        return true;
    }
    return false;
}

static enum status wait_for_compilers(struct sweep *sweep, int64_t wait_ms, struct error *error)
{
    int64_t started_ns = clock_now_ns();
    session_progress(sweep->session, "compile");
    enum status status = binaries_collect(&sweep->session->binaries, wait_ms, error);
    sweep->session->summary->compile_wait_ns += clock_now_ns() - started_ns;
    return status;
}

/* Where compiling takes the cores that kernels are timed on, all of it comes first. */
static enum status compile_first(struct sweep *sweep, struct error *error)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !sweep->session->options->compiles_beside_measuring &&
           compile_pool_pending(sweep->session->binaries.pool) > 0) {
        if (session_stopped(sweep->session))
            return error_set(error, STATUS_INTERRUPTED, "stopped; run again to go on");
        status = wait_for_compilers(sweep, 250, error);
    }
    return status;
}

static enum status try_all(struct sweep *sweep, struct search *search, struct error *error)
{
    struct window window = {0};
    enum status status = compile_first(sweep, error);
    while (status == STATUS_OK) {
        size_t point = 0;
        if (session_stopped(sweep->session))
            return error_set(error, STATUS_INTERRUPTED, "stopped; run again to go on");
        refill(&window, search, sweep);
        if (window.count == 0)
            return STATUS_OK;
        status = binaries_collect(&sweep->session->binaries, 0, error);
        if (status != STATUS_OK)
            return status;
        if (!take_ready(&window, sweep, &point)) {
            status = wait_for_compilers(sweep, 250, error);
            continue;
        }
        if (!sweep->problem_sent)
            status = sweep_send_problem(sweep, error);
        if (status == STATUS_OK)
            status = sweep_try(sweep, &sweep->candidates[point], error);
        if (status != STATUS_OK)
            return status;
        search_tell(search, point, sweep->candidates[point].median_ns);
        if (sweep->best != sweep->count) {
            sweep->session->progress.best_ns = sweep->candidates[sweep->best].median_ns;
            sweep->session->progress.best_key = sweep->candidates[sweep->best].key;
        }
        session_progress(sweep->session, "sweep");
    }
    return status;
}

enum status sweep_problem(struct sweep *sweep, struct error *error)
{
    struct session *session = sweep->session;
    struct search *search = NULL;
    enum status status = sweep_add_baselines(sweep, error);
    if (status == STATUS_OK)
        status = request_binaries(sweep, error);
    if (status == STATUS_OK)
        status = store_known_trials(session->store, session->environment_id, sweep->problem_id,
                                    "sweep", session->options->l2_mode, take_known, sweep, error);
    uint64_t seed = hash_u64(sweep->problem.key, strlen(sweep->problem.key),
                             session->options->seed ^ (uint64_t)sweep->problem.n);
    if (status == STATUS_OK)
        status = search_create("exhaustive", sweep->count, seed, &search, error);
    if (status == STATUS_OK)
        status = try_all(sweep, search, error);
    search_free(search);
    return status;
}

void sweep_free(struct sweep *sweep)
{
    free(sweep->candidates);
    space_free(sweep->space);
    arena_free(&sweep->arena);
    arena_free(&sweep->scratch);
}
