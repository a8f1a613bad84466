/* Between the files of the room. */
#ifndef TUNE_EXPORT_INTERNAL_H
#define TUNE_EXPORT_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/experiment/experiment.h"
#include "tuner/export/export.h"

/* The columns of conf.sql, in its order. */
enum column {
    COLUMN_KIND,
    COLUMN_NAME,
    COLUMN_CAPABILITY,
    COLUMN_UNITS,
    COLUMN_MEMORY,
    COLUMN_DEVICE_DRIVER,
    COLUMN_DEVICE_COMPILER,
    COLUMN_DRIVER,
    COLUMN_COMPILER,
    COLUMN_PROBLEM,
    COLUMN_RANGE, /* NULL: a single size */
    COLUMN_N_LOW,
    COLUMN_N_HIGH,
    COLUMN_N,
    COLUMN_TRIAL,
    COLUMN_MEASURED, /* the trial that has the times */
    COLUMN_PARAMETERS,
    COLUMN_DERIVED,
    COLUMN_L2_MODE,
    COLUMN_STAGE,
    COLUMN_TIME,
    COLUMN_MAD,
    COLUMN_ENERGY,
    COLUMN_VALUE,
    COLUMN_SAMPLES,
    COLUMN_DATE,
    COLUMN_SOURCE,
    COLUMN_CEILING,
    COLUMN_BOUND,
    COLUMN_TIED,
    COLUMN_CLAIM,
    COLUMN_CONFIDENCE,
    COLUMN_COMPARED,
    COLUMN_TRUST,
    COLUMN_FACTS,
    COLUMN_DEVICE_FACTS,
    COLUMN_EXPERIMENT,
    COLUMN_EXPERIMENT_TEXT,
    COLUMN_EXPERIMENT_PATH,
    COLUMN_THREADS,
    COLUMN_SHARED_BYTES,
    COLUMN_REGISTERS,
    COLUMN_ACTIVE_BLOCKS,
    COLUMN_COUNT
};

/* "" for NULL. */
const char *column_text(struct store_query *query, enum column column);

/* ` NAME=VALUE`, quoted where libtuned needs it. */
void append_quoted(struct text *out, const char *text);
void append_field(struct text *out, const char *name, const char *value);
/* Left out when it is empty. */
void append_known(struct text *out, const char *name, const char *value);
/* Left out when it is not above 0. */
void append_count(struct text *out, const char *name, int64_t value);
/* Without zeros at the end; left out when it is no number. */
void append_decimal(struct text *out, const char *name, int decimals, double value);

/* Experiments of the database as they are needed, to ask them what depends on the device. Zero at
 * first. */
struct experiments {
    struct arena arena;
    const char *data_folder;
    struct known_experiment {
        int64_t id;
        struct experiment *experiment; /* NULL: its sources are not here */
    } * items;
    size_t count, capacity;
    bool short_of_memory; /* once: what was said to be missing may be there */
    /* The last question of elsewhere.c, and what it gave. */
    struct text question;
    json_t *formulas, *varying;
};
void experiments_forget(struct experiments *experiments);
/* Left out when it is no number; rounded up. */
void append_bound(struct text *out, const char *name, int decimals, double value);
/* Members of a JSON object, in its order, less those that `but` has too (NULL: none). */
void append_value(struct text *out, const char *name, const json_t *value);
void append_members(struct text *out, json_t *object, const json_t *but);
/* The last size that belongs to the lower of two neighbours. */
int64_t geometric_middle(int64_t low, int64_t high);
/* Sections of what serves all devices of a kind, where the database knows several. */
enum status append_portable(struct store *store, struct experiments *experiments,
                            const char *objective, struct text *out, struct export_counts *counts,
                            struct error *error);

/* What one row says: of the configuration, of its measurement, and where that comes from. */
struct entry {
    struct text values, evidence, origin;
};
/* Cleared first. STATUS_BAD_INPUT: the database holds what is no configuration. */
enum status entry_fill(struct entry *entry, struct store *store, struct experiments *experiments,
                       struct store_query *query, const char *objective, struct error *error);
bool entry_failed(const struct entry *entry);
void entry_free(struct entry *entry);

#endif
