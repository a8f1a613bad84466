/* The parent's side of the compiling children. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/pack.h"
#include "tuner/base/temporary.h"
#include "tuner/base/text.h"
#include "tuner/stats/data.h"
#include "tuner/worker/cache.h"
#include "tuner/worker/child.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/host.h"
#include "tuner/worker/message.h"
#include "tuner/worker/sources.h"
#include "tuner/worker/worker.h"

enum { POOL_WORKERS_MAX = 64, ANSWER_TIMEOUT_MS = 10000, TRIES_MAX = 3, AWAY_MS = 100 };
static const int64_t memory_bytes_default = INT64_C(8) << 30;
static const int64_t memory_bytes_min = INT64_C(1) << 30;

struct job {
    struct job *next;
    json_t *request;
    const struct known_source *sources[UNITS_MAX + 1];
    size_t source_count;
    uint64_t tag;
    int tries;     /* tries that failed through no fault of the job */
    bool is_quiet; /* a reference: made for the cache, not reported and not pending */
};

struct compiler {
    const struct host *host;
    char *cpus; /* NULL: any */
    struct child child;
    struct job *job; /* NULL: idle */
    int64_t begun_ns, deadline_ns;
};

struct compile_pool {
    char kind[16];
    struct compiler compilers[POOL_WORKERS_MAX];
    size_t count;
    struct job *first;
    struct job *last;
    size_t pending; /* queued or compiling */
    int64_t timeout_ms;
    int64_t memory_bytes;
    char *log;               /* messages of the last result; NULL: none */
    struct temporary copies; /* folder with the texts of sources that changed */
    char *cache;
    int cache_use;
};

static enum status start_compiler(struct compile_pool *pool, struct compiler *compiler,
                                  struct error *error)
{
    char program[] = "tune";
    char entry[] = "__compile";
    char *arguments[] = {program, entry, pool->kind, compiler->cpus, NULL};
    return compiler->host->start(compiler->host, arguments, &compiler->child, error);
}

/* Removes scratch folders of killed compilers; errors are ignored. */
static void sweep_scratch(void)
{
    struct arena arena = {0};
    struct error ignored = {0};
    const char *prefix = NULL;
    if (scratch_prefix(&arena, &prefix, &ignored) == STATUS_OK)
        temporary_folders_sweep(prefix);
    arena_free(&arena);
}

static void free_job(struct job *job)
{
    if (job)
        json_decref(job->request);
    free(job);
}

static void compile_pool_free(struct compile_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        free(pool->compilers[i].cpus);
    free(pool->cache);
    free(pool->log);
    free(pool);
}

enum status compile_pool_add(struct compile_pool *pool, const struct host *host, size_t workers,
                             const char *cpus, struct error *error)
{
    workers = workers < 1 ? 1 : workers;
    for (size_t i = 0; i < workers && pool->count < POOL_WORKERS_MAX; i++) {
        struct compiler *compiler = &pool->compilers[pool->count];
        *compiler = (struct compiler){.host = host, .child = child_none()};
        if (cpus && *cpus && !(compiler->cpus = strdup(cpus)))
            return error_no_memory(error);
        pool->count++; /* the process starts with the first job */
    }
    return STATUS_OK;
}

