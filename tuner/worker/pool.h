/* Compiling in child processes, and where binaries are kept. */
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

/* `workers` children on the host for the compilers of `kind`, fewer where no more can be had, on
 * the processors `cpus` ("0-3,8"; NULL: wherever this process may run). A compilation ends after
 * TUNE_COMPILE_TIMEOUT_MS (default 120 s), and may use TUNE_COMPILE_MEMORY_BYTES (default 8 GiB,
 * less where this machine has less for each of them). STATUS_BAD_INPUT when one of these, or
 * TUNE_CACHE_BYTES, is no number. Evicts from the cache at its end: see binary_cache_path. */
enum status compile_pool_start(const struct host *host, const char *kind, size_t workers,
                               const char *cpus, struct compile_pool **out, struct error *error);
/* More of them, on another host: what any of them compiles comes to the same place. A job whose
 * host is lost goes to another; while all are awaited, jobs wait. */
enum status compile_pool_add(struct compile_pool *pool, const struct host *host, size_t workers,
                             const char *cpus, struct error *error);
/* Kills what is running. */
void compile_pool_stop(struct compile_pool *pool);

/* Queues a request; `tag` comes back with its result. The request is copied. */
enum status compile_pool_submit(struct compile_pool *pool, const struct binary_request *request,
                                const char *binary_path, uint64_t tag, struct error *error);
size_t compile_pool_pending(const struct compile_pool *pool);

/* Lets a child that has nothing to compile make what the task's references say, for the cache,
 * where the worker that is to know it finds it. Nobody hears what came of it. One child is left to
 * compilations, so a pool of one does nothing of the kind; nor does one whose share of the memory
 * that takes much of. *taken: a child is at it. */
enum status compile_pool_prepare(struct compile_pool *pool, const struct worker_task *task,
                                 bool *taken, struct error *error);

/* Takes a request back that no compiler has begun yet, the latest first: its tag. False: there is
 * none. */
bool compile_pool_withdraw(struct compile_pool *pool, uint64_t *tag);

struct compile_done {
    uint64_t tag;
    enum status status; /* STATUS_OK: the binary is at its path */
    bool killed;        /* it failed since compilers were killed, three times, not by what it is */
    char detail[ERROR_TEXT_BYTES]; /* the first error of the compiler */
    /* All it said when it failed, in UTF-8, up to 64 KiB; "" when nothing. The pool's, valid until
     * the next compile_pool_wait or compile_pool_stop. */
    const char *log;
};
/* Gives the next result, waiting up to `timeout_ms` (< 0: for ever) for it; *got false when none
 * came. Never blocks when nothing is pending. */
enum status compile_pool_wait(struct compile_pool *pool, int64_t timeout_ms,
                              struct compile_done *done, bool *got, struct error *error);

/* Files that become readable when a compiler that is busy now has answered, `most` at most; how
 * many. To wait on together with others; then compile_pool_wait. */
struct pollfd;
size_t compile_pool_files(const struct compile_pool *pool, struct pollfd *files, size_t most);

/* Where the binary of a request is kept: a file in the cache folder kept for the host, named by the
 * hash of source, defines, flags, kernels, architecture, compiler and device name. `hash` gets that
 * name. Both belong to the arena. A file that is there is checked on the way: one that is cut or
 * damaged is removed, so that it is compiled again; another counts as used now. What was used
 * longest ago goes when the cache grows over TUNE_CACHE_BYTES (default 2 GiB) and no other tuner
 * runs. */
enum status binary_cache_path(const struct host *host, const struct binary_request *request,
                              const struct facts *facts, struct arena *arena, const char **path,
                              const char **hash, struct error *error);
/* Its parts, for many requests that few binaries serve: the name, its place, and the look at the
 * file. */
enum status binary_cache_hash(const struct binary_request *request, const struct facts *facts,
                              char out[HASH_TEXT_BYTES], struct error *error);
enum status binary_cache_place(const struct host *host, const char *hash, struct arena *arena,
                               const char **path, struct error *error);
void binary_cache_tend(const char *path);

#endif
