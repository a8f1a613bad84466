/* Evidence of a choice: winners and their contenders, rounds, gauntlets, ranges of sizes. */
#include "store_fixture.h"
#include "tuner/store/evidence.h"

static struct store_winner winner_of(const struct fixture *f, int64_t trial_id)
{
    return (struct store_winner){.environment_id = f->environment,
                                 .problem_id = f->problem,
                                 .l2_mode = L2_COLD,
                                 .objective = "time",
                                 .trial_id = trial_id,
                                 .run_id = f->run,
                                 .stage = "confirm",
                                 .candidate_count = 5,
                                 .space_count = 9,
                                 .value = 100,
                                 .time_low_ns = 99,
                                 .time_high_ns = 101,
                                 .delta = 0.0025,
                                 .floor = (double)NAN,
                                 .claim = 0.002,
                                 .confidence = 0.99,
                                 .processes = 3,
                                 .rounds = 40,
                                 .rounds_dropped = 2,
                                 .tied_count = 2,
                                 .kept_incumbent = true,
                                 .compared = 30000,
                                 .trust = "sound",
                                 .trust_reason = "because"};
}

static int64_t add_trial(struct fixture *f, double median_ns)
{
    int64_t id = 0;
    struct store_trial trial = ok_trial(f, median_ns);
    must(store_trial(f->store, &trial, &id, &f->error));
    return id;
}

TEST_WITH(test_winner_is_kept_whole, setup, teardown)
{
    struct fixture *f = *state;
    int64_t other = 0;
    struct store_choice winner = {.trial_id = 7, .stage = "?"};
    add_configuration(f, 512, &other);
    must(store_winner_get(f->store, f->environment, f->problem, L2_COLD, "time", &winner,
                          &f->error));
    assert_int_equal(winner.trial_id, 0);
    assert_string_equal(winner.stage, "");
    int64_t id = add_trial(f, 100);
    const struct store_contender contenders[2] = {{.configuration_id = f->configuration,
                                                   .trial_id = id,
                                                   .place = 1,
                                                   .proven = true,
                                                   .tied = true},
                                                  {.configuration_id = other,
                                                   .place = 2,
                                                   .difference = 0.5,
                                                   .difference_low = (double)NAN,
                                                   .difference_high = (double)NAN,
                                                   .out = "gauntlet: n = 7"}};
    struct store_winner put = winner_of(f, id);
    put.contenders = contenders;
    put.contender_count = 2;
    must(store_winner_put(f->store, &put, &f->error));
    assert_one("SELECT objective || stage || candidate_count || space_count || value ||"
               " time_low_ns || time_high_ns || delta || (floor IS NULL) || claim || confidence"
               " FROM winners",
               "timeconfirm59100.099.0101.00.002510.0020.99");
    assert_one("SELECT processes || rounds || rounds_dropped || tied_count || kept_incumbent ||"
               " trust || trust_reason || (chosen_at LIKE '20__-%Z') || compared FROM winners",
               "340221soundbecause130000");
    assert_one("SELECT group_concat(place || coalesce(trial_id, '-') || difference ||"
               " coalesce(difference_low, '-') || proven || tied || coalesce(out, '-'))"
               " FROM (SELECT * FROM contenders ORDER BY place)",
               "110.00.011-,2-0.5-00gauntlet: n = 7");
    must(store_winner_get(f->store, f->environment, f->problem, L2_COLD, "time", &winner,
                          &f->error));
    assert_int_equal(winner.trial_id, id);
    assert_string_equal(winner.stage, "confirm");
    must(store_winner_get(f->store, f->environment, f->problem, L2_COLD, NULL, &winner, &f->error));
    assert_int_equal(winner.trial_id, id);
}

