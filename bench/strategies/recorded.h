/* A space whose points were all measured, to play the strategies against; made of rows of values
 * and times, which database.c and files.c read. */
#ifndef TUNE_BENCH_STRATEGIES_RECORDED_H
#define TUNE_BENCH_STRATEGIES_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/search/search.h"
#include "tuner/store/store.h"

/* A recorded space: the points that have rows; a value's index is its place among the parameter's
 * distinct values, numbers first, ascending. Point i has the time times[i]; NaN: failed. */
struct recorded {
    char name[128];            /* "reduce.sum.i32 n=4096", or the file's name */
    struct search_space space; /* its context is this struct */
    uint16_t value_counts[SEARCH_DIMENSIONS_MAX];
    struct recorded_value *lists[SEARCH_DIMENSIONS_MAX]; /* values of each parameter, ascending */
    uint16_t *values;                                    /* rows of `dimensions`, sorted */
    double *times;                                       /* ns */
    uint64_t *binaries;                                  /* hash of each point's; 0: unknown */
    double best;
    size_t failed;
};

struct recorded_value {
    const char *text;
    double number; /* NaN: a text */
    uint16_t index;
};

/* Zero-initialise all but the arena, which texts and the space belong to. */
struct recorded_rows {
    struct arena *arena;
    struct recorded_value *lists[SEARCH_DIMENSIONS_MAX];
    size_t list_counts[SEARCH_DIMENSIONS_MAX];
    size_t dimensions;
    struct recorded_row {
        uint16_t values[SEARCH_DIMENSIONS_MAX];
        double time_ns;
        uint64_t binary;
    } * rows;
    size_t count, capacity;
};
enum status recorded_add_row(struct recorded_rows *rows, double time_ns, struct error *error);
/* Adds a value to the last row. STATUS_BAD_INPUT: too many parameters, or values of one. */
enum status recorded_add_value(struct recorded_rows *rows, size_t dimension, const char *text,
                               bool number, struct error *error);
/* Finishes the space. STATUS_BAD_INPUT if no point succeeded or a configuration occurs twice. Not
 * to be moved; freed with the arena. */
enum status recorded_finish(struct recorded_rows *rows, struct recorded *recorded,
                            struct error *error);
void recorded_rows_free(struct recorded_rows *rows);

/* Translates a point of `from` to indices of `to`; false if that lacks such values. */
bool recorded_translate(const struct recorded *from, uint64_t point, const struct recorded *to,
                        uint16_t *values);

/* ---- database.c ---- */

/* The sweep of a problem. Texts belong to the caller's arena. */
struct recorded_problem {
    int64_t problem_id;
    int64_t environment_id;
    const char *l2_mode;
    const char *key;
    int64_t n;
};
/* Lists the problems with the most points, at most `most`. `key` and `n` narrow the list; NULL:
 * any. */
enum status recorded_list(struct store *store, struct arena *arena, const char *key, const char *n,
                          size_t most, struct recorded_problem *problems, size_t *count,
                          struct error *error);
/* Reads a sweep; a duplicate of a launch has the other's time. */
enum status recorded_read(struct store *store, const struct recorded_problem *problem,
                          struct arena *arena, struct recorded *recorded, struct error *error);

/* ---- files.c ---- */

/* Reads a table of times (CSV: parameters, time_ns, cost_ms), a T4 file or a cache of Kernel Tuner.
 */
enum status recorded_read_file(const char *path, struct arena *arena, struct recorded *recorded,
                               struct error *error);

#endif
