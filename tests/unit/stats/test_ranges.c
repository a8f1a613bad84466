#include <math.h>
#include <stdbool.h>

#include "simulation.h"
#include "tests/unit/suite.h"
#include "tuner/stats/ranges.h"

enum { SIZES_MAX = 8, CONFIGURATIONS_MAX = 5 };

static const size_t in_order[] = {0, 1, 2, 3, 4};

TEST(one_configuration_that_loses_little_serves_all)
{
    /* Each size has its own best, but the third configuration is good enough everywhere. */
    static const double loss[] = {0, 0.5, 0.010, 0.5, 0, 0.005, 0.3, 0.3, 0.0};
    struct size_range out[3];
    assert_int_equal(ranges_cover(loss, NULL, 3, 3, in_order, 0.02, 0.0025, out), 1);
    assert_int_equal(out[0].first, 0);
    assert_int_equal(out[0].last, 2);
    assert_int_equal(out[0].configuration, 2);
    assert_true(out[0].worst_loss == 0.010);
    /* Without a tolerance each size has its own configuration. */
    assert_int_equal(ranges_cover(loss, NULL, 3, 3, in_order, 0, 0, out), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(out[i].configuration, i);
        assert_true(out[i].worst_loss == 0 && out[i].first == i && out[i].last == i);
    }
}

TEST(of_equal_cuts_the_one_that_loses_least)
{
    /* 0 is good for the first three, 1 for the last three; the third size belongs to 1. */
    static const double loss[] = {0, 1, 0.001, 1, 0.019, 0, 1, 0.002, 1, 0};
    struct size_range out[5];
    assert_int_equal(ranges_cover(loss, NULL, 5, 2, in_order, 0.02, 0, out), 2);
    assert_int_equal(out[0].last, 1);
    assert_int_equal(out[1].first, 2);
    assert_true(out[0].worst_loss == 0.001 && out[1].worst_loss == 0.002);
}

TEST(of_equal_configurations_the_first_in_order)
{
    static const double loss[] = {0.001, 0, 0.004};
    static const size_t reversed[] = {2, 1, 0};
    struct size_range out[1];
    assert_int_equal(ranges_cover(loss, NULL, 1, 3, in_order, 0.02, 0.0025, out), 1);
    assert_int_equal(out[0].configuration, 0);
    assert_true(out[0].worst_loss == 0.001);
    assert_int_equal(ranges_cover(loss, NULL, 1, 3, reversed, 0.02, 0.0025, out), 1);
    assert_int_equal(out[0].configuration, 1);
}

/* The winner is named, though another is within delta and first in order: for one size, and for
 * several of which it won all or most. */
TEST(of_equal_configurations_the_one_that_won)
{
    static const double loss[] = {0.001, 0, 0.002, 0.001, 0, 0.002, 0.001, 0.001, 0};
    static const size_t winners[] = {1, 1, 2};
    static const size_t nobody[] = {3, 3, 3};
    struct size_range out[3];
    for (size_t sizes = 1; sizes <= 3; sizes++) {
        assert_int_equal(ranges_cover(loss, winners, sizes, 3, in_order, 0.02, 0.0025, out), 1);
        assert_int_equal(out[0].configuration, 1);
        assert_int_equal(ranges_cover(loss, nobody, sizes, 3, in_order, 0.02, 0.0025, out), 1);
        assert_int_equal(out[0].configuration, 0);
    }
    /* Not beyond delta. */
    assert_int_equal(ranges_cover(loss, winners, 3, 3, in_order, 0.02, 0, out), 1);
    assert_true(out[0].worst_loss == 0.001);
}

