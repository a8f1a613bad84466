/* What a strategy gives. */
#ifndef TUNE_SEARCH_STRATEGY_H
#define TUNE_SEARCH_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strategy {
    const char *name;
    const char *about;
    /* NULL when memory is short. */
    void *(*create)(size_t count, uint64_t seed);
    bool (*ask)(void *state, size_t *point);
    void (*tell)(void *state, size_t point, double elapsed_ns);
    void (*free)(void *state);
};

extern const struct strategy strategy_exhaustive;

#endif
