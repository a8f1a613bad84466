#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tuner/base/failpoint.h"
#include "tuner/base/files.h"
#include "tuner/base/temporary.h"
#include "tuner/device/device.h"
#include "tuner/worker/child.h"
#include "tuner/worker/message.h"
#include "tuner/worker/spawn.h"

struct compiling {
    const struct device_api *api;
    struct temporary scratch; /* where compilers work; made for the first binary */
};

/* The compiler's own temporary files go there too, so that nothing of it outlives a kill for long.
 */
static enum status make_scratch(struct compiling *state, struct error *error)
{
    struct arena arena = {0};
    const char *prefix = NULL;
    enum status status = scratch_prefix(&arena, &prefix, error);
    if (status == STATUS_OK)
        status = temporary_folder_make(prefix, &state->scratch, error);
    if (status == STATUS_OK && setenv("TMPDIR", state->scratch.path, 1) != 0)
        status = error_no_memory(error);
    arena_free(&arena);
    return status;
}

/* What a compiler may still use, whether we live or not: a compiler's own children hear of no
 * parent's death, so this is what ends one that would run for ever. */
static void limit_processor_time(void)
{
    struct rusage used;
    struct rlimit limit;
    if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0)
        return;
    rlim_t seconds = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + COMPILE_LIMIT_S + 1;
    if (seconds < limit.rlim_max) /* RLIM_INFINITY is the greatest */
        limit.rlim_cur = seconds;
    (void)setrlimit(RLIMIT_CPU, &limit);
}

/* Under another name first: a binary in the cache is whole. */
static enum status compile_to(struct compiling *state, const struct binary_request *binary,
                              const char *path, struct text *log, struct error *error)
{
    struct arena arena = {0};
    const char *fresh = arena_printf(&arena, "%s/binary", state->scratch.path);
    enum status status =
        fresh ? state->api->compile(binary, fresh, log, error) : error_no_memory(error);
    FAILPOINT("child.compiled");
    if (status == STATUS_OK && rename(fresh, path) != 0)
        status = error_set_errno(error, errno, "%s: cannot replace", path);
    FAILPOINT("child.renamed");
    arena_free(&arena);
    return status;
}

static enum status compile_one(struct compiling *state, const json_t *request, struct arena *arena,
                               struct text *log, struct error *error)
{
    struct binary_request binary;
    enum status status = message_to_request(request, arena, &binary, error);
    if (status == STATUS_OK && state->scratch.file < 0)
        status = make_scratch(state, error);
    if (status != STATUS_OK)
        return status;
    limit_processor_time();
    return compile_to(state, &binary, message_text(request, "path", ""), log, error);
}

static enum status serve(void *context, const json_t *request, json_t **answer, struct error *error)
{
    struct arena arena = {0};
    struct text log = {0};
    enum status status = compile_one(context, request, &arena, &log, error);
    if (status == STATUS_OK)
        *answer = json_object();
    arena_free(&arena);
    text_free(&log);
    return status;
}

int compile_child(const char *kind)
{
    struct compiling state = {.api = device_kind(kind), .scratch = {.file = -1}};
    if (!state.api)
        return EXIT_CODE_USAGE;
    int code = child_loop(serve, &state);
    temporary_folder_remove(&state.scratch);
    return code;
}
