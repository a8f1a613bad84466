/* The choice for one problem, from the race to the confirmation. */
#ifndef TUNE_SESSION_CONTEST_H
#define TUNE_SESSION_CONTEST_H

#include "tuner/session/jobs.h"
#include "tuner/session/sweep.h"
#include "tuner/stats/choose.h"
#include "tuner/store/evidence.h"

enum { RACE_PARTS = 5, LEVELS_MAX = 64, CACHE_STATES = 2 };

/* A finalist's result in another state of the cache than the run's. */
struct state_result {
    struct slot slot;
    int64_t trial_id;
    double levels[LEVELS_MAX];  /* like a finalist's; NaN: not measured */
    struct interval difference; /* relative, to the fastest in this state */
    bool tied;                  /* not shown to be slower */
};

/* A candidate in the race and the confirmation. */
struct finalist {
    struct slot slot;
    const char *key;       /* the candidate's */
    const char *rejection; /* reason for rejection; NULL: none */
    bool is_incumbent, is_baseline;
    bool raced_out;        /* shown to be slower in the race */
    bool settled;          /* shown to be slower by the first half of the confirmation, for good */
    bool unchecked;        /* checks at other sizes are missing, for lack of time */
    struct interval raced; /* difference to the race's leader */
    int64_t trial_id;
    /* ln of the objective relative to the others of the same process, NaN: missing. In the race
     * each part of the rounds stands for a process. */
    double levels[LEVELS_MAX];
    bool screened;      /* among the best in the mean over the states, by the race */
    bool wanted;        /* to be measured in the other states */
    bool passed_over;   /* not to be measured: a faster one has each of the values */
    bool serves_others; /* the fastest of a kernel that won another size in this run */
    struct state_result in_state[CACHE_STATES];
    double means[LEVELS_MAX]; /* levels in the mean over the states, relative to one finalist's */
    struct contender contender;
};
bool finalist_can_win(const struct finalist *finalist);
void finalist_free(struct finalist *finalist); /* only the parts */

struct contest {
    struct contest *next, *previous;
    struct work work;
    struct sweep *sweep;
    struct arena arena;
    struct finalist *finalists; /* entrants; after the race the remaining ones */
    size_t finalist_count;
    /* Finalists that only the race measured, as far as compared: these ties are declared.
     */
    struct store_contender *others;
    size_t other_count;
    struct {
        double *items; /* ln */
        size_t count, capacity;
    } twins; /* differences of a configuration with itself */
    struct twin_floor floor;
    struct {
        size_t count, dropped, faults[ROUND_FAULTS];
        size_t beside; /* with other processes on the device at their end */
    } rounds;
    size_t levels;      /* levels of each finalist */
    size_t processes;   /* confirming processes so far */
    uint32_t blocks;    /* blocks of a visit, by the noise; 0: the protocol's */
    int64_t visit_ns;   /* a visit in the race's last round, with all its blocks ... */
    int64_t process_ns; /* ... and the rounds in the last confirming process; 0: none yet */
    bool left_out;      /* not confirmed, for lack of time */
    bool unsupported;   /* no candidate agrees with the reference: no winner */
    size_t place;       /* number of the confirming device */
    struct {
        int64_t end_ns, watch_at_ns; /* 0: none */
        int64_t spent_ns;
        size_t count;
        bool is_cut;   /* their end cut the last one off */
        bool is_unfit; /* the file does not describe some size, which was noted */
    } elsewhere;       /* checks at other sizes, and their part of the budget */
    const char *noted; /* where finalists serve only some sizes, as notes said; NULL: none did */
    size_t candidate_count;
    bool conditions_known;
    bool beside_others; /* rounds count in which another process was on the device */
    bool confirmed;     /* confirmed as far as possible */
    struct {
        bool announced;
        char key[CONFIGURATION_KEY_BYTES];
        size_t as_fast, not_compared; /* others */
        struct coverage_facts coverage;
        enum verdict verdict;
        char reason[VERDICT_REASON_BYTES]; /* reason of the verdict */
    } winner;
};

/* contest.c: Creates the contest of a problem, which takes over the sweep, both from malloc. NULL:
 * no memory. */
struct contest *contest_create(const struct work *work, struct sweep *sweep);
void contest_free(struct contest *contest); /* frees also the sweep */
/* Makes finalists of all candidates whose objective in the sweep is near the best, of baselines and
 * of the incumbent. */
enum status contest_enter(struct contest *contest, struct lane *lane, struct error *error);
/* Gives back the memory behind the present finalists, which may move. */
void contest_shrink(struct contest *contest);
/* Removes finalists and all measurements; rejections by the gauntlet stay known. */
void contest_reset(struct contest *contest);
/* Reports this problem as the run's position; others may race meanwhile. */
void contest_progress(const struct contest *contest, const char *phase);
/* Returns the blocks of a visit, while the race screens or later. */
uint32_t contest_blocks(const struct contest *contest, bool screening);
/* Returns a measurer of the finalists, whose list of slots belongs to the contest's arena; slots
 * NULL: no memory. */
