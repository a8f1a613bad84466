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
#include "tuner/base/files.h"
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
    hash_add(out->hash, data, bytes);
    out->bytes += bytes;
    const int failure = file_write(out->file, data, bytes);
    return failure ? error_set_errno(error, failure, "%s: cannot write", out->path) : STATUS_OK;
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

static int is_table(const struct dirent *entry)
{
    return text_ends_with(entry->d_name, ".table");
}

static enum status append_processes(struct joined *out, const char *folder, struct error *error)
{
    struct dirent **tables = NULL;
    const int count = scandir(folder, &tables, is_table, alphasort);
    enum status status = count < 0 ? error_set_errno(error, errno, "%s", folder) : STATUS_OK;
    for (int i = 0; i < count; i++) {
        struct arena arena = {0};
        const char *name = tables[i]->d_name;
        const char *table = arena_printf(&arena, "%s/%s", folder, name);
        const char *data = arena_printf(&arena, "%s/%.*s.data", folder,
                                        (int)(strlen(name) - strlen(".table")), name);
        const uint64_t before = out->bytes;
        if (status == STATUS_OK && (!table || !data))
            status = error_no_memory(error);
        if (status == STATUS_OK)
            status = append_records(out, table, true, error);
        if (status == STATUS_OK && out->bytes > before)
            status = append_records(out, data, false, error);
        arena_free(&arena);
        free(tables[i]);
    }
    free(tables);
    if (status == STATUS_OK && out->bytes == sizeof(struct cap_file_head))
        status =
            count > 0
                ? error_set(error, STATUS_IO,
                            "%s: a process could not write there: is the disk full, or the size "
                            "of files limited?",
                            folder)
                : error_set(error, STATUS_NOT_FOUND, "%s: no process has recorded there", folder);
    return status;
}

static enum status join_all(struct joined *out, const char *folder, struct error *error)
{
    const struct cap_file_head head = {{CAP_MAGIC}, CAP_VERSION, sizeof head};
    struct {
        struct cap_record_head head;
        struct cap_end end;
    } last = {{CAP_END, sizeof last.end, sizeof last.end}, {.bytes = 0}};
    char text[HASH_TEXT_BYTES];
    out->hash = hash_start();
    TRY_MEMORY(out->hash);
    enum status status = append(out, &head, sizeof head, error);
    if (status == STATUS_OK)
        status = append_processes(out, folder, error);
    hash_finish(out->hash, text);
    TRY(status);
    last.end.bytes = out->bytes;
    digest_of_text(text, last.end.hash);
    const int failure = file_write(out->file, &last, sizeof last);
    return failure ? error_set_errno(error, failure, "%s: cannot write", out->path) : STATUS_OK;
}

enum status capture_join(const char *folder, const char *path, bool packed, struct error *error)
{
    struct temporary beside = {.file = -1};
    struct joined joined = {.file = -1, .path = path};
    const enum packing packing = packed ? packing_here() : PACKING_NONE;
    int unpacked = -1;
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(temporary_file_make(path, &beside, error));
    if (fchmod(beside.file, 0600) != 0)
        TRY_OR_CLEANUP(error_set_errno(error, errno, "%s", beside.path));
    if (packing != PACKING_NONE) {
        unpacked = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (unpacked < 0)
            TRY_OR_CLEANUP(error_set_errno(error, errno, "%s: no room for a file", folder));
    }
    joined.file = packing == PACKING_NONE ? beside.file : unpacked;
    TRY_OR_CLEANUP(join_all(&joined, folder, error));
    if (packing != PACKING_NONE)
        TRY_OR_CLEANUP(packed_run(packing, false, unpacked, beside.file, path, error));
    /* An unpacked file is for a draft, which can be made again: no wait for the disk. */
    if ((packed && fsync(beside.file) != 0) || rename(beside.path, path) != 0)
        status = error_set_errno(error, errno, "%s: cannot write", path);
cleanup:
    if (beside.file >= 0 && status != STATUS_OK)
        (void)unlink(beside.path);
    file_close(beside.file);
    file_close(unpacked);
    return status;
}