enum status compile_pool_start(const struct host *host, const char *kind, size_t workers,
                               const char *cpus, struct compile_pool **out, struct error *error)
{
    struct compile_pool *pool = calloc(1, sizeof *pool);
    TRY_MEMORY(pool);
    pool->cache_use = -1;
    pool->copies.file = -1;
    (void)string_format(pool->kind, sizeof pool->kind, "%s", kind);
    enum status status = STATUS_OK;
    int64_t unused = 0;
    TRY_OR_CLEANUP(compile_pool_add(pool, host, workers, cpus, error));
    TRY_OR_CLEANUP(environment_integer("TUNE_COMPILE_TIMEOUT_MS", 100,
                                       INT64_C(7) * 24 * 3600 * 1000,
                                       COMPILE_LIMIT_S * INT64_C(1000), &pool->timeout_ms, error));
    /* All compilers together leave a quarter of the memory. */
    const int64_t pages = sysconf(_SC_PHYS_PAGES);
    int64_t share = pages > 0 ? pages * sysconf(_SC_PAGESIZE) / 4 * 3 / (int64_t)pool->count
                              : memory_bytes_default;
    if (share < memory_bytes_min)
        share = memory_bytes_min;
    TRY_OR_CLEANUP(environment_integer("TUNE_COMPILE_MEMORY_BYTES", INT64_C(64) << 20, INT64_MAX,
                                       share < memory_bytes_default ? share : memory_bytes_default,
                                       &pool->memory_bytes, error));
    TRY_OR_CLEANUP(cache_limit(&unused, error));
    /* Failure is ignored: a command that needs a cache reports the failure later. */
    struct arena arena = {0};
    struct error ignored = {0};
    const char *folder = NULL;
    if (cache_folder(&arena, &folder, &ignored) == STATUS_OK && (pool->cache = strdup(folder)))
        pool->cache_use = cache_enter(folder);
    arena_free(&arena);
    sweep_scratch();
    *out = pool;
    return STATUS_OK;
cleanup:
    compile_pool_free(pool);
    return status;
}

void compile_pool_stop(struct compile_pool *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < pool->count; i++) {
        child_kill(&pool->compilers[i].child, NULL, 0);
        free_job(pool->compilers[i].job);
    }
    while (pool->first) {
        struct job *next = pool->first->next;
        free_job(pool->first);
        pool->first = next;
    }
    temporary_folder_remove(&pool->copies);
    sweep_scratch();
    if (pool->cache)
        cache_leave(pool->cache, pool->cache_use);
    compile_pool_free(pool);
}

size_t compile_pool_pending(const struct compile_pool *pool)
{
    return pool->pending;
}

/* Returns whether the child has a job that is awaited. */
static bool is_busy(const struct compiler *compiler)
{
    return compiler->job && !compiler->job->is_quiet;
}

size_t compile_pool_ages(const struct compile_pool *pool, int64_t *ages_ns, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; pool && i < pool->count && count < most; i++)
        if (is_busy(&pool->compilers[i]))
            ages_ns[count++] = clock_running_ns() - pool->compilers[i].begun_ns;
    return count;
}

static bool is_compiling(const struct compile_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        if (is_busy(&pool->compilers[i]))
            return true;
    return false;
}

/* Returns whether the job must run alone: compilers that exhaust memory kill each other, so the
 * last try gets all memory. */
static bool is_for_one(const struct job *job)
{
    return job && job->tries == TRIES_MAX - 1;
}

static bool is_paused(const struct compile_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        if (is_for_one(pool->compilers[i].job))
            return true;
    return is_for_one(pool->first) && is_compiling(pool);
}

/* Writes the source's text as it was read into a file of the pool's. */
static enum status copy_source(struct compile_pool *pool, const struct source *source,
                               struct arena *arena, const char **path, char hash[HASH_TEXT_BYTES],
                               struct error *error)
{
    const char *prefix = NULL, *name = path_file(source->files[0].path);
    struct text text = {0};
    if (pool->copies.file < 0) {
        TRY(scratch_prefix(arena, &prefix, error));
        TRY(temporary_folder_make(prefix, &pool->copies, error));
    }
    if (!memchr(source->text, '\0', source->length)) /* no machine code */
        source_put_line(&text, 1, source->files[0].path);
    text_append_bytes(&text, source->text, source->length);
    hash_bytes(text_string(&text), text.length, hash);
    *path = arena_printf(arena, "%s/%s-%s", pool->copies.path, hash, name);
    enum status status = text.failed || !*path ? error_no_memory(error) : STATUS_OK;
    if (status == STATUS_OK && !file_exists(*path)) /* else an earlier job has written it */
        status = file_write_atomically(*path, text_string(&text), text.length, error);
    text_free(&text);
    return status;
}

