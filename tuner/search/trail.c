#include "tuner/search/trail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"

void trail_create(struct trail *trail, const struct search_space *space,
                  const struct search_options *options)
{
    *trail = (struct trail){.space = *space, .best = SIZE_MAX};
    if (space->dimensions > 0)
        memcpy(trail->value_counts, space->value_counts,
               space->dimensions * sizeof trail->value_counts[0]);
    trail->space.value_counts = trail->value_counts;
    trail->trials =
        options->trials > 0 && options->trials < space->count ? options->trials : space->count;
    trail->random.seed = random_at(options->seed, 0);
    trail->order = permutation_make(space->count, random_at(options->seed, 1));
}

void trail_destroy(struct trail *trail)
{
    free(trail->records);
    free(trail->winners);
    free(trail->elsewhere);
    index_free(&trail->places);
}

struct trail_record *trail_find(const struct trail *trail, uint64_t point)
{
    size_t place = 0;
    return index_find(&trail->places, point, &place) ? &trail->records[place] : NULL;
}

struct trail_record *trail_add(struct trail *trail, uint64_t point)
{
    if (!array_grow(&trail->records, trail->count, &trail->capacity, sizeof *trail->records) ||
        !index_put(&trail->places, point, trail->count))
        return NULL;
    struct trail_record *record = &trail->records[trail->count++];
    *record = (struct trail_record){.point = point, .value = (double)NAN};
    return record;
}

void trail_tell(struct trail *trail, struct trail_record *record, double value)
{
    record->has_result = true;
    record->value = isfinite(value) ? value : (double)NAN;
    trail->results++;
    if (record->value < trail_best_value(trail))
        trail->best = (size_t)(record - trail->records);
}

bool trail_may_try_winner(const struct trail *trail)
{
    return trail->winners_tried < SEARCH_WINNERS_MIN ||
           trail->winners_tried < trail->trials / SEARCH_WINNERS_SHARE;
}

size_t trail_pending(const struct trail *trail)
{
    return trail->count - trail->results;
}

double trail_best_value(const struct trail *trail)
{
    return trail->best == SIZE_MAX ? (double)INFINITY : trail->records[trail->best].value;
}

bool trail_fresh(struct trail *trail, uint64_t *point)
{
    while (trail->next < trail->space.count) {
        *point = permutation_at(&trail->order, trail->next++);
        if (!trail_find(trail, *point))
            return true;
    }
    return false;
}
