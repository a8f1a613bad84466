/* A candidate's plan and resources: made once, before the first launch, and kept during the
 * measurement. */
#ifndef TUNE_SESSION_PREPARE_H
#define TUNE_SESSION_PREPARE_H

#include "tuner/session/candidate.h"
#include "tuner/session/inputs.h"

struct prepared {
    struct configuration configuration;
    size_t kernel_count;                             /* 0: not evaluated yet */
    struct launch kernels[LAUNCHES_MAX];             /* from point_kernels */
    struct kernel_resources resources[LAUNCHES_MAX]; /* of these */
    struct launch_plan plan; /* launch_count 0: not made; for resources[0]'s active blocks */
    const struct named_value *derived;
    size_t derived_count;
    uint64_t launch_hash; /* hash of the plan; 0: not computed yet */
    struct arena arena;   /* memory of its texts */
};

/* Finds a candidate's binary by its values; with `wanted` requests it. A candidate whose
 * expressions fail becomes `broken`, which is no error. */
enum status candidate_request_binary(const struct work *work, struct candidate *candidate,
                                     const struct configuration *configuration, bool wanted,
                                     struct error *error);
const struct binary *candidate_binary(const struct work *work,
                                      const struct candidate *candidate); /* NULL: none */

/* Creates an empty one for the candidate. NULL: no memory. Freed by prepared_free. */
struct prepared *prepared_create(const struct candidates *candidates,
                                 const struct candidate *candidate);
void prepared_free(struct prepared *prepared); /* accepts NULL */

/* Makes the plan without the device, if the binary is ready and contains the resources;
 * outcome->status then reports a block that does not fit, or an expression that fails. */
enum status prepare_ahead(const struct work *work, const struct candidate *candidate,
                          struct prepared *prepared, struct worker_outcome *outcome,
                          struct error *error);
/* Makes the plan without any binary, with unknown resources. */
void prepare_without_binary(const struct work *work, struct prepared *prepared);
/* Makes the lane's worker load the candidate's binary, compiled now if not needed before, and
 * report the resources. Makes the plan if there is none yet, or if the device reports other
 * resources than the binary. The outcome holds the candidate's errors. */
enum status prepare_load(const struct work *work, const struct inputs *inputs, struct lane *lane,
                         struct candidate *candidate, struct prepared *prepared,
                         struct worker_outcome *outcome, struct error *error);
/* Finds whether a failure only means that the binary or a reference was removed from the cache:
 * then both are there again, *outcome is ok, and the caller repeats the failed step. */
enum status prepare_restore(const struct work *work, const struct inputs *inputs,
                            struct candidate *candidate, const struct prepared *prepared,
                            struct worker_outcome *outcome, bool *restored, struct error *error);

/* Returns a hash of the plan's launches: plans with the same hash do the same work. */
uint64_t prepared_launch_hash(struct prepared *prepared, const struct binary *binary);
/* Returns whether a block of each kernel fits on the device, as far as known. */
bool prepared_fits(const struct prepared *prepared);
/* Computes ln of the objective of a run of time_ns and (NaN: not measured) energy_j. */
enum status prepared_value(const struct work *work, const struct prepared *prepared, double time_ns,
                           double energy_j, double *value, struct error *error);
/* Computes the experiment's own metrics of such a run, for the store. Returns the number of those
 * with a value. */
size_t prepared_metrics(const struct work *work, const struct prepared *prepared, double time_ns,
                        double energy_j, struct named_value out[EXPERIMENT_METRICS_MAX]);

/* Returns the value for the search: the objective if the time alone determines it, the time if
 * energy counts. NaN: unknown, or the candidate failed. */
double candidate_search_value(const struct work *work, const struct candidate *candidate,
                              const struct prepared *prepared);
/* Returns whether the objective is the time alone. */
bool work_is_about_time(const struct work *work);

#endif
