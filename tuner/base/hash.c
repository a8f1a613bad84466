#include "tuner/base/hash.h"

#define XXH_INLINE_ALL
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* struct hash_state is the library's type, whose header is for this file alone. */
struct hash_state *hash_start(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state)
        (void)XXH3_128bits_reset(state);
    return (struct hash_state *)state;
}

void hash_add(struct hash_state *state, const void *data, size_t bytes)
{
    (void)XXH3_128bits_update((XXH3_state_t *)state, data, bytes);
}

void hash_add_string(struct hash_state *state, const char *text)
{
    hash_add(state, text, strlen(text) + 1);
}

static void to_hex(XXH128_hash_t hash, char out[HASH_TEXT_BYTES])
{
    (void)snprintf(out, HASH_TEXT_BYTES, "%016llx%016llx", (unsigned long long)hash.high64,
                   (unsigned long long)hash.low64);
}

void hash_finish(struct hash_state *state, char out[HASH_TEXT_BYTES])
{
    to_hex(XXH3_128bits_digest((XXH3_state_t *)state), out);
    (void)XXH3_freeState((XXH3_state_t *)state);
}

void hash_bytes(const void *data, size_t bytes, char out[HASH_TEXT_BYTES])
{
    to_hex(XXH3_128bits(data, bytes), out);
}

uint64_t hash_u64(const void *data, size_t bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, bytes, seed);
}
