/* Between the files of the room. */
#ifndef TUNE_EXPORT_INTERNAL_H
#define TUNE_EXPORT_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/hash.h"
#include "tuner/experiment/experiment.h"
#include "tuner/store/query.h"
#include "views/export/export.h"

enum { EXPORT_ALTERNATIVES = 3 };

/* A winner at a size (conf.sql), or a configuration on one device (portable_devices.sql). Missing:
 * texts NULL, reals NaN, integers below 1. */
struct conf_row {
    const char *kind, *problem, *trial, *parameters, *derived, *l2_mode, *source, *facts;
    const char *capability;       /* "9.0"; "" or NULL: none */
    int64_t units, n, experiment; /* experiments.id */
    int64_t threads, shared_bytes, registers, active_blocks;
    /* Bounds of the domain left by checks (struct domain). */
    int64_t multiple, least, most, is_listed;
    const char *multiples; /* for a tuple of sizes (domain_multiples) */
    /* only from conf.sql: */
    const char *name, *device_driver, *device_compiler, *driver, *compiler;
    const char *measured; /* the trial that has the times */
    const char *stage, *date, *trust, *coverage, *device_facts, *states, *inputs;
    const char *family;  /* problem without its sizes, if these have several names */
    const char *issue;   /* issue of launches, if other than the device's first rows' */
    const char *further; /* box of these: the sizes but n, "m@16-64 k@8" */
    bool is_inside;      /* the measured sizes are in the range */
    int64_t memory_bytes, range, n_low, n_high, samples, as_fast, not_compared,
        compared;                  /* range -1: one size */
    int64_t winner, configuration; /* winners.id of the size, and its configuration */
    /* Configuration picked instead (portfolio.c), 0: none, and its greatest loss. */
    int64_t pick;
    double loss;
    const char *also[EXPORT_ALTERNATIVES]; /* as fast: values that differ; NULL: no more */
    double time_ns, dirty_ns, hot_ns, mad_ns, energy_j, value;
    double ceiling_percent, bound_percent, claim_percent, confidence;
};
/* A configuration measured beside a winner: a row of portfolio.sql or other_sizes.sql. */
struct measured_row {
    int64_t winner, trial, configuration;
    const char *parameters, *derived;
    double loss;
    int64_t multiple, least, most, is_listed; /* domain left by checks */
    const char *multiples;
};
enum { MEASURED_COLUMNS = 11 };
extern const struct store_column measured_columns[MEASURED_COLUMNS];
/* Returns the row with the measured configuration in the place of its own. */
struct conf_row row_with(const struct conf_row *row, const struct measured_row *measured);
enum { CONF_PARAMETERS = 2 };
/* Reads the rows of either query with its parameters; unnamed ones are unused. */
enum status conf_rows_read(struct store *store, const char *sql, bool of_devices,
                           const struct store_parameter parameters[CONF_PARAMETERS],
                           struct arena *arena, struct conf_row **rows, size_t *count,
                           struct error *error);

/* Append ` NAME=VALUE`, quoted if libtuned requires. */
void append_quoted(struct text *out, const char *text);
void append_field(struct text *out, const char *name, const char *value);
/* Appends a field unless the value is empty or NULL. */
void append_known(struct text *out, const char *name, const char *value);
/* Appends a field if the value is above 0. */
void append_count(struct text *out, const char *name, int64_t value);
/* Appends a number without trailing zeros; NaN is left out. */
void append_decimal(struct text *out, const char *name, int decimals, double value);

/* Experiments of the database, loaded on demand to evaluate expressions that depend on the device.
 * Zero-initialise, except the store. */
