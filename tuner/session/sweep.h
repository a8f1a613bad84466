/* The sweep of one problem: what its search asks for, each configuration timed alone. */
#ifndef TUNE_SESSION_SWEEP_H
#define TUNE_SESSION_SWEEP_H

#include "tuner/search/search.h"
#include "tuner/session/track.h"

/* Candidates that are to be tried, in order; the first ones before what the search asks for. */
struct window {
    struct candidate **items;
    size_t count, capacity;
    size_t in_hand;        /* taken out of it by lanes, and not done yet */
    size_t baselines_left; /* not done yet */
};

struct sweep {
    struct inputs inputs;
    struct space *space;
    uint64_t space_count; /* legal configurations */
    struct candidates candidates;
    struct candidate *best;                 /* NULL: none yet */
    char best_key[CONFIGURATION_KEY_BYTES]; /* for the progress */
    struct search *search;                  /* while it goes on; NULL: not begun, or over */
    struct search_view *view;               /* of the space, for the search */
    const char *strategy;                   /* of the search; NULL: there was none */
    struct allowance allowance;             /* of the budget */
    uint64_t points; /* that were tried, or are in the window: baselines not counted */
    struct window window;
    bool searched_all; /* the search has no more: no budget cut it */
    struct {
        double sum; /* of median absolute deviations of its trials' blocks, relative */
        size_t count;
    } spread;
    size_t measured;                 /* trials of this run */
    size_t failures;                 /* of these */
    size_t unlaunchable, duplicates; /* set aside in this run, without the device */
    /* At which the inputs are described. */
    struct configuration representative;
    struct arena arena; /* lives as long as the sweep */
};

/* A lane's part in a sweep, in a thread of its own. */
struct lane_share {
    struct sweeping *sweeping;
    struct lane *lane;
    pthread_t thread;
    enum status status;
    struct error error;
};

/* The lanes that take part in a sweep. */
enum { SWEEP_SHARES_MAX = 4 * SESSION_DEVICES_MAX };
struct sweeping {
    const struct work *work;
    struct sweep *sweep;
    struct lane_share shares[SWEEP_SHARES_MAX];
    size_t share_count;
    bool failed; /* a lane met an error that ends the run */
};

/* sweep.c: adds the baselines, takes known trials, measures what the search asks for, by all
 * devices of the group. */
enum status sweep_problem(const struct work *work, struct sweep *sweep, struct error *error);

/* One more lane takes part; with the mutex. One that does already is left alone. */
void sweep_admit(struct sweeping *sweeping, struct lane *lane);

/* trial.c: the configuration at which a problem's inputs are described. */
void work_representative(const struct work *work, struct space *space, struct configuration *out);
/* A sweep of that problem, in that space, which is its own from now on (also when it fails). An
 * empty one is an error. */
enum status sweep_open(struct sweep *sweep, const struct work *work, struct space *space,
                       struct error *error);
void sweep_free(struct sweep *sweep);

/* Whether "auto" says how many points of a space may be tried: nobody else does. */
bool session_leaves_points(const struct session_options *options, uint64_t space_count);
/* How many may be; of a search that begins with what others found, it may turn out to be fewer. */
uint64_t session_points(const struct session_options *options, uint64_t space_count);
/* The candidate of a point, or of a configuration that may be one. Made when it is new. */
enum status sweep_candidate(const struct work *work, struct sweep *sweep, uint64_t point,
                            struct candidate **candidate, struct error *error);
enum status sweep_candidate_of(const struct work *work, struct sweep *sweep,
                               const struct configuration *configuration,
                               struct candidate **candidate, struct error *error);
/* Which binary it needs; with `wanted` it is looked for or compiled. */
enum status sweep_request_binary(const struct work *work, struct sweep *sweep,
                                 struct candidate *candidate, bool wanted, struct error *error);
/* Finds the best anew: one that may win. */
void sweep_find_best(struct sweep *sweep);
/* Takes up that a candidate is done: with samples, counts and the best so far. */
enum status sweep_take_trial(const struct work *work, struct sweep *sweep,
                             struct candidate *candidate, struct error *error);
/* A measurer of slots of this sweep's candidates on that lane. */
struct track sweep_track(const struct work *work, struct sweep *sweep, struct lane *lane,
                         const char *stage);
/* What can be told of a prepared slot before it costs the device anything: its binary says what a
 * kernel needs and what its machine code is. The outcome says that a block does not fit, that an
 * expression fails, or that another candidate launches the same. */
enum status sweep_foresee(const struct work *work, struct sweep *sweep, struct slot *slot,
                          struct error *error);
/* Puts a trial of stage "sweep" without samples into the store. */
enum status sweep_record(const struct work *work, struct sweep *sweep, struct lane *lane,
                         struct candidate *candidate, const struct worker_outcome *outcome,
                         struct error *error);
/* Measures and stores one candidate. After the loss of the lane the candidate is as it was. */
enum status sweep_try(const struct work *work, struct sweep *sweep, struct lane *lane,
                      struct candidate *candidate, struct error *error);

/* known.c: adds the experiment's baselines to the candidates and the store. */
enum status sweep_add_baselines(const struct work *work, struct sweep *sweep, struct error *error);
/* Takes what is in the store, sets aside what was running when the machine went down, and marks
 * what is to be tried first. */
enum status sweep_take_known(const struct work *work, struct sweep *sweep, struct error *error);
/* Tells the search what other sizes, problems and devices had, where it learns from that and times
 * are what counts. */
enum status sweep_seed_elsewhere(const struct work *work, struct sweep *sweep, size_t *trials,
                                 struct error *error);
/* Names to it what the options' file has of winners, where not all points are tried. */
enum status sweep_seed_winners(const struct work *work, struct sweep *sweep, struct error *error);
/* Whether the run is about such a problem. */
bool session_picks_problem(const struct session_options *options, const struct problem *problem);

/* window.c: what is tried next, and what is compiled for it meanwhile. */
enum status window_start(const struct work *work, struct sweep *sweep, struct error *error);
/* Asks the search for more, and for their binaries. */
enum status window_fill(const struct work *work, struct sweep *sweep, struct error *error);
/* The first whose binary is there, or never will be, in hand from now on; NULL: all are being
 * compiled. Baselines go first, but nobody waits for their compiler. */
struct candidate *window_take(const struct work *work, struct sweep *sweep);
/* What a lost lane had in hand is left to the others. */
enum status window_put_back(const struct work *work, struct sweep *sweep,
                            struct candidate *candidate, struct error *error);
/* Frees the search and the window. */
void window_end(struct sweep *sweep);
/* It was tried: the search is told. */
void window_done(struct sweep *sweep, struct candidate *candidate);

/* Whether there is something to race: under a budget baselines alone are not, unless all was tried.
 */
bool sweep_has_contenders(const struct work *work, const struct sweep *sweep);
/* Counts one more problem of which there is something to say; of the first alone it is said. */
static inline bool is_first_problem(size_t *count)
{
    return (*count)++ == 0;
}

#endif
