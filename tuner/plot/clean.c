#include <string.h>

#include "tuner/plot/internal.h"

/* Bytes of the UTF-8 character at `bytes`, and its code point; 0: it is none. */
static size_t decode(const unsigned char *bytes, unsigned long *code)
{
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = bytes[0] < 0x80             ? 1
                    : (bytes[0] & 0xe0) == 0xc0 ? 2
                    : (bytes[0] & 0xf0) == 0xe0 ? 3
                    : (bytes[0] & 0xf8) == 0xf0 ? 4
                                                : 0;
    if (length < 2) {
        *code = bytes[0];
        return length;
    }
    *code = bytes[0] & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (bytes[i] & 0x3fU);
    }
    return *code >= least[length] && *code <= 0x10ffff ? length : 0;
}

/* What draws nothing, turns the writing round or is no character: as text of a figure (XML, too)
 * it can only do harm. */
static bool is_printed(unsigned long code)
{
    static const struct {
        unsigned long first, last;
    } not_printed[] = {{0x80, 0x9f},     {0xad, 0xad},      {0x61c, 0x61c},   {0x200b, 0x200f},
                       {0x2028, 0x202e}, {0x2060, 0x206f},  {0xd800, 0xdfff}, {0xfeff, 0xfeff},
                       {0xfff0, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof not_printed / sizeof not_printed[0]; i++)
        if (code >= not_printed[i].first && code <= not_printed[i].last)
            return false;
    return (code & 0xfffe) != 0xfffe;
}

void plot_clean(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        unsigned long code = 0;
        size_t length = decode((const unsigned char *)from, &code);
        if (length == 0 || !is_printed(code)) {
            *to++ = '?';
        } else if (code < 32 || code == 127 || (code < 127 && strchr("'\"`\\", (int)code))) {
            *to++ = ' ';
        } else {
            memmove(to, from, length);
            to += length;
        }
        from += length > 0 ? length : 1;
    }
    *to = '\0';
}

void utf8_repair(char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned long code = 0;
        size_t bytes = decode((const unsigned char *)text + i, &code);
        if (bytes == 0)
            text[i] = '?';
        i += bytes > 0 ? bytes : 1;
    }
}
