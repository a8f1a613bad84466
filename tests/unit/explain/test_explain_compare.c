/* Points against a winner: times of one stage, differences as in the choice, bytes in flight; and
 * the sentences about them. */
#include <math.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "views/explain/internal.h"

enum { POINTS = 3 };
static struct read_point points[POINTS];
static struct explanation explanation;
static struct background background;
static struct arena arena;

static struct read_point point_of(const char *role, const char *parameters, int64_t id,
                                  double confirm_ns, double race_ns, double sweep_ns)
{
    return (struct read_point){
        .point = {.role = role,
                  .parameters = parameters,
                  .status = "ok",
                  .launches = 1,
                  .grid = 200,
                  .block = 256,
                  .resident_threads = 1024,
                  .registers = 32,
                  .spill_bytes = 0,
                  .occupancy = 0.5,
                  .bytes_per_thread = 16},
        .trial_ids = {id, id + 1, id + 2},
        .times_ns = {confirm_ns, race_ns, sweep_ns},
        .values = {confirm_ns, race_ns, (double)NAN},
        .difference = (double)NAN,
        .ratio = (double)NAN,
        .ratio_low = (double)NAN,
        .ratio_high = (double)NAN,
    };
}

/* Makes a contender with its loss to the winner. */
static void stand(struct read_point *point, double worse, const char *stage)
{
    point->difference = worse;
    point->ratio = 1 + worse;
    point->ratio_low = point->ratio - 0.001;
    point->ratio_high = point->ratio + 0.001;
    point->paired_in = stage;
    point->point.standing = isnan(worse) ? NULL : "slower";
}

static int set_up(void **state)
{
    (void)state;
    explanation = (struct explanation){.objective = "time",
                                       .device_kind = "cuda",
                                       .unit_count = 100,
                                       .ceiling_gbs = 1000,
                                       .arithmetic_gops = 5000,
                                       .delta = 0.0025,
                                       .most_better = (double)NAN};
    background = (struct background){.stage = "confirm",
                                     .low_ns = 990,
                                     .high_ns = 1010,
                                     .bytes_moved = 5e5,
                                     .operations = 1e6,
                                     .node_gap_ns = 100};
    points[0] = point_of("winner", "{\"block\":64,\"loads\":2}", 10, 1000, 1100, 900);
    points[1] = point_of("runner-up", "{\"block\":64,\"loads\":4}", 20, 1020, 1200, 800);
    points[2] = point_of("textbook", "{\"block\":32,\"loads\":1}", 30, 2000, 2500, 1500);
    stand(&points[0], 0, "confirm");
    stand(&points[1], 0.021, "confirm");
    stand(&points[2], 1.01, "confirm");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static void compare(void)
{
    assert_true(compare_points(points, POINTS, &background, &arena, &explanation));
    assert_true(make_sentences(&explanation, &background, &arena));
}

static void expect_sentence(const char *words)
{
    for (size_t i = 0; i < explanation.sentence_count; i++)
        if (strstr(explanation.sentences[i], words))
            return;
    for (size_t i = 0; i < explanation.sentence_count; i++)
        print_message("%s\n", explanation.sentences[i]);
    fail_msg("no sentence with '%s'", words);
}

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected) + 1e-15))
        fail_msg("%.12g is not %.12g", got, expected);
}

TEST_WITH(differences_are_those_of_the_choice, set_up, tear_down)
{
    compare();
    assert_int_equal(explanation.point_count, POINTS);
    const struct explain_point *winner = &explanation.points[0];
    const struct explain_point *other = &explanation.points[1];
    assert_string_equal(winner->stage, "confirm");
    assert_int_equal(winner->trial_id, 10);
    near(winner->time_ns, 1000);
    near(winner->low_ns, 990);
    near(winner->slower, 0);
    near(winner->gbs, 500);
    near(winner->ceiling_share, 0.5);
    near(winner->arithmetic_share, 0.2);
    near(other->slower, 0.021);
    near(other->slower_low, 0.020);
    near(other->slower_high, 0.022);
    assert_string_equal(other->standing, "slower");
    assert_string_equal(explanation.points[0].standing, "winner");
    assert_true(isnan(other->low_ns));
    expect_sentence("The runner-up, loads=4, takes 2.10 % more (2.00 % more to 2.20 % more)");
    expect_sentence("2.01x as fast as the baseline textbook (2.01x to 2.01x)");
}

