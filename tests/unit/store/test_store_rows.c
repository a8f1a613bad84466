/* Stored rows are read back unchanged, found again instead of doubled, and replaced whole. */
#include "store_fixture.h"
#include "tuner/store/evidence.h"

TEST_WITH(test_each_row_is_made_once, setup, teardown)
{
    struct fixture *f = *state;
    struct fixture again = *f;
    add_rows(&again);
    assert_int_equal(again.environment, f->environment);
    assert_int_equal(again.experiment, f->experiment);
    assert_int_equal(again.problem, f->problem);
    assert_int_equal(again.configuration, f->configuration);
    assert_int_not_equal(again.run, f->run);
    assert_one("SELECT count(*) FROM devices", "1");

    int64_t other = 0;
    add_environment(f, "590.0", &other);
    assert_int_not_equal(other, f->environment);
    assert_one("SELECT count(*) FROM devices", "1");
    add_problem(f, 4096, &other);
    assert_int_not_equal(other, f->problem);
    add_configuration(f, 512, &other);
    assert_int_not_equal(other, f->configuration);
}

TEST_WITH(test_texts_survive, setup, teardown)
{
    struct fixture *f = *state;
    assert_one("SELECT json_extract(facts, '$.sm_count') FROM devices", "132");
    assert_one("SELECT json_extract(facts, '$.name') FROM devices",
               "Fixture \"GPU\"\n\xef\xbf\xbd");
    assert_one("SELECT unit_count FROM devices", "132");
    assert_one("SELECT axes FROM problems", "{\"op\":\"sum\",\"type\":\"i32\"}");
    assert_one("SELECT parameters FROM configurations",
               "{\"variant\":\"last_block\",\"block\":256}");
    const struct named_value odd[] = {{"t", value_text("a\"b\\c\x01\n')--")},
                                      {"r", value_real(0.5)},
                                      {"nan", value_real((double)NAN)},
                                      {"yes", value_boolean(true)}};
    int64_t id = 0;
    must(store_configuration(f->store, f->experiment, "odd'; DROP TABLE trials; --", odd, 4, &id,
                             &f->error));
    assert_one("SELECT parameters FROM configurations ORDER BY id DESC LIMIT 1",
               "{\"t\":\"a\\\"b\\\\c\\u0001\\n')--\",\"r\":0.5,\"nan\":null,\"yes\":true}");
}

TEST_WITH(test_device_without_uuid, setup, teardown)
{
    struct fixture *f = *state;
    struct facts facts = {0};
    facts_add_text(&facts, "kind", "cpu");
    facts_add_text(&facts, "name", "Some CPU");
    facts_add_integer(&facts, "cores", 8);
    const struct store_environment environment = {
        .facts = &facts, .tool_version = "0.1.0", .host = "host"};
    int64_t id = 0;
    int64_t again = 0;
    must(store_environment(f->store, &environment, &id, &f->error));
    must(store_environment(f->store, &environment, &again, &f->error));
    facts_free(&facts);
    assert_int_equal(id, again);
    assert_one("SELECT uuid FROM devices WHERE kind = 'cpu'", "cpu:0:Some CPU@host");
    assert_one("SELECT unit_count FROM devices WHERE kind = 'cpu'", "8");
}

TEST_WITH(test_ceilings, setup, teardown)
{
    struct fixture *f = *state;
    bool found = true;
    struct store_ceilings got;
    must(store_ceilings_get(f->store, f->environment, &found, &got, &f->error));
    assert_false(found);
    struct store_ceilings put = {.buffer_bytes = 1 << 30, .read_gbs = 4000.5, .write_gbs = 3000};
    must(store_ceilings_put(f->store, f->environment, &put, &f->error));
    put.read_gbs = 4100;
    must(store_ceilings_put(f->store, f->environment, &put, &f->error));
    must(store_ceilings_get(f->store, f->environment, &found, &got, &f->error));
    assert_true(found);
    assert_int_equal(got.buffer_bytes, 1 << 30);
    assert_true(got.read_gbs == 4100 && got.write_gbs == 3000 && got.copy_gbs == 0);
    assert_one("SELECT copy_gbs IS NULL FROM ceilings", "1");
}

