/* What a row's configuration comes to at other sizes and on other devices. */
#ifndef TUNE_EXPORT_ELSEWHERE_H
#define TUNE_EXPORT_ELSEWHERE_H

#include "views/export/internal.h"

/* What a device must be able to give, so that libtuned hands out nothing that does not launch. */
struct needs {
    int64_t threads, shared_bytes, registers; /* of a launch at most; below 1: not known */
    /* Compute capabilities that it runs on, 900 is 9.0: from the least on, up to the most
     * (INT64_MAX: no end). Where the experiment cannot be asked: from the major one on that it was
     * measured on. 0: not a GPU. */
    int64_t least, most;
    int64_t cluster; /* blocks; 0: none */
};
void elsewhere_needs(struct experiments *experiments, const struct conf_row *row,
                     struct needs *needs);
/* ` threads=256 registers=32 capability=9.0 cluster=16`, of a GPU */
void append_needs(struct text *out, const struct needs *needs);

/* JSON objects, and a text; all are owned. Zero at first. */
struct elsewhere {
    /* What there is a formula for, with it: derived values that depend on size or units ("grid"),
     * and what launches are made of ("launch.grid"), be it a number. */
    json_t *formulas;
    /* Derived values that depend on them and have none, with true; clusters and cooperation of
     * launches that have none, with what they are at the row's size. */
    json_t *varying;
    struct text domain; /* export/domain.h */
    bool is_listed;
    const char *why; /* no formula gives a launch, where that is not for want of one; else NULL */
};
/* Where the experiment cannot be asked, all derived values vary, and the domain is what checks
 * leave.
 */
enum status elsewhere_fill(struct elsewhere *out, struct experiments *experiments,
                           const struct conf_row *row, struct error *error);
void elsewhere_free(struct elsewhere *elsewhere);
/* ` derived=tile,grid formula.grid=... launch.grid=grid launch.block=256 measured=...` of one
 * device; of a launch without formulas the numbers of the row's size. */
enum status elsewhere_append(struct text *out, const struct elsewhere *elsewhere,
                             struct store *store, const struct conf_row *row, struct error *error);

/* A JSON object of the store; NULL where it has none. *failed: memory is short. */
json_t *load_object(const char *text, bool *failed);
/* What a launch consists of, in the file's order. */
enum { GRID_PART, BLOCK_PART, CLUSTER_PART, SHARED_PART, COOPERATIVE_PART, LAUNCH_PARTS };
/* "launch.grid", "launch2.grid" */
const char *launch_part_name(struct arena *arena, size_t launch, size_t part);
/* Numbers or formulas of up to three axes, "4,2"; NULL: one of them has none. */
const char *launch_axes(struct arena *arena, const char *const axes[3]);
/* The same of three numbers, or without axes of the one. */
const char *launch_numbers(struct arena *arena, const int64_t *numbers, bool has_axes);

#endif