/* Gives a job whose sources have changed since they were read copies of their former texts. */
static enum status keep_sources(struct compile_pool *pool, struct job *job, struct error *error)
{
    json_t *task = json_object_get(job->request, "request");
    for (size_t i = 0; i < job->source_count; i++) {
        struct arena arena = {0};
        char hash[HASH_TEXT_BYTES] = "";
        const char *path = NULL;
        if (source_is_current(&job->sources[i]->source))
            continue;
        const enum status status =
            copy_source(pool, &job->sources[i]->source, &arena, &path, hash, error);
        if (status == STATUS_OK && i == 0) {
            (void)json_object_set_new(task, "source_path", json_string(path));
            (void)json_object_set_new(task, "source_hash", json_string(hash));
        } else if (status == STATUS_OK) {
            (void)json_array_set_new(json_object_get(task, "units"), i - 1, json_string(path));
            (void)json_array_set_new(json_object_get(task, "unit_hashes"), i - 1,
                                     json_string(hash));
        }
        arena_free(&arena);
        TRY(status);
    }
    return STATUS_OK;
}

/* Sends queued jobs to idle children. */
static enum status feed(struct compile_pool *pool, struct error *error)
{
    size_t gone = 0;
    for (size_t i = 0; i < pool->count; i++)
        gone += host_state(pool->compilers[i].host) == HOST_GONE;
    if (pool->first && gone == pool->count)
        return error_set(error, STATUS_DEVICE_LOST, "no host is left to compile on");
    for (size_t i = 0; i < pool->count && pool->first && !is_paused(pool); i++) {
        struct compiler *compiler = &pool->compilers[i];
        if (compiler->job || host_state(compiler->host) != HOST_READY)
            continue;
        enum status status = STATUS_OK;
        if (compiler->child.pid == 0)
            status = start_compiler(pool, compiler, error);
        if (status == STATUS_DEVICE_LOST)
            continue; /* the host was just lost, and may come back */
        if (status != STATUS_OK && is_compiling(pool))
            return STATUS_OK; /* out of processes or files: running compilers go on */
        if (status != STATUS_OK)
            return status;
        struct job *job = pool->first;
        TRY(keep_sources(pool, job, error));
        status = child_send(&compiler->child, job->request, error);
        if (status != STATUS_OK) { /* died while idle: the next feed starts a new one */
            child_kill(&compiler->child, NULL, 0);
            if (status != STATUS_DEVICE_LOST)
                return status;
            continue;
        }
        pool->first = job->next;
        compiler->job = job;
        compiler->begun_ns = clock_running_ns();
        compiler->deadline_ns = compiler->begun_ns + pool->timeout_ms * 1000000;
    }
    if (!pool->first)
        pool->last = NULL;
    return STATUS_OK;
}

enum status compile_pool_submit(struct compile_pool *pool, const struct binary_request *request,
                                const char *binary_path, uint64_t tag, struct error *error)
{
    struct binary_request named = *request;
    struct job *job = calloc(1, sizeof *job);
    TRY_MEMORY(job);
    /* Hashes of the sources as read here, which must be the ones compiled. */
    job->source_count = named.unit_count + 1;
    for (size_t i = 0; i < job->source_count; i++) {
        const char *path = i == 0 ? named.source_path : named.units[i - 1];
        if (sources_find(path, &named, &job->sources[i], error) != STATUS_OK) {
            free(job);
            return error->status;
        }
        *(i == 0 ? &named.source_hash : &named.unit_hashes[i - 1]) = job->sources[i]->hash;
    }
    job->tag = tag;
    const struct compile_message message = {named, binary_path, pool->timeout_ms,
                                            pool->memory_bytes};
    job->request = message_encode(&message_compile, &message);
    if (!job->request) {
        free(job);
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: its name, flags or defines are not UTF-8, or memory is short",
                         request->source_path);
    }
    if (pool->last)
        pool->last->next = job;
    else
        pool->first = job;
    pool->last = job;
    pool->pending++;
    return feed(pool, error);
}

bool compile_pool_withdraw(struct compile_pool *pool, uint64_t *tag)
{
    struct job **link = &pool->first;
    struct job *before = NULL;
    if (!pool->first)
        return false;
    while ((*link)->next) {
        before = *link;
        link = &(*link)->next;
    }
    struct job *job = *link;
    *link = NULL;
    pool->last = before;
    pool->pending--;
    *tag = job->tag;
    free_job(job);
    return true;
}

/* Largest share of the compilers' memory limit that a reference may take. */
enum { PREPARE_SHARE = 4 };

