/* The compiler of a kind of device, for who asks about a source or a binary and measures nothing.
 */
#ifndef TUNE_DEVICE_COMPILER_H
#define TUNE_DEVICE_COMPILER_H

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/device/image.h"

/* Compiles the text as the contents of the request's source; *symbol: the name of the request's
 * first kernel in the machine code, in which its template's numbers stand. How fast that code would
 * be does not matter. STATUS_UNAVAILABLE where this build has no compiler that does so. */
enum status device_symbol_of(struct arena *arena, const char *text,
                             const struct binary_request *request, const char **symbol,
                             struct error *error);
/* Reads from a binary that a program loads what it tells of a kernel of it, for a device of that
 * architecture. STATUS_UNAVAILABLE where nothing of it can be read, STATUS_NOT_FOUND where there is
 * no such kernel in it. */
enum status device_image(const void *data, size_t bytes, const char *architecture,
                         const char *kernel, struct image_kernel *out, struct error *error);

#endif
