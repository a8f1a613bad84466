/* A seeded order of 0 .. count - 1 without memory, for any count. */
#ifndef TUNE_SEARCH_PERMUTATION_H
#define TUNE_SEARCH_PERMUTATION_H

#include <stdint.h>

struct permutation {
    uint64_t count;
    uint64_t side; /* the least with a square of at least count */
    uint64_t seed;
};

struct permutation permutation_make(uint64_t count, uint64_t seed);
/* Returns the point at a place of the order; place < count. Every point has one place. */
uint64_t permutation_at(const struct permutation *permutation, uint64_t place);

#endif
