#include "tuner/stats/estimate.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"

/* Largest count with an exact distribution of the signed-rank sum; beyond, the normal one is used.
 */
enum { EXACT_MAX = 25, EXACT_SUM_MAX = EXACT_MAX * (EXACT_MAX + 1) / 2 };

/* ---- order statistics ---- */

/* Converts doubles to integers of the same order, so that bisection of an interval ends at a
 * double. */
static uint64_t key_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double key_value(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- medians ---- */

double median_of(const double *values, size_t count)
{
    double few[2 * ESTIMATE_MAX];
    double *sorted = count <= COUNT(few) ? few : malloc(count * sizeof *sorted);
    size_t kept = 0;
    for (size_t i = 0; sorted && i < count; i++)
        if (isfinite(values[i]))
            sorted[kept++] = values[i];
    if (sorted)
        reals_sort(sorted, kept);
    double upper = kept > 0 ? sorted[kept / 2] : (double)NAN;
    double lower = kept > 0 ? sorted[(kept - 1) / 2] : (double)NAN;
    if (sorted != few)
        free(sorted);
    return lower + (upper - lower) / 2;
}

double mad_of(const double *values, size_t count)
{
    double few[2 * ESTIMATE_MAX];
    double *distances = count <= COUNT(few) ? few : malloc(count * sizeof *distances);
    const double centre = median_of(values, count);
    for (size_t i = 0; distances && i < count; i++)
        distances[i] = fabs(values[i] - centre);
    double mad = distances ? median_of(distances, count) : (double)NAN;
    if (distances != few)
        free(distances);
    return mad;
}

double core_reach(const double *values, size_t count)
{
    static const double mads = 5.2;
    static const double least = 0.05;
    return fmax(least, mads * mad_of(values, count));
}

double core_mean(const double *values, size_t count)
{
    const double median = median_of(values, count);
    const double reach = core_reach(values, count);
    double sum = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(values[i] - median) <= reach))
            continue;
        sum += values[i];
        kept++;
    }
    return kept > 0 ? sum / (double)kept : (double)NAN;
}

/* ---- signed ranks ---- */

/* Returns the rank, from 1, of the Walsh average whose distance from either end bounds the centre
 * at z; 0 if there are too few differences for z. */
static size_t walsh_rank(size_t count, double z)
{
    double n = (double)count;
    if (isinf(z))
        return 0;
    if (count > EXACT_MAX) {
        double rank = n * (n + 1) / 4 - z * sqrt(n * (n + 1) * (2 * n + 1) / 24);
        return rank < 1 ? 0 : (size_t)rank;
    }
    double chances[EXACT_SUM_MAX + 1];
    double allowed = erfc(z / sqrt(2.0)) / 2;
    double sum = 0;
    size_t rank = 0;
    /* The chances of each signed-rank sum among `count` differences. */
    size_t most = 0;
    memset(chances, 0, sizeof chances);
    chances[0] = 1;
    for (size_t j = 1; j <= count; j++) {
        most += j;
        for (size_t k = most + 1; k-- > 0;)
            chances[k] = (chances[k] + (k >= j ? chances[k - j] : 0)) / 2;
    }
    while (rank < count * (count + 1) / 4 && sum + chances[rank] <= allowed)
        sum += chances[rank++];
    return rank;
}

struct walsh {
    const double *sorted;
    size_t count;
};

/* Counts the sums of two of the numbers, each also with itself, that do not exceed `bound`. */
static size_t walsh_at_most(const struct walsh *walsh, double bound)
{
    size_t count = 0;
    size_t end = walsh->count; /* sorted[i] + sorted[j] <= bound for j < end; falls as i rises */
    for (size_t i = 0; i < walsh->count; i++) {
        while (end > 0 && walsh->sorted[i] + walsh->sorted[end - 1] > bound)
            end--;
        if (end <= i)
            break;
        count += end - i;
    }
    return count;
}

static double walsh_average(const struct walsh *walsh, size_t rank)
{
    /* The smallest number that at least `rank` of the sums do not exceed. */
    uint64_t below = key_of(2 * walsh->sorted[0]);
    uint64_t above = key_of(2 * walsh->sorted[walsh->count - 1]);
    while (below < above) {
        uint64_t middle = below + (above - below) / 2;
        if (walsh_at_most(walsh, key_value(middle)) >= rank)
            above = middle;
        else
            below = middle + 1;
    }
    return key_value(below) / 2;
}

