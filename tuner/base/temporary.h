/* Temporary files and folders. Each is locked (flock) by the process that made it while the process
 * lives, so that leftovers of a killed process differ from those in use, and the next process
 * removes them. */
#ifndef TUNE_BASE_TEMPORARY_H
#define TUNE_BASE_TEMPORARY_H

#include <limits.h>

#include "tuner/base/error.h"

struct temporary {
    int file; /* open and locked; -1: none */
    char path[PATH_MAX];
};

/* Makes an empty file beside `path`, "PATH.tune-XXXXXX.tmp", with the mode that the umask allows,
 * and removes those that earlier processes left there. Never follows a symbolic link. The caller
 * renames or unlinks the file, then closes it. */
enum status temporary_file_make(const char *path, struct temporary *out, struct error *error);

/* Makes a folder "PREFIXXXXXXX" (absolute, or relative to the current folder), mode 0700, and
 * removes those that earlier processes left under that prefix. */
enum status temporary_folder_make(const char *prefix, struct temporary *out, struct error *error);
/* Makes a folder "tune-WORD-XXXXXX" in $TMPDIR (an absolute path), else in /tmp. STATUS_PERMISSION
 * if others could replace the folder. */
enum status temporary_folder_in_tmp(const char *word, struct temporary *out, struct error *error);
void temporary_folders_sweep_tmp(const char *word);
/* Removes the folder with its contents. */
void temporary_folder_remove(struct temporary *temporary);
/* Removes the folder's contents. */
void temporary_folder_empty(struct temporary *temporary);
/* Removes all folders with that prefix that no living process holds. */
void temporary_folders_sweep(const char *prefix);

#endif
