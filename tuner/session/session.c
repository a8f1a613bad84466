#include "tuner/session/session.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/version.h"
#include "tuner/session/internal.h"

bool session_stopped(const struct session *session)
{
    return session->options->stop && *session->options->stop;
}

void session_note(const struct session *session, const char *format, ...)
{
    char line[ERROR_TEXT_BYTES];
    va_list arguments;
    if (!session->events->note)
        return;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    session->events->note(session->events->context, line);
}

void session_progress(struct session *session, const char *phase)
{
    session->progress.phase = phase;
    if (session->events->progress)
        session->events->progress(session->events->context, &session->progress);
}

static bool wants_size(const struct session_options *options, int64_t n)
{
    for (size_t i = 0; i < options->size_count; i++)
        if (options->sizes[i] == n)
            return true;
    return options->size_count == 0;
}

/* Counts the problems and points that are asked for, and thereby reads every space once: what is
 * wrong with an experiment is said before anything is measured. */
static enum status count_work(struct session *session, const struct experiment *experiment,
                              struct error *error)
{
    for (size_t i = 0; i < experiment_problem_count(experiment); i++) {
        struct problem problem;
        struct space *space = NULL;
        experiment_problem(experiment, i, &problem);
        if (!wants_size(session->options, problem.n))
            continue;
        enum status status = space_create(experiment, &problem, session->facts, &space, error);
        if (status != STATUS_OK)
            return status;
        session->progress.problem_count++;
        session->progress.points_total += space_count(space);
        space_free(space);
    }
    return STATUS_OK;
}

/* How fast the device can be at best: measured once for each environment. */
static enum status measure_ceilings(struct session *session, struct error *error)
{
    bool found = false;
    struct store_ceilings ceilings;
    struct bandwidth bandwidth = {0};
    enum status status =
        store_ceilings_get(session->store, session->environment_id, &found, &ceilings, error);
    if (status != STATUS_OK || found)
        return status;
    int64_t started_ns = clock_now_ns();
    status = worker_bandwidth(session->worker, &bandwidth, error);
    session->summary->measuring_ns += clock_now_ns() - started_ns;
    if (status != STATUS_OK)
        return status;
    ceilings = (struct store_ceilings){
        .buffer_bytes = bandwidth.bytes,
        .host_to_device_gbs = bandwidth.host_to_device_gbs,
        .device_to_host_gbs = bandwidth.device_to_host_gbs,
        .copy_gbs = bandwidth.copy_gbs,
        .read_gbs = bandwidth.read_gbs,
        .write_gbs = bandwidth.write_gbs,
    };
    return store_ceilings_put(session->store, session->environment_id, &ceilings, error);
}

static enum status store_surroundings(struct session *session, struct error *error)
{
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    struct store_environment environment = {
        .facts = session->facts, .tool_version = TUNE_VERSION, .host = host};
    enum status status =
        store_environment(session->store, &environment, &session->environment_id, error);
    if (status == STATUS_OK)
        status = measure_ceilings(session, error);
    if (status != STATUS_OK)
        return status;
    struct calibration calibration = worker_calibration(session->worker);
    struct store_run_start run = {
        .environment_id = session->environment_id,
        .seed = session->options->seed,
        .l2_mode = session->options->l2_mode,
        .tick_ns = calibration.tick_ns,
        .empty_pair_ns = calibration.empty_pair_ns,
    };
    session->summary->environment_id = session->environment_id;
    return store_run_start(session->store, &run, &session->summary->run_id, error);
}

static enum status store_this_problem(struct sweep *sweep, struct error *error)
{
    struct point point = sweep_point(sweep, &sweep->candidates[0], 0);
    double bytes = 0;
    enum status status = point_bytes(&point, &bytes, error);
    if (status != STATUS_OK)
        return status;
    struct store_problem row = {
        .experiment_id = sweep->experiment_id,
        .key = sweep->problem.key,
        .axes = sweep->problem.axes,
        .axis_count = sweep->problem.axis_count,
        .n = sweep->problem.n,
        .bytes_moved = bytes,
    };
    return store_problem(sweep->session->store, &row, &sweep->problem_id, error);
}

/* Chooses again when something was measured, or when nothing was ever chosen. */
static enum status choose(struct sweep *sweep, struct error *error)
{
    int64_t winner = 0;
    bool found = true;
    struct session *session = sweep->session;
    enum status status =
        store_winner_get(session->store, session->environment_id, sweep->problem_id,
                         session->options->l2_mode, &winner, error);
    if (status != STATUS_OK || (winner != 0 && sweep->measured == 0))
        return status;
    if (!sweep->problem_sent && sweep->best != sweep->count)
        status = sweep_send_problem(sweep, error);
    if (status == STATUS_OK)
        status = sweep_choose(sweep, &found, error);
    if (status == STATUS_OK && !found) {
        session->summary->problems_without_winner++;
        session_note(session, "%s n=%lld: no configuration works; see 'tune show --failures'",
                     sweep->problem.key, (long long)sweep->problem.n);
    }
    return status;
}

