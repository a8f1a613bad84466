/* The system's C compiler. */
#ifndef TUNE_DEVICE_CPU_COMPILER_H
#define TUNE_DEVICE_CPU_COMPILER_H

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/launch.h"
#include "tuner/base/text.h"

/* Finds the compiler: $CC (a name or a path, no options), else cc, gcc or clang from $PATH. The
 * arena owns the path. STATUS_UNAVAILABLE names the package to install. */
enum status compiler_find(struct arena *arena, const char **path, struct error *error);

/* Returns "gcc 12.2.0", "clang 14.0.6", or the first line of the output; "" when the compiler
 * cannot run. The arena owns the text. */
const char *compiler_version(struct arena *arena, const char *path);

#endif