struct track contest_track(struct contest *contest, struct lane *lane, const char *stage);
/* Puts the rounds and trials of a track into the store, in one transaction, even after a stop;
 * those in another state of the cache, or in the run's own one (CACHE_STATES). Returns `status`
 * unless that is STATUS_OK. */
enum status contest_keep(struct contest *contest, struct track *track, size_t state,
                         enum status status, struct error *error);
/* Adds a judged track's rounds and twins. */
enum status contest_count_rounds(struct contest *contest, const struct track *track,
                                 struct error *error);
/* Sets level `level` of each finalist: the median over the valid rounds first .. last - 1 of the
 * offset from the median of all. */
enum status contest_set_levels(struct contest *contest, const struct track *track, size_t level,
                               size_t first, size_t last, struct error *error);
/* Rejects a finalist for good, notes and stores that; `why` NULL: no memory; `cases`: run by the
 * gauntlet. */
enum status contest_reject(struct contest *contest, struct finalist *finalist, int32_t cases,
                           const char *why, struct error *error);
/* Stores the gauntlet's verdict on the candidate's binary; `rejection` NULL: passed. */
enum status candidate_store_verdict(const struct work *work, const struct candidate *candidate,
                                    const char *rejection, int32_t cases, struct error *error);
void contest_note_rejection(const struct contest *contest, const struct finalist *finalist);
/* Rejects candidates that were wrong at any size of the problem key. */
enum status sweep_take_refuted(const struct work *work, struct sweep *sweep, struct error *error);
/* Sets contender.order, the fixed order: a larger domain (of the work's problem; NULL: none), fewer
 * launches, less shared memory, fewer registers, a smaller block, then the parameters in the order
 * of the file. */
enum status finalists_order(const struct work *work, struct finalist *finalists, size_t count,
                            struct error *error);

/* alone.c: Returns whether all trials disagree with the one configuration that serves as the
 * reference, so that no trial supports that one. */
bool sweep_reference_is_alone(const struct work *work, const struct sweep *sweep);
/* Finds the same for the contest, compares the disagreeing candidates with one another, and reports
 * both. */
enum status contest_doubt_reference(struct contest *contest, struct lane *lane,
                                    struct error *error);
/* race.c: Races the sweep's fastest down to finalists. A contest without finalists has no winner.
 */
enum status contest_race(struct contest *contest, struct lane *lane, struct error *error);
/* winner.c: Chooses among the finalists by their levels, and stores the winner; the trials are
 * stored before. *found false: none can win. */
enum status contest_choose(struct contest *contest, struct lane *lane, const char *stage,
                           bool *found, struct error *error);
/* Settles finalists that the processes so far show to be slower than a tie, which are not measured
 * again. Excludes baselines and the incumbent, whose times are reported, and the winner so far,
 * which is the twin. */
enum status contest_settle_slower(struct contest *contest, struct error *error);
/* Stores the best of the sweep so far, for a run that stops before there is a winner. */
enum status sweep_choose_early(const struct work *work, struct sweep *sweep, struct error *error);
/* cache_states.c: Returns the name of another state of the cache in which this device and problem
 * are measured; NULL: not in that one. */
const char *contest_state(const struct contest *contest, size_t state);
/* Times the race's candidates near its leader with a dirty cache, and marks as screened up to
 * `keep_most` that are the fastest in the mean over both states. The race's differences are known.
 */
enum status contest_screen_states(struct contest *contest, struct lane *lane, size_t keep_most,
                                  struct error *error);
/* Times finalists near the fastest in the other states, in the present confirming process. */
enum status contest_time_states(struct contest *contest, struct lane *lane, int process,
                                struct error *error);
/* Drops the times in other states before another confirmation. */
void contest_reset_states(struct contest *contest);
/* Judges the finalists in each other state, and points the contenders' levels to the means over
 * the states; only those that were measured there stay eligible. `fastest`: the fastest in the
 * run's own state. */
enum status contest_judge_states(struct contest *contest, struct contender *contenders,
                                 size_t fastest, double delta, struct error *error);
/* confirm.c: Races until there is a winner so far, again with the next candidates if the best are
 * wrong; *found false: none works. Runs on one device, since times of two devices do not compare
 * that finely. */
enum status contest_compete(struct contest *contest, bool *found, struct error *error);
/* Runs contest_compete as a lane's task, with a struct competing. */
struct competing {
    struct contest *contest;
    bool found;
    struct lane_job job;
};
enum status contest_compete_on(void *context, struct lane *lane, struct error *error);
/* Returns the expected time of the confirmation in one process. */
double contest_process_ns(const struct contest *contest);
/* Confirms all contests of a group in fresh processes. */
enum status group_confirm(struct group *group, struct error *error);

#endif
