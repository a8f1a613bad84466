#include "tuner/experiment/place.h"

#include <stdarg.h>
#include <stdio.h>

#include "tuner/base/text.h"

enum status place_error(struct error *error, enum status status, struct place place,
                        const char *format, ...)
{
    char subject[ERROR_TEXT_BYTES];
    va_list arguments;
    if (!error)
        return status;
    va_start(arguments, format);
    (void)vsnprintf(subject, sizeof subject, format, arguments);
    va_end(arguments);
    const struct place_file *file = place.file;
    if (!file->origins)
        return error_set(error, status, "%s:%u:%u: %s", file->path, place.line, place.column,
                         subject);
    if (place.line == 0 || place.line > file->origin_count || !file->origins[place.line - 1])
        return error_set(error, status, "%s: %s", file->path, subject);
    return error_set(error, status, "%s: %s: %s", file->path, file->origins[place.line - 1],
                     subject);
}

struct suggestion suggest(const char *word, const char *const *words, size_t count)
{
    struct suggestion result = {.text = ""};
    const char *near = nearest_word(word, words, count);
    if (near && !string_format(result.text, sizeof result.text, "; did you mean '%s'?", near))
        result.text[0] = '\0';
    return result;
}
