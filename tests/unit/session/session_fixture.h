/* Shared by the tests of the session: a run on null devices, which answer from a formula, in a
 * folder of its own. Workers and compilers are children of this program. */
#ifndef TESTS_UNIT_SESSION_SESSION_FIXTURE_H
#define TESTS_UNIT_SESSION_SESSION_FIXTURE_H

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"
#include "tuner/session/contest.h"
#include "tuner/store/measured.h"
#include "tuner/store/query.h"

/* 12 configurations of two binaries; `part` = 3 makes the launch of 2, and 1024 threads with 200 kB
 * do not fit. `zero` is 0 only in the configuration whose grid has no value. */
static const char usual_text[] =
    "experiment: twins\n"
    "source: k.cu\n"
    "sizes: {n: [1000, 100000]}\n"
    "parameters:\n"
    "  way: [one, two]\n"
    "  block: [64, 128]\n"
    "  part: [1, 2, 3]\n"
    "derived: {least: 'min(part, 2)', grid: 'ceil_div(n, block * least)'}\n"
    "defines: {WAY: 'way'}\n"
    "launches:\n"
    "  - {kernel: copy, grid: grid, block: block, arguments: [in, out, step]}\n"
    "arguments:\n"
    "  - {name: in, type: i32, count: n, fill: random}\n"
    "  - {name: out, type: i32, count: n, output: true}\n"
    "  - {name: step, type: i32, value: least}\n"
    "check: {reference: f, source: r.c, output: out, tolerance: 0}\n"
    "metrics: {bytes: 8 * n}\n";

struct run {
    char folder[32];
    struct experiment *experiment;
    struct objective *objective;
    struct store *store;
    struct session_options options;
    struct session_events events;
    struct session_summary summary;
    struct session session;
    struct work work; /* on the first problem */
    char notes[4096]; /* all that was said */
    size_t winners;   /* reported winners */
    struct error error;
};

static void take_note(void *context, const char *line)
{
    struct run *run = context;
    size_t length = strlen(run->notes);
    (void)snprintf(run->notes + length, sizeof run->notes - length, "%s\n", line);
}

static void take_winner(void *context, const struct session_winner *winner)
{
    struct run *run = context;
    (void)winner;
    run->winners++;
}

static void run_write(const struct run *run, const char *name, const char *contents)
{
    char path[64];
    struct error error = {0};
    (void)string_format(path, sizeof path, "%s/%s", run->folder, name);
    assert_int_equal(file_write_atomically(path, contents, strlen(contents), &error), STATUS_OK);
}

#define RUN_OK(run, call)                                                                          \
    do {                                                                                           \
        if ((call) != STATUS_OK)                                                                   \
            fail_msg("%s", (run)->error.text);                                                     \
    } while (0)

/* Creates a run of that experiment, without devices. The mutex is held, as everywhere in a session.
 */
static struct run *run_create(const char *text, const char *objective)
{
    struct run *run = calloc(1, sizeof *run);
    char path[64];
    (void)signal(SIGPIPE, SIG_IGN); /* as in main */
    (void)string_format(run->folder, sizeof run->folder, "/tmp/tune-session-XXXXXX");
    assert_non_null(mkdtemp(run->folder));
    (void)setenv("TUNE_CACHE_DIR", run->folder, 1);
    (void)setenv("TUNE_LOCK_DIR", run->folder, 1);
    run_write(run, "k.cu", "void copy();\n");
    run_write(run, "r.c",
              "void f(void *const *a, struct tune_expected *e) { (void)a, (void)e; }\n");
    run_write(run, "t.yaml", text);
    (void)string_format(path, sizeof path, "%s/t.yaml", run->folder);
    RUN_OK(run, experiment_load(path, run->folder, &run->experiment, &run->error));
    RUN_OK(run, objective_create(run->experiment, objective, &run->objective, &run->error));
    (void)string_format(path, sizeof path, "%s/tune.db", run->folder);
    RUN_OK(run, store_open(path, STORE_CREATE, &run->store, &run->error));
    run->options = (struct session_options){.device_kind = "null",
                                            .device_count = 1,
                                            .compile_workers = 1,
                                            .seed = 1,
                                            .objective = objective};
    protocol_defaults(EFFORT_QUICK, false, &run->options.protocol);
    run->events = (struct session_events){.context = run, .note = take_note, .winner = take_winner};
    struct session *session = &run->session;
    session->store = run->store;
    session->options = &run->options;
    session->events = &run->events;
    session->summary = &run->summary;
    (void)pthread_mutex_init(&session->mutex, NULL);
    (void)pthread_mutex_lock(&session->mutex);
    session->started_ns = 1;
    return run;
}