/* Frees children that have finished a reference, failed, or exceeded the limit. */
static void collect_quiet(struct compile_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        struct compiler *child = &pool->compilers[i];
        struct pollfd file = {.fd = child->child.output, .events = POLLIN};
        json_t *answer = NULL;
        struct error ignored = {0};
        if (!child->job || !child->job->is_quiet)
            continue;
        const bool answered = poll(&file, 1, 0) > 0;
        if (!answered && clock_running_ns() < child->deadline_ns)
            continue;
        if (!answered ||
            frame_read(child->child.output, ANSWER_TIMEOUT_MS, &answer, &ignored) != STATUS_OK)
            child_kill(&child->child, NULL, 0);
        json_decref(answer);
        free_job(child->job);
        child->job = NULL;
    }
}

enum status compile_pool_prepare(struct compile_pool *pool, const struct worker_task *task,
                                 bool *taken, struct error *error)
{
    const struct measure_request request = {.act = "reference", .task = *task};
    collect_quiet(pool);
    /* An idle child is spare if another one is idle, too, and no compilation is queued. */
    struct compiler *spare = NULL;
    size_t idle = 0;
    for (size_t i = 0; i < pool->count; i++)
        if (!pool->compilers[i].job && host_state(pool->compilers[i].host) == HOST_READY) {
            spare = &pool->compilers[i];
            idle++;
        }
    struct compiler *child = idle > 1 && !pool->first ? spare : NULL;
    *taken = false;
    /* Inputs, and results as pairs of real and magnitude, then as kept. */
    size_t bytes = 0;
    for (size_t i = 0; i < task->plan->argument_count; i++) {
        const struct argument *argument = &task->plan->arguments[i];
        if (role_is_filled(argument->role))
            bytes += argument_bytes(argument);
        if (argument_is_written(argument))
            bytes += (size_t)argument->count * 2 * sizeof(struct tune_expected);
    }
    if (!child || (int64_t)bytes > pool->memory_bytes / PREPARE_SHARE)
        return STATUS_OK;
    struct job *job = calloc(1, sizeof *job);
    if (!job || !(job->request = message_encode(&message_request, &request))) {
        free(job);
        return error_no_memory(error);
    }
    job->is_quiet = true;
    enum status status = child->child.pid == 0 ? start_compiler(pool, child, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = child_send(&child->child, job->request, error);
    if (status != STATUS_OK) {
        child_kill(&child->child, NULL, 0);
        free_job(job);
        return status;
    }
    child->job = job;
    child->begun_ns = clock_running_ns();
    child->deadline_ns = child->begun_ns + pool->timeout_ms * 1000000;
    *taken = true;
    return STATUS_OK;
}

static void finish(struct compile_pool *pool, struct compiler *compiler, enum status status,
                   const struct error *error, const char *log, struct compile_done *done)
{
    pool->log = *log ? strdup(log) : NULL; /* memory short: the first line must do */
    done->log = pool->log ? pool->log : "";
    done->tag = compiler->job->tag;
    done->elapsed_ns = clock_running_ns() - compiler->begun_ns;
    done->status = status == STATUS_KILLED ? STATUS_COMPILE_FAILED : status;
    done->killed = status == STATUS_KILLED;
    if (done->killed)
        (void)string_format(done->detail, sizeof done->detail,
                            "%.900s, %d times, the last time alone (is memory short?); the next "
                            "run tries it again",
                            error->text, TRIES_MAX);
    else
        (void)string_format(done->detail, sizeof done->detail, "%s",
                            status == STATUS_OK ? "" : error->text);
    free_job(compiler->job);
    compiler->job = NULL;
    pool->pending--;
}

/* Receives a child's answer; false when the job was queued again. */
static bool collect(struct compile_pool *pool, struct compiler *compiler, struct compile_done *done)
{
    json_t *answer = NULL;
    struct error error = {0};
    enum status status = frame_read(compiler->child.output, ANSWER_TIMEOUT_MS, &answer, &error);
    enum child_end end = CHILD_WAS_RUNNING;
    if (status == STATUS_OK) {
        status = message_to_error(answer, &error);
    } else {
        char how[128];
        end = child_kill(&compiler->child, how, sizeof how);
        status = error_set(&error, was_killed(end) ? STATUS_KILLED : STATUS_COMPILE_FAILED,
                           "the compiler ended its process (%s); it may use %lld MiB "
                           "(TUNE_COMPILE_MEMORY_BYTES)",
                           how[0] ? how : "no answer", (long long)(pool->memory_bytes >> 20));
    }
    /* a job lost with the host does not count as a try */
    if (end == CHILD_WAS_LOST)
        compiler->job->tries--;
    bool is_current = true;
    for (size_t i = 0; i < compiler->job->source_count; i++)
        is_current = is_current && source_is_current(&compiler->job->sources[i]->source);
    /* a kill, a removed folder or a file that just changed says nothing about the source */
    if ((status == STATUS_KILLED || status == STATUS_NOT_FOUND ||
         (status == STATUS_IO && !is_current)) &&
        compiler->job->tries + 1 < TRIES_MAX) {
        struct job *job = compiler->job;
        compiler->job = NULL;
        job->tries++;
        job->next = pool->first;
        pool->first = job;
        if (!pool->last)
            pool->last = job;
        json_decref(answer);
        return false;
    }
    const char *log = json_string_value(json_object_get(answer, "log"));
    finish(pool, compiler, status, &error, log ? log : "", done);
    json_decref(answer);
    return true;
}

/* Returns whether the child's host is silent, or extends the child's deadline by a silence that has
 * ended. */
static bool is_delayed(struct compiler *compiler)
{
    const struct host_view now = host_view(compiler->host);
    if (!compiler->host->view)
        return false;
    if (now.silence_ended_ns > compiler->begun_ns && now.received_ns > compiler->deadline_ns) {
        compiler->deadline_ns += now.silence_ended_ns - compiler->begun_ns;
        compiler->begun_ns = now.silence_ended_ns;
        return true;
    }
    return now.received_ns <= compiler->deadline_ns;
}

static bool find_overdue(struct compile_pool *pool, struct compile_done *done)
{
    int64_t now_ns = clock_running_ns();
    for (size_t i = 0; i < pool->count; i++) {
        struct compiler *compiler = &pool->compilers[i];
        if (!is_busy(compiler) || now_ns < compiler->deadline_ns || is_delayed(compiler))
            continue;
        struct error error = {0};
        child_kill(&compiler->child, NULL, 0);
        (void)error_set(&error, STATUS_COMPILE_FAILED,
                        "the compiler was killed after %.1f s (TUNE_COMPILE_TIMEOUT_MS)",
                        (double)pool->timeout_ms * 1e-3);
        sweep_scratch();
        finish(pool, compiler, STATUS_COMPILE_FAILED, &error, "", done);
        return true;
    }
    return false;
}

size_t compile_pool_files(const struct compile_pool *pool, struct pollfd *files, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < pool->count && count < most; i++)
        if (is_busy(&pool->compilers[i]))
            files[count++] =
                (struct pollfd){.fd = pool->compilers[i].child.output, .events = POLLIN};
    return count;
}

