/* Files and folders. */
#ifndef TUNE_BASE_FILES_H
#define TUNE_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

/* Reads a regular file whole, NUL-terminated; one over max_bytes is refused. `*length` may be NULL.
 * The contents belong to the arena. */
enum status file_read(struct arena *arena, const char *path, size_t max_bytes, char **contents,
                      size_t *length, struct error *error);

/* Writes a new file beside `path`, syncs it and renames it over `path`: a reader sees the old file
 * or the new one, never a part. A symbolic link that others could have put there is refused
 * (tuner/base/trust.h). */
enum status file_write_atomically(const char *path, const void *data, size_t bytes,
                                  struct error *error);

bool file_exists(const char *path);
/* Makes the folder and those above it; those it makes get the mode, less the umask. */
enum status folder_make(const char *path, mode_t mode, struct error *error);

/* Where kernels/, configs/, plots/ are: $TUNE_DATA_DIR; else ../share/tune beside the executable's
 * folder; else the source tree the program was built from. Owned by the arena. */
enum status data_folder(struct arena *arena, const char **out, struct error *error);
/* The path of the running program, also where /proc is not mounted. */
enum status executable_path(struct arena *arena, const char **out, struct error *error);
/* $TUNE_CACHE_DIR, $XDG_CACHE_HOME/tune or ~/.cache/tune, made if absent with mode 0700.
 * STATUS_PERMISSION when it is not the user's own, or others may write to it. */
enum status cache_folder(struct arena *arena, const char **out, struct error *error);

#endif
