/* Near points in a space with constraints. */
#include <math.h>
#include <string.h>

#include "tuner/search/trail.h"

enum {
    NEAREST_VALUES = 32, /* values tried of a parameter that has more */
    FEW_VALUES = 4,
    REPAIR_TRIES = 256, /* pairs of parameters */
};

static bool find(const struct trail *trail, const uint16_t *values, uint64_t *point)
{
    return trail->space.find(trail->space.context, values, point);
}

/* Finds the value `distance` places away, up or down; false at the end of the list. */
static bool value_at(const struct trail *trail, size_t dimension, uint16_t value, int distance,
                     uint16_t *out)
{
    const int there = (int)value + distance;
    if (there < 0 || there >= (int)trail->value_counts[dimension])
        return false;
    *out = (uint16_t)there;
    return true;
}

/* Appends neighbours that are `near` to `far` places away. */
static size_t neighbours_between(struct trail *trail, const uint16_t *origin, int near, int far,
                                 uint64_t *out, size_t count)
{
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    const size_t dimensions = trail->space.dimensions;
    const size_t first = count;
    memcpy(values, origin, dimensions * sizeof values[0]);
    for (int distance = near; distance <= far; distance++)
        for (size_t d = 0; d < dimensions; d++) {
            for (int sign = -1; sign <= 1; sign += 2)
                if (count < NEIGHBOURS_MAX &&
                    value_at(trail, d, origin[d], sign * distance, &values[d]) &&
                    find(trail, values, &out[count]))
                    count++;
            values[d] = origin[d];
        }
    uint64_t *points = out + first; /* in a random order */
    for (size_t i = count - first; i > 1; i--) {
        const size_t j = (size_t)random_below(&trail->random, i);
        const uint64_t swap = points[i - 1];
        points[i - 1] = points[j];
        points[j] = swap;
    }
    return count;
}

size_t trail_neighbours(struct trail *trail, uint64_t point, uint64_t out[NEIGHBOURS_MAX])
{
    uint16_t origin[SEARCH_DIMENSIONS_MAX];
    int most = 0;
    if (trail->space.dimensions == 0)
        return 0;
    for (size_t d = 0; d < trail->space.dimensions; d++)
        if (trail->value_counts[d] - 1 > most)
            most = trail->value_counts[d] - 1;
    if (most > NEAREST_VALUES)
        most = NEAREST_VALUES;
    trail->space.values(trail->space.context, point, origin);
    const size_t count = neighbours_between(trail, origin, 1, 1, out, 0);
    return neighbours_between(trail, origin, 2, most, out, count);
}

size_t trail_neighbours_of_few(const struct trail *trail, uint64_t point,
                               uint64_t out[NEIGHBOURS_MAX])
{
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    size_t count = 0;
    trail->space.values(trail->space.context, point, values);
    for (size_t d = 0; d < trail->space.dimensions; d++) {
        const uint16_t origin = values[d];
        for (uint16_t i = 0; trail->value_counts[d] <= FEW_VALUES && i < trail->value_counts[d];
             i++) {
            values[d] = i;
            count += i != origin && count < NEIGHBOURS_MAX && find(trail, values, &out[count]);
        }
        values[d] = origin;
    }
    return count;
}

size_t trail_exchanges(const struct trail *trail, uint64_t point, uint64_t out[NEIGHBOURS_MAX])
{
    const struct search_space *space = &trail->space;
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    size_t count = 0;
    space->values(space->context, point, values);
    for (size_t a = 0; space->number && a < space->dimensions; a++)
        for (size_t b = a + 1; b < space->dimensions; b++) {
            const uint16_t first = values[a], second = values[b];
            const double product =
                space->number(space->context, a, first) * space->number(space->context, b, second);
            for (uint16_t i = 0; product > 0 && i < trail->value_counts[a]; i++)
                for (uint16_t k = 0; i != first && k < trail->value_counts[b]; k++) {
                    const double here =
                        space->number(space->context, a, i) * space->number(space->context, b, k);
                    values[a] = i;
                    values[b] = k;
                    if (fabs(here - product) <= 1e-9 * product && count < NEIGHBOURS_MAX &&
                        find(trail, values, &out[count]))
                        count++;
                }
            values[a] = first;
            values[b] = second;
        }
    return count;
}

