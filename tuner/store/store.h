/* The database: the only user of sqlite3.h. One process writes; others may read at the same time.
 * Every function that takes an error returns STATUS_IO (disk full, busy too long),
 * STATUS_PERMISSION, STATUS_BAD_INPUT (no database, a newer schema) with what to do. */
#ifndef TUNE_STORE_STORE_H
#define TUNE_STORE_STORE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/conditions.h"
#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/launch.h"
#include "tuner/base/text.h"

struct store;

enum store_mode {
    STORE_CREATE, /* read and write; made when absent; migrated when older */
    STORE_READ,   /* must be there; never changed (an older schema is refused with what to do) */
    STORE_COPY,   /* as STORE_READ, and an older schema is taken: for store_merge_prepare alone */
};

enum status store_open(const char *path, enum store_mode mode, struct store **out,
                       struct error *error);
void store_close(struct store *store);

/* Whether the name still means the file that was opened: it may have been removed, or another put
 * in its place, and what is stored goes to a file without a name from then on. */
bool store_is_in_place(const struct store *store);
/* Saves such a file, whole, to FILE.saved-1, or the first of -2, -3 ... that is not there. Always a
 * failure, STATUS_IO: it says what happened, and where everything is. STATUS_OK: it is in place. */
enum status store_rescue(struct store *store, struct error *error);

/* Another program that holds the database for writing is waited for for ten seconds, or, with this,
 * for as long as it takes, whatever is stored meanwhile. */
struct store_patience {
    /* One line: who is waited for, after some seconds of it, and that it goes on. */
    void (*note)(void *context, const char *line);
    void *context;
    const volatile sig_atomic_t
        *stop; /* non-zero: a wait of some seconds ends, STATUS_INTERRUPTED */
};
/* What `patience` points to is copied; NULL: ten seconds again. */
enum status store_wait_for_writers(struct store *store, const struct store_patience *patience,
                                   struct error *error);

/* Between these, everything that is stored is one transaction, which waits for the disk once: all
 * of it is there, or nothing. store_batch_end takes what came of the calls between: it commits when
 * that is STATUS_OK, else rolls back and returns it (also when a call between failed and was passed
 * over). After a failure nothing more is to be stored before the end. Batches do not nest; others
 * cannot write meanwhile, so measure before, not between. */
enum status store_batch_begin(struct store *store, struct error *error);
enum status store_batch_end(struct store *store, enum status status, struct error *error);

/* An objective that is NULL is "time". */

/* Each of these finds the row or makes it, and gives its id. */
struct store_environment {
    const struct facts *facts; /* of the device */
    const char *tool_version;
    const char *host;
};
enum status store_environment(struct store *store, const struct store_environment *environment,
                              int64_t *environment_id, struct error *error);
struct store_experiment {
    const char *name;
    const char *device_kind;
    const char *content_hash;
    const char *definition_hash; /* with the name the row's identity; NULL: the content hash */
    const char *path;
    const char *text;
};
enum status store_experiment(struct store *store, const struct store_experiment *experiment,
                             int64_t *experiment_id, struct error *error);
struct store_problem {
    int64_t experiment_id;
    const char *key;
    const struct named_value *axes;
    size_t axis_count;
    int64_t n;
    double bytes_moved;
    const char *ceiling; /* "read", "write" or "copy": what its throughput is held against; NULL:
                            read */
    double operations;   /* 0: NULL, and so is their type */
    const char *operations_type;
};
enum status store_problem(struct store *store, const struct store_problem *problem,
                          int64_t *problem_id, struct error *error);
enum status store_configuration(struct store *store, int64_t experiment_id, const char *key,
                                const struct named_value *parameters, size_t count,
                                int64_t *configuration_id, struct error *error);

struct store_ceilings {
    int64_t buffer_bytes;
    double host_to_device_gbs, device_to_host_gbs, copy_gbs, read_gbs, write_gbs; /* 0: NULL */
};
enum status store_ceilings_put(struct store *store, int64_t environment_id,
                               const struct store_ceilings *measured, struct error *error);
