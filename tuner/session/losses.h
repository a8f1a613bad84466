/* How much worse than the winner each configuration is at each size of a problem key, as far as the
 * store knows. Sizes whose winner was not raced, or is unstable, are not among them. */
#ifndef TUNE_SESSION_LOSSES_H
#define TUNE_SESSION_LOSSES_H

#include "tuner/experiment/domain.h"
#include "tuner/session/work.h"

struct known_configuration {
    int64_t id;
    const char *key;
    const char *parameters;
    struct domain domain;                /* what checks left of it */
    bool sought;                         /* for `configuration` */
    struct configuration *configuration; /* NULL: not of the experiment as it is */
};

struct losses {
    const struct work *work; /* whose problem gives the key */
    struct arena arena;
    int64_t sizes[SESSION_SIZES_MAX]; /* with a winner, ascending */
    size_t size_count;
    struct known_configuration *items;
    size_t count;
    size_t *order; /* place in a fixed order */
    /* [size * count + configuration]: what it seems to lose, of whatever there is; INFINITY: it
     * cannot be used. That is worth a look, and no more. */
    double *loss;
    /* The same: what it loses at most, as rounds with the winner showed it, the choice's or a
     * look's; 0 of the winner. INFINITY: no round had both. */
    double *bound;
    bool *looked;    /* the same: a look was taken */
    size_t *winners; /* by size; count: unknown */
};

/* *known: the key has ranges: a problem's, of sizes of several names without them. */
enum status losses_covered(const struct work *work, const char *key, bool *known,
                           struct error *error);
enum status losses_load(const struct work *work, struct losses *losses, struct error *error);
/* Those that were wrong at some size of the family that the problem belongs to (its key without
 * sizes of several names), by id, in the arena: they serve no other one either. */
enum status losses_refuted(const struct work *work, const char *family, struct arena *arena,
                           int64_t **ids, size_t *count, struct error *error);
void losses_free(struct losses *losses);
/* NULL when the experiment has no such configuration any more, or memory is short. */
const struct configuration *losses_configuration(struct losses *losses, size_t index);

#endif
