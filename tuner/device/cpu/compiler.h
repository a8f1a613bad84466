/* The system's C compiler. */
#ifndef TUNE_DEVICE_CPU_COMPILER_H
#define TUNE_DEVICE_CPU_COMPILER_H

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/base/text.h"

/* The compiler's file: $CC (a name or a path, no options), else cc, gcc or clang from $PATH.
 * Owned by the arena. STATUS_UNAVAILABLE says what to install. */
enum status compiler_find(struct arena *arena, const char **path, struct error *error);

/* "gcc 12.2.0", "clang 14.0.6", or its first line; "" when it cannot be run. Owned by the arena. */
const char *compiler_version(struct arena *arena, const char *path);

/* device_api.compile of the CPU: a shared object with the kernels. */
enum status compiler_compile(const struct binary_request *request, const char *binary_path,
                             struct text *log, struct error *error);

#endif
