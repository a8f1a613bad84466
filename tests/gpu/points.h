/* Which points of an experiment to run, so that each value of each parameter occurs. */
#ifndef TUNE_TESTS_GPU_POINTS_H
#define TUNE_TESTS_GPU_POINTS_H

#include "tuner/base/arena.h"
#include "tuner/experiment/experiment.h"

enum { SIZES_MAX = 32 };

/* A configuration of one problem, whatever its size. */
struct chosen {
    struct problem problem; /* at the size at which it was chosen */
    int64_t n_max;          /* the largest size that is small enough */
    struct configuration configuration;
};

struct points {
    const struct experiment *experiment;
    const struct facts *facts;
    struct arena *arena;      /* of the texts */
    const char *each;         /* ",variant,step,": parameters to cover; NULL: all */
    const char *only;         /* part of the keys of the problems that are meant; NULL: all */
    bool share;               /* a value need not occur in each problem, but in one of them */
    int64_t bytes_max;        /* of a problem's vectors: larger sizes are left out; 0: any */
    int64_t sizes[SIZES_MAX]; /* descending */
    size_t size_count;
    int64_t n_max;       /* of the problem that is at hand; 0: not known yet */
    struct chosen *list; /* those of one problem lie together; freed by points_free */
    size_t count, capacity;
};

/* For each problem, and at each size, enough legal points that every value which is legal there of
 * every parameter occurs, and at least one; as few as a greedy choice gives. The same each time. */
enum status points_choose(struct points *points, struct error *error);
/* Whether the point is legal at another size; *problem is its problem there. */
enum status points_admit(const struct points *points, const struct chosen *chosen, int64_t n,
                         struct problem *problem, bool *admits, struct error *error);
void points_free(struct points *points);

#endif
