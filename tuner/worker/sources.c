#include "tuner/worker/sources.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    struct arena arena;
    const char *path;
    size_t folder_count;
    const char *folders[UNITS_MAX];
    struct known_source known;
};

static struct entry *entries; /* never freed */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

enum status sources_find(const char *path, const struct binary_request *request,
                         const struct known_source **source, struct error *error)
{
    enum status status = STATUS_OK;
    (void)pthread_mutex_lock(&mutex);
    struct entry *entry = entries;
    for (; entry; entry = entry->next) {
        bool same = strcmp(entry->path, path) == 0 && entry->folder_count == request->folder_count;
        for (size_t i = 0; same && i < entry->folder_count; i++)
            same = strcmp(entry->folders[i], request->folders[i]) == 0;
        if (same)
            break;
    }
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (!entry)
            TRY_OR_CLEANUP(error_no_memory(error));
        struct source *read = &entry->known.source;
        entry->path = arena_strdup(&entry->arena, path);
        entry->folder_count = request->folder_count;
        for (size_t i = 0; i < request->folder_count; i++)
            entry->folders[i] = arena_strdup(&entry->arena, request->folders[i]);
        status = entry->arena.failed ? error_no_memory(error)
                                     : source_read_in(&entry->arena, path, entry->folders,
                                                      entry->folder_count, read, error);
        if (status != STATUS_OK) {
            arena_free(&entry->arena);
            free(entry);
            goto cleanup;
        }
        hash_bytes(read->contents, read->content_length, entry->known.hash);
        entry->next = entries;
        entries = entry;
    }
    *source = &entry->known;
cleanup:
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

const char *sources_changed(void)
{
    const char *path = NULL;
    (void)pthread_mutex_lock(&mutex);
    for (const struct entry *entry = entries; entry && !path; entry = entry->next)
        path = source_is_current(&entry->known.source) ? NULL : entry->path;
    (void)pthread_mutex_unlock(&mutex);
    return path;
}
