#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tuner/base/cpus.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/files.h"
#include "tuner/base/seal.h"
#include "tuner/base/temporary.h"
#include "tuner/device/device.h"
#include "tuner/worker/child.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/host.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/message.h"

static const int64_t file_bytes_max = INT64_C(1) << 30;

struct compiling {
    const struct device_api *api;
    struct measuring *references; /* NULL: no reference requested yet */
    struct temporary scratch;     /* working folder of compilers; made for the first binary */
    bool limited;
};

static void lower_limit(__rlimit_resource_t which, rlim_t value)
{
    struct rlimit limit;
    if (getrlimit(which, &limit) != 0)
        return;
    if (value < limit.rlim_max) /* RLIM_INFINITY is the greatest */
        limit.rlim_cur = value;
    (void)setrlimit(which, &limit);
}

static enum status compile_one(struct compiling *state, const struct compile_message *message,
                               struct text *log, struct error *error)
{
    struct arena arena = {0};
    enum status status = STATUS_OK;
    /* A working folder, also for the compiler's temporary files, so that a sweep removes all after
     * a kill. The folder may have been removed with the whole cache. */
    if (state->scratch.file < 0 || !file_exists(state->scratch.path)) {
        const char *prefix = NULL;
        temporary_folder_remove(&state->scratch);
        status = scratch_prefix(&arena, &prefix, error);
        if (status == STATUS_OK)
            status = temporary_folder_make(prefix, &state->scratch, error);
        if (status == STATUS_OK && setenv("TMPDIR", state->scratch.path, 1) != 0)
            status = error_no_memory(error);
        arena_free(&arena);
        TRY(status);
    }
    if (!state->limited) {
        /* Limits of this process: a source that makes the compiler grow without end must fail by
         * itself, and compilers are the first victims when memory runs short. Sanitizers reserve
         * more address space than any limit. */
#ifndef TUNE_SANITIZED
        lower_limit(RLIMIT_AS, (rlim_t)message->memory_bytes);
#endif
        lower_limit(RLIMIT_FSIZE, (rlim_t)file_bytes_max);
        lower_limit(RLIMIT_CORE, 0);
        int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
        if (file >= 0) {
            (void)!write(file, "900", 3);
            (void)close(file);
        }
    }
    state->limited = true;
    /* Processor time is limited with or without this process: a compiler's own children get no
     * signal when the parent dies, so this limit ends an endless one. */
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) == 0)
        lower_limit(RLIMIT_CPU, (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec +
                                         message->timeout_ms / 1000 + 2));
    /* Compiled to another name first, so that a binary in the cache is always complete. */
    const char *path = message->path;
    const char *fresh = arena_printf(&arena, "%s/binary", state->scratch.path);
    status =
        fresh ? state->api->compile(&message->request, fresh, log, error) : error_no_memory(error);
    FAILPOINT("child.compiled");
    if (status == STATUS_OK)
        status = seal_file(fresh, error);
    if (status == STATUS_OK && rename(fresh, path) != 0)
        status = error_set_errno(error, errno, "%s: cannot replace", path);
    FAILPOINT("child.renamed");
    arena_free(&arena);
    /* The folder may be gone, or still be in removal. */
    const char *output = text_string(log);
    const bool is_removed =
        !file_exists(state->scratch.path) ||
        (strstr(output, state->scratch.path) && strstr(output, strerror(ENOENT)));
    if (status != STATUS_OK && is_removed)
        status = error_set(error, STATUS_NOT_FOUND, "%s was removed while a compiler worked there",
                           state->scratch.path);
    if (status != STATUS_OK)
        temporary_folder_empty(&state->scratch); /* left by an ended compiler */
    return status;
}

/* Turns a compiler's exhausted limits into a failure of the source: a fault of this machine would
 * end the run. */
static enum status blame_source(int64_t memory_bytes, enum status status, struct error *error)
{
    /* "shared memory", of which a kernel may need too much, does not count. */
    bool out_of_memory = false;
    static const char *const ways[] = {"out of memory", "memory exhausted", "allocate memory",
                                       "memory allocation", "bad_alloc"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strstr(error->text, ways[i])) {
            out_of_memory = true;
            break;
        }
    bool exhausted = status == STATUS_NO_MEMORY || status == STATUS_TIMED_OUT ||
                     (status == STATUS_COMPILE_FAILED && out_of_memory);
    if (!exhausted && status != STATUS_BAD_INPUT && status != STATUS_INTERNAL)
        return status;
    char text[ERROR_TEXT_BYTES];
    (void)string_format(text, sizeof text, "%s", error->text);
    if (!exhausted || status == STATUS_TIMED_OUT)
        return error_set(error, STATUS_COMPILE_FAILED, "%s", text);
    return error_set(error, STATUS_COMPILE_FAILED,
                     "%.900s (the limit is %lld MiB: TUNE_COMPILE_MEMORY_BYTES)", text,
                     (long long)(memory_bytes >> 20));
}

static enum status serve(void *context, const json_t *request, json_t **answer, struct error *error)
{
    struct compiling *state = context;
    struct arena arena = {0};
    struct text log = {0};
    struct compile_message message;
    enum status status = STATUS_OK;
    if (json_object_get(request, "act")) { /* a reference for the cache: it is not sent */
        struct measure_request reference;
        *answer = json_object();
        if (!state->references && !(state->references = measuring_of_host(state->api)))
            return error_no_memory(error);
        status = message_decode(&message_request, request, &arena, &reference, error);
        if (status == STATUS_OK && reference.task.plan)
            status = expectations_precompute(state->references, &reference.task, error);
        arena_free(&arena);
        return status;
    }
    status = message_decode(&message_compile, request, &arena, &message, error);
    if (status == STATUS_OK)
        status = compile_one(state, &message, &log, error);
    if (status != STATUS_OK)
        status = blame_source(message.memory_bytes, status, error);
    *answer = json_object();
    if (status != STATUS_OK) {
        /* The start of the compiler's messages; a source may contain bytes that are not UTF-8. */
        size_t length = log.length < COMPILE_LOG_BYTES_MAX ? log.length : COMPILE_LOG_BYTES_MAX;
        json_t *text = json_stringn(text_string(&log), length);
        for (size_t i = 0; !text && i < length; i++)
            if ((unsigned char)log.data[i] >= 0x80)
                log.data[i] = '?';
        (void)json_object_set_new(*answer, "log",
                                  text ? text : json_stringn(text_string(&log), length));
    }
    arena_free(&arena);
    text_free(&log);
    return status;
}

int compile_child(const char *kind, const char *cpus)
{
    struct compiling state = {.api = device_kind(kind), .scratch = {.file = -1}};
    if (!state.api)
        return EXIT_CODE_USAGE;
    if (cpus)
        (void)cpus_pin(cpus); /* compiling elsewhere is better than failing */
    int code = frames_answer(serve, &state);
    free(state.references);
    temporary_folder_remove(&state.scratch);
    return code;
}
