/* Between the files of `tune capture`. */
#ifndef TUNE_CLI_CAPTURE_H
#define TUNE_CLI_CAPTURE_H

#include "frontends/capture/capture.h"

/* Lists the launches on stdout. `command`: the program and its arguments, for the suggested next
 * line; NULL: those of the capture's first program. `path`: of the written file; NULL: none. */
enum status capture_list(const struct capture *capture, const char *const *command,
                         const char *path, struct error *error);

/* Runs a shell command, and keeps launches of the kernel in `output`; prints no list. */
enum status capture_kernel(const char *command, const char *kernel, const char *output,
                           struct error *error);

#endif
