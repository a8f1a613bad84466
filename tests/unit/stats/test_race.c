#include <math.h>

#include "simulation.h"
#include "tests/unit/suite.h"
#include "tuner/stats/race.h"

enum { MOST = 8 };

static struct race *create(size_t count)
{
    struct protocol protocol;
    struct race *race = NULL;
    struct error error;
    protocol_defaults(EFFORT_NORMAL, false, &protocol);
    assert_int_equal(race_create(&protocol, count, &race, &error), STATUS_OK);
    return race;
}

static size_t add(struct race *race, const double *y)
{
    struct error error;
    size_t round = 0;
    assert_int_equal(race_add_round(race, y, 0, (double)NAN, &round, &error), STATUS_OK);
    return round;
}

/* Adds a round whose level has drifted, and which wobbles by 0.1 %. */
static size_t add_wobbling(struct race *race, struct random *random, const double *truth,
                           size_t count)
{
    double y[MOST];
    double level = 10 + normal(random);
    for (size_t i = 0; i < count; i++)
        y[i] = truth[i] + level + 0.001 * normal(random);
    return add(race, y);
}

TEST(screens_take_out_the_hopeless_early)
{
    const double truth[] = {0, log(1.3), log(1.1), log(1.05), log(1.02)};
    static const size_t out_after[] = {0, 2, 4, 8, 0};
    struct random random = {1, 0};
    struct race *race = create(5);
    for (size_t round = 1; round <= 15; round++) {
        (void)add_wobbling(race, &random, truth, 5);
        (void)race_judge(race, false);
        for (size_t i = 0; i < 5; i++) {
            bool out = out_after[i] > 0 && round >= out_after[i];
            assert_int_equal(race_fate(race, i), out ? RACE_SCREENED : RACE_ALIVE);
        }
    }
    assert_int_equal(race_alive(race), 2);
    assert_false(race_over(race));
    race_free(race);
}

TEST(one_good_round_keeps_from_being_screened)
{
    struct race *race = create(2);
    for (size_t round = 0; round < 10; round++) {
        double y[] = {0, round == 3 ? 0.01 : 0.5};
        (void)add(race, y);
        if (round >= 3)
            assert_int_equal(race_judge(race, false), 0);
    }
    race_free(race);
}

TEST(the_slower_loses_at_a_look_and_not_before)
{
    static const double truth[] = {0.02, 0, 0.001};
    struct random random = {2, 0};
    struct race *race = create(3);
    for (size_t round = 1; round <= 15; round++) {
        (void)add_wobbling(race, &random, truth, 3);
        assert_int_equal(race_next_look(race), 16);
        assert_int_equal(race_judge(race, false), 0);
    }
    (void)add_wobbling(race, &random, truth, 3);
    assert_int_equal(race_judge(race, false), 1);
    assert_int_equal(race_fate(race, 0), RACE_LOST);
    assert_int_equal(race_leader(race), 1);
    assert_int_equal(race_next_look(race), 24);
    struct interval interval = race_difference(race, 0);
    assert_true(interval.low < expm1(0.02) && interval.high > expm1(0.02));
    assert_true(interval.low > 0.0025);
    assert_true(race_difference(race, 1).high <= 0);
    assert_true(race_between(race, 1, 0, 2).high < 0);
    race_free(race);
}

TEST(the_same_is_soon_settled)
{
    static const double truth[] = {0, 0, 0, 0};
    struct random random = {3, 0};
    struct race *race = create(4);
    size_t rounds = 0;
    while (!race_over(race)) {
        (void)add_wobbling(race, &random, truth, 4);
        assert_int_equal(race_judge(race, false), 0);
        rounds++;
    }
    assert_int_equal(race_alive(race), 4);
    assert_in_range(rounds, 16, 32);
    race_free(race);
}

TEST(invalid_rounds_count_for_nothing)
{
    static const double good[] = {0, 0.001, 0.3};
    static const double bad[] = {0.9, 0.8, 0};
    struct race *race = create(3);
    size_t rounds[6];
    for (size_t i = 0; i < 6; i++) {
        rounds[i] = add(race, i % 2 ? bad : good);
        race_set_valid(race, rounds[i], i % 2 == 0);
    }
    assert_int_equal(race_valid_rounds(race), 3);
    assert_int_equal(race_leader(race), 0);
    for (size_t i = 0; i < 6; i++)
        race_set_valid(race, rounds[i], i % 2);
    assert_int_equal(race_leader(race), 2);
    assert_true(fabs(race_difference(race, 0).estimate - expm1(0.9)) < 1e-12);
    for (size_t i = 0; i < 6; i++)
        race_set_valid(race, rounds[i], i % 2 == 0);
    assert_int_equal(race_judge(race, false), 1);
    assert_int_equal(race_fate(race, 2), RACE_SCREENED);
    assert_int_equal(race_leader(race), 0);
    race_free(race);
}

