/* The binaries of a run, each requested once, compiled by a pool or taken from the cache, and the
 * resources of their kernels as read without a device. */
#ifndef TUNE_SESSION_BINARIES_H
#define TUNE_SESSION_BINARIES_H

#include "tuner/base/arena.h"
#include "tuner/base/hash.h"
#include "tuner/base/index.h"
#include "tuner/worker/worker.h"

enum binary_state {
    BINARY_KNOWN /* not requested yet */,
    BINARY_PENDING,
    BINARY_READY,
    BINARY_FAILED
};

struct binary {
    const char *hash;
    const char *path;
    enum binary_state state;
    const char *detail;              /* the compiler's first error, after a failure */
    const char *log;                 /* the compiler's whole output, after a failure */
    bool killed;                     /* compilers were killed: the source may be right */
    bool has_run;                    /* ran on a device in this run */
    struct binary_kernel *kernels;   /* kernels inspected so far */
    char code_hash[HASH_TEXT_BYTES]; /* equal for binaries that do the same; "" while unknown */
};

struct binaries {
    struct arena arena;
    const struct device_api *api;
    struct compile_pool *pool;
    size_t workers;
    const struct facts *facts; /* the device's: architecture and compiler */
    struct binary *items;
    size_t count;
    size_t capacity;
    struct index by_hash;
    size_t compiled;
    size_t cached;
    size_t ended;             /* compilations that ended, failed ones included */
    double compile_ns;        /* sum over compiled binaries ... */
    int64_t least_compile_ns; /* ... and the least; 0: none yet */
};

/* Fills a zero-initialised table and starts its pool on the host, on the processors `cpus` (NULL:
 * any). Freed by binaries_free. */
enum status binaries_start(struct binaries *binaries, const struct host *host, const char *kind,
                           size_t workers, const char *cpus, const struct facts *facts,
                           struct error *error);
void binaries_free(struct binaries *binaries);

/* Finds or adds the index of the request's binary, without a look-up in the cache and without
 * compiling. */
enum status binaries_know(struct binaries *binaries, const struct binary_request *request,
                          size_t *index, struct error *error);
/* Looks a binary that was not requested before up in the cache, or gives the request to the pool.
 */
enum status binaries_request(struct binaries *binaries, const struct binary_request *request,
                             size_t *index, struct error *error);
/* Returns whether the binary was requested and is still there: another process may have cleaned the
 * cache. */
bool binaries_is_requested(const struct binaries *binaries, size_t index);
/* Takes finished compilations from the pool; waits up to `timeout_ms` for the first. */
enum status binaries_collect(struct binaries *binaries, int64_t timeout_ms, struct error *error);
/* Waits until the binary is no longer pending. STATUS_COMPILE_FAILED with the compiler's message.
 */
enum status binaries_await(struct binaries *binaries, size_t index, struct error *error);

/* Reads a kernel's resources and the code hash from a binary that is ready, without the device.
 * Returns false for kinds of binaries without resources. */
bool binaries_inspect(struct binaries *binaries, size_t index, const char *kernel,
                      struct kernel_resources *resources);

#endif
