/* A candidate: one configuration in the sweep of one problem; and the table of candidates, by point
 * and by launches. */
#ifndef TUNE_SESSION_CANDIDATE_H
#define TUNE_SESSION_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/index.h"
#include "tuner/experiment/domain.h"
#include "tuner/store/store.h"

#define NO_POINT  UINT64_MAX
#define NO_BINARY SIZE_MAX

enum candidate_state {
    CANDIDATE_NEW,
    CANDIDATE_WAITS, /* in the window, or with a lane */
    CANDIDATE_DONE,  /* has a trial, of this run or an earlier one */
};

/* Reasons for a trial beside the search's request: a mask. */
enum candidate_wish {
    WANTED_FIRST = 1,    /* before the search's points: a failure that the user wants retried, or a
                            winner of elsewhere */
    WANTED_BASELINE = 2, /* a baseline */
    WANTED_FOR_BASELINE = 4, /* a baseline, or launched alike by one */
    WANTED_PICKED = 8,       /* named by session_options.picks ... */
    WANTED_INCUMBENT = 16,   /* ... to stay to the end */
};

/* The values of a candidate outside the space, such as a baseline. */
struct outsider {
    struct configuration configuration;
    const char *key;
    struct candidate *next; /* next one of the table */
};

/* The part of a domain that checks have left, and the failure found. */
struct narrowing {
    struct domain domain;
    const char *why;
    int64_t checked; /* last size that was checked since; 0: none */
};

/* Made when the search requests its point. A million may exist, so values and key, which follow
 * from the point, are not stored. */
struct candidate {
    uint64_t point;            /* in the space; NO_POINT: an outsider */
    struct outsider *outsider; /* NULL: a point of the space */
    uint32_t key_hash;
    uint32_t place; /* index in the table */
    int64_t configuration_id;
    size_t binary;      /* NO_BINARY: not requested yet */
    const char *broken; /* error of the expressions; NULL: none */
    uint32_t runs;      /* runs a block, by the time; 0: unknown */
    double median_ns;   /* NaN: none */
    double value;       /* value for the search: the objective as known in the sweep */
    int64_t trial_id;
    int64_t spent_ns;            /* trial time in this run's sweep */
    int64_t twin_trial_id;       /* measured trial of a known duplicate; 0: none */
    struct candidate *same_as;   /* measured candidate with the same launches; NULL: none */
    uint64_t launch_hash;        /* hash of the launches; 0: unknown */
    const char *rejected;        /* reason of the gauntlet or of a failed race; borrowed */
    struct narrowing *narrowing; /* domain left by checks; NULL: whole; borrowed */
    int64_t compared; /* results compared in this run of the program, while watched, raced and
                         confirmed */
    enum candidate_state state;
    enum trial_status status; /* valid once done */
    unsigned wanted;          /* enum candidate_wish */
    bool watched;
    bool starved; /* `rejected` because a busy machine held up the checks: not reported */
};

/* The table. Candidates do not move; `items` has the order of creation. */
struct candidates {
    const struct space *space; /* space of the points; NULL: none are points */
    struct arena arena;
    struct candidate **items;
    size_t count, capacity;
    struct index by_point, by_launch;
    struct candidate *outside; /* list of candidates outside the space */
};

/* Adds a candidate, zero but for the given values. NULL: no memory. */
struct candidate *candidates_add(struct candidates *candidates,
                                 const struct configuration *configuration, const char *key,
                                 uint64_t point);
struct candidate *candidates_at_point(const struct candidates *candidates, uint64_t point);
struct candidate *candidates_at_key(const struct candidates *candidates,
                                    const char *key); /* slow */
/* Finds a candidate outside the space by key, among few. */
struct candidate *candidates_outside(const struct candidates *candidates, const char *key);
/* Finds the candidate that was measured with these launches; NULL: none. */
struct candidate *candidates_at_launch(const struct candidates *candidates, uint64_t launch_hash);
/* Records that the candidate was measured with this launch_hash. False: no memory. */
bool candidates_done(struct candidates *candidates, const struct candidate *candidate);
/* Frees the indices by point and launches, which find no candidate afterwards. */
void candidates_settle(struct candidates *candidates);
void candidates_free(struct candidates *candidates);

/* Returns the candidate's key or values, in `room` unless it is an outsider. */
const char *candidate_key(const struct candidates *candidates, const struct candidate *candidate,
                          char room[CONFIGURATION_KEY_BYTES]);
const struct configuration *candidate_configuration(const struct candidates *candidates,
                                                    const struct candidate *candidate,
                                                    struct configuration *room);
/* Returns whether the candidate may win, by the results so far. */
bool candidate_works(const struct candidate *candidate);

#endif
