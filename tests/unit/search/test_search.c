/* Rules that every strategy keeps, whether it learns or not. */
#include "synthetic.h"

enum { AHEAD_MAX = 256 };

typedef double value_of(const struct synthetic *synthetic, uint64_t point);

static double smooth(const struct synthetic *synthetic, uint64_t point)
{
    return landscape(synthetic, point, 1);
}

static double smooth_or_failed(const struct synthetic *synthetic, uint64_t point)
{
    return random_at(5, point) % 2 == 0 ? (double)NAN : landscape(synthetic, point, 1);
}

static double failed(const struct synthetic *synthetic, uint64_t point)
{
    (void)synthetic;
    (void)point;
    return (double)NAN;
}

static double flat(const struct synthetic *synthetic, uint64_t point)
{
    (void)synthetic;
    (void)point;
    return -3.0;
}

/* Asks up to `ahead` points before each result; results come back in random order. Returns how many
 * points there were, which `out` has in the order of asking. */
static size_t replay(struct search *search, const struct synthetic *synthetic, value_of *value,
                     size_t ahead, uint64_t *out, size_t most)
{
    uint64_t pending[AHEAD_MAX];
    size_t count = 0, waiting = 0;
    struct random order = {.seed = 77};
    while (count < most) {
        while (waiting < ahead && count < most && search_ask(search, &pending[waiting])) {
            assert_true(pending[waiting] < synthetic->space.count);
            out[count++] = pending[waiting++];
        }
        if (waiting == 0)
            break;
        const size_t one = (size_t)random_below(&order, waiting);
        const uint64_t point = pending[one];
        pending[one] = pending[--waiting];
        search_tell(search, point, value(synthetic, point));
    }
    return count;
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void assert_distinct(uint64_t *points, size_t count)
{
    qsort(points, count, sizeof points[0], compare);
    for (size_t i = 1; i < count; i++)
        assert_true(points[i - 1] < points[i]);
}

static void covers(const struct synthetic *synthetic, value_of *value, size_t ahead)
{
    const size_t count = (size_t)synthetic->space.count;
    uint64_t *points = malloc((count + 1) * sizeof points[0]);
    assert_non_null(points);
    for (size_t i = 0; search_strategy_name(i); i++) {
        struct search *search = begin(synthetic, search_strategy_name(i), 0, 11 + i);
        assert_int_equal(replay(search, synthetic, value, ahead, points, count + 1), count);
        assert_distinct(points, count);
        uint64_t point;
        assert_false(search_ask(search, &point));
        search_free(search);
    }
    free(points);
}

/* Whole spaces: constrained, of one point, of one dimension, with dimensions of one value. */
TEST(test_covers_everything_once)
{
    value_of *const values[] = {smooth, smooth_or_failed, failed, flat};
    static const uint16_t one[] = {1};
    static const uint16_t line[] = {300};
    static const uint16_t thin[] = {1, 7, 1, 1, 9, 1};
    static const uint16_t few[] = {3, 3, 3, 3, 4, 4};
    struct synthetic spaces[4];
    synthetic_make(&spaces[0], 1, one, NULL);
    synthetic_make(&spaces[1], 1, line, NULL);
    synthetic_make(&spaces[2], 6, thin, NULL);
    synthetic_make(&spaces[3], 6, few, coupled);
    assert_in_range(spaces[3].space.count, 300, 1000);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < (TEST_SANITIZED ? 2 : 4); k++) {
            covers(&spaces[i], values[k], 1);
            covers(&spaces[i], values[k], AHEAD_MAX);
        }
    for (size_t i = 0; i < 4; i++)
        synthetic_free(&spaces[i]);
}

TEST(test_trials_end_it)
{
    struct synthetic synthetic;
    uint64_t points[200];
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    for (size_t i = 0; search_strategy_name(i); i++) {
        struct search *search = begin(&synthetic, search_strategy_name(i), 123, 3);
        assert_int_equal(replay(search, &synthetic, smooth, 16, points, 200), 123);
        search_free(search);
    }
    synthetic_free(&synthetic);
}

