/* Content hashes: 128-bit XXH3 as 32 hexadecimal digits. They identify contents, and are no defence
 * against deliberate collisions. */
#ifndef TUNE_BASE_HASH_H
#define TUNE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_TEXT_BYTES 33

struct hash_state;

/* Starts a hash, to be freed by hash_finish; NULL when memory is short. */
struct hash_state *hash_start(void);
void hash_add(struct hash_state *state, const void *data, size_t bytes);
/* Adds the text and its end, so that ("ab","c") and ("a","bc") differ. */
void hash_add_string(struct hash_state *state, const char *text);
void hash_finish(struct hash_state *state, char out[HASH_TEXT_BYTES]);

void hash_bytes(const void *data, size_t bytes, char out[HASH_TEXT_BYTES]);
/* Returns a 64-bit hash, for tables in memory and for seeds. */
uint64_t hash_u64(const void *data, size_t bytes, uint64_t seed);

#endif
