/* A problem of a tune database whose configurations were measured, as a space to search in. */
#ifndef TUNE_BENCH_STRATEGIES_RECORDED_H
#define TUNE_BENCH_STRATEGIES_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/search/search.h"
#include "tuner/store/store.h"

/* Which sweep of which problem. Texts belong to the arena of the caller. */
struct recorded_problem {
    int64_t problem_id;
    int64_t environment_id;
    const char *l2_mode;
    const char *key;
    int64_t n;
    int64_t points; /* that were measured or failed */
};
/* The problems with the most points, at most `most`. `key` and `n` narrow it down; NULL: any. */
enum status recorded_list(struct store *store, struct arena *arena, const char *key, const char *n,
                          size_t most, struct recorded_problem *out, size_t *count,
                          struct error *error);

/* The points that there are rows of are the space; a value's index is its place among the
 * parameter's distinct values, numbers first, ascending. Point i has the time times[i]; NaN: it
 * failed. One that launches the same as another has the other's time. */
struct recorded {
    struct search_space space; /* its context is this */
    uint16_t value_counts[SEARCH_DIMENSIONS_MAX];
    uint16_t *values; /* rows of `dimensions`, sorted */
    double *times;    /* ns */
    double best;
    size_t failed;
};
/* STATUS_BAD_INPUT when nothing succeeded or there are too many parameters. Freed with the arena;
 * not to be moved. */
enum status recorded_read(struct store *store, const struct recorded_problem *problem,
                          struct arena *arena, struct recorded *out, struct error *error);

#endif
