#include "tuner/base/array.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 32 };

bool array_grow_by(void *items, size_t count, size_t more, size_t *capacity, size_t bytes)
{
    if (more <= *capacity - count)
        return true;
    if (more > SIZE_MAX / 2 / bytes - count - FIRST_CAPACITY)
        return false;
    const size_t wanted =
        count == 0 && more <= FIRST_CAPACITY ? FIRST_CAPACITY : 2 * (count + more);
    void *array = NULL; /* a pointer to items of any type has this size */
    memcpy(&array, items, sizeof array);
    void *larger = realloc(array, wanted * bytes);
    if (!larger)
        return false;
    memcpy(items, &larger, sizeof larger);
    *capacity = wanted;
    /* cppcheck-suppress memleak ; the caller's pointer has it */
    return true;
}

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
