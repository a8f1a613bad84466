#include <math.h>

#include "tests/unit/suite.h"
#include "tuner/base/random.h"
#include "tuner/stats/summary.h"

TEST(odd_and_even_medians)
{
    double odd[] = {5, 1, 9};
    struct summary summary = summarize(odd, 3);
    assert_true(summary.median == 5 && summary.mad == 4);
    assert_true(summary.minimum == 1 && summary.maximum == 9);
    double even[] = {4, 1, 3, 2};
    summary = summarize(even, 4);
    assert_true(summary.median == 2.5 && summary.mad == 1.0);
    assert_int_equal(summary.count, 4);
}

TEST(nothing_measured_is_no_number)
{
    struct summary summary = summarize(NULL, 0);
    assert_true(isnan(summary.median) && isnan(summary.mad) && isnan(summary.minimum));
}

TEST(outliers_do_not_move_the_median)
{
    double values[101];
    struct random random = {.seed = 7};
    for (int i = 0; i < 101; i++)
        values[i] = 100.0 + (double)random_below(&random, 1000) * 1e-3;
    for (int i = 0; i < 40; i++)
        values[i] = 1e9;
    struct summary summary = summarize(values, 101);
    assert_true(summary.median >= 100.0 && summary.median <= 101.0);
}

TEST(blocks_are_long_enough)
{
    assert_int_equal(block_runs(1000.0, 32.0, 100000.0, 512), 100);
    assert_int_equal(block_runs(999.0, 32.0, 100000.0, 512), 101);
    /* A coarse timer asks for more: 2 us / (sqrt(6) * 0.001) = 816.5 us. */
    assert_int_equal(block_runs(10000.0, 2000.0, 100000.0, 512), 82);
    assert_int_equal(block_runs(10.0, 32.0, 100000.0, 512), 512);
    assert_int_equal(block_runs(1e9, 32.0, 100000.0, 512), 1);
    assert_int_equal(block_runs(0.0, 32.0, 100000.0, 512), 512);
    assert_int_equal(block_runs((double)NAN, 32.0, 100000.0, 7), 7);
    assert_int_equal(block_runs(1000.0, 32.0, 100000.0, 0), 1);
}

TEST_MAIN(NULL, NULL)
