/* Losses of each configuration against the winner at each size of a problem, as far as the store
 * knows. Sizes whose winner was not raced, or is unstable, are left out. */
#ifndef TUNE_SESSION_LOSSES_H
#define TUNE_SESSION_LOSSES_H

#include "tuner/experiment/domain.h"
#include "tuner/session/work.h"

enum { SPOTS_MAX = 256 };

struct known_configuration {
    int64_t id;
    const char *parameters;
    struct domain domain;                /* domain left by checks */
    bool sought;                         /* for `configuration` */
    struct configuration *configuration; /* NULL: no configuration of the present experiment */
};

/* A spot is a size, or a tuple of sizes if these have several names. */
struct losses {
    const struct work *work; /* gives the key, without sizes of several names */
    struct arena arena;
    size_t names;   /* 1: n alone */
    int64_t *sizes; /* [spot * names + i]; of n alone ascending */
    size_t spot_count;
    size_t measured; /* spots with a winner: the first ones; the others lie between */
    struct known_configuration *items; /* in a fixed order */
    size_t count;
    /* [spot * count + configuration]: the apparent loss, by any result; INFINITY: not usable.
     * Decides looks only. */
    double *loss;
    /* Same index: the upper bound of the loss, by rounds together with the winner, in a choice or a
     * look; 0 for the winner. INFINITY: no such round. */
    double *bound;
    bool *looked;    /* same index: a look was taken */
    size_t *winners; /* winner of each spot; between, the configuration that others are compared
                        with; count: unknown */
};

/* Finds whether the key has ranges: a problem's key, without the sizes if there are several. */
enum status losses_covered(const struct work *work, const char *key, bool *known,
                           struct error *error);
/* Loads all sizes of the problem's key. If sizes have several names: all tuples with a winner, even
 * if no file lists them; the winners, and about as many configurations that lose little at more
 * than one tuple. Excludes configurations that were wrong at a tuple. */
enum status losses_load(const struct work *work, struct losses *losses, struct error *error);
void losses_free(struct losses *losses);
/* Adds a spot, without losses (between others only if sizes have several names); false: no room. */
bool losses_add_spot(struct losses *losses, const int64_t *sizes, size_t winner);
/* Makes the problem at these sizes. */
enum status losses_problem(struct losses *losses, const int64_t *sizes, struct problem *out,
                           struct error *error);
/* Returns NULL if the experiment has no such configuration any more, or if memory is short. */
const struct configuration *losses_configuration(struct losses *losses, size_t index);
/* Returns whether the configuration may be used at a problem that was not measured. */
bool losses_admit(struct losses *losses, const struct problem *problem, size_t index);

#endif
