#include <string.h>

#include "tuner/base/text.h"
#include "tuner/plot/internal.h"

/* Lines end in blanks only where no colour is switched behind them. */
static size_t without_blanks(const char *line, size_t length)
{
    while (length > 0 && strchr(" \f\r", line[length - 1]))
        length--;
    return length;
}

void characters_tidy(const char *characters, struct text *out)
{
    size_t empty = 0;
    for (const char *line = characters; *line;) {
        line += *line == '\f' ? 1 : 0;
        size_t length = strcspn(line, "\n");
        size_t kept = without_blanks(line, length);
        if (kept == 0) {
            empty++;
        } else {
            while (out->length > 0 && empty > 0) {
                text_append(out, "\n");
                empty--;
            }
            empty = 0;
            text_append_bytes(out, line, kept);
            text_append(out, "\n");
        }
        line += length + (line[length] ? 1 : 0);
    }
}
