/* Seeded random numbers (splitmix64; Steele, Lea, Flood 2014): the same seed gives the same order
 * on every machine. */
#ifndef TUNE_BASE_RANDOM_H
#define TUNE_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The `index`-th number of the stream `seed`: random access, so that an array filled by it does not
 * depend on how the work was cut up. */
uint64_t random_at(uint64_t seed, uint64_t index);

struct random {
    uint64_t seed;
    uint64_t index;
};

uint64_t random_next(struct random *random);
/* Uniform in [0, bound); bound > 0. */
uint64_t random_below(struct random *random, uint64_t bound);
/* Fisher-Yates over `count` indices. */
void random_shuffle(struct random *random, size_t *items, size_t count);

#endif
