/* The binaries of a run: asked for once each, compiled by a pool or taken from the cache. */
#ifndef TUNE_SESSION_BINARIES_H
#define TUNE_SESSION_BINARIES_H

#include "tuner/worker/worker.h"

enum binary_state { BINARY_PENDING, BINARY_READY, BINARY_FAILED };

struct binary {
    const char *hash;
    const char *path;
    enum binary_state state;
    const char *detail; /* of a failure: the compiler's first error */
    const char *log;    /* of a failure: all that the compiler said */
    bool has_run;       /* on a device, in this run */
};

struct binaries {
    struct arena arena;
    struct compile_pool *pool;
    const struct facts *facts; /* of the device: architecture and compiler */
    struct binary *items;
    size_t count;
    size_t capacity;
    size_t compiled;
    size_t cached;
};

/* Fills a zero-initialised table. The pool is started, on the processors `cpus` (NULL: any); freed
 * by binaries_free. */
enum status binaries_start(struct binaries *binaries, const char *kind, size_t workers,
                           const char *cpus, const struct facts *facts, struct error *error);
void binaries_free(struct binaries *binaries);

/* The index of the request's binary; one never seen is looked up in the cache or given to the pool.
 */
enum status binaries_request(struct binaries *binaries, const struct binary_request *request,
                             size_t *index, struct error *error);
/* Takes what the pool has ready; waits up to `timeout_ms` for the first when nothing is. */
enum status binaries_collect(struct binaries *binaries, int64_t timeout_ms, struct error *error);
/* Waits until that one is no longer pending. STATUS_COMPILE_FAILED with the compiler's word. */
enum status binaries_await(struct binaries *binaries, size_t index, struct error *error);

#endif
