/* Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983): a walk from neighbour to neighbour that
 * accepts a better point, and a worse one with a probability that falls with the trials. Several
 * neighbours of the present point are pending at a time; each is judged when its result arrives. */
#include <math.h>
#include <stdlib.h>

#include "tuner/base/array.h"
#include "tuner/search/strategy.h"

enum {
    STARTS = 8,
    STEPS_KNOWN_MAX = 64, /* steps over known points before a fresh one is taken */
    STUCK_AFTER = 64,     /* refused proposals in a row before a return to the best */
    SPREAD_MIN = 8,       /* values that determine the scale of differences */
};
static const double temperature_first =
    0.5; /* temperatures, in units of the scale of differences */
static const double temperature_last = 0.005;
static const double trials_assumed =
    4096; /* trials assumed if their number is not bounded by much less */

struct annealing {
    struct trail *trail;
    uint64_t current;
    double value; /* +infinity: no point yet */
    double scale; /* median of the results less the best */
    size_t scaled_at;
    size_t refused;
    double *sorted; /* scratch memory of the scale */
    size_t sorted_capacity;
};

static void *create(struct trail *trail)
{
    struct annealing *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->trail = trail;
    state->value = (double)INFINITY;
    return state;
}

static void destroy(void *opaque)
{
    struct annealing *state = opaque;
    free(state->sorted);
    free(state);
}

/* Finds the unit of temperatures, each time that the number of results has doubled. */
static void find_scale(struct annealing *state)
{
    const struct trail *trail = state->trail;
    if (trail->results < SPREAD_MIN || trail->results < 2 * state->scaled_at)
        return;
    if (!array_grow_by(&state->sorted, 0, trail->count, &state->sorted_capacity,
                       sizeof *state->sorted))
        return; /* the scale stays the same */
    double *sorted = state->sorted;
    state->scaled_at = trail->results;
    size_t count = 0;
    for (size_t i = 0; i < trail->count; i++)
        if (!isnan(trail->records[i].value))
            sorted[count++] = trail->records[i].value;
    if (count == 0)
        return;
    reals_sort(sorted, count);
    state->scale = sorted[count / 2] - sorted[0];
}

static void judge(struct annealing *state, uint64_t point, double value)
{
    const bool better = value < state->value;
    const double worse_by = value - state->value;
    const double trials = fmin((double)state->trail->trials, trials_assumed);
    const double share = fmin(1.0, (double)state->trail->results / trials);
    const double temperature =
        state->scale * temperature_first * pow(temperature_last / temperature_first, share);
    if (better || (worse_by >= 0 && trail_uniform(state->trail) < exp(-worse_by / temperature))) {
        state->current = point;
        state->value = value;
        state->refused = 0;
    } else {
        state->refused++;
    }
}

static bool ask(void *opaque, uint64_t *point)
{
    struct annealing *state = opaque;
    struct trail *trail = state->trail;
    if (!isfinite(state->value) && trail->best != SIZE_MAX) {
        state->current = trail->records[trail->best].point;
        state->value = trail_best_value(trail);
    }
    if (trail->count < STARTS)
        return trail_fresh(trail, point);
    if (!isfinite(state->value)) /* only failures so far */
        return trail_fresh(trail, point);
    if (state->refused >= STUCK_AFTER) {
        state->current = trail->records[trail->best].point;
        state->value = trail_best_value(trail);
        state->refused = 0;
    }
    for (int i = 0; i < STEPS_KNOWN_MAX && trail_neighbour(trail, state->current, point); i++) {
        const struct trail_record *record = trail_find(trail, *point);
        if (!record)
            return true;
        if (record->has_result)
            judge(state, record->point, record->value);
    }
    return trail_pending(trail) == 0 && trail_fresh(trail, point);
}

static void tell(void *opaque, const struct trail_record *record)
{
    struct annealing *state = opaque;
    find_scale(state);
    judge(state, record->point, record->value);
}

const struct strategy strategy_annealing = {
    .name = "annealing",
    .about = "a walk over neighbours that takes worse ones ever more rarely",
    .learns = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .free = destroy,
};
