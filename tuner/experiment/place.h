/* Errors with their place in a file, and suggestions for misspelt words. */
#ifndef TUNE_EXPERIMENT_PLACE_H
#define TUNE_EXPERIMENT_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"

/* The file of places. If a file of another format was translated, a line is the number, from 1, of
 * the origin, which errors name. */
struct place_file {
    const char *path;
    /* For example "KernelSpecification.Arguments[2]", NULL where unknown. NULL: the file has
     * lines. */
    const char *const *origins;
    size_t origin_count;
};

/* Lines and columns count from 1; columns count characters, not bytes. */
struct place {
    const struct place_file *file;
    uint32_t line;
    uint32_t column;
};

/* Sets "FILE:LINE:COLUMN: text", or "FILE: ORIGIN: text". Returns `status`. error: NULL where only
 * success counts: a text costs more than most formulas. */
enum status place_error(struct error *error, enum status status, struct place place,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Sets the error with STATUS_BAD_INPUT and is false, for functions that return success as bool. */
#define place_refuses(error, place, ...)                                                           \
    ((void)place_error(error, STATUS_BAD_INPUT, place, __VA_ARGS__), false)

/* A suggestion "; did you mean 'x'?", or "" when no word is near. */
struct suggestion {
    char text[96];
};
struct suggestion suggest(const char *word, const char *const *words, size_t count);

#endif
