/* The functions of a strategy. */
#ifndef TUNE_SEARCH_STRATEGY_H
#define TUNE_SEARCH_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/search/trail.h"

struct strategy {
    const char *name;
    const char *about;
    /* requests depend on results, so that pending points are limited */
    bool learns;
    /* each point is equally likely: winners of elsewhere are not tried */
    bool is_uniform;
    /* Creates the state; the search's `trail` outlives it. Returns NULL without memory. NULL: the
     * trail is the state. */
    void *(*create)(struct trail *trail);
    /* Gets a point without a record in the trail; false: none for now. Must not return false while
     * no result is pending and a point is left. */
    bool (*ask)(void *state, uint64_t *point);
    /* Takes a record with a new result; NULL: the strategy reads the trail instead. */
    void (*tell)(void *state, const struct trail_record *record);
    /* Serves search_chance_of_better; NULL: no model. */
    double (*chance_of_better)(void *state, double share);
    /* Serves search_was_misled; NULL: never. */
    bool (*was_misled)(const void *state);
    void (*free)(void *state); /* NULL: the state is the trail */
};

extern const struct strategy strategy_exhaustive;
extern const struct strategy strategy_random;
extern const struct strategy strategy_local;
extern const struct strategy strategy_surrogate;

#endif
