/* Why a winner wins and what limits it: numbers out of the database, and sentences made of them.
 * Nothing here is measured; what the database does not know is left out, and never guessed. */
#ifndef TUNE_EXPLAIN_EXPLAIN_H
#define TUNE_EXPLAIN_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/store/store.h"

/* A configuration on the problem. Reals are NaN and integers -1 where the database does not know.
 */
struct explain_point {
    const char *role; /* "winner", "runner-up" or a baseline's name */
    const char *configuration;
    int64_t trial_id;
    double time_ns; /* of the stage in which the winner was chosen; else of the sweep */
    double low_ns, high_ns;
    const char *stage;
    double slower;                  /* than the winner: 0.02 is 2 %; 0 for the winner */
    double slower_low, slower_high; /* its interval, where they were raced */
    double gbs, ceiling_share;      /* of the ceiling that the experiment names, 0 ... 1 */
    double gops, arithmetic_share;  /* 10^9 operations a second; of the type's ceiling */
    double occupancy;               /* 0 ... 1, of the launch with most threads */
    double blocks_per_sm;           /* grid / units */
    double bytes_in_flight_per_sm;  /* resident threads x what one has asked for at a time */
    int64_t launches, grid, block, registers, spill_bytes, local_bytes, shared_bytes;
};

/* What changing one parameter of the winner costs, all others kept: out of the sweep. */
struct explain_sensitivity {
    const char *parameter;
    const char *value;      /* the winner's */
    const char *best_other; /* the next best value of it; NULL: no such point was tried */
    double best_other_loss; /* how much slower that is; may be below 0 (noise of a sweep) */
    const char *worst;
    double worst_loss;
    size_t neighbours; /* points that differ in this parameter alone */
};

/* What stands in the way of more speed, as far as the numbers tell. */
enum explain_limit {
    LIMIT_UNKNOWN,
    LIMIT_MEMORY,      /* near the measured ceiling of the memory */
    LIMIT_CACHE,       /* faster than memory: the data came out of a cache */
    LIMIT_ARITHMETIC,  /* near the measured ceiling of operations */
    LIMIT_LAUNCH,      /* about as short as launching takes */
    LIMIT_PARALLELISM, /* fewer blocks than units, or too few bytes in flight */
    LIMIT_LATENCY,     /* none of the ceilings is near, though the device is full */
    LIMIT_SPILLS,
};

struct explanation {
    int64_t winner_id, problem_id, environment_id;
    const char *experiment, *problem, *l2_mode, *device;
    int64_t n;
    const char *ceiling; /* "read", "write", "copy" */
    double ceiling_gbs, arithmetic_gops;
    const char *operations_type;
    struct explain_point *points; /* the winner, the runner-up if any, the baselines */
    size_t point_count;
    struct explain_sensitivity *sensitivities; /* the most sensitive first */
    size_t sensitivity_count;
    int64_t tied_count;
    const char *trust, *trust_reason; /* NULL: no verdict */
    enum explain_limit limit;
    const char *limit_text; /* one sentence: what limits it now, with the numbers that say so */
    const char **sentences; /* why it wins, each with its numbers; most telling first */
    size_t sentence_count;
};

/* Of one winner (winners.id). Texts belong to the arena. STATUS_NOT_FOUND: no such winner. */
enum status explain_winner(struct store *store, int64_t winner_id, struct arena *arena,
                           struct explanation *out, struct error *error);

/* "memory", "cache", "arithmetic", "launch", "parallelism", "latency", "spills", "unknown". */
const char *explain_limit_name(enum explain_limit limit);

#endif
