/* Losses of each configuration against the winner at each size of a problem key, as far as the
 * store knows. Sizes whose winner was not raced, or is unstable, are left out. */
#ifndef TUNE_SESSION_LOSSES_H
#define TUNE_SESSION_LOSSES_H

#include "tuner/experiment/domain.h"
#include "tuner/session/work.h"

struct known_configuration {
    int64_t id;
    const char *key;
    const char *parameters;
    struct domain domain;                /* domain left by checks */
    bool sought;                         /* for `configuration` */
    struct configuration *configuration; /* NULL: no configuration of the present experiment */
};

struct losses {
    const struct work *work; /* gives the key by its problem */
    struct arena arena;
    int64_t sizes[SESSION_SIZES_MAX]; /* sizes with a winner, ascending */
    size_t size_count;
    struct known_configuration *items;
    size_t count;
    size_t *order; /* place in a fixed order */
    /* [size * count + configuration]: the apparent loss, by any result; INFINITY: not usable.
     * Enough for a look, and no more. */
    double *loss;
    /* Same index: the upper bound of the loss, by rounds together with the winner, in a choice or a
     * look; 0 for the winner. INFINITY: no such round. */
    double *bound;
    bool *looked;    /* same index: a look was taken */
    size_t *winners; /* winner of each size; count: unknown */
};

/* Finds whether the key has ranges: a problem's key, without the sizes if there are several. */
enum status losses_covered(const struct work *work, const char *key, bool *known,
                           struct error *error);
enum status losses_load(const struct work *work, struct losses *losses, struct error *error);
/* Lists, by id, configurations that were wrong at some size of the problem's family (its key
 * without several sizes), in the arena: they serve no other size either. */
enum status losses_refuted(const struct work *work, const char *family, struct arena *arena,
                           int64_t **ids, size_t *count, struct error *error);
/* Lists the shapes ("1024x512") at which the problem's family was tuned, in the arena; the
 * experiment need not list them. */
enum status losses_shapes(const struct work *work, const char *family, struct arena *arena,
                          const char *const **shapes, size_t *count, struct error *error);
void losses_free(struct losses *losses);
/* Returns NULL if the experiment has no such configuration any more, or if memory is short. */
const struct configuration *losses_configuration(struct losses *losses, size_t index);

#endif
