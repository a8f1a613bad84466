/* Sorting and median of reals. */
#ifndef TUNE_BASE_REALS_H
#define TUNE_BASE_REALS_H

#include <stddef.h>

/* Sorts in ascending order; no value may be NaN. */
void reals_sort(double *values, size_t count);
/* Returns the median of sorted values (the mean of the middle two for an even number); NaN for
 * none. */
double reals_median(const double *sorted, size_t count);

#endif
