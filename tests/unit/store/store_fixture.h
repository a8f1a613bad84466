/* Fixture: a temporary folder, a store in it, and first rows. */
#ifndef TUNE_TESTS_STORE_FIXTURE_H
#define TUNE_TESTS_STORE_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/store/internal.h"
#include "tuner/store/measured.h"

struct fixture {
    char folder[64];
    char path[96];
    struct store *store;
    struct error error;
    int64_t environment, experiment, problem, configuration, run;
};

#define must(call)                                                                                 \
    do {                                                                                           \
        enum status must_status = (call);                                                          \
        if (must_status != STATUS_OK)                                                              \
            fail_msg("%s: %s: %s", #call, status_text(must_status), f->error.text);                \
    } while (0)

static inline int setup_folder(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/tune-test-store.XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    (void)chmod(f->folder, 0777);
    (void)snprintf(f->path, sizeof f->path, "%s/tune.db", f->folder);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *f = *state;
    char command[128];
    store_close(f->store);
    (void)chmod(f->folder, 0777);
    (void)snprintf(command, sizeof command, "rm -rf %s", f->folder);
    int result = system(command);
    free(f);
    return result;
}

static inline void add_environment(struct fixture *f, const char *driver, int64_t *id)
{
    struct facts facts = {0};
    facts_add_text(&facts, "kind", "cuda");
    facts_add_text(&facts, "name", "Fixture \"GPU\"\n\xff");
    facts_add_text(&facts, "uuid", "GPU-fixture");
    facts_add_text(&facts, "driver", driver);
    facts_add_text(&facts, "compiler", "NVRTC 13.0");
    facts_add_text(&facts, "architecture", "sm_90");
    facts_add_integer(&facts, "memory_bytes", 1LL << 37);
    facts_add_integer(&facts, "sm_count", 132);
    const struct store_environment environment = {
        .facts = &facts, .tool_version = "0.1.0", .host = "host"};
    must(store_environment(f->store, &environment, id, &f->error));
    facts_free(&facts);
}

static inline void add_problem(struct fixture *f, int64_t n, int64_t *id)
{
    const struct named_value axes[] = {{"op", value_text("sum")}, {"type", value_text("i32")}};
    const struct store_problem problem = {.experiment_id = f->experiment,
                                          .key = "reduce.sum.i32",
                                          .axes = axes,
                                          .axis_count = 2,
                                          .n = n,
                                          .bytes_moved = 4.0 * (double)n};
    must(store_problem(f->store, &problem, id, &f->error));
}

static inline void add_configuration(struct fixture *f, int block, int64_t *id)
{
    char key[64];
    (void)snprintf(key, sizeof key, "variant=last_block block=%d", block);
    const struct named_value parameters[] = {{"variant", value_text("last_block")},
                                             {"block", value_integer(block)}};
    must(store_configuration(f->store, f->experiment, key, parameters, 2, id, &f->error));
}

static inline void add_rows(struct fixture *f)
{
    add_environment(f, "580.1", &f->environment);
    const struct store_experiment experiment = {.name = "reduce",
                                                .device_kind = "cuda",
                                                .content_hash = "0123456789abcdef",
                                                .path = "configs/reduce.yaml",
                                                .text = "experiment: reduce\n"};
    must(store_experiment(f->store, &experiment, &f->experiment, &f->error));
    add_problem(f, 1024, &f->problem);
    add_configuration(f, 256, &f->configuration);
    const struct store_run_start run = {.environment_id = f->environment,
                                        .seed = UINT64_MAX,
                                        .l2_mode = L2_COLD,
                                        .tick_ns = 32,
                                        .empty_pair_ns = 1248};
    must(store_run_start(f->store, &run, &f->run, &f->error));
}

static inline int setup(void **state)
{
    if (setup_folder(state) != 0)
        return -1;
    struct fixture *f = *state;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    add_rows(f);
    return 0;
}

static const struct store_sample fixture_samples[6] = {
    {.round = 0, .runs = 10, .elapsed_ns = 101, .energy_j = (double)NAN},
    {.round = 1, .runs = 10, .elapsed_ns = 102, .energy_j = (double)NAN},
    {.round = 2, .runs = 10, .elapsed_ns = 103, .energy_j = (double)NAN},
    {.round = 3, .runs = 10, .elapsed_ns = 104, .energy_j = (double)NAN},
    {.round = 4, .runs = 10, .elapsed_ns = 105, .energy_j = (double)NAN},
    {.round = 5, .runs = 10, .elapsed_ns = 106.5, .energy_j = (double)NAN}};

/* Makes an ok trial of the fixture's problem and configuration in the sweep, with six samples. */
static inline struct store_trial ok_trial(const struct fixture *f, double median_ns)
{
    return (struct store_trial){.run_id = f->run,
                                .environment_id = f->environment,
                                .problem_id = f->problem,
                                .configuration_id = f->configuration,
                                .stage = "sweep",
                                .l2_mode = L2_COLD,
                                .status = TRIAL_OK,
                                .binary_hash = "b1",
                                .samples = fixture_samples,
                                .sample_count = 6,
                                .median_ns = median_ns,
                                .mad_ns = 1,
                                .min_ns = 101,
                                .max_ns = 106.5,
                                .energy_j = (double)NAN,
                                .value = median_ns,
                                .duration_ns = 5000};
}

/* Makes a trial that was never timed. */
static inline struct store_trial failed_trial(const struct fixture *f, enum trial_status status,
                                              const char *detail)
{
    struct store_trial trial = ok_trial(f, (double)NAN);
    trial.status = status;
    trial.detail = detail;
    trial.samples = NULL;
    trial.sample_count = 0;
    trial.mad_ns = trial.min_ns = trial.max_ns = (double)NAN;
    return trial;
}

/* Reads the first value of a query as text into `out`; "(null)" for NULL, "(no row)" for none. */
static inline const char *one(struct fixture *f, const char *sql, char out[static 256])
{
    struct store_query *query = NULL;
    bool row = false;
    must(store_query_open(f->store, sql, NULL, 0, &query, &f->error));
    must(store_query_next(query, &row, &f->error));
    const char *text = row ? store_query_text(query, 0) : "(no row)";
    (void)snprintf(out, 256, "%s", text ? text : "(null)");
    store_query_close(query);
    return out;
}

#define assert_one(sql, expected)                                                                  \
    do {                                                                                           \
        char one_text[256];                                                                        \
        assert_string_equal(one(f, sql, one_text), expected);                                      \
    } while (0)

#endif
