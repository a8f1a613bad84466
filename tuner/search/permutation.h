/* A seeded order of 0 .. count - 1 that takes no memory, whatever the count. */
#ifndef TUNE_SEARCH_PERMUTATION_H
#define TUNE_SEARCH_PERMUTATION_H

#include <stdint.h>

struct permutation {
    uint64_t count;
    uint64_t side; /* the least whose square is not below count */
    uint64_t seed;
};

struct permutation permutation_make(uint64_t count, uint64_t seed);
/* The point at a place of the order; place < count. Every point has one place. */
uint64_t permutation_at(const struct permutation *permutation, uint64_t place);

#endif
