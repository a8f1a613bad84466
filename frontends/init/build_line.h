/* A project's compilation of a source: a compiler's command line, or an entry of
 * compile_commands.json. */
#ifndef TUNE_EXCHANGE_BUILD_LINE_H
#define TUNE_EXCHANGE_BUILD_LINE_H

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/launch.h"

enum { BUILD_SOURCES_MAX = 64, BUILD_DEFINES_MAX = 48 };

struct build_line {
    const char *from; /* the compile_commands.json; NULL: the line was given */
    size_t source_count;
    const char *sources[BUILD_SOURCES_MAX];
    size_t define_count;
    const char *defines[BUILD_DEFINES_MAX]; /* "NAME=VALUE", "NAME" */
    size_t folder_count;
    const char *folders[UNITS_MAX];
    size_t flag_count; /* flags of the kernels' compilation, valid for both compilers */
    const char *flags[FLAGS_MAX];
};

/* Reads a command line. Relative paths begin at `folder` (NULL: the current one). Returns
 * STATUS_BAD_INPUT if a limit is exceeded. */
enum status build_line_read(struct arena *arena, const char *const *words, size_t count,
                            const char *folder, struct build_line *out, struct error *error);
/* Finds the source's entry in the nearest compile_commands.json of the project (nearby.c). Leaves
 * *out unchanged if there is none. */
enum status build_line_find(struct arena *arena, const char *source, struct build_line *out,
                            struct error *error);

#endif
