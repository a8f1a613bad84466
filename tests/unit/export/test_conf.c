/* tuned.conf from a database, read back by libtuned. */
#include "tests/unit/export/conf_fixture.h"

TEST_WITH(winner_comes_back_with_evidence, setup, teardown)
{
    struct fixture *fixture = *state;
    int64_t environment = add_device(fixture, "NVIDIA \"H\\200\"", "u1", "580.95");
    int64_t problem = add_problem(fixture, "reduce.sum.i32", 1000, 4000.0);
    int64_t best = add_configuration(fixture, "last_block", 256);
    int64_t textbook = add_configuration(fixture, "two_launches", 1024);
    const struct store_ceilings ceilings = {.buffer_bytes = 1, .read_gbs = 80.0, .write_gbs = 50.0};
    ok(store_ceilings_put(fixture->store, environment, &ceilings, &error));
    ok(store_baseline(fixture->store, environment, problem, "textbook", "", textbook, &error));
    add_trial(fixture,
              (struct put){environment, problem, best, 0, "sweep", 90.0, 0, TRIAL_OK, NULL});
    int64_t other = add_trial(
        fixture, (struct put){environment, problem, textbook, 0, "race", 250.0, 0, TRIAL_OK, NULL});
    add_trial(fixture,
              (struct put){environment, problem, textbook, 0, "sweep", 300.0, 0, TRIAL_OK, NULL});
    const struct put put = {environment, problem, best, 0, "race", 100.0, 0, TRIAL_OK, NULL};
    int64_t trial = add_trial(fixture, put);
    add_contest(fixture, put, trial, textbook, other, 1.375);

    struct tuned *tuned = export_and_load(fixture);
    const struct tuned_entry *entry = find(tuned, "NVIDIA \"H\\200\"", 1000);
    assert_string_equal(tuned_text(entry, "variant", ""), "last_block");
    assert_int_equal(tuned_integer(entry, "block", 0), 256);
    assert_int_equal(tuned_integer(entry, "grid", 0), 264);
    assert_true(tuned_real(entry, "share", 0) == 0.5);
    assert_string_equal(tuned_text(entry, "pinned", ""), "true");
    assert_true(tuned_expected_ns(entry) == 100.0);
    assert_true(tuned_evidence(entry, "mad_ns", 0) == 1.3 ||
                tuned_evidence(entry, "mad_ns", 0) == 1.2);
    /* Computed from pairs, not as the quotient of the medians, which is 2.5. */
    assert_true(tuned_evidence(entry, "gain.textbook", 0) == 2.375);
    assert_true(tuned_evidence(entry, "ceiling_percent", 0) == 50.0);
    assert_true(tuned_evidence(entry, "samples", 0) == 2.0);
    assert_string_equal(tuned_evidence_text(entry, "source", ""), "0123abcd");
    assert_int_equal(strlen(tuned_evidence_text(entry, "date", "")), 10);
    assert_string_equal(tuned_evidence_text(entry, "l2", ""), "cold");
    assert_string_equal(tuned_evidence_text(entry, "stage", ""), "race");
    assert_string_equal(tuned_evidence_text(entry, "verdict", ""), "sure");
    assert_string_equal(tuned_evidence_text(entry, "coverage", ""), "whole");
    assert_null(tuned_evidence_text(entry, "as_fast", NULL)); /* the other is slower */
    assert_null(tuned_evidence_text(entry, "not_compared", NULL));
    assert_null(tuned_evidence_text(entry, "tied", NULL));
    assert_true(tuned_evidence(entry, "claim_percent", 0) == 0.25);
    assert_true(tuned_evidence(entry, "compared", 0) == 12345);
    assert_true(tuned_evidence(entry, "confidence", 0) == 0.99);
    assert_null(tuned_evidence_text(entry, "bound_percent", NULL));
    assert_null(tuned_evidence_text(entry, "at", NULL));
    assert_string_equal(tuned_device_text(entry, "driver", ""), "580.95");
    assert_int_equal(tuned_entry_device(entry)->memory_bytes, 150000000000);
    tuned_free(tuned);
}

