#include "tests/faults/driver/image.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies a text; true if all of it fitted. */
static bool copy(char *out, size_t bytes, const char *text, size_t length)
{
    if (length >= bytes)
        return false;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

bool image_add_define(struct image *image, const char *name, size_t name_length, const char *value)
{
    if (image->define_count == IMAGE_DEFINES_MAX)
        return false;
    size_t i = image->define_count++;
    return copy(image->defines[i].name, sizeof image->defines[i].name, name, name_length) &&
           copy(image->defines[i].value, sizeof image->defines[i].value, value, strlen(value));
}

/* Reads a line such as "define NAME VALUE"; false for any other line. */
static bool read_line(const char *line, size_t length, struct image *out)
{
    char text[512];
    if (!copy(text, sizeof text, line, length))
        return false;
    char *value = strchr(text, ' ');
    if (!value)
        return false;
    *value++ = '\0';
    if (strcmp(text, "source") == 0)
        return copy(out->source, sizeof out->source, value, strlen(value));
    if (strcmp(text, "architecture") == 0)
        return copy(out->architecture, sizeof out->architecture, value, strlen(value));
    const char *space = strchr(value, ' ');
    return strcmp(text, "define") == 0 && space &&
           image_add_define(out, value, (size_t)(space - value), space + 1);
}

bool image_read(const char *text, struct image *out)
{
    static const char first[] = IMAGE_FIRST_LINE "\n";
    *out = (struct image){.define_count = 0};
    if (strncmp(text, first, sizeof first - 1) != 0)
        return false;
    for (const char *line = text + sizeof first - 1; *line;) {
        size_t length = strcspn(line, "\n");
        if (!read_line(line, length, out))
            return false;
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    return true;
}

static void put(char *out, size_t bytes, size_t *used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool fits = out && *used < bytes;
    int length = vsnprintf(fits ? out + *used : NULL, fits ? bytes - *used : 0, format, arguments);
    va_end(arguments);
    *used += length > 0 ? (size_t)length : 0;
}

size_t image_write(const struct image *image, char *out, size_t bytes)
{
    size_t used = 0;
    put(out, bytes, &used, "%s\nsource %s\narchitecture %s\n", IMAGE_FIRST_LINE, image->source,
        image->architecture);
    for (size_t i = 0; i < image->define_count; i++)
        put(out, bytes, &used, "define %s %s\n", image->defines[i].name, image->defines[i].value);
    return used + 1;
}

const char *image_define(const struct image *image, const char *name)
{
    for (size_t i = 0; i < image->define_count; i++)
        if (strcmp(image->defines[i].name, name) == 0)
            return image->defines[i].value;
    return NULL;
}

long image_number(const struct image *image, const char *name, long otherwise)
{
    const char *value = image_define(image, name);
    return value ? strtol(value, NULL, 10) : otherwise;
}
