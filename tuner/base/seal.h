/* A trailer with size and hash behind a file's contents, by which a file that was cut or damaged is
 * known before it is loaded. What the trailer stands behind (a shared object, a container) ignores
 * it. */
#ifndef TUNE_BASE_SEAL_H
#define TUNE_BASE_SEAL_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/error.h"

enum { SEALED_BYTES_MAX = 256 * 1024 * 1024 };

/* Puts the trailer behind what the file holds. */
enum status seal_file(const char *path, struct error *error);
/* STATUS_BAD_INPUT when the file has no trailer that fits it. */
enum status seal_check(const char *path, struct error *error);
/* *contents: the bytes before the trailer; `bytes` when there is none. False: it does not fit them.
 */
bool seal_contents(const void *data, size_t bytes, size_t *contents);

#endif
