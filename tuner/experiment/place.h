/* Errors with their place in a file, and the nearest right word. */
#ifndef TUNE_EXPERIMENT_PLACE_H
#define TUNE_EXPERIMENT_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"

/* What places lie in. Where a file of another format was translated, a line is no line but the
 * number, from 1, of what it was made of; errors tell that. */
struct place_file {
    const char *path;
    /* "KernelSpecification.Arguments[2]"; NULL where nothing is known. NULL: it has lines. */
    const char *const *origins;
    size_t origin_count;
};

/* Lines and columns count from 1; columns count characters, not bytes. */
struct place {
    const struct place_file *file;
    uint32_t line;
    uint32_t column;
};

/* "FILE:LINE:COLUMN: text", or "FILE: ORIGIN: text". Returns `status`. */
enum status place_error(struct error *error, enum status status, struct place place,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/* As place_error with STATUS_BAD_INPUT, for functions that say whether all went well: false. */
bool place_refuses(struct error *error, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* which looks at one file at a time: it is never true */
#define place_refuses(...) ((void)place_refuses(__VA_ARGS__), false)
#endif

/* "; did you mean 'x'?", or "" when no word is near. */
struct suggestion {
    char text[96];
};
struct suggestion suggest(const char *word, const char *const *words, size_t count);

#endif
