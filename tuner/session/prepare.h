/* What was prepared for a candidate: made once, before it is first launched, and kept as long as it
 * is measured. */
#ifndef TUNE_SESSION_PREPARE_H
#define TUNE_SESSION_PREPARE_H

#include "tuner/session/candidate.h"
#include "tuner/session/inputs.h"

struct prepared {
    struct configuration configuration;
    size_t kernel_count;                             /* 0: its expressions were not evaluated yet */
    struct launch kernels[LAUNCHES_MAX];             /* by point_kernels */
    struct kernel_resources resources[LAUNCHES_MAX]; /* of these */
    struct launch_plan plan; /* launch_count 0: not made; for resources[0]'s active blocks */
    const struct named_value *derived;
    size_t derived_count;
    uint64_t launch_hash; /* of the plan; 0: not asked for yet */
    struct arena arena;   /* of its texts */
};

/* Which binary a candidate with these values needs; with `wanted` it is looked for or compiled. One
 * whose expressions fail is `broken` from then on, which is no error. */
enum status candidate_request_binary(const struct work *work, struct candidate *candidate,
                                     const struct configuration *configuration, bool wanted,
                                     struct error *error);
const struct binary *candidate_binary(const struct work *work,
                                      const struct candidate *candidate); /* NULL: none */

/* For the candidate, nothing evaluated yet. NULL: no memory. Freed by prepared_free. */
struct prepared *prepared_create(const struct candidates *candidates,
                                 const struct candidate *candidate);
void prepared_free(struct prepared *prepared); /* NULL is fine */

/* Without the device, where the binary is there and tells: its plan; outcome->status then says that
 * a block does not fit, or that an expression fails. */
enum status prepare_ahead(const struct work *work, const struct candidate *candidate,
                          struct prepared *prepared, struct worker_outcome *outcome,
                          struct error *error);
/* As far as it goes without any binary: what it needs is unknown. */
void prepare_without_binary(const struct work *work, struct prepared *prepared);
/* Has the lane's worker load the candidate's binary, compiled now if nobody needed it before, and
 * say what it takes. The plan is made when there is none yet, or when the device says otherwise
 * than the binary did. What is wrong with the candidate is the outcome. */
enum status prepare_load(const struct work *work, const struct inputs *inputs, struct lane *lane,
                         struct candidate *candidate, struct prepared *prepared,
                         struct worker_outcome *outcome, struct error *error);
/* Whether something failed for no more than that its binary or a reference had been taken out of
 * the cache: then they are there again, *outcome is ok, and what failed is to be done again. */
enum status prepare_restore(const struct work *work, const struct inputs *inputs,
                            struct candidate *candidate, const struct prepared *prepared,
                            struct worker_outcome *outcome, bool *restored, struct error *error);

/* What its plan launches, as a number: those with the same one do the same work. */
uint64_t prepared_launch_hash(struct prepared *prepared, const struct binary *binary);
/* Whether a block of each kernel fits on the device, as far as that is known. */
bool prepared_fits(const struct prepared *prepared);
/* ln of the objective of a run that takes time_ns and (NaN: not measured) energy_j. */
enum status prepared_value(const struct work *work, const struct prepared *prepared, double time_ns,
                           double energy_j, double *value, struct error *error);
/* The experiment's own metrics of such a run, for the store: those that have a value; how many. */
size_t prepared_metrics(const struct work *work, const struct prepared *prepared, double time_ns,
                        double energy_j, struct named_value out[EXPERIMENT_METRICS_MAX]);

/* What a search goes by: the objective where the time alone tells it, the time where energy counts.
 * NaN: it cannot be told, or the candidate failed. */
double candidate_search_value(const struct work *work, const struct candidate *candidate,
                              const struct prepared *prepared);
/* Whether the objective is the time alone. */
bool work_is_about_time(const struct work *work);

#endif
