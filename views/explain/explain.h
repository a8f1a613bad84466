/* Why a winner wins and what limits it: numbers out of the database, and sentences made of them.
 * Nothing here is measured; what the database does not know is left out, and never guessed. */
#ifndef TUNE_EXPLAIN_EXPLAIN_H
#define TUNE_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/stats/clouds.h"
#include "tuner/store/store.h"

/* A configuration on the problem. Reals are NaN and integers -1 where the database does not know,
 * texts NULL. */
struct explain_point {
    const char *role;  /* "winner", "runner-up" or a baseline's name */
    const char *about; /* a baseline's */
    const char *configuration;
    const char *parameters; /* the same as a JSON object */
    const char *status;     /* "ok"; of what has no time, why */
    int64_t trial_id;       /* that time_ns is of; -1: none */
    double time_ns;         /* in `stage` */
    double low_ns, high_ns; /* interval; of the winner alone */
    const char *stage;      /* "confirm", "race", "sweep": the winner's own, where it was timed in
                               that; NULL: no time */
    const char *standing;   /* "winner"; "as fast", "slower" (shown); "not compared" (to the end);
                               "out" (could not win); NULL: it was not raced */
    double slower; /* than the winner, in rounds that they shared: 0.02 is 2 %; below 0: faster. Of
                      another objective than time: how much worse by that. Of a runner-up that
                      shared none: by the two times of `stage` */
    double slower_low, slower_high; /* its interval, where they shared rounds */
    double gbs, ceiling_share;      /* of the ceiling that the experiment names, 0 ... 1 */
    double gops, arithmetic_share;  /* 10^9 operations per second; of the type's ceiling */
    double occupancy;               /* 0 ... 1, of the launch with most threads; so is the rest: */
    double blocks_per_sm;           /* grid / units */
    double bytes_per_thread;        /* that one thread asks for at a time, as the experiment says */
    double bytes_in_flight_per_sm;  /* of the threads resident at once */
    int64_t launches, grid, block, registers, spill_bytes, local_bytes, shared_bytes;
    int64_t threads;          /* of a CPU: that share the grid */
    int64_t resident_threads; /* of a GPU: on an SM at once */
};

/* What changing one parameter of the winner costs, all others kept: out of the sweep. Where
 * constraints tie it to others, so that it was never changed alone: the points that change the
 * least with it (up to two others), and what else changes. */
struct explain_sensitivity {
    const char *parameter;
    const char *value;      /* the winner's */
    const char *best_other; /* the next best value of it; NULL: no such point was tried */
    double best_other_loss; /* how much slower that is; may be below 0 (noise of a sweep) */
    const char
        *best_other_with; /* parameters that had to change with it: "cluster_size"; NULL: none */
    const char *worst;
    double worst_loss;
    const char *worst_with;
    int64_t values; /* other values that are compared here */
    bool alone;     /* all others were kept */
};

/* What stands in the way of more speed, as far as the numbers tell; docs/why.md has the rules. */
enum explain_limit {
    LIMIT_UNKNOWN,
    LIMIT_MEMORY,      /* near the measured ceiling of the memory */
    LIMIT_CACHE,       /* faster than memory: the data came out of a cache */
    LIMIT_ARITHMETIC,  /* near the measured ceiling of operations */
    LIMIT_LAUNCH,      /* about as short as launching takes */
    LIMIT_PARALLELISM, /* fewer blocks than units, or too few bytes in flight */
    LIMIT_LATENCY,     /* none of the ceilings is near */
    LIMIT_SPILLS,      /* registers that are kept in memory */
};

struct explanation {
    int64_t winner_id, problem_id, environment_id;
    const char *experiment, *problem, *l2_mode, *objective;
    const char *device, *device_kind, *driver, *compiler;
    int64_t unit_count; /* multiprocessors, cores */
    int64_t n;
    const char *ceiling; /* "read", "write", "copy" */
    double ceiling_gbs, arithmetic_gops;
    const char *operations_type;
    struct explain_point *points; /* the winner, the runner-up if any, the baselines */
    size_t point_count;
    struct explain_sensitivity *sensitivities; /* those alone first, the most sensitive first */
    size_t sensitivity_count;
    double delta, confidence;         /* what counts as a tie, relative; of the intervals */
    int64_t as_fast, not_compared;    /* others that stand so; -1: unknown */
    const char *coverage;             /* how much of the space was tried; NULL: unknown */
    int64_t tried, space, failures;   /* points; -1: unknown */
    double most_better;               /* as the search has it; NaN: unknown */
    int64_t compared;                 /* results compared, and right; -1: unknown */
    bool kept_incumbent;              /* it had won before, and nothing is shown to be better */
    const char *trust, *trust_reason; /* NULL: no verdict */
    enum explain_limit limit;
    double launch_share; /* of the winner's time, for empty launches in its place; NaN: unknown */
    int64_t busy_units;  /* multiprocessors, or cores, that it gives work to; blocks where there are
                            more; -1: unknown */
    struct clouds clouds;   /* of its times, at least delta apart */
    const char *limit_text; /* one sentence: what limits it now, with the numbers that say so */
    const char **sentences; /* why it wins, each with its numbers; most telling first */
    size_t sentence_count;
    size_t comparison_count; /* of them, those that compare points; behind them, sensitivities */
};

/* Of one winner (winners.id). Texts belong to the arena. STATUS_NOT_FOUND: no such winner. */
enum status explain_winner(struct store *store, int64_t winner_id, struct arena *arena,
                           struct explanation *explanation, struct error *error);

/* Whether the times that a winner (winners.id) was chosen by form two groups, at least
 * `apart_least` apart. Of a database without single samples, or a winner of the sweep, none are
 * found. */
enum status explain_clouds(struct store *store, int64_t winner_id, double apart_least,
                           struct clouds *clouds, struct error *error);

/* "memory", "cache", "arithmetic", "launch", "parallelism", "latency", "spills", "unknown". */
const char *explain_limit_name(enum explain_limit limit);

/* The parameters of a configuration with their values as texts, in the order of its JSON object
 * (NULL: none). */
enum { EXPLAIN_SETTINGS_MAX = 64 };
struct explain_setting {
    const char *name, *value;
};
struct explain_settings {
    size_t count;
    struct explain_setting items[EXPLAIN_SETTINGS_MAX];
};
/* Texts belong to the arena. False when memory is short. */
bool explain_read_settings(const char *parameters, struct arena *arena,
                           struct explain_settings *settings);

/* The launches of a winner (a JSON array, as db/queries/winners.sql gives it; NULL: none is known):
 * "<<<264, 512>>>, then <<<1, 512>>>", "16 blocks on 2 threads". */
void explain_append_launches(struct text *text, const char *launches);

#endif
