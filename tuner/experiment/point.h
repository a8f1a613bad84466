/* What a configuration means: for the compiler, the launcher, the checks and the objective. */
#ifndef TUNE_EXPERIMENT_POINT_H
#define TUNE_EXPERIMENT_POINT_H

#include "tuner/experiment/experiment.h"

/* Everything an expression of this configuration may name. */
struct point {
    const struct experiment *experiment;
    const struct problem *problem;
    const struct facts *facts;
    const struct configuration *configuration;
    /* Variable active_blocks: resident blocks per SM of the first launch, from the Occupancy API; 0
     * while unknown, and then an expression that needs it fails with STATUS_UNAVAILABLE. */
    int64_t active_blocks;
};

/* What to compile. Never needs active_blocks. Texts belong to the arena or the experiment. */
enum status point_binary(const struct point *point, struct arena *arena, struct binary_request *out,
                         struct error *error);

/* The launches as far as what a kernel takes depends on them, each with a grid of one block and
 * without arguments. Never needs active_blocks. */
enum status point_kernels(const struct point *point, struct arena *arena,
                          struct launch out[LAUNCHES_MAX], size_t *count, struct error *error);

/* The whole plan: grids, arguments and their counts. */
enum status point_plan(const struct point *point, struct arena *arena, struct launch_plan *out,
                       struct error *error);

/* The derived values of the configuration (grid, ...), in the order of the file, but for those
 * whose names begin with '_', which are the file's own: they go to tuned.conf and the database
 * beside the parameters. */
enum status point_derived(const struct point *point, struct arena *arena, struct named_value *out,
                          size_t *count, struct error *error);
enum { EXPERIMENT_DERIVED_MAX = 32 };

/* All that is checked, at least one. A reference that is a C function is `void NAME(void *const
 * *arguments, struct tune_expected *expected)` (kernels/README.md), compiled by the system's
 * compiler; one that is a plan belongs to one configuration, whichever the point's is. */
struct output_check {
    size_t output; /* index of the argument that it checks */
    struct tolerance tolerance;
    enum reference_kind kind;
    enum argument_fill fill; /* FILL: a series or a file */
    /* FUNCTION: of the C source, architecture "native"; PLAN: of the device's kernels. */
    struct binary_request binary;
    const char *reference;          /* FUNCTION: its name; FILL: the expression, or the path */
    const struct launch_plan *plan; /* PLAN: with the same arguments */
};
enum { CHECKS_MAX = 16 };
enum status point_checks(const struct point *point, struct arena *arena,
                         struct output_check out[CHECKS_MAX], size_t *count, struct error *error);
/* The configuration whose results all others of the problem are held against; *found false: it is
 * something else, or not one for all. The point has no configuration. */
enum status point_reference(const struct point *point, struct arena *arena,
                            struct configuration *out, bool *found, struct error *error);
/* STATUS_BAD_INPUT, with both sides named: results of a configuration of the space cannot be
 * compared with what they are held against, since their output has another count there, or is of
 * reals on one side and of integers on the other. Of large spaces a sample is looked at. */
enum status space_compares(const struct experiment *experiment, const struct problem *problem,
                           const struct facts *facts, struct space *space, struct error *error);
/* Points of a problem for which it is the same have the same checks: "steps=4", or "" where they
 * depend on no parameter. False: it did not fit. */
bool point_check_key(const struct point *point, char out[CONFIGURATION_KEY_BYTES]);

/* Bytes a run must move at least (metrics: bytes); 0 when the file says none. */
enum status point_bytes(const struct point *point, double *out, struct error *error);

/* Operations a run must do at least (metrics: operations); 0 when the file says none. `type` is the
 * arithmetic that does them: f16, f32, f64, i32 or i64; unsigned integers count as signed ones,
 * narrower integers as i32, bf16 as f32. */
enum status point_operations(const struct point *point, double *operations, enum element_type *type,
                             struct error *error);

/* Which of the device's ceilings these bytes over the time are held against (metrics: ceiling). */
enum ceiling { CEILING_READ, CEILING_WRITE, CEILING_COPY };
enum { CEILINGS = 3 };
const char *ceiling_name(enum ceiling ceiling); /* "read", "write", "copy" */
enum status point_ceiling(const struct point *point, enum ceiling *out, struct error *error);

/* What is made as small as can be. */
struct metrics {
    double time_ns;  /* of one run */
    double energy_j; /* of one run; NaN: not measured */
    double power_w;  /* energy over time; NaN: not measured */
    double bytes;    /* point_bytes */
    const struct launch_plan *plan;
    const struct kernel_resources *resources; /* of the first launch; NULL: unknown */
};
/* The experiment's own metrics (metrics: NAME: expression) of one run: what GFLOP/s it came to. */
struct named_metric {
    const char *name; /* owned by the experiment */
    double value;     /* NaN: the expression has none here */
};
enum status point_metrics(const struct point *point, const struct metrics *metrics,
                          struct named_metric out[EXPERIMENT_METRICS_MAX], size_t *count,
                          struct error *error);

struct objective;
/* "time", "energy", "edp" (energy times time), the name of one of the experiment's `objectives`, or
 * a formula over time_ns, energy_j, power_w, bytes, launches, registers, shared_bytes, occupancy,
 * threads (of the first launch's block; CPU: that share its grid), n, the axes and the parameters:
 * smaller is better. A name of the experiment's goes before one of these. Needs the experiment as
 * long as it lives. STATUS_USAGE with what is wrong in it. Freed by objective_free. */
enum status objective_create(const struct experiment *experiment, const char *text,
                             struct objective **out, struct error *error);
void objective_free(struct objective *objective);
bool objective_needs_energy(const struct objective *objective);
/* The formula, blanks normalised, or the name: what it is stored by. */
const char *objective_text(const struct objective *objective);
/* `point` gives problem and configuration. edp is in J s. STATUS_BAD_INPUT when it is no positive
 * number; STATUS_UNAVAILABLE when a formula needs what is not known. */
enum status objective_value(const struct objective *objective, const struct point *point,
                            const struct metrics *metrics, double *value, struct error *error);

#endif