enum status compile_pool_wait(struct compile_pool *pool, int64_t timeout_ms,
                              struct compile_done *done, bool *got, struct error *error)
{
    int64_t deadline_ns = timeout_ms < 0 ? INT64_MAX : clock_running_ns() + timeout_ms * 1000000;
    *got = false;
    free(pool->log);
    pool->log = NULL;
    collect_quiet(pool);
    while (pool->pending > 0) {
        TRY(feed(pool, error));
        struct pollfd files[POOL_WORKERS_MAX];
        struct compiler *ready = NULL;
        const size_t count = compile_pool_files(pool, files, POOL_WORKERS_MAX);
        const int64_t left_ms = (deadline_ns - clock_running_ns()) / 1000000;
        /* no child is busy while the hosts are away */
        const int most_ms = count == 0 ? AWAY_MS : 1000;
        if (poll(files, count, left_ms > most_ms ? most_ms : left_ms < 0 ? 0 : (int)left_ms) > 0)
            for (size_t i = 0, busy = 0; i < pool->count && !ready; i++)
                if (is_busy(&pool->compilers[i]) && files[busy++].revents)
                    ready = &pool->compilers[i];
        *got = ready ? collect(pool, ready, done) : find_overdue(pool, done);
        if (*got)
            return feed(pool, error);
        if (clock_running_ns() >= deadline_ns)
            return STATUS_OK;
    }
    return STATUS_OK;
}
