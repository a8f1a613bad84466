/* Estimates with their intervals, of plain numbers. */
#ifndef TUNE_STATS_ESTIMATE_H
#define TUNE_STATS_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

/* NaN where there are too few numbers for it. Numbers that are not finite count as missing, here
 * and in all functions below. */
struct interval {
    double estimate, low, high;
};

enum { ESTIMATE_MAX = 512 }; /* numbers at most */

/* Hodges-Lehmann estimate of the centre of symmetric differences, the median of their Walsh
 * averages, with the interval of the signed-rank test at the normal quantile z (Hollander, Wolfe:
 * Nonparametric Statistical Methods); up to 25 differences that test is exact. With too few numbers
 * for z the interval is infinite; z may be INFINITY for the estimate alone. */
struct interval hodges_lehmann(const double *differences, size_t count, double z);
/* Two-sided p of the signed-rank test (exact up to 25 without ties, else normal with correction).
 */
double signed_rank_p(const double *differences, size_t count);
/* Mean with Student's interval at `confidence` (0.99). */
struct interval mean_interval(const double *values, size_t count, double confidence);
/* The same of positive numbers, of which a mean of the logarithms is taken: the bounds are
 * positive, too. What is not positive counts as missing. */
struct interval geometric_interval(const double *values, size_t count, double confidence);
/* A difference of logarithms as a share: 0.01 is one percent more. No bound is below -1. */
struct interval interval_relative(struct interval logarithms);
/* Whether the bounds of something positive, a time or a ratio, say anything: they do while the
 * upper one is at most BOUNDS_APART_MAX times the lower one, which leaves a factor of two to each
 * side. Wider ones, and such as cannot be, are told as "unknown". */
enum { BOUNDS_APART_MAX = 4 };
bool bounds_are_narrow(double low, double high);
/* What is told of a ratio over something, a gain, by its bounds (NaN: it has none). */
enum ratio_report {
    RATIO_KNOWN,    /* it, with its bounds */
    RATIO_AT_LEAST, /* only that it is above the lower one, which is over 1 */
    RATIO_UNKNOWN   /* nothing, however large the estimate is */
};
enum ratio_report ratio_report(double low, double high);
double normal_quantile(double probability);
double student_quantile(double probability, size_t degrees);
/* Of those that are finite; does not change `values`. NaN for none, or where memory is short for
 * thousands of them. */
double median_of(const double *values, size_t count);
double mad_of(const double *values, size_t count);

/* The mean of logarithms of times, accidents left out: what lies farther than core_reach from the
 * median, which is 5.2 median absolute deviations (the rule X84 of F. R. Hampel, Technometrics 27,
 * 1985, 95-107) and at least 0.05. Unlike a median it does not stay with the larger of two groups
 * that lie less than that apart, but comes to what they are on average. NaN for none. */
double core_mean(const double *values, size_t count);
double core_reach(const double *values, size_t count);

/* What the harness itself cannot tell apart: from the paired differences of a configuration with
 * its twin, in logarithms. floor = max(|estimate|, half of the 99 % interval), as a share; biased:
 * the difference is shown to be over `bias`, the whole interval lies beyond it. */
struct twin_floor {
    struct interval difference; /* relative */
    double floor;
    bool biased;
};
struct twin_floor twin_floor(const double *differences, size_t count, double bias);

#endif
