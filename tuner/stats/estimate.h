/* Estimates with intervals, of plain numbers. */
#ifndef TUNE_STATS_ESTIMATE_H
#define TUNE_STATS_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* NaN if there are too few numbers. Numbers that are not finite count as missing, here and in all
 * functions below. */
struct interval {
    double estimate, low, high;
};

enum { ESTIMATE_MAX = 512 }; /* largest number of values */

/* Computes the Hodges-Lehmann estimate of the centre of symmetric differences, the median of their
 * Walsh averages, with the interval of the signed-rank test at the normal quantile z (Hollander,
 * Wolfe: Nonparametric Statistical Methods); up to 25 differences that test is exact. With too few
 * numbers for z the interval is infinite; z may be INFINITY for the estimate alone. */
struct interval hodges_lehmann(const double *differences, size_t count, double z);
/* Returns the mean with Student's interval at `confidence` (0.99). */
struct interval mean_interval(const double *values, size_t count, double confidence);
/* Returns the geometric mean of positive numbers with an interval, whose bounds are positive, too.
 * Values of 0 and below count as missing. */
struct interval geometric_interval(const double *values, size_t count, double confidence);
/* Converts a difference of logarithms to a share: 0.01 is one percent more. No bound is below -1.
 */
struct interval interval_relative(struct interval logarithms);
/* Returns whether the bounds of a positive value, a time or a ratio, are narrow enough to be
 * reported: the upper one is at most BOUNDS_APART_MAX times the lower one, a factor of two to each
 * side. Others, and impossible ones, are reported as "unknown". */
enum { BOUNDS_APART_MAX = 4 };
bool bounds_are_narrow(double low, double high);
/* Reportable parts of a ratio, a gain, by its bounds (NaN: none). */
enum ratio_report {
    RATIO_KNOWN,    /* the ratio with the bounds */
    RATIO_AT_LEAST, /* only the lower bound, which is above 1 */
    RATIO_UNKNOWN   /* none, however large the estimate is */
};
enum ratio_report ratio_report(double low, double high);
double normal_quantile(double probability);
double student_quantile(double probability, size_t degrees);
/* Return the median and the median absolute deviation of the finite values, which stay as they are.
 * NaN for none, or without memory for thousands of values. */
double median_of(const double *values, size_t count);
double mad_of(const double *values, size_t count);

/* Returns the mean of logarithms of times without accidents: values farther than core_reach from
 * the median, which is 5.2 median absolute deviations (the rule X84 of F. R. Hampel, Technometrics
 * 27, 1985, 95-107) and at least 0.05. Unlike a median the mean does not stay with the larger of
 * two groups that lie less than that apart, but averages both. NaN for none. */
double core_mean(const double *values, size_t count);
double core_reach(const double *values, size_t count);

/* The resolution of the harness itself, from the paired differences of a configuration with its
 * twin, in logarithms. floor = max(|estimate|, half of the 99 % interval), as a share; biased: the
 * difference is shown to be over `bias`, the whole interval lies beyond. */
struct twin_floor {
    struct interval difference; /* relative */
    double floor;
    bool biased;
};
struct twin_floor twin_floor(const double *differences, size_t count, double bias);

#endif
