/* What is concluded from trials, and by what evidence: baselines, rounds, gauntlets, winners with
 * their contenders, ranges of sizes, and what other programs measured. An objective that is NULL is
 * "time". */
#ifndef TUNE_STORE_EVIDENCE_H
#define TUNE_STORE_EVIDENCE_H

#include "tuner/base/conditions.h"
#include "tuner/base/launch.h"
#include "tuner/base/text.h"
#include "tuner/store/store.h"

enum status store_baseline(struct store *store, int64_t environment_id, int64_t problem_id,
                           const char *name, const char *about, int64_t configuration_id,
                           struct error *error);
/* A round of a race or of a process that confirms. */
struct store_round {
    int64_t run_id;
    int64_t problem_id;
    const char *stage; /* "race", "confirm" */
    const char *objective;
    int32_t process;
    int32_t ordinal;
    const char *fault;                      /* why it does not count; NULL: it does */
    double anchor_first_ns, anchor_last_ns; /* NaN: NULL */
    int64_t twin_configuration_id;          /* measured twice in the round; 0: none */
    double first_ns, twin_ns;               /* its two medians; NaN: NULL */
    struct conditions conditions;           /* after the round */
    int64_t at_ns;                          /* since the start of the run */
};
/* Replaces all rounds of that run, problem, stage, objective and process; they may be of several of
 * these, one after the other. */
enum status store_rounds(struct store *store, const struct store_round *items, size_t count,
                         struct error *error);

/* What the gauntlet said of a configuration's binary. */
struct store_gauntlet {
    int64_t environment_id;
    int64_t problem_id;
    int64_t configuration_id;
    const char *binary_hash;
    bool passed;
    int32_t cases;      /* that were run */
    const char *detail; /* of the case that failed; NULL: none */
};
enum status store_gauntlet_put(struct store *store, const struct store_gauntlet *row,
                               struct error *error);
/* *found false: never run with that binary. `detail` (ERROR_TEXT_BYTES) may be NULL. */
enum status store_gauntlet_get(struct store *store, int64_t environment_id, int64_t problem_id,
                               int64_t configuration_id, const char *binary_hash, bool *found,
                               bool *passed, char *detail, struct error *error);

/* Where a configuration may be used (db/README.md, domains). */
struct store_domain {
    int64_t environment_id, experiment_id;
    const char *problem_key;
    int64_t configuration_id;
    const char *binary_hash;
    int64_t multiple, least, is_listed;
    const char *reason, *formula; /* NULL: none */
};
enum status store_domain_put(struct store *store, const struct store_domain *row,
                             struct error *error);
/* Takes the key from the row and fills in the others but for the formula; texts are the arena's. */
enum status store_domain_get(struct store *store, struct arena *arena, struct store_domain *row,
                             bool *found, struct error *error);
/* At which size a configuration was wrong, so that it is out at all: the view `refuted`. */
struct store_refutation {
    int64_t configuration_id, n;
    const char *detail;
};
/* Of the environment, experiment and problem key, by configuration; the arena's. */
enum status store_refuted(struct store *store, const struct store_domain *of, struct arena *arena,
                          struct store_refutation **rows, size_t *count, struct error *error);

