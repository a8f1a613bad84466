/* Reals in order. */
#ifndef TUNE_BASE_REALS_H
#define TUNE_BASE_REALS_H

#include <stddef.h>

/* Ascending; none may be NaN. */
void reals_sort(double *values, size_t count);
/* Of sorted values; of an even number of them the mean of the two in the middle. NaN for none. */
double reals_median(const double *sorted, size_t count);

#endif
