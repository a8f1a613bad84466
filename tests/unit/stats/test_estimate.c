#include <math.h>
#include <stdlib.h>

#include "simulation.h"
#include "tests/unit/suite.h"
#include "tuner/stats/estimate.h"

static void assert_near(double got, double want, double allowed)
{
    if (!(fabs(got - want) <= allowed))
        fail_msg("%.12g is not %.12g within %g", got, want, allowed);
}

TEST(normal_quantiles_are_those_of_tables)
{
    assert_near(normal_quantile(0.5), 0, 0);
    assert_near(normal_quantile(0.975), 1.959963984540054, 1e-12);
    assert_near(normal_quantile(0.995), 2.5758293035489, 1e-12);
    assert_near(normal_quantile(0.005), -2.5758293035489, 1e-12);
    assert_near(normal_quantile(1e-10), -6.361340902404056, 1e-9);
    assert_true(isinf(normal_quantile(1)) && normal_quantile(1) > 0);
    assert_true(isinf(normal_quantile(0)) && normal_quantile(0) < 0);
    assert_true(isnan(normal_quantile(1.5)));
}

TEST(student_quantiles_are_those_of_tables)
{
    static const struct {
        double probability;
        size_t degrees;
        double t;
    } rows[] = {{0.995, 1, 63.656741},  {0.995, 2, 9.924843},  {0.995, 3, 5.840909},
                {0.995, 4, 4.604095},   {0.995, 7, 3.499483},  {0.975, 9, 2.262157},
                {0.95, 5, 2.015048},    {0.995, 39, 2.707913}, {0.9995, 4, 8.610302},
                {0.995, 120, 2.617421}, {0.75, 1, 1.0},        {0.5, 4, 0},
                {0.025, 10, -2.228139}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_near(student_quantile(rows[i].probability, rows[i].degrees), rows[i].t, 1e-6);
    assert_near(student_quantile(0.995, 100000), normal_quantile(0.995), 1e-4);
    assert_true(isnan(student_quantile(0.995, 0)));
}

TEST(medians_and_deviations_leave_the_numbers_alone)
{
    double values[] = {5, -1, 3, (double)NAN, 100, 4};
    assert_near(median_of(values, 6), 4, 0);
    assert_near(mad_of(values, 6), 1, 0); /* 0 1 1 5 96 */
    assert_near(values[0], 5, 0);
    assert_near(median_of(values, 2), 2, 0);
    assert_near(median_of(values + 1, 1), -1, 0);
    assert_true(isnan(median_of(values, 0)) && isnan(mad_of(values + 3, 1)));
    double zeros[] = {0.0, -0.0, -1e-300, 1e-300};
    assert_near(median_of(zeros, 4), 0, 0);
}

/* The depression scores of Hollander and Wolfe, example 3.1: R's wilcox.test has V = 40. */
TEST(a_textbook_example_comes_out)
{
    static const double before[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    static const double after[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    double differences[9];
    for (size_t i = 0; i < 9; i++)
        differences[i] = before[i] - after[i];
    /* 96.1 %: the interval of C = 6; exact distribution. */
    struct interval interval = hodges_lehmann(differences, 9, normal_quantile(0.98));
    assert_near(interval.estimate, 0.46, 1e-9);
    assert_near(interval.low, 0.01, 1e-9);
    assert_near(interval.high, 0.786, 1e-9);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts all Walsh averages, the plain way. */
static size_t walsh_averages(const double *values, size_t count, double *out)
{
    size_t averages = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i; j < count; j++)
            out[averages++] = (values[i] + values[j]) / 2;
    }
    qsort(out, averages, sizeof *out, compare);
    return averages;
}

TEST(the_estimate_is_the_median_of_all_walsh_averages)
{
    static double all[128 * 129 / 2];
    struct random random = {1, 0};
    for (size_t count = 1; count <= 128; count = count < 30 ? count + 1 : count + 49) {
        double values[128];
        for (size_t i = 0; i < count; i++) /* with ties */
            values[i] = round(normal(&random) * 20) / 1000;
        size_t averages = walsh_averages(values, count, all);
        struct interval interval = hodges_lehmann(values, count, 2.0);
        double median = (all[(averages - 1) / 2] + all[averages / 2]) / 2;
        assert_near(interval.estimate, median, 1e-15);
        if (count < 30)
            continue;
        double n = (double)count;
        size_t rank = (size_t)(n * (n + 1) / 4 - 2 * sqrt(n * (n + 1) * (2 * n + 1) / 24));
        assert_near(interval.low, all[rank - 1], 1e-15);
        assert_near(interval.high, all[averages - rank], 1e-15);
    }
}

TEST(too_few_numbers_bound_nothing)
{
    double values[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, (double)NAN};
    struct interval interval = hodges_lehmann(values, 8, normal_quantile(0.995));
    assert_near(interval.estimate, 0.4, 1e-15);
    assert_true(isinf(interval.low) && isinf(interval.high) && interval.low < interval.high);
    assert_true(isnan(hodges_lehmann(values, 0, 2).estimate));
    assert_true(isnan(mean_interval(values, 0, 0.99).estimate));
    interval = mean_interval(values, 1, 0.99);
    assert_near(interval.estimate, 0.1, 0);
    assert_true(isnan(interval.low) && isnan(interval.high));
}

/* The first look of a race must be able to show something: 16 differences of one sign are less
 * likely than z = 3.8 requires, which the normal approximation misses. */
TEST(sixteen_rounds_are_enough_for_the_first_look)
{
    double values[16];
    for (size_t i = 0; i < 16; i++)
        values[i] = 0.01 + 0.001 * (double)i;
    struct interval interval = hodges_lehmann(values, 16, 3.8);
    assert_true(interval.low > 0.01 && interval.high < 0.025);
    assert_true(isinf(hodges_lehmann(values, 13, 3.8).low));
}

TEST(a_mean_has_students_interval)
{
    static const double values[] = {1, 2, 3, 4, 5};
    struct interval interval = mean_interval(values, 5, 0.99);
    double half = 4.604095 * sqrt(2.5 / 5);
    assert_near(interval.estimate, 3, 1e-15);
    assert_near(interval.low, 3 - half, 1e-5);
    assert_near(interval.high, 3 + half, 1e-5);
}

TEST(ties_and_zeros_do_not_make_a_difference)
{
    double values[40] = {0};
    struct interval interval = hodges_lehmann(values, 40, 2.6);
    assert_true(interval.low <= 0 && interval.high >= 0);
    for (size_t i = 0; i < 40; i++)
        values[i] = i % 2 ? 0.01 : -0.01;
    interval = hodges_lehmann(values, 40, 2.6);
    assert_near(interval.estimate, 0, 0);
    assert_true(interval.low <= 0 && interval.high >= 0);
    for (size_t i = 0; i < 40; i++)
        values[i] = i < 36 ? 0.01 : -0.01;
    assert_true(hodges_lehmann(values, 40, 3.3).low > 0);
}

TEST(a_twin_tells_what_the_harness_cannot)
{
    struct random random = {7, 0};
    double values[200];
    for (size_t i = 0; i < 200; i++)
        values[i] = 0.004 * normal(&random);
    struct twin_floor even = twin_floor(values, 200, 0.001);
    assert_false(even.biased);
    double half = (log1p(even.difference.high) - log1p(even.difference.low)) / 2;
    assert_near(even.floor, expm1(fmax(half, fabs(log1p(even.difference.estimate)))), 1e-15);
    assert_near(half, 2.576 * 0.004 / sqrt(200.0), 0.0002);
    for (size_t i = 0; i < 200; i++)
        values[i] += 0.003;
    struct twin_floor biased = twin_floor(values, 200, 0.001);
    assert_true(biased.biased);
    assert_near(biased.floor, 0.003, 0.001);
    assert_false(twin_floor(values, 200, 0.01).biased); /* significant, but small */
    /* Over the bias, but perhaps by chance: twenty problems would have one such in most runs. */
    assert_false(twin_floor(values, 200, biased.difference.estimate - half / 2).biased);
    assert_true(isnan(twin_floor(values, 5, 0.001).floor));
}

/* Two processes of a busy machine: a mean of times would have been "at least -7.862 ms". */
TEST(bounds_of_a_time_are_positive)
{
    const double times[] = {1e6, 2.25e6};
    struct interval plain = mean_interval(times, 2, 0.99);
    struct interval time = geometric_interval(times, 2, 0.99);
    assert_true(plain.low < 0);
    assert_near(time.estimate, 1.5e6, 1e-6);
    assert_true(time.low > 0 && time.high > time.estimate);
    assert_near(time.low * time.high, time.estimate * time.estimate, 1);
    assert_false(bounds_are_narrow(time.low, time.high));
    /* Where times lie close together both are the same. */
    const double close[] = {1000, 1001, 1002, 1003};
    struct interval a = mean_interval(close, 4, 0.99);
    struct interval b = geometric_interval(close, 4, 0.99);
    assert_near(a.low, b.low, 0.01);
    assert_near(a.high, b.high, 0.01);
    const double odd[] = {1000, 0, -5, (double)NAN};
    assert_near(geometric_interval(odd, 4, 0.99).estimate, 1000, 1e-9);
    assert_true(isnan(geometric_interval(odd, 4, 0.99).low));
    assert_true(isnan(geometric_interval(odd + 1, 3, 0.99).estimate));
}

TEST(a_share_is_never_below_minus_one)
{
    struct interval wide = interval_relative((struct interval){1.25, -13, 13.4});
    assert_near(wide.estimate, 2.49, 0.001);
    assert_true(wide.low > -1 && wide.low < -0.999 && wide.high > 600000);
    struct interval endless =
        interval_relative((struct interval){0, (double)-INFINITY, (double)INFINITY});
    assert_true(endless.low >= -1 && endless.low <= -1 && isinf(endless.high));
}

TEST(of_a_ratio_no_more_is_told_than_its_bounds_say)
{
    assert_int_equal(ratio_report(1.7, 2.1), RATIO_KNOWN);
    assert_int_equal(ratio_report(0.9, 1.1), RATIO_KNOWN);
    assert_int_equal(ratio_report((double)NAN, (double)NAN), RATIO_KNOWN); /* two medians */
    assert_int_equal(ratio_report(0.000001, 639127), RATIO_UNKNOWN);
    assert_int_equal(ratio_report((double)NAN, 639127), RATIO_UNKNOWN);
    assert_int_equal(ratio_report(0.5, (double)NAN), RATIO_UNKNOWN);
    assert_int_equal(ratio_report(2.9, 20), RATIO_AT_LEAST);
    assert_int_equal(ratio_report(2.9, (double)NAN), RATIO_AT_LEAST);
}

TEST(accidents_are_left_out_but_groups_are_not)
{
    double two[] = {0, 0, 0, 0, 0, 0, 0.01, 0.01, 0.01, 0.01};
    assert_near(core_mean(two, 10), 0.004, 1e-15);
    assert_near(median_of(two, 10), 0, 0);
    two[9] = 1.1; /* three times as long */
    two[0] = (double)NAN;
    assert_near(core_mean(two, 10), 0.03 / 8, 1e-15);
    double wide[] = {-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3, 5};
    assert_near(core_reach(wide, 7), 5.2 * 0.2, 1e-12);
    assert_near(core_mean(wide, 8), 0, 1e-12);
    assert_true(isnan(core_mean(wide, 0)));
}

TEST(bounds_that_say_nothing_are_known)
{
    assert_true(bounds_are_narrow(1, 1) && bounds_are_narrow(1, 4) && bounds_are_narrow(0.5, 2));
    assert_false(bounds_are_narrow(1, 4.001));
    assert_false(bounds_are_narrow(0, 1) || bounds_are_narrow(-7.862e6, 9e6));
    assert_false(bounds_are_narrow(2, 1) || bounds_are_narrow(1e-6, 639127));
    assert_false(bounds_are_narrow((double)NAN, 1) || bounds_are_narrow(1, (double)NAN));
    assert_false(bounds_are_narrow(1, (double)INFINITY));
    assert_false(bounds_are_narrow((double)INFINITY, (double)INFINITY));
}

TEST_MAIN(NULL, NULL)
