#include "tuner/base/random.h"

uint64_t random_next(struct random *random)
{
    return random_at(random->seed, random->index++);
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t value = random_next(random);
    while (value >= limit)
        value = random_next(random);
    return value % bound;
}

void random_shuffle(struct random *random, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)random_below(random, i);
        size_t swap = items[i - 1];
        items[i - 1] = items[j];
        items[j] = swap;
    }
}
