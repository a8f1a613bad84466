/* A database in a folder of its own, and functions that add rows. */
#ifndef TUNE_TESTS_CONF_FIXTURE_H
#define TUNE_TESTS_CONF_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtuned/tuned.h"
#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/store/evidence.h"
#include "tuner/store/measured.h"
#include "views/export/export.h"

struct fixture {
    char folder[64];
    char database[96];
    char conf[96];
    struct store *store;
    int64_t experiment;
    int64_t run; /* run of the trials; 0: one each */
};

static struct error error; /* error of the last call */

static inline void ok(enum status status)
{
    if (status != STATUS_OK)
        fail_msg("%s", error.text);
}

static inline int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    (void)snprintf(fixture->folder, sizeof fixture->folder, "/tmp/tune_conf_XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    (void)snprintf(fixture->database, sizeof fixture->database, "%s/t.db", fixture->folder);
    (void)snprintf(fixture->conf, sizeof fixture->conf, "%s/tuned.conf", fixture->folder);
    ok(store_open(fixture->database, STORE_CREATE, &fixture->store, &error));
    const struct store_experiment experiment = {"reduce", "cuda",        "0123abcd",
                                                NULL,     "reduce.yaml", ""};
    ok(store_experiment(fixture->store, &experiment, &fixture->experiment, &error));
    *state = fixture;
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *fixture = *state;
    store_close(fixture->store);
    (void)unlink(fixture->conf);
    assert_int_equal(unlink(fixture->database), 0);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

static inline int64_t add_device(struct fixture *fixture, const char *name, const char *uuid,
                                 const char *driver)
{
    struct facts facts = {0};
    facts_add_text(&facts, "kind", "cuda");
    facts_add_text(&facts, "name", name);
    facts_add_text(&facts, "uuid", uuid);
    facts_add_text(&facts, "compute_capability", "9.0");
    facts_add_text(&facts, "architecture", "sm_90");
    facts_add_text(&facts, "driver", driver);
    facts_add_text(&facts, "compiler", "NVRTC 13.0");
    facts_add_integer(&facts, "sm_count", 132);
    facts_add_integer(&facts, "memory_bytes", 150000000000);
    const struct store_environment environment = {&facts, "0.1.0", "host"};
    int64_t id = 0;
    ok(store_environment(fixture->store, &environment, &id, &error));
    facts_free(&facts);
    return id;
}

static inline int64_t add_problem(struct fixture *fixture, const char *key, int64_t n, double bytes)
{
    const struct store_problem problem = {
        .experiment_id = fixture->experiment, .key = key, .n = n, .bytes_moved = bytes};
    int64_t id = 0;
    ok(store_problem(fixture->store, &problem, &id, &error));
    return id;
}

static inline int64_t add_configuration(struct fixture *fixture, const char *variant, int64_t block)
{
    const struct named_value values[] = {{"variant", value_text(variant)},
                                         {"block", value_integer(block)},
                                         {"share", value_real(0.5)},
                                         {"pinned", value_boolean(true)}};
    char key[64];
    (void)snprintf(key, sizeof key, "%s %lld", variant, (long long)block);
    int64_t id = 0;
    ok(store_configuration(fixture->store, fixture->experiment, key, values, 4, &id, &error));
    return id;
}

struct put {
    int64_t environment, problem, configuration, same_as;
    const char *stage;
    double median_ns;
    int64_t grid; /* a derived value; 0: 264 */
    enum trial_status status;
    const char *objective; /* NULL: "time" */
};

static inline int64_t add_run(struct fixture *fixture, int64_t environment)
{
    const struct store_run_start run = {.environment_id = environment,
                                        .l2_mode = L2_COLD,
                                        .node_gap_ns = (double)NAN,
                                        .effort = "normal",
                                        .objective = "time",
                                        .protocol = ""};
    int64_t id = 0;
    ok(store_run_start(fixture->store, &run, &id, &error));
    return id;
}

static inline int64_t add_trial(struct fixture *fixture, struct put put)
{
    const struct named_value derived[] = {{"grid", value_integer(put.grid ? put.grid : 264)}};
    const struct store_sample samples[] = {{.round = 0, .runs = 1, .elapsed_ns = put.median_ns},
                                           {.round = 1, .runs = 1, .elapsed_ns = put.median_ns}};
    bool measured = !isnan(put.median_ns);
    const struct store_trial trial = {
        .run_id = fixture->run ? fixture->run : add_run(fixture, put.environment),
        .environment_id = put.environment,
        .problem_id = put.problem,
        .configuration_id = put.configuration,
        .stage = put.stage,
        .l2_mode = L2_COLD,
        .objective = put.objective ? put.objective : "time",
        .status = put.status,
        .same_as_trial_id = put.same_as,
        .derived = derived,
        .derived_count = 1,
        .samples = samples,
        .sample_count = measured ? 2 : 0,
        .median_ns = put.median_ns,
        .mad_ns = measured ? 1.25 : (double)NAN,
        .min_ns = put.median_ns,
        .max_ns = put.median_ns,
        .energy_j = put.objective ? 0.0125 : (double)NAN,
        .value = put.objective ? 0.0125 : put.median_ns,
    };
    int64_t id = 0;
    ok(store_trial(fixture->store, &trial, &id, &error));
    return id;
}

static inline struct store_winner winner_of(struct fixture *fixture, int64_t environment,
                                            int64_t problem, int64_t trial, const char *trust)
{
    return (struct store_winner){.environment_id = environment,
                                 .problem_id = problem,
                                 .l2_mode = L2_COLD,
                                 .objective = "time",
                                 .trial_id = trial,
                                 .run_id = add_run(fixture, environment),
                                 .stage = "confirm",
                                 .candidate_count = 2,
                                 .space_count = 2,
                                 .value = 1.0,
                                 .time_low_ns = (double)NAN,
                                 .time_high_ns = (double)NAN,
                                 .delta = 0.0025,
                                 .floor = (double)NAN,
                                 .claim = 0.0025,
                                 .confidence = 0.99,
                                 .processes = 5,
                                 .rounds = 40,
                                 .tied_count = 3,
                                 .compared = 12345,
                                 .points = 2,
                                 .chance_of_better = (double)NAN,
                                 .most_better = (double)NAN,
                                 .coverage = "whole",
                                 .trust = trust,
                                 .trust_reason = ""};
}

static inline void add_winner(struct fixture *fixture, int64_t environment, int64_t problem,
                              int64_t trial)
{
    const struct store_winner winner = winner_of(fixture, environment, problem, trial, "sound");
    ok(store_winner_put(fixture->store, &winner, &error));
}

/* Adds the winner and one other of its rounds, which takes 1 + `difference` of the winner's time.
 */
static inline void add_contest(struct fixture *fixture, struct put winner, int64_t winner_trial,
                               int64_t other, int64_t other_trial, double difference)
{
    const struct store_contender contenders[] = {
        {.configuration_id = winner.configuration, .trial_id = winner_trial, .place = 1},
        {.configuration_id = other,
         .trial_id = other_trial,
         .place = 2,
         .difference = difference,
         .difference_low = difference - 0.01,
         .difference_high = difference + 0.01}};
    struct store_winner row =
        winner_of(fixture, winner.environment, winner.problem, winner_trial, "sound");
    row.contenders = contenders;
    row.contender_count = 2;
    ok(store_winner_put(fixture->store, &row, &error));
}

static inline struct tuned *export_and_load(struct fixture *fixture)
{
    ok(export_conf(fixture->store, fixture->conf, NULL, NULL, &error));
    struct tuned_error refused;
    struct tuned *tuned = tuned_load(fixture->conf, &refused);
    if (!tuned)
        fail_msg("%s", refused.text);
    return tuned;
}

static inline const struct tuned_entry *find(const struct tuned *tuned, const char *name,
                                             long long n)
{
    const struct tuned_device device = {
        .kind = "cuda", .name = name, .compute_capability_major = 9, .unit_count = 132};
    struct tuned_answer answer;
    assert_int_equal(tuned_find(tuned, &device, "reduce.sum.i32", n, &answer), TUNED_EXACT);
    return answer.entry;
}

#endif
