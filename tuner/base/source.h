/* A source file with what it includes in quotes: what is hashed and what is compiled are one text,
 * read once. */
#ifndef TUNE_BASE_SOURCE_H
#define TUNE_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"

struct source_file {
    const char *path;
    struct stat info; /* as it was right before it was read */
};

struct source {
    /* To compile: #line names the file and line wherever another file begins or goes on. The first
     * line is that of the source itself. NUL-terminated. */
    const char *text;
    size_t length;
    /* To hash: the same without those #line, so alike in whichever folder the files lie. A source
     * that includes nothing is its file, byte for byte. NUL-terminated. */
    const char *contents;
    size_t content_length;
    /* What was read: the source, then each included file once. */
    size_t file_count;
    struct source_file *files;
};

/* Reads a source and puts each file in place of the line `#include "name"` that names it, and so on
 * in that file: `name` is looked for in the folder of the file with the line, then in the source's
 * own. One that is in neither is left for the compiler's own folders, as is <name>. Lines behind
 * #if count whether it holds or not, those in comments do not. A file that guards itself (#pragma
 * once, or #ifndef around all of it) stands there once where that is enough. STATUS_BAD_INPUT: a
 * file that includes itself without a guard, 64 files deep, more than 1024 files, more than 16 MiB
 * in all. Machine code (a cubin, a fatbin) is its file, byte for byte. All of `out` belongs to the
 * arena. */
enum { CODE_BYTES_MAX = 1 << 29 }; /* of machine code */
/* What is found in one of `folders` (without a slash at their ends; there may be none) is put in
 * place as well: "name" where the two folders have none, and <name>, which is looked for in
 * `folders` alone. A folder of a CUDA toolkit's headers is left to the compiler, and so are
 * <stdint.h>, <sys/time.h> and the like. */
enum status source_read_in(struct arena *arena, const char *path, const char *const *folders,
                           size_t folder_count, struct source *out, struct error *error);

/* STATUS_IO when the contents are not those of `hash` (hash_bytes); with NULL, any will do. */
enum status source_check(const struct source *source, const char *hash, struct error *error);

/* False when a file of it is not as it was read. (Not seen: a file that was added since and would
 * now be found first.) */
bool source_is_current(const struct source *source);

/* Appends `#line NUMBER "path"` and a newline. */
void source_put_line(struct text *text, size_t number, const char *path);

#endif
