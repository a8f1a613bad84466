/* Bayesian optimisation: a few points that cover the space, then those with the greatest
 * improvement expected by a Gaussian process (model.h). */
#include <math.h>
#include <stdlib.h>

#include "tuner/search/model.h"
#include "tuner/search/strategy.h"

enum {
    SAMPLE_MIN = 6,      /* points before the model is used; */
    SAMPLE_SHARE = 2,    /* or one for this many varying parameters */
    NEIGHBOUR_EVERY = 4, /* one neighbour of the best in this many points */
    HURRIED_SHARE = 64,  /* most trials that cover the space while the device would wait */
    COVER_DRAWN = 64,    /* random points, of which the best covering one is taken */
    ENDING_SHARE = 5,    /* the last of this many trials go next to the best, in parameters */
    ENDING_MAX = 16,     /* in parameters with few values, but no more trials than these */
    WINNERS_TRIED = 2,   /* points of each source elsewhere, regardless of the model */
};

struct surrogate {
    struct trail *trail;
    struct model *model;
    size_t guided;     /* start points that followed results of elsewhere */
    uint64_t *winners; /* the best points of each source elsewhere, in turns */
    size_t winner_count, winners_looked_at;
};

static void destroy(void *opaque)
{
    struct surrogate *state = opaque;
    model_free(state->model);
    free(state->winners);
    free(state);
}

static void *create(struct trail *trail)
{
    struct surrogate *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->trail = trail;
    state->model = model_create(trail);
    if (state->model)
        return state;
    free(state);
    return NULL;
}

/* Covers the space as far as powers of two reach, which mostly win: takes the random point farthest
 * from those before (maximin; Johnson, Moore, Ylvisaker 1990). */
static bool cover(struct surrogate *state, uint64_t *point)
{
    struct trail *trail = state->trail;
    double greatest = 0;
    bool found = false;
    for (int i = 0; i < COVER_DRAWN; i++) {
        const uint64_t drawn = random_below(&trail->random, trail->space.count);
        if (trail_find(trail, drawn))
            continue;
        /* The least squared distance from requested points, less the odd parts of the values, which
         * outweigh any distance. */
        const struct features *features = model_features(state->model);
        float own[FEATURES_MAX], other[FEATURES_MAX];
        double nearest = FEATURES_MAX, odd = 0;
        features_of_point(features, &trail->space, drawn, own);
        for (size_t j = 0; j < trail->count; j++) {
            double square = 0;
            features_of_point(features, &trail->space, trail->records[j].point, other);
            for (size_t f = 0; f < features->count; f++)
                square += (double)((own[f] - other[f]) * (own[f] - other[f]));
            nearest = square < nearest ? square : nearest;
        }
        for (size_t f = 0; f < features->count; f++)
            odd += features->is_odd_part[f] ? (double)own[f] : 0;
        const double covered = nearest - odd * FEATURES_MAX;
        if (!found || covered > greatest) {
            greatest = covered;
            *point = drawn;
        }
        found = true;
    }
    return found || trail_fresh(trail, point);
}

/* Finds the source's best, or next to best, untried point of this space: the least value relative
 * to the source's best. False: none. */
static bool best_elsewhere(const struct trail *trail, uint64_t *point)
{
    double least = (double)INFINITY, best = (double)INFINITY;
    for (size_t i = 0; i < trail->elsewhere_count; i++) {
        const struct trail_elsewhere *one = &trail->elsewhere[i];
        const bool is_next = i == 0 || one[-1].source != one->source; /* mostly added in a row */
        uint64_t here = 0;
        best = is_next ? (double)INFINITY : best;
        for (size_t k = 0; is_next && k < trail->elsewhere_count; k++)
            if (trail->elsewhere[k].source == one->source)
                best = fmin(best, trail->elsewhere[k].value);
        if (isnan(one->value) || !trail->space.find(trail->space.context, one->values, &here) ||
            trail_find(trail, here))
            continue;
        if (one->value / best < least) {
            least = one->value / best;
            *point = here;
        }
    }
    return isfinite(least);
}

/* Lists the best points of each source here, the nearest source first, then each one's next: a
 * winner of elsewhere costs one trial, and a misled or overconfident model might never reach it. A
 * small number of trials does not cover all. */
