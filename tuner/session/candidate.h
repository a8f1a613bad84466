/* A candidate: one configuration in the sweep of one problem; and the table of them, by point and
 * by launches. */
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
    CANDIDATE_WAITS, /* in the window, or in a lane's hands */
    CANDIDATE_DONE,  /* it has a trial, of this run or an earlier one */
};

/* Why it is wanted besides being a point that the search asked for: a mask. */
enum candidate_wish {
    WANTED_FIRST = 1,    /* before what the search asks for: it failed, and the user wants it tried
                            again, or won elsewhere */
    WANTED_BASELINE = 2, /* it is one */
    WANTED_FOR_BASELINE = 4, /* it is one, or a baseline launches the same */
    WANTED_ASKED = 8,        /* session_options.picks names it ... */
    WANTED_INCUMBENT = 16,   /* ... to stay to the end */
};

/* Of a candidate that is no point, as a baseline may be. */
struct outsider {
    struct configuration configuration;
    const char *key;
    struct candidate *next; /* of the table's */
};

/* What checks left of a domain, and what they found wrong, and where. */
struct narrowing {
    struct domain domain;
    const char *why;
};

/* Made when the search asks for its point. There may be a million: what its point tells (its values
 * and their key) is not held. */
struct candidate {
    uint64_t point;            /* of the space; NO_POINT: it is an outsider */
    struct outsider *outsider; /* NULL: the point tells */
    uint32_t key_hash;
    uint32_t place; /* in the table */
    int64_t configuration_id;
    size_t binary;      /* NO_BINARY: not asked for yet */
    const char *broken; /* what its expressions fail with; NULL: they do not */
    uint32_t runs;      /* runs a block that its time asks for; 0: unknown */
    double median_ns;   /* NaN: none */
    double value;       /* what the search is told: of the objective as far as the
                           sweep knows it */
    int64_t trial_id;
    int64_t spent_ns;          /* on its trial of the sweep, in this run */
    int64_t twin_trial_id;     /* of a known duplicate: the trial that was measured; 0: none */
    struct candidate *same_as; /* that launches the same, and was measured; NULL: none */
    uint64_t launch_hash;      /* of what it launches; 0: unknown */
    const char *rejected;      /* by the gauntlet, or since it failed in a race: why; borrowed */
    const struct narrowing *narrowing; /* what checks left of its domain; NULL: all; borrowed */
    int64_t compared; /* results of its runs that were looked at in this run of the program: while
                         it was watched, raced and confirmed */
    enum candidate_state state;
    enum trial_status status; /* when it is done */
    unsigned wanted;          /* enum candidate_wish */
    bool watched;
    bool starved; /* `rejected` since a busy machine held up its checks: nobody is told of it */
};

/* They stay where they are; `items` has them in the order in which they were made. */
struct candidates {
    const struct space *space; /* that points are of; NULL: none are points */
    struct arena arena;
    struct candidate **items;
    size_t count, capacity;
    struct index by_point, by_launch;
    struct candidate *outside; /* those that are no points */
};

/* What is added is zero but for what is given. NULL: no memory. */
struct candidate *candidates_add(struct candidates *candidates,
                                 const struct configuration *configuration, const char *key,
                                 uint64_t point);
struct candidate *candidates_at_point(const struct candidates *candidates, uint64_t point);
struct candidate *candidates_at_key(const struct candidates *candidates,
                                    const char *key); /* slow */
/* Of those that are no points: few. */
struct candidate *candidates_outside(const struct candidates *candidates, const char *key);
/* Who was measured with such launches; NULL: nobody. */
struct candidate *candidates_at_launch(const struct candidates *candidates, uint64_t launch_hash);
/* Takes up that it was measured with its launch_hash. False: no memory. */
bool candidates_done(struct candidates *candidates, const struct candidate *candidate);
/* Nobody is found by point or launches any more. */
void candidates_settle(struct candidates *candidates);
void candidates_free(struct candidates *candidates);

/* Its key and its values: in the room, unless it is an outsider. */
const char *candidate_key(const struct candidates *candidates, const struct candidate *candidate,
                          char room[CONFIGURATION_KEY_BYTES]);
const struct configuration *candidate_configuration(const struct candidates *candidates,
                                                    const struct candidate *candidate,
                                                    struct configuration *room);
/* Whether it may win, as far as it was measured. */
bool candidate_works(const struct candidate *candidate);

#endif
