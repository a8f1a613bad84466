/* A trailer with size and hash behind a file's contents: detects a cut or damaged file before it is
 * loaded. Readers of the contents (a shared object, a container) ignore the trailer. */
#ifndef TUNE_BASE_SEAL_H
#define TUNE_BASE_SEAL_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/error.h"

enum { SEALED_BYTES_MAX = 256 * 1024 * 1024 };

/* Appends the trailer to the file. */
enum status seal_file(const char *path, struct error *error);
/* Returns STATUS_BAD_INPUT when the file has no trailer, or one that does not match. */
enum status seal_check(const char *path, struct error *error);
/* Returns whether the trailer matches, if there is one. *contents: the bytes before the trailer;
 * `bytes` without one. */
bool seal_contents(const void *data, size_t bytes, size_t *contents);

#endif
