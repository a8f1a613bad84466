#include "tuner/base/index.h"

#include <stdlib.h>

/* Twelve bytes, since an index may have millions of slots. */
struct index_slot {
    uint32_t low, high; /* halves of the number */
    uint32_t next;      /* place + 1; 0: the slot is free */
};

static uint64_t number_of(const struct index_slot *slot)
{
    return (uint64_t)slot->high << 32 | slot->low;
}

/* Finds the number's slot, or a free one. The number of slots is a power of two, and at most half
 * are taken, so that every search ends. */
static size_t slot_of(const struct index *index, uint64_t number)
{
    uint64_t mixed = number * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(mixed ^ mixed >> 32) & (index->capacity - 1);
    while (index->slots[at].next != 0 && number_of(&index->slots[at]) != number)
        at = (at + 1) & (index->capacity - 1);
    return at;
}

static bool grow(struct index *index)
{
    struct index larger = {.capacity = index->capacity ? index->capacity * 2 : 64,
                           .count = index->count};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < index->capacity; i++)
        if (index->slots[i].next != 0)
            larger.slots[slot_of(&larger, number_of(&index->slots[i]))] = index->slots[i];
    free(index->slots);
    *index = larger;
    return true;
}

bool index_put(struct index *index, uint64_t number, size_t place)
{
    if (place >= UINT32_MAX || (index->count * 2 >= index->capacity && !grow(index)))
        return false;
    struct index_slot *slot = &index->slots[slot_of(index, number)];
    index->count += slot->next == 0 ? 1 : 0;
    *slot = (struct index_slot){(uint32_t)number, (uint32_t)(number >> 32), (uint32_t)place + 1};
    return true;
}

bool index_find(const struct index *index, uint64_t number, size_t *place)
{
    if (index->capacity == 0)
        return false;
    const struct index_slot *slot = &index->slots[slot_of(index, number)];
    if (slot->next == 0)
        return false;
    *place = slot->next - 1;
    return true;
}

void index_free(struct index *index)
{
    free(index->slots);
    *index = (struct index){0};
}
