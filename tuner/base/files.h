/* Files and folders. */
#ifndef TUNE_BASE_FILES_H
#define TUNE_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/temporary.h"

/* Reads a regular file whole, NUL-terminated; one over max_bytes is refused. `*length` may be NULL.
 * The contents belong to the arena. */
enum status file_read(struct arena *arena, const char *path, size_t max_bytes, char **contents,
                      size_t *length, struct error *error);

/* Writes a new file beside `path`, syncs it and renames it over `path`: a reader sees the old file
 * or the new one, never a part. A symbolic link that others could have put there is refused
 * (tuner/base/trust.h). */
enum status file_write_atomically(const char *path, const void *data, size_t bytes,
                                  struct error *error);

/* ---- what a command writes for its user: a file under a name that the user gave, which may as
 * well be standard output, a pipe or a device ---- */

/* "-", /dev/stdout and the other names of file descriptor 1. */
bool output_is_stdout(const char *path);
/* Standard output, or what is there already and is no regular file: nothing that could be replaced,
 * or read again. */
bool output_is_special(const char *path);

/* A regular file, or none yet: as file_write_atomically. Standard output, a file descriptor by its
 * name (/dev/stderr, /dev/fd/N), a FIFO and a character device (/dev/null) are written as they are,
 * and stay what they are; stdout's own buffer goes first. Refused: sockets, block devices, and a
 * FIFO or device that another user put into a folder open to all. */
enum status output_write(const char *path, const void *data, size_t bytes, struct error *error);

/* The same a part at a time, for what is too large to be held. */
struct output {
    const char *path;
    int file;
    bool special; /* written as it is; else a file beside `real`, which it replaces at the end */
    bool opened;  /* by us */
    const char *real;
    struct temporary temporary;
    struct arena arena;
};
/* `path` is borrowed. To be ended, unless it fails. */
enum status output_begin(const char *path, struct output *out, struct error *error);
enum status output_add(struct output *output, const void *data, size_t bytes, struct error *error);
/* With a `status` other than STATUS_OK what was there stays; returns the first failure. */
enum status output_end(struct output *output, enum status status, struct error *error);

/* Whether there is room for so many bytes where the file would be written: asked before work that
 * would be lost. */
enum status output_room(const char *path, size_t bytes, struct error *error);

/* STATUS_USAGE when `path` names the file that `input` names, too: writing would destroy it. Either
 * may be NULL. */
enum status output_differs(const char *path, const char *input, struct error *error);

/* ---- folders ---- */

bool file_exists(const char *path);
/* What stands behind the path's last slash. */
const char *path_file(const char *path);
/* Makes the folder and those above it; those it makes get the mode, less the umask. */
enum status folder_make(const char *path, mode_t mode, struct error *error);

/* Makes a folder for what is read back and run (0700), or takes one that is there, and gives its
 * path without links (the arena's). STATUS_PERMISSION where somebody else than we and root may
 * write to it or take its place, now or by a folder above it. */
enum status folder_make_own(struct arena *arena, const char *path, const char **own,
                            struct error *error);
/* Writes a file (0600) into such a folder, beside its place and renamed, never through a link. One
 * that is there with the same bytes, plain, ours and closed to others, keeps its date. */
enum status folder_write(const char *own, const char *name, const void *data, size_t bytes,
                         struct error *error);

/* Where kernels/, configs/, plots/ are: $TUNE_DATA_DIR; else ../share/tune beside the executable's
 * folder; else the source tree the program was built from. Owned by the arena. */
enum status data_folder(struct arena *arena, const char **out, struct error *error);
/* The path of the running program, also where /proc is not mounted. */
enum status executable_path(struct arena *arena, const char **out, struct error *error);
/* $TUNE_CACHE_DIR, $XDG_CACHE_HOME/tune or ~/.cache/tune, made if absent with mode 0700.
 * STATUS_PERMISSION when it is not the user's own, or others may write to it. */
enum status cache_folder(struct arena *arena, const char **out, struct error *error);

#endif
