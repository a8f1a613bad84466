/* What a search knows, whatever its strategy: the space, and every point that was asked for or told
 * of. Strategies draw from it, so that none of them asks twice. The room's own. */
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
    double value; /* NaN: failed, or not told yet */
    bool told;
};

/* A point of another size, device or version. */
struct trail_elsewhere {
    size_t source;
    double value; /* NaN: failed */
    uint16_t values[SEARCH_DIMENSIONS_MAX];
};

struct trail {
    struct search_space space;
    uint16_t value_counts[SEARCH_DIMENSIONS_MAX]; /* space.value_counts points here */
    uint64_t trials;                              /* most points there may be records of */
    struct random random;
    bool hurries;             /* as search_hurry */
    struct permutation order; /* of points nobody has an opinion on */
    uint64_t next;            /* place in it: those before are used */

    struct trail_record *records; /* in the order in which they were first asked for or told of */
    size_t count;
    size_t capacity;
    struct index places; /* of records, by point */
    size_t told;         /* records that were; the others are pending */
    size_t best;         /* record of the smallest value; SIZE_MAX while there is none */

    uint64_t *winners; /* as search_tell_winner */
    size_t winner_count;
    size_t winner_capacity;
    size_t winner_next;   /* the first that was not looked at */
    size_t winners_tried; /* of these, and of those that a strategy finds in `elsewhere` */
    struct trail_elsewhere *elsewhere;
    size_t elsewhere_count;
    size_t elsewhere_capacity;
};

void trail_create(struct trail *trail, const struct search_space *space,
                  const struct search_options *options);
void trail_destroy(struct trail *trail);

/* NULL when the point was neither asked for nor told of. Valid until the next trail_add. */
struct trail_record *trail_find(const struct trail *trail, uint64_t point);
/* A record for a point that has none; NULL when memory is short. */
struct trail_record *trail_add(struct trail *trail, uint64_t point);
void trail_tell(struct trail *trail, struct trail_record *record, double value);
/* False when memory is short. */
bool trail_add_elsewhere(struct trail *trail, size_t source, const uint16_t *values, double value);
/* False when memory is short. */
bool trail_add_winner(struct trail *trail, uint64_t point);
/* Whether one more trial of a winner is no more than is good for a search: a tenth of all. */
bool trail_may_try_winner(const struct trail *trail);
/* Points that were asked for and not told yet. */
size_t trail_pending(const struct trail *trail);
/* The smallest value; +infinity while there is none. */
double trail_best_value(const struct trail *trail);

/* The next point of the order without a record; false when all have one. To be asked for: it does
 * not come again. */
bool trail_fresh(struct trail *trail, uint64_t *point);

/* Uniform in [0, 1). */
double trail_uniform(struct trail *trail);

/* neighbours.c */

enum { NEIGHBOURS_MAX = 512 };
/* Points that differ from `point` in one parameter: first those with the value next to it in the
 * file, in random order, then the others, in random order. At most NEIGHBOURS_MAX: of a parameter
 * with very many values the nearest. Returns how many. */
size_t trail_neighbours(struct trail *trail, uint64_t point, uint64_t out[NEIGHBOURS_MAX]);
/* Those of parameters that have few values alone, however far. Returns how many. */
size_t trail_neighbours_of_few(const struct trail *trail, uint64_t point,
                               uint64_t out[NEIGHBOURS_MAX]);
/* Points that differ from `point` in two parameters, the product of whose numbers is the same: half
 * the threads with twice the work each. At most NEIGHBOURS_MAX. Returns how many. */
size_t trail_exchanges(const struct trail *trail, uint64_t point, uint64_t out[NEIGHBOURS_MAX]);
/* The best record, then the best with a text (of a parameter whose value is no number: a variant,
 * mostly) that none before it has, and so on. At most `most`; returns how many: 0 while none
 * passed. */
size_t trail_best_of_texts(const struct trail *trail, size_t most, size_t *records);
/* One random neighbour, likelier with the next value than with any; false when none was found. */
bool trail_neighbour(struct trail *trail, uint64_t point, uint64_t *out);
/* The point with these values or, when constraints rule them out, one that differs from them in one
 * parameter or in two; false when none was found in a bounded number of tries. */
bool trail_repair(struct trail *trail, const uint16_t *values, uint64_t *point);
/* A new value for this parameter: mostly the next one up or down. Needs two values. */
uint16_t trail_step(struct trail *trail, size_t dimension, uint16_t value);

#endif
