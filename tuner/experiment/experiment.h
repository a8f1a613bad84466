/* Experiment files (configs/NAME.yaml; docs/experiment-files.md): reading, problems, the space of
 * configurations; what a configuration means is in point.h. Knows no device: facts are handed in.
 */
#ifndef TUNE_EXPERIMENT_EXPERIMENT_H
#define TUNE_EXPERIMENT_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/hash.h"
#include "tuner/base/launch.h"

struct document;
struct experiment; /* read from one file; immutable; any thread may read it */
struct space;      /* the legal configurations of one problem on one device */

enum {
    EXPERIMENT_PARAMETERS_MAX = 32,
    EXPERIMENT_AXES_MAX = 8,
    EXPERIMENT_SIZES_MAX = 256,
    SIZE_NAMES_MAX = 4,
    EXPERIMENT_BASELINES_MAX = 8,
    EXPERIMENT_METRICS_MAX = 8,
    PROBLEM_KEY_BYTES = 128,
    CONFIGURATION_KEY_BYTES = 512,
};

/* Reads and checks a file whole; sources are named relative to `data_folder` (or, when not there,
 * to the folder of the file). Every error reads "FILE:LINE:COLUMN: what is wrong; did you mean
 * 'x'?" with STATUS_BAD_INPUT. Freed by experiment_free. */
enum status experiment_load(const char *path, const char *data_folder, struct experiment **out,
                            struct error *error);
void experiment_free(struct experiment *experiment);

/* The same of a text of `length` bytes; `path` is what errors call it, and to its folder names are
 * relative. */
enum status experiment_load_text(const char *path, const char *text, size_t length,
                                 const char *data_folder, struct experiment **out,
                                 struct error *error);
/* The same of a text that a database has: its sources and data need not be there, nor are they part
 * of its hashes. Nothing of it can be compiled; defaults as `lenient_defaults` has them. */
enum status experiment_load_recorded(const char *path, const char *text, const char *data_folder,
                                     struct experiment **out, struct error *error);
/* The same of nodes that were made out of a file in another format. The document's memory becomes
 * the experiment's, also after a failure. `lenient_defaults`: defaults that are no point count as
 * none, and the first point is the default. */
enum status experiment_load_document(struct document *document, const char *data_folder,
                                     bool lenient_defaults, struct experiment **out,
                                     struct error *error);

const char *experiment_name(const struct experiment *experiment);
const char *experiment_path(const struct experiment *experiment);
/* The first line of the file that has `key: value`, the value in quotes or not; 0: none. */
int experiment_line(const struct experiment *experiment, const char *key, const char *value);
const char *experiment_device_kind(const struct experiment *experiment); /* as in the file */
const char *experiment_compiler(const struct experiment *experiment); /* NULL: the device's own */
/* Whether it is left out where every experiment is meant, and runs only when it is named. */
bool experiment_is_on_request(const struct experiment *experiment);
/* Whether it promises results at all sizes that its constraints allow, not at those that it lists
 * alone. */
bool experiment_promises_all(const struct experiment *experiment);
/* Whether the file gives sizes. Without any there is one problem for each point of the axes, n = 1,
 * which nothing depends on: what holds for it holds for all. */
bool experiment_has_size(const struct experiment *experiment);
/* Hash of the file and of the sources it names. */
const char *experiment_content_hash(const struct experiment *experiment);
/* Hash of what a trial's meaning depends on besides its configuration and its binary: derived
 * values, launches, arguments, the check with its reference. While it stays, trials stay valid. */
const char *experiment_definition_hash(const struct experiment *experiment);
/* Hash of what a file's text gives the compiler besides defines: its `std`, `flags` and `compiler`,
 * as they are written there. "" when it gives none. */
void experiment_flags_hash(const char *text, char out[HASH_TEXT_BYTES]);
const char *experiment_text(const struct experiment *experiment);

/* Parameters in the order of the file. */
size_t experiment_parameter_count(const struct experiment *experiment);
const char *experiment_parameter_name(const struct experiment *experiment, size_t index);

