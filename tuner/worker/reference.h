/* The expected results of a problem, computed by a C function compiled at run time, and kept in the
 * cache for other processes. */
#ifndef TUNE_WORKER_REFERENCE_H
#define TUNE_WORKER_REFERENCE_H

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/launch.h"
#include "tuner/stats/data.h"

/* Calls function `name` of the shared object at `path` with the plan's arguments (inputs[i] for
 * inputs, a copy of it for what is read and written, NULL for other vectors, pointers to scalars
 * and structs), and fills `expected`, one for each element of the output, zero before. */
enum status reference_compute(const char *path, const char *name, const struct launch_plan *plan,
                              const void *const *inputs, size_t output,
                              struct tune_expected *expected, struct error *error);

/* reference_cache.c. `hash` stands for what the function, as it was compiled, says of output
 * `output` given the plan's inputs, kept in so many bytes. */
enum status reference_hash(const char *path, const char *name, const struct launch_plan *plan,
                           size_t output, size_t bytes, char hash[HASH_TEXT_BYTES],
                           struct error *error);
struct measuring;
/* False: the cache does not have these `bytes` bytes whole. *made_ns: what making them took. */
bool reference_recall(const struct measuring *state, const char *hash, void *room, size_t bytes,
                      int64_t *made_ns);
/* Puts them there unless they were quick to make, or take too much of it. */
void reference_keep(const struct measuring *state, const char *hash, const void *room, size_t bytes,
                    int64_t made_ns);

#endif
