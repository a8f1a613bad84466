/* Files and folders; environment variables. */
#ifndef TUNE_BASE_FILES_H
#define TUNE_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/temporary.h"

/* Reads a whole regular file, NUL-terminated; a file over max_bytes is refused. `*length` may be
 * NULL. The contents belong to the arena. */
enum status file_read(struct arena *arena, const char *path, size_t max_bytes, char **contents,
                      size_t *length, struct error *error);

/* Reads the first line of a file of the system, without its end. Returns false, with "", where
 * there is none. */
bool file_line(const char *path, char *out, size_t bytes);

/* Closes a descriptor; -1: none. */
void file_close(int file);

/* Writes all bytes to an open file, waiting for room. Returns errno; 0: done. */
int file_write(int file, const void *data, size_t bytes);

/* Writes a new file beside `path`, syncs it and renames it over `path`: a reader sees the old file
 * or the new one, never a part. Refuses a symbolic link that another user could have put there
 * (tuner/base/trust.h). */
enum status file_write_atomically(const char *path, const void *data, size_t bytes,
                                  struct error *error);
/* Writes likewise a file that can be made again: no disk is waited for. */
enum status file_write_derived(const char *path, const void *data, size_t bytes,
                               struct error *error);

/* ---- output of a command: a file under a name that the user gave, or standard output, a pipe or a
 * device ---- */

/* Returns whether the path is "-", /dev/stdout or another name of file descriptor 1. */
bool output_is_stdout(const char *path);
/* Returns whether the path is standard output or exists and is no regular file, so that the output
 * can neither be replaced nor read again. */
bool output_is_special(const char *path);

/* Writes an output. A regular or new file is written as by file_write_atomically. Standard output,
 * a file descriptor by its name (/dev/stderr, /dev/fd/N), a FIFO and a character device (/dev/null)
 * are written in place; stdout's buffer is flushed first. Refused: sockets, block devices, and a
 * FIFO or device that another user put into a folder open to all. */
enum status output_write(const char *path, const void *data, size_t bytes, struct error *error);

/* An output written in parts, for contents too large for memory. */
struct output {
    const char *path;
    int file;
    bool special; /* written in place; else a file beside `real`, renamed to it at the end */
    bool opened;  /* output_begin succeeded */
    bool derived; /* made from other files: no disk is waited for */
    const char *real;
    struct temporary temporary;
    struct arena arena;
};
/* Opens an output; `path` is borrowed. A success must be followed by output_end. */
enum status output_begin(const char *path, struct output *out, struct error *error);
enum status output_add(struct output *output, const void *data, size_t bytes, struct error *error);
/* Finishes an output and returns the first failure. With a `status` other than STATUS_OK the old
 * file stays. */
enum status output_end(struct output *output, enum status status, struct error *error);

/* Checks that `bytes` bytes fit where the file would be written, before work that would be lost. */
enum status output_room(const char *path, size_t bytes, struct error *error);

/* Returns STATUS_USAGE when `path` and `input` name the same file, since writing would destroy the
 * input. Either may be NULL. */
enum status output_differs(const char *path, const char *input, struct error *error);

/* ---- folders ---- */

bool file_exists(const char *path);
/* Returns the part behind the path's last slash. */
const char *path_file(const char *path);
/* Makes the folder and its parents; new folders get the mode, less the umask. */
enum status folder_make(const char *path, mode_t mode, struct error *error);

/* Makes a folder (0700) for files that are read back and run, or takes an existing one, and returns
 * its path without links (the arena's). STATUS_PERMISSION if another user than this one and root
 * may write to the folder or replace it or one of its parents. */
enum status private_folder_make(struct arena *arena, const char *path, const char **own,
                                struct error *error);
/* Writes a file (0600) into such a folder, beside its place and renamed, never through a link. An
 * existing file with the same bytes, plain, ours and closed to others, keeps its date. */
enum status folder_write(const char *own, const char *name, const void *data, size_t bytes,
                         struct error *error);

/* Writes contents in parts, which need not be in memory together: `part` returns the address of
 * *bytes bytes from `at` on, or NULL, which ends all with STATUS_TIMED_OUT. */
struct file_parts {
    uint64_t bytes;
    const void *(*part)(const void *context, uint64_t at, uint64_t *bytes);
    const void *context;
};
enum status folder_write_parts(const char *own, const char *name, const struct file_parts *parts,
                               struct error *error);

/* Finds the folder of kernels/, configs/, plots/: $TUNE_DATA_DIR; else ../share/tune beside the
 * executable's folder; else the source tree the program was built from. Owned by the arena. */
enum status data_folder(struct arena *arena, const char **out, struct error *error);
/* Returns the path of the running program, also without /proc. */
enum status executable_path(struct arena *arena, const char **out, struct error *error);
/* Returns $TUNE_CACHE_DIR, $XDG_CACHE_HOME/tune or ~/.cache/tune, made if absent with mode 0700.
 * STATUS_PERMISSION when the folder is not the user's own, or others may write to it. */
enum status cache_folder(struct arena *arena, const char **out, struct error *error);

/* Reads a decimal number from an environment variable; `otherwise` if the variable is unset or
 * empty. Any other text, or a number out of [low, high], is STATUS_BAD_INPUT with a message that
 * names the variable. */
enum status environment_integer(const char *name, int64_t low, int64_t high, int64_t otherwise,
                                int64_t *out, struct error *error);

#endif
