/* Points as vectors whose distance measures similarity, for models of times. Used by this room
 * only. */
#ifndef TUNE_SEARCH_FEATURES_H
#define TUNE_SEARCH_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/search/search.h"

enum { FEATURES_MAX = 2 * SEARCH_DIMENSIONS_MAX };

/* A parameter with more than one value has one feature: the place of its value in the list. If some
 * of its numbers are no powers of two, it has a second: the logarithm of the value's odd part. GPU
 * units (warps, banks, cache lines, problems) are mostly powers of two, so that 96 resembles 48
 * more than 128. All features are from 0 to 1. */
struct features {
    size_t count;
    size_t dimensions[FEATURES_MAX];
    float *tables[FEATURES_MAX]; /* feature of each value, by index */
    bool is_odd_part[FEATURES_MAX];
};

/* Makes the features. Returns false without memory; the caller frees the result either way. */
bool features_create(struct features *features, const struct search_space *space);
void features_of_values(const struct features *features, const uint16_t *values,
                        float vector[FEATURES_MAX]);
void features_of_point(const struct features *features, const struct search_space *space,
                       uint64_t point, float vector[FEATURES_MAX]);

#endif
