/* T4 from a database: the row of every trial, the selected problem, and the times that readers add
 * up. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/exchange/t4.h"
#include "tuner/store/measured.h"

struct fixture {
    char folder[64];
    char path[96];
    struct store *store;
    int64_t environment, experiment, run;
};

static struct error error; /* error of the last call */

static void ok(enum status status)
{
    if (status != STATUS_OK)
        fail_msg("%s", error.text);
}

static void add_run(struct fixture *fixture)
{
    const struct store_run_start run = {.environment_id = fixture->environment,
                                        .l2_mode = L2_COLD,
                                        .node_gap_ns = (double)NAN,
                                        .effort = "normal",
                                        .objective = "time",
                                        .protocol = ""};
    ok(store_run_start(fixture->store, &run, &fixture->run, &error));
}

/* Makes the environment of the trials to come. */
static void set_environment(struct fixture *fixture, const char *name, const char *uuid,
                            const char *driver, const char *version)
{
    struct facts facts = {0};
    facts_add_text(&facts, "kind", "cuda");
    facts_add_text(&facts, "name", name);
    facts_add_text(&facts, "uuid", uuid);
    facts_add_text(&facts, "architecture", "sm_90");
    facts_add_text(&facts, "driver", driver);
    facts_add_text(&facts, "compiler", "NVRTC 13.0");
    facts_add_integer(&facts, "sm_count", 132);
    facts_add_integer(&facts, "memory_bytes", 1LL << 36);
    const struct store_environment environment = {&facts, version, "host"};
    ok(store_environment(fixture->store, &environment, &fixture->environment, &error));
    facts_free(&facts);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    (void)snprintf(fixture->folder, sizeof fixture->folder, "/tmp/tune_t4_XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/t.db", fixture->folder);
    ok(store_open(fixture->path, STORE_CREATE, &fixture->store, &error));
    set_environment(fixture, "Test GPU", "GPU-0", "580.1", "0.9.9");
    const struct store_experiment experiment = {"gemm", "cuda", "01", NULL, "gemm.yaml", ""};
    ok(store_experiment(fixture->store, &experiment, &fixture->experiment, &error));
    add_run(fixture);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    store_close(fixture->store);
    assert_int_equal(unlink(fixture->path), 0);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

static int64_t add_problem(struct fixture *fixture, const char *key, int64_t n)
{
    const struct store_problem problem = {.experiment_id = fixture->experiment, .key = key, .n = n};
    int64_t id = 0;
    ok(store_problem(fixture->store, &problem, &id, &error));
    return id;
}

/* Adds a trial with block = `block`, two samples of the median, and a duration of 1 ms; stage NULL:
 * sweep. */
static int64_t add_trial(struct fixture *fixture, int64_t problem, int64_t block,
                         enum trial_status status, double median_ns, int64_t same_as,
                         const char *stage)
{
    const struct named_value values[] = {{"block", value_integer(block)},
                                         {"way", value_text("plain")},
                                         {"share", value_real(0.5)},
                                         {"pinned", value_boolean(true)}};
    const struct named_value metrics[] = {{"gflops", value_real(12.5)}};
    const struct store_sample samples[] = {{.runs = 4, .elapsed_ns = median_ns},
                                           {.runs = 4, .elapsed_ns = median_ns},
                                           {.runs = 4, .elapsed_ns = 77, .invalid = true}};
    bool timed = !isnan(median_ns);
    char key[32];
    int64_t configuration = 0;
    int64_t id = 0;
    (void)snprintf(key, sizeof key, "block=%lld", (long long)block);
    ok(store_configuration(fixture->store, fixture->experiment, key, values, 4, &configuration,
                           &error));
    const struct store_trial trial = {
        .run_id = fixture->run,
        .environment_id = fixture->environment,
        .problem_id = problem,
        .configuration_id = configuration,
        .stage = stage ? stage : "sweep",
        .objective = "time",
        .l2_mode = L2_COLD,
        .status = status,
        .same_as_trial_id = same_as,
        .samples = samples,
        .sample_count = timed && !same_as ? 3 : 0,
        .median_ns = median_ns,
        .mad_ns = 0,
        .min_ns = median_ns,
        .max_ns = median_ns,
        .metrics = metrics,
        .metric_count = timed ? 1 : 0,
        .energy_j = (double)NAN,
        .value = (double)NAN,
        .duration_ns = 1000000,
    };
    ok(store_trial(fixture->store, &trial, &id, &error));
    return id;
}

static void end_run(struct fixture *fixture)
{
    const struct store_run_end end = {.outcome = "complete",
                                      .wall_ns = 100000000,
                                      .measuring_ns = 60000000,
                                      .compile_wait_ns = 24000000};
    ok(store_run_end(fixture->store, fixture->run, &end, &error));
}

static enum status append(void *context, const char *data, size_t bytes, struct error *ignored)
{
    (void)ignored;
    text_append_bytes(context, data, bytes);
    return STATUS_OK;
}

static json_t *written(struct fixture *fixture, enum t4_version version, const char *problem,
                       const char *n)
{
    const struct t4_options options = {version, problem, n};
    struct text text = {0};
    struct t4_counts counts;
    json_error_t why;
    ok(t4_write(fixture->store, &options, append, &text, &counts, &error));
    json_t *file = json_loads(text_string(&text), 0, &why);
    if (!file)
        fail_msg("line %d: %s", why.line, why.text);
    assert_int_equal(json_array_size(json_object_get(file, "results")), counts.results);
    text_free(&text);
    return file;
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "(no text)";
}

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const json_t *measured(const json_t *result, const char *name)
{
    const json_t *item;
    size_t index;
    json_array_foreach(json_object_get(result, "measurements"), index,
                       item) if (strcmp(text_at(item, "name"), name) ==
                                 0) return json_object_get(item, "value");
    return NULL;
}

static void about(double got, double expected)
{
    if (fabs(got - expected) > 1e-12)
        fail_msg("%.15g is not %.15g", got, expected);
}

TEST_WITH(every_trial_has_its_word, setup, teardown)
{
    static const struct {
        enum trial_status status;
        const char *invalidity, *time; /* NULL: a number */
        int correct;
    } rows[] = {
        {TRIAL_OK, "correct", NULL, 1},
        {TRIAL_COMPILE_FAILED, "compile", "CompilationFailedConfig", 0},
        {TRIAL_LAUNCH_FAILED, "runtime", "RuntimeFailedConfig", 0},
        {TRIAL_WRONG_RESULT, "correctness", "InvalidConfig", 0},
        {TRIAL_TIMED_OUT, "timeout", "RuntimeFailedConfig", 0},
        {TRIAL_CRASHED, "runtime", "RuntimeFailedConfig", 0},
        {TRIAL_SKIPPED, "constraints", "InvalidConfig", 0},
        {TRIAL_UNSTABLE, "correct", NULL, 1},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    struct fixture *fixture = *state;
    int64_t problem = add_problem(fixture, "gemm", 1);
    for (int i = 0; i < ROWS; i++)
        (void)add_trial(fixture, problem, INT64_C(32) * (i + 1), rows[i].status,
                        rows[i].time ? (double)NAN : 2000.0, 0, NULL);
    (void)add_trial(fixture, problem, 32, TRIAL_OK, 1900, 0, "race"); /* no trial of the sweep */
    end_run(fixture);
    json_t *file = written(fixture, T4_1_1_0, NULL, NULL);
    const json_t *results = json_object_get(file, "results");
    assert_int_equal(json_array_size(results), ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const json_t *result = json_array_get(results, i);
        const json_t *time = measured(result, "time");
        const json_t *times = json_object_get(result, "times");
        assert_string_equal(text_at(result, "invalidity"), rows[i].invalidity);
        assert_int_equal(number_at(result, "correctness"), rows[i].correct);
        assert_string_equal(
            json_string_value(json_array_get(json_object_get(result, "objectives"), 0)), "time");
        assert_int_equal(strlen(text_at(result, "timestamp")), strlen("2026-01-01T00:00:00Z"));
        assert_int_equal(json_object_get(times, "runtimes") != NULL, rows[i].time == NULL);
        if (rows[i].time)
            assert_string_equal(json_string_value(time), rows[i].time);
        else
            about(json_number_value(time), 2e-6);
    }
    json_decref(file);
}

TEST_WITH(times_add_up, setup, teardown)
{
    struct fixture *fixture = *state;
    int64_t problem = add_problem(fixture, "gemm", 1);
    int64_t first = add_trial(fixture, problem, 32, TRIAL_OK, 2000, 0, NULL);
    (void)add_trial(fixture, problem, 64, TRIAL_OK, 2000, first, NULL);
    end_run(fixture);
    json_t *file = written(fixture, T4_1_0_0, NULL, NULL);
    for (size_t i = 0; i < 2; i++) {
        const json_t *result = json_array_get(json_object_get(file, "results"), i);
        const json_t *times = json_object_get(result, "times");
        const json_t *runtimes = json_object_get(times, "runtimes");
        assert_int_equal(json_array_size(runtimes), 2); /* one of the three is invalid */
        about(json_number_value(json_array_get(runtimes, 0)), 2e-6);
        about(number_at(times, "compilation"), 0.012); /* half of the run's waiting */
        about(number_at(times, "compilation_time"), 0.012);
        about(number_at(times, "search_algorithm"), 0.008);
        about(number_at(times, "validation"), 0);
        /* A measured trial costs its own time; its twin has the samples for free. */
        about(number_at(times, "framework"), i == 0 ? 0.001 - 4e-6 : 0.001);
        about(json_number_value(measured(result, "gflops")), 12.5);
    }
    json_decref(file);
}

TEST_WITH(configurations_keep_their_types, setup, teardown)
{
    struct fixture *fixture = *state;
    (void)add_trial(fixture, add_problem(fixture, "gemm", 1), 32, TRIAL_OK, 2000, 0, NULL);
    json_t *file = written(fixture, T4_1_1_0, NULL, NULL);
    const json_t *configuration =
        json_object_get(json_array_get(json_object_get(file, "results"), 0), "configuration");
    assert_int_equal(json_integer_value(json_object_get(configuration, "block")), 32);
    assert_string_equal(text_at(configuration, "way"), "plain");
    about(number_at(configuration, "share"), 0.5);
    assert_true(json_is_true(json_object_get(configuration, "pinned")));
    assert_int_equal(json_object_size(configuration), 4);
    json_decref(file);
}

TEST_WITH(metadata_says_where, setup, teardown)
{
    struct fixture *fixture = *state;
    (void)add_trial(fixture, add_problem(fixture, "gemm", 1), 32, TRIAL_OK, 2000, 0, NULL);
    for (enum t4_version version = T4_1_0_0; version <= T4_1_1_0; version++) {
        json_t *file = written(fixture, version, "gemm", "1");
        const json_t *metadata = json_object_get(file, "metadata");
        assert_string_equal(text_at(file, "schema_version"),
                            version == T4_1_0_0 ? "1.0.0" : "1.1.0");
        assert_string_equal(text_at(metadata, "timeunit"), "seconds");
        assert_string_equal(text_at(metadata, "device"), "Test GPU");
        assert_string_equal(text_at(metadata, "compute_api"), "CUDA");
        assert_string_equal(text_at(metadata, "autotuner"), "tune");
        assert_string_equal(text_at(metadata, "autotuner_version"), "0.9.9");
        json_decref(file);
    }
}

static void refused(struct fixture *fixture, const char *problem, const char *n, const char *says)
{
    const struct t4_options options = {T4_1_1_0, problem, n};
    struct text text = {0};
    struct t4_counts counts;
    assert_int_equal(t4_write(fixture->store, &options, append, &text, &counts, &error),
                     STATUS_NOT_FOUND);
    if (!strstr(error.text, says))
        fail_msg("'%s' does not say '%s'", error.text, says);
    text_free(&text);
}

TEST_WITH(a_file_is_about_one_problem, setup, teardown)
{
    struct fixture *fixture = *state;
    refused(fixture, NULL, NULL, "no trials of any problem");
    (void)add_trial(fixture, add_problem(fixture, "gemm.f32", 1), 32, TRIAL_OK, 2000, 0, NULL);
    (void)add_trial(fixture, add_problem(fixture, "gemm.f64", 1), 32, TRIAL_OK, 3000, 0, NULL);
    (void)add_trial(fixture, add_problem(fixture, "gemm.f64", 8), 32, TRIAL_OK, 4000, 0, NULL);
    refused(fixture, NULL, NULL, "gemm.f32 n=1, gemm.f64 n=1, gemm.f64 n=8; name one");
    refused(fixture, "gemm", NULL, "there are 3");
    refused(fixture, "gemm.f64", NULL, "there are 2: gemm.f64 n=1, gemm.f64 n=8");
    refused(fixture, "gemm.f16", NULL, "no trials of 'gemm.f16'");
    refused(fixture, "gemm.f64", "2", "no trials of 'gemm.f64'");
    json_t *file = written(fixture, T4_1_1_0, "gemm.f64", "8");
    const json_t *result = json_array_get(json_object_get(file, "results"), 0);
    about(json_number_value(measured(result, "time")), 4e-6);
    json_decref(file);
}

/* A problem that was tried again under another driver is written of where that was. */
TEST_WITH(the_latest_counts, setup, teardown)
{
    struct fixture *fixture = *state;
    int64_t problem = add_problem(fixture, "gemm", 1);
    (void)add_trial(fixture, problem, 32, TRIAL_OK, 2000, 0, NULL);
    (void)add_trial(fixture, problem, 64, TRIAL_OK, 2500, 0, NULL);
    set_environment(fixture, "Other GPU", "GPU-1", "590.0", "1.0.0");
    add_run(fixture);
    (void)add_trial(fixture, problem, 32, TRIAL_OK, 1000, 0, NULL);
    json_t *file = written(fixture, T4_1_1_0, NULL, NULL);
    assert_string_equal(text_at(json_object_get(file, "metadata"), "device"), "Other GPU");
    assert_int_equal(json_array_size(json_object_get(file, "results")), 1);
    json_decref(file);
}

TEST(versions_have_names)
{
    enum t4_version version = T4_1_1_0;
    assert_int_equal(t4_version_parse("1.0.0", &version, &error), STATUS_OK);
    assert_int_equal(version, T4_1_0_0);
    assert_int_equal(t4_version_parse("1.2.0", &version, &error), STATUS_USAGE);
}

TEST_MAIN(NULL, NULL)
