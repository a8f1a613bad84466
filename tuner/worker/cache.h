/* Functions that the pool uses on the folder of compiled kernels. */
#ifndef TUNE_WORKER_CACHE_H
#define TUNE_WORKER_CACHE_H

#include <stdint.h>

#include "tuner/base/error.h"

/* Marks the cache folder as used by this process; entries are evicted only while the folder is
 * unused. Returns a descriptor for cache_leave; -1 if the folder cannot be marked, which is no
 * failure. */
int cache_enter(const char *folder);
/* Evicts the least recently used entries until the rest fits TUNE_CACHE_BYTES (default 2 GiB),
 * unless another process uses the folder, and closes the descriptor. */
void cache_leave(const char *folder, int use);
/* Reads TUNE_CACHE_BYTES. STATUS_BAD_INPUT when the variable is no number. */
enum status cache_limit(int64_t *bytes, struct error *error);

#endif
