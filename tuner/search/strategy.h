/* What a strategy gives. */
#ifndef TUNE_SEARCH_STRATEGY_H
#define TUNE_SEARCH_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/search/trail.h"

struct strategy {
    const char *name;
    const char *about;
    /* Whether what it asks for depends on what it is told: then only a moderate number of points is
     * without a result at a time. */
    bool learns;
    /* Whether each point is as likely as any other: none is tried because it won elsewhere. */
    bool is_uniform;
    /* `trail` is the search's and outlives the state. NULL when memory is short. */
    void *(*create)(struct trail *trail);
    /* A point without a record in the trail; false: none for now. Must not say so while nothing is
     * pending and a point is left. */
    bool (*ask)(void *state, uint64_t *point);
    /* Of a record that was told just now; NULL: it reads the trail when asked. */
    void (*tell)(void *state, const struct trail_record *record);
    /* As search_chance_of_better; NULL: it has no model. */
    double (*chance_of_better)(void *state, double share);
    /* As search_was_misled; NULL: never. */
    bool (*was_misled)(const void *state);
    void (*free)(void *state);
};

extern const struct strategy strategy_exhaustive;
extern const struct strategy strategy_random;
extern const struct strategy strategy_local;
extern const struct strategy strategy_annealing;
extern const struct strategy strategy_genetic;
extern const struct strategy strategy_surrogate;

#endif
