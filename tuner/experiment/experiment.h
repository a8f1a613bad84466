/* Experiment files (configs/NAME.yaml; docs/experiment-files.md): reading, problems, and the space
 * of configurations; point.h has the meaning of a configuration. Independent of devices: facts are
 * arguments. */
#ifndef TUNE_EXPERIMENT_EXPERIMENT_H
#define TUNE_EXPERIMENT_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/hash.h"
#include "tuner/base/launch.h"
#include "tuner/base/text.h"

struct device_traits;
struct document;
struct experiment; /* read from one file; immutable, readable by any thread */
struct space;      /* the legal configurations of a problem on a device */

enum {
    EXPERIMENT_PARAMETERS_MAX = 32,
    EXPERIMENT_AXES_MAX = 8,
    EXPERIMENT_SIZES_MAX = 256,
    SIZE_NAMES_MAX = 4,
    EXPERIMENT_BASELINES_MAX = 8,
    EXPERIMENT_CONSTRAINTS_MAX = 256,
    EXPERIMENT_METRICS_MAX = 8,
    PROBLEM_KEY_BYTES = 128,
    CONFIGURATION_KEY_BYTES = 512,
};

/* Reads and checks a whole file; sources are named relative to `data_folder` or, if missing there,
 * to the folder of the file. Every error reads "FILE:LINE:COLUMN: problem; did you mean 'x'?" with
 * STATUS_BAD_INPUT. Freed by experiment_free. */
enum status experiment_load(const char *path, const char *data_folder, struct experiment **out,
                            struct error *error);
void experiment_free(struct experiment *experiment);

/* Reads a text of `length` bytes; `path` names it in errors, and its folder is the one that names
 * are relative to. */
enum status experiment_load_text(const char *path, const char *text, size_t length,
                                 const char *data_folder, struct experiment **out,
                                 struct error *error);
/* Reads a text that is tried, not measured: data files, which may be as large as the memory, are
 * not part of the hashes. */
enum status experiment_load_draft(const char *path, const char *text, size_t length,
                                  const char *data_folder, struct experiment **out,
                                  struct error *error);
/* Reads a text from a database: its sources and data may be missing, and are not part of its
 * hashes. Its kernels cannot be compiled; defaults as with `lenient_defaults`. */
enum status experiment_load_recorded(const char *path, const char *text, const char *data_folder,
                                     struct experiment **out, struct error *error);
/* Reads nodes made from a file of another format. The document's memory becomes the experiment's,
 * also after a failure. `lenient_defaults`: defaults that are no point of the space are replaced by
 * the first point. */
enum status experiment_load_document(struct document *document, const char *data_folder,
                                     bool lenient_defaults, struct experiment **out,
                                     struct error *error);

/* The parts of an experiment that need no evaluation. */
struct experiment_head {
    const char *name, *path, *text;
    const struct device_traits *device; /* traits of the kind given by `device` */
    const char *compiler; /* "nvcc" or BINARY_OF_FUNCTIONS; NULL: the device's default */
    unsigned issues;    /* ways to issue launches for timing, as bits (1 << issue); 0: not given */
    bool is_on_request; /* runs only when named, and not when all experiments are meant */
    bool promises_all;  /* results are promised at all sizes that the constraints allow, not only at
                           the listed ones */
    bool has_size; /* false: the file gives no sizes; there is one problem for each point of the
                      axes, with n = 1, which has no effect: its results hold for all sizes */
    size_t parameter_count, constraint_count;
    const char *parameter_names[EXPERIMENT_PARAMETERS_MAX]; /* in the order of the file */
    const char *constraints[EXPERIMENT_CONSTRAINTS_MAX];    /* their texts */
    char content_hash[HASH_TEXT_BYTES];    /* hash of the file and the sources that it names */
    char definition_hash[HASH_TEXT_BYTES]; /* hash of the parts that determine a trial's meaning
                                              besides configuration and binary: derived values,
                                              launches, arguments, the check with its reference.
                                              While it is unchanged, trials stay valid */
};
const struct experiment_head *experiment_head(const struct experiment *experiment);
/* Returns the first line of the file with `key: value`, the value with or without quotes; 0:
 * none. */
int experiment_line(const struct experiment *experiment, const char *key, const char *value);
/* Hashes a file's compiler options besides defines: its `std`, `flags` and `compiler`, as written.
 * "" without any. */
