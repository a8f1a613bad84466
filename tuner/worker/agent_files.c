/* Files named by requests, on a remote host. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/seal.h"
#include "tuner/base/temporary.h"
#include "tuner/base/text.h"
#include "tuner/worker/agent.h"
#include "tuner/worker/cache.h"
#include "tuner/worker/child.h"
#include "tuner/worker/message.h"
#include "tuner/worker/pool.h"
#include "tuner/worker/sources.h"

/* A path of the parent's, and the copy on this host. */
struct file {
    const char *path;
    const char *local_path;
    const char *expected_hash;  /* for a source: the hash of the expected contents; else NULL */
    char hash[HASH_TEXT_BYTES]; /* hash of the local source */
};

struct agent_files {
    struct arena arena;
    const char *parent_cache, *cache;
    int cache_use;
    struct temporary sent; /* folder of the files that the parent sent */
    struct file *items;
    size_t count, capacity;
};

static const char digits[] = "0123456789abcdef";

json_t *bytes_encode(const void *data, size_t bytes)
{
    char *text = malloc(2 * bytes + 1);
    for (size_t i = 0; text && i < bytes; i++) {
        text[2 * i] = digits[((const unsigned char *)data)[i] >> 4];
        text[2 * i + 1] = digits[((const unsigned char *)data)[i] & 15];
    }
    json_t *json = text ? json_stringn_nocheck(text, 2 * bytes) : NULL;
    free(text);
    return json;
}

unsigned char *bytes_decode(const json_t *json, struct arena *arena, size_t *bytes)
{
    const char *text = json_string_value(json);
    *bytes = json_string_length(json) / 2;
    unsigned char *data = text ? arena_alloc(arena, *bytes + 1, 1) : NULL;
    for (size_t i = 0; data && i < 2 * *bytes; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return NULL;
        data[i / 2] = (unsigned char)(data[i / 2] << 4 | (digit - digits));
    }
    return data;
}

enum status agent_files_open(const char *parent_cache, struct agent_files **out,
                             struct error *error)
{
    struct agent_files *files = calloc(1, sizeof *files);
    const char *prefix = NULL;
    enum status status = STATUS_OK;
    TRY_MEMORY(files);
    files->sent.file = -1;
    files->cache_use = -1;
    files->parent_cache = arena_strdup(&files->arena, parent_cache);
    TRY_OR_CLEANUP(files->parent_cache ? cache_folder(&files->arena, &files->cache, error)
                                       : error_no_memory(error));
    TRY_OR_CLEANUP(scratch_prefix(&files->arena, &prefix, error));
    TRY_OR_CLEANUP(temporary_folder_make(prefix, &files->sent, error));
    files->cache_use = cache_enter(files->cache);
    *out = files;
    return STATUS_OK;
cleanup:
    agent_files_close(files);
    return status;
}

void agent_files_close(struct agent_files *files)
{
    if (!files)
        return;
    struct arena arena = {0};
    struct error ignored = {0};
    const char *prefix = NULL;
    temporary_folder_remove(&files->sent);
    if (scratch_prefix(&arena, &prefix, &ignored) == STATUS_OK)
        temporary_folders_sweep(prefix); /* left by killed compilers */
    arena_free(&arena);
    cache_leave(files->cache, files->cache_use);
    free(files->items);
    arena_free(&files->arena);
    free(files);
}

static const struct file *find_file(const struct agent_files *files, const char *path,
                                    const char *expected_hash)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct file *file = &files->items[i];
        if (strcmp(file->path, path) == 0 && !file->expected_hash == !expected_hash &&
            (!expected_hash || strcmp(file->expected_hash, expected_hash) == 0))
            return file;
    }
    return NULL;
}

/* ---- files that this host already has ---- */

static enum status request_file(const char *path, const char *hash, const char *expected_hash,
                                const json_t *folders, json_t **want, struct error *error)
{
    *want = json_pack("{s:s, s:s*, s:s*, s:O*}", "want", path, "hash", hash, "meant", expected_hash,
                      "folders", folders);
    return *want ? STATUS_OK : error_no_memory(error);
}

/* Names the same file in this host's cache; *here belongs to the request. */
static enum status localize_cached(struct agent_files *files, const char *path, bool is_made,
                                   json_t **local_path, json_t **want, struct error *error)
{
    const char *name = path + strlen(files->parent_cache) + 1;
    json_t *local = json_sprintf("%s/%s", files->cache, name);
    if (!local || strchr(name, '/')) {
        json_decref(local);
        return error_set(error, STATUS_INTERNAL, "%s: no file of the cache", path);
    }
    *local_path = local;
    if (is_made)
        return STATUS_OK;
    binary_cache_tend(json_string_value(local));
    return file_exists(json_string_value(local))
               ? STATUS_OK
               : request_file(path, NULL, NULL, NULL, want, error);
}

static enum status localize_text(struct agent_files *files, const json_t *value,
                                 json_t **local_path, json_t **want, struct error *error)
{
    const char *text = json_string_value(value);
    struct arena arena = {0};
    struct error ignored = {0};
    char *contents = NULL, hash[HASH_TEXT_BYTES] = "";
    size_t length = strlen(files->parent_cache);
    *local_path = NULL;
    if (!text || text[0] != '/')
        return STATUS_OK;
    if (strncmp(text, files->parent_cache, length) == 0 && text[length] == '/')
        return localize_cached(files, text, false, local_path, want, error);
    const struct file *known = find_file(files, text, NULL);
    if (known)
        return (*local_path = json_string(known->local_path)) ? STATUS_OK : error_no_memory(error);
    if (file_read(&arena, text, INT32_MAX, &contents, &length, &ignored) == STATUS_OK)
        hash_bytes(contents, length, hash);
    arena_free(&arena);
    return request_file(text, hash, NULL, NULL, want, error);
}

