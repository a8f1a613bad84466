/* The knowledge of a search, whatever its strategy: the space, and every requested or known point.
 * Strategies share it, so that no point is requested twice. Used by this room only. */
#ifndef TUNE_SEARCH_TRAIL_H
#define TUNE_SEARCH_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/index.h"
#include "tuner/base/random.h"
#include "tuner/search/permutation.h"
#include "tuner/search/search.h"

struct trail_record {
    uint64_t point;
    double value; /* NaN: failed, or pending */
    bool has_result;
};

/* A point of another size, device or version. */
struct trail_elsewhere {
    size_t source;
    double value; /* NaN: failed */
    uint16_t values[SEARCH_DIMENSIONS_MAX];
};

struct trail {
    struct search_space space;
    uint16_t value_counts[SEARCH_DIMENSIONS_MAX]; /* target of space.value_counts */
    uint64_t trials;                              /* most points with a record */
    struct random random;
    bool hurries;             /* see search_hurry */
    struct permutation order; /* order of points without a preference */
    uint64_t next;            /* place in the order: earlier ones are used */

    struct trail_record *records; /* in the order of their first request or result */
    size_t count;
    size_t capacity;
    struct index places; /* index of records by point */
    size_t results;      /* records with a result; the others are pending */
    size_t best;         /* record of the smallest value; SIZE_MAX: none */

    uint64_t *winners; /* see search_tell_winner */
    size_t winner_count;
    size_t winner_capacity;
    size_t winner_next;   /* the first one not used yet */
    size_t winners_tried; /* trials of these, and of a strategy's points from `elsewhere` */
    struct trail_elsewhere *elsewhere;
    size_t elsewhere_count;
    size_t elsewhere_capacity;
};

void trail_create(struct trail *trail, const struct search_space *space,
                  const struct search_options *options);
void trail_destroy(struct trail *trail);

/* Finds the point's record; NULL: neither requested nor known. Valid until the next trail_add. */
struct trail_record *trail_find(const struct trail *trail, uint64_t point);
/* Adds a record for a point without one; NULL: no memory. */
struct trail_record *trail_add(struct trail *trail, uint64_t point);
void trail_tell(struct trail *trail, struct trail_record *record, double value);
/* Returns whether one more trial of a winner stays within a tenth of all. */
bool trail_may_try_winner(const struct trail *trail);
/* Returns the number of requested points without a result. */
size_t trail_pending(const struct trail *trail);
/* Returns the smallest value; +infinity: none. */
double trail_best_value(const struct trail *trail);

/* Gets the next point of the order without a record, which the caller must request: it does not
 * come again. False: all have one. */
bool trail_fresh(struct trail *trail, uint64_t *point);

/* neighbours.c */

enum { NEIGHBOURS_MAX = 512 };
/* Lists points that differ from `point` in one parameter: first those with the adjacent value in
 * the file, in random order, then the others, in random order. At most NEIGHBOURS_MAX: the nearest
 * of a parameter with very many values. Returns the number. */
size_t trail_neighbours(struct trail *trail, uint64_t point, uint64_t out[NEIGHBOURS_MAX]);
/* Lists neighbours in parameters with few values only, at any distance. Returns the number. */
size_t trail_neighbours_of_few(const struct trail *trail, uint64_t point,
                               uint64_t out[NEIGHBOURS_MAX]);
/* Lists points that differ from `point` in two parameters with the same product of numbers: half
 * the threads with twice the work each. At most NEIGHBOURS_MAX. Returns the number. */
size_t trail_exchanges(const struct trail *trail, uint64_t point, uint64_t out[NEIGHBOURS_MAX]);
/* Lists the best record, then the best with a text (of a parameter whose value is no number, mostly
 * a variant) that no earlier one has, and so on. Returns the number, at most `most`; 0: none
 * passed. */
size_t trail_best_of_texts(const struct trail *trail, size_t most, size_t *records);
/* Finds the point with these values or, if constraints exclude them, one that differs in one or two
 * parameters; false: none in a bounded number of tries. */
bool trail_repair(struct trail *trail, const uint16_t *values, uint64_t *point);

#endif