void experiment_flags_hash(const char *text, char out[HASH_TEXT_BYTES]);

/* Returns the name of a parameter or derived value that distinguishes kernels: one used by defines,
 * flags or kernel names, or by conditions of launches that depend on parameters. Configurations
 * that differ only in others share a binary. By index from 0; NULL past the end. */
const char *experiment_compiled_name(const struct experiment *experiment, size_t index);

/* A problem: a point of the axes and one size. */
struct problem {
    char key[PROBLEM_KEY_BYTES]; /* name and axes: "reduce.sum.i32" */
    const char *size_name;       /* "n"; owned by the experiment */
    int64_t n;
    size_t axis_count;
    struct named_value axes[EXPERIMENT_AXES_MAX]; /* texts owned by the experiment */
    const char *shape; /* "1024x512" for sizes with several names: the end of the key, with n = 1;
                          else NULL */
    size_t family_length; /* length of the key without the shape, common to all its sizes */
};
/* Returns the number of problems: points of the axes times sizes, with sizes ascending within a
 * point of the axes. */
size_t experiment_problem_count(const struct experiment *experiment);
void experiment_problem(const struct experiment *experiment, size_t index, struct problem *out);

/* Returns the names of sizes, if there are several, in the order of the file, and the number of
 * these; else 0. *first: the one that programs pass as n: that called n or N, else the first. */
size_t experiment_size_names(const struct experiment *experiment, const char *names[SIZE_NAMES_MAX],
                             size_t *first);
/* Returns a problem's sizes in that order, and how many; 0 for a single name. */
size_t problem_sizes(const struct problem *problem, int64_t sizes[SIZE_NAMES_MAX]);
/* Names a problem, as "blur, n = 65536"; by its key alone with n = 1, as problem_name. */
struct problem_name problem_title(const struct problem *problem);
/* Makes the problem at other sizes with several names, which the file need not list; the shape
 * belongs to the arena. False: memory is short, or the key would be too long. */
bool problem_at_sizes(const struct problem *problem, const int64_t *sizes, size_t count,
                      struct arena *arena, struct problem *out);

/* Adds a size that the file does not list, unless known: one number for each name, in the
 * order of the file. Hashes are unaffected. STATUS_NOT_FOUND: no room for another. */
enum status experiment_add_size(struct experiment *experiment, const int64_t *sizes,
                                struct error *error);

/* Finds the problem of a key, at any size if these have several names: some are of programs that
 * asked for them. The shape may belong to the arena. */
bool experiment_find_problem(const struct experiment *experiment, const char *key,
                             struct arena *arena, struct problem *out);

/* Returns the problem at another size. */
static inline struct problem problem_at(const struct problem *problem, int64_t n)
{
    struct problem out = *problem;
    out.n = n;
    return out;
}

/* Sets the entries of `wanted` (one for each problem, as experiment_problem counts) whose key
 * equals `beginning` or continues it behind a dot: "reduce", "reduce.sum", "reduce.sum.i32". It
 * must begin with the experiment's name. STATUS_NOT_FOUND when an axis has no such value, with the
 * nearest one. */
enum status experiment_select(const struct experiment *experiment, const char *beginning,
                              bool *wanted, struct error *error);
/* Clears the entries that "4096,1024x512" leaves out; problems with a single size name are kept or
 * cleared together. */
void experiment_keep_shapes(const struct experiment *experiment, const char *sizes, bool *wanted);
/* Sets the problems that run when the experiment is not named: by `usual`, else all. */
enum status experiment_select_usual(const struct experiment *experiment, bool *wanted,
                                    struct error *error);
/* Completes `typed`: calls back for each value that continues its last part: "reduce.sum",
 * "reduce.sum.i32"; never more than one part further. */
void experiment_complete(const struct experiment *experiment, const char *typed,
                         void (*each)(void *context, const char *word), void *context);

/* Restricts a parameter, in every space made from now on, to the values "64,128". Hashes, the
 * default configuration and space_admits are unaffected. STATUS_NOT_FOUND: no such parameter;
 * STATUS_USAGE: an unknown value; with the nearest word. */
enum status experiment_restrict(struct experiment *experiment, const char *name, const char *values,
                                struct error *error);

