/* Conclusions from trials, with their evidence: baselines, rounds, gauntlets, winners with their
 * contenders, ranges of sizes, and measurements of other programs. An objective that is NULL is
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
/* A round of a race or of a confirming process. */
struct store_round {
    int64_t run_id;
    int64_t problem_id;
    const char *stage; /* "race", "confirm" */
    const char *objective;
    int32_t process;
    int32_t ordinal;
    const char *fault;                      /* reason why the round is dropped; NULL: valid */
    double anchor_first_ns, anchor_last_ns; /* NaN: NULL */
    int64_t twin_configuration_id;          /* measured twice in the round; 0: none */
    double first_ns, twin_ns;               /* medians of its two measurements; NaN: NULL */
    struct conditions conditions;           /* after the round */
    int64_t at_ns;                          /* since the start of the run */
};
/* Replaces all rounds of each run, problem, stage, objective and process among the items; rounds of
 * one such group are consecutive. */
enum status store_rounds(struct store *store, const struct store_round *items, size_t count,
                         struct error *error);

/* Gauntlet's verdict on a configuration's binary. */
struct store_gauntlet {
    int64_t environment_id;
    int64_t problem_id;
    int64_t configuration_id;
    const char *binary_hash;
    bool passed;
    int32_t cases;      /* number of cases run */
    const char *detail; /* failed case; NULL: none */
};
enum status store_gauntlet_put(struct store *store, const struct store_gauntlet *row,
                               struct error *error);
/* Finds the verdict; *found false: this binary never ran it. `detail` (ERROR_TEXT_BYTES) may be
 * NULL. */
enum status store_gauntlet_get(struct store *store, int64_t environment_id, int64_t problem_id,
                               int64_t configuration_id, const char *binary_hash, bool *found,
                               bool *passed, char *detail, struct error *error);

/* Sizes at which a configuration may be used (db/README.md, domains). */
struct store_domain {
    int64_t environment_id, experiment_id;
    const char *problem_key;
    int64_t configuration_id;
    const char *binary_hash;
    int64_t multiple, least, most, is_listed; /* as in struct domain */
    /* NULL: none. Of a tuple of sizes the formula is domain_multiples, "1x4". */
    const char *reason, *formula;
};
enum status store_domain_put(struct store *store, const struct store_domain *row,
                             struct error *error);
/* Forgets the domains with the row's reason of all sizes of several names of the row's problem key;
 * *due: there were any. */
enum status store_domains_forget(struct store *store, const struct store_domain *row, bool *due,
                                 struct error *error);
/* Finds whether the row's binary passed the checks at some size of the row's problem. */
enum status store_domain_is_checked(struct store *store, const struct store_domain *row,
                                    bool *checked, struct error *error);
/* Reads the row with the key given in *row and fills in all other members; texts are in the arena.
 */
enum status store_domain_get(struct store *store, struct arena *arena, struct store_domain *row,
                             bool *found, struct error *error);
/* Fills in the domain that checks of the row's binary found at another tuple of the same problem;
 * *found false: nothing. */
enum status store_domain_of_family(struct store *store, struct arena *arena,
                                   struct store_domain *row, bool *found, struct error *error);
/* Finds whether the configuration passed checks at tuples other than the listed ones of the row's
 * problem key. */
enum status store_tuples_are_checked(struct store *store, const struct store_domain *row,
                                     bool *checked, struct error *error);
/* Gives a configuration that is confined at one tuple of the row's problem key the same domain at
 * all of these. */
enum status store_domains_spread(struct store *store, const struct store_domain *row,
                                 struct error *error);
/* A size at which a configuration was wrong, so that it is out at all sizes: the view `refuted`. */
struct store_refutation {
    int64_t configuration_id, n;
    const char *detail, *binary_hash; /* "": unknown */
    int64_t is_outdated; /* 1: marked as of a binary that the configuration no longer has there */
};
/* Reads the refutations for `of`'s environment, experiment and problem key, by configuration, into
 * the arena. */
enum status store_refuted(struct store *store, const struct store_domain *of, struct arena *arena,
                          struct store_refutation **rows, size_t *count, struct error *error);
/* Marks one of these as outdated, which then refutes nothing, or no longer. */
enum status store_refutation_mark(struct store *store, const struct store_domain *of,
                                  const struct store_refutation *row, bool is_outdated,
                                  struct error *error);
/* Finds the failure that most trials of a problem's sweep share, as "launch_failed: its detail"; ""
 * if none failed. The text is in the arena. */
enum status store_main_failure(struct store *store, int64_t environment_id, int64_t problem_id,
                               struct arena *arena, const char **out, struct error *error);
/* Beginning of the reason of a failed check, followed by the size. */
#define STORE_FAILED_AT "gauntlet: n="
struct store_failed_size {
    int64_t n;
};
/* Reads the sizes at which configurations of `of`'s experiment and problem key failed a check, on
 * any device, ascending, into the arena. */
enum status store_failed_sizes(struct store *store, const struct store_domain *of,
                               struct arena *arena, struct store_failed_size **rows, size_t *count,
                               struct error *error);

