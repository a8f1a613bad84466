/* Arrays that grow; sorting and median of reals. */
#ifndef TUNE_BASE_ARRAY_H
#define TUNE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Number of elements of an array whose size is known here. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Makes room for one item behind `count` items, by doubling. `items` is the address of the pointer
 * to the items (from malloc, NULL at first), `bytes` the size of an item. Returns false when memory
 * is short; the array is then unchanged. */
#define array_grow(items, count, capacity, bytes) array_grow_by(items, count, 1, capacity, bytes)
/* Makes room for `more` items. */
bool array_grow_by(void *items, size_t count, size_t more, size_t *capacity, size_t bytes);

/* Sorts in ascending order; no value may be NaN. */
void reals_sort(double *values, size_t count);
/* Returns the median of sorted values (the mean of the middle two for an even number); NaN for
 * none. */
double reals_median(const double *sorted, size_t count);

#endif
