/* Many processes' files become one. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontends/capture/internal.h"
#include "tuner/base/array.h"
#include "tuner/base/packed.h"
#include "tuner/base/temporary.h"
#include "tuner/base/text.h"

/* A file written sequentially, with the hash of all bytes. */
struct joined {
    int file;
    const char *path;
    uint64_t bytes;
    struct hash_state *hash;
};

static enum status append(struct joined *out, const void *data, uint64_t bytes, struct error *error)
{
    const char *from = data;
    hash_add(out->hash, data, bytes);
    out->bytes += bytes;
    while (bytes > 0) {
        const ssize_t written = write(out->file, from, bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_set_errno(error, written < 0 ? errno : ENOSPC, "%s: cannot write",
                                   out->path);
        from += written;
        bytes -= (uint64_t)written;
    }
    return STATUS_OK;
}

/* Appends all whole records. `begins`: none unless the first is a program's. */
static enum status append_records(struct joined *out, const char *path, bool begins,
                                  struct error *error)
{
    struct stat info;
    struct record record;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return errno == ENOENT ? STATUS_OK : error_set_errno(error, errno, "%s", path);
    enum status status = STATUS_OK;
    const uint64_t bytes = fstat(file, &info) == 0 ? (uint64_t)info.st_size : 0;
    uint8_t *data = bytes > 0 ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (data != MAP_FAILED) {
        const uint64_t first = head_bytes(data, bytes);
        uint64_t end = first;
        while (first > 0 && record_at(data, bytes, end, &record) &&
               (end > first || !begins || record.type == CAP_PROGRAM))
            end += record.whole_bytes;
        if (end > first)
            status = append(out, data + first, end - first, error);
        (void)munmap(data, bytes);
    }
    (void)close(file);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the folder's tables, sorted, without their extension. The caller frees the list and each
 * name. */
static enum status list_processes(const char *folder, char ***out, size_t *count,
                                  struct error *error)
{
    size_t capacity = 0;
    DIR *listing = opendir(folder);
    *out = NULL;
    *count = 0;
    if (!listing)
        return error_set_errno(error, errno, "%s", folder);
    const struct dirent *entry;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && (entry = readdir(listing))) {
        if (!text_ends_with(entry->d_name, ".table"))
            continue;
        char *name = strndup(entry->d_name, strlen(entry->d_name) - strlen(".table"));
        if (!name || !array_grow(out, *count, &capacity, sizeof **out)) {
            free(name);
            status = error_no_memory(error);
        } else {
            (*out)[(*count)++] = name;
        }
    }
    (void)closedir(listing);
    if (*count > 0)
        qsort(*out, *count, sizeof **out, compare_names);
    return status;
}

static enum status join_all(struct joined *out, const char *folder, struct error *error)
{
    const struct cap_file_head head = {{CAP_MAGIC}, CAP_VERSION, sizeof head};
    char **names = NULL;
    size_t count = 0;
    out->hash = hash_start();
    enum status status =
        out->hash ? list_processes(folder, &names, &count, error) : error_no_memory(error);
    if (status == STATUS_OK)
        status = append(out, &head, sizeof head, error);
    for (size_t i = 0; i < count; i++) {
        if (status == STATUS_OK) {
            struct arena arena = {0};
            const char *table = arena_printf(&arena, "%s/%s.table", folder, names[i]);
            const char *data = arena_printf(&arena, "%s/%s.data", folder, names[i]);
            status = table && data ? STATUS_OK : error_no_memory(error);
            const uint64_t before = out->bytes;
            if (status == STATUS_OK)
                status = append_records(out, table, true, error);
            if (status == STATUS_OK && out->bytes > before)
                status = append_records(out, data, false, error);
            arena_free(&arena);
        }
        free(names[i]);
    }
    free(names);
    if (status == STATUS_OK && out->bytes == sizeof head && count > 0)
        status = error_set(
            error, STATUS_IO,
            "%s: a process could not write there: is the disk full, or the size of files limited?",
            folder);
    else if (status == STATUS_OK && out->bytes == sizeof head)
        status = error_set(error, STATUS_NOT_FOUND, "%s: no process has recorded there", folder);
    if (status == STATUS_OK) {
        struct {
            struct cap_record_head head;
            struct cap_end end;
        } last = {{CAP_END, sizeof last.end, sizeof last.end}, {.bytes = out->bytes}};
        char text[HASH_TEXT_BYTES];
        hash_finish(out->hash, text);
        out->hash = NULL;
        digest_of_text(text, last.end.hash);
        out->hash = hash_start();
        status = out->hash ? append(out, &last, sizeof last, error) : error_no_memory(error);
    }
    char unused[HASH_TEXT_BYTES];
    if (out->hash)
        hash_finish(out->hash, unused);
    return status;
}

enum status capture_join(const char *folder, const char *path, bool packed, struct error *error)
{
    struct temporary beside = {.file = -1};
    struct joined joined = {.file = -1, .path = path};
    const enum packing packing = packed ? packing_here() : PACKING_NONE;
    enum status status = temporary_file_make(path, &beside, error);
    if (status == STATUS_OK && fchmod(beside.file, 0600) != 0)
        status = error_set_errno(error, errno, "%s", beside.path);
    if (status == STATUS_OK && packing != PACKING_NONE) {
        joined.file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (joined.file < 0)
            status = error_set_errno(error, errno, "%s: no room for a file", folder);
    }
    if (status == STATUS_OK) {
        if (packing == PACKING_NONE)
            joined.file = beside.file;
        status = join_all(&joined, folder, error);
    }
    if (status == STATUS_OK && packing != PACKING_NONE)
        status = packed_pack(packing, joined.file, beside.file, path, error);
    /* An unpacked file is for a draft, which can be made again: no disk is waited for. */
    if (status == STATUS_OK &&
        ((packed && fsync(beside.file) != 0) || rename(beside.path, path) != 0))
        status = error_set_errno(error, errno, "%s: cannot write", path);
    if (beside.file >= 0) {
        if (status != STATUS_OK)
            (void)unlink(beside.path);
        (void)close(beside.file);
    }
    if (packing != PACKING_NONE && joined.file >= 0)
        (void)close(joined.file);
    return status;
}
