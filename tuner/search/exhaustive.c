/* Every point once, in seeded random order: drift of the device then falls on no region of the
 * space in particular, and a sweep that is stopped has seen a fair sample. */
#include <stdlib.h>

#include "tuner/base/random.h"
#include "tuner/search/strategy.h"

struct exhaustive {
    size_t next;
    size_t count;
    size_t order[];
};

static void *create(const struct search_space *space, const struct search_options *options)
{
    const size_t count = (size_t)space->count;
    struct exhaustive *state = malloc(sizeof *state + count * sizeof state->order[0]);
    if (!state)
        return NULL;
    state->next = 0;
    state->count = count;
    for (size_t i = 0; i < count; i++)
        state->order[i] = i;
    struct random random = {.seed = options->seed};
    random_shuffle(&random, state->order, count);
    return state;
}

static bool ask(void *opaque, uint64_t *point)
{
    struct exhaustive *state = opaque;
    if (state->next == state->count)
        return false;
    *point = state->order[state->next++];
    return true;
}

static void tell(void *opaque, uint64_t point, double value)
{
    (void)opaque;
    (void)point;
    (void)value;
}

const struct strategy strategy_exhaustive = {
    .name = "exhaustive",
    .about = "every configuration once, in random order",
    .create = create,
    .ask = ask,
    .tell = tell,
    .free = free,
};
