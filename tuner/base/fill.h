/* What vectors are filled with, on the host or on a device: fill_lane.h has what both of them
 * compile. */
#ifndef TUNE_BASE_FILL_H
#define TUNE_BASE_FILL_H

#include <stdbool.h>
#include <stdint.h>

#ifndef __CUDACC_RTC__
#include "tuner/base/element.h"
#endif

enum argument_fill {
    FILL_ZERO,
    FILL_RANDOM,       /* integers: all bits; reals: uniform in [-1, 1) */
    FILL_RANDOM_EXACT, /* integers: all bits; reals: integers in [-8, 8], so that sums of up to
                          2^20 of them are exact in f32 in any order */
    FILL_RANDOM_ODD,   /* integers: odd ones of all bits; reals: 1 or -1. Products are exact in any
                          order, and none of them hides a factor that was left out */
    FILL_CONSTANT,     /* fill_low */
    FILL_UNIFORM,      /* in [fill_low, fill_high); integers: both ends may come */
    FILL_NORMAL,       /* mean fill_low, standard deviation fill_high; integers: rounded */
    FILL_SERIES,       /* the expression fill_text in i, the element's index */
    FILL_FILE,         /* the bytes of the file fill_text, an absolute path: as many elements */
};
enum { ARGUMENT_FILLS = 9 };

enum { FILL_THREADS = 256 }; /* of a block, on a device */

/* All that an element depends on besides its index, for fills that are arithmetic. */
struct filling {
    enum argument_fill fill;
    enum element_type type;
    uint64_t seed;
    uint64_t constant;     /* FILL_CONSTANT: the element's bytes */
    uint64_t first, bound; /* FILL_UNIFORM of integers: so many (0: 2^64) from the first on */
    /* FILL_UNIFORM of reals: from low on, within [least, most], which the type has */
    double low, span, least, most;
};

#ifndef __CUDACC_RTC__
struct argument;
struct launch_plan;
struct patch;

/* Whether elements come of integers and correctly rounded operations alone, so that they have the
 * same bits wherever they are made (fill_lane.h). */
bool fill_is_arithmetic(enum argument_fill fill);
/* Of an argument whose fill is arithmetic. */
struct filling filling_of(const struct argument *argument);

/* Fills elements [first, first + count) of a vector, whose element 0 is at `out`, as the argument's
 * fill says: all but FILL_SERIES and FILL_FILE, which are not numbers alone. Element i depends on
 * the seed and i alone, so that a shorter vector is the beginning of a longer one. */
void fill_vector(void *out, const struct argument *argument, uint64_t first, uint64_t count);

/* Whether elements are drawn, so that others would do as well. */
bool fill_draws(enum argument_fill fill);
/* Gives variants to the plan's arguments that draw and that `may` have one. Those of one seed
 * belong together: they differ in the same elements or, where one of them may not, in none. */
void vary_together(struct launch_plan *plan, bool (*may)(const struct argument *argument));
/* Whether the argument's elements are reals that are drawn around 0, so that it may have few that
 * are not 0. */
bool fill_may_be_few(const struct argument *argument);
/* What the argument's `few` says: of elements that were drawn a few are left, evenly spread, the
 * last one among them, all of one sign and near the largest, with digits down to the last; the
 * others are 0. In a sum of them each counts. */
void few_vector(void *out, const struct argument *argument);
/* What the argument's variant says: the elements that are drawn anew. */
void vary_patch(const struct argument *argument, struct patch *patch);
/* The same on a whole vector. */
void vary_vector(void *out, const struct argument *argument);

/* The nearest element, held within the type's range; NaN is 0 as an integer. */
void element_from_real(double real, enum element_type type, void *out);
/* The number that an element is; of 64-bit integers the nearest one. */
double element_to_real(const void *element, enum element_type type);
#endif

#endif