TEST(looks_wait_for_valid_rounds)
{
    static const double truth[] = {0, 0.02};
    struct random random = {4, 0};
    struct race *race = create(2);
    for (size_t round = 0; round < 30; round++) {
        size_t number = add_wobbling(race, &random, truth, 2);
        race_set_valid(race, number, round % 2 == 0);
        assert_int_equal(race_judge(race, false), 0);
    }
    assert_int_equal(race_valid_rounds(race), 15);
    (void)add_wobbling(race, &random, truth, 2);
    assert_int_equal(race_judge(race, false), 1);
    assert_true(race_over(race));
    race_free(race);
}

TEST(a_leader_that_fails_hands_on)
{
    static const double truth[] = {0, 0.02, 0.01, (double)NAN};
    struct random random = {5, 0};
    struct race *race = create(4);
    for (size_t round = 0; round < 10; round++)
        (void)add_wobbling(race, &random, truth, 4);
    assert_int_equal(race_leader(race), 0);
    race_fail(race, 0);
    assert_int_equal(race_leader(race), 2);
    assert_int_equal(race_fate(race, 0), RACE_FAILED);
    (void)race_judge(race, true);
    assert_int_equal(race_fate(race, 0), RACE_FAILED);
    assert_true(isnan(race_difference(race, 3).estimate));
    race_fail(race, 2);
    race_fail(race, 1);
    assert_int_equal(race_leader(race), 3); /* no other candidate is left */
    race_fail(race, 3);
    assert_int_equal(race_leader(race), 4);
    assert_int_equal(race_alive(race), 0);
    assert_true(race_over(race));
    assert_int_equal(race_judge(race, true), 0);
    race_free(race);
}

TEST(a_last_look_ends_the_race_at_any_moment)
{
    static const double truth[] = {0, 0.02, 0.0};
    struct random random = {6, 0};
    struct race *race = create(3);
    assert_int_equal(race_leader(race), 0);
    assert_int_equal(race_judge(race, false), 0);
    for (size_t round = 0; round < 20; round++)
        (void)add_wobbling(race, &random, truth, 3);
    assert_false(race_over(race));
    assert_int_equal(race_judge(race, true), 1);
    assert_true(race_over(race));
    assert_int_equal(race_next_look(race), 0);
    race_free(race);
}

TEST(the_last_of_the_looks_ends_the_race)
{
    struct random random = {7, 0};
    struct race *race = create(2);
    static const size_t looks[] = {16, 24, 32, 0};
    size_t look = 0;
    for (size_t round = 1; round <= 32; round++) {
        assert_false(race_over(race));
        assert_int_equal(race_next_look(race), looks[look]);
        /* 3 % of noise: neither better nor shown to be the same */
        double y[] = {0.03 * normal(&random), 0.03 * normal(&random)};
        (void)add(race, y);
        assert_int_equal(race_judge(race, false), 0);
        look += round == looks[look] ? 1 : 0;
    }
    assert_true(race_over(race));
    race_free(race);
}

TEST(noisy_twins_widen_the_tie_band)
{
    struct random random = {8, 0};
    struct race *race = create(2);
    struct error error;
    assert_true(isnan(race_floor(race).floor));
    assert_true(race_delta(race) > 0.00249 && race_delta(race) < 0.00251);
    for (size_t i = 0; i < 24; i++) {
        double level = normal(&random);
        double y[] = {level, level + 0.02};
        size_t round = 0;
        double twin = level + 0.06 * normal(&random);
        assert_int_equal(race_add_round(race, y, 0, twin, &round, &error), STATUS_OK);
    }
    struct twin_floor floor = race_floor(race);
    assert_false(floor.biased);
    assert_true(floor.floor > 0.02 && floor.floor < 0.06);
    assert_true(fabs(race_delta(race) - floor.floor) < 1e-15);
    assert_int_equal(race_judge(race, true), 0);
    race_free(race);
}

