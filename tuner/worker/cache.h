/* Between the pool and the folder of compiled kernels. */
#ifndef TUNE_WORKER_CACHE_H
#define TUNE_WORKER_CACHE_H

#include <stdint.h>

#include "tuner/base/error.h"

/* Marks the cache folder as used by this process: while anybody uses it, nothing is evicted. Gives
 * a descriptor for cache_leave; -1 where that cannot be told, which is no failure. */
int cache_enter(const char *folder);
/* Evicts what was used longest ago until the rest fits TUNE_CACHE_BYTES (default 2 GiB), unless
 * another process uses the folder, and closes the descriptor. */
void cache_leave(const char *folder, int use);
/* TUNE_CACHE_BYTES. STATUS_BAD_INPUT when the variable is no number. */
enum status cache_limit(int64_t *bytes, struct error *error);

#endif
