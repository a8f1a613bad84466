/* Bayesian optimisation with a forest as the model, as SMAC has it (Hutter, Hoos, Leyton-Brown
 * 2011): fitted to what was told, it predicts mean and variance of points that were not tried, and
 * those with the greatest expected improvement (Jones, Schonlau, Welch 1998), times the probability
 * that they do not fail, are asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/forest.h"
#include "tuner/search/strategy.h"

enum {
    SAMPLE_A_DIMENSION = 2, /* random points before the first fit, a parameter that varies; */
    SAMPLE_LEAST = 8,       /* at least, and at most this or a third of the trials */
    ROWS_MOST = 4096,       /* that are fitted: the best half, and the newest others */
    ENUMERATED_MOST = 8192, /* points, up to which each is a candidate */
    CANDIDATES_RANDOM = 4096,
    CANDIDATES_MOST = 8192,
    BEST_POINTS = 12, /* whose neighbours are candidates */
    QUEUE_MOST = 32,
    REFIT_TOLD = 4,     /* results after which it is fitted again ... */
    REFIT_SHARE = 32,   /* ... or this part of all of them, when that is more */
    EXPLORE_EVERY = 16, /* one point of so many is random */
};

struct candidate {
    uint64_t point;
    double score;
};
struct surrogate {
    struct trail *trail;
    struct forest *forest;
    size_t fitted_at; /* points told by the last fit */
    double best;      /* target of the best row */
    size_t asked;
    struct candidate queue[QUEUE_MOST]; /* by score */
    size_t next, count;
};

static void *create(struct trail *trail)
{
    struct surrogate *state = calloc(1, sizeof *state);
    if (state)
        state->trail = trail;
    return state;
}

static void destroy(void *opaque)
{
    struct surrogate *state = opaque;
    forest_free(state->forest);
    free(state);
}

/* Told records by value, failed ones last; of equal ones the older first. */
struct row {
    double value;
    size_t record;
};
static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    if (isnan(a->value) != isnan(b->value))
        return isnan(a->value) ? 1 : -1;
    if (a->value < b->value || a->value > b->value)
        return a->value < b->value ? -1 : 1;
    return (a->record > b->record) - (a->record < b->record);
}

static struct row *sort_rows(const struct trail *trail, size_t *count)
{
    struct row *rows = malloc((trail->told + 1) * sizeof *rows);
    *count = 0;
    for (size_t i = 0; rows && i < trail->count; i++)
        if (trail->records[i].told)
            rows[(*count)++] = (struct row){.value = trail->records[i].value, .record = i};
    if (rows)
        qsort(rows, *count, sizeof *rows, compare_rows);
    return rows;
}

/* What the model is fitted to: the square root of the rank's share, which spreads the fast points
 * and presses the slow ones together, whatever the unit or the tail of the values. Failed ones rank
 * last. */
static double target(size_t rank, size_t count)
{
    return sqrt(((double)rank + 0.5) / (double)count);
}

struct table {
    uint16_t *values;
    double *targets;
    bool *failed;
};

static bool fill_table(const struct trail *trail, const struct row *rows, size_t count,
                       struct table *table, size_t fitted)
{
    const size_t dimensions = trail->space.dimensions;
    table->values = malloc(fitted * dimensions * sizeof table->values[0]);
    table->targets = malloc(fitted * sizeof table->targets[0]);
    table->failed = malloc(fitted * sizeof table->failed[0]);
    if (!table->values || !table->targets || !table->failed)
        return false;
    const size_t head = fitted == count ? count : fitted / 2;
    for (size_t i = 0; i < fitted; i++) {
        /* Behind the best half, the others at even distances. */
        const size_t rank = i < head ? i : head + (i - head) * (count - head) / (fitted - head);
        const struct trail_record *record = &trail->records[rows[rank].record];
        trail->space.values(trail->space.context, record->point, &table->values[i * dimensions]);
        table->failed[i] = isnan(record->value);
        table->targets[i] = target(table->failed[i] ? count - 1 : rank, count);
    }
    return true;
}

static void fit(struct surrogate *state, const struct row *rows, size_t count)
{
    struct trail *trail = state->trail;
    struct table table = {0};
    const size_t fitted = count < ROWS_MOST ? count : ROWS_MOST;
    forest_free(state->forest);
    state->forest = NULL;
    if (fill_table(trail, rows, count, &table, fitted))
        state->forest = forest_fit(&(struct forest_data){.dimensions = trail->space.dimensions,
                                                         .count = fitted,
                                                         .values = table.values,
                                                         .targets = table.targets,
                                                         .failed = table.failed},
                                   random_next(&trail->random));
    free(table.values);
    free(table.targets);
    free(table.failed);
    state->best = target(0, count);
    state->fitted_at = trail->told;
}

