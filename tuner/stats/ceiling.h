/* What a device does at best, as it was measured, and what is held against it. */
#ifndef TUNE_STATS_CEILING_H
#define TUNE_STATS_CEILING_H

#include <stdbool.h>

/* A ceiling is measured to about this share, and no measurement is quite at it. Queries that tell
 * shares have the same number: none above 102 % is told. */
#define CEILING_SLACK 0.02

/* Whether something is clearly faster than what was measured to be the most. False where the one or
 * the other is not known (NaN, 0). */
static inline bool ceiling_is_broken(double rate, double ceiling)
{
    return ceiling > 0 && rate > (1 + CEILING_SLACK) * ceiling;
}

#endif
