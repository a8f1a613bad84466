/* How much worse than the winner each configuration is at each size of a problem key, as far as the
 * store knows. */
#ifndef TUNE_SESSION_LOSSES_H
#define TUNE_SESSION_LOSSES_H

#include "tuner/session/internal.h"

struct known_configuration {
    int64_t id;
    const char *key;
    const char *parameters;
    bool sought;                         /* for `configuration` */
    struct configuration *configuration; /* NULL: not of the experiment as it is */
};

struct losses {
    const struct sweep *like;
    struct problem problem;
    struct arena arena;
    int64_t sizes[SESSION_SIZES_MAX]; /* with a winner, ascending */
    size_t size_count;
    struct known_configuration *items;
    size_t count;
    size_t *order;   /* place in a fixed order */
    double *loss;    /* [size * count + configuration]; INFINITY: cannot be used */
    bool *looked;    /* the same: measured against the winner, apart from the sweep */
    size_t *winners; /* by size; count: unknown */
};

/* *known: the problem key has ranges. */
enum status losses_covered(const struct sweep *like, const struct problem *problem, bool *known,
                           struct error *error);
enum status losses_load(const struct sweep *like, const struct problem *problem, struct losses *out,
                        struct error *error);
void losses_free(struct losses *losses);
/* NULL when the experiment has no such configuration any more, or memory is short. */
const struct configuration *losses_configuration(struct losses *losses, size_t index);

#endif
