/* A short race of a few configurations at one size. */
#ifndef TUNE_SESSION_LOOK_H
#define TUNE_SESSION_LOOK_H

#include "tuner/session/contest.h"

enum { LOOK_MAX = 8 };
struct look {
    bool works;                       /* any configuration was measured */
    size_t best;                      /* index of the best configuration */
    struct interval losses[LOOK_MAX]; /* each one's loss to the best, relative; NaN: failed */
    const char *wrong[LOOK_MAX];      /* each one's wrong result, in `texts`; NULL: right */
    struct arena *texts;              /* the caller's */
};
/* Looks at one or more configurations at a problem, whose size the experiment need not name. */
enum status look_at(const struct work *around, struct lane *lane, const struct problem *problem,
                    const struct configuration *const *configurations, size_t count,
                    struct look *look, struct error *error);

#endif