/* A finalist at the time of the choice. */
struct store_contender {
    int64_t configuration_id;
    int64_t trial_id;
    int32_t place;                                      /* rank by time, from 1 */
    double difference, difference_low, difference_high; /* relative to the fastest; NaN: NULL */
    bool proven, tied;
    const char *out; /* reason not to win: "baseline", "gauntlet: ..."; NULL: could win */
};
/* Result of a contender with caches in another state than the winner's mode. */
struct store_state {
    const char *state; /* "dirty", "hot" */
    int64_t configuration_id;
    int64_t trial_id;
    /* Relative to the fastest tied contender in that state; NaN: NULL. */
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
    const char *stage;       /* stage of the choice: "race", "confirm"; "sweep" when ended before */
    int64_t candidate_count; /* configurations compared */
    int64_t space_count;     /* legal configurations of the space */
    double value;            /* objective's value */
    double time_low_ns, time_high_ns; /* interval of the median run; NaN: NULL */
    double delta;                     /* relative difference that counts as a tie */
    double floor;                     /* A/A difference, relative; NaN: NULL */
    double claim;      /* no configuration is better by more than this, relative ... */
    double confidence; /* ... with this confidence; NaN: NULL */
    int32_t processes, rounds, rounds_dropped;
    int32_t tied_count; /* including the winner */
    bool kept_incumbent;
    int64_t compared;   /* results of its runs compared, all right; 0: NULL */
    const char *inputs; /* "changed", "alike"; NULL: unknown */
    const char *trust;  /* "sound", "noisy", "unstable" */
    const char *trust_reason;
    int64_t points, failures; /* tried points of the space, and the failed ones of these */
    double chance_of_better, most_better; /* as struct store_search has them */
    const char *coverage;                 /* coverage_name; NULL: not known */
    const struct store_contender *contenders;
    size_t contender_count;
    const struct store_state *states;
    size_t state_count;
};
/* Stores the winner with its contenders and their states in one transaction; replaces the previous
 * winner of the same environment, problem, mode and objective. */
enum status store_winner_put(struct store *store, const struct store_winner *winner,
                             struct error *error);
/* Deletes a winner that turned out to be wrong, without a successor; its ranges go too. */
enum status store_winner_drop(struct store *store, int64_t environment_id, int64_t problem_id,
                              enum l2_mode mode, const char *objective, struct error *error);
/* Short form of a problem's winner; unknown texts are "". */
struct store_choice {
    int64_t trial_id; /* 0: no winner, or refuted since */
    char stage[16];   /* as in struct store_winner */
    char trust[16];
    char effort[16]; /* effort of the run with this choice */
};
enum status store_winner_get(struct store *store, int64_t environment_id, int64_t problem_id,
                             enum l2_mode mode, const char *objective, struct store_choice *out,
                             struct error *error);
/* Finds the newest winner of this device and problem (by experiment name, problem key and n, in any
 * environment), as incumbent; *found false: none. Without one of this mode, one of the same state
 * of the cache, issued otherwise: so two modes have one winner unless it is shown to be slower in
 * one. Appends its key to `key`, and its values as a
 * JSON object to `parameters` (may be NULL). */
enum status store_incumbent(struct store *store, int64_t environment_id, int64_t problem_id,
                            enum l2_mode mode, const char *objective, bool *found, struct text *key,
                            struct text *parameters, struct error *error);

/* A size at which a range's configuration was compared. */
struct store_range_check {
    int64_t n;
    const char *shape; /* all sizes if the problem has several, "1024x512"; NULL: n alone */
    bool measured;     /* size of the experiment; false: one in between */
    double loss, loss_low, loss_high; /* relative to the best configuration compared */
    int64_t best_configuration_id;
};
struct store_range {
    int64_t n_low, n_high; /* inclusive */
    const char *further;   /* sizes besides n, "m@16-64 k@8"; NULL: none */
    int64_t configuration_id;
    double bound; /* worst loss at its measured sizes; an upper bound where compared */
    const struct store_range_check *checks;
    size_t check_count;
};
struct store_ranges {
    int64_t environment_id;
    int64_t experiment_id;
    const char *problem_key; /* without the sizes, if there are several */
    enum l2_mode l2_mode;
    const char *objective;
    int64_t run_id;
    double within;
    const struct store_range *ranges;
    size_t count;
};
/* Replaces all ranges of the environment, experiment, problem key, mode and objective. */
enum status store_ranges_put(struct store *store, const struct store_ranges *group,
                             struct error *error);

/* Time of another implementation of a problem, measured by another program. */
struct store_peer {
    const char *problem_key;
    int64_t n;
    enum l2_mode l2_mode;
    const char *name;
    double time_ns;
    double mad_ns, tuned_ns, ratio, ratio_low, ratio_high; /* NaN: NULL */
    int64_t rounds;                                        /* below 0: NULL */
};
/* Stores all items or none; each replaces the one of the same environment, problem, n, mode and
 * name. `source`: their origin. */
enum status store_peers_put(struct store *store, int64_t environment_id, const char *source,
                            const struct store_peer *items, size_t count, struct error *error);

#endif
