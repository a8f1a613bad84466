/* Writing the files of a process (capture/format.h). Nothing here is left open between calls or
 * relies on how the program ends: what a full disk or a limit cuts off is taken back to the last
 * whole record. Not shared between threads: callers hold a lock. */
#ifndef TUNE_CAPTURE_WRITER_H
#define TUNE_CAPTURE_WRITER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "frontends/capture/library/format.h"

/* A part behind a record's structure; it is padded by the writer. */
struct cap_part {
    const void *data;
    uint64_t bytes;
};

void cap_hash(const void *data, size_t bytes, uint8_t out[CAP_HASH_BYTES]);

/* ---- PID-N.table: records that stay in memory, where their numbers go on ---- */

struct cap_table {
    char path[PATH_MAX];
    uint8_t *chunk; /* mapped: the last CAP_TABLE_BYTES of the file */
    uint64_t chunks;
    uint64_t used; /* of the chunk */
    bool failed;   /* no more room: disk, limit or memory */
};

/* A new pair of files in the folder: `path` gets that of the table, `data_path` that of the data,
 * which is not made yet. False: neither can be had. */
bool cap_table_open(struct cap_table *table, const char *folder, long pid,
                    char data_path[PATH_MAX]);
/* Adds a record of at most CAP_TABLE_BYTES / 2; its structure, to be changed in place, or NULL.
 * Each change is in the file however the process ends. */
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
    int file; /* -1: closed; nothing of ours is open while the program runs, which may close all
                 that it finds */
    uint64_t bytes; /* that are whole */
    bool failed;    /* nothing more is written */
    uint32_t images, blocks, contents;
    struct cap_index known_blocks, known_contents;
};

/* `path` from cap_table_open. */
void cap_writer_start(struct cap_writer *writer, const char *path);
/* Closes the file until the next record. */
void cap_writer_rest(struct cap_writer *writer);
/* Frees what it remembers. */
void cap_writer_end(struct cap_writer *writer);
bool cap_write(struct cap_writer *writer, enum cap_type type, const void *fixed,
               uint32_t fixed_bytes, const struct cap_part *parts, size_t part_count);

/* Contents a piece at a time. Begun with what there will be; each piece but the last is a multiple
 * of CAP_BLOCK_BYTES. */
struct cap_contents {
    uint64_t bytes, added;
    uint32_t *ids;
};
bool cap_contents_begin(struct cap_contents *contents, uint64_t bytes);
bool cap_contents_add(struct cap_writer *writer, struct cap_contents *contents, const void *data,
                      uint64_t bytes);
/* The identifier, the same for contents that are the same; 0: it was not kept. Frees what was
 * begun. */
uint32_t cap_contents_end(struct cap_writer *writer, struct cap_contents *contents);

#endif