/* A finalist as the choice saw it. */
struct store_contender {
    int64_t configuration_id;
    int64_t trial_id;
    int32_t place;                                      /* by time, 1 first */
    double difference, difference_low, difference_high; /* relative, to the fastest; NaN: NULL */
    bool proven, tied;
    const char *out; /* why it could not win: "baseline", "gauntlet: ..."; NULL: it could */
};
/* How a contender did with caches in another state than the winner's mode. */
struct store_state {
    const char *state; /* "dirty", "hot" */
    int64_t configuration_id;
    int64_t trial_id;
    /* Relative, to the fastest there of those that are tied; NaN: NULL. */
    double difference, difference_low, difference_high;
    bool tied;
};
struct store_winner {
    int64_t environment_id;
    int64_t problem_id;
    enum l2_mode l2_mode;
    const char *objective;
    int64_t trial_id;
    int64_t run_id;
    const char *stage; /* that it was chosen by: "race", "confirm"; "sweep" when ended before */
    int64_t candidate_count;          /* configurations it was chosen from */
    int64_t space_count;              /* legal ones there are */
    double value;                     /* of the objective */
    double time_low_ns, time_high_ns; /* interval of the median run; NaN: NULL */
    double delta;                     /* what counted as a tie, relative */
    double floor;                     /* A/A, relative; NaN: NULL */
    double claim;      /* no configuration is better by more than this, relative ... */
    double confidence; /* ... at this confidence; NaN: NULL */
    int32_t processes, rounds, rounds_dropped;
    int32_t tied_count; /* the winner counted */
    bool kept_incumbent;
    int64_t compared;   /* results of its runs that were compared, and right; 0: NULL */
    const char *inputs; /* "changed", "alike"; NULL: not known */
    const char *trust;  /* "sound", "noisy", "unstable" */
    const char *trust_reason;
    const struct store_contender *contenders;
    size_t contender_count;
    const struct store_state *states;
    size_t state_count;
};
/* The winner with its contenders and their states, in one transaction; the one before of the same
 * environment, problem, mode and objective is replaced. */
enum status store_winner_put(struct store *store, const struct store_winner *winner,
                             struct error *error);
/* It turned out to be wrong, and no other was chosen. Its ranges go with it. */
enum status store_winner_drop(struct store *store, int64_t environment_id, int64_t problem_id,
                              enum l2_mode mode, const char *objective, struct error *error);
/* The winner of a problem in short; texts are "" where nothing is known. */
struct store_choice {
    int64_t trial_id; /* 0: there is no winner, or it is refuted by now */
    char stage[16];   /* as in struct store_winner */
    char trust[16];
    char effort[16]; /* of the run that chose it */
};
enum status store_winner_get(struct store *store, int64_t environment_id, int64_t problem_id,
                             enum l2_mode mode, const char *objective, struct store_choice *out,
                             struct error *error);
/* The key of the newest winner of this device and problem (by experiment name, problem key and n,
 * whatever the environment), for the incumbent; false in *found when there is none. `key` is
 * appended to, and to `parameters` (may be NULL) its values as a JSON object. */
enum status store_incumbent(struct store *store, int64_t environment_id, int64_t problem_id,
                            enum l2_mode mode, const char *objective, bool *found, struct text *key,
                            struct text *parameters, struct error *error);

/* A range of sizes with one configuration. */
struct store_range_check {
    int64_t n;
    const char *shape; /* all sizes where they have several names, "1024x512"; NULL: n is all */
    bool measured;     /* a size of the experiment; false: one between */
    double loss, loss_low, loss_high; /* relative, to the best of those looked at */
    int64_t best_configuration_id;
};
struct store_range {
    int64_t n_low, n_high; /* inclusive */
    const char *further;   /* the sizes besides n, "m@16-64 k@8"; NULL: there are none */
    int64_t configuration_id;
    double bound; /* worst loss at its measured sizes, upper bound where it was looked at */
    const struct store_range_check *checks;
    size_t check_count;
};
struct store_ranges {
    int64_t environment_id;
    int64_t experiment_id;
    const char *problem_key; /* of sizes of several names without them */
    enum l2_mode l2_mode;
    const char *objective;
    int64_t run_id;
    double within;
    const struct store_range *ranges;
    size_t count;
};
/* Replaces all ranges of that environment, experiment, problem key, mode and objective. */
enum status store_ranges_put(struct store *store, const struct store_ranges *group,
                             struct error *error);

/* A time of another implementation of a problem, measured by another program. */
struct store_peer {
    const char *problem_key;
    int64_t n;
    enum l2_mode l2_mode;
    const char *name;
    double time_ns;
    double mad_ns, tuned_ns, ratio, ratio_low, ratio_high; /* NaN: NULL */
    int64_t rounds;                                        /* below 0: NULL */
};
/* All of them or none; each replaces that of its environment, problem, n, mode and name. `source`
 * is where they come from. */
enum status store_peers_put(struct store *store, int64_t environment_id, const char *source,
                            const struct store_peer *items, size_t count, struct error *error);

#endif
