/* Between the files of `tune capture`. */
#ifndef TUNE_CLI_CAPTURE_H
#define TUNE_CLI_CAPTURE_H

#include "frontends/capture/capture.h"

/* What was launched, to stdout. `command`: the program and its arguments, for the line to type
 * next; NULL: that of the capture's first program. `path`: of the file that was written; NULL:
 * none. */
enum status capture_list(const struct capture *capture, const char *const *command,
                         const char *path, struct error *error);

/* Runs a command of the shell, and keeps launches of the kernel in `output`; lists nothing. */
enum status capture_kernel(const char *command, const char *kernel, const char *output,
                           struct error *error);

#endif