TEST_WITH(test_winner_is_replaced_with_its_contenders, setup, teardown)
{
    struct fixture *f = *state;
    int64_t id = add_trial(f, 100);
    struct store_contender contenders[2] = {{.configuration_id = f->configuration, .place = 1},
                                            {.place = 2}};
    add_configuration(f, 512, &contenders[1].configuration_id);
    struct store_winner put = winner_of(f, id);
    put.contenders = contenders;
    put.contender_count = 2;
    must(store_winner_put(f->store, &put, &f->error));
    put.contender_count = 1;
    put.candidate_count = 6;
    put.stage = "race";
    must(store_winner_put(f->store, &put, &f->error));
    assert_one("SELECT count(*) || max(candidate_count) || max(stage) FROM winners", "16race");
    assert_one("SELECT count(*) FROM contenders", "1");
    /* All or nothing: the same configuration twice is refused, and the earlier rows stay. */
    contenders[1].configuration_id = f->configuration;
    put.contender_count = 2;
    put.candidate_count = 7;
    assert_int_equal(store_winner_put(f->store, &put, &f->error), STATUS_INTERNAL);
    put.contender_count = 0;
    put.trial_id = 999;
    assert_int_equal(store_winner_put(f->store, &put, &f->error), STATUS_INTERNAL);
    put = winner_of(f, id);
    put.trust = "perhaps";
    assert_int_equal(store_winner_put(f->store, &put, &f->error), STATUS_INTERNAL);
    assert_one("SELECT candidate_count FROM winners", "6");
    assert_one("SELECT count(*) FROM contenders", "1");
}

TEST_WITH(test_winners_of_each_objective, setup, teardown)
{
    struct fixture *f = *state;
    int64_t time_trial = add_trial(f, 100);
    struct store_choice winner;
    struct store_trial trial = ok_trial(f, 130);
    int64_t energy_trial = 0;
    trial.stage = "race";
    trial.objective = "energy";
    must(store_trial(f->store, &trial, &energy_trial, &f->error));
    struct store_winner put = winner_of(f, time_trial);
    must(store_winner_put(f->store, &put, &f->error));
    put.objective = "energy";
    put.trial_id = energy_trial;
    must(store_winner_put(f->store, &put, &f->error));
    put.l2_mode = L2_DIRTY;
    must(store_winner_put(f->store, &put, &f->error));
    assert_one("SELECT count(*) FROM winners", "3");
    must(store_winner_get(f->store, f->environment, f->problem, L2_COLD, "time", &winner,
                          &f->error));
    assert_int_equal(winner.trial_id, time_trial);
    must(store_winner_get(f->store, f->environment, f->problem, L2_COLD, "energy", &winner,
                          &f->error));
    assert_int_equal(winner.trial_id, energy_trial);
    must(store_winner_get(f->store, f->environment, f->problem, L2_DIRTY, "time", &winner,
                          &f->error));
    assert_int_equal(winner.trial_id, 0);
}

static void incumbent(struct fixture *f, int64_t environment, int64_t problem,
                      const char *objective, const char *expected)
{
    struct text key = {0};
    struct text parameters = {0};
    bool found = true;
    text_append(&key, ">");
    must(store_incumbent(f->store, environment, problem, L2_COLD, objective, &found, &key,
                         &parameters, &f->error));
    bool has_values = strncmp(text_string(&parameters), "{\"variant\":\"last_block\"", 23) == 0;
    assert_int_equal(has_values, expected != NULL);
    text_free(&parameters);
    assert_int_equal(found, expected != NULL);
    assert_string_equal(text_string(&key) + 1, expected ? expected : "");
    text_free(&key);
}

/* The incumbent belongs to device and problem, also under another driver and after an edit of the
 * experiment. */
TEST_WITH(test_incumbent, setup, teardown)
{
    struct fixture *f = *state;
    incumbent(f, f->environment, f->problem, "time", NULL);
    struct store_winner put = winner_of(f, add_trial(f, 100));
    must(store_winner_put(f->store, &put, &f->error));
    incumbent(f, f->environment, f->problem, NULL, "variant=last_block block=256");
    incumbent(f, f->environment, f->problem, "energy", NULL);

    struct fixture newer = *f;
    const struct store_experiment edited = {.name = "reduce",
                                            .device_kind = "cuda",
                                            .content_hash = "another",
                                            .path = "configs/reduce.yaml",
                                            .text = ""};
    add_environment(&newer, "590.0", &newer.environment);
    must(store_experiment(f->store, &edited, &newer.experiment, &f->error));
    add_problem(&newer, 1024, &newer.problem);
    incumbent(f, newer.environment, newer.problem, "time", "variant=last_block block=256");
    int64_t other_size = 0;
    add_problem(&newer, 4096, &other_size);
    incumbent(f, newer.environment, other_size, "time", NULL);

    add_configuration(&newer, 64, &newer.configuration);
    const struct store_run_start run = {.environment_id = newer.environment};
    must(store_run_start(f->store, &run, &newer.run, &f->error));
    put = winner_of(&newer, add_trial(&newer, 90));
    must(store_winner_put(f->store, &put, &f->error));
    incumbent(f, f->environment, f->problem, "time", "variant=last_block block=64");
}

