/* Compiled kernels by content. */
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/worker/child.h"
#include "tuner/worker/worker.h"

enum { SOURCE_BYTES_MAX = 16 * 1024 * 1024 };

/* Raised whenever what a binary file holds changes. */
static const char *const cache_version = "1";

static enum status hash_request(const struct binary_request *request, const struct facts *facts,
                                char out[HASH_TEXT_BYTES], struct error *error)
{
    struct arena arena = {0};
    char *source = NULL;
    size_t length = 0;
    char text[512];
    enum status status =
        file_read(&arena, request->source_path, SOURCE_BYTES_MAX, &source, &length, error);
    struct hash_state *hash = status == STATUS_OK ? hash_start() : NULL;
    if (status == STATUS_OK && !hash)
        status = error_no_memory(error);
    if (status != STATUS_OK) {
        arena_free(&arena);
        return status;
    }
    hash_add_string(hash, cache_version);
    hash_add(hash, source, length + 1);
    hash_add_string(hash, request->architecture);
    hash_add_string(hash, facts_text(facts, "compiler", ""));
    hash_add_string(hash, facts_text(facts, "name", ""));
    for (size_t i = 0; i < request->define_count; i++) {
        if (!value_format(request->defines[i].value, text, sizeof text))
            text[0] = '\0';
        hash_add_string(hash, request->defines[i].name);
        hash_add_string(hash, text);
    }
    hash_add_string(hash, "flags");
    for (size_t i = 0; i < request->flag_count; i++)
        hash_add_string(hash, request->flags[i]);
    hash_add_string(hash, "kernels");
    for (size_t i = 0; i < request->kernel_count; i++)
        hash_add_string(hash, request->kernels[i]);
    hash_finish(hash, out);
    arena_free(&arena);
    return STATUS_OK;
}

enum status scratch_prefix(struct arena *arena, const char **prefix, struct error *error)
{
    const char *folder = NULL;
    enum status status = cache_folder(arena, &folder, error);
    if (status != STATUS_OK)
        return status;
    *prefix = arena_printf(arena, "%s/scratch/", folder);
    return *prefix ? folder_make(*prefix, error) : error_no_memory(error);
}

enum status binary_cache_path(const struct binary_request *request, const struct facts *facts,
                              struct arena *arena, const char **path, const char **hash,
                              struct error *error)
{
    char digits[HASH_TEXT_BYTES];
    const char *folder = NULL;
    enum status status = cache_folder(arena, &folder, error);
    if (status == STATUS_OK)
        status = hash_request(request, facts, digits, error);
    if (status != STATUS_OK)
        return status;
    *path = arena_printf(arena, "%s/%s.bin", folder, digits);
    *hash = arena_strdup(arena, digits);
    return *path && *hash ? STATUS_OK : error_no_memory(error);
}
