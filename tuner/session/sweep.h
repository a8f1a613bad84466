/* The sweep of one problem: the search's points, each configuration timed alone. */
#ifndef TUNE_SESSION_SWEEP_H
#define TUNE_SESSION_SWEEP_H

#include "tuner/search/search.h"
#include "tuner/session/track.h"

/* Candidates to be tried, in order; the first ones before the search's points. */
struct window {
    struct candidate **items;
    size_t count, capacity;
    size_t in_hand;        /* taken by lanes and not done yet */
    size_t baselines_left; /* baselines not done yet */
    bool is_closed;        /* takes no further points: only compilations under way are awaited */
};

enum { TUPLES_MAX = 192 };

struct sweep {
    struct inputs inputs;
    struct space *space;
    uint64_t space_count; /* legal configurations */
    struct candidates candidates;
    struct candidate *best;                 /* NULL: none yet */
    char best_key[CONFIGURATION_KEY_BYTES]; /* for the progress */
    struct search *search;                  /* NULL: not begun, or over */
    struct search_view *view;               /* the search's view of the space */
    const char *strategy;                   /* the search's; NULL: no search */
    struct allowance allowance;             /* part of the budget */
    uint64_t points;                        /* points tried or in the window, without baselines */
    struct window window;
    bool searched_all; /* the search ended by itself, not by the budget */
    struct {
        double sum; /* sum of relative median absolute deviations of trials' blocks */
        size_t count;
    } spread;
    size_t measured;                      /* trials of this run */
    size_t failures;                      /* of these */
    size_t unlaunchable, duplicates;      /* set aside in this run without the device */
    double chance_of_better, most_better; /* as store_search has them */
    /* Configuration at which the inputs are described. */
    struct configuration representative;
    int64_t tuples[TUPLES_MAX][SIZE_NAMES_MAX]; /* at which checks run (contest_tuple) */
    size_t tuple_count;
    struct arena arena; /* memory for the sweep's lifetime */
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

/* sweep.c: Adds the baselines, takes known trials, and measures the search's points with all
 * devices of the group. */
enum status sweep_problem(const struct work *work, struct sweep *sweep, struct error *error);

/* Adds a lane, with the mutex, unless it takes part already. */
void sweep_admit(struct sweeping *sweeping, struct lane *lane);

/* trial.c: Finds the configuration at which a problem's inputs are described. */
void work_representative(const struct work *work, struct space *space, struct configuration *out);
/* Opens a sweep of the problem in the space, and takes over the space (also on failure). An empty
 * space is an error. */
enum status sweep_open(struct sweep *sweep, const struct work *work, struct space *space,
                       struct error *error);
void sweep_free(struct sweep *sweep);

/* Returns whether only "auto" limits the points of a space that are tried. */
bool session_leaves_points(const struct session_options *options, uint64_t space_count);
/* Returns the limit of points; a search that begins with results of others may need fewer. */
uint64_t session_points(const struct session_options *options, uint64_t space_count);
/* Finds or makes the candidate of a point, or of a configuration that may be one. */
enum status sweep_candidate(const struct work *work, struct sweep *sweep, uint64_t point,
                            struct candidate **candidate, struct error *error);
enum status sweep_candidate_of(const struct work *work, struct sweep *sweep,
                               const struct configuration *configuration,
                               struct candidate **candidate, struct error *error);
/* Finds the candidate's binary; with `wanted` requests it. */
enum status sweep_request_binary(const struct work *work, struct sweep *sweep,
                                 struct candidate *candidate, bool wanted, struct error *error);
/* Finds the best candidate anew. */
void sweep_find_best(struct sweep *sweep);
/* Marks a candidate as done, with samples, counts and the best so far. */
enum status sweep_take_trial(const struct work *work, struct sweep *sweep,
                             struct candidate *candidate, struct error *error);
/* Returns a measurer of this sweep's candidates on the lane. */
struct track sweep_track(const struct work *work, struct sweep *sweep, struct lane *lane,
                         const char *stage);
/* Checks a prepared slot before it costs the device any time, by the resources and the machine code
 * of its binary. The outcome reports a block that does not fit, a failing expression, or another
 * candidate with the same launches. */
enum status sweep_foresee(const struct work *work, struct sweep *sweep, struct slot *slot,
                          struct error *error);
/* Stores a trial of stage "sweep" without samples. */
enum status sweep_record(const struct work *work, struct sweep *sweep, struct lane *lane,
                         struct candidate *candidate, const struct worker_outcome *outcome,
                         struct error *error);
/* Measures and stores one candidate. After the loss of the lane the candidate is unchanged. */
enum status sweep_try(const struct work *work, struct sweep *sweep, struct lane *lane,
                      struct candidate *candidate, struct error *error);

/* known.c: Adds the experiment's baselines to the candidates and the store. */
enum status sweep_add_baselines(const struct work *work, struct sweep *sweep, struct error *error);
/* Takes the store's trials, sets aside those that were running when the machine went down, and
 * marks those to be tried first. */
enum status sweep_take_known(const struct work *work, struct sweep *sweep, struct error *error);
/* Passes trials of other sizes, problems and devices to a search that learns from them, if the
 * objective is the time. */
enum status sweep_seed_elsewhere(const struct work *work, struct sweep *sweep, size_t *trials,
                                 struct error *error);
/* Passes the winners of the options' file to the search, unless all points are tried. */
enum status sweep_seed_winners(const struct work *work, struct sweep *sweep, struct error *error);
/* Returns whether the problem has a requested size; those of several names are selected with the
 * experiments. */
bool session_has_size(const struct session_options *options, const struct problem *problem);
/* Returns whether the run includes the problem. */
bool session_picks_problem(const struct session_options *options, const struct problem *problem);

/* window.c: Begins the window: candidates to be tried next, and compiled meanwhile. */
enum status window_start(const struct work *work, struct sweep *sweep, struct error *error);
/* Requests further points of the search, and their binaries. */
enum status window_fill(const struct work *work, struct sweep *sweep, struct error *error);
/* Returns whether the device waits under a budget: all candidates are still being compiled, or the
 * next batch is to be. */
bool window_waits(const struct work *work, const struct sweep *sweep);
/* Takes the first candidate whose binary is ready, or failed; NULL: all are being compiled.
 * Baselines come first, but do not hold up others while being compiled. */
struct candidate *window_take(const struct work *work, struct sweep *sweep);
/* Returns a lost lane's candidate to the window. */
enum status window_put_back(const struct work *work, struct sweep *sweep,
                            struct candidate *candidate, struct error *error);
/* Frees the search and the window. */
void window_end(struct sweep *sweep);

/* Returns whether there are candidates to race: under a budget baselines alone are not enough,
 * unless all points were tried, or so many failed that the contest reports the reason. */
bool sweep_has_contenders(const struct work *work, const struct sweep *sweep);
#endif
