/* The stand-in compiler's replacement of a cubin: a text with source, architecture and defines,
 * by which the stand-in driver finds the kernel. */
#ifndef TUNE_TESTS_FAULTS_IMAGE_H
#define TUNE_TESTS_FAULTS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { IMAGE_DEFINES_MAX = 64 };
#define IMAGE_FIRST_LINE "stand-in cubin 1"

struct image {
    char source[256];
    char architecture[16];
    struct {
        char name[64];
        char value[64];
    } defines[IMAGE_DEFINES_MAX];
    size_t define_count;
};

/* Reads an image; false if the text is none, or names too much. */
bool image_read(const char *text, struct image *out);
/* Returns the bytes of the text with its NUL; writes nothing if `out` is NULL. */
size_t image_write(const struct image *image, char *out, size_t bytes);
/* Adds a define; false if the table is full or a text is too long. */
bool image_add_define(struct image *image, const char *name, size_t name_length, const char *value);
/* Returns a define by name; NULL without one. */
const char *image_define(const struct image *image, const char *name);
long image_number(const struct image *image, const char *name, long otherwise);

#endif
