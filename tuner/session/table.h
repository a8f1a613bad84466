/* The candidates of a sweep, found by point and launches. */
#ifndef TUNE_SESSION_TABLE_H
#define TUNE_SESSION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/index.h"
#include "tuner/experiment/experiment.h"
#include "tuner/store/store.h"

/* One configuration in the sweep of one problem: made when the search asks for its point. There may
 * be a million: what its point tells is not held. */
struct candidate {
    const struct configuration *own; /* of a baseline that is no point; NULL: the point tells */
    const char *key;
    uint64_t point; /* of the space; NO_POINT: a baseline that is none */
    int64_t configuration_id;
    struct candidate *next_outside; /* of the table's candidates with `own` */
    size_t binary;                  /* NO_BINARY: not asked for yet */
    const char *broken;             /* what its expressions fail with; NULL: they do not */
    uint32_t place;                 /* in the table */
    uint32_t runs;                  /* runs a block that its time asks for; 0: unknown */
    double median_ns;               /* NaN: none */
    double value; /* what the search is told: of the objective as far as the sweep knows it */
    int64_t trial_id;
    int64_t twin_trial_id;     /* of a known duplicate: the trial that was measured; 0: none */
    struct candidate *same_as; /* that launches the same, and was measured; NULL: none */
    uint64_t launch_hash;      /* of what it launches; 0: unknown */
    const char *rejected;      /* by the gauntlet, or since it failed in a race: why; borrowed */
    int64_t rejected_at;       /* the size at which, where it is not the problem's; else 0 */
    int64_t compared; /* results of its runs that were looked at in this run of the program: while
                         it was watched, raced and confirmed */
    enum trial_status status;
    bool done;
    bool waits; /* in the window, or in a lane's hands */
    bool again; /* to be tried before what the search asks for: it failed, and the user wants it
                   tried again, or won elsewhere */
    bool asked, asked_incumbent; /* session_options.only names it */
    bool is_baseline;
    bool stands_for_baseline; /* is one, or a baseline launches the same */
    bool watched;
};
#define NO_POINT  UINT64_MAX
#define NO_BINARY SIZE_MAX

/* The candidates of a sweep. They stay where they are; `items` has them in the order in which they
 * were made. */
struct table {
    struct arena arena;
    struct candidate **items;
    size_t count, capacity;
    struct index by_point, by_launch;
    struct candidate *outside; /* those with `own` */
};

/* table.c: what is added is zero but for what is given. NULL: no memory, or (point_key) its values
 * are too long. */
struct candidate *table_add(struct table *table, const struct configuration *configuration,
                            const char *key, uint64_t point);
struct candidate *table_at_point(const struct table *table, uint64_t point); /* NULL: none */
struct candidate *table_at_key(const struct table *table, const char *key);  /* looks at all */
struct candidate *table_outside(const struct table *table, const char *key); /* no point; few */
/* Who was measured with such launches; NULL: nobody. */
struct candidate *table_at_launch(const struct table *table, uint64_t launch_hash);
/* Takes up that it was measured with its launch_hash. */
bool table_done(struct table *table, const struct candidate *candidate);
void table_free(struct table *table);

#endif