static struct store_round round_of(const struct fixture *f, int32_t process, int32_t ordinal)
{
    return (struct store_round){.run_id = f->run,
                                .problem_id = f->problem,
                                .stage = process ? "confirm" : "race",
                                .process = process,
                                .ordinal = ordinal,
                                .anchor_first_ns = 10,
                                .anchor_last_ns = (double)NAN,
                                .first_ns = (double)NAN,
                                .twin_ns = (double)NAN,
                                .conditions = conditions_unknown(),
                                .at_ns = ordinal};
}

TEST_WITH(test_rounds, setup, teardown)
{
    struct fixture *f = *state;
    struct store_round rounds[5];
    for (int i = 0; i < 5; i++)
        rounds[i] = round_of(f, i / 3, i % 3);
    rounds[1].fault = "clock_moved";
    rounds[1].twin_configuration_id = f->configuration;
    rounds[1].first_ns = 5;
    rounds[1].twin_ns = 6;
    rounds[1].conditions = (struct conditions){.sm_clock_mhz = 1980,
                                               .memory_clock_mhz = 3201,
                                               .temperature_c = 50,
                                               .power_w = 400,
                                               .energy_j = 7,
                                               .throttle = 0,
                                               .ecc_errors = 2,
                                               .other_processes = 1};
    must(store_rounds(f->store, rounds, 5, &f->error));
    must(store_rounds(f->store, NULL, 0, &f->error));
    assert_one("SELECT group_concat(stage || process || ordinal) FROM (SELECT * FROM rounds"
               " ORDER BY process, ordinal)",
               "race00,race01,race02,confirm10,confirm11");
    assert_one("SELECT fault || anchor_first_ns || (anchor_last_ns IS NULL) || first_ns || twin_ns"
               " || sm_clock_mhz || memory_clock_mhz || temperature_c || power_w || energy_j ||"
               " throttle || ecc_errors || other_processes || at_ns || objective FROM rounds"
               " WHERE twin_configuration_id IS NOT NULL",
               "clock_moved10.015.06.01980.03201.050.0400.07.00211time");
    assert_one("SELECT count(*) FROM rounds WHERE fault IS NULL AND twin_ns IS NULL AND"
               " sm_clock_mhz IS NULL AND energy_j IS NULL AND throttle IS NULL AND"
               " ecc_errors IS NULL AND other_processes IS NULL AND twin_configuration_id IS NULL",
               "4");
    /* The race again, shorter: only this race is replaced; that of another objective stays beside
     * it. */
    must(store_rounds(f->store, rounds, 2, &f->error));
    assert_one("SELECT group_concat(stage || process || ordinal) FROM (SELECT * FROM rounds"
               " ORDER BY process, ordinal)",
               "race00,race01,confirm10,confirm11");
    rounds[0].objective = "energy";
    must(store_rounds(f->store, rounds, 1, &f->error));
    assert_one("SELECT count(*) FROM rounds", "5");
    /* A failed replacement changes no row. */
    rounds[1] = rounds[0];
    assert_int_equal(store_rounds(f->store, rounds, 2, &f->error), STATUS_INTERNAL);
    assert_one("SELECT count(*) FROM rounds", "5");
}

