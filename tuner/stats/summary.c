#include "tuner/stats/summary.h"

#include <math.h>

#include "tuner/base/array.h"

struct summary summarize(double *values, size_t count)
{
    struct summary summary = {
        .count = count, .median = NAN, .mad = NAN, .minimum = NAN, .maximum = NAN};
    if (count == 0)
        return summary;
    reals_sort(values, count);
    summary.median = reals_median(values, count);
    summary.minimum = values[0];
    summary.maximum = values[count - 1];
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - summary.median);
    reals_sort(values, count);
    summary.mad = reals_median(values, count);
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
