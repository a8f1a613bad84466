#include "tuner/experiment/place.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"

/* What a line was made of; empty where that is not known. */
static const char *origin_of(const char *origins, uint32_t line, size_t *length)
{
    while (--line > 0 && (origins = strchr(origins, '\n')))
        origins++;
    *length = origins ? strcspn(origins, "\n") : 0;
    return origins;
}

enum status place_error(struct error *error, enum status status, struct place place,
                        const char *format, ...)
{
    char what[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const char *newline = strchr(place.file, '\n');
    if (!newline)
        return error_set(error, status, "%s:%u:%u: %s", place.file, place.line, place.column, what);
    const int path = (int)(newline - place.file);
    size_t length = 0;
    const char *origin = origin_of(newline + 1, place.line, &length);
    if (length == 0)
        return error_set(error, status, "%.*s: %s", path, place.file, what);
    return error_set(error, status, "%.*s: %.*s: %s", path, place.file, (int)length, origin, what);
}

struct suggestion suggest(const char *word, const char *const *words, size_t count)
{
    struct suggestion result = {.text = ""};
    const char *near = nearest_word(word, words, count);
    if (near && !string_format(result.text, sizeof result.text, "; did you mean '%s'?", near))
        result.text[0] = '\0';
    return result;
}
