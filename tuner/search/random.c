/* A uniform sample without replacement, the reference for other strategies. Points are drawn one by
 * one; once most draws repeat, the rest follows in the trail's order. */
#include "tuner/search/strategy.h"

enum { DRAWS_MAX = 64 };

static bool ask(void *state, uint64_t *point)
{
    struct trail *trail = state;
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
    .ask = ask,
};