struct experiments {
    struct store *store;
    struct arena arena;
    const char *data_folder;
    struct known_experiment {
        int64_t id;
        const char *text, *path;
        char flags[HASH_TEXT_BYTES];   /* compiler flags; "": those of every experiment */
        struct experiment *experiment; /* NULL: sources missing, or not loaded yet */
        bool is_loaded;
    } * items;
    size_t count, capacity;
    bool short_of_memory; /* an earlier failure was memory; a missing one may exist */
    struct error unread;  /* reason of the first failure, with a status */
    /* Picks of each kind and problem ("cuda reduce.sum.i32"): the `experiment`, and `kernels`, by
     * their lines in lists. */
    json_t *kept;
    const char *installed; /* struct export_options; set when rows are chosen */
    /* The last key and answer of elsewhere.c. */
    struct text question;
    struct elsewhere *answer;
};
void experiments_forget(struct experiments *experiments);
/* Returns the failure that prevented an evaluation: an unreadable file, or memory, which is short
 * anyway if `failed`. */
enum status experiments_status(const struct experiments *experiments, bool failed,
                               struct error *error);
/* Finds an experiment; NULL: experiments_status has the reason. */
struct known_experiment *experiments_find(struct experiments *experiments, int64_t id);
/* Loads an experiment from the database without its sources; NULL if unreadable. */
const struct experiment *experiments_loaded(struct experiments *experiments, int64_t id);

/* Appends a number, rounded up; NaN is left out. */
void append_bound(struct text *out, const char *name, int decimals, double value);
/* Append a value, or a JSON object's members in order, except those in `but` (NULL: none). */
void append_value(struct text *out, const char *name, const json_t *value);
void append_members(struct text *out, json_t *object, const json_t *but);
/* Returns the last size that belongs to the lower of two neighbours. */
int64_t geometric_middle(int64_t low, int64_t high);
/* Appends sections for all devices of a kind, if the database has several. */
enum status append_portable(struct experiments *experiments, const char *objective,
                            struct text *out, struct export_counts *counts, struct error *error);

/* Appends a section: its heading (`[cuda "NAME"] FIELDS`), which gets the fields shared by most
 * lines, and its lines, each `PROBLEM n=SIZES VALUES | EVIDENCE` and a newline. Appends none
 * without lines. */
void section_append(struct text *out, const char *heading, const struct text *lines);

/* Fields of a row: configuration, domain, measurement, origin. */
struct entry {
    struct text values, domain, evidence, origin;
    bool is_listed; /* the domain is the row's size alone */
};
/* Fills an entry, cleared first. Returns STATUS_BAD_INPUT if the database holds an invalid
 * configuration. */
enum status entry_fill(struct entry *entry, struct experiments *experiments,
                       const struct conf_row *row, const char *objective, struct error *error);
bool entry_failed(const struct entry *entry);
void entry_free(struct entry *entry);

/* ---- the choice of few kernels for all sizes and devices of a problem ---- */

enum { PORTFOLIO_MAX = 12 }; /* kernels of a problem */

/* Sets `also` of rows of conf.sql, and `pick` and `loss` for replaced configurations. Texts are in
 * the arena. */
enum status portfolio_choose(struct experiments *experiments, const struct export_options *options,
                             struct arena *arena, struct conf_row *rows, size_t count,
                             struct error *error);

/* other_sizes.c: Adds rows for sizes that the domains of others exclude, second ones. */
enum status other_sizes_add(struct experiments *experiments, const char *objective,
                            struct arena *arena, struct conf_row **rows, size_t *count,
                            struct error *error);

bool row_is_second(const struct conf_row *row);

/* Returns true if the configuration's kernel is picked for the problem. */
bool portfolio_has(struct experiments *experiments, const char *kind, const char *problem,
                   const char *parameters, const char *derived);
/* Returns true if programs have the kernel anyway: picked, or compiled in already. */
bool portfolio_gives(struct experiments *experiments, const struct conf_row *row,
                     const char *parameters, const char *derived);
/* Returns how many kernels are picked for the problem. */
size_t portfolio_count(const struct experiments *experiments, const char *kind,
                       const char *problem);

#endif