static enum status run_problem(struct session *session, const struct experiment *experiment,
                               int64_t experiment_id, const struct problem *problem,
                               struct error *error)
{
    struct sweep sweep = {.session = session,
                          .experiment = experiment,
                          .experiment_id = experiment_id,
                          .problem = *problem};
    session->progress.problem_key = sweep.problem.key;
    session->progress.n = problem->n;
    session->progress.best_ns = (double)NAN;
    session->progress.best_key = "";
    enum status status = sweep_list(&sweep, error);
    if (status == STATUS_OK)
        status = store_this_problem(&sweep, error);
    if (status == STATUS_OK)
        status = sweep_problem(&sweep, error);
    if (status == STATUS_OK)
        status = choose(&sweep, error);
    session->summary->problems++;
    session->progress.problem_index++;
    session->progress.best_key = "";
    session->progress.problem_key = "";
    sweep_free(&sweep);
    return status;
}

static enum status run_experiment(struct session *session, const struct experiment *experiment,
                                  struct error *error)
{
    int64_t experiment_id = 0;
    struct store_experiment row = {
        .name = experiment_name(experiment),
        .device_kind = experiment_device_kind(experiment),
        .content_hash = experiment_content_hash(experiment),
        .path = experiment_path(experiment),
        .text = experiment_text(experiment),
    };
    enum status status = store_experiment(session->store, &row, &experiment_id, error);
    for (size_t i = 0; status == STATUS_OK && i < experiment_problem_count(experiment); i++) {
        struct problem problem;
        experiment_problem(experiment, i, &problem);
        if (wants_size(session->options, problem.n))
            status = run_problem(session, experiment, experiment_id, &problem, error);
    }
    return status;
}

static size_t default_workers(const struct session *session)
{
    if (session->options->compile_workers > 0)
        return session->options->compile_workers;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < 1)
        cores = 1;
    /* A core is left to the process that measures beside them. */
    if (session->options->compiles_beside_measuring && cores > 1)
        cores--;
    return cores > 32 ? 32 : (size_t)cores;
}

static enum status start(struct session *session, struct error *error)
{
    const struct session_options *options = session->options;
    enum status status =
        worker_start(options->device_kind, options->device_index, &session->worker, error);
    if (status != STATUS_OK)
        return status;
    session->facts = worker_facts(session->worker);
    status = binaries_start(&session->binaries, options->device_kind, default_workers(session),
                            session->facts, error);
    if (status == STATUS_OK)
        status = binaries_start(&session->references, "cpu", 1, session->facts, error);
    return status;
}

static enum status run_all(struct session *session, struct experiment *const *experiments,
                           size_t count, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const char *kind = experiment_device_kind(experiments[i]);
        if (strcmp(kind, session->options->device_kind) != 0)
            return error_set(error, STATUS_BAD_INPUT, "%s: is for %s devices, not for %s",
                             experiment_path(experiments[i]), kind, session->options->device_kind);
        status = count_work(session, experiments[i], error);
    }
    if (status == STATUS_OK && session->progress.problem_count == 0)
        status = error_set(error, STATUS_NOT_FOUND,
                           "no problem has that size; the sizes are in the experiment's file");
    if (status == STATUS_OK)
        status = store_surroundings(session, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = run_experiment(session, experiments[i], error);
    return status;
}

static enum status finish(struct session *session, enum status status, int64_t started_ns,
                          struct error *error)
{
    struct session_summary *summary = session->summary;
    summary->binaries_compiled = session->binaries.compiled;
    summary->binaries_cached = session->binaries.cached;
    summary->wall_ns = clock_now_ns() - started_ns;
    const char *outcome = status == STATUS_OK            ? "complete"
                          : status == STATUS_INTERRUPTED ? "interrupted"
                                                         : "failed";
    struct store_run_end end = {
        .outcome = outcome,
        .wall_ns = summary->wall_ns,
        .measuring_ns = summary->measuring_ns,
        .compile_wait_ns = summary->compile_wait_ns,
        .binaries_compiled = (int64_t)summary->binaries_compiled,
        .binaries_cached = (int64_t)summary->binaries_cached,
    };
    struct error ending = {0};
    enum status ended = STATUS_OK;
    if (summary->run_id != 0)
        ended = store_run_end(session->store, summary->run_id, &end, &ending);
    if (status == STATUS_OK && ended != STATUS_OK) {
        *error = ending;
        return ended;
    }
    if (status == STATUS_OK && summary->problems_without_winner > 0)
        return error_set(error, STATUS_NO_WINNER, "%zu of %zu problems have no winner",
                         summary->problems_without_winner, summary->problems);
    return status;
}

enum status session_run(struct store *store, const struct session_options *options,
                        struct experiment *const *experiments, size_t experiment_count,
                        const struct session_events *events, struct session_summary *summary,
                        struct error *error)
{
    struct session session = {
        .store = store, .options = options, .events = events, .summary = summary};
    int64_t started_ns = clock_now_ns();
    *summary = (struct session_summary){0};
    enum status status = start(&session, error);
    if (status == STATUS_OK)
        status = run_all(&session, experiments, experiment_count, error);
    status = finish(&session, status, started_ns, error);
    binaries_free(&session.binaries);
    binaries_free(&session.references);
    worker_stop(session.worker);
    return status;
}
