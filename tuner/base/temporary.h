/* Files and folders that are there for a moment. Each is locked (flock) by the process that made it
 * for as long as that lives, so what a killed process left is told from what is in use, and is
 * removed by the next one. */
#ifndef TUNE_BASE_TEMPORARY_H
#define TUNE_BASE_TEMPORARY_H

#include <limits.h>

#include "tuner/base/error.h"

struct temporary {
    int file; /* open and locked; -1: none */
    char path[PATH_MAX];
};

/* A new empty file beside `path`, "PATH.tune-XXXXXX.tmp", with the mode that the umask allows;
 * those that earlier processes left there are removed. Never follows a symbolic link. The caller
 * renames or unlinks it, then closes it. */
enum status temporary_file_make(const char *path, struct temporary *out, struct error *error);

/* A new folder "PREFIXXXXXXX" (an absolute path, or one from the current folder), mode 0700; those
 * that earlier processes left under that prefix are removed. */
enum status temporary_folder_make(const char *prefix, struct temporary *out, struct error *error);
/* The same in $TMPDIR (an absolute path), else /tmp: "tune-WORD-XXXXXX". STATUS_PERMISSION where
 * others could put a folder of theirs in its place. */
enum status temporary_folder_in_tmp(const char *word, struct temporary *out, struct error *error);
void temporary_folders_sweep_tmp(const char *word);
/* Removes it with all that is in it. */
void temporary_folder_remove(struct temporary *temporary);
/* Removes all that is in it, and keeps it. */
void temporary_folder_empty(struct temporary *temporary);
/* Removes the folders of that prefix that no living process holds. */
void temporary_folders_sweep(const char *prefix);

#endif
