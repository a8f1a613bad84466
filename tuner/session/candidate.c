#include "tuner/session/candidate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/hash.h"

struct candidate *candidates_add(struct candidates *candidates,
                                 const struct configuration *configuration, const char *key,
                                 uint64_t point)
{
    struct candidate *candidate = arena_alloc(&candidates->arena, 1, sizeof *candidate);
    if (!candidate ||
        !array_grow(&candidates->items, candidates->count, &candidates->capacity,
                    sizeof(struct candidate *)) ||
        (point != NO_POINT && !index_put(&candidates->by_point, point, candidates->count)))
        return NULL;
    if (point == NO_POINT) {
        struct outsider *outsider = arena_alloc(&candidates->arena, 1, sizeof *outsider);
        if (!outsider || !(outsider->key = arena_strdup(&candidates->arena, key)))
            return NULL;
        outsider->configuration = *configuration;
        outsider->next = candidates->outside;
        candidate->outsider = outsider;
        candidates->outside = candidate;
    }
    candidate->key_hash = (uint32_t)hash_u64(key, strlen(key), 0);
    candidate->place = (uint32_t)candidates->count; /* limit of an index */
    candidate->point = point;
    candidate->binary = NO_BINARY;
    candidate->median_ns = (double)NAN;
    candidate->value = (double)NAN;
    candidates->items[candidates->count++] = candidate;
    return candidate;
}

struct candidate *candidates_at_point(const struct candidates *candidates, uint64_t point)
{
    size_t place = 0;
    return index_find(&candidates->by_point, point, &place) ? candidates->items[place] : NULL;
}

struct candidate *candidates_at_key(const struct candidates *candidates, const char *key)
{
    char room[CONFIGURATION_KEY_BYTES];
    const uint32_t hash = (uint32_t)hash_u64(key, strlen(key), 0);
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->items[i]->key_hash == hash &&
            strcmp(candidate_key(candidates, candidates->items[i], room), key) == 0)
            return candidates->items[i];
    return NULL;
}

struct candidate *candidates_outside(const struct candidates *candidates, const char *key)
{
    struct candidate *candidate = candidates->outside;
    while (candidate && strcmp(candidate->outsider->key, key) != 0)
        candidate = candidate->outsider->next;
    return candidate;
}

struct candidate *candidates_at_launch(const struct candidates *candidates, uint64_t launch_hash)
{
    size_t place = 0;
    struct candidate *candidate =
        launch_hash != 0 && index_find(&candidates->by_launch, launch_hash, &place)
            ? candidates->items[place]
            : NULL;
    return candidate && candidate->state == CANDIDATE_DONE && !candidate->same_as ? candidate
                                                                                  : NULL;
}

bool candidates_done(struct candidates *candidates, const struct candidate *candidate)
{
    return candidate->launch_hash == 0 || candidate->same_as ||
           index_put(&candidates->by_launch, candidate->launch_hash, candidate->place);
}

void candidates_settle(struct candidates *candidates)
{
    index_free(&candidates->by_point);
    index_free(&candidates->by_launch);
    candidates->by_point = candidates->by_launch = (struct index){0};
}

void candidates_free(struct candidates *candidates)
{
    candidates_settle(candidates);
    free(candidates->items);
    arena_free(&candidates->arena);
    *candidates = (struct candidates){0};
}

const struct configuration *candidate_configuration(const struct candidates *candidates,
                                                    const struct candidate *candidate,
                                                    struct configuration *room)
{
    if (candidate->outsider)
        return &candidate->outsider->configuration;
    space_configuration(candidates->space, candidate->point, room);
    return room;
}

const char *candidate_key(const struct candidates *candidates, const struct candidate *candidate,
                          char room[CONFIGURATION_KEY_BYTES])
{
    struct configuration configuration;
    if (candidate->outsider)
        return candidate->outsider->key;
    space_configuration(candidates->space, candidate->point, &configuration);
    (void)configuration_key(&configuration, room); /* fitted when added */
    return room;
}

bool candidate_works(const struct candidate *candidate)
{
    return candidate->state == CANDIDATE_DONE && candidate->status == TRIAL_OK &&
           !candidate->rejected;
}
