/* Seeded random numbers (splitmix64; Steele, Lea, Flood 2014): the same seed gives the same order
 * on every machine. */
#ifndef TUNE_BASE_RANDOM_H
#define TUNE_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Returns the `index`-th number of the stream `seed`: random access, so that the contents of an
 * array do not depend on how the work was divided. Inline, since filling an array does little
 * else. */
static inline uint64_t random_at(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * (uint64_t)0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * (uint64_t)0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * (uint64_t)0x94d049bb133111eb;
    return z ^ (z >> 31);
}

struct random {
    uint64_t seed;
    uint64_t index;
};

uint64_t random_next(struct random *random);
/* Returns a uniform number in [0, bound); bound > 0. */
uint64_t random_below(struct random *random, uint64_t bound);
/* Shuffles `count` indices (Fisher-Yates). */
void random_shuffle(struct random *random, size_t *items, size_t count);

#endif
