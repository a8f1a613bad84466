/* The binaries of a run: asked for once each, compiled by a pool or taken from the cache; and what
 * they tell of their kernels without a device. */
#ifndef TUNE_SESSION_BINARIES_H
#define TUNE_SESSION_BINARIES_H

#include "tuner/base/arena.h"
#include "tuner/base/hash.h"
#include "tuner/base/index.h"
#include "tuner/worker/worker.h"

enum binary_state {
    BINARY_KNOWN /* nobody needed it yet */,
    BINARY_PENDING,
    BINARY_READY,
    BINARY_FAILED
};

struct binary {
    const char *hash;
    const char *path;
    enum binary_state state;
    const char *detail;              /* of a failure: the compiler's first error */
    const char *log;                 /* of a failure: all that the compiler said */
    bool killed;                     /* of a failure: compilers were, it may be right */
    bool has_run;                    /* on a device, in this run */
    struct binary_kernel *kernels;   /* what it told */
    char code_hash[HASH_TEXT_BYTES]; /* alike for binaries that do the same; "" while unknown */
};

struct binaries {
    struct arena arena;
    const struct host *host; /* where compilers run, and binaries are kept */
    const struct device_api *api;
    struct compile_pool *pool;
    size_t workers;
    const struct facts *facts; /* of the device: architecture and compiler */
    struct binary *items;
    size_t count;
    size_t capacity;
    struct index by_hash;
    size_t compiled;
    size_t cached;
    size_t ended; /* compilations, also those that failed */
};

/* Fills a zero-initialised table. The pool is started on the host, on the processors `cpus` (NULL:
 * any); freed by binaries_free. */
enum status binaries_start(struct binaries *binaries, const struct host *host, const char *kind,
                           size_t workers, const char *cpus, const struct facts *facts,
                           struct error *error);
void binaries_free(struct binaries *binaries);

/* The index of the request's binary, which is neither looked for nor compiled by this. */
enum status binaries_know(struct binaries *binaries, const struct binary_request *request,
                          size_t *index, struct error *error);
/* The same; one never asked for is looked up in the cache or given to the pool. */
enum status binaries_request(struct binaries *binaries, const struct binary_request *request,
                             size_t *index, struct error *error);
/* Whether it was asked for, and is not gone since: somebody may have cleaned the cache. */
bool binaries_is_requested(const struct binaries *binaries, size_t index);
/* Takes back what was asked for and is not being compiled yet: nobody waits for it any more. */
void binaries_withdraw(struct binaries *binaries);
/* Takes what the pool has ready; waits up to `timeout_ms` for the first when nothing is. */
enum status binaries_collect(struct binaries *binaries, int64_t timeout_ms, struct error *error);
/* Waits until that one is no longer pending. STATUS_COMPILE_FAILED with the compiler's word. */
enum status binaries_await(struct binaries *binaries, size_t index, struct error *error);

/* What a binary that is ready tells of a kernel, without the device, and its code_hash. False where
 * binaries of the kind do not tell. */
bool binaries_inspect(struct binaries *binaries, size_t index, const char *kernel,
                      struct kernel_resources *resources);

#endif
