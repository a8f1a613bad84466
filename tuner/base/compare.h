/* How an output is held against what it must be, on the host or on a device: compare_lane.h has
 * what both of them compile. */
#ifndef TUNE_BASE_COMPARE_H
#define TUNE_BASE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#ifndef __CUDACC_RTC__
#include "tuner/base/element.h"
#endif

/* How far an element of an output may be from what is expected: within any of those that are not 0.
 * All 0: equal. */
struct tolerance {
    double
        magnitude; /* times the element's magnitude, which the reference tells; of references
                      that tell none the larger of |expected| and the vector's root mean square */
    double absolute;
    double relative; /* times |expected| */
    double total;    /* instead of all these: the most that |got - expected| may come to over all
                        elements */
    uint32_t ulps;   /* units in the last place of the type */
};

/* What an output must be: elements of its type or, of real types, numbers that a function told. */
struct expected_output {
    const void *elements;     /* NULL: `reals` */
    const double *reals;      /* one for each element */
    const double *magnitudes; /* of `reals`, likewise; NULL: all are `scale` */
    /* Of `elements`: the root of the mean of their squares, which is the least that counts as an
     * element's magnitude. */
    double scale;
    const struct expected_difference *differs; /* NULL: all of it is above */
    uint64_t serial; /* no other expectation of this process has it; 0: none was given */
};

/* A few elements in place of others of an output that is there whole. */
struct expected_difference {
    struct expected_output base;
    uint64_t count;
    const uint64_t *at;             /* which, each once */
    struct expected_output instead; /* `count` of them, in the form of `base` */
};

/* All that a comparison goes by. On a device the pointers are its own. */
struct comparing {
    const void *got;
    struct expected_output expected;
    struct tolerance tolerance;
    uint64_t count;
    uint64_t rounds; /* not 0: `reals` are rounded to the type first */
};

/* One element. */
struct difference {
    double got, expected; /* as numbers */
    double size;          /* INFINITY where one of them is NaN, or infinite */
    double allowed;       /* without the units in the last place */
    uint64_t got_bits;    /* of integers, sign-extended where the type is signed */
    uint64_t expected_bits;
    bool within;
};

/* What an output, or a part of it, comes to. */
struct findings {
    uint64_t first;   /* that is wrong; COMPARE_NONE: none is */
    uint64_t wrong;   /* how many */
    uint64_t largest; /* where the largest difference is; of equal ones the first. COMPARE_NONE:
                         all are equal */
    double largest_size;
    double total; /* of all differences */
    uint64_t sum; /* of what was expected, each with its place: none may change or move unseen */
};

#define COMPARE_NONE (~(uint64_t)0)
/* A chunk is so many elements; each lane takes every so many'th. */
enum { COMPARE_LANES = 256, COMPARE_CHUNK = 16384 };

/* All lanes of a chunk, joined as a block of threads joins them. */
struct findings compare_chunk(const struct comparing *comparing, enum element_type type,
                              uint64_t chunk);
/* Chunks of `count` elements. */
uint64_t compare_chunks(uint64_t count);
/* `got` against `expected`, within the tolerance; f16 and bf16 are compared as the numbers they
 * hold, and where no difference is allowed, or units in the last place, what a function told is
 * rounded to the type first. */
struct comparing comparing_of(const void *got, enum element_type type, uint64_t count,
                              const struct expected_output *expected,
                              const struct tolerance *tolerance);
#endif
