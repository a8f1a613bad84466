/* What is measured, of what, and by which run: environments, experiments, problems, configurations,
 * ceilings, runs, searches, trials. */
#ifndef TUNE_STORE_MEASURED_H
#define TUNE_STORE_MEASURED_H

#include "tuner/base/facts.h"
#include "tuner/base/launch.h"
#include "tuner/store/store.h"

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
    const char *family; /* of sizes of several names: the key without them; NULL: they have one */
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
                               struct store_ceilings *ceilings, struct error *error);

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

#endif
