/* Every point once, in seeded random order: drift of the device then affects no region of the space
 * in particular, and a stopped sweep has seen a fair sample. */
#include "tuner/search/strategy.h"

static bool ask(void *trail, uint64_t *point)
{
    return trail_fresh(trail, point);
}

const struct strategy strategy_exhaustive = {
    .name = "exhaustive",
    .about = "every configuration once, in random order",
    .ask = ask,
};