/* The newest; *found false when there are none. */
enum status store_ceilings_get(struct store *store, int64_t environment_id, bool *found,
                               struct store_ceilings *out, struct error *error);

/* 10^9 operations per second on numbers of that type ("f32"). Of the same type and second the
 * larger is kept. */
enum status store_arithmetic_put(struct store *store, int64_t environment_id, const char *type,
                                 double gops, struct error *error);
/* The newest of that type; 0: there is none. */
enum status store_arithmetic_get(struct store *store, int64_t environment_id, const char *type,
                                 double *gops, struct error *error);

struct store_run_start {
    int64_t environment_id;
    uint64_t seed; /* stored in the low 63 bits */
    enum l2_mode l2_mode;
    double tick_ns;
    double empty_pair_ns;
    double node_gap_ns;      /* NaN: NULL */
    const char *effort;      /* "quick", "normal", "thorough" */
    int64_t budget_ns;       /* 0: NULL, none was given */
    const char *objective;   /* "time", "energy", "edp" or a formula */
    const char *protocol;    /* every number of the protocol: "name=value name=value ..." */
    const char *worker_cpus; /* where the measuring process was pinned; NULL: nowhere */
    const char *near;        /* what of the machine its device hangs on; NULL: unknown */
    const char *command;     /* the command line, quoted for a shell; NULL: unknown */
};
enum status store_run_start(struct store *store, const struct store_run_start *run, int64_t *run_id,
                            struct error *error);
struct store_run_end {
    const char *outcome; /* "complete", "interrupted", "failed" */
    int64_t wall_ns;
    int64_t measuring_ns;    /* the worker was loading, verifying or timing */
    int64_t compile_wait_ns; /* the worker had nothing to do because nothing was compiled yet */
    int64_t binaries_compiled;
    int64_t binaries_cached;
};
enum status store_run_end(struct store *store, int64_t run_id, const struct store_run_end *end,
                          struct error *error);

/* How a run searched a problem's space. */
struct store_search {
    int64_t run_id;
    int64_t problem_id;
    const char *asked;      /* strategy: "auto", ... */
    const char *strategy;   /* what that came to */
    uint64_t product_count; /* over INT64_MAX: NULL */
    uint64_t space_count;
    uint64_t points_most; /* that were to be tried at most */
    uint64_t points;      /* tried or set aside by the end, earlier runs' counted */
    /* Of this run; those not launched: no block fits, or another launches the same. */
    uint64_t trials, unlaunchable, duplicates, failures;
    double chance_of_better, most_better; /* as search.h has them, of 1 % and of 90 %; NaN: NULL */
    int64_t sweep_ns, near_ns;            /* its trials took; those within 2 % of the fastest */
};
/* Replaces that of the same run and problem. */
enum status store_search_put(struct store *store, const struct store_search *search,
                             struct error *error);

struct store_sample {
    int32_t process;   /* 0: the sweep's and race's; 1 ..: the fresh processes that confirm */
    int32_t round;     /* ordinal in store_round; the sweep has none */
    int32_t runs;      /* runs in the block */
    bool invalid;      /* its round was dropped */
    double elapsed_ns; /* of one run, the empty pair taken off */
    double energy_j;   /* of one run; NaN: NULL */
};
struct store_trial {
    int64_t run_id;
    int64_t environment_id;
    int64_t problem_id;
    int64_t configuration_id;
    const char *stage;     /* "sweep", "race", "confirm" */
    const char *objective; /* what the race was about; a sweep's is "time" */
    enum l2_mode l2_mode;
    enum trial_status status;
    const char *detail;       /* why it failed; NULL: none */
    const char *compile_log;  /* what the compiler said of a failure; NULL: none */
    int64_t same_as_trial_id; /* 0: none. Launches exactly what that trial launches */
    const char *binary_hash;  /* NULL: none */
    const struct named_value *derived;
    size_t derived_count;
    const struct named_value *metrics; /* the experiment's own */
    size_t metric_count;
    const struct launch_plan *plan;           /* NULL when it never came to a plan */
    const struct kernel_resources *resources; /* one a launch of the plan; NULL: none */
    const struct store_sample *samples;
    size_t sample_count;
    double median_ns, mad_ns, min_ns, max_ns; /* of its valid samples; NaN: none */
    double energy_j;                          /* median of a run; NaN: none */
    double value;                             /* of the objective; NaN: none */
    int64_t duration_ns;                      /* what the trial cost, from load to last sample */
    bool cheap; /* it can be had again without the device: the disk is not waited for */
};
/* The trial with its samples and resources in one transaction, which waits for the disk unless
 * another has done so in the last tenth of a second: of what a power cut takes there is no more,
 * and the end of the program takes nothing. A trial of the same environment, problem,
 * configuration, stage, objective and mode is replaced. */
