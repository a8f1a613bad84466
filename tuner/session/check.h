/* Checks that keep wrong finalists from winning: cases of the gauntlet, and a watch on the coming
 * winner. */
#ifndef TUNE_SESSION_CHECK_H
#define TUNE_SESSION_CHECK_H

#include "tuner/session/contest.h"

/* Elements in a vector above which a case costs seconds. */
enum { GAUNTLET_ELEMENTS = 1 << 24 };

/* A size with other inputs and other starts. */
struct gauntlet_case {
    int64_t n;       /* a number that stands for sizes of several names (contest_tuple) */
    uint64_t ends;   /* place of the inputs' extremes (struct argument) */
    bool is_far;     /* whether n is beyond all listed sizes by much */
    uint64_t few;    /* nonzero elements in inputs drawn around 0; 0: all */
    uint64_t seed;   /* added to the inputs' own */
    uint32_t starts; /* offset of the vectors, in alignments ... */
    bool apart;      /* ... one more for each further vector, so that no two lie alike */
};

/* Reason of a domain that a later run with more time extends. */
#define DOMAIN_UNCHECKED "the budget ended before its checks at other sizes"

/* tuples.c: Returns the number that stands for sizes of several names in the contest's checks: the
 * problem's n for its own, others count from there. 0: another problem's, none, or too many. */
int64_t contest_tuple(const struct contest *contest, const int64_t *sizes);
/* Copies the sizes of a number, and returns how many there are; 0: sizes have one name. */
size_t contest_sizes(const struct contest *contest, int64_t n, int64_t sizes[SIZE_NAMES_MAX]);
/* Makes the problem at a size, or the sizes of a number; false: memory is short. */
bool contest_problem(const struct contest *contest, int64_t n, struct arena *arena,
                     struct problem *out);
/* Returns "257", or "4096x257" for the number of sizes other than the problem's. */
struct problem_name contest_size_text(const struct contest *contest, int64_t n);
/* Returns whether checks permit the candidate the size or sizes. */
bool contest_has_size(const struct contest *contest, const struct candidate *candidate, int64_t n);
/* Returns whether the constraints allow the configuration that size or sizes. */
bool contest_allows(const struct contest *contest, const struct configuration *configuration,
                    int64_t n);
/* Finds the least and the largest listed size of each name, and the common divisor. */
struct tuple_span {
    int64_t least[SIZE_NAMES_MAX], most[SIZE_NAMES_MAX], divisor[SIZE_NAMES_MAX];
};
void contest_span(const struct contest *contest, struct tuple_span *span);
/* Moves sizes, in steps of two multiples (NULL: of 1), into the box of several tuples, but no
 * further up than to `from`: beyond, a kernel with a limit is wrong. */
void contest_fit(const struct tuple_span *span, size_t names, const int64_t *from,
                 const int64_t *multiples, int64_t *sizes);
/* Lists the numbers of sizes at which kernels are wrong that are right at rounded ones: beside the
 * problem's own in one name at a time, odd ones, small ones, and some in the box of all tuples;
 * large ones are halved so that a case takes milliseconds, and one of full size comes last. */
enum { AWKWARD_MAX = 2 * SIZE_NAMES_MAX + 7 };
size_t contest_awkward(const struct contest *contest, int64_t out[AWKWARD_MAX]);

/* gauntlet.c: Rejects finalists that are wrong in a case of the gauntlet, and other candidates that
 * fail the same cases. */
enum status contest_check(struct contest *contest, struct lane *lane, double process_ns,
                          struct error *error);
/* Checks the finalists from `first` on. */
enum status contest_check_from(struct contest *contest, struct lane *lane, size_t first,
                               double process_ns, struct error *error);
/* wider.c: Adds a checked finalist for a size near the problem's at which none of those near the
 * fastest may be used: the fastest such candidate, unless that is a finalist already. */
enum status contest_widen(struct contest *contest, struct lane *lane, double process_ns,
                          struct error *error);
