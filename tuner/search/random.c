/* A uniform sample without replacement, the reference for other strategies. Points are drawn one by
 * one; once most draws repeat, the rest follows in the trail's order. */
#include <stdlib.h>

#include "tuner/search/strategy.h"

enum { DRAWS_MAX = 64 };

struct uniform {
    struct trail *trail;
};

static void *create(struct trail *trail)
{
    struct uniform *state = malloc(sizeof *state);
    if (state)
        state->trail = trail;
    return state;
}

static bool ask(void *opaque, uint64_t *point)
{
    struct trail *trail = ((struct uniform *)opaque)->trail;
    for (int i = 0; i < DRAWS_MAX; i++) {
        *point = random_below(&trail->random, trail->space.count);
        if (!trail_find(trail, *point))
            return true;
    }
    return trail_fresh(trail, point);
}

const struct strategy strategy_random = {
    .name = "random",
    .about = "a uniform sample, no configuration twice",
    .is_uniform = true,
    .create = create,
    .ask = ask,
    .free = free,
};
