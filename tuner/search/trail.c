#include "tuner/search/trail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

static size_t slot_of(const struct trail *trail, uint64_t point)
{
    size_t slot = (size_t)random_at(point, 0) & (trail->slot_count - 1);
    while (trail->slots[slot] != 0 && trail->records[trail->slots[slot] - 1].point != point)
        slot = (slot + 1) & (trail->slot_count - 1);
    return slot;
}

/* Half of the slots stay free, so that looking is short. */
static bool grow(struct trail *trail)
{
    const size_t capacity = trail->capacity ? 2 * trail->capacity : FIRST_CAPACITY;
    if (capacity > SIZE_MAX / (2 * sizeof *trail->records))
        return false;
    size_t *slots = calloc(2 * capacity, sizeof *slots);
    struct trail_record *records = realloc(trail->records, capacity * sizeof *records);
    if (records)
        trail->records = records;
    if (!slots || !records) {
        free(slots);
        return false;
    }
    free(trail->slots);
    trail->slots = slots;
    trail->slot_count = 2 * capacity;
    trail->capacity = capacity;
    for (size_t i = 0; i < trail->count; i++)
        trail->slots[slot_of(trail, trail->records[i].point)] = i + 1;
    return true;
}

bool trail_create(struct trail *trail, const struct search_space *space,
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
    return grow(trail);
}

void trail_destroy(struct trail *trail)
{
    free(trail->records);
    free(trail->slots);
}

struct trail_record *trail_find(const struct trail *trail, uint64_t point)
{
    const size_t index = trail->slots[slot_of(trail, point)];
    return index == 0 ? NULL : &trail->records[index - 1];
}

struct trail_record *trail_add(struct trail *trail, uint64_t point)
{
    if (trail->count == trail->capacity && !grow(trail))
        return NULL;
    trail->slots[slot_of(trail, point)] = trail->count + 1;
    struct trail_record *record = &trail->records[trail->count++];
    *record = (struct trail_record){.point = point, .value = (double)NAN};
    return record;
}

void trail_tell(struct trail *trail, struct trail_record *record, double value)
{
    record->told = true;
    record->value = isfinite(value) ? value : (double)NAN;
    trail->told++;
    if (record->value < trail_best_value(trail))
        trail->best = (size_t)(record - trail->records);
}

size_t trail_pending(const struct trail *trail)
{
    return trail->count - trail->told;
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

double trail_uniform(struct trail *trail)
{
    return (double)(random_next(&trail->random) >> 11) * 0x1p-53;
}
