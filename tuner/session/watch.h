/* What keeps wrong finalists from winning. */
#ifndef TUNE_SESSION_WATCH_H
#define TUNE_SESSION_WATCH_H

#include "tuner/session/internal.h"

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
