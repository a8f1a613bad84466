/* Measurements and their subjects: environments, experiments, problems, configurations, ceilings,
 * runs, searches, trials. */
#ifndef TUNE_STORE_MEASURED_H
#define TUNE_STORE_MEASURED_H

#include "tuner/base/facts.h"
#include "tuner/base/launch.h"
#include "tuner/store/store.h"

/* An objective that is NULL is "time". */

/* The functions below find or insert a row, and return its id. */
struct store_environment {
    const struct facts *facts; /* device's facts */
    const char *tool_version;
    const char *host;
};
enum status store_environment(struct store *store, const struct store_environment *environment,
                              int64_t *environment_id, struct error *error);
struct store_experiment {
    const char *name;
    const char *device_kind;
    const char *content_hash;
    const char *definition_hash; /* row's identity, with the name; NULL: the content hash */
    const char *path;
    const char *text;
};
enum status store_experiment(struct store *store, const struct store_experiment *experiment,
                             int64_t *experiment_id, struct error *error);
struct store_problem {
    int64_t experiment_id;
    const char *key;
    const char *family; /* key without the sizes, if there are several; NULL: one size */
    const struct named_value *axes;
    size_t axis_count;
    int64_t n;
    double bytes_moved;
    const char *ceiling; /* bandwidth its throughput is compared with: "read", "write" or "copy";
                            NULL: read */
    double operations;   /* 0: NULL, like their type */
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
/* Finds the newest; *found false: none. */
enum status store_ceilings_get(struct store *store, int64_t environment_id, bool *found,
                               struct store_ceilings *ceilings, struct error *error);

/* Stores 10^9 operations per second on numbers of this type ("f32"). Within one second the larger
 * figure is kept. */
enum status store_arithmetic_put(struct store *store, int64_t environment_id, const char *type,
                                 double gops, struct error *error);
/* Finds the newest of this type; 0: none. */
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
    int64_t budget_ns;       /* 0: NULL, unlimited */
    const char *objective;   /* "time", "energy", "edp" or a formula */
    const char *protocol;    /* every number of the protocol: "name=value name=value ..." */
    const char *worker_cpus; /* CPUs that the measuring process was pinned to; NULL: none */
    const char *near;        /* part of the machine near its device; NULL: unknown */
    const char *command;     /* the command line, quoted for a shell; NULL: unknown */
};
enum status store_run_start(struct store *store, const struct store_run_start *run, int64_t *run_id,
                            struct error *error);
struct store_run_end {
    const char *outcome; /* "complete", "interrupted", "failed" */
    int64_t wall_ns;
    int64_t measuring_ns;    /* time the worker spent loading, verifying or timing */
    int64_t compile_wait_ns; /* time the worker was idle since nothing was compiled yet */
    int64_t binaries_compiled;
    int64_t binaries_cached;
};
enum status store_run_end(struct store *store, int64_t run_id, const struct store_run_end *end,
                          struct error *error);

/* A run's search of a problem's space. */
struct store_search {
    int64_t run_id;
    int64_t problem_id;
    const char *asked;      /* strategy requested: "auto", ... */
    const char *strategy;   /* strategy used */
    uint64_t product_count; /* over INT64_MAX: NULL */
    uint64_t space_count;
    uint64_t points_most; /* limit on points to be tried */
    uint64_t points;      /* points tried or skipped by the end, including earlier runs */
    /* Counts of this run. Unlaunchable: no block fits. Duplicates: launch the same as another. */
    uint64_t trials, unlaunchable, duplicates, failures;
    double chance_of_better, most_better; /* as in search.h, for 1 % and for 90 %; NaN: NULL */
    int64_t sweep_ns, near_ns; /* time of its trials; of those within 2 % of the fastest */
};
/* Replaces the row of the same run and problem. */
enum status store_search_put(struct store *store, const struct store_search *search,
                             struct error *error);

/* Finds the points of the newest complete search without a budget that requested the same in the
 * same space, and ended before its limit, as nothing better came. 0: none. */
enum status store_search_settled(struct store *store, int64_t environment_id,
                                 const struct store_search *search, uint64_t *points,
                                 struct error *error);

