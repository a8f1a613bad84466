/* The compiler of a kind of device, for readers of sources and binaries that measure no kernels. */
#ifndef TUNE_DEVICE_COMPILER_H
#define TUNE_DEVICE_COMPILER_H

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/device/image.h"

struct compiler_answer {
    const char *symbol; /* the requested kernel's */
    const char *ptx;    /* the source's */
};
/* Compiles the text as the contents of the request's source, which names a kernel, in
 * most_ns. The code's speed does not matter. Runs in a child: NVRTC starts the driver, and a
 * process forked later could not use it. STATUS_TIMED_OUT at most_ns; STATUS_UNAVAILABLE where this
 * build has no such compiler. */
enum status device_ask_compiler(struct arena *arena, const char *text,
                                const struct binary_request *request, int64_t most_ns,
                                struct compiler_answer *out, struct error *error);
/* Reads facts of a kernel from a binary that a program loads, for a device of that architecture.
 * STATUS_UNAVAILABLE where the binary is unreadable, STATUS_NOT_FOUND where the binary lacks the
 * kernel. */
enum status device_image(const void *data, size_t bytes, const char *architecture,
                         const char *kernel, struct image_kernel *out, struct error *error);

#endif