TEST_WITH(test_arithmetic, setup, teardown)
{
    struct fixture *f = *state;
    double gops = 1;
    must(store_arithmetic_get(f->store, f->environment, "f32", &gops, &f->error));
    assert_true(gops == 0);
    must(store_arithmetic_put(f->store, f->environment, "f32", 60000.5, &f->error));
    must(store_arithmetic_put(f->store, f->environment, "f16", 120000, &f->error));
    must(store_arithmetic_get(f->store, f->environment, "f32", &gops, &f->error));
    assert_true(gops == 60000.5);
    must(store_arithmetic_get(f->store, f->environment, "f64", &gops, &f->error));
    assert_true(gops == 0);
    /* An older one does not count, a lower one of the same second neither. */
    must(store_arithmetic_put(f->store, f->environment, "f16", 110000, &f->error));
    must(store_arithmetic_get(f->store, f->environment, "f16", &gops, &f->error));
    assert_true(gops == 120000 || gops == 110000); /* the second may have passed */
    assert_int_equal(sqlite3_exec(f->store->db,
                                  "UPDATE arithmetic_ceilings SET measured_at ="
                                  " '2020-01-01T00:00:00Z' WHERE type = 'f32'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    must(store_arithmetic_put(f->store, f->environment, "f32", 59000, &f->error));
    must(store_arithmetic_get(f->store, f->environment, "f32", &gops, &f->error));
    assert_true(gops == 59000);
    /* Another driver has the newest ceilings of the device until it has its own. */
    int64_t environment = 0;
    add_environment(f, "590.0", &environment);
    assert_one("SELECT group_concat(gops) FROM (SELECT gops FROM latest_arithmetic"
               " WHERE type = 'f32' ORDER BY environment_id)",
               "59000.0,59000.0");
    must(store_arithmetic_put(f->store, environment, "f32", 58000, &f->error));
    assert_one("SELECT group_concat(gops) FROM (SELECT gops FROM latest_arithmetic"
               " WHERE type = 'f32' ORDER BY environment_id)",
               "59000.0,58000.0");
}

TEST_WITH(test_runs, setup, teardown)
{
    struct fixture *f = *state;
    assert_one("SELECT seed FROM runs", "9223372036854775807");
    assert_one("SELECT outcome FROM runs", "(null)");
    const struct store_run_end end = {.outcome = "interrupted",
                                      .wall_ns = 9,
                                      .measuring_ns = 5,
                                      .compile_wait_ns = 3,
                                      .binaries_compiled = 2,
                                      .binaries_cached = 1};
    must(store_run_end(f->store, f->run, &end, &f->error));
    assert_one("SELECT outcome || wall_ns || measuring_ns || compile_wait_ns || binaries_compiled"
               " || binaries_cached FROM runs",
               "interrupted95321");
    assert_one("SELECT ended_at LIKE '20__-__-__T__:__:__Z' FROM runs", "1");
    assert_int_equal(store_run_end(f->store, 999, &end, &f->error), STATUS_INTERNAL);
}

TEST_WITH(test_how_a_run_measures, setup, teardown)
{
    struct fixture *f = *state;
    /* Values that the fixture's run lacks. */
    assert_one("SELECT objective || (budget_ns IS NULL) || (protocol IS NULL) ||"
               " (worker_cpus IS NULL) || (near IS NULL) || (effort IS NULL) ||"
               " (command IS NULL) FROM runs",
               "time111111");
    const struct store_run_start run = {.environment_id = f->environment,
                                        .l2_mode = L2_STREAM,
                                        .node_gap_ns = (double)NAN,
                                        .effort = "quick",
                                        .budget_ns = 60,
                                        .objective = "edp",
                                        .protocol = "delta=0.0025",
                                        .worker_cpus = "3",
                                        .near = "NUMA node 1",
                                        .command = "tune run 'a b'"};
    int64_t id = 0;
    must(store_run_start(f->store, &run, &id, &f->error));
    assert_one("SELECT l2_mode || effort || budget_ns || objective || protocol || worker_cpus ||"
               " near || (node_gap_ns IS NULL) || command FROM runs ORDER BY id DESC",
               "streamquick60edpdelta=0.00253NUMA node 11tune run 'a b'");
}

TEST_WITH(test_trial_is_kept_whole, setup, teardown)
{
    struct fixture *f = *state;
    struct launch_plan plan = {.launch_count = 2};
    plan.launches[0] = (struct launch){
        .kernel = "reduce", .grid = {264, 2, 1}, .block = {256, 1, 1}, .shared_bytes = 1024};
    plan.launches[1] = (struct launch){.kernel = "last", .grid = {1, 1, 1}, .block = {512, 1, 1}};
    const struct kernel_resources resources[2] = {{.registers = 32,
                                                   .static_shared_bytes = 16,
                                                   .local_bytes = 0,
                                                   .spill_bytes = -1,
                                                   .active_blocks_per_sm = 8,
                                                   .occupancy = 0.75},
                                                  {.registers = -1,
                                                   .static_shared_bytes = -1,
                                                   .local_bytes = -1,
                                                   .spill_bytes = -1,
                                                   .active_blocks_per_sm = -1,
                                                   .occupancy = -1}};
    const struct named_value derived[] = {{"grid", value_integer(528)}};
    struct store_trial trial = ok_trial(f, 103.5);
    trial.plan = &plan;
    trial.resources = resources;
    trial.derived = derived;
    trial.derived_count = 1;
    int64_t id = 0;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT status || grid || block || launch_count || occupancy || median_ns ||"
               " sample_count || derived FROM trials",
               "ok52825620.75103.56{\"grid\":528}");
    assert_one("SELECT sum(elapsed_ns) || max(round) || max(ordinal) FROM samples", "621.555");
    assert_one("SELECT kernel || grid_y || dynamic_shared_bytes || registers ||"
               " (spill_bytes IS NULL) FROM resources WHERE launch = 0",
               "reduce21024321");
    assert_one("SELECT kernel || (registers IS NULL) || (occupancy IS NULL) FROM resources"
               " WHERE launch = 1",
               "last11");
}

TEST_WITH(test_trial_is_replaced, setup, teardown)
{
    struct fixture *f = *state;
    struct launch_plan plan = {.launch_count = 1};
    plan.launches[0] = (struct launch){.kernel = "k", .grid = {4, 1, 1}, .block = {64, 1, 1}};
    struct store_trial trial = ok_trial(f, 103.5);
    trial.plan = &plan;
    int64_t first = 0;
    int64_t second = 0;
    must(store_trial(f->store, &trial, &first, &f->error));
    struct store_trial failed = failed_trial(f, TRIAL_CRASHED, "error 700");
    must(store_trial(f->store, &failed, &second, &f->error));
    assert_int_equal(first, second);
    assert_one("SELECT count(*) FROM trials", "1");
    assert_one("SELECT status || detail || (median_ns IS NULL) || (grid IS NULL) FROM trials",
               "crashederror 70011");
    assert_one("SELECT (SELECT count(*) FROM samples) + (SELECT count(*) FROM resources)", "0");
}

/* Stages, objectives and modes of a configuration stand beside one another. */
TEST_WITH(test_trials_side_by_side, setup, teardown)
{
    struct fixture *f = *state;
    static const char *const stages[] = {"race", "confirm"};
    static const char *const objectives[] = {NULL, "energy", "time_ns * energy_j"};
    struct store_trial trial = ok_trial(f, 103.5);
    int64_t first = 0;
    int64_t id = 0;
    must(store_trial(f->store, &trial, &first, &f->error));
    for (int stage = 0; stage < 2; stage++) {
        for (int objective = 0; objective < 3; objective++) {
            for (int mode = 0; mode < L2_MODES; mode++) {
                trial.stage = stages[stage];
                trial.objective = objectives[objective];
                trial.l2_mode = (enum l2_mode)mode;
                must(store_trial(f->store, &trial, &id, &f->error));
            }
        }
    }
    assert_one("SELECT count(*) || count(DISTINCT l2_mode) || count(DISTINCT objective)"
               " FROM trials WHERE stage <> 'sweep'",
               "72123");
    must(store_trial(f->store, &trial, &first, &f->error));
    assert_int_equal(first, id);
    trial.stage = "final"; /* written by an older version */
    assert_int_equal(store_trial(f->store, &trial, &id, &f->error), STATUS_INTERNAL);
    assert_one("SELECT count(*) FROM trials", "73");
}

TEST_WITH(test_what_a_race_adds, setup, teardown)
{
    struct fixture *f = *state;
    struct store_sample samples[2] = {
        {.process = 0, .round = 4, .runs = 8, .elapsed_ns = 5, .energy_j = 0.25},
        {.process = 3, .round = 9, .runs = 8, .invalid = true, .elapsed_ns = 6, .energy_j = NAN}};
    struct store_trial trial = ok_trial(f, 103.5);
    trial.stage = "race";
    trial.objective = "energy";
    trial.samples = samples;
    trial.sample_count = 2;
    trial.energy_j = 0.5;
    trial.value = 0.75;
    int64_t id = 0;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT objective || energy_j || value FROM trials", "energy0.50.75");
    assert_one("SELECT group_concat(process || round || invalid || elapsed_ns ||"
               " coalesce(energy_j, '-')) FROM (SELECT * FROM samples ORDER BY ordinal)",
               "0405.00.25,3916.0-");
    trial.value = trial.energy_j = (double)NAN;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT (energy_j IS NULL) || (value IS NULL) FROM trials", "11");
}

TEST_WITH(test_a_trial_is_stored_whole_or_not_at_all, setup, teardown)
{
    struct fixture *f = *state;
    struct store_sample samples[2] = {{.runs = 1, .elapsed_ns = 5},
                                      {.runs = 1, .elapsed_ns = (double)NAN}};
    struct store_trial trial = ok_trial(f, 103.5);
    trial.samples = samples;
    trial.sample_count = 2;
    int64_t id = 77;
    assert_int_equal(store_trial(f->store, &trial, &id, &f->error), STATUS_INTERNAL);
    assert_int_equal(id, 77);
    assert_non_null(strstr(f->error.text, "samples.elapsed_ns"));
    assert_one("SELECT count(*) FROM trials", "0");
    trial = ok_trial(f, 103.5);
    trial.problem_id = 999; /* references are checked */
    assert_int_equal(store_trial(f->store, &trial, &id, &f->error), STATUS_INTERNAL);
    trial.problem_id = f->problem;
    must(store_trial(f->store, &trial, &id, &f->error));
}

struct seen {
    int count;
    int stop_at;
    struct store_known_trial last;
    char key[64];
    char parameters[64];
};

static enum status take(void *context, const struct store_known_trial *trial, struct error *error)
{
    struct seen *seen = context;
    seen->count++;
    seen->last = *trial;
    (void)snprintf(seen->key, sizeof seen->key, "%s/%s", trial->configuration_key,
                   trial->binary_hash);
    (void)snprintf(seen->parameters, sizeof seen->parameters, "%s", trial->parameters);
    return seen->count == seen->stop_at ? error_set(error, STATUS_INTERRUPTED, "stop") : STATUS_OK;
}

TEST_WITH(test_known_trials, setup, teardown)
{
    struct fixture *f = *state;
    struct seen seen = {0};
    struct store_trial trial = ok_trial(f, 100);
    int64_t first = 0;
    int64_t second = 0;
    must(store_trial(f->store, &trial, &first, &f->error));
    struct store_trial twin = failed_trial(f, TRIAL_OK, NULL);
    twin.same_as_trial_id = first;
    twin.binary_hash = NULL;
    add_configuration(f, 512, &twin.configuration_id);
    must(store_trial(f->store, &twin, &second, &f->error));
    must(store_known_trials(f->store, f->environment, f->problem, "sweep", L2_COLD, take, &seen,
                            &f->error));
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.key, "variant=last_block block=512/");
    assert_string_equal(seen.parameters, "{\"variant\":\"last_block\",\"block\":512}");
    assert_int_equal(seen.last.configuration_id, twin.configuration_id);
    assert_int_equal(seen.last.trial_id, second);
    assert_int_equal(seen.last.same_as_trial_id, first);
    assert_true(isnan(seen.last.median_ns));
    assert_int_equal(seen.last.status, TRIAL_OK);

    seen = (struct seen){.stop_at = 1};
    assert_int_equal(store_known_trials(f->store, f->environment, f->problem, "sweep", L2_COLD,
                                        take, &seen, &f->error),
                     STATUS_INTERRUPTED);
    assert_int_equal(seen.count, 1);
    assert_true(seen.last.median_ns == 100);
    seen = (struct seen){0};
    must(store_known_trials(f->store, f->environment, f->problem, "race", L2_COLD, take, &seen,
                            &f->error));
    must(store_known_trials(f->store, f->environment, f->problem, "sweep", L2_HOT, take, &seen,
                            &f->error));
    assert_int_equal(seen.count, 0);
}

