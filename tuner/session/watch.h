/* Who is to win is watched: thousands of runs, each of whose results is looked at. */
#ifndef TUNE_SESSION_WATCH_H
#define TUNE_SESSION_WATCH_H

#include "tuner/session/internal.h"

/* Watches a finalist, once in a run of this program. One that is wrong is rejected. */
enum status contest_watch(struct contest *contest, struct lane *lane, struct finalist *finalist,
                          struct error *error);
/* gauntlet.c: takes a finalist out for good, and says so; `why` NULL: no memory. */
enum status contest_reject(struct contest *contest, struct finalist *finalist, int32_t cases,
                           const char *why, struct error *error);

#endif