/* Returns whether the record has a text that no other record has. */
static bool has_other_text(const struct trail *trail, size_t record, const size_t *records,
                           size_t count)
{
    const struct search_space *space = &trail->space;
    uint16_t values[SEARCH_DIMENSIONS_MAX], others[SEARCH_DIMENSIONS_MAX];
    bool is_other[SEARCH_DIMENSIONS_MAX];
    space->values(space->context, trail->records[record].point, values);
    for (size_t d = 0; d < space->dimensions; d++)
        is_other[d] = space->number && isnan(space->number(space->context, d, values[d]));
    for (size_t i = 0; i < count; i++) {
        space->values(space->context, trail->records[records[i]].point, others);
        for (size_t d = 0; d < space->dimensions; d++)
            is_other[d] = is_other[d] && values[d] != others[d];
    }
    bool has = false;
    for (size_t d = 0; d < space->dimensions; d++)
        has = has || is_other[d];
    return has;
}

size_t trail_best_of_texts(const struct trail *trail, size_t most, size_t *records)
{
    size_t count = 0;
    for (size_t best = trail->best; best != SIZE_MAX && count < most;) {
        double least = (double)INFINITY;
        records[count++] = best;
        best = SIZE_MAX;
        for (size_t i = 0; i < trail->count; i++)
            if (trail->records[i].value < least && has_other_text(trail, i, records, count)) {
                least = trail->records[i].value;
                best = i;
            }
    }
    return count;
}

/* Draws a new value for this parameter: mostly an adjacent one. Needs two values. */
static uint16_t new_value(struct trail *trail, size_t dimension, uint16_t value)
{
    const uint16_t count = trail->value_counts[dimension];
    const bool next = random_below(&trail->random, 2) == 0;
    uint16_t out = value;
    if (next &&
        value_at(trail, dimension, value, random_below(&trail->random, 2) == 0 ? -1 : 1, &out))
        return out;
    out = (uint16_t)random_below(&trail->random, count - 1U);
    return out >= value ? (uint16_t)(out + 1) : out;
}

/* Tries each value of one parameter, nearest first. */
static bool repair_one(const struct trail *trail, uint16_t *values, size_t dimension,
                       uint64_t *point)
{
    const uint16_t value = values[dimension];
    for (int distance = 1; distance <= NEAREST_VALUES; distance++)
        for (int sign = -1; sign <= 1; sign += 2)
            if (value_at(trail, dimension, value, sign * distance, &values[dimension]) &&
                find(trail, values, point))
                return true;
    values[dimension] = value;
    return false;
}

bool trail_repair(struct trail *trail, const uint16_t *wanted, uint64_t *point)
{
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    size_t order[SEARCH_DIMENSIONS_MAX];
    const size_t dimensions = trail->space.dimensions;
    if (dimensions == 0)
        return false;
    if (find(trail, wanted, point))
        return true;
    memcpy(values, wanted, dimensions * sizeof values[0]);
    for (size_t d = 0; d < dimensions; d++)
        order[d] = d;
    random_shuffle(&trail->random, order, dimensions);
    for (size_t i = 0; i < dimensions; i++)
        if (repair_one(trail, values, order[i], point))
            return true;
    for (int i = 0; i < REPAIR_TRIES; i++) {
        memcpy(values, wanted, dimensions * sizeof values[0]);
        for (int change = 0; change < 2 + i % 2; change++) {
            const size_t d = (size_t)random_below(&trail->random, dimensions);
            if (trail->value_counts[d] > 1)
                values[d] = new_value(trail, d, values[d]);
        }
        if (find(trail, values, point))
            return true;
    }
    return false;
}
