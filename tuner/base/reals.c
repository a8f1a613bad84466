#include "tuner/base/reals.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

void reals_sort(double *values, size_t count)
{
    if (count > 0)
        qsort(values, count, sizeof *values, by_size);
}

double reals_median(const double *sorted, size_t count)
{
    const size_t middle = count / 2;
    if (count == 0)
        return (double)NAN;
    return count % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
