/* Sum of n elements, plainly. Integers wrap. Reals are added in float64, and what a tolerance is
 * relative to is the sum of |x|. Arguments: 0 in, 4 n. */
#include <math.h>
#include <stddef.h>

#define LANES 16 /* sums that do not wait for one another */

static void sum_integers(const ELEMENT *in, size_t n, struct tune_expected *expected)
{
    unsigned long long lanes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] += (unsigned long long)in[i + lane];
    for (; i < n; i++)
        lanes[0] += (unsigned long long)in[i];
    for (size_t lane = 1; lane < LANES; lane++)
        lanes[0] += lanes[lane];
    expected->integer = (long long)lanes[0];
}

static void sum_reals(const ELEMENT *in, size_t n, struct tune_expected *expected)
{
    double sums[LANES] = {0};
    double magnitudes[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++) {
            sums[lane] += (double)in[i + lane];
            magnitudes[lane] += fabs((double)in[i + lane]);
        }
    for (; i < n; i++) {
        sums[0] += (double)in[i];
        magnitudes[0] += fabs((double)in[i]);
    }
    for (size_t lane = 1; lane < LANES; lane++) {
        sums[0] += sums[lane];
        magnitudes[0] += magnitudes[lane];
    }
    expected->real = sums[0];
    expected->magnitude = magnitudes[0];
}

void reduce_reference(void *const *arguments, struct tune_expected *expected)
{
    const ELEMENT *in = arguments[0];
    const size_t n = (size_t) * (const long long *)arguments[4];
    const int is_real = (ELEMENT)0.5 != 0;

    if (is_real)
        sum_reals(in, n, expected);
    else
        sum_integers(in, n, expected);
}
