#include <string.h>

#include "tuner/base/text.h"
#include "views/plot/internal.h"

/* Returns whether a character is visible and does not change the writing direction; others can only
 * do harm in a figure's text, and in XML. */
static bool is_printed(unsigned long code)
{
    static const struct {
        unsigned long first, last;
    } not_printed[] = {{0x80, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
                       {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                       {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof not_printed / sizeof not_printed[0]; i++)
        if (code >= not_printed[i].first && code <= not_printed[i].last)
            return false;
    return (code & 0xfffe) != 0xfffe;
}

void plot_clean(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        size_t bytes = utf8_bytes(from);
        unsigned long code = bytes > 0 ? utf8_code(from, bytes) : 0;
        if (bytes == 0 || !is_printed(code)) {
            *to++ = '?';
        } else if (code < 32 || code == 127 || (code < 127 && strchr("'\"`\\", (int)code))) {
            *to++ = ' ';
        } else {
            memmove(to, from, bytes);
            to += bytes;
        }
        from += bytes > 0 ? bytes : 1;
    }
    *to = '\0';
}
