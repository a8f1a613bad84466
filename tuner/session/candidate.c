#include "tuner/session/candidate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"

struct candidate *candidates_add(struct candidates *candidates,
                                 const struct configuration *configuration, const char *key,
                                 uint64_t point)
{
    struct candidate *candidate = arena_alloc(&candidates->arena, 1, sizeof *candidate);
    if (!candidate ||
        !array_grow(&candidates->items, candidates->count, &candidates->capacity,
                    sizeof(struct candidate *)) ||
        !(candidate->key = arena_strdup(&candidates->arena, key)) ||
        (point != NO_POINT && !index_put(&candidates->by_point, point, candidates->count)))
        return NULL;
    if (point == NO_POINT) {
        candidate->own = arena_copy(&candidates->arena, configuration, sizeof *configuration);
        if (!candidate->own)
            return NULL;
        candidate->next_outside = candidates->outside;
        candidates->outside = candidate;
    }
    candidate->place = (uint32_t)candidates->count; /* an index holds no more */
    candidate->point = point;
    candidate->binary = NO_BINARY;
    candidate->median_ns = (double)NAN;
    candidate->value = (double)NAN;
    candidates->items[candidates->count++] = candidate;
    return candidate;
}

static struct candidate *find(const struct candidates *candidates, const struct index *index,
                              uint64_t number)
{
    size_t place = 0;
    return index_find(index, number, &place) ? candidates->items[place] : NULL;
}

struct candidate *candidates_at_point(const struct candidates *candidates, uint64_t point)
{
    return find(candidates, &candidates->by_point, point);
}

struct candidate *candidates_at_key(const struct candidates *candidates, const char *key)
{
    for (size_t i = 0; i < candidates->count; i++)
        if (strcmp(candidates->items[i]->key, key) == 0)
            return candidates->items[i];
    return NULL;
}

struct candidate *candidates_outside(const struct candidates *candidates, const char *key)
{
    struct candidate *candidate = candidates->outside;
    while (candidate && strcmp(candidate->key, key) != 0)
        candidate = candidate->next_outside;
    return candidate;
}

struct candidate *candidates_at_launch(const struct candidates *candidates, uint64_t launch_hash)
{
    struct candidate *candidate =
        launch_hash != 0 ? find(candidates, &candidates->by_launch, launch_hash) : NULL;
    return candidate && candidate->state == CANDIDATE_DONE && !candidate->same_as ? candidate
                                                                                  : NULL;
}

bool candidates_done(struct candidates *candidates, const struct candidate *candidate)
{
    return candidate->launch_hash == 0 || candidate->same_as ||
           index_put(&candidates->by_launch, candidate->launch_hash, candidate->place);
}

void candidates_free(struct candidates *candidates)
{
    index_free(&candidates->by_point);
    index_free(&candidates->by_launch);
    free(candidates->items);
    arena_free(&candidates->arena);
    *candidates = (struct candidates){0};
}

const struct configuration *candidate_configuration(const struct candidates *candidates,
                                                    const struct candidate *candidate,
                                                    struct configuration *room)
{
    if (candidate->own)
        return candidate->own;
    space_configuration(candidates->space, candidate->point, room);
    return room;
}

bool candidate_works(const struct candidate *candidate)
{
    return candidate->state == CANDIDATE_DONE && candidate->status == TRIAL_OK &&
           !candidate->rejected;
}
