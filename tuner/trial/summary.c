#include "tuner/trial/summary.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of_sorted(const double *values, size_t count)
{
    size_t middle = count / 2;
    return count % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct summary summarize(double *values, size_t count)
{
    struct summary summary = {
        .count = count, .median = NAN, .mad = NAN, .minimum = NAN, .maximum = NAN};
    if (count == 0)
        return summary;
    qsort(values, count, sizeof *values, compare_doubles);
    summary.median = median_of_sorted(values, count);
    summary.minimum = values[0];
    summary.maximum = values[count - 1];
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - summary.median);
    qsort(values, count, sizeof *values, compare_doubles);
    summary.mad = median_of_sorted(values, count);
    return summary;
}

uint32_t block_runs(double run_ns, double tick_ns, double block_ns, uint32_t most)
{
    double for_tick_ns = tick_ns / (sqrt(6.0) * 0.001);
    double wanted_ns = block_ns > for_tick_ns ? block_ns : for_tick_ns;
    if (!(run_ns > 0))
        return most > 0 ? most : 1;
    double runs = ceil(wanted_ns / run_ns);
    if (runs >= (double)most)
        return most > 0 ? most : 1;
    return runs < 1 ? 1 : (uint32_t)runs;
}