struct interval hodges_lehmann(const double *differences, size_t count, double z)
{
    double sorted[ESTIMATE_MAX];
    struct walsh walsh = {sorted, 0};
    for (size_t i = 0; i < count && walsh.count < ESTIMATE_MAX; i++)
        if (isfinite(differences[i]))
            sorted[walsh.count++] = differences[i];
    if (walsh.count == 0)
        return (struct interval){(double)NAN, (double)NAN, (double)NAN};
    reals_sort(sorted, walsh.count);
    size_t averages = walsh.count * (walsh.count + 1) / 2;
    size_t rank = walsh_rank(walsh.count, z);
    double upper = walsh_average(&walsh, averages / 2 + 1);
    double lower = averages % 2 ? upper : walsh_average(&walsh, averages / 2);
    struct interval result = {lower + (upper - lower) / 2, (double)-INFINITY, (double)INFINITY};
    if (rank > 0) {
        result.low = walsh_average(&walsh, rank);
        result.high = walsh_average(&walsh, averages + 1 - rank);
    }
    return result;
}

/* ---- quantiles ---- */

/* Finds the t >= 0 above which `tail` leaves at most `chance` (< 1/2), by bisection. */
static double tail_quantile(double (*tail)(double t, size_t degrees), size_t degrees, double chance)
{
    double low = 0;
    double high = 1;
    while (tail(high, degrees) > chance && high < 1e300)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
        double middle = low + (high - low) / 2;
        if (tail(middle, degrees) > chance)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

static double quantile(double (*tail)(double t, size_t degrees), size_t degrees, double probability)
{
    if (!(probability >= 0 && probability <= 1))
        return (double)NAN;
    if (probability <= 0 || probability >= 1)
        return probability <= 0 ? (double)-INFINITY : (double)INFINITY;
    if (probability < 0.5)
        return -tail_quantile(tail, degrees, probability);
    return probability > 0.5 ? tail_quantile(tail, degrees, 1 - probability) : 0;
}

static double normal_tail(double t, size_t degrees)
{
    (void)degrees;
    return erfc(t / sqrt(2.0)) / 2;
}

/* Computes Abramowitz and Stegun 26.7.3 and 26.7.4: a finite sum for whole degrees. */
static double student_tail(double t, size_t degrees)
{
    double n = (double)degrees;
    double cosine_squared = n / (n + t * t);
    double term = degrees % 2 ? sqrt(cosine_squared) : 1;
    double sum = 0;
    for (size_t k = degrees % 2 ? 1 : 0; k + 2 <= degrees; k += 2) {
        sum += term;
        term *= cosine_squared * (double)(k + 1) / (double)(k + 2);
    }
    double inside = t / sqrt(n + t * t) * sum;
    if (degrees % 2)
        inside = (atan2(t, sqrt(n)) + inside) * 2 / acos(-1.0);
    return (1 - inside) / 2;
}

double normal_quantile(double probability)
{
    return quantile(normal_tail, 0, probability);
}

double student_quantile(double probability, size_t degrees)
{
    return degrees > 0 ? quantile(student_tail, degrees, probability) : (double)NAN;
}

/* ---- means ---- */

struct interval mean_interval(const double *values, size_t count, double confidence)
{
    struct interval result = {(double)NAN, (double)NAN, (double)NAN};
    double mean = 0;
    double squares = 0; /* sum of squared deviations; Welford's way */
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            continue;
        double off = values[i] - mean;
        mean += off / (double)++n;
        squares += off * (values[i] - mean);
    }
    if (n == 0)
        return result;
    result.estimate = mean;
    if (n < 2)
        return result;
    double error = sqrt(squares / (double)(n - 1) / (double)n);
    double half = student_quantile(0.5 + confidence / 2, n - 1) * error;
    result.low = mean - half;
    result.high = mean + half;
    return result;
}

struct interval geometric_interval(const double *values, size_t count, double confidence)
{
    double logarithms[ESTIMATE_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < ESTIMATE_MAX; i++)
        if (values[i] > 0)
            logarithms[kept++] = log(values[i]);
    struct interval mean = mean_interval(logarithms, kept, confidence);
    return (struct interval){exp(mean.estimate), exp(mean.low), exp(mean.high)};
}

struct interval interval_relative(struct interval logarithms)
{
    return (struct interval){expm1(logarithms.estimate), expm1(logarithms.low),
                             expm1(logarithms.high)};
}

bool bounds_are_narrow(double low, double high)
{
    return low > 0 && high >= low && isfinite(high) && high <= BOUNDS_APART_MAX * low;
}

enum ratio_report ratio_report(double low, double high)
{
    if ((isnan(low) && isnan(high)) || bounds_are_narrow(low, high))
        return RATIO_KNOWN;
    return low > 1 ? RATIO_AT_LEAST : RATIO_UNKNOWN;
}

struct twin_floor twin_floor(const double *differences, size_t count, double bias)
{
    struct interval difference = hodges_lehmann(differences, count, normal_quantile(0.995));
    struct twin_floor result = {interval_relative(difference), (double)NAN, false};
    if (!isfinite(difference.low) || !isfinite(difference.high))
        return result;
    result.floor = expm1(fmax(fabs(difference.estimate), (difference.high - difference.low) / 2));
    result.biased = result.difference.low > bias || result.difference.high < -bias;
    return result;
}