/* A seed gives its points again, in any unit of the values; another seed gives others. */
TEST(test_seed_decides)
{
    enum { COUNT = 150 };
    struct synthetic synthetic;
    uint64_t first[COUNT], second[COUNT], other[COUNT];
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    for (size_t i = 0; search_strategy_name(i); i++) {
        uint64_t *const outs[] = {first, second, other};
        for (uint64_t k = 0; k < 3; k++) {
            struct search *search =
                begin(&synthetic, search_strategy_name(i), COUNT, k < 2 ? 5 : 6);
            assert_int_equal(replay(search, &synthetic, smooth_or_failed, 8, outs[k], COUNT),
                             COUNT);
            search_free(search);
        }
        assert_memory_equal(first, second, sizeof first);
        assert_memory_not_equal(first, other, sizeof first);
    }
    synthetic_free(&synthetic);
}

/* Points with results of earlier runs are not requested, and count among the trials. */
TEST(test_known_points)
{
    static const uint16_t few[] = {3, 3, 3, 3, 4, 4};
    struct synthetic synthetic;
    synthetic_make(&synthetic, 6, few, coupled);
    const size_t count = (size_t)synthetic.space.count;
    uint64_t *points = malloc((count + 1) * sizeof points[0]);
    assert_non_null(points);
    for (size_t i = 0; search_strategy_name(i); i++)
        for (uint64_t trials = 0; trials <= 300; trials += 300) {
            struct search *search = begin(&synthetic, search_strategy_name(i), trials, 9);
            size_t known = 0;
            for (uint64_t point = 0; point < count; point += 3, known++)
                search_tell(search, point, smooth_or_failed(&synthetic, point));
            search_tell(search, 0, 1.0); /* once more: no other trial */
            const size_t left = (trials ? (size_t)trials : count) - known;
            assert_true(known < 300 || trials == 0);
            assert_int_equal(replay(search, &synthetic, smooth_or_failed, 4, points, count + 1),
                             left);
            for (size_t k = 0; k < left; k++)
                assert_true(points[k] % 3 != 0);
            assert_distinct(points, left);
            search_free(search);
        }
    free(points);
    synthetic_free(&synthetic);
}

/* Spaces of 10^15 points, and of the largest size: no point is stored or enumerated ahead. */
TEST(test_huge_spaces)
{
    enum { COUNT = TEST_SANITIZED ? 150 : 600 };
    struct synthetic synthetic;
    uint16_t counts[15];
    uint64_t points[COUNT];
    for (size_t d = 0; d < 15; d++)
        counts[d] = 10;
    synthetic_make(&synthetic, 15, counts, NULL);
    for (int wide = 0; wide < 2; wide++) {
        for (size_t i = 0; search_strategy_name(i); i++) {
            struct search *search = begin(&synthetic, search_strategy_name(i), 0, 21);
            assert_int_equal(replay(search, &synthetic, smooth_or_failed, 64, points, COUNT),
                             COUNT);
            assert_distinct(points, COUNT);
            search_free(search);
        }
        static const uint16_t widest[] = {UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX};
        synthetic_make(&synthetic, 4, widest, NULL);
    }
}

/* Strategies that learn request a moderate batch, and continue after one result of it. */
TEST(test_batch_is_moderate)
{
    struct synthetic synthetic;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    for (size_t i = 0; search_strategy_name(i); i++) {
        const char *name = search_strategy_name(i);
        const bool learns = strcmp(name, "exhaustive") != 0 && strcmp(name, "random") != 0;
        struct search *search = begin(&synthetic, name, 1000, 2);
        uint64_t points[AHEAD_MAX];
        size_t count = 0;
        while (count < AHEAD_MAX && search_ask(search, &points[count]))
            count++;
        if (learns)
            assert_in_range(count, 4, 32);
        else
            assert_int_equal(count, AHEAD_MAX);
        for (size_t k = 0; k < count; k++)
            search_tell(search, points[k], smooth(&synthetic, points[k]));
        assert_true(search_ask(search, &points[0]));
        search_free(search);
    }
    synthetic_free(&synthetic);
}

/* More points are pending if workers would otherwise be idle. */
TEST(test_hurry)
{
    struct synthetic synthetic;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    struct search *search = begin(&synthetic, "surrogate", 1000, 2);
    uint64_t points[AHEAD_MAX];
    size_t count = 0, most = 0;
    while (count < AHEAD_MAX && search_ask(search, &points[count]))
        count++;
    for (size_t k = 0; k < count; k++)
        search_tell(search, points[k], smooth(&synthetic, points[k]));
    for (most = 0; most < AHEAD_MAX && search_ask(search, &points[most]);)
        most++;
    search_hurry(search, true);
    size_t more = most;
    while (more < AHEAD_MAX && search_ask(search, &points[more]))
        more++;
    assert_true(most < 16 && more == 32);
    search_hurry(search, false);
    assert_false(search_ask(search, &points[0]));
    search_free(search);
    synthetic_free(&synthetic);
}