TEST_WITH(test_gauntlet, setup, teardown)
{
    struct fixture *f = *state;
    char detail[ERROR_TEXT_BYTES] = "?";
    bool found = true;
    bool passed = true;
    struct store_gauntlet row = {.environment_id = f->environment,
                                 .problem_id = f->problem,
                                 .configuration_id = f->configuration,
                                 .binary_hash = "b1",
                                 .cases = 4,
                                 .detail = "n = 7: guard band"};
    must(store_gauntlet_get(f->store, f->environment, f->problem, f->configuration, "b1", &found,
                            &passed, detail, &f->error));
    assert_false(found || passed);
    must(store_gauntlet_put(f->store, &row, &f->error));
    must(store_gauntlet_get(f->store, f->environment, f->problem, f->configuration, "b1", &found,
                            &passed, detail, &f->error));
    assert_true(found && !passed);
    assert_string_equal(detail, "n = 7: guard band");
    row.passed = true;
    row.cases = 12;
    row.detail = NULL;
    must(store_gauntlet_put(f->store, &row, &f->error));
    must(store_gauntlet_get(f->store, f->environment, f->problem, f->configuration, "b1", &found,
                            &passed, detail, &f->error));
    assert_true(found && passed);
    assert_string_equal(detail, "");
    assert_one("SELECT count(*) || max(cases) FROM gauntlets", "112");
    /* Another binary has yet to pass. */
    must(store_gauntlet_get(f->store, f->environment, f->problem, f->configuration, "b2", &found,
                            &passed, NULL, &f->error));
    assert_false(found || passed);
}

TEST_WITH(test_ranges, setup, teardown)
{
    struct fixture *f = *state;
    const struct store_range_check checks[2] = {
        {.n = 8,
         .measured = true,
         .loss = 0.01,
         .loss_low = 0.005,
         .loss_high = (double)NAN,
         .best_configuration_id = f->configuration},
        {.n = 16, .loss = (double)NAN, .loss_low = (double)NAN, .loss_high = (double)NAN}};
    struct store_range ranges[2] = {
        {.n_low = 1,
         .n_high = 16,
         .configuration_id = f->configuration,
         .bound = 0.01,
         .checks = checks,
         .check_count = 2},
        {.n_low = 17, .n_high = 32, .configuration_id = f->configuration, .bound = (double)NAN}};
    struct store_ranges put = {.environment_id = f->environment,
                               .experiment_id = f->experiment,
                               .problem_key = "reduce.sum.i32",
                               .run_id = f->run,
                               .within = 0.02,
                               .ranges = ranges,
                               .count = 2};
    must(store_ranges_put(f->store, &put, &f->error));
    assert_one("SELECT group_concat(n_low || '-' || n_high || problem_key || l2_mode || objective"
               " || within || coalesce(bound, '-')) FROM (SELECT * FROM ranges ORDER BY n_low)",
               "1-16reduce.sum.i32coldtime0.020.01,17-32reduce.sum.i32coldtime0.02-");
    assert_one(
        "SELECT group_concat(n || measured || coalesce(loss, '-') ||"
        " coalesce(loss_low, '-') || coalesce(loss_high, '-') ||"
        " coalesce(best_configuration_id, '-')) FROM (SELECT * FROM range_checks ORDER BY n)",
        "810.010.005-1,160----");
    /* Others stay beside it; an equal one is replaced with its checks. */
    put.objective = "energy";
    must(store_ranges_put(f->store, &put, &f->error));
    put.problem_key = "reduce.sum.f32";
    must(store_ranges_put(f->store, &put, &f->error));
    assert_one("SELECT (SELECT count(*) FROM ranges) || (SELECT count(*) FROM range_checks)", "66");
    put.ranges = &ranges[1];
    put.count = 1;
    must(store_ranges_put(f->store, &put, &f->error));
    assert_one("SELECT (SELECT count(*) FROM ranges) || (SELECT count(*) FROM range_checks)", "54");
    ranges[1].n_high = 3; /* smaller than its n_low */
    assert_int_equal(store_ranges_put(f->store, &put, &f->error), STATUS_INTERNAL);
    assert_one("SELECT count(*) FROM ranges", "5");
    put.count = 0;
    must(store_ranges_put(f->store, &put, &f->error));
    assert_one("SELECT count(*) FROM ranges WHERE problem_key = 'reduce.sum.f32'", "0");
}

TEST_MAIN(NULL, NULL)