/* Parameters and derived values that tell one kernel from another: what defines, flags and names of
 * kernels are made of, and what decides which are launched, as far as it depends on parameters.
 * Configurations that differ in others are launched otherwise and compiled alike. By index from 0;
 * NULL past the end. */
const char *experiment_compiled_name(const struct experiment *experiment, size_t index);

/* One thing to compute: a point of the axes and one size. */
struct problem {
    char key[PROBLEM_KEY_BYTES]; /* name and axes: "reduce.sum.i32" */
    const char *size_name;       /* "n"; owned by the experiment */
    int64_t n;
    size_t axis_count;
    struct named_value axes[EXPERIMENT_AXES_MAX]; /* texts owned by the experiment */
    const char *shape; /* "1024x512" of sizes of several names: ends the key, n is 1; else NULL */
    size_t family_length; /* of the key without the shape, which all its sizes have in common */
};
/* All axes' points times all sizes: sizes ascending within a point of the axes. */
size_t experiment_problem_count(const struct experiment *experiment);
void experiment_problem(const struct experiment *experiment, size_t index, struct problem *out);

/* Names of sizes, where there are several, in the order of the file; how many: else 0. *first: the
 * one that is n where programs ask, the one called n or N, else the first. */
size_t experiment_size_names(const struct experiment *experiment, const char *names[SIZE_NAMES_MAX],
                             size_t *first);
/* A problem's sizes in that order; how many, 0 where they have one name. */
size_t problem_sizes(const struct problem *problem, int64_t sizes[SIZE_NAMES_MAX]);
/* The same problem at other sizes of several names, which the file need not have; the shape is the
 * arena's. False: memory is short, or the key would be too long. */
bool problem_at_sizes(const struct problem *problem, const int64_t *sizes, size_t count,
                      struct arena *arena, struct problem *out);

/* The same problem at another size. */
void experiment_problem_at(const struct experiment *experiment, const struct problem *problem,
                           int64_t n, struct problem *out);

/* Sets those of `wanted` (one for each problem, as experiment_problem counts them) whose key is
 * `beginning`, or begins so at a dot: "reduce", "reduce.sum", "reduce.sum.i32". It must begin with
 * the experiment's name. STATUS_NOT_FOUND when an axis has no such value, with the nearest one. */
enum status experiment_select(const struct experiment *experiment, const char *beginning,
                              bool *wanted, struct error *error);
/* Unsets those that "4096,1024x512" leaves out; of those with one name all or none. */
void experiment_keep_shapes(const struct experiment *experiment, const char *sizes, bool *wanted);
/* Sets those that run when the experiment is not named: by `usual`, else all. */
enum status experiment_select_usual(const struct experiment *experiment, bool *wanted,
                                    struct error *error);
/* What `typed` may be going on with, for completion: its last part made whole, for each value that
 * begins so. Calls back with "reduce.sum", "reduce.sum.i32"; never more than one part further. */
void experiment_complete(const struct experiment *experiment, const char *typed,
                         void (*each)(void *context, const char *word), void *context);

/* Leaves a parameter, in every space that is made from now on, only the values "64,128". Hashes,
 * the default configuration and what space_admits says stay. STATUS_NOT_FOUND: no such parameter;
 * STATUS_USAGE: a value that it never has; with the nearest word. */
enum status experiment_restrict(struct experiment *experiment, const char *name, const char *values,
                                struct error *error);

/* One value for each parameter. Texts are owned by the experiment or space. */
struct configuration {
    size_t count;
    struct named_value values[EXPERIMENT_PARAMETERS_MAX];
};
/* "variant=last_block block=256 loads=4", in the order of the file. False when it did not fit. */
bool configuration_key(const struct configuration *configuration,
                       char out[CONFIGURATION_KEY_BYTES]);

