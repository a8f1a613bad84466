/* A regression forest over value indices: extremely randomised trees (Geurts, Ernst, Wehenkel
 * 2006). The room's own. */
#ifndef TUNE_SEARCH_FOREST_H
#define TUNE_SEARCH_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct forest;

struct forest_data {
    size_t dimensions;
    size_t count;           /* at least 1 */
    const uint16_t *values; /* count rows of `dimensions` indices */
    const double *targets;  /* one per row */
    const bool *failed;     /* one per row */
};
struct forest_prediction {
    double mean;
    double variance; /* between the trees and within their leaves */
    double feasible; /* share of neighbours in the trees that did not fail */
};

/* The same data and seed give the same forest. NULL when memory is short. */
struct forest *forest_fit(const struct forest_data *data, uint64_t seed);
void forest_predict(const struct forest *forest, const uint16_t *values,
                    struct forest_prediction *out);
void forest_free(struct forest *forest);

#endif
