/* Parts of the choice that are plain computing: the fixed order and levels. */

#include <math.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/session/contest.h"

/* ---- the fixed order ---- */

/* Demands of a finalist; the parameter `block` distinguishes them. */
struct demand {
    const char *key;
    size_t launches;
    uint32_t shared, static_shared;
    int32_t registers;
    uint32_t block;
    int64_t value;
};

enum { CONTENDERS = 8 };

static struct candidate candidates[CONTENDERS];
static struct prepared prepared[CONTENDERS];

static void set_up(const struct demand *demands, size_t count, struct finalist *finalists)
{
    memset(finalists, 0, count * sizeof *finalists);
    for (size_t i = 0; i < count; i++) {
        const struct demand *demand = &demands[i];
        struct prepared *of = &prepared[i];
        memset(of, 0, sizeof *of);
        of->configuration.count = 1;
        of->configuration.values[0] =
            (struct named_value){.name = "block", .value = value_integer(demand->value)};
        finalists[i].key = demand->key;
        of->plan.launch_count = demand->launches;
        for (size_t j = 0; j < demand->launches; j++)
            of->plan.launches[j] = (struct launch){.block = {1, 1, 1}};
        of->plan.launches[0].block[0] = demand->block;
        of->plan.launches[demand->launches - 1].shared_bytes = demand->shared;
        of->resources[demand->launches - 1].static_shared_bytes = (int32_t)demand->static_shared;
        of->resources[0].registers = demand->registers;
        finalists[i].slot = (struct slot){.candidate = &candidates[i], .prepared = of};
    }
}

/* Checks the order of the demands, in whatever order they arrive. */
static void expect_order(const struct demand *demands, size_t count)
{
    struct demand turned[CONTENDERS];
    struct finalist finalists[CONTENDERS];
    struct error error = {0};
    for (size_t shift = 0; shift < count; shift++) {
        for (size_t i = 0; i < count; i++)
            turned[i] = demands[(i + shift) % count];
        set_up(turned, count, finalists);
        assert_int_equal(finalists_order(NULL, finalists, count, &error), STATUS_OK);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(finalists[i].contender.order, (i + shift) % count);
    }
}

TEST(test_asks_for_less_comes_first)
{
    const struct demand demands[] = {
        {"a", 1, 0, 0, 64, 1024, 9},    {"b", 1, 512, 512, 16, 32, 1},
        {"c", 1, 2048, 0, 16, 512, 1},  {"d", 1, 1024, 1024, 24, 256, 1},
        {"e", 1, 2048, 0, 24, 512, 1},  {"f", 1, 2048, 0, 24, 512, 2},
        {"g", 1, 2048, 0, 24, 512, 10}, {"h", 2, 0, 0, 8, 32, 0},
    };
    expect_order(demands, sizeof demands / sizeof demands[0]);
}

TEST(test_equal_demands_go_by_their_keys)
{
    const struct demand demands[] = {
        {"block=1 a", 1, 0, 0, 16, 64, 1},
        {"block=1 b", 1, 0, 0, 16, 64, 1},
        {"block=1 c", 1, 0, 0, 16, 64, 1},
    };
    expect_order(demands, 3);
}

/* ---- levels ---- */

enum { ROUNDS = 6 };

TEST(test_levels_are_medians_off_the_middle)
{
    struct finalist finalists[3] = {0};
    struct contest contest = {.finalists = finalists, .finalist_count = 3};
    /* An effect of a round on all candidates carries no information, nor does a dropped round. */
    const double round[ROUNDS] = {1, 5, 2, 9, -3, 0};
    double y[ROUNDS * 3];
    enum round_fault faults[ROUNDS] = {[3] = ROUND_THROTTLED};
    for (size_t i = 0; i < ROUNDS; i++) {
        y[i * 3] = round[i] - 0.01;
        y[i * 3 + 1] = round[i];
        y[i * 3 + 2] = round[i] + (i == 3 ? 50 : 0.02);
    }
    struct error error = {0};
    struct track track = {.count = 3, .round_count = ROUNDS, .y = y, .faults = faults};
    assert_int_equal(contest_set_levels(&contest, &track, 0, 0, 3, &error), STATUS_OK);
    assert_int_equal(contest_set_levels(&contest, &track, 1, 3, ROUNDS, &error), STATUS_OK);
    for (size_t part = 0; part < 2; part++) {
        assert_float_equal(finalists[0].levels[part], -0.01, 1e-12);
        assert_float_equal(finalists[1].levels[part], 0, 1e-12);
        assert_float_equal(finalists[2].levels[part], 0.02, 1e-12);
    }
}

TEST(test_who_is_out_does_not_move_the_middle)
{
    struct finalist finalists[3] = {
        {.rejection = NULL}, {.rejection = "wrong"}, {.raced_out = true}};
    struct contest contest = {.finalists = finalists, .finalist_count = 3};
    double y[] = {1, 0.1, 7, 1, 0.1, (double)NAN};
    enum round_fault faults[2] = {ROUND_VALID, ROUND_VALID};
    struct error error = {0};
    struct track track = {.count = 3, .round_count = 2, .y = y, .faults = faults};
    assert_int_equal(contest_set_levels(&contest, &track, 0, 0, 2, &error), STATUS_OK);
    assert_float_equal(finalists[0].levels[0], 0, 1e-12);
    assert_float_equal(finalists[1].levels[0], -0.9, 1e-12);
    assert_float_equal(finalists[2].levels[0], 6, 1e-12); /* its own round's level */
    faults[0] = faults[1] = ROUND_CLOCK_MOVED;
    assert_int_equal(contest_set_levels(&contest, &track, 0, 0, 2, &error), STATUS_OK);
    for (size_t i = 0; i < 3; i++)
        assert_true(isnan(finalists[i].levels[0]));
}

TEST_MAIN(NULL, NULL)