/* The legal configurations: parameter values (which may be expressions over facts, axes and size)
 * less those that a constraint rules out. A value that repeats is taken once. Points are numbered
 * from 0 in the order of the file's parameters, the last one fastest; they are not held one by one,
 * so that a space of many millions takes little memory. The same experiment, problem and facts give
 * the same numbers. At most INT64_MAX points; more, or constraints that join their parameters in
 * too many ways to hold (16 Mi edges of the diagram) or to try (64 Mi values), are
 * STATUS_BAD_INPUT with what to do. */
enum status space_create(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, struct space **out, struct error *error);
void space_free(struct space *space);
/* Leaves only these of its points, which are sorted, counted anew from 0 in their order; once for
 * the life of a space. False: no memory. */
bool space_keep(struct space *space, uint64_t *points, size_t count);
uint64_t space_count(const struct space *space);
/* Before constraints; UINT64_MAX when it is more. */
uint64_t space_product_count(const struct space *space);
void space_configuration(const struct space *space, uint64_t point, struct configuration *out);
/* False when the configuration is no point of the space. */
bool space_find(const struct space *space, const struct configuration *configuration,
                uint64_t *point);

/* The same by numbers: a parameter is a dimension, in the order of the file, and a value its index
 * among the parameter's. */
size_t space_dimension_count(const struct space *space);
size_t space_value_count(const struct space *space, size_t dimension);
/* A text is owned by the experiment or space. */
struct value space_value(const struct space *space, size_t dimension, size_t index);
void space_values(const struct space *space, uint64_t point,
                  uint16_t values[EXPERIMENT_PARAMETERS_MAX]);
bool space_at(const struct space *space, const uint16_t values[EXPERIMENT_PARAMETERS_MAX],
              uint64_t *point);
/* All points in order, until `each` returns false. Faster than one after the other. */
void space_walk(const struct space *space,
                bool (*each)(void *context, const uint16_t values[EXPERIMENT_PARAMETERS_MAX]),
                void *context);

/* The next argument, from `from` on, that kernels write and `check` says nothing of; NULL: there is
 * none left. *next: where to go on. */
const char *experiment_unchecked(const struct experiment *experiment, size_t from, size_t *next);
/* Constraints in the order of the file, and how many points of the product one keeps when it is the
 * only one. STATUS_BAD_INPUT also when it has no value alone: others keep it from such points. */
size_t experiment_constraint_count(const struct experiment *experiment);
const char *experiment_constraint_text(const struct experiment *experiment, size_t index);
enum status space_constraint_keeps(const struct experiment *experiment,
                                   const struct problem *problem, const struct facts *facts,
                                   size_t index, uint64_t *kept, struct error *error);

/* Whether the configuration is a point of the problem's space: its values among the parameters' and
 * all constraints kept. Cheap: the space is not enumerated. */
enum status space_admits(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, const struct configuration *configuration,
                         bool *admits, struct error *error);

/* Why the file's `defaults` are no point of a problem's space: "block = 24 is not among its
 * values", "the constraint 'a % b == 0' rules them out". *out is NULL when they are one, or there
 * are none; else it belongs to the arena. */
enum status experiment_defaults_reason(const struct experiment *experiment,
                                       const struct problem *problem, const struct facts *facts,
                                       struct arena *arena, const char **out, struct error *error);

/* A configuration that nobody tuned, to compare with. */
struct baseline {
    const char *name;
    const char *about;
    struct configuration configuration;
    /* The name of a parameter (threads per block) that is to be replaced by what
     * cuOccupancyMaxPotentialBlockSize suggests for the first launch's kernel; NULL: none. */
    const char *occupancy_parameter;
};
/* Those that apply to the problem (a baseline may have a `when`). At most
 * EXPERIMENT_BASELINES_MAX; they need not be points of the space. */
enum status experiment_baselines(const struct experiment *experiment, const struct problem *problem,
                                 const struct facts *facts, struct baseline *out, size_t *count,
                                 struct error *error);

/* The configuration that counts as nobody's choice: `defaults`, else the space's first point. */
enum status experiment_default(const struct experiment *experiment, const struct problem *problem,
                               const struct facts *facts, struct configuration *out,
                               struct error *error);

#endif