/* Counts the points requested before any result. */
static size_t asked_at_first(struct synthetic *synthetic, uint64_t trials, bool hurries)
{
    struct search *search = begin(synthetic, "surrogate", trials, 2);
    uint64_t point = 0;
    size_t count = 0;
    search_hurry(search, hurries);
    while (count < AHEAD_MAX && search_ask(search, &point))
        count++;
    search_free(search);
    return count;
}

/* Before anything is told all compilers have something to do, too; of few trials not for long. */
TEST(test_hurry_at_first)
{
    struct synthetic synthetic;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    const size_t unhurried = asked_at_first(&synthetic, 1500, false);
    assert_true(unhurried < 10);
    assert_int_equal(asked_at_first(&synthetic, 1500, true), 1500 / 64);
    assert_int_equal(asked_at_first(&synthetic, 64, true), unhurried);
    synthetic_free(&synthetic);
}

static const char *automatic(const struct synthetic *synthetic, uint64_t trials)
{
    struct search *search = begin(synthetic, "auto", trials, 1);
    const char *name = search_strategy(search);
    search_free(search);
    return name;
}

TEST(test_auto)
{
    struct synthetic small, large;
    static const uint16_t counts[] = {30, 30, 30};
    synthetic_make(&small, 5, coupled_counts, NULL);
    assert_true(small.space.count <= SEARCH_ALL_MAX);
    synthetic_make(&large, 3, counts, NULL);
    assert_string_equal(automatic(&small, 0), "exhaustive");
    assert_string_equal(automatic(&small, small.space.count), "exhaustive");
    assert_string_equal(automatic(&large, large.space.count), "exhaustive");
    assert_string_equal(automatic(&small, small.space.count / 10), "surrogate");
    assert_string_equal(automatic(&large, 0), "surrogate");
    assert_string_equal(automatic(&large, 8), "surrogate");
    synthetic_free(&small);
}

/* The search ends when the last few results brought no gain over half a percent, but not before a
 * minimum of trials; it continues while gains come, or if hardly any other point is as good as the
 * best. */
TEST(test_ends_when_settled)
{
    struct synthetic synthetic;
    static const uint16_t counts[] = {30, 30};
    synthetic_make(&synthetic, 2, counts, NULL);
    struct search *search = begin(&synthetic, "random", 500, 1);
    search_end_when_settled(search, 40, 20);
    uint64_t point = 0;
    int asked = 0;
    while (search_ask(search, &point)) {
        asked++;
        search_tell(search, point, asked < 30 ? 91.5 : asked == 30 ? 90 : 89.9);
    }
    assert_int_equal(asked, 50);
    search_free(search);
    search = begin(&synthetic, "random", 500, 1);
    search_end_when_settled(search, 40, 20);
    for (asked = 0; search_ask(search, &point); asked++)
        search_tell(search, point, asked < 24 ? 90 : (double)NAN);
    assert_int_equal(asked, 40);
    search_free(search);
    search = begin(&synthetic, "random", 500, 1);
    search_end_when_settled(search, 40, 20);
    for (asked = 0; search_ask(search, &point); asked++)
        search_tell(search, point, asked < 23 ? 90 : asked == 23 ? 92 : (double)NAN);
    assert_int_equal(asked, 500);
    search_free(search);
}

TEST(test_unknown_strategy)
{
    struct synthetic synthetic;
    struct search *search = NULL;
    struct error error;
    const struct search_options options = {.strategy = "surogate"};
    synthetic_make(&synthetic, 6, coupled_counts, NULL);
    assert_int_equal(search_create(&options, &synthetic.space, &search, &error), STATUS_USAGE);
    assert_non_null(strstr(error.text, "did you mean 'surrogate'"));
    for (size_t i = 0; search_strategy_name(i); i++)
        assert_true(strlen(search_strategy_about(i)) > 0);
    assert_null(search_strategy_about(100));
}

TEST_MAIN(NULL, NULL)
