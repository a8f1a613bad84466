#include "tests/gpu/binaries.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/text.h"

enum { COMPILERS_MAX = 16 };

/* Returns "cuda reduce.cu BLOCK=256 LOADS=4 ... reduce_last_block": the text that distinguishes a
 * request. */
static const char *request_key(struct arena *arena, const struct device_api *api,
                               const struct binary_request *request)
{
    char value[VALUE_TEXT_BYTES];
    const char *key = arena_printf(arena, "%s %s", api->kind, request->source_path);
    for (size_t i = 0; i < request->define_count && key; i++) {
        const struct named_value *define = &request->defines[i];
        const bool fits = value_format(define->value, value, sizeof value);
        key = arena_printf(arena, "%s %s=%s", key, define->name, fits ? value : "?");
    }
    for (size_t i = 0; i < request->flag_count && key; i++)
        key = arena_printf(arena, "%s %s", key, request->flags[i]);
    for (size_t i = 0; i < request->kernel_count && key; i++)
        key = arena_printf(arena, "%s %s", key, request->kernels[i]);
    return key;
}

static enum status make_room(struct binaries *binaries, struct error *error)
{
    if (binaries->count < binaries->capacity)
        return STATUS_OK;
    const size_t capacity = binaries->capacity ? 2 * binaries->capacity : 256;
    struct binary *list = realloc(binaries->list, capacity * sizeof *list);
    if (!list)
        return error_no_memory(error);
    binaries->list = list;
    binaries->capacity = capacity;
    return STATUS_OK;
}

enum status binaries_find(struct binaries *binaries, const struct device_api *api,
                          const struct binary_request *request, size_t *index, struct error *error)
{
    const char *key = request_key(binaries->arena, api, request);
    if (!key)
        return error_no_memory(error);
    for (size_t i = 0; i < binaries->count; i++) {
        if (strcmp(binaries->list[i].key, key) != 0)
            continue;
        *index = i;
        return STATUS_OK;
    }
    const enum status status = make_room(binaries, error);
    if (status != STATUS_OK)
        return status;
    *index = binaries->count;
    struct binary *binary = &binaries->list[binaries->count];
    *binary = (struct binary){.api = api, .request = *request, .key = key};
    binary->path = arena_printf(binaries->arena, "%s/%zu", binaries->folder, binaries->count);
    if (!binary->path)
        return error_no_memory(error);
    binaries->count++;
    return STATUS_OK;
}

struct compiling {
    struct binaries *binaries;
    atomic_size_t next;
};

static void *compile_some(void *context)
{
    struct compiling *compiling = context;
    for (;;) {
        const size_t index = atomic_fetch_add(&compiling->next, 1);
        if (index >= compiling->binaries->count)
            return NULL;
        struct binary *binary = &compiling->binaries->list[index];
        struct text log = {0};
        binary->status = binary->api->compile(&binary->request, binary->path, &log, &binary->error);
        text_free(&log);
    }
}

void binaries_compile(struct binaries *binaries, size_t first)
{
    pthread_t threads[COMPILERS_MAX];
    struct compiling compiling = {.binaries = binaries};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0;
    atomic_init(&compiling.next, first);
    while (started + 1 < COMPILERS_MAX && (long)started + 1 < cores &&
           pthread_create(&threads[started], NULL, compile_some, &compiling) == 0)
        started++;
    (void)compile_some(&compiling);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
}

void binaries_free(struct binaries *binaries)
{
    free(binaries->list);
    binaries->list = NULL;
}
