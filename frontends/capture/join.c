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

/* The whole records of a mapped file. */
struct records {
    uint8_t *data; /* NULL: none */
    uint64_t bytes, first, end;
};

/* Maps a file's whole records. `begins`: none unless the first is a program's. */
static void map_records(int file, bool begins, struct records *out)
{
    struct stat info;
    struct record record;
    *out = (struct records){.bytes = fstat(file, &info) == 0 ? (uint64_t)info.st_size : 0};
    void *data =
        out->bytes > 0 ? mmap(NULL, out->bytes, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    if (data == MAP_FAILED)
        return;
    out->data = data;
    out->first = out->end = head_bytes(data, out->bytes);
    while (out->first > 0 && record_at(data, out->bytes, out->end, &record) &&
           (out->end > out->first || !begins || record.type == CAP_PROGRAM))
        out->end += record.whole_bytes;
}

static void unmap_records(struct records *records)
{
    if (records->data)
        (void)munmap(records->data, records->bytes);
}

/* Appends all whole records of a file, which may be missing. */
static enum status append_records(struct joined *out, const char *path, bool begins,
                                  struct error *error)
{
    struct records records;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return errno == ENOENT ? STATUS_OK : error_set_errno(error, errno, "%s", path);
    map_records(file, begins, &records);
    enum status status = STATUS_OK;
    if (records.end > records.first)
        status = append(out, records.data + records.first, records.end - records.first, error);
    unmap_records(&records);
    (void)close(file);
    return status;
}

static int is_table(const struct dirent *entry)
{
    return text_ends_with(entry->d_name, ".table");
}

/* Lists the tables in the folder: paths of the files of each process, without ".table". */
static enum status list_processes(struct arena *arena, const char *folder, const char ***out,
                                  size_t *count, struct error *error)
{
    struct dirent **tables = NULL;
    const int found = scandir(folder, &tables, is_table, alphasort);
    enum status status = found < 0 ? error_set_errno(error, errno, "%s", folder) : STATUS_OK;
    *count = found < 0 ? 0 : (size_t)found;
    *out = arena_alloc(arena, *count + 1, sizeof **out);
    for (size_t i = 0; i < *count; i++) {
        const char *name = tables[i]->d_name;
        if (*out)
            (*out)[i] = arena_printf(arena, "%s/%.*s", folder,
                                     (int)(strlen(name) - strlen(".table")), name);
        free(tables[i]);
    }
    free(tables);
    return status == STATUS_OK && arena->failed ? error_no_memory(error) : status;
}

/* Takes the larger of a process's two files as the whole one, in place, with the records of the
 * table in the room that the writer left in front: GiB are not copied. Returns false if there
 * is no such room. */
static bool take_in_place(struct joined *out, const char *table, const char *data)
{
    struct records head = {0}, rest = {0};
    struct record room;
    const int from = open(table, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    out->file = from < 0 ? -1 : open(data, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (out->file >= 0) {
        map_records(from, true, &head);
        map_records(out->file, false, &rest);
    }
    const uint64_t length = head.end - head.first;
    bool done = length > 0 && record_at(rest.data, rest.bytes, rest.first, &room) &&
                room.type == CAP_ROOM && room.rest_bytes >= length;
    if (done) {
        const struct cap_record_head left = {CAP_ROOM, 0, room.rest_bytes - length};
        const off_t first = (off_t)rest.first, behind = first + (off_t)length;
        done = pwrite(out->file, head.data + head.first, length, first) == (ssize_t)length &&
               pwrite(out->file, &left, sizeof left, behind) == (ssize_t)sizeof left &&
               ftruncate(out->file, (off_t)rest.end) == 0 &&
               lseek(out->file, 0, SEEK_END) == (off_t)rest.end;
    }
    if (done) {
        hash_add(out->hash, rest.data, rest.end);
        out->bytes = rest.end;
    }
    unmap_records(&head);
    unmap_records(&rest);
    file_close(from);
    if (!done)
        file_close(out->file);
    out->file = done ? out->file : -1;
    return done;
}

static enum status append_processes(struct joined *out, const char *const *processes, size_t count,
                                    const char *taken, struct error *error)
{
    struct arena arena = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const char *table = arena_printf(&arena, "%s.table", processes[i]);
        const char *data = arena_printf(&arena, "%s.data", processes[i]);
        const uint64_t before = out->bytes;
        if (taken == processes[i])
            continue;
        if (!table || !data)
            status = error_no_memory(error);
        if (status == STATUS_OK)
            status = append_records(out, table, true, error);
        if (status == STATUS_OK && out->bytes > before)
            status = append_records(out, data, false, error);
    }
    arena_free(&arena);
    return status;
}

/* Ends the file with the hash of all before. */
static enum status append_end(struct joined *out, struct error *error)
{
    struct {
        struct cap_record_head head;
        struct cap_end end;
    } last = {{CAP_END, sizeof last.end, sizeof last.end}, {.bytes = out->bytes}};
    char text[HASH_TEXT_BYTES];
    hash_finish(out->hash, text);
    out->hash = NULL;
    digest_of_text(text, last.end.hash);
    const int failure = file_write(out->file, &last, sizeof last);
    return failure ? error_set_errno(error, failure, "%s: cannot write", out->path) : STATUS_OK;
}

/* Writes the records of all processes to the file, which has those of `taken` already. */
static enum status join_all(struct joined *out, const char *folder, const char *const *processes,
                            size_t count, const char *taken, struct error *error)
{
    const struct cap_file_head head = {{CAP_MAGIC}, CAP_VERSION, sizeof head};
    if (!taken)
        TRY(append(out, &head, sizeof head, error));
    TRY(append_processes(out, processes, count, taken, error));
    if (out->bytes == sizeof head)
        return count > 0
                   ? error_set(error, STATUS_IO,
                               "%s: a process could not write there: is the disk full, or the size "
                               "of files limited?",
                               folder)
                   : error_set(error, STATUS_NOT_FOUND, "%s: no process has recorded there",
                               folder);
    return append_end(out, error);
}

/* Joins in place. *taken NULL: nothing was done, since no file has room. */
static enum status join_in_place(const char *path, const char *folder, const char *const *processes,
                                 size_t count, const char **taken, struct error *error)
{
    struct arena arena = {0};
    struct joined joined = {.file = -1, .path = path, .hash = hash_start()};
    struct stat info;
    const char *largest = NULL;
    off_t most = 0;
    enum status status = STATUS_OK;
    *taken = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *data = arena_printf(&arena, "%s.data", processes[i]);
        if (data && stat(data, &info) == 0 && info.st_size > most) {
            largest = processes[i];
            most = info.st_size;
        }
    }
    const char *data = arena_printf(&arena, "%s.data", largest ? largest : "");
    const char *table = arena_printf(&arena, "%s.table", largest ? largest : "");
    if (largest && data && table && joined.hash && take_in_place(&joined, table, data))
        *taken = largest;
    if (*taken)
        status = join_all(&joined, folder, processes, count, *taken, error);
    if (*taken && status == STATUS_OK && rename(data, path) != 0)
        status = error_set_errno(error, errno, "%s: cannot write", path);
    if (joined.hash) {
        char unused[HASH_TEXT_BYTES];
        hash_finish(joined.hash, unused);
    }
    file_close(joined.file);
    arena_free(&arena);
    return status;
}

/* Joins by copying, and packs. */
static enum status join_copies(const char *path, const char *folder, const char *const *processes,
                               size_t count, enum packing packing, struct error *error)
{
    struct temporary beside = {.file = -1};
    struct joined joined = {.file = -1, .path = path, .hash = hash_start()};
    int unpacked = -1;
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(joined.hash ? STATUS_OK : error_no_memory(error));
    TRY_OR_CLEANUP(temporary_file_make(path, &beside, error));
    if (fchmod(beside.file, 0600) != 0)
        TRY_OR_CLEANUP(error_set_errno(error, errno, "%s", beside.path));
    if (packing != PACKING_NONE) {
        unpacked = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (unpacked < 0)
            TRY_OR_CLEANUP(error_set_errno(error, errno, "%s: no room for a file", folder));
    }
    joined.file = packing == PACKING_NONE ? beside.file : unpacked;
    TRY_OR_CLEANUP(join_all(&joined, folder, processes, count, NULL, error));
    if (packing != PACKING_NONE)
        TRY_OR_CLEANUP(packed_run(packing, false, unpacked, beside.file, 0, path, error));
    /* An unpacked file is for a draft, which can be made again: no wait for the disk. */
    if ((packing != PACKING_NONE && fsync(beside.file) != 0) || rename(beside.path, path) != 0)
        status = error_set_errno(error, errno, "%s: cannot write", path);
cleanup:
    if (joined.hash) {
        char unused[HASH_TEXT_BYTES];
        hash_finish(joined.hash, unused);
    }
    if (beside.file >= 0 && status != STATUS_OK)
        (void)unlink(beside.path);
    file_close(beside.file);
    file_close(unpacked);
    return status;
}

enum status capture_join(const char *folder, const char *path, bool packed, struct error *error)
{
    struct arena arena = {0};
    const char **processes = NULL, *taken = NULL;
    size_t count = 0;
    enum status status = list_processes(&arena, folder, &processes, &count, error);
    if (status == STATUS_OK && !packed)
        status = join_in_place(path, folder, processes, count, &taken, error);
    if (status == STATUS_OK && !taken)
        status = join_copies(path, folder, processes, count, packed ? packing_here() : PACKING_NONE,
                             error);
    arena_free(&arena);
    return status;
}
