/* A row's configuration at other sizes and on other devices. */
#ifndef TUNE_EXPORT_ELSEWHERE_H
#define TUNE_EXPORT_ELSEWHERE_H

#include "views/export/internal.h"

/* Requirements on a device, so that libtuned never returns a configuration that cannot launch. */
struct needs {
    int64_t threads, shared_bytes, registers; /* greatest use by a launch; below 1: unknown */
    /* Compute capabilities, 900 is 9.0: from `least` to `most` (INT64_MAX: no end). Without the
     * experiment: from the major version of the measurement. 0: not a GPU. */
    int64_t least, most;
    int64_t cluster; /* blocks; 0: none */
};
void elsewhere_needs(struct experiments *experiments, const struct conf_row *row,
                     struct needs *needs);
/* Appends a GPU's needs: ` threads=256 registers=32 capability=9.0 cluster=16`. */
void append_needs(struct text *out, const struct needs *needs);

/* JSON objects and a text, all owned. Zero-initialise. */
struct elsewhere {
    /* Formulas: derived values that depend on size or units ("grid"), and parts of launches
     * ("launch.grid"), which may be numbers. */
    json_t *formulas;
    /* Dependent derived values without a formula, with true; clusters and cooperation of launches
     * without one, with their values at the row's size. */
    json_t *varying;
    struct text domain; /* export/domain.h */
    bool is_listed;
    const char *why; /* reason why no launch is known, if other than a missing formula; else NULL */
};
/* Fills the domain alone. */
enum status elsewhere_domain(struct elsewhere *out, struct experiments *experiments,
                             const struct conf_row *row, struct error *error);
/* Fills the answer. If the experiment cannot be evaluated, all derived values vary, and the domain
 * comes from the checks. */
enum status elsewhere_fill(struct elsewhere *out, struct experiments *experiments,
                           const struct conf_row *row, struct error *error);
void elsewhere_free(struct elsewhere *elsewhere);
/* Appends ` derived=tile,grid formula.grid=... launch.grid=grid launch.block=256 measured=...` for
 * one device; launches without formulas have the numbers of the row's size. */
enum status elsewhere_append(struct text *out, const struct elsewhere *elsewhere,
                             struct store *store, const struct conf_row *row, struct error *error);

/* Loads a JSON object of the store; NULL if there is none. *failed: memory is short. */
json_t *load_object(const char *text, bool *failed);
/* Parts of a launch, in the file's order. */
enum { GRID_PART, BLOCK_PART, CLUSTER_PART, SHARED_PART, COOPERATIVE_PART, LAUNCH_PARTS };
/* Returns a part's name: "launch.grid", "launch2.grid". */
const char *launch_part_name(struct arena *arena, size_t launch, size_t part);
/* Joins numbers or formulas of up to three axes: "4,2". Returns NULL if one is missing. */
const char *launch_axes(struct arena *arena, const char *const axes[3]);
/* Joins three numbers as launch_axes does, or formats one without axes. */
const char *launch_numbers(struct arena *arena, const int64_t *numbers, bool has_axes);

#endif