/* Of a normal distribution below `best`. */
static double expected_improvement(double best, double mean, double variance)
{
    const double deviation = sqrt(variance);
    if (!(deviation > 0))
        return best > mean ? best - mean : 0;
    const double u = (best - mean) / deviation;
    const double density = exp(-0.5 * u * u) * 0.3989422804014327;
    return deviation * (u * 0.5 * erfc(-u * 0.7071067811865476) + density);
}

/* Keeps the best QUEUE_MOST, sorted. */
static void offer(struct surrogate *state, uint64_t point)
{
    const struct trail *trail = state->trail;
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    struct forest_prediction prediction;
    if (trail_find(trail, point))
        return;
    trail->space.values(trail->space.context, point, values);
    forest_predict(state->forest, values, &prediction);
    const double score = expected_improvement(state->best, prediction.mean, prediction.variance) *
                         prediction.feasible;
    size_t place = state->count;
    while (place > 0 && state->queue[place - 1].score < score)
        place--;
    for (size_t i = 0; i < state->count; i++)
        if (state->queue[i].point == point)
            return;
    if (place == QUEUE_MOST)
        return;
    if (state->count < QUEUE_MOST)
        state->count++;
    memmove(&state->queue[place + 1], &state->queue[place],
            (state->count - 1 - place) * sizeof state->queue[0]);
    state->queue[place] = (struct candidate){.point = point, .score = score};
}

static void offer_neighbours(struct surrogate *state, const struct row *rows, size_t count)
{
    uint64_t neighbours[NEIGHBOURS_MAX];
    const struct trail *trail = state->trail;
    for (size_t i = 0; i < count && i < BEST_POINTS && !isnan(rows[i].value); i++) {
        const size_t found =
            trail_neighbours(state->trail, trail->records[rows[i].record].point, neighbours);
        for (size_t k = 0; k < found; k++)
            offer(state, neighbours[k]);
    }
}

static void choose_candidates(struct surrogate *state, const struct row *rows, size_t count)
{
    struct trail *trail = state->trail;
    state->next = 0;
    state->count = 0;
    if (trail->space.count <= ENUMERATED_MOST) {
        for (uint64_t point = 0; point < trail->space.count; point++)
            offer(state, point);
        return;
    }
    for (int i = 0; i < CANDIDATES_RANDOM; i++)
        offer(state, random_below(&trail->random, trail->space.count));
    offer_neighbours(state, rows, count);
}

static bool is_stale(const struct surrogate *state)
{
    const size_t told = state->trail->told;
    const size_t share = told / REFIT_SHARE;
    return told >= state->fitted_at + (share > REFIT_TOLD ? share : REFIT_TOLD);
}

static void refill(struct surrogate *state)
{
    size_t count = 0;
    struct row *rows = sort_rows(state->trail, &count);
    if (rows && (!state->forest || is_stale(state)))
        fit(state, rows, count);
    if (rows && state->forest)
        choose_candidates(state, rows, count);
    free(rows);
}

/* How many random points come before the model. */
static size_t sample_size(const struct trail *trail)
{
    const uint64_t share = trail->trials / 3;
    const uint64_t most = share > SAMPLE_LEAST ? share : SAMPLE_LEAST;
    size_t size = 0;
    for (size_t d = 0; d < trail->space.dimensions; d++)
        size += trail->value_counts[d] > 1 ? SAMPLE_A_DIMENSION : 0;
    if (size < SAMPLE_LEAST)
        size = SAMPLE_LEAST;
    return size > most ? (size_t)most : size;
}

static bool ask(void *opaque, uint64_t *point)
{
    struct surrogate *state = opaque;
    struct trail *trail = state->trail;
    const size_t sample = sample_size(trail);
    if (trail->count < sample || trail->space.dimensions == 0)
        return trail_fresh(trail, point);
    if (trail->told < sample / 2 + 1 && trail_pending(trail) > 0)
        return false;
    if (trail->best == SIZE_MAX || state->asked++ % EXPLORE_EVERY == EXPLORE_EVERY - 1)
        return trail_fresh(trail, point);
    if (!state->forest || state->next == state->count || is_stale(state))
        refill(state);
    while (state->next < state->count) {
        *point = state->queue[state->next++].point;
        if (!trail_find(trail, *point))
            return true;
    }
    return trail_fresh(trail, point);
}

const struct strategy strategy_surrogate = {
    .name = "surrogate",
    .about = "a forest of regression trees predicts which may be better",
    .learns = true,
    .create = create,
    .ask = ask,
    .free = destroy,
};