TEST_WITH(the_winner_need_not_be_the_fastest, set_up, tear_down)
{
    stand(&points[1], -0.002, "confirm");
    points[1].point.standing = "as fast";
    points[2].ratio_low = points[2].ratio_high = (double)NAN; /* one process alone */
    compare();
    const struct explain_point *other = &explanation.points[1];
    near(other->slower, -0.002);
    near(other->slower_low, -0.003);
    near(other->slower_high, -0.001);
    assert_string_equal(other->standing, "as fast");
    near(explanation.points[2].slower, 1.01);
    assert_true(isnan(explanation.points[2].slower_low));
    expect_sentence(
        "takes 0.20 % less (0.30 % less to 0.10 % less): as fast (shown to be worse by no "
        "more than 0.25 %)");
    expect_sentence("2.01x as fast as the baseline textbook.");
}

/* A baseline among the equally good ones is no gain, and unknown bounds are not printed. */
TEST_WITH(a_gain_is_told_no_further_than_it_is_shown, set_up, tear_down)
{
    points[2].point.standing = "as fast";
    compare();
    expect_sentence("Not shown to be better than the baseline textbook, which takes 2.01 times "
                    "as long (2.01 times as long to 2.01 times as long): as fast");
    points[2].point.standing = "not compared";
    compare();
    expect_sentence("(2.01 times as long to 2.01 times as long): not compared long enough to know");
    points[2].ratio_low = 1e-6;
    points[2].ratio_high = 639127;
    compare();
    expect_sentence("How it compares with the baseline textbook is unknown: ");
    points[2].point.standing = "slower";
    points[2].ratio_low = 1.5;
    compare();
    expect_sentence("At least 1.50x as fast as the baseline textbook");
}

TEST_WITH(only_times_of_one_stage_are_compared, set_up, tear_down)
{
    points[1].times_ns[0] = (double)NAN; /* was not confirmed */
    stand(&points[1], 0.5, "race");      /* against a winner that was confirmed */
    points[2].times_ns[0] = points[2].times_ns[1] = (double)NAN;
    stand(&points[2], (double)NAN, NULL);
    compare();
    assert_string_equal(explanation.points[1].stage, "race");
    assert_int_equal(explanation.points[1].trial_id, 21);
    near(explanation.points[1].slower, 1200.0 / 1100 - 1);
    assert_true(isnan(explanation.points[1].slower_low));
    expect_sentence("takes 9.09 % more in the race");
    /* A baseline has a time there, but no gain. */
    assert_string_equal(explanation.points[2].stage, "sweep");
    near(explanation.points[2].time_ns, 1500);
    assert_true(isnan(explanation.points[2].slower));
    assert_null(explanation.points[2].standing);
    expect_sentence("The baseline textbook shared no rounds with it: how much faster it is than "
                    "that is not known.");
    points[1].times_ns[0] = 1020; /* confirmed, but still compared by the race */
    compare();
    assert_string_equal(explanation.points[1].stage, "confirm");
    near(explanation.points[1].slower, 1020.0 / 1000 - 1);
}

TEST_WITH(a_winner_of_the_sweep_is_compared_there, set_up, tear_down)
{
    background.stage = "sweep";
    for (size_t i = 0; i < POINTS; i++)
        stand(&points[i], (double)NAN, NULL);
    compare();
    assert_string_equal(explanation.points[0].stage, "sweep");
    near(explanation.points[0].time_ns, 900);
    near(explanation.points[1].slower, 800.0 / 900 - 1);
    assert_true(isnan(explanation.points[2].slower));
    expect_sentence("takes 11.1 % less.");
}

TEST_WITH(what_has_no_time_is_said, set_up, tear_down)
{
    for (size_t i = 0; i < STAGES; i++)
        points[2].times_ns[i] = (double)NAN;
    points[2].point.status = "launch_failed";
    compare();
    assert_null(explanation.points[2].stage);
    assert_int_equal(explanation.points[2].trial_id, -1);
    assert_true(isnan(explanation.points[2].slower));
    assert_true(isnan(explanation.points[2].gbs));
    expect_sentence("The baseline textbook has no time to compare with: launch_failed.");
    points[2].point.status = NULL;
    compare();
    expect_sentence("The baseline textbook was not tried.");
    points[2] = points[0];
    points[2].point.role = "textbook";
    compare();
    expect_sentence("It is the launch of the baseline textbook.");
}

