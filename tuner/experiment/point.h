/* The meaning of a configuration for the compiler, the launcher, the checks and the objective. */
#ifndef TUNE_EXPERIMENT_POINT_H
#define TUNE_EXPERIMENT_POINT_H

#include "tuner/experiment/experiment.h"

/* A configuration with all values that its expressions may use. */
struct point {
    const struct experiment *experiment;
    const struct problem *problem;
    const struct facts *facts;
    const struct configuration *configuration;
    /* Variable active_blocks: resident blocks per SM of the first launch, from the Occupancy API;
     * 0: unknown, and an expression that needs it fails with STATUS_UNAVAILABLE. */
    int64_t active_blocks;
};

/* Makes the compilation request, which never depends on active_blocks. Texts belong to the arena or
 * the experiment. */
enum status point_binary(const struct point *point, struct arena *arena, struct binary_request *out,
                         struct error *error);

/* Makes those parts of the launches that determine a kernel's resources, each with a grid of one
 * block and without arguments. They never depend on active_blocks. */
enum status point_kernels(const struct point *point, struct arena *arena,
                          struct launch out[LAUNCHES_MAX], size_t *count, struct error *error);

/* Makes the whole plan: grids, arguments and their counts. */
enum status point_plan(const struct point *point, struct arena *arena, struct launch_plan *out,
                       struct error *error);

/* Makes the derived values of the configuration (grid, ...), in the order of the file, except names
 * with a leading '_', which are internal to the file: tuned.conf and the database get them besides
 * the parameters. */
enum status point_derived(const struct point *point, struct arena *arena, struct named_value *out,
                          size_t *count, struct error *error);
enum { EXPERIMENT_DERIVED_MAX = 32 };

/* All checks, at least one. A reference function in C is `void NAME(void *const *arguments, struct
 * tune_expected *expected)` (kernels/README.md), compiled by the system's compiler; a reference
 * plan belongs to one configuration, whichever the point's is. */
struct output_check {
    size_t output; /* index of the checked argument */
    struct tolerance tolerance;
    enum reference_kind kind;
    enum argument_fill fill; /* FILL: a series or a file */
    /* FUNCTION: the C source, architecture "native"; PLAN: the device's kernels. */
    struct binary_request binary;
    const char *reference;          /* FUNCTION: the name; FILL: the expression, or the path */
    const struct launch_plan *plan; /* PLAN: with the same arguments */
};
enum { CHECKS_MAX = 16 };
enum status point_checks(const struct point *point, struct arena *arena,
                         struct output_check out[CHECKS_MAX], size_t *count, struct error *error);
/* Returns the configuration whose results are the reference for all others of the problem; *found
 * is false without a single one. The point has no configuration. */
enum status point_reference(const struct point *point, struct arena *arena,
                            struct configuration *out, bool *found, struct error *error);
/* Returns STATUS_BAD_INPUT, with both sides named, if results of some configuration cannot be
 * compared with the reference, because the output has another count, or is real on one side and
 * integer on the other. Large spaces are sampled. */
enum status space_compares(const struct experiment *experiment, const struct problem *problem,
                           const struct facts *facts, struct space *space, struct error *error);
/* Returns a key; points of a problem with equal keys have equal checks: "steps=4", or "" where
 * checks depend on no parameter. False: the key was cut. */
bool point_check_key(const struct point *point, char out[CONFIGURATION_KEY_BYTES]);

/* The device's ceiling that bytes over time are compared with. */
enum ceiling { CEILING_READ, CEILING_WRITE, CEILING_COPY };
enum { CEILINGS = 3 };
extern const char *const ceiling_names[CEILINGS]; /* "read", "write", "copy" */

/* Least work of a run, and its ceiling (metrics: bytes, operations, operations_type, ceiling). */
struct figures {
    double bytes, operations; /* 0: not given */
    /* Arithmetic of the operations: f16, f32, f64, i32 or i64; unsigned integers count as signed
     * ones, narrower integers as i32, bf16 as f32. */
    enum element_type operations_type;
    enum ceiling ceiling;
};
enum status point_figures(const struct point *point, struct figures *out, struct error *error);

/* Measured values of a configuration. */
struct metrics {
    double time_ns;  /* time of one run */
    double energy_j; /* energy of one run; NaN: not measured */
    double power_w;  /* energy over time; NaN: not measured */
    double bytes;    /* from point_figures */
    const struct launch_plan *plan;
    const struct kernel_resources *resources; /* resources of the first launch; NULL: unknown */
};
/* A metric of the experiment's own (metrics: NAME: expression) for one run, for example its
 * GFLOP/s. */
struct named_metric {
    const char *name; /* owned by the experiment */
    double value;     /* NaN: no value here */
};
enum status point_metrics(const struct point *point, const struct metrics *metrics,
                          struct named_metric out[EXPERIMENT_METRICS_MAX], size_t *count,
                          struct error *error);

struct objective;
/* Makes an objective, for which smaller is better: "time", "energy", "edp" (energy times time), the
 * name of one of the experiment's `objectives`, or a formula over time_ns, energy_j, power_w,
 * bytes, launches, registers, shared_bytes, occupancy, threads (of the first launch's block; CPU:
 * that share its grid), n, the axes and the parameters. The experiment's own names take precedence.
 * The experiment must outlive the objective. STATUS_USAGE with the error. Freed by
 * objective_free. */
enum status objective_create(const struct experiment *experiment, const char *text,
                             struct objective **out, struct error *error);
void objective_free(struct objective *objective);
bool objective_needs_energy(const struct objective *objective);
/* Returns the stored text: the formula with normalised blanks, or the name. */
const char *objective_text(const struct objective *objective);
/* Evaluates the objective; `point` gives problem and configuration. edp is in J s. STATUS_BAD_INPUT
 * when the value is no positive number; STATUS_UNAVAILABLE when a formula needs an unknown
 * value. */
enum status objective_value(const struct objective *objective, const struct point *point,
                            const struct metrics *metrics, double *value, struct error *error);

#endif
