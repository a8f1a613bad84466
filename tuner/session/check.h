/* What keeps wrong finalists from winning: cases of the gauntlet, and a watch on who is to win. */
#ifndef TUNE_SESSION_CHECK_H
#define TUNE_SESSION_CHECK_H

#include "tuner/session/contest.h"

/* A size, other inputs, other starts. */
struct gauntlet_case {
    int64_t n;
    uint64_t few;    /* not 0: inputs that are drawn around 0 have so many elements that are not */
    uint64_t seed;   /* added to the inputs' own */
    uint32_t starts; /* vectors start so many times their alignment later ... */
    bool apart;      /* ... the second once more, and so on: no two lie alike */
};

/* gauntlet.c: takes out finalists that are wrong where nobody had looked, and whatever else fails
 * the same cases. */
enum status contest_check(struct contest *contest, struct lane *lane, struct error *error);
/* When all that raced are out: whether all that works fails on changed inputs, so that these are to
 * blame. Then that is said, who is out for that is no longer, and inputs are changed no more. */
enum status contest_blame_inputs(struct contest *contest, struct lane *lane, bool *blamed,
                                 struct error *error);
/* Who is to win is watched, once in a run of this program: thousands of runs, each of whose results
 * is looked at. One that is wrong is rejected. */
enum status contest_watch(struct contest *contest, struct lane *lane, struct finalist *finalist,
                          struct error *error);

/* case.c: one case of one loaded slot; *applies false: it is not meant for it. */
enum status check_case(struct sweep *sweep, struct lane *lane, struct slot *slot,
                       const struct gauntlet_case *what, bool *applies,
                       struct worker_outcome *outcome, struct error *error);

/* promise.c: whether the experiment promises that size, and the next size that it does (0: none).
 */
bool promise_has(const struct work *work, int64_t n);
int64_t promise_next(const struct work *work, int64_t n);
/* Whether a size at which a finalist failed is promised: not (*kept false) where the default
 * configuration fails, too. Then it is known and said what is. */
enum status promise_question(struct sweep *sweep, struct lane *lane,
                             const struct gauntlet_case *what, bool *kept, struct error *error);
/* When all were rejected: those who were at another size than the problem's are no longer, and the
 * size is not promised. */
enum status promise_pardon(struct sweep *sweep, struct lane *lane, bool *pardoned,
                           struct error *error);

/* What an experiment says is checked for the sizes that it names: at others a file may be short, or
 * a formula have no value. Such a size is left out, which is no error. */
static inline bool is_no_size_of(enum status status)
{
    return status == STATUS_BAD_INPUT || status == STATUS_NOT_FOUND;
}

/* ceilings.c: of what a run of so long moves, how many times the ceiling it comes to, where no
 * cache explains it: from cold caches, twice as much as they hold. 0: nothing can be said. */
enum status work_ceiling_share(const struct work *work, double time_ns, double *share,
                               struct error *error);
/* Takes up what a winner moves, for when ceilings are looked at again. */
/* Of the cache that lies before the memory: a CPU's third level, where it has one. */
double work_cache_bytes(const struct facts *facts);
void work_take_rate(const struct work *work, double median_ns);

#endif
