/* Spaces and landscapes made up for the tests of search. */
#ifndef TUNE_TESTS_SEARCH_SYNTHETIC_H
#define TUNE_TESTS_SEARCH_SYNTHETIC_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/base/random.h"
#include "tuner/search/search.h"

/* A product of value lists, numbered as digits, or with points left out by a constraint, which are
 * listed. */
struct synthetic {
    struct search_space space;
    uint16_t counts[SEARCH_DIMENSIONS_MAX];
    uint64_t *legal; /* product numbers of the points, ascending; NULL: all */
    bool (*admits)(const uint16_t *values);
};

static inline void digits(const struct synthetic *synthetic, uint64_t number, uint16_t *values)
{
    for (size_t d = synthetic->space.dimensions; d-- > 0;) {
        values[d] = (uint16_t)(number % synthetic->counts[d]);
        number /= synthetic->counts[d];
    }
}

static inline void synthetic_values(const void *context, uint64_t point, uint16_t *values)
{
    const struct synthetic *synthetic = context;
    assert_true(point < synthetic->space.count);
    digits(synthetic, synthetic->legal ? synthetic->legal[point] : point, values);
}

static inline bool synthetic_find(const void *context, const uint16_t *values, uint64_t *point)
{
    const struct synthetic *synthetic = context;
    uint64_t number = 0;
    for (size_t d = 0; d < synthetic->space.dimensions; d++) {
        assert_true(values[d] < synthetic->counts[d]);
        number = number * synthetic->counts[d] + values[d];
    }
    *point = number;
    if (!synthetic->legal)
        return true;
    uint64_t low = 0;
    uint64_t high = synthetic->space.count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (synthetic->legal[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    *point = low;
    return low < synthetic->space.count && synthetic->legal[low] == number;
}

static inline void synthetic_make(struct synthetic *synthetic, size_t dimensions,
                                  const uint16_t *counts, bool (*admits)(const uint16_t *values))
{
    uint64_t product = 1;
    *synthetic = (struct synthetic){.admits = admits};
    for (size_t d = 0; d < dimensions; d++) {
        synthetic->counts[d] = counts[d];
        product *= counts[d];
    }
    synthetic->space = (struct search_space){
        .context = synthetic,
        .count = product,
        .dimensions = dimensions,
        .value_counts = synthetic->counts,
        .values = synthetic_values,
        .find = synthetic_find,
    };
    if (!admits)
        return;
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    synthetic->legal = malloc((size_t)product * sizeof synthetic->legal[0]);
    assert_non_null(synthetic->legal);
    synthetic->space.count = 0;
    for (uint64_t number = 0; number < product; number++) {
        digits(synthetic, number, values);
        if (admits(values))
            synthetic->legal[synthetic->space.count++] = number;
    }
}

static inline void synthetic_free(struct synthetic *synthetic)
{
    free(synthetic->legal);
}

static inline struct search *begin(const struct synthetic *synthetic, const char *strategy,
                                   uint64_t trials, uint64_t seed)
{
    struct search *search = NULL;
    struct error error;
    const struct search_options options = {.strategy = strategy, .trials = trials, .seed = seed};
    assert_int_equal(search_create(&options, &synthetic->space, &search, &error), STATUS_OK);
    return search;
}

/* Couples parameters as in a tiled kernel: a tile is a multiple of the work per thread, and threads
 * are not too many. */
static inline bool coupled(const uint16_t *v)
{
    return v[0] >= v[2] && v[1] >= v[3] && v[0] + v[1] - v[2] - v[3] <= 6 && v[4] + v[5] <= 6;
}
static const uint16_t coupled_counts[7] = {5, 5, 4, 3, 4, 4, 6};

/* Returns the time at a point of a smooth landscape with one optimum and interactions, about as in
 * a kernel; `shift` moves it. */
static inline double landscape(const struct synthetic *synthetic, uint64_t point, uint64_t shift)
{
    uint16_t v[SEARCH_DIMENSIONS_MAX];
    synthetic_values(synthetic, point, v);
    double sum = 0;
    for (size_t d = 0; d < synthetic->space.dimensions; d++) {
        const double best =
            (double)(random_at(shift, d) % 1000) / 1000.0 * (synthetic->counts[d] - 1);
        const double off = (v[d] - best) / synthetic->counts[d];
        const double before =
            d == 0 ? 0 : ((double)v[d - 1] / synthetic->counts[d - 1] - 0.5) * 0.5;
        sum += (off + before * off) * (off + before * off) * (double)(1 + d % 3);
    }
    return 1e5 * exp(sum);
}

#endif
