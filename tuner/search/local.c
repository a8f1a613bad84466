/* Multi-start local search. A climb begins at the best of a few points, moves to a neighbour (a
 * point that differs in one parameter) as soon as one is better, nearest values first, and ends
 * where no neighbour is better. The next climb begins near the best point so far (some parameters
 * changed at random: iterated local search) or, every other time, at random. */
#include <math.h>
#include <stdlib.h>

#include "tuner/search/strategy.h"

enum {
    STARTS_FIRST = 8, /* random points, the best of which starts the first climb */
    STARTS = 3,       /* random points for later climbs */
    KICK_MIN = 2,     /* changed parameters of a start near the best */
    KICK_MAX = 4,
    KICK_TRIES = 8,
};

struct local {
    struct trail *trail;
    uint64_t centre;
    double value;  /* value of the centre; +infinity before the first start has a result */
    bool climbing; /* false: starts are requested */
    size_t climbs;
    size_t starts_left;
    uint64_t queue[NEIGHBOURS_MAX]; /* neighbours of the centre */
    size_t next;
    size_t count;
};

static void *create(struct trail *trail)
{
    struct local *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->trail = trail;
    state->value = (double)INFINITY;
    state->starts_left = STARTS_FIRST;
    return state;
}

static void move_to(struct local *state, uint64_t point, double value)
{
    state->centre = point;
    state->value = value;
    state->next = 0;
    state->count = 0;
}

static bool near_best(struct trail *trail, uint64_t *point)
{
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    if (trail->best == SIZE_MAX || trail->space.dimensions == 0)
        return false;
    for (int i = 0; i < KICK_TRIES; i++) {
        trail->space.values(trail->space.context, trail->records[trail->best].point, values);
        const uint64_t changes = KICK_MIN + random_below(&trail->random, KICK_MAX - KICK_MIN + 1);
        for (uint64_t k = 0; k < changes; k++) {
            const size_t d = (size_t)random_below(&trail->random, trail->space.dimensions);
            if (trail->value_counts[d] > 1)
                values[d] = (uint16_t)random_below(&trail->random, trail->value_counts[d]);
        }
        if (trail_repair(trail, values, point) && !trail_find(trail, *point))
            return true;
    }
    return false;
}

/* Gets the next neighbour that was not requested; false at the end. */
static bool ask_neighbour(struct local *state, uint64_t *point)
{
    if (state->count == 0) {
        /* Looks up the neighbours, and moves to a better one at once, repeatedly. */
        bool moved = true;
        while (moved) {
            moved = false;
            state->next = 0;
            state->count = trail_neighbours(state->trail, state->centre, state->queue);
            for (size_t i = 0; i < state->count && !moved; i++) {
                const struct trail_record *record = trail_find(state->trail, state->queue[i]);
                moved = record && record->value < state->value;
                if (moved)
                    move_to(state, record->point, record->value);
            }
        }
    }
    while (state->next < state->count) {
        *point = state->queue[state->next++];
        if (!trail_find(state->trail, *point))
            return true;
    }
    return false;
}

static bool ask(void *opaque, uint64_t *point)
{
    struct local *state = opaque;
    const bool waits = trail_pending(state->trail) > 0;
    /* Results of earlier runs start the first climb. */
    if (!state->climbing && state->climbs == 0 && state->starts_left == STARTS_FIRST &&
        state->trail->best != SIZE_MAX)
        state->starts_left = 0;
    if (!state->climbing && state->starts_left == 0 && !waits && isfinite(state->value))
        state->climbing = true;
    if (state->climbing) {
        if (ask_neighbour(state, point))
            return true;
        if (waits)
            return false;
        state->climbing = false;
        state->climbs++;
        state->value = (double)INFINITY;
        state->starts_left = STARTS;
    }
    if (state->starts_left == 0 && waits)
        return false;
    if (state->starts_left == 0) /* all starts failed */
        state->starts_left = STARTS_FIRST;
    state->starts_left--;
    return (state->climbs % 2 == 1 && near_best(state->trail, point)) ||
           trail_fresh(state->trail, point);
}

static void tell(void *opaque, const struct trail_record *record)
{
    struct local *state = opaque;
    if (record->value < state->value)
        move_to(state, record->point, record->value);
}

const struct strategy strategy_local = {
    .name = "local",
    .about = "climbs to better neighbours, from many starts",
    .learns = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .free = free,
};
