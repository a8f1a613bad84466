/* Explains a winner's gain and its limit: numbers from the database, and sentences. No
 * measurement is made; unknown numbers are left out, never guessed. */
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
    const char *parameters; /* the configuration as a JSON object */
    const char *status;     /* "ok"; else the reason why there is no time */
    int64_t trial_id;       /* trial of time_ns; -1: none */
    double time_ns;         /* in `stage` */
    double low_ns, high_ns; /* interval; of the winner alone */
    const char
        *stage; /* "confirm", "race", "sweep": the winner's stage if timed there; NULL: no time */
    const char *standing; /* "winner"; "as fast", "slower" (both shown); "not compared" (to the
                             end); "out" (could not win); NULL: not raced */
    double slower; /* relative to the winner, from shared rounds: 0.02 is 2 %; below 0: faster.
                      Another objective: how much worse. A runner-up without shared rounds: from two
                      times of `stage` */
    double slower_low, slower_high; /* interval of `slower`, from shared rounds */
    double gbs, ceiling_share;      /* share of the experiment's ceiling, 0 ... 1 */
    double gops, arithmetic_share;  /* 10^9 operations per second; of the type's ceiling */
    double occupancy;               /* 0 ... 1, of the launch with most threads; so is the rest: */
    double blocks_per_sm;           /* grid / units */
    double bytes_per_thread;        /* requested by a thread at a time, from the experiment */
    double bytes_in_flight_per_sm;  /* requested by the threads resident at once */
    int64_t launches, grid, block, registers, spill_bytes, local_bytes, shared_bytes;
    int64_t threads;          /* CPU: threads that share the grid */
    int64_t resident_threads; /* GPU: on an SM at once */
};

/* Cost of leaving the winner's value of a parameter, from the sweep: how much slower the fastest
 * point with another value is than the fastest of all. */
struct explain_sensitivity {
    const char *parameter;
    const char *value;      /* the winner's */
    const char *best_other; /* value of the fastest point with another one */
    double best_other_loss; /* loss of that point, relative to the fastest of all; 0 and above */
    const char *best_other_with; /* parameters in which that point differs from the winner, too:
                                    "cluster_size", "4 others"; NULL: none */
    const char *worst;           /* the value whose fastest point is the slowest */
    double worst_loss;
    const char *worst_with;
    int64_t values; /* other values that were timed */
    bool alone;     /* the fastest point has no other difference */
};

/* The limit of further speed, as far as the numbers tell; docs/why.md has the rules. */
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
    struct explain_sensitivity *sensitivities; /* the one that costs most first */
    size_t sensitivity_count;
    double delta,
        confidence; /* difference that counts as none, relative; confidence of the intervals */
    int64_t as_fast, not_compared;  /* number of others with that standing; -1: unknown */
    const char *coverage;           /* how much of the space was tried; NULL: unknown */
    int64_t tried, space, failures; /* points; -1: unknown */
    double most_better;             /* as in the search; NaN: unknown */
    int64_t compared;               /* results compared, and right; -1: unknown */
    bool kept_incumbent; /* an earlier winner, kept as no candidate was shown to be better */
    const char *trust, *trust_reason; /* NULL: no verdict */
    const char *headline;             /* the verdict in words that a headline may give */
    enum explain_limit limit;
    double launch_share; /* share of empty launches in the winner's time; NaN: unknown */
    int64_t
        busy_units; /* multiprocessors or cores with work; blocks if there are more; -1: unknown */
    struct clouds clouds;   /* groups of the winner's times, at least delta apart */
    const char *limit_text; /* one sentence: the limit, with its numbers */
    const char **sentences; /* reasons why the winner wins, with numbers; most telling first */
    size_t sentence_count;
    size_t comparison_count; /* sentences that compare points; sensitivities follow */
};

/* Explains one winner (winners.id). Texts belong to the arena. Returns STATUS_NOT_FOUND for an
 * unknown winner. */
enum status explain_winner(struct store *store, int64_t winner_id, struct arena *arena,
                           struct explanation *explanation, struct error *error);

/* Finds out whether the times that decided a winner (winners.id) form two groups, at least
 * `apart_least` apart. Finds none without single samples, or for a winner of the sweep. */
enum status explain_clouds(struct store *store, int64_t winner_id, double apart_least,
                           struct clouds *clouds, struct error *error);

/* Returns "memory", "cache", "arithmetic", "launch", "parallelism", "latency", "spills" or
 * "unknown". */
const char *explain_limit_name(enum explain_limit limit);

/* Parameters of a configuration and values as text, in the JSON object's order (NULL: none). */
enum { EXPLAIN_SETTINGS_MAX = 64 };
struct explain_setting {
    const char *name, *value;
};
struct explain_settings {
    size_t count;
    struct explain_setting items[EXPLAIN_SETTINGS_MAX];
};
/* Reads settings from JSON; texts belong to the arena. Returns false when memory is short. */
bool explain_read_settings(const char *parameters, struct arena *arena,
                           struct explain_settings *settings);

/* Appends the parameters (a JSON object) in which `other` differs, with its values: "block=64
 * loads=8". Returns the count. */
size_t explain_put_differences(struct text *text, const char *parameters, const char *other);

/* Appends a winner's launches (a JSON array from db/queries/winners.sql; NULL: unknown): "<<<264,
 * 512>>>, then <<<1, 512>>>", "16 blocks on 2 threads". */
void explain_append_launches(struct text *text, const char *launches);

#endif
