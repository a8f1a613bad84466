/* Compilation in child processes, and the cache of binaries. */
#ifndef TUNE_WORKER_POOL_H
#define TUNE_WORKER_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/hash.h"
#include "tuner/base/launch.h"

struct host;
struct compile_pool;
struct worker_task;

/* Starts a pool of `workers` children on the host for the compilers of `kind`, fewer at the pool's
 * limit, on the processors `cpus` ("0-3,8"; NULL: those of this process). A compilation ends after
 * TUNE_COMPILE_TIMEOUT_MS (default 120 s), and may use TUNE_COMPILE_MEMORY_BYTES (default 8 GiB,
 * less if this machine has less for each child). STATUS_BAD_INPUT when one of these, or
 * TUNE_CACHE_BYTES, is no number. The cache is evicted when the pool stops: see
 * binary_cache_path. */
enum status compile_pool_start(const struct host *host, const char *kind, size_t workers,
                               const char *cpus, struct compile_pool **out, struct error *error);
/* Adds children on another host; all binaries go to the same cache. A job whose host is lost goes
 * to another host; while all hosts are awaited, jobs wait. */
enum status compile_pool_add(struct compile_pool *pool, const struct host *host, size_t workers,
                             const char *cpus, struct error *error);
/* Kills all children and frees the pool. */
void compile_pool_stop(struct compile_pool *pool);

/* Queues a request; `tag` identifies the result. The request is copied. */
enum status compile_pool_submit(struct compile_pool *pool, const struct binary_request *request,
                                const char *binary_path, uint64_t tag, struct error *error);
size_t compile_pool_pending(const struct compile_pool *pool);
/* Lists the elapsed times of at most `most` compilations under way, not of queued ones; returns the
 * number. */
size_t compile_pool_ages(const struct compile_pool *pool, int64_t *ages_ns, size_t most);

/* Lets an idle child compute the task's references for the cache, from which the worker reads them
 * later; the outcome is not reported. One child always stays free for compilation, so a pool of one
 * takes no task; nor does any pool take a task that needs much of a child's memory. *taken: a child
 * has started. */
enum status compile_pool_prepare(struct compile_pool *pool, const struct worker_task *task,
                                 bool *taken, struct error *error);

/* Removes the latest queued request that no compiler has begun, and returns the tag; false:
 * none. */
bool compile_pool_withdraw(struct compile_pool *pool, uint64_t *tag);

struct compile_done {
    uint64_t tag;
    enum status status; /* STATUS_OK: the binary was written */
    bool killed; /* failed because compilers were killed three times, through no fault of the source
                  */
    char detail[ERROR_TEXT_BYTES]; /* first error of the compiler */
    /* The compiler's messages on failure, in UTF-8, up to 64 KiB; may be "". Owned by the pool,
     * valid until the next compile_pool_wait or compile_pool_stop. */
    const char *log;
    int64_t elapsed_ns;
};
/* Returns the next result, waiting up to `timeout_ms` (< 0: no limit); *got is false without one.
 * Returns at once when no job is pending. */
enum status compile_pool_wait(struct compile_pool *pool, int64_t timeout_ms,
                              struct compile_done *done, bool *got, struct error *error);

/* Lists at most `most` files that become readable when a busy compiler has answered; returns the
 * number. For waiting together with other files before compile_pool_wait. */
struct pollfd;
size_t compile_pool_files(const struct compile_pool *pool, struct pollfd *files, size_t most);

/* Returns the path of a request's binary: a file in the cache folder, named by the hash of
 * source, defines, flags, kernels, architecture, compiler and device name; `hash` gets that name.
 * Both belong to the arena. An existing file is checked: a damaged one is removed, so that it is
 * compiled again; an intact one counts as used now. The least recently used files are evicted when
 * the cache exceeds TUNE_CACHE_BYTES (default 2 GiB) and no other tuner runs. */
enum status binary_cache_path(const struct binary_request *request, const struct facts *facts,
                              struct arena *arena, const char **path, const char **hash,
                              struct error *error);
/* Parts of binary_cache_path, for many requests that share few binaries: hash, path, and check of
 * the file. */
enum status binary_cache_hash(const struct binary_request *request, const struct facts *facts,
                              char out[HASH_TEXT_BYTES], struct error *error);
enum status binary_cache_place(const char *hash, struct arena *arena, const char **path,
                               struct error *error);
void binary_cache_tend(const char *path);

#endif