TEST(a_race_has_an_end)
{
    static const double y[] = {0};
    struct race *race = create(1);
    struct error error;
    size_t round = 0;
    assert_true(race_over(race)); /* one candidate needs no comparison */
    for (size_t i = 0; i < ESTIMATE_MAX; i++)
        assert_int_equal(add(race, y), i);
    assert_int_equal(race_add_round(race, y, 0, 0, &round, &error), STATUS_INTERNAL);
    race_free(race);
    race_free(NULL);
}

TEST(equals_are_confirmed_in_the_fixed_order)
{
    static const double truth[] = {0.0003, 0.0001, 0.006, 0.0002, 0, 0.004, 0.0004, 0.0002};
    static const size_t order[] = {7, 6, 5, 4, 3, 2, 1, 0};
    struct race *race = create(8);
    struct error error;
    size_t out[8];
    size_t count = 0;
    for (size_t i = 0; i < 6; i++)
        (void)add(race, truth);
    race_fail(race, 7);
    assert_int_equal(race_finalists(race, order, 3, out, &count, &error), STATUS_OK);
    assert_int_equal(count, 3);
    assert_int_equal(out[0], 4); /* the leader */
    assert_int_equal(out[1], 6);
    assert_int_equal(out[2], 3);
    assert_int_equal(race_finalists(race, NULL, 8, out, &count, &error), STATUS_OK);
    static const size_t want[] = {4, 0, 1, 3, 6, 5, 2};
    assert_int_equal(count, 7);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(out[i], want[i]);
    race_free(race);
}

/* Makes a race of eight that end in a tie except for two, with their places in the fixed order: the
 * first three of the tie, besides the leader, are to be confirmed. */
static struct race *race_of_ties(bool ordered)
{
    static const double truth[] = {0, 0.0004, 0.0004, 0.006, 0.0004, 0.0004, 0.008, -0.0002};
    static const size_t order[] = {4, 1, 6, 0, 2, 3, 5, 7};
    struct random random = {9, 0};
    struct protocol protocol;
    struct race *race = NULL;
    struct error error;
    protocol_defaults(EFFORT_NORMAL, false, &protocol);
    protocol.finalists = 3;
    assert_int_equal(race_create(&protocol, MOST, &race, &error), STATUS_OK);
    if (ordered)
        assert_int_equal(race_set_order(race, order, &error), STATUS_OK);
    for (size_t round = 0; round < 16; round++) {
        (void)add_wobbling(race, &random, truth, MOST);
        (void)race_judge(race, false);
    }
    return race;
}

TEST(who_cannot_be_confirmed_leaves)
{
    struct race *race = race_of_ties(true);
    struct error error;
    size_t out[MOST], count = 0;
    const size_t leader = race_leader(race);
    for (size_t i = 0; i < MOST; i++) {
        bool first = i == 1 || i == 4 || i == 5; /* first of the tied ones in the fixed order */
        assert_int_equal(race_fate(race, i), first || i == leader ? RACE_ALIVE : RACE_BEHIND);
        if (!first && i != leader) /* its earlier results stay */
            assert_true(isfinite(race_difference(race, i).low));
    }
    assert_int_equal(race_finalists(race, NULL, 3, out, &count, &error), STATUS_OK);
    assert_int_equal(out[0], leader);
    race_free(race);
    race = race_of_ties(false);
    assert_int_equal(race_alive(race), MOST);
    race_free(race);
}

/* A candidate that may be faster than the leader by more than a tie stays, whatever its place. */
TEST(who_may_be_the_fastest_stays)
{
    enum { FAST = 7 };
    static const size_t order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct random random = {10, 0};
    struct protocol protocol;
    struct race *race = NULL;
    struct error error;
    protocol_defaults(EFFORT_NORMAL, false, &protocol);
    protocol.finalists = 2;
    assert_int_equal(race_create(&protocol, MOST, &race, &error), STATUS_OK);
    assert_int_equal(race_set_order(race, order, &error), STATUS_OK);
    for (size_t round = 0; round < 16; round++) {
        double y[MOST];
        for (size_t i = 0; i < MOST; i++)
            y[i] = 0.0005 * normal(&random) + (i == FAST ? 0.03 * normal(&random) : 0);
        (void)add(race, y);
        (void)race_judge(race, false);
    }
    assert_int_equal(race_fate(race, FAST), RACE_ALIVE);
    assert_true(race_alive(race) < MOST);
    race_free(race);
}

TEST_MAIN(NULL, NULL)
