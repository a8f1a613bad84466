/* A steady-state genetic algorithm: two parents by tournament, uniform crossover, mutation of about
 * one parameter, repair to a near legal point; a child replaces the worst if it is better. Parents
 * come from the results so far, so results may arrive in any order. */
#include <math.h>
#include <stdlib.h>

#include "tuner/search/strategy.h"

enum {
    POPULATION = 24,
    TOURNAMENT = 3,
    CHILD_TRIES = 16, /* attempts at a new child, each with more mutations */
};

struct member {
    uint64_t point;
    double value;
};
struct genetic {
    struct trail *trail;
    struct member members[POPULATION];
    size_t count;
};

static void *create(struct trail *trail)
{
    struct genetic *state = calloc(1, sizeof *state);
    if (state)
        state->trail = trail;
    return state;
}

static const struct member *select_parent(struct genetic *state)
{
    const struct member *best = NULL;
    for (int i = 0; i < TOURNAMENT; i++) {
        const struct member *member =
            &state->members[random_below(&state->trail->random, state->count)];
        if (!best || member->value < best->value)
            best = member;
    }
    return best;
}

static bool ask(void *opaque, uint64_t *point)
{
    struct genetic *state = opaque;
    struct trail *trail = state->trail;
    uint16_t child[SEARCH_DIMENSIONS_MAX];
    /* The first population is sampled; children follow once half of it has results. */
    if (!(trail->count < POPULATION && trail->count < (trail->trials + 2) / 3) &&
        state->count > 1 && trail->space.dimensions > 0)
        for (int i = 0; i < CHILD_TRIES; i++) {
            /* Each parameter is of one of the parents, and more of them are changed each time. */
            const size_t dimensions = trail->space.dimensions;
            uint16_t other[SEARCH_DIMENSIONS_MAX];
            trail->space.values(trail->space.context, select_parent(state)->point, child);
            trail->space.values(trail->space.context, select_parent(state)->point, other);
            for (size_t d = 0; d < dimensions; d++) {
                if (random_below(&trail->random, 2) == 0)
                    child[d] = other[d];
                if (trail->value_counts[d] > 1 &&
                    trail_uniform(trail) * (double)dimensions < 1.0 + 0.25 * i)
                    child[d] = trail_step(trail, d, child[d]);
            }
            if (trail_repair(trail, child, point) && !trail_find(trail, *point))
                return true;
        }
    return trail_fresh(trail, point);
}

static void tell(void *opaque, const struct trail_record *record)
{
    struct genetic *state = opaque;
    const struct member member = {.point = record->point, .value = record->value};
    if (isnan(member.value))
        return;
    if (state->count < POPULATION) {
        state->members[state->count++] = member;
        return;
    }
    size_t worst = 0;
    for (size_t i = 1; i < state->count; i++)
        if (state->members[i].value > state->members[worst].value)
            worst = i;
    if (member.value < state->members[worst].value)
        state->members[worst] = member;
}

const struct strategy strategy_genetic = {
    .name = "genetic",
    .about = "crosses and mutates the best, repairing points that the constraints rule out",
    .learns = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .free = free,
};
