/* A short race of a few configurations at one size. */
#ifndef TUNE_SESSION_LOOK_H
#define TUNE_SESSION_LOOK_H

#include "tuner/session/contest.h"

enum { LOOK_MAX = 8 };
struct look {
    bool works;                       /* something was measured */
    size_t best;                      /* of the configurations */
    struct interval losses[LOOK_MAX]; /* of each, to the best: relative; NaN: it failed */
    const char *wrong[LOOK_MAX];      /* how its result was wrong; NULL: it was not; `texts` */
    struct arena *texts;              /* the caller's */
};
/* The problem may be of a size that the experiment does not name; at least one configuration. */
enum status look_at(const struct work *around, struct lane *lane, const struct problem *problem,
                    const struct configuration *const *configurations, size_t count,
                    struct look *look, struct error *error);

#endif