enum status store_trial(struct store *store, const struct store_trial *trial, int64_t *trial_id,
                        struct error *error);

/* What is known already, for going on where a run stopped: calls `take` for each trial of the
 * stage; a status other than STATUS_OK from it ends the walk and is returned. */
struct store_known_trial {
    int64_t trial_id;
    int64_t configuration_id;
    const char *configuration_key;
    const char *parameters;  /* a JSON object */
    const char *binary_hash; /* "" when none */
    enum trial_status status;
    double median_ns; /* NaN when none */
    int64_t same_as_trial_id;
    const char
        *rejected; /* what the gauntlet said of its binary; NULL: it passed, or was not asked */
};
typedef enum status store_take_trial(void *context, const struct store_known_trial *trial,
                                     struct error *error);
enum status store_known_trials(struct store *store, int64_t environment_id, int64_t problem_id,
                               const char *stage, enum l2_mode mode, store_take_trial *take,
                               void *context, struct error *error);

/* How many trials the environment's device has in other environments: with another driver,
 * compiler, host or version of tune. */
enum status store_other_trials(struct store *store, int64_t environment_id, int64_t *trials,
                               struct error *error);

/* What is being launched: written before, taken away after the trial is stored. What is found at a
 * start was running when the program or the machine ended. */
struct store_in_flight {
    int64_t environment_id;
    int64_t problem_id;
    int64_t configuration_id;
    int64_t run_id;
    const char *boot_id; /* of the machine's start, "" when unknown */
    /* Of rows read: */
    const char *configuration_key;
    const char *parameters; /* a JSON object */
    int64_t attempts;       /* launches that were never seen to end, this one counted */
    const char *started_at;
};
/* `durable`: it is on disk when this returns, also for a machine that loses power. */
enum status store_in_flight_put(struct store *store, const struct store_in_flight *row,
                                bool durable, struct error *error);
enum status store_in_flight_clear(struct store *store, int64_t environment_id, int64_t problem_id,
                                  int64_t configuration_id, struct error *error);
/* Calls `take` for each row of the problem; it may clear the row. */
typedef enum status store_take_in_flight(void *context, const struct store_in_flight *row,
                                         struct error *error);
enum status store_in_flight_each(struct store *store, int64_t environment_id, int64_t problem_id,
                                 store_take_in_flight *take, void *context, struct error *error);

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

/* A finalist as the choice saw it. */
struct store_contender {
    int64_t configuration_id;
    int64_t trial_id;
    int32_t place;                                      /* by time, 1 first */
    double difference, difference_low, difference_high; /* relative, to the fastest; NaN: NULL */
    bool proven, tied;
    const char *out; /* why it could not win: "baseline", "gauntlet: ..."; NULL: it could */
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
    int64_t compared;  /* results of its runs that were compared, and right; 0: NULL */
    const char *trust; /* "sound", "noisy", "unstable" */
    const char *trust_reason;
    const struct store_contender *contenders;
    size_t contender_count;
};
/* The winner and its contenders, in one transaction; the one before of the same environment,
 * problem, mode and objective is replaced. */
enum status store_winner_put(struct store *store, const struct store_winner *winner,
                             struct error *error);
/* It turned out to be wrong, and no other was chosen. Its ranges go with it. */
enum status store_winner_drop(struct store *store, int64_t environment_id, int64_t problem_id,
                              enum l2_mode mode, const char *objective, struct error *error);
/* *trial_id 0 when there is none; `stage` (16 bytes) gets what it was chosen by, and may be NULL.
 */