/* A configuration: one value for each parameter. Texts are owned by the experiment or space. */
struct configuration {
    size_t count;
    struct named_value values[EXPERIMENT_PARAMETERS_MAX];
};
/* Writes "variant=last_block block=256 loads=4", in the order of the file; false when the text was
 * cut. */
bool configuration_key(const struct configuration *configuration,
                       char out[CONFIGURATION_KEY_BYTES]);

/* Makes the space of legal configurations: parameter values (which may be expressions over facts,
 * axes and size) less those that a constraint excludes. Repeated values count once. Points are
 * numbered from 0 in the order of the file's parameters, the last one fastest; they are not stored
 * one by one, so that a space of many millions takes little memory. Equal experiments, problems and
 * facts give equal numbers. At most INT64_MAX points; more, or constraints that combine their
 * parameters in too many ways to store (16 Mi edges of the diagram) or to try (64 Mi values), are
 * STATUS_BAD_INPUT with advice; STATUS_NOT_FOUND: none satisfies the constraints. */
enum status space_create(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, struct space **out, struct error *error);
void space_free(struct space *space);
/* Keeps only these points, which are sorted, renumbered from 0 in their order; once per space.
 * False: memory is short. */
bool space_keep(struct space *space, uint64_t *points, size_t count);
uint64_t space_count(const struct space *space);
/* Returns the number of points before constraints; UINT64_MAX when larger. */
uint64_t space_product_count(const struct space *space);
void space_configuration(const struct space *space, uint64_t point, struct configuration *out);
/* Finds the point of a configuration; false when not in the space. */
bool space_find(const struct space *space, const struct configuration *configuration,
                uint64_t *point);

/* Access by numbers: a parameter is a dimension, in the order of the file, and a value its index
 * among the parameter's values. */
size_t space_dimension_count(const struct space *space);
size_t space_value_count(const struct space *space, size_t dimension);
/* Returns a value; texts are owned by the experiment or space. */
struct value space_value(const struct space *space, size_t dimension, size_t index);
void space_values(const struct space *space, uint64_t point,
                  uint16_t values[EXPERIMENT_PARAMETERS_MAX]);
bool space_at(const struct space *space, const uint16_t values[EXPERIMENT_PARAMETERS_MAX],
              uint64_t *point);

/* Returns the next argument, from `from` on, that kernels write and that no check covers; NULL:
 * none left. *next: index to continue from. */
const char *experiment_unchecked(const struct experiment *experiment, size_t from, size_t *next);
/* Counts the points of the product that satisfy one constraint. STATUS_BAD_INPUT also when it has
 * no value at points that other constraints exclude. */
enum status space_constraint_keeps(const struct experiment *experiment,
                                   const struct problem *problem, const struct facts *facts,
                                   size_t index, uint64_t *kept, struct error *error);

/* Returns whether the configuration is a point of the problem's space: known values, all
 * constraints satisfied. Cheap: the space is not enumerated. */
enum status space_admits(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, const struct configuration *configuration,
                         bool *admits, struct error *error);

/* Explains why the file's `defaults` are no point of a problem's space: "block = 24 is not among
 * its values", "the constraint 'a % b == 0' rules them out". *out is NULL when they are a point, or
 * absent; else it belongs to the arena. */
enum status experiment_defaults_reason(const struct experiment *experiment,
                                       const struct problem *problem, const struct facts *facts,
                                       struct arena *arena, const char **out, struct error *error);

/* An untuned configuration, for comparison. */
struct baseline {
    const char *name;
    const char *about;
    struct configuration configuration;
    /* Name of a parameter (threads per block) to be replaced by the suggestion of
     * cuOccupancyMaxPotentialBlockSize for the first launch's kernel; NULL: none. */
    const char *occupancy_parameter;
};
/* Makes the baselines that apply to the problem (a baseline may have a `when`), at most
 * EXPERIMENT_BASELINES_MAX; they need not be points of the space. */
enum status experiment_baselines(const struct experiment *experiment, const struct problem *problem,
                                 const struct facts *facts, struct baseline *out, size_t *count,
                                 struct error *error);

/* Makes the default configuration: `defaults`, else the space's first point. */
enum status experiment_default(const struct experiment *experiment, const struct problem *problem,
                               const struct facts *facts, struct configuration *out,
                               struct error *error);

#endif