/* gauntlet.c: Returns the slowest candidate with right results, even with an unstable time, that is
 * not in `but`. NULL: none. */
struct candidate *slowest_right(const struct sweep *sweep, const struct candidate *const *but,
                                size_t count);
/* watch.c: Blames the inputs if all finalists were rejected and all working candidates fail on
 * changed inputs: reports this, takes back these rejections, and changes inputs no more. */
enum status contest_blame_inputs(struct contest *contest, struct lane *lane, bool *blamed,
                                 struct error *error);
/* Watches the coming winner once in a run of this program: thousands of runs, each with compared
 * results. Rejects a finalist that is wrong. */
enum status contest_watch(struct contest *contest, struct lane *lane, struct finalist *finalist,
                          struct error *error);

/* case.c: Returns whether the experiment lists the size, or promises all sizes. */
bool work_declares(const struct work *work, int64_t n);
/* Returns whether a stored verdict of the gauntlet still rejects, since the size is promised now.
 */
bool verdict_holds(const struct work *work, const char *detail);
/* Describes the failure of a case, in the sweep's memory; NULL: no memory. */
const char *gauntlet_words(const struct contest *contest, const struct gauntlet_case *test,
                           const struct worker_outcome *outcome);
/* Runs one case of one loaded slot; *applies false: the slot does not have the case, or the budget
 * ended the case (elsewhere.is_cut). */
enum status check_case(struct contest *contest, struct lane *lane, struct slot *slot,
                       const struct gauntlet_case *test, bool *applies,
                       struct worker_outcome *outcome, struct error *error);

/* Returns whether a further check at another size would exceed the budget of such checks, or, after
 * a hang, leave no time for the watch of the coming winner. */
bool checks_are_over(const struct contest *contest, const struct lane *lane);

/* narrow.c: Finds the part of the domain that a loaded slot's candidate keeps after a failure at a
 * size that was not promised, tries sizes up to `most`, and stores the result; elsewhere.is_cut:
 * the time for that was missing. *out: the reason if the candidate fails at the problem's own size,
 * too; else NULL. */
enum status candidate_narrow(struct contest *contest, struct lane *lane, struct slot *slot,
                             const struct gauntlet_case *wrong, double most, const char *why,
                             const char **out, struct error *error);
/* Stores a domain of the candidate's binary; `why`: NULL for the whole one. */
enum status candidate_store_domain(const struct work *work, const struct candidate *candidate,
                                   const struct domain *domain, const char *why,
                                   struct error *error);
/* Confines a candidate to the measured sizes if the time for checks at others is missing, and no
 * other size of the problem had them. */
enum status candidate_confine(const struct work *work, struct sweep *sweep,
                              struct candidate *candidate, struct error *error);
/* Restores the domain left by earlier checks of the same binary. *confined: an earlier budget left
 * no time for checks at other sizes, so that they are due. */
enum status candidate_recall_domain(struct contest *contest, struct candidate *candidate,
                                    bool *confined, struct error *error);
/* Notes once for a contest, or for alike ones at other tuples, which finalists serve only some
 * sizes. */
void contest_note_domains(struct contest *contest);

/* Returns whether a failure only means that the experiment has no such size: at sizes beyond the
 * listed ones, a file may be too short or a formula have no value. Such a size is left out without
 * an error. */
static inline bool is_no_size_of(enum status status)
{
    return status == STATUS_BAD_INPUT || status == STATUS_NOT_FOUND;
}

/* ceilings.c: Computes the bandwidth of a run of time_ns as a multiple of the ceiling, for data of
 * more than twice the caches, measured from cold ones. 0: unknown. */
enum status work_ceiling_share(const struct work *work, double time_ns, double *share,
                               struct error *error);
/* Returns the bytes of the cache before the memory: a CPU's third level, if there is one. */
double work_cache_bytes(const struct facts *facts);

#endif
