/* Comparison of an output with its expected elements, on the host or on a device; both compile
 * compare_lane.h. */
#ifndef TUNE_BASE_COMPARE_H
#define TUNE_BASE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#ifndef __CUDACC_RTC__
#include "tuner/base/element.h"
#endif

/* Allowed difference of an output's element from the expected one: within any limit that is not 0.
 * All 0: equal. */
struct tolerance {
    double magnitude; /* times the element's magnitude, from the reference; else times the larger of
                         |expected| and the vector's root mean square */
    double absolute;
    double relative; /* times |expected| */
    double total;    /* replaces all limits above: the largest sum of |got - expected| over all
                        elements */
    uint32_t ulps;   /* units in the last place of the type */
};

/* Expected output: elements of the output's type or, for real types, numbers from a reference
 * function. */
struct expected_output {
    const void *elements;     /* NULL: `reals` */
    const double *reals;      /* one for each element */
    const double *magnitudes; /* for `reals`, one each; NULL: all are `scale` */
    /* Root mean square of `elements`, the smallest magnitude that an element counts with. */
    double scale;
    const struct expected_difference *differs; /* NULL: no patch */
    uint64_t serial; /* unique among the expectations of this process; 0: none */
};

/* A patch: a few elements that differ from those of a complete output. */
struct expected_difference {
    struct expected_output base;
    uint64_t count;
    const uint64_t *at;             /* indices, each once */
    struct expected_output instead; /* `count` elements, in the form of `base` */
};

/* Input of a comparison. On a device all pointers are device pointers. */
struct comparing {
    const void *got;
    struct expected_output expected;
    struct tolerance tolerance;
    uint64_t count;
    uint64_t rounds; /* nonzero: round `reals` to the type first */
};

/* Difference of one element. */
struct difference {
    double got, expected; /* as numbers */
    double size;          /* INFINITY if one of the two is NaN or infinite */
    double allowed;       /* without `ulps` */
    uint64_t got_bits;    /* for integers, sign-extended for signed types */
    uint64_t expected_bits;
    bool within;
};

/* Result of comparing an output, or a part of an output. */
struct findings {
    uint64_t first;   /* index of the first wrong element; COMPARE_NONE: none */
    uint64_t wrong;   /* number of wrong elements */
    uint64_t largest; /* index of the largest difference, the first of equal ones. COMPARE_NONE: all
                         are equal */
    double largest_size;
    double total; /* sum of all differences */
    uint64_t sum; /* checksum of expected elements and places: detects changed and moved elements */
};

#define COMPARE_NONE (~(uint64_t)0)
/* Elements of a chunk, and lanes: lane i takes every COMPARE_LANES'th element from i on. */
enum { COMPARE_LANES = 256, COMPARE_CHUNK = 16384 };

/* Compares a chunk; joins the lanes in the order in which a block of threads joins them. */
struct findings compare_chunk(const struct comparing *comparing, enum element_type type,
                              uint64_t chunk);
/* Returns the number of chunks of `count` elements. */
uint64_t compare_chunks(uint64_t count);
/* Prepares the comparison of `got` with `expected`. f16 and bf16 are compared as numbers; if no
 * difference is allowed, or only units in the last place, a reference's numbers are rounded to the
 * type first. */
struct comparing comparing_of(const void *got, enum element_type type, uint64_t count,
                              const struct expected_output *expected,
                              const struct tolerance *tolerance);
#endif
