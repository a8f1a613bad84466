#include "tuner/worker/sources.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    struct arena arena;
    struct known_source known;
};

static struct entry *entries; /* none is ever freed: others may still read one that is replaced */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct entry *find_entry(const char *path)
{
    for (struct entry *entry = entries; entry; entry = entry->next)
        if (strcmp(entry->known.source.files[0].path, path) == 0)
            return entry; /* the one that was read last */
    return NULL;
}

static enum status add_entry(const char *path, struct entry **out, struct error *error)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return error_no_memory(error);
    struct source *source = &entry->known.source;
    enum status status = source_read(&entry->arena, path, source, error);
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

enum status sources_find(const char *path, const struct known_source **out, struct error *error)
{
    enum status status = STATUS_OK;
    (void)pthread_mutex_lock(&mutex);
    struct entry *entry = find_entry(path);
    if (!entry || !source_is_current(&entry->known.source))
        status = add_entry(path, &entry, error);
    if (status == STATUS_OK)
        *out = &entry->known;
    (void)pthread_mutex_unlock(&mutex);
    return status;
}
