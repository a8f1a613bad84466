#include "tuner/session/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct table *table)
{
    if (table->count < table->capacity)
        return true;
    size_t capacity = table->capacity ? table->capacity * 2 : 64;
    struct candidate **items = realloc(table->items, capacity * sizeof(struct candidate *));
    if (!items)
        return false;
    table->items = items;
    table->capacity = capacity;
    return true;
}

struct candidate *table_add(struct table *table, const struct configuration *configuration,
                            const char *key, uint64_t point)
{
    struct candidate *candidate = arena_alloc(&table->arena, 1, sizeof *candidate);
    if (!candidate || !make_room(table) || !(candidate->key = arena_strdup(&table->arena, key)) ||
        (point != NO_POINT && !index_put(&table->by_point, point, table->count)))
        return NULL;
    if (point == NO_POINT) {
        candidate->own = arena_copy(&table->arena, configuration, sizeof *configuration);
        if (!candidate->own)
            return NULL;
        candidate->next_outside = table->outside;
        table->outside = candidate;
    }
    candidate->place = (uint32_t)table->count; /* an index holds no more */
    candidate->point = point;
    candidate->binary = NO_BINARY;
    candidate->median_ns = (double)NAN;
    candidate->value = (double)NAN;
    table->items[table->count++] = candidate;
    return candidate;
}

static struct candidate *find(const struct table *table, const struct index *index, uint64_t number)
{
    size_t place = 0;
    return index_find(index, number, &place) ? table->items[place] : NULL;
}

struct candidate *table_at_point(const struct table *table, uint64_t point)
{
    return find(table, &table->by_point, point);
}

struct candidate *table_at_key(const struct table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->items[i]->key, key) == 0)
            return table->items[i];
    return NULL;
}

struct candidate *table_outside(const struct table *table, const char *key)
{
    struct candidate *candidate = table->outside;
    while (candidate && strcmp(candidate->key, key) != 0)
        candidate = candidate->next_outside;
    return candidate;
}

struct candidate *table_at_launch(const struct table *table, uint64_t launch_hash)
{
    struct candidate *candidate =
        launch_hash != 0 ? find(table, &table->by_launch, launch_hash) : NULL;
    return candidate && candidate->done && !candidate->same_as ? candidate : NULL;
}

bool table_done(struct table *table, const struct candidate *candidate)
{
    return candidate->launch_hash == 0 || candidate->same_as ||
           index_put(&table->by_launch, candidate->launch_hash, candidate->place);
}

void table_free(struct table *table)
{
    index_free(&table->by_point);
    index_free(&table->by_launch);
    free(table->items);
    arena_free(&table->arena);
    *table = (struct table){0};
}
