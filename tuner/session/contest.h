/* The choice for one problem, from the race to the confirmation. */
#ifndef TUNE_SESSION_CONTEST_H
#define TUNE_SESSION_CONTEST_H

#include "tuner/session/jobs.h"
#include "tuner/session/sweep.h"
#include "tuner/stats/choose.h"
#include "tuner/store/evidence.h"

enum { RACE_PARTS = 5, LEVELS_MAX = 64, CACHE_STATES = 2 };

/* A finalist's times with the cache in another state than the run's. */
struct state_result {
    struct slot slot;
    int64_t trial_id;
    double levels[LEVELS_MAX];  /* as a finalist's; NaN: not measured */
    struct interval difference; /* relative, to the fastest in this state */
    bool tied;                  /* not shown to be slower */
};

/* A configuration on its way to being the winner. */
struct finalist {
    struct slot slot;
    const char *key;       /* of its candidate */
    const char *rejection; /* why it cannot win; NULL: it can */
    bool is_incumbent, is_baseline;
    bool raced_out;        /* the race: shown to be slower */
    bool settled;          /* the first half of the confirmation: the same, for good */
    struct interval raced; /* its difference to the race's leader */
    int64_t trial_id;
    /* ln of the objective against the others of the same process, NaN: missing. In the race each
     * part of its rounds stands for a process. */
    double levels[LEVELS_MAX];
    bool screened;      /* among the best in the mean over the states, as the race measured them */
    bool wanted;        /* to be measured in the other states */
    bool passed_over;   /* not to be: a faster one has each of its values */
    bool serves_others; /* the fastest of a kernel that won another size in this run */
    struct state_result in_state[CACHE_STATES];
    double means[LEVELS_MAX]; /* of the levels over the states, relative to one finalist's */
    struct contender contender;
};
bool finalist_can_win(const struct finalist *finalist);
void finalist_free(struct finalist *finalist); /* what it holds */

struct contest {
    struct contest *next, *previous;
    struct work work;
    struct sweep *sweep;
    struct arena arena;
    struct finalist *finalists; /* as many as entered; after the race as many as are left */
    size_t finalist_count;
    /* Seen by the race alone, as far as it went to a look: ties among them are declared. */
    struct store_contender *others;
    size_t other_count;
    struct {
        double *items; /* ln */
        size_t count, capacity;
    } twins; /* differences of a configuration with itself */
    struct twin_floor floor;
    struct {
        size_t count, dropped, faults[ROUND_FAULTS];
    } rounds;
    size_t levels;      /* of each finalist */
    size_t processes;   /* that have confirmed */
    uint32_t blocks;    /* of a visit, by how noisy they are; 0: as the protocol says */
    int64_t visit_ns;   /* what one took in its race's last round, with all its blocks ... */
    int64_t process_ns; /* ... and its rounds in the last process that confirmed; 0: none did */
    bool left_out;      /* of the confirmation, for want of time */
    bool unsupported;   /* nothing agrees with what results are held against: nobody wins */
    size_t place;       /* which of the devices that confirm at once has it */
    size_t candidate_count;
    bool conditions_known;
    bool confirmed; /* as far as it will be */
    struct {
        bool announced;
        char key[CONFIGURATION_KEY_BYTES];
        size_t tied; /* winner counted */
        enum verdict verdict;
        char reason[VERDICT_REASON_BYTES]; /* of the verdict */
    } winner;
};

/* contest.c: of a problem and its sweep, which is its own from now on, from malloc. NULL: no
 * memory. */
struct contest *contest_create(const struct work *work, struct sweep *sweep);
void contest_free(struct contest *contest); /* with its sweep */
/* Who races: all whose objective in the sweep is near the best, baselines, the incumbent. They
 * become the contest's finalists. */
enum status contest_enter(struct contest *contest, struct lane *lane, struct error *error);
/* Gives back the memory behind the finalists that there are; they may move. */
void contest_shrink(struct contest *contest);
/* Takes finalists and everything measured out; what the gauntlet rejected stays known. */
void contest_reset(struct contest *contest);
/* Tells where the run is: with this problem, beside which others may race. */
void contest_progress(const struct contest *contest, const char *phase);
/* How many blocks a visit has, while the race screens or behind that. */
uint32_t contest_blocks(const struct contest *contest, bool screening);
/* A measurer of the finalists, whose slots' list the contest's arena owns; slots NULL: no memory.
 */
struct track contest_track(struct contest *contest, struct lane *lane, const char *stage);
/* Puts a track's rounds and its slots' trials into the store, in one transaction; also when the
 * track was stopped. Returns `status` when that is not STATUS_OK. */
