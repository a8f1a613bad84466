#include "tuner/session/binaries.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"

enum status binaries_start(struct binaries *binaries, const struct host *host, const char *kind,
                           size_t workers, const char *cpus, const struct facts *facts,
                           struct error *error)
{
    binaries->facts = facts;
    binaries->api = device_kind(kind);
    binaries->workers = workers;
    return compile_pool_start(host, kind, workers, cpus, &binaries->pool, error);
}

void binaries_free(struct binaries *binaries)
{
    compile_pool_stop(binaries->pool);
    free(binaries->items);
    index_free(&binaries->by_hash);
    arena_free(&binaries->arena);
    *binaries = (struct binaries){0};
}

enum status binaries_know(struct binaries *binaries, const struct binary_request *request,
                          size_t *index, struct error *error)
{
    char hash[HASH_TEXT_BYTES];
    struct binary binary = {.state = BINARY_KNOWN, .detail = "", .log = ""};
    TRY(binary_cache_hash(request, binaries->facts, hash, error));
    const uint64_t number = hash_u64(hash, strlen(hash), 0);
    if (index_find(&binaries->by_hash, number, index) &&
        strcmp(binaries->items[*index].hash, hash) == 0)
        return STATUS_OK;
    TRY(binary_cache_place(hash, &binaries->arena, &binary.path, error));
    binary.hash = arena_strdup(&binaries->arena, hash);
    if (!binary.hash ||
        !array_grow(&binaries->items, binaries->count, &binaries->capacity, sizeof binary) ||
        !index_put(&binaries->by_hash, number, binaries->count))
        return error_no_memory(error);
    *index = binaries->count;
    binaries->items[binaries->count++] = binary;
    return STATUS_OK;
}

enum status binaries_request(struct binaries *binaries, const struct binary_request *request,
                             size_t *index, struct error *error)
{
    TRY(binaries_know(binaries, request, index, error));
    if (binaries_is_requested(binaries, *index))
        return STATUS_OK;
    struct binary *binary = &binaries->items[*index];
    binary_cache_tend(binary->path);
    if (file_exists(binary->path)) {
        binary->state = BINARY_READY;
        binaries->cached++;
        return STATUS_OK;
    }
    TRY(compile_pool_submit(binaries->pool, request, binary->path, *index, error));
    binary->state = BINARY_PENDING;
    return STATUS_OK;
}

bool binaries_is_requested(const struct binaries *binaries, size_t index)
{
    const struct binary *binary = &binaries->items[index];
    return binary->state != BINARY_KNOWN &&
           (binary->state != BINARY_READY || file_exists(binary->path));
}

static enum status take(struct binaries *binaries, const struct compile_done *done,
                        struct error *error)
{
    struct binary *binary = &binaries->items[done->tag];
    binaries->ended++;
    if (done->status == STATUS_OK) {
        binary->state = BINARY_READY;
        binaries->compiled++;
        binaries->compile_ns += (double)done->elapsed_ns;
        if (binaries->compiled == 1 || done->elapsed_ns < binaries->least_compile_ns)
            binaries->least_compile_ns = done->elapsed_ns;
        return STATUS_OK;
    }
    /* A missing compiler or a full disk is not this kernel's fault, and no other kernel would
     * compile. A further request compiles the binary again. */
    binary->state = BINARY_KNOWN;
    if (done->status != STATUS_COMPILE_FAILED)
        return error_set(error, done->status, "%s", done->detail);
    binary->state = BINARY_FAILED;
    binary->killed = done->killed;
    binary->detail = arena_strdup(&binaries->arena, done->detail);
    binary->log = arena_strdup(&binaries->arena, done->log);
    return binary->detail && binary->log ? STATUS_OK : error_no_memory(error);
}

enum status binaries_collect(struct binaries *binaries, int64_t timeout_ms, struct error *error)
{
    for (;;) {
        struct compile_done done;
        bool got = false;
        TRY(compile_pool_wait(binaries->pool, timeout_ms, &done, &got, error));
        if (!got)
            return STATUS_OK;
        TRY(take(binaries, &done, error));
        timeout_ms = 0;
    }
}

enum status binaries_await(struct binaries *binaries, size_t index, struct error *error)
{
    while (binaries->items[index].state == BINARY_PENDING) {
        TRY(binaries_collect(binaries, 500, error));
    }
    if (binaries->items[index].state == BINARY_FAILED)
        return error_set(error, STATUS_COMPILE_FAILED, "%s", binaries->items[index].detail);
    return STATUS_OK;
}

struct binary_kernel {
    struct binary_kernel *next;
    const char *name;
    bool is_known;
    struct kernel_resources resources;
};

bool binaries_inspect(struct binaries *binaries, size_t index, const char *kernel,
                      struct kernel_resources *resources)
{
    struct binary *binary = &binaries->items[index];
    if (!binaries->api || !binaries->api->inspect || binary->state != BINARY_READY)
        return false;
    struct binary_kernel *known = binary->kernels;
    while (known && strcmp(known->name, kernel) != 0)
        known = known->next;
    if (!known) {
        char code_hash[HASH_TEXT_BYTES] = "";
        struct error ignored = {0};
        known = arena_alloc(&binaries->arena, 1, sizeof *known);
        if (!known || !(known->name = arena_strdup(&binaries->arena, kernel)))
            return false;
        known->is_known = binaries->api->inspect(binary->path, kernel, &known->resources, code_hash,
                                                 &ignored) == STATUS_OK;
        if (known->is_known)
            memcpy(binary->code_hash, code_hash, sizeof code_hash);
        known->next = binary->kernels;
        binary->kernels = known;
    }
    if (!known->is_known)
        return false;
    *resources = known->resources;
    return true;
}