TEST_WITH(the_ceiling_is_the_one_that_the_problem_names, setup, teardown)
{
    struct fixture *fixture = *state;
    int64_t environment = add_device(fixture, "G", "u1", "1");
    const struct store_problem row = {.experiment_id = fixture->experiment,
                                      .key = "reduce.sum.i32",
                                      .n = 1000,
                                      .bytes_moved = 4000,
                                      .ceiling = "write"};
    const struct store_ceilings ceilings = {.buffer_bytes = 1, .read_gbs = 80, .write_gbs = 50};
    int64_t problem = 0;
    ok(store_problem(fixture->store, &row, &problem, &error));
    ok(store_ceilings_put(fixture->store, environment, &ceilings, &error));
    int64_t best = add_configuration(fixture, "last_block", 256);
    int64_t trial = add_trial(
        fixture, (struct put){environment, problem, best, 0, "sweep", 100.0, 0, TRIAL_OK, NULL});
    add_winner(fixture, environment, problem, trial);
    struct tuned *tuned = export_and_load(fixture);
    assert_true(tuned_evidence(find(tuned, "G", 1000), "ceiling_percent", 0) == 80.0);
    tuned_free(tuned);
}

/* A baseline with the launch of another configuration was raced as that one. */
TEST_WITH(duplicate_of_another_launch_gives_the_gain, setup, teardown)
{
    struct fixture *fixture = *state;
    int64_t environment = add_device(fixture, "G", "u1", "1");
    int64_t problem = add_problem(fixture, "reduce.sum.i32", 1000, 0.0);
    int64_t best = add_configuration(fixture, "last_block", 256);
    int64_t twin = add_configuration(fixture, "two_launches", 512);
    int64_t textbook = add_configuration(fixture, "two_launches", 1024);
    ok(store_baseline(fixture->store, environment, problem, "textbook", "", textbook, &error));
    int64_t real = add_trial(
        fixture, (struct put){environment, problem, twin, 0, "sweep", 300.0, 0, TRIAL_OK, NULL});
    add_trial(fixture, (struct put){environment, problem, textbook, real, "sweep", (double)NAN, 0,
                                    TRIAL_OK, NULL});
    int64_t trial = add_trial(
        fixture, (struct put){environment, problem, best, 0, "sweep", 100.0, 0, TRIAL_OK, NULL});
    add_winner(fixture, environment, problem, trial);
    struct tuned *tuned = export_and_load(fixture);
    /* Without a race no gain is claimed. */
    assert_null(tuned_evidence_text(find(tuned, "G", 1000), "gain.textbook", NULL));
    assert_true(tuned_evidence(find(tuned, "G", 1000), "ceiling_percent", -1) == -1.0);
    tuned_free(tuned);

    /* In the race, which the winner and the twin went through. */
    int64_t other = add_trial(
        fixture, (struct put){environment, problem, twin, 0, "race", 420.0, 0, TRIAL_OK, NULL});
    const struct put put = {environment, problem, best, 0, "race", 105.0, 0, TRIAL_OK, NULL};
    trial = add_trial(fixture, put);
    add_contest(fixture, put, trial, twin, other, 2.75);
    tuned = export_and_load(fixture);
    assert_true(tuned_evidence(find(tuned, "G", 1000), "gain.textbook", 0) == 3.75);
    tuned_free(tuned);

    /* A winner that is itself such a duplicate. */
    add_trial(fixture,
              (struct put){environment, problem, twin, 0, "race", 90.0, 0, TRIAL_OK, NULL});
    trial = add_trial(fixture, (struct put){environment, problem, textbook, real, "race",
                                            (double)NAN, 0, TRIAL_OK, NULL});
    add_winner(fixture, environment, problem, trial);
    tuned = export_and_load(fixture);
    assert_true(tuned_expected_ns(find(tuned, "G", 1000)) == 90.0); /* as measured in the race */
    assert_int_equal(tuned_integer(find(tuned, "G", 1000), "block", 0), 1024);
    tuned_free(tuned);
}