TEST_WITH(another_objective_is_compared_by_its_values, set_up, tear_down)
{
    explanation.objective = "energy";
    stand(&points[1], (double)NAN, NULL);
    stand(&points[2], 1.5, "confirm");
    points[0].values[0] = 2;
    points[1].values[0] = 3;
    points[2].values[0] = 5.1;
    compare();
    near(explanation.points[1].slower, 0.5);
    near(explanation.points[2].slower, 1.5);
    expect_sentence("The runner-up, loads=4, comes to 50.0 % more");
    expect_sentence("The baseline textbook is worse by 150 %");
}

TEST_WITH(in_flight_is_what_is_resident_and_given, set_up, tear_down)
{
    compare();
    /* 200 blocks on 100 units: two of 256 threads each, though 1024 threads fit. */
    near(explanation.points[0].bytes_in_flight_per_sm, 2 * 256 * 16);
    points[0].point.grid = 1000;
    points[1].point.grid = 101; /* one unit has two */
    points[2].point.bytes_per_thread = (double)NAN;
    compare();
    near(explanation.points[0].bytes_in_flight_per_sm, 1024 * 16);
    near(explanation.points[0].blocks_per_sm, 10);
    near(explanation.points[1].bytes_in_flight_per_sm, 2 * 256 * 16);
    assert_true(isnan(explanation.points[2].bytes_in_flight_per_sm));
    expect_sentence("16 KiB in flight per SM against 8 KiB");
    points[0].point.resident_threads = -1;
    compare();
    assert_true(isnan(explanation.points[0].bytes_in_flight_per_sm));
}

TEST_WITH(what_differs_is_listed, set_up, tear_down)
{
    points[2].point.launches = 2;
    points[2].point.grid = 50;
    points[2].point.block = 512;
    points[2].point.registers = 24;
    points[2].point.spill_bytes = 8;
    points[2].point.occupancy = 1;
    points[2].point.bytes_per_thread = (double)NAN;
    compare();
    expect_sentence(
        ": 1 launch against 2, 200 blocks against 50, 256 threads per block against 512, "
        "32 registers against 24, 0 bytes spilled against 8, occupancy 50.0 % against "
        "100 %; 1.01 us lie between them, of which an empty launch more takes 100 ns.");
    background.node_gap_ns = 1020; /* more than the difference between them: then no statement */
    compare();
    for (size_t i = 0; i < explanation.sentence_count; i++)
        assert_null(strstr(explanation.sentences[i], "lie between them"));
    points[2].point.registers = points[2].point.spill_bytes = -1; /* not known */
    compare();
    for (size_t i = 0; i < explanation.sentence_count; i++) {
        assert_null(strstr(explanation.sentences[i], "-1"));
        assert_null(strstr(explanation.sentences[i], "nan"));
        assert_null(strstr(explanation.sentences[i], "register"));
    }
}

/* A difference without bounds shows nothing, whatever its value. */
TEST_WITH(equals_are_others_and_were_compared, set_up, tear_down)
{
    explanation.as_fast = 4;
    explanation.not_compared = 305;
    explanation.kept_incumbent = true;
    points[1].point.standing = "not compared";
    compare();
    assert_string_equal(explanation.points[1].standing, "not compared");
    expect_sentence("(not compared long enough to show whether that is more than 0.25 %)");
    expect_sentence("4 others are as fast: shown to be worse by no more than 0.25 %; 305 were not "
                    "compared to the end; the winner had won before, and was kept.");
    explanation.as_fast = 0;
    explanation.not_compared = 1;
    compare();
    expect_sentence("1 other was not compared to the end");
}

TEST_WITH(how_much_of_the_space_was_tried_is_said_beside_the_choice, set_up, tear_down)
{
    explanation.coverage = "mostly failed";
    explanation.tried = 10;
    explanation.space = 3400;
    explanation.failures = 8;
    explanation.most_better = 0.23;
    compare();
    expect_sentence("10 of 3,400 points tried, 8 of them failed; with 90 % none left is better by "
                    "more than 23 % (space: mostly failed).");
}

TEST_MAIN(NULL, NULL)
