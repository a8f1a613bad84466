/* Chooses points of an experiment to run, so that each value of each parameter occurs. */
#ifndef TUNE_TESTS_GPU_POINTS_H
#define TUNE_TESTS_GPU_POINTS_H

#include "tuner/base/arena.h"
#include "tuner/experiment/experiment.h"

enum { SIZES_MAX = 32 };

/* A configuration of one problem, whatever its size. */
struct chosen {
    struct problem problem; /* at the size of the choice */
    int64_t n_max;          /* the largest size that is small enough */
    struct configuration configuration;
};

struct points {
    const struct experiment *experiment;
    const struct facts *facts;
    struct arena *arena;      /* arena of the texts */
    const char *each;         /* ",variant,step,": parameters to cover; NULL: all */
    const char *only;         /* part of the keys of the problems that are meant; NULL: all */
    bool share;               /* a value must occur in one of the problems, not in each */
    int64_t bytes_max;        /* bytes of a problem's vectors: larger sizes are omitted; 0: any */
    int64_t sizes[SIZES_MAX]; /* descending */
    size_t size_count;
    int64_t n_max;       /* largest n of the current problem; 0: unknown */
    struct chosen *list; /* sorted by problem; freed by points_free */
    size_t count, capacity;
};

/* Chooses for each problem and size enough legal points that every value legal there occurs, and at
 * least one; as few as a greedy choice gives. Deterministic. */
enum status points_choose(struct points *points, struct error *error);
/* Tells whether the point is legal at another size; *problem is its problem there. */
enum status points_admit(const struct points *points, const struct chosen *chosen, int64_t n,
                         struct problem *problem, bool *admits, struct error *error);
void points_free(struct points *points);

#endif
