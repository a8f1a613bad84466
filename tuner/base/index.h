/* A hash table from numbers (points, hashes, ids) to places in a list. */
#ifndef TUNE_BASE_INDEX_H
#define TUNE_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; freed by index_free. */
struct index {
    struct index_slot *slots;
    size_t count, capacity;
};

/* Stores the number's place, replacing an old one. Returns false when memory is short or the place
 * is above 2^32 - 2. */
bool index_put(struct index *index, uint64_t number, size_t place);
bool index_find(const struct index *index, uint64_t number, size_t *place);
void index_free(struct index *index);

#endif
