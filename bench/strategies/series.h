/* The problems of a database played in a row, as in a run: each search gets the results of those
 * before, and a binary made for one of them is there for all. */
#ifndef TUNE_BENCH_STRATEGIES_SERIES_H
#define TUNE_BENCH_STRATEGIES_SERIES_H

#include "bench/strategies/recorded.h"

struct series {
    struct store *store;
    struct recorded_problem *problems; /* PROBLEMS_MAX at most; sorted by this */
    size_t count;
    const char *prior;   /* a database of another device, told besides; NULL: none */
    const char *winners; /* one whose winners are named, as a run names those that are shipped */
    bool mislead;        /* the prior is reversed: fast points are slow */
    size_t seeds;        /* series of games */
    size_t ahead;        /* points without a result at a time, at most */
    double share;        /* share of each space that is tried */
    size_t points;       /* but no more than so many; 0: all of the share */
    bool settles;        /* ends as a run does that is told neither trials nor time */
};

/* Plays a series and prints the outcome of `surrogate`, with no regard to binaries and with
 * existing ones first. */
enum status play_series(const struct series *series, struct arena *arena, struct error *error);

#endif
