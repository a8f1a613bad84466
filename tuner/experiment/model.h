/* An experiment after reading, for this room only; experiment.h has the public part. */
#ifndef TUNE_EXPERIMENT_MODEL_H
#define TUNE_EXPERIMENT_MODEL_H

#include <limits.h>

#include "tuner/device/traits.h"
#include "tuner/experiment/experiment.h"
#include "tuner/experiment/expression.h"
#include "tuner/experiment/point.h"
#include "tuner/experiment/rules.h"

/* Slots of variables. */
enum {
    SLOT_FACTS = 0,
    SLOT_AXES = 32,
    SLOT_SIZE = SLOT_AXES + EXPERIMENT_AXES_MAX,
    SLOT_PARAMETERS = SLOT_SIZE + SIZE_NAMES_MAX,
    SLOT_DERIVED = SLOT_PARAMETERS + EXPERIMENT_PARAMETERS_MAX,
    SLOT_ACTIVE_BLOCKS = SLOT_DERIVED + EXPERIMENT_DERIVED_MAX,
    SLOT_COUNT = SLOT_ACTIVE_BLOCKS + 1,
    /* Variables of objectives only: measured values, and known properties of the measured
     * configuration. */
    SLOT_TIME = SLOT_COUNT,
    SLOT_ENERGY,
    SLOT_POWER,
    SLOT_BYTES,
    SLOT_LAUNCHES,
    SLOT_REGISTERS,
    SLOT_SHARED,
    SLOT_OCCUPANCY,
    SLOT_THREADS,
    SLOT_COUNT_OBJECTIVE,
    SLOT_INDEX = SLOT_COUNT_OBJECTIVE, /* i of a series */
    SLOT_COUNT_SERIES,
};
_Static_assert((int)SLOT_COUNT_SERIES <= (int)SLOT_LOCAL, "too many variables");

enum {
    AXIS_VALUES_MAX = 64,
    OBJECTIVES_MAX = 16,
    PROBLEMS_MAX = 65536,
};

/* Facts that expressions may use; slot SLOT_FACTS + index. */
struct fact_name {
    const char *name;
    enum fact_owner { FACT_OF_ALL, FACT_OF_GPUS, FACT_OF_CPUS } owner;
    bool number; /* a fact given as text ("9.0") is read as a number */
};
extern const struct fact_name fact_names[];
extern const size_t fact_name_count;

struct default_cache; /* experiment.c */

struct experiment {
    struct experiment_head head;
    struct arena arena;
    const struct place_file *file;
    const char *data_folder; /* NULL: none */
    const char *source;
    const char *units[UNITS_MAX];
    size_t unit_count;
    const char *folders[UNITS_MAX];
    size_t folder_count;
    const char *standard; /* "-std=c++17"; NULL: the device's default */

    struct scope scope;
    const struct expression *definitions[SLOTS_MAX]; /* definitions of derived values */
    struct slot_set reach[SLOTS_MAX]; /* variables that a slot depends on: itself, and for a derived
                                         value all variables in its definition */

    struct named_list axes[EXPERIMENT_AXES_MAX];
    struct value axis_values[EXPERIMENT_AXES_MAX][AXIS_VALUES_MAX];
    size_t axis_count;
    struct named_list size;
    int64_t sizes[EXPERIMENT_SIZES_MAX]; /* ascending */
    size_t size_name_count; /* several: sizes are tuples, the last axis's texts: 64x32 */
    struct named_list parameters[EXPERIMENT_PARAMETERS_MAX];
    struct place parameters_place;
    struct setting defaults;
    struct default_cache *default_cache;
    bool lenient_defaults; /* experiment_load_document */
    bool is_recorded;      /* experiment_load_recorded */
    struct formula constraints[EXPERIMENT_CONSTRAINTS_MAX];
    struct named_formula derived[EXPERIMENT_DERIVED_MAX];
    size_t derived_count;
    struct define_list defines;
    struct flag_rule flags[FLAGS_MAX];
    size_t flag_count;
    struct launch_rule launches[LAUNCHES_MAX];
    size_t launch_count;
    struct argument_rule arguments[ARGUMENTS_MAX];
    size_t argument_count;
    struct check_rule checks[CHECKS_MAX];
    size_t check_count;
    struct formula usual; /* problems that run when the experiment is not named */
    struct formula bytes; /* metrics: bytes */
    struct formula operations;
    struct template operations_type; /* no parts: absent */
    struct template ceiling;         /* metrics: ceiling; no parts: absent */
    struct named_formula metrics[EXPERIMENT_METRICS_MAX];
    size_t metric_count;
    struct scope series_scope;
    struct scope objective_scope;
    struct named_formula objectives[OBJECTIVES_MAX];
    size_t objective_count;
    struct baseline_rule baselines[EXPERIMENT_BASELINES_MAX];
    size_t baseline_count;
};

/* Returns all variables that expressions with these `uses` depend on. */
struct slot_set slots_reached(const struct experiment *experiment, struct slot_set uses);

/* Makes the `index`-th point of the axes. */
void problem_at_axes(const struct experiment *experiment, size_t index, struct problem *out);

/* Checks a value of an axis or a parameter: its text must be usable in keys, line-based files and
 * -D defines. */
enum status check_value(struct value value, struct place place, struct error *error);

/* Finds the absolute path of a file, or folder, named relative to the experiment's file or to the
 * data folder, which is searched first if `data_first`. False when there is none; a recorded
 * experiment's is then the name. */
bool path_near(const struct experiment *experiment, const char *name, bool data_first, bool folder,
               char absolute[PATH_MAX]);
#endif
