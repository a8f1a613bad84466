/* What keeps wrong finalists from winning. */
#ifndef TUNE_SESSION_WATCH_H
#define TUNE_SESSION_WATCH_H

#include "tuner/session/internal.h"

/* A size, other inputs, other starts. */
struct gauntlet_case {
    int64_t n;
    uint64_t seed;   /* added to the inputs' own */
    uint32_t starts; /* vectors start so many times their alignment later */
};

/* gauntlet.c: what becomes of a loaded finalist there; *applies false: it is not meant for it. */
enum status gauntlet_try(struct contest *contest, struct lane *lane,
                         const struct finalist *finalist, const struct gauntlet_case *what,
                         bool *applies, struct worker_outcome *outcome, struct error *error);

/* promise.c: whether the experiment promises that size, and the next size that it does (0: none).
 */
bool promise_has(const struct sweep *sweep, int64_t n);
int64_t promise_next(const struct sweep *sweep, int64_t n);
/* Whether a size at which a finalist failed is promised: not (*kept false) where the default
 * configuration fails, too. Then it is known and said what is. */
enum status promise_ask(struct contest *contest, struct lane *lane,
                        const struct gauntlet_case *what, bool *kept, struct error *error);
/* When all were rejected: those who were at another size than the problem's are no longer, and the
 * size is not promised. */
enum status promise_pardon(struct contest *contest, struct lane *lane, bool *pardoned,
                           struct error *error);

/* gauntlet.c: takes out finalists that are wrong where nobody had looked, and whatever else fails
 * the same cases. */
enum status contest_check(struct contest *contest, struct lane *lane, struct error *error);
/* Who is to win is watched, once in a run of this program: thousands of runs, each of whose results
 * is looked at. One that is wrong is rejected. */
enum status contest_watch(struct contest *contest, struct lane *lane, struct finalist *finalist,
                          struct error *error);
/* ceilings.c: of what a run of so long moves, how many times the ceiling it comes to, where no
 * cache explains it: from cold caches, twice as much as they hold. 0: nothing can be said. */
enum status session_ceiling_share(const struct sweep *sweep, double time_ns, double *share,
                                  struct error *error);
/* gauntlet.c: takes a finalist out for good, and says so; `why` NULL: no memory. */
enum status contest_reject(struct contest *contest, struct finalist *finalist, int32_t cases,
                           const char *why, struct error *error);

#endif