static void list_winners(struct surrogate *state)
{
    const struct trail *trail = state->trail;
    const struct trail_elsewhere *others = trail->elsewhere;
    const size_t count = trail->elsewhere_count;
    state->winners = calloc(count + 1, sizeof state->winners[0]);
    for (size_t turn = 0; state->winners && turn < WINNERS_TRIED; turn++)
        for (size_t source = 0, next = 0; next != SIZE_MAX; source = next + 1) {
            double least = (double)INFINITY;
            uint64_t here = 0, best = 0;
            next = SIZE_MAX;
            for (size_t i = 0; i < count; i++)
                if (others[i].source >= source && others[i].source < next)
                    next = others[i].source;
            for (size_t i = 0; i < count; i++) {
                bool is_new = others[i].source == next && others[i].value < least &&
                              trail->space.find(trail->space.context, others[i].values, &here);
                for (size_t k = 0; is_new && k < state->winner_count; k++)
                    is_new = state->winners[k] != here;
                best = is_new ? here : best;
                least = is_new ? others[i].value : least;
            }
            if (isfinite(least))
                state->winners[state->winner_count++] = best;
        }
}

/* Returns false once half of the winners were tried, and nine tenths of the other points are faster
 * than all of these. */
static bool have_held(const struct surrogate *state)
{
    const struct trail *trail = state->trail;
    double best = (double)INFINITY;
    size_t better = 0, tried = 0;
    for (size_t i = 0; i < state->winner_count; i++) {
        const struct trail_record *record = trail_find(trail, state->winners[i]);
        if (!record || !record->has_result)
            continue;
        best = fmin(best, record->value);
        tried++;
    }
    for (size_t i = 0; i < trail->count; i++)
        better += trail->records[i].value < best ? 1 : 0;
    return 2 * tried < state->winner_count || 10 * better < 9 * (trail->results - tried);
}

static bool ask_winner(struct surrogate *state, uint64_t *point)
{
    if (!trail_may_try_winner(state->trail))
        return false;
    if (!state->winners)
        list_winners(state);
    if (model_is_misled(state->model) && !have_held(state))
        return false;
    while (state->winners_looked_at < state->winner_count) {
        *point = state->winners[state->winners_looked_at++];
        if (!trail_find(state->trail, *point)) {
            state->trail->winners_tried++;
            return true;
        }
    }
    return false;
}

static bool ask(void *opaque, uint64_t *point)
{
    struct surrogate *state = opaque;
    struct trail *trail = state->trail;
    size_t sample = 0;
    for (size_t d = 0; d < trail->space.dimensions; d++)
        sample += trail->value_counts[d] > 1 ? 1 : 0;
    sample = sample / SAMPLE_SHARE > SAMPLE_MIN ? sample / SAMPLE_SHARE : SAMPLE_MIN;
    /* Every other point follows the model if there are points of elsewhere, whose best comes first:
     * the ones between soon show whether the model misleads. The winners that search.c tries do not
     * represent the space. */
    const size_t count = trail->count - trail->winners_tried;
    const bool elsewhere =
        trail->elsewhere_count > 0 && !model_is_misled(state->model) && count % 2 == 0;
    if (elsewhere && count < sample &&
        ((trail->count == 0 && best_elsewhere(trail, point)) ||
         (model_update(state->model) && !model_is_misled(state->model) &&
          model_choose(state->model, point)))) {
        state->guided++;
        return true;
    }
    if (model_is_misled(state->model))
        sample += state->guided;
    if (count < sample)
        return cover(state, point);
    /* While compilers are idle, further points cover the space. */
    if (trail->results < sample / 2 + 1 && trail_pending(trail) > 0)
        return trail->hurries && trail->elsewhere_count == 0 &&
               trail->count < trail->trials / HURRIED_SHARE && cover(state, point);
    /* While all fail, the start goes on covering. */
    if (trail->best == SIZE_MAX && trail->count < 64 * sample)
        return cover(state, point);
    if (!model_update(state->model))
        return trail_fresh(trail, point);
    if (trail->elsewhere_count > 0 && trail->count % 2 == 1 && ask_winner(state, point))
        return true;
    const uint64_t share = trail->trials / ENDING_SHARE;
    const uint64_t ending = share < ENDING_MAX ? share : ENDING_MAX;
    if (trail->count + ending >= trail->trials && model_choose_of_few(state->model, point))
        return true;
    return (trail->count % NEIGHBOUR_EVERY == 0 && model_choose_neighbour(state->model, point)) ||
           model_choose(state->model, point) || trail_fresh(trail, point);
}

static double chance_of_better(void *opaque, double share)
{
    struct surrogate *state = opaque;
    const struct trail *trail = state->trail;
    /* Values of 0 and below have no shares. */
    if (trail->best == SIZE_MAX || !(trail->records[trail->best].value > 0) ||
        !model_update(state->model))
        return (double)NAN;
    return model_chance_of_better(state->model, share);
}

static bool was_misled(const void *opaque)
{
    const struct surrogate *state = opaque;
    return model_is_misled(state->model);
}

const struct strategy strategy_surrogate = {
    .name = "surrogate",
    .about = "a Gaussian process predicts which may be better",
    .learns = true,
    .create = create,
    .ask = ask,
    .chance_of_better = chance_of_better,
    .was_misled = was_misled,
    .free = destroy,
};
