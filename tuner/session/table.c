/* The candidates of a sweep, found by point, key, launches and trial. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/session/internal.h"

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

static uint64_t hash_key(const char *key)
{
    return hash_u64(key, strlen(key), 0);
}

struct candidate *table_add(struct table *table, const struct configuration *configuration,
                            const char *key, uint64_t point)
{
    struct candidate *candidate = arena_alloc(&table->arena, 1, sizeof *candidate);
    if (!candidate || !make_room(table) || !(candidate->key = arena_strdup(&table->arena, key)) ||
        !index_put(&table->by_key, hash_key(key), table->count) ||
        (point != NO_POINT && !index_put(&table->by_point, point, table->count)))
        return NULL;
    candidate->configuration = *configuration;
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
    struct candidate *candidate = find(table, &table->by_key, hash_key(key));
    return candidate && strcmp(candidate->key, key) == 0 ? candidate : NULL;
}

struct candidate *table_at_launch(const struct table *table, uint64_t launch_hash)
{
    struct candidate *candidate =
        launch_hash != 0 ? find(table, &table->by_launch, launch_hash) : NULL;
    return candidate && candidate->done && !candidate->same_as ? candidate : NULL;
}

struct candidate *table_at_trial(const struct table *table, int64_t trial_id)
{
    return find(table, &table->by_trial, (uint64_t)trial_id);
}

bool table_done(struct table *table, const struct candidate *candidate)
{
    size_t place = 0;
    if (!index_find(&table->by_key, hash_key(candidate->key), &place))
        return false;
    if (!index_put(&table->by_trial, (uint64_t)candidate->trial_id, place))
        return false;
    return candidate->launch_hash == 0 || candidate->same_as ||
           index_put(&table->by_launch, candidate->launch_hash, place);
}

void table_free(struct table *table)
{
    index_free(&table->by_point);
    index_free(&table->by_key);
    index_free(&table->by_launch);
    index_free(&table->by_trial);
    free(table->items);
    arena_free(&table->arena);
    *table = (struct table){0};
}
