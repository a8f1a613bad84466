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

/* A winner at a size, of conf.sql; of portable_devices.sql what a configuration was on one device.
 * Texts are NULL and reals NaN where there is none, integers below 1. */
struct conf_row {
    const char *kind, *problem, *trial, *parameters, *derived, *l2_mode, *source, *facts;
    const char *capability;       /* "9.0"; "" or NULL: none */
    int64_t units, n, experiment; /* experiments.id */
    int64_t threads, shared_bytes, registers, active_blocks;
    int64_t multiple, least, is_listed; /* what checks leave of its domain (struct domain) */
    /* of conf.sql alone: */
    const char *name, *device_driver, *device_compiler, *driver, *compiler;
    const char *measured; /* the trial that has the times */
    const char *stage, *date, *trust, *coverage, *device_facts, *states, *inputs;
    const char *family;  /* of sizes of several names: the problem without them */
    const char *further; /* of a box of these: the sizes but n, "m@16-64 k@8" */
    bool is_inside;      /* the measured sizes are in the range */
    int64_t memory_bytes, range, n_low, n_high, samples, as_fast, not_compared,
        compared;                  /* range -1: one size */
    int64_t winner, configuration; /* winners.id of the size, and what stands there */
    /* What is picked instead (portfolio.h), 0: nothing; it loses at most so much to winners. */
    int64_t pick;
    double loss;
    const char *also[EXPORT_ALTERNATIVES]; /* as fast: values that differ; NULL: no more */
    double time_ns, dirty_ns, hot_ns, mad_ns, energy_j, value;
    double ceiling_percent, bound_percent, claim_percent, confidence;
};
enum { CONF_PARAMETERS = 2 };
/* Rows of either query, with its parameters; those without a name are none. */
enum status conf_rows_read(struct store *store, const char *sql, bool of_devices,
                           const struct store_parameter parameters[CONF_PARAMETERS],
                           struct arena *arena, struct conf_row **rows, size_t *count,
                           struct error *error);

/* ` NAME=VALUE`, quoted where libtuned needs it. */
void append_quoted(struct text *out, const char *text);
void append_field(struct text *out, const char *name, const char *value);
/* Left out when it is empty or NULL. */
void append_known(struct text *out, const char *name, const char *value);
/* Left out when it is not above 0. */
void append_count(struct text *out, const char *name, int64_t value);
/* Without zeros at the end; left out when it is no number. */
void append_decimal(struct text *out, const char *name, int decimals, double value);

/* Experiments of the database as they are needed, to ask them what depends on the device. Zero at
 * first, but for the store. */
struct experiments {
    struct store *store;
    struct arena arena;
    const char *data_folder;
    struct known_experiment {
        int64_t id;
        const char *text, *path;
        char flags[HASH_TEXT_BYTES];   /* of what is compiled; "": as every experiment is */
        struct experiment *experiment; /* NULL: its sources are not here, or nobody asked */
        bool is_loaded;
    } * items;
    size_t count, capacity;
    bool short_of_memory; /* once: what was said to be missing may be there */
    struct error unread;  /* with a status: what could not be read */
    /* Of each kind and problem with picks ("cuda reduce.sum.i32"): `names` of the parameters that
     * tell kernels apart, and `kernels`, which of them are there, as lists of values. */
    json_t *kept;
    /* The last question of elsewhere.c, and what it gave. */
    struct text question;
    struct elsewhere *answer;
};
void experiments_forget(struct experiments *experiments);
/* What kept anything from being asked: a file that cannot be read, or memory, which is short in any
 * case if `failed`. */
enum status experiments_status(const struct experiments *experiments, bool failed,
                               struct error *error);
/* NULL: experiments_status says why. */
struct known_experiment *experiments_find(struct experiments *experiments, int64_t id);
/* As the database has it, whose sources need not be here; NULL: it cannot be read. */
const struct experiment *experiments_loaded(struct experiments *experiments, int64_t id);
/* Whether the name is one of those that commas part; `names` may be NULL. */
bool lists_name(const char *names, const char *name);

/* Left out when it is no number; rounded up. */
void append_bound(struct text *out, const char *name, int decimals, double value);
/* Members of a JSON object, in its order, less those that `but` has too (NULL: none). */
void append_value(struct text *out, const char *name, const json_t *value);
void append_members(struct text *out, json_t *object, const json_t *but);
/* The last size that belongs to the lower of two neighbours. */
int64_t geometric_middle(int64_t low, int64_t high);
/* Sections of what serves all devices of a kind, where the database knows several. */
enum status append_portable(struct experiments *experiments, const char *objective,
                            struct text *out, struct export_counts *counts, struct error *error);

/* A section: its heading (`[cuda "NAME"] FIELDS`), which takes what most lines share, and its
 * lines, each `PROBLEM n=SIZES VALUES | EVIDENCE` and a newline. Nothing where there is none. */
void section_append(struct text *out, const char *heading, const struct text *lines);

/* What one row says: of the configuration, of its measurement, and where that comes from. */
struct entry {
    struct text values, domain, evidence, origin;
    bool is_listed; /* its domain is the row's size alone */
};
/* Cleared first. STATUS_BAD_INPUT: the database holds what is no configuration. */
enum status entry_fill(struct entry *entry, struct experiments *experiments,
                       const struct conf_row *row, const char *objective, struct error *error);
bool entry_failed(const struct entry *entry);
void entry_free(struct entry *entry);

#endif