/* Localizes a measuring child's request: every text that begins with a slash is a file. */
static enum status localize_all(struct agent_files *files, json_t *json, json_t **want,
                                struct error *error)
{
    enum status status = STATUS_OK;
    const char *key;
    json_t *value, *local_path = NULL;
    size_t index;
    void *next;
    json_object_foreach_safe(json, next, key, value)
    {
        status = localize_text(files, value, &local_path, want, error);
        if (status == STATUS_OK && !*want)
            status = localize_all(files, value, want, error);
        if (local_path)
            (void)json_object_set_new(json, key, local_path);
        if (status != STATUS_OK || *want)
            return status;
    }
    json_array_foreach(json, index, value)
    {
        status = localize_text(files, value, &local_path, want, error);
        if (status == STATUS_OK && !*want)
            status = localize_all(files, value, want, error);
        if (local_path)
            (void)json_array_set_new(json, index, local_path);
        if (status != STATUS_OK || *want)
            return status;
    }
    return STATUS_OK;
}

enum status agent_files_localize(struct agent_files *files, json_t *request, json_t **want,
                                 const char **made, struct error *error)
{
    *want = NULL;
    *made = NULL;
    if (!json_is_object(json_object_get(request, "request")))
        return localize_all(files, request, want, error);
    struct arena arena = {0};
    struct compile_message message;
    json_t *task = json_object_get(request, "request"), *local_path = NULL;
    const json_t *folders = json_object_get(task, "folders");
    enum status status = message_decode(&message_compile, request, &arena, &message, error);
    const struct binary_request *binary = &message.request;
    if (status == STATUS_OK)
        status = localize_cached(files, message.path, true, &local_path, want, error);
    if (local_path)
        (void)json_object_set_new(request, "path", local_path);
    for (size_t i = 0; status == STATUS_OK && !*want && i <= binary->unit_count; i++) {
        const char *path = i == 0 ? binary->source_path : binary->units[i - 1];
        const char *expected_hash = i == 0 ? binary->source_hash : binary->unit_hashes[i - 1];
        const struct known_source *known = NULL;
        struct error ignored = {0};
        const struct file *file = find_file(files, path, expected_hash);
        /* A source of this host serves if it is the same with all its includes; else the text is
         * requested as one file. */
        if (!file && expected_hash &&
            !(file_exists(path) && sources_find(path, binary, &known, &ignored) == STATUS_OK &&
              strcmp(known->hash, expected_hash) == 0 && source_is_current(&known->source)))
            status = request_file(path, NULL, expected_hash, folders, want, error);
        if (!file)
            continue;
        json_t *source_path = json_string(file->local_path), *source_hash = json_string(file->hash);
        if (i == 0) {
            (void)json_object_set_new(task, "source_path", source_path);
            (void)json_object_set_new(task, "source_hash", source_hash);
        } else {
            (void)json_array_set_new(json_object_get(task, "units"), i - 1, source_path);
            (void)json_array_set_new(json_object_get(task, "unit_hashes"), i - 1, source_hash);
        }
    }
    *made = json_string_value(json_object_get(request, "path"));
    arena_free(&arena);
    return status;
}

/* ---- files from the parent ---- */

static enum status remember(struct agent_files *files, const char *path, const char *local_path,
                            const char *expected_hash, const char *hash, struct error *error)
{
    struct file file = {.path = arena_strdup(&files->arena, path),
                        .local_path = arena_strdup(&files->arena, local_path),
                        .expected_hash =
                            expected_hash ? arena_strdup(&files->arena, expected_hash) : NULL};
    (void)string_format(file.hash, sizeof file.hash, "%s", hash);
    if (!file.path || !file.local_path || (expected_hash && !file.expected_hash) ||
        !array_grow(&files->items, files->count, &files->capacity, sizeof file))
        return error_no_memory(error);
    files->items[files->count++] = file;
    return STATUS_OK;
}

enum status agent_files_take(struct agent_files *files, const json_t *answer, struct error *error)
{
    struct arena arena = {0};
    size_t bytes = 0;
    const char *path = json_string_value(json_object_get(answer, "file"));
    const char *expected_hash = json_string_value(json_object_get(answer, "meant"));
    enum status status = message_to_error(answer, error);
    if (status != STATUS_OK || !path)
        return status;
    if (json_is_true(json_object_get(answer, "same")))
        return remember(files, path, path, expected_hash, "", error);
    const unsigned char *data = bytes_decode(json_object_get(answer, "bytes"), &arena, &bytes);
    if (!data)
        TRY_OR_CLEANUP(error_set(error, STATUS_INTERNAL, "%s: was not sent", path));
    const size_t length = strlen(files->parent_cache);
    const bool is_cached = strncmp(path, files->parent_cache, length) == 0 && path[length] == '/';
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    char hash[HASH_TEXT_BYTES];
    hash_bytes(data, bytes, hash);
    /* Keep the extension, by which compilers recognise the language. */
    const char *local_path = is_cached
                                 ? arena_printf(&arena, "%s/%s", files->cache, name)
                                 : arena_printf(&arena, "%s/%s-%s", files->sent.path, hash, name);
    status =
        local_path ? file_write_atomically(local_path, data, bytes, error) : error_no_memory(error);
    if (status == STATUS_OK && !is_cached)
        status = remember(files, path, local_path, expected_hash, hash, error);
cleanup:
    arena_free(&arena);
    return status;
}