TEST_WITH(newest_environment_of_like_devices_wins, setup, teardown)
{
    struct fixture *fixture = *state;
    int64_t older = add_device(fixture, "G", "u1", "570");
    int64_t newer = add_device(fixture, "G", "u2", "580");
    int64_t other = add_device(fixture, "F", "u3", "580");
    int64_t one = add_problem(fixture, "reduce.sum.i32", 1000, 0.0);
    int64_t two = add_problem(fixture, "reduce.sum.i32", 500, 0.0);
    int64_t small = add_configuration(fixture, "last_block", 64);
    int64_t large = add_configuration(fixture, "last_block", 512);
    const int64_t environments[] = {older, newer, other};
    for (int i = 0; i < 3; i++) {
        struct put put = {environments[i], one, i == 1 ? large : small, 0, "sweep", 10.0, 0,
                          TRIAL_OK,        NULL};
        add_winner(fixture, put.environment, one, add_trial(fixture, put));
        put.problem = two;
        if (i == 0)
            add_winner(fixture, put.environment, two, add_trial(fixture, put));
    }
    struct tuned *tuned = export_and_load(fixture);
    assert_int_equal(tuned_entry_count(tuned), 3);
    assert_int_equal(tuned_integer(find(tuned, "G", 1000), "block", 0), 512);
    assert_int_equal(tuned_integer(find(tuned, "G", 500), "block", 0), 64);
    assert_int_equal(tuned_integer(find(tuned, "F", 1000), "block", 0), 64);
    assert_string_equal(tuned_device_text(find(tuned, "G", 500), "driver", ""), "580");
    assert_string_equal(tuned_evidence_text(find(tuned, "G", 500), "driver", ""), "570");
    assert_string_equal(tuned_evidence_text(find(tuned, "G", 1000), "driver", ""), "580");
    /* Written in order: F before G, 500 before 1000. */
    assert_int_equal(tuned_entry_n(tuned_entry_at(tuned, 1)), 500);
    for (size_t i = 1; i < 3; i++)
        assert_true(tuned_entry_line(tuned_entry_at(tuned, i)) >
                    tuned_entry_line(tuned_entry_at(tuned, i - 1)));
    tuned_free(tuned);

    struct text first = {0};
    struct text second = {0};
    ok(export_conf_text(fixture->store, &first, NULL, NULL, &error));
    ok(export_conf_text(fixture->store, &second, NULL, NULL, &error));
    assert_string_equal(text_string(&first), text_string(&second));
    text_free(&first);
    text_free(&second);
}

TEST_WITH(nothing_is_overwritten_without_winner, setup, teardown)
{
    struct fixture *fixture = *state;
    ok(file_write_atomically(fixture->conf, "keep", 4, &error));
    assert_int_equal(export_conf(fixture->store, fixture->conf, NULL, NULL, &error),
                     STATUS_NO_WINNER);
    struct arena arena = {0};
    char *contents = NULL;
    ok(file_read(&arena, fixture->conf, 100, &contents, NULL, &error));
    assert_string_equal(contents, "keep");
    arena_free(&arena);
}

/* A text that libtuned would refuse is never written. */
TEST_WITH(unreadable_winner_is_refused, setup, teardown)
{
    struct fixture *fixture = *state;
    int64_t environment = add_device(fixture, "G", "u1", "1");
    int64_t problem = add_problem(fixture, "two words", 10, 0.0);
    int64_t best = add_configuration(fixture, "v", 1);
    add_winner(fixture, environment, problem,
               add_trial(fixture, (struct put){environment, problem, best, 0, "sweep", 10.0, 0,
                                               TRIAL_OK, NULL}));
    assert_int_equal(export_conf(fixture->store, fixture->conf, NULL, NULL, &error),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "tuned.conf:6: "));
    assert_false(file_exists(fixture->conf));
}

TEST_MAIN(NULL, NULL)
