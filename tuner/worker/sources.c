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

static struct entry
    *entries; /* never freed: other threads may still read an entry that was replaced */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static enum status add_entry(const char *path, const struct binary_request *request,
                             struct entry **out, struct error *error)
{
    struct entry *entry = calloc(1, sizeof *entry);
    TRY_MEMORY(entry);
    struct source *source = &entry->known.source;
    entry->path = arena_strdup(&entry->arena, path);
    entry->folder_count = request->folder_count;
    for (size_t i = 0; i < request->folder_count; i++)
        entry->folders[i] = arena_strdup(&entry->arena, request->folders[i]);
    enum status status = entry->arena.failed ? error_no_memory(error)
                                             : source_read_in(&entry->arena, path, entry->folders,
                                                              entry->folder_count, source, error);
    if (status != STATUS_OK) {
        arena_free(&entry->arena);
        free(entry);
        return status;
    }
    hash_bytes(source->contents, source->content_length, entry->known.hash);
    entry->next = entries;
    entries = entry;
    *out = entry;
    return STATUS_OK;
}

enum status sources_find(const char *path, const struct binary_request *request,
                         const struct known_source **source, struct error *error)
{
    enum status status = STATUS_OK;
    (void)pthread_mutex_lock(&mutex);
    struct entry *entry = entries;
    for (; entry; entry = entry->next) { /* the latest one is first */
        bool same = strcmp(entry->path, path) == 0 && entry->folder_count == request->folder_count;
        for (size_t i = 0; same && i < entry->folder_count; i++)
            same = strcmp(entry->folders[i], request->folders[i]) == 0;
        if (same)
            break;
    }
    if (!entry || !source_is_current(&entry->known.source))
        status = add_entry(path, request, &entry, error);
    if (status == STATUS_OK)
        *source = &entry->known;
    (void)pthread_mutex_unlock(&mutex);
    return status;
}