enum status store_winner_get(struct store *store, int64_t environment_id, int64_t problem_id,
                             enum l2_mode mode, const char *objective, int64_t *trial_id,
                             char *stage, struct error *error);
/* The key of the newest winner of this device and problem (by experiment name, problem key and n,
 * whatever the environment), for the incumbent; false in *found when there is none. `key` is
 * appended to, and to `parameters` (may be NULL) its values as a JSON object. */
enum status store_incumbent(struct store *store, int64_t environment_id, int64_t problem_id,
                            enum l2_mode mode, const char *objective, bool *found, struct text *key,
                            struct text *parameters, struct error *error);

/* A range of sizes with one configuration. */
struct store_range_check {
    int64_t n;
    bool measured;                    /* a size of the experiment; false: one between */
    double loss, loss_low, loss_high; /* relative, to the best of those looked at */
    int64_t best_configuration_id;
};
struct store_range {
    int64_t n_low, n_high; /* inclusive */
    int64_t configuration_id;
    double bound; /* worst loss at its measured sizes, upper bound where it was looked at */
    const struct store_range_check *checks;
    size_t check_count;
};
struct store_ranges {
    int64_t environment_id;
    int64_t experiment_id;
    const char *problem_key;
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

/* Checks another database whole and makes a copy of it, of the newest schema, at `copy`, where
 * nothing is yet. The other one is only read. STATUS_BAD_INPUT: it is damaged, or none. */
enum status store_merge_prepare(const char *path, const char *copy, struct error *error);
struct store_merge_counts {
    int64_t devices, problems, trials, winners; /* that came to what was there */
};
/* Takes in such a copy, all of it or nothing (db/merge.sql); adds to the counts. */
enum status store_merge(struct store *store, const char *copy, struct store_merge_counts *counts,
                        struct error *error);

/* A read-only query for show, plot and export: a statement of db/queries/ or plots/ (a SELECT; any
 * other is refused) with named parameters (":n"), each value as text; those that the statement does
 * not have are ignored. Rows come one after the other. */
struct store_query;
struct store_parameter {
    const char *name;  /* without the colon */
    const char *value; /* NULL: SQL NULL; numbers compare as numbers where the column is one */
};
enum status store_query_open(struct store *store, const char *sql,
                             const struct store_parameter *parameters, size_t count,
                             struct store_query **out, struct error *error);
/* *row false at the end. */
enum status store_query_next(struct store_query *query, bool *row, struct error *error);
int store_query_columns(const struct store_query *query);
const char *store_query_name(const struct store_query *query, int column);
/* NULL for SQL NULL; valid until the next row. */
const char *store_query_text(struct store_query *query, int column);
double store_query_real(struct store_query *query, int column); /* NaN for NULL */
int64_t store_query_integer(struct store_query *query, int column);
bool store_query_is_number(struct store_query *query, int column);
void store_query_close(struct store_query *query);

/* How a column of a query becomes a member of a struct. */
enum store_kind {
    STORE_TEXT,    /* const char *, in the arena; NULL for SQL NULL */
    STORE_REAL,    /* double; NaN for SQL NULL */
    STORE_INTEGER, /* int64_t; -1 for SQL NULL */
    STORE_TRUTH,   /* bool; false for SQL NULL */
};
struct store_column {
    const char *name;
    size_t offset; /* of the member */
    enum store_kind kind;
};
/* A query whose rows are wanted as structs. */
struct store_reading {
    const char *sql; /* and parameters: as for store_query_open */
    const struct store_parameter *parameters;
    size_t parameter_count;
    const struct store_column *columns; /* that the query must have; it may have others */
    size_t column_count;
    size_t row_bytes; /* of the struct; members of no column are zero */
    size_t row_most;  /* rows beyond are not read; 0: all are */
};
#define STORE_COLUMNS(table) .columns = (table), .column_count = sizeof(table) / sizeof *(table)
/* `rows`: the address of a pointer to the struct, which becomes an array of `count` in the arena;
 * NULL when there is none. */
enum status store_read(struct store *store, const struct store_reading *reading,
                       struct arena *arena, void *rows, size_t *count, struct error *error);

#endif
