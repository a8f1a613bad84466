/* Every point once, in seeded random order: drift of the device then affects no region of the space
 * in particular, and a stopped sweep has seen a fair sample. */
#include <stdlib.h>

#include "tuner/search/strategy.h"

struct exhaustive {
    struct trail *trail;
};

static void *create(struct trail *trail)
{
    struct exhaustive *state = malloc(sizeof *state);
    if (state)
        state->trail = trail;
    return state;
}

static bool ask(void *opaque, uint64_t *point)
{
    struct exhaustive *state = opaque;
    return trail_fresh(state->trail, point);
}

const struct strategy strategy_exhaustive = {
    .name = "exhaustive",
    .about = "every configuration once, in random order",
    .create = create,
    .ask = ask,
    .free = free,
};
