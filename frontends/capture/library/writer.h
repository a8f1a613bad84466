/* Writes the files of a process (library/format.h). No file stays open between calls, and
 * correctness does not depend on how the program ends: after a full disk or a limit, the file is
 * truncated to the last whole record. Callers hold a lock. */
#ifndef TUNE_CAPTURE_WRITER_H
#define TUNE_CAPTURE_WRITER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "frontends/capture/library/format.h"

/* A part behind a record's structure; the writer adds padding. */
struct cap_part {
    const void *data;
    uint64_t bytes;
};

void cap_hash(const void *data, size_t bytes, uint8_t out[CAP_HASH_BYTES]);

/* ---- PID-N.table: records that stay mapped, with growing counts ---- */

struct cap_table {
    char path[PATH_MAX];
    uint8_t *chunk; /* mapped: the last CAP_TABLE_BYTES of the file */
    uint64_t chunks;
    uint64_t used; /* used bytes of the chunk */
    bool failed;   /* no more room: disk, limit or memory */
};

/* Opens a new pair of files in the folder: `path` is the table's, `data_path` the data's, which is
 * not created yet. Returns false on failure. */
bool cap_table_open(struct cap_table *table, const char *folder, long pid,
                    char data_path[PATH_MAX]);
/* Adds a record of at most CAP_TABLE_BYTES / 2. Returns its structure, to be changed in place, or
 * NULL. Each change is in the file however the process ends. */
void *cap_table_add(struct cap_table *table, enum cap_type type, const void *fixed,
                    uint32_t fixed_bytes, const struct cap_part *parts, size_t part_count);

/* ---- PID-N.data ---- */

struct cap_slot;
struct cap_index {
    struct cap_slot *slots;
    size_t count, capacity;
};
struct cap_writer {
    char path[PATH_MAX];
    int file; /* -1: closed; kept closed between records, as a program may close every descriptor it
                 finds */
    uint64_t bytes; /* length of the whole records */
    bool failed;    /* stops further writing */
    bool has_room;  /* a CAP_ROOM in front, for the records of the table: the file becomes the whole
                       one where it lies */
    uint32_t images, blocks, contents;
    struct cap_index known_blocks, known_contents;
};

/* Starts the writer; `path` is cap_table_open's data_path. */
void cap_writer_start(struct cap_writer *writer, const char *path, bool has_room);
/* Closes the file until the next record. */
void cap_writer_rest(struct cap_writer *writer);
/* Frees the memory of the writer. */
void cap_writer_end(struct cap_writer *writer);
bool cap_write(struct cap_writer *writer, enum cap_type type, const void *fixed,
               uint32_t fixed_bytes, const struct cap_part *parts, size_t part_count);

/* Contents written in pieces. Start with the total; each piece but the last is a multiple of
 * CAP_BLOCK_BYTES. */
struct cap_contents {
    uint64_t bytes, added;
    uint32_t *ids;
};
bool cap_contents_begin(struct cap_contents *contents, uint64_t bytes);
bool cap_contents_add(struct cap_writer *writer, struct cap_contents *contents, const void *data,
                      uint64_t bytes);
/* Returns the identifier, equal for equal contents; 0: not kept. Frees `contents`. */
uint32_t cap_contents_end(struct cap_writer *writer, struct cap_contents *contents);

#endif