enum status contest_keep(struct contest *contest, struct track *track, enum status status,
                         struct error *error);
/* Adds a judged track's rounds and twins. */
enum status contest_count_rounds(struct contest *contest, const struct track *track,
                                 struct error *error);
/* Level `level` of each finalist: the median over the valid rounds first .. last - 1 of what it is
 * off the median of all. */
enum status contest_set_levels(struct contest *contest, const struct track *track, size_t level,
                               size_t first, size_t last, struct error *error);
/* Takes a finalist out for good, says so, and stores it; `why` NULL: no memory. `cases`: that the
 * gauntlet ran. */
enum status contest_reject(struct contest *contest, struct finalist *finalist, int32_t cases,
                           const char *why, struct error *error);
/* What the gauntlet said of the candidate's binary: `rejection` NULL: it passed. */
enum status candidate_store_verdict(const struct work *work, const struct candidate *candidate,
                                    const char *rejection, int32_t cases, struct error *error);
void contest_note_rejection(const struct contest *contest, const struct finalist *finalist);
/* Who was wrong at any size of the problem key is rejected. */
enum status sweep_take_refuted(const struct work *work, struct sweep *sweep, struct error *error);
/* Sets contender.order, the fixed order: a larger domain (of the work's problem; NULL: none), fewer
 * launches, less shared memory, fewer registers, smaller block, then the parameters in the order of
 * the file. */
enum status finalists_order(const struct work *work, struct finalist *finalists, size_t count,
                            struct error *error);

/* alone.c: whether all that was tried disagrees with the one configuration that results are held
 * against, so that nothing says that it is right, by the trials' statuses. */
bool sweep_reference_is_alone(const struct work *work, const struct sweep *sweep);
/* The same with a look at whether the others agree with one another, and said. */
enum status contest_doubt_reference(struct contest *contest, struct lane *lane,
                                    struct error *error);
/* race.c: from the sweep's fastest to finalists. A contest without finalists has no winner. */
enum status contest_race(struct contest *contest, struct lane *lane, struct error *error);
/* winner.c: chooses among the finalists by their levels, and puts the winner into the store; their
 * trials are there. *found false: none can win. */
enum status contest_choose(struct contest *contest, struct lane *lane, const char *stage,
                           bool *found, struct error *error);
/* Settles who is shown by the processes so far to be slower than a tie: nobody needs to see it
 * again. Not baselines and the incumbent, whose times are told, nor the winner so far, which is the
 * twin. */
enum status contest_settle_slower(struct contest *contest, struct error *error);
/* When the user stops before there is a winner: the best of the sweep so far. */
enum status sweep_choose_early(const struct work *work, struct sweep *sweep, struct error *error);
/* states.c: the name of a state of the cache, beside the run's own, that this device and problem
 * are measured in; NULL: not in that one. */
const char *contest_state(const struct contest *contest, size_t state);
/* Times the race's candidates near its leader with a dirty cache, and marks as screened up to
 * `keep_most` that are the fastest in the mean over both states. The race's differences are known.
 */
enum status contest_screen_states(struct contest *contest, struct lane *lane, size_t keep_most,
                                  struct error *error);
/* Times finalists near the fastest in the other states, in the process that confirms now. */
enum status contest_time_states(struct contest *contest, struct lane *lane, int process,
                                struct error *error);
/* Returns how many visits that are for each finalist in a process. */
size_t contest_state_visits(const struct contest *contest);
/* Forgets the times in other states, as another confirmation begins. */
void contest_reset_states(struct contest *contest);
/* Judges the finalists in each other state, and points the contenders' levels to their means over
 * the states; only those that were measured in them are eligible. `fastest` in the run's own. */
enum status contest_judge_states(struct contest *contest, struct contender *contenders,
                                 size_t fastest, double delta, struct error *error);
/* confirm.c: races, and whoever comes next where the best turn out to be wrong, until there is a
 * winner so far; *found false: nothing works. On one device, since times of two are not to be
 * compared that finely. */
enum status contest_compete(struct contest *contest, bool *found, struct error *error);
/* The same as a lane's task, of a struct competing. */
struct competing {
    struct contest *contest;
    bool found;
    struct lane_job job;
};
enum status contest_compete_on(void *context, struct lane *lane, struct error *error);
/* What its confirmation takes in one process, about. */
double contest_process_ns(const struct contest *contest);
/* All contests of a group in fresh processes. */
enum status group_confirm(struct group *group, struct error *error);

#endif
