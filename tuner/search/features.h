/* Points as vectors in which near means alike, for models of times. The room's own. */
#ifndef TUNE_SEARCH_FEATURES_H
#define TUNE_SEARCH_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/search/search.h"

enum { FEATURES_MAX = 2 * SEARCH_DIMENSIONS_MAX };

/* A parameter of more than one value has a feature: the place of its value in the list. One of
 * whose numbers some are no powers of two has a second: the logarithm of the value's odd part. What
 * a GPU divides by (warps, banks, lines, problems) is mostly a power of two, so that 96 is more
 * like 48 than like 128. All are from 0 to 1. */
struct features {
    size_t count;
    size_t dimensions[FEATURES_MAX];
    float *tables[FEATURES_MAX]; /* by the value's index */
    bool is_odd_part[FEATURES_MAX];
};

/* False when memory is short; what is there is to be freed all the same. */
bool features_create(struct features *features, const struct search_space *space);
void features_free(struct features *features);
void features_of_values(const struct features *features, const uint16_t *values,
                        float vector[FEATURES_MAX]);
void features_of_point(const struct features *features, const struct search_space *space,
                       uint64_t point, float vector[FEATURES_MAX]);

#endif