TEST(a_size_without_any_configuration_is_in_no_range)
{
    const double gone = (double)INFINITY;
    const double loss[] = {gone, gone, 0, 0.5, gone, (double)NAN, 0, 0.1};
    struct size_range out[4];
    assert_int_equal(ranges_cover(loss, NULL, 4, 2, in_order, 0.02, 0, out), 2);
    assert_int_equal(out[0].first, 1);
    assert_int_equal(out[0].last, 1);
    assert_int_equal(out[1].first, 3);
    assert_int_equal(out[1].last, 3);
    assert_int_equal(ranges_cover(loss, NULL, 1, 2, in_order, 0.02, 0, out), 0);
    assert_int_equal(ranges_cover(loss, NULL, 0, 2, in_order, 0.02, 0, out), 0);
    assert_int_equal(ranges_cover(loss, NULL, 2, 0, in_order, 0.02, 0, out), 0);
}

/* If the best of all is not among these, the nearest serves, and its loss is reported. */
TEST(a_size_beyond_the_bound_is_served_by_the_nearest)
{
    static const double loss[] = {0.3, 0.1, 0, 0.5};
    struct size_range out[2];
    assert_int_equal(ranges_cover(loss, NULL, 2, 2, in_order, 0.02, 0, out), 2);
    assert_int_equal(out[0].configuration, 1);
    assert_true(out[0].worst_loss == 0.1);
}

struct cut {
    size_t ranges;
    double loss;
};

static double smallest_worst(const double *loss, size_t first, size_t last, size_t configurations,
                             double within)
{
    double smallest = (double)INFINITY;
    for (size_t c = 0; c < configurations; c++) {
        double worst = 0;
        for (size_t s = first; s <= last; s++)
            worst = fmax(worst, loss[s * configurations + c]);
        if (worst <= within)
            smallest = fmin(smallest, worst);
    }
    return smallest;
}

/* Tries every way to cut, one bit a border. */
static struct cut best_cut(const double *loss, size_t sizes, size_t configurations, double within)
{
    struct cut best = {sizes + 1, (double)INFINITY};
    for (unsigned borders = 0; borders < 1u << (sizes - 1); borders++) {
        struct cut cut = {0, 0};
        size_t first = 0;
        for (size_t s = 0; s < sizes; s++) {
            if (s + 1 < sizes && !(borders >> s & 1))
                continue;
            cut.loss += smallest_worst(loss, first, s, configurations, within);
            cut.ranges++;
            first = s + 1;
        }
        if (isfinite(cut.loss) &&
            (cut.ranges < best.ranges || (cut.ranges == best.ranges && cut.loss < best.loss)))
            best = cut;
    }
    return best;
}

TEST(no_other_cut_is_better)
{
    struct random random = {3, 0};
    for (int round = 0; round < 2000; round++) {
        double loss[SIZES_MAX * CONFIGURATIONS_MAX];
        struct size_range out[SIZES_MAX];
        size_t sizes = 1 + (size_t)random_below(&random, SIZES_MAX);
        size_t count = 1 + (size_t)random_below(&random, CONFIGURATIONS_MAX);
        for (size_t s = 0; s < sizes; s++) {
            for (size_t c = 0; c < count; c++)
                loss[s * count + c] = (double)random_below(&random, 6) * 0.0078125;
            loss[s * count + random_below(&random, count)] = 0;
        }
        struct cut want = best_cut(loss, sizes, count, 0.02);
        size_t ranges = ranges_cover(loss, NULL, sizes, count, in_order, 0.02, 0, out);
        assert_int_equal(ranges, want.ranges);
        double sum = 0;
        for (size_t i = 0; i < ranges; i++) {
            assert_int_equal(out[i].first, i ? out[i - 1].last + 1 : 0);
            assert_true(out[i].worst_loss <= 0.02);
            sum += out[i].worst_loss;
            for (size_t s = out[i].first; s <= out[i].last; s++)
                assert_true(loss[s * count + out[i].configuration] <= out[i].worst_loss);
        }
        assert_int_equal(out[ranges - 1].last, sizes - 1);
        assert_true(sum == want.loss); /* exact: multiples of 1/128 */
    }
}

TEST_MAIN(NULL, NULL)
