/* Shared by the files of this room. */
#ifndef TUNE_TRIAL_INTERNAL_H
#define TUNE_TRIAL_INTERNAL_H

#include <stddef.h>

/* `count` numbers, wherever they lie. Those that are not finite count as missing. */
struct numbers {
    double (*at)(const void *context, size_t index);
    const void *context;
    size_t count;
};

/* Without memory of its own, so that there is no limit and nothing to fail. NaN for none. */
double numbers_median(const struct numbers *numbers);
double numbers_mad(const struct numbers *numbers);

#endif
