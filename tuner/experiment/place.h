/* Errors with their place in a file, and the nearest right word. */
#ifndef TUNE_EXPERIMENT_PLACE_H
#define TUNE_EXPERIMENT_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"

/* Lines and columns count from 1; columns count characters, not bytes. */
struct place {
    /* The path; of a text that was made out of another file its path, and behind a newline for each
     * line what it was made of, which is then what errors tell instead of line and column. */
    const char *file;
    uint32_t line;
    uint32_t column;
};

/* "FILE:LINE:COLUMN: text". Returns `status`. */
enum status place_error(struct error *error, enum status status, struct place place,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "; did you mean 'x'?", or "" when no word is near. */
struct suggestion {
    char text[96];
};
struct suggestion suggest(const char *word, const char *const *words, size_t count);

#endif
