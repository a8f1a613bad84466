/* How a project compiles a source: a compiler's command line, or its entry in a
 * compile_commands.json. */
#ifndef TUNE_EXCHANGE_BUILD_LINE_H
#define TUNE_EXCHANGE_BUILD_LINE_H

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/launch.h"

enum { BUILD_SOURCES_MAX = 64, BUILD_DEFINES_MAX = 48 };

struct build_line {
    const char *from; /* the compile_commands.json; NULL: it was given */
    size_t source_count;
    const char *sources[BUILD_SOURCES_MAX];
    size_t define_count;
    const char *defines[BUILD_DEFINES_MAX]; /* "NAME=VALUE", "NAME" */
    size_t folder_count;
    const char *folders[UNITS_MAX];
    size_t flag_count; /* that kernels are compiled with, as both compilers take them */
    const char *flags[FLAGS_MAX];
};

/* `folder`: where relative paths begin; NULL: the current one. STATUS_BAD_INPUT: more of something
 * than there is room for. */
enum status build_line_read(struct arena *arena, const char *const *words, size_t count,
                            const char *folder, struct build_line *out, struct error *error);
/* The source's entry in the compile_commands.json of a folder above it, or of a folder in one of
 * these. Leaves *out as it is where there is none. */
enum status build_line_find(struct arena *arena, const char *source, struct build_line *out,
                            struct error *error);

#endif