/* Starts the null devices, and a run in the store for each. */
static inline void run_start(struct run *run, size_t devices)
{
    struct session *session = &run->session;
    run->options.device_count = devices;
    for (size_t i = 0; i < devices; i++)
        run->options.device_indices[i] = (int)i;
    RUN_OK(run, lanes_start(session, &run->error));
    struct group *group = &session->groups[0];
    for (size_t i = 0; i < devices; i++) {
        struct lane *lane = &session->lanes[i];
        const struct store_environment environment = {
            .facts = &worker_head(lane->worker)->facts, .tool_version = "1", .host = "here"};
        RUN_OK(run,
               store_environment(run->store, &environment, &lane->environment_id, &run->error));
        const struct store_run_start start = {.environment_id = lane->environment_id,
                                              .effort = "quick",
                                              .objective = run->options.objective,
                                              .protocol = ""};
        RUN_OK(run, store_run_start(run->store, &start, &lane->run_id, &run->error));
    }
    group->environment_id = session->lanes[0].environment_id;
    const struct store_experiment row = {
        .name = experiment_head(run->experiment)->name,
        .device_kind = experiment_head(run->experiment)->device->section,
        .content_hash = experiment_head(run->experiment)->content_hash,
        .definition_hash = experiment_head(run->experiment)->definition_hash,
        .path = experiment_head(run->experiment)->path,
        .text = experiment_head(run->experiment)->text,
    };
    int64_t id = 0;
    RUN_OK(run, store_experiment(run->store, &row, &id, &run->error));
    run->work = work_of(group, run->experiment, id, run->objective);
    experiment_problem(run->experiment, 0, &run->work.problem);
    const struct store_problem problem = {.experiment_id = id,
                                          .key = run->work.problem.key,
                                          .n = run->work.problem.n,
                                          .ceiling = "read",
                                          .operations_type = "f32"};
    RUN_OK(run, store_problem(run->store, &problem, &run->work.problem_id, &run->error));
    group->problems_left = 1;
}

/* Makes a sweep of the run's problem, from malloc. */
static inline struct sweep *run_sweep(struct run *run)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    struct space *space = NULL;
    RUN_OK(run,
           space_create(run->experiment, &run->work.problem, run->work.facts, &space, &run->error));
    RUN_OK(run, sweep_open(sweep, &run->work, space, &run->error));
    return sweep;
}

static inline void run_end_sweep(struct sweep *sweep)
{
    sweep_free(sweep);
    free(sweep);
}

/* Returns a candidate's key; valid until the next call. */
static inline const char *run_key(const struct sweep *sweep, const struct candidate *candidate)
{
    static char room[CONFIGURATION_KEY_BYTES];
    return candidate_key(&sweep->candidates, candidate, room);
}

/* Runs the whole of session_run, of both sizes; its messages replace the earlier ones. */
static inline enum status run_session(struct run *run)
{
    const struct session_experiment experiment = {.experiment = run->experiment};
    struct error error = {0};
    run->winners = 0;
    run->notes[0] = '\0';
    enum status status =
        session_run(run->store, &run->options, &experiment, 1, &run->events, &run->summary, &error);
    run->error = error;
    return status;
}

/* Returns the number in the first row and column. */
static inline int64_t run_count(struct run *run, const char *sql)
{
    struct store_query *query = NULL;
    bool row = false;
    RUN_OK(run, store_query_open(run->store, sql, NULL, 0, &query, &run->error));
    RUN_OK(run, store_query_next(query, &row, &run->error));
    const int64_t number = row ? store_query_integer(query, 0) : -1;
    store_query_close(query);
    return number;
}

static void run_free(struct run *run)
{
    (void)pthread_mutex_unlock(&run->session.mutex);
    lanes_stop(&run->session);
    (void)pthread_mutex_destroy(&run->session.mutex);
    store_close(run->store);
    objective_free(run->objective);
    experiment_free(run->experiment);
    char command[64];
    (void)string_format(command, sizeof command, "rm -rf %s", run->folder);
    assert_int_equal(system(command), 0);
    free(run);
}

#endif