struct store_sample {
    int32_t process;   /* 0: the sweep's and race's; 1 ..: fresh, confirming processes */
    int32_t round;     /* ordinal in store_round; unused in the sweep */
    int32_t runs;      /* runs in the block */
    bool invalid;      /* round was dropped */
    double elapsed_ns; /* per run, less the empty pair */
    double energy_j;   /* per run; NaN: NULL */
};
struct store_trial {
    int64_t run_id;
    int64_t environment_id;
    int64_t problem_id;
    int64_t configuration_id;
    const char *stage;     /* "sweep", "race", "confirm" */
    const char *objective; /* race's objective; "time" for a sweep */
    enum l2_mode l2_mode;
    enum trial_status status;
    const char *detail;       /* reason for a failure; NULL: none */
    const char *compile_log;  /* compiler's output for a failure; NULL: none */
    int64_t same_as_trial_id; /* trial with exactly the same launches; 0: none */
    const char *binary_hash;  /* NULL: none */
    const struct named_value *derived;
    size_t derived_count;
    const struct named_value *metrics; /* experiment's own */
    size_t metric_count;
    const struct launch_plan *plan;           /* NULL if the trial failed before the plan */
    const struct kernel_resources *resources; /* one per launch of the plan; NULL: none */
    const struct store_sample *samples;
    size_t sample_count;
    double median_ns, mad_ns, min_ns, max_ns; /* valid samples; NaN: none */
    double energy_j;                          /* median per run; NaN: none */
    double value;                             /* objective's value; NaN: none */
    double deviation;    /* largest difference from an expected element; NaN: unknown */
    int64_t duration_ns; /* trial's cost, from load to last sample */
    bool cheap;          /* can be repeated without the device: no wait for the disk */
};
/* Stores the trial with its samples and resources in one transaction; replaces the trial of the
 * same environment, problem, configuration, stage, objective and mode. The commit waits for the
 * disk unless another did in the last tenth of a second, so a power cut takes no more than that; an
 * end of the program takes none. */
enum status store_trial(struct store *store, const struct store_trial *trial, int64_t *trial_id,
                        struct error *error);

/* Calls `take` for each stored trial of the stage, to resume; a status other than STATUS_OK ends
 * the walk and is returned. */
struct store_known_trial {
    int64_t trial_id;
    int64_t configuration_id;
    const char *configuration_key;
    const char *parameters;  /* JSON object */
    const char *binary_hash; /* "" if unknown */
    enum trial_status status;
    double median_ns; /* NaN if none */
    int64_t same_as_trial_id;
    const char *rejected; /* reason from the gauntlet for its binary; NULL: passed, or not run */
};
typedef enum status store_take_trial(void *context, const struct store_known_trial *trial,
                                     struct error *error);
enum status store_known_trials(struct store *store, int64_t environment_id, int64_t problem_id,
                               const char *stage, enum l2_mode mode, store_take_trial *take,
                               void *context, struct error *error);

/* Counts the trials of the environment's device in other environments: with another driver,
 * compiler, host or version of tune. */
enum status store_other_trials(struct store *store, int64_t environment_id, int64_t *trials,
                               struct error *error);

/* A launch under way: written before it, deleted after the trial is stored. Rows found at a start
 * were running when the program or the machine ended. */
struct store_in_flight {
    int64_t environment_id;
    int64_t problem_id;
    int64_t configuration_id;
    int64_t run_id;
    const char *boot_id; /* boot of the machine; "" if unknown */
    /* Members of rows that are read. */
    const char *configuration_key;
    const char *parameters; /* JSON object */
    int64_t attempts;       /* launches that did not end, including this one */
    const char *started_at;
};
/* Stores the row; `durable`: on disk on return, safe from a power cut. */
enum status store_in_flight_put(struct store *store, const struct store_in_flight *row,
                                bool durable, struct error *error);
enum status store_in_flight_clear(struct store *store, int64_t environment_id, int64_t problem_id,
                                  int64_t configuration_id, struct error *error);
/* Calls `take` for each row of the problem; `take` may clear the row. */
typedef enum status store_take_in_flight(void *context, const struct store_in_flight *row,
                                         struct error *error);
enum status store_in_flight_each(struct store *store, int64_t environment_id, int64_t problem_id,
                                 store_take_in_flight *take, void *context, struct error *error);

#endif
