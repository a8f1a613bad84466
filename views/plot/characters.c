#include <string.h>

#include "tuner/base/text.h"
#include "views/plot/internal.h"

/* Returns the length of the escape sequence at `at`, which sets a colour; 0: none. */
static size_t escape_length(const char *at, size_t rest_bytes)
{
    if (rest_bytes < 2 || at[0] != '\x1b' || at[1] != '[')
        return 0;
    size_t length = 2;
    while (length < rest_bytes && strchr("0123456789;", at[length]))
        length++;
    return length < rest_bytes ? length + 1 : length;
}

void characters_tidy(const char *characters, struct text *out)
{
    bool coloured = strchr(characters, '\x1b') != NULL;
    size_t empty = 0;
    for (const char *line = characters; *line;) {
        line += *line == '\f' ? 1 : 0;
        size_t length = strcspn(line, "\n");
        /* The length of a line without trailing blanks and trailing colours; 0: the line
         * looks empty. */
        size_t seen = 0;
        for (size_t i = 0; i < length;) {
            size_t escape = escape_length(line + i, length - i);
            if (escape == 0 && !strchr(" \f\r", line[i]))
                seen = i + 1;
            i += escape > 0 ? escape : 1;
        }
        if (seen == 0) {
            empty++;
        } else {
            for (; out->length > 0 && empty > 0; empty--)
                text_append(out, "\n");
            empty = 0;
            text_append_bytes(out, line, seen);
            text_append(out, coloured ? "\x1b[0m\n" : "\n");
        }
        line += length + (line[length] ? 1 : 0);
    }
}
