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

/* Whether what the gauntlet said of a failure still takes it out: at a size that is promised now.
 */
bool verdict_holds(const struct work *work, const char *detail);

/* gauntlet.c: a case's failure in words, the sweep's; NULL: no memory. */
const char *gauntlet_words(struct sweep *sweep, const struct gauntlet_case *test,
                           const struct worker_outcome *outcome);

/* case.c: one case of one loaded slot; *applies false: it is not meant for it. */
enum status check_case(struct contest *contest, struct lane *lane, struct slot *slot,
                       const struct gauntlet_case *test, bool *applies,
                       struct worker_outcome *outcome, struct error *error);

/* narrow.c: whether a result at that size was promised: the experiment lists it, or promises all.
 */
bool work_declares(const struct work *work, int64_t n);
/* The candidate of a loaded slot failed at a size that was not promised: what is left of its domain
 * is found out, at sizes up to `most`, and stored. *is_out: it fails at the problem's own size,
 * too. */
enum status candidate_narrow(struct contest *contest, struct lane *lane, struct slot *slot,
                             const struct gauntlet_case *wrong, int64_t most, const char *why,
                             const char **out, struct error *error);
/* Gives it that domain, and stores it; `why` is the sweep's. */
enum status candidate_set_domain(struct contest *contest, struct candidate *candidate,
                                 const struct domain *domain, const char *why, struct error *error);
/* Takes what earlier checks of the same binary left. */
enum status candidate_recall_domain(struct contest *contest, struct candidate *candidate,
                                    struct error *error);
/* Says once for a contest which finalists serve only some sizes. */
void contest_note_domains(const struct contest *contest);

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
/* Returns the bytes of the cache that lies before the memory: a CPU's third level, where it has
 * one. */
double work_cache_bytes(const struct facts *facts);
/* Takes up what a winner moves, for when ceilings are looked at again. */
void work_take_rate(const struct work *work, double median_ns);

#endif