TEST_WITH(test_metrics_are_stored_by_name, setup, teardown)
{
    struct fixture *f = *state;
    const struct named_value metrics[] = {{"gflops", value_real(12.5)}, {"rate", value_real(1e9)}};
    struct store_trial trial = ok_trial(f, 100);
    int64_t id = 0;
    trial.metrics = metrics;
    trial.metric_count = 2;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT json_extract(metrics, '$.gflops') || '/' || json_extract(metrics, '$.rate')"
               " FROM trials",
               "12.5/1000000000.0");
    trial.metric_count = 0;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT metrics IS NULL FROM trials", "1");
}

/* Cheap or not, a trial is stored whole; afterwards the disk is awaited again. */
TEST_WITH(test_a_cheap_trial_is_stored_too, setup, teardown)
{
    struct fixture *f = *state;
    struct store_trial trial = failed_trial(f, TRIAL_LAUNCH_FAILED, "it does not fit");
    int64_t id = 0;
    int64_t synchronous = 0;
    trial.cheap = true;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT status || ': ' || detail FROM trials", "launch_failed: it does not fit");
    must(store_pragma(f->store, "PRAGMA synchronous", &synchronous, &f->error));
    assert_int_equal(synchronous, 2);
}

TEST_WITH(test_searches, setup, teardown)
{
    struct fixture *f = *state;
    struct store_search search = {.run_id = f->run,
                                  .problem_id = f->problem,
                                  .asked = "auto",
                                  .strategy = "local",
                                  .product_count = UINT64_MAX,
                                  .space_count = UINT64_C(1) << 40,
                                  .points_most = 100,
                                  .points = 90,
                                  .trials = 50,
                                  .unlaunchable = 3,
                                  .duplicates = 4,
                                  .failures = 5,
                                  .chance_of_better = 0.25,
                                  .most_better = (double)NAN,
                                  .sweep_ns = 8,
                                  .near_ns = 6};
    must(store_search_put(f->store, &search, &f->error));
    assert_one("SELECT asked || strategy || (product_count IS NULL) || '/' || space_count || '/' ||"
               " points_most || '/' || points || '/' || trials || '/' || unlaunchable || '/' ||"
               " duplicates || '/' || failures || '/' || chance_of_better || (most_better IS NULL)"
               " || '/' || sweep_ns || '/' || near_ns FROM searches",
               "autolocal1/1099511627776/100/90/50/3/4/5/0.251/8/6");
    search.points = 91;
    search.product_count = 7;
    must(store_search_put(f->store, &search, &f->error));
    assert_one("SELECT count(*) || '/' || product_count || '/' || points FROM searches", "1/7/91");
}

TEST_WITH(test_baselines, setup, teardown)
{
    struct fixture *f = *state;
    int64_t other = 0;
    add_configuration(f, 512, &other);
    must(store_baseline(f->store, f->environment, f->problem, "textbook", "a", f->configuration,
                        &f->error));
    must(store_baseline(f->store, f->environment, f->problem, "textbook", "b", other, &f->error));
    assert_one("SELECT name || about || count(*) FROM baselines", "textbookb1");
}

TEST_MAIN(NULL, NULL)
