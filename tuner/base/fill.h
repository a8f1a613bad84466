/* Contents of vectors, filled on the host or on a device; both compile fill_lane.h. */
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
    FILL_RANDOM_EXACT, /* integers: all bits; reals: integers in [-8, 8], so that sums of up to 2^20
                          elements are exact in f32 in any order */
    FILL_RANDOM_ODD,   /* integers: odd ones of all bits; reals: 1 or -1. Products are exact in any
                          order, and a missing factor always shows */
    FILL_CONSTANT,     /* fill_low */
    FILL_UNIFORM,      /* in [fill_low, fill_high); integers: both ends included */
    FILL_NORMAL,       /* mean fill_low, standard deviation fill_high; integers: rounded */
    FILL_SERIES,       /* the expression fill_text in i, the element's index */
    FILL_FILE, /* the bytes of the file fill_text, an absolute path, with as many elements */
};
enum { ARGUMENT_FILLS = 9 };

enum { FILL_THREADS = 256 }; /* threads of a block, on a device */
/* Bytes from which on a GPU makes and checks data itself. */
enum { ON_DEVICE_BYTES = 1 << 20 };

/* Inputs of an element of an arithmetic fill, besides its index. */
struct filling {
    enum argument_fill fill;
    enum element_type type;
    uint64_t seed;
    uint64_t constant;     /* FILL_CONSTANT: bytes of the element */
    uint64_t first, bound; /* FILL_UNIFORM of integers: `bound` values (0: 2^64) from `first` on */
    /* FILL_UNIFORM of reals: from `low` on, clamped to [least, most], which are numbers of the
     * type */
    double low, span, least, most;
};

#ifndef __CUDACC_RTC__
struct argument;
struct launch_plan;
struct patch;

/* Returns whether elements come from integers and correctly rounded operations only, so that they
 * have the same bits on every device (fill_lane.h). */
bool fill_is_arithmetic(enum argument_fill fill);
/* Prepares an argument whose fill is arithmetic. */
struct filling filling_of(const struct argument *argument);

/* Fills elements [first, first + count) of a vector whose element 0 is at `out`, by any fill but
 * FILL_SERIES and FILL_FILE, which need more than numbers. Element i depends on the seed and i
 * alone, so that a shorter vector is a prefix of a longer one. */
void fill_vector(void *out, const struct argument *argument, uint64_t first, uint64_t count);

/* Gives variants to those of the plan's arguments that are drawn; `timed`: to inputs over whose
 * copies runs rotate, alone. Arguments with one seed belong together: they differ in the same
 * elements or, if one of them may not vary, in none. Returns whether any varies. */
bool vary_together(struct launch_plan *plan, bool timed);
/* Applies the argument's `few`: keeps a few drawn elements, evenly spread, the last one among them,
 * all of one sign and near the largest, with digits down to the last bit; sets the others to 0. In
 * their sum each one counts. */
void few_vector(void *out, const struct argument *argument);
/* Applies the argument's `ends`: moves the smallest and the largest element to the first and the
 * last place, or with 2 the reverse. A minimum or maximum without them is wrong. */
void ends_vector(void *out, const struct argument *argument);
/* Makes the patch of the argument's variant: the elements that are drawn anew. */
void vary_patch(const struct argument *argument, struct patch *patch);
/* Applies the argument's variant to a whole vector. */
void vary_vector(void *out, const struct argument *argument);

/* Converts to the nearest element, clamped to the type's range; NaN is 0 as an integer. */
void element_from_real(double real, enum element_type type, void *out);
/* Converts an element to a number; the nearest one for 64-bit integers. */
double element_to_real(const void *element, enum element_type type);
#endif

#endif
