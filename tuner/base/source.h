/* A source file with its quoted includes inlined: one text, read once, is both hashed and
 * compiled. */
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
    struct stat info; /* status right before the file was read */
};

struct source {
    /* Text to compile: #line gives file and line wherever an included file begins or ends. The
     * first line is the source's own. NUL-terminated. */
    const char *text;
    size_t length;
    /* Text to hash: without these #line directives, so independent of the folder of the files. For
     * a source without includes the file, byte for byte. NUL-terminated. */
    const char *contents;
    size_t content_length;
    /* Files read: the source, then each included file once. */
    size_t file_count;
    struct source_file *files;
};

/* Included files: each file replaces the line `#include "name"`, recursively. `name` is searched in
 * the folder of the file with the line, then in the source's own; if missing there, the line is
 * left to the compiler, as is <name>. Lines behind an #if count whether or not the condition holds;
 * lines in comments do not. A file that guards itself (#pragma once, or #ifndef around the whole
 * file) is inlined once where that is enough. STATUS_BAD_INPUT: a file that includes itself without
 * a guard, 64 files deep, more than 1024 files, more than 16 MiB in all. Machine code (a cubin, a
 * fatbin) is taken byte for byte. All of `out` belongs to the arena. */
enum { CODE_BYTES_MAX = 1 << 29 }; /* for machine code */
/* Reads a source and its includes. `folders` (without trailing slashes; may be empty) are searched
 * for "name" if the two folders above lack it, and for <name>. A folder of a CUDA toolkit's headers
 * is left to the compiler, and so are <stdint.h>, <sys/time.h> and the like. */
enum status source_read_in(struct arena *arena, const char *path, const char *const *folders,
                           size_t folder_count, struct source *out, struct error *error);

/* Returns STATUS_IO when the contents do not have this `hash` (hash_bytes); NULL matches any
 * contents. */
enum status source_check(const struct source *source, const char *hash, struct error *error);

/* Returns false when one of the files has changed since it was read. (A new file that would now be
 * found first is not detected.) */
bool source_is_current(const struct source *source);

/* Returns whether a processor's source is C by its name, else C++. */
bool source_is_c(const char *path);

/* Appends `#line NUMBER "path"` and a newline. */
void source_put_line(struct text *text, size_t number, const char *path);

#endif
