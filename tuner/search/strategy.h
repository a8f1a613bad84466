/* What a strategy gives. */
#ifndef TUNE_SEARCH_STRATEGY_H
#define TUNE_SEARCH_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/search/search.h"

struct strategy {
    const char *name;
    const char *about;
    /* NULL when memory is short. */
    void *(*create)(const struct search_space *space, const struct search_options *options);
    bool (*ask)(void *state, uint64_t *point);
    void (*tell)(void *state, uint64_t point, double value);
    void (*free)(void *state);
};

extern const struct strategy strategy_exhaustive;

#endif
