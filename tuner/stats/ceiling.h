/* A device's measured best rates, and a comparison with these. */
#ifndef TUNE_STATS_CEILING_H
#define TUNE_STATS_CEILING_H

#include <stdbool.h>

/* Precision of a ceiling, as a share; no measurement reaches it exactly. Queries that print shares
 * use the same number: none above 102 % is printed. */
#define CEILING_SLACK 0.02

/* Returns whether a rate is clearly above the measured ceiling. False if either is unknown (NaN,
 * 0). */
static inline bool ceiling_is_broken(double rate, double ceiling)
{
    return ceiling > 0 && rate > (1 + CEILING_SLACK) * ceiling;
}

#endif
