#include "tuner/base/json.h"

#include <math.h>
#include <string.h>

/* Bytes of the well-formed UTF-8 character at `at` (Unicode 15, table 3-7); 0 when it is none. */
static size_t character_bytes(const unsigned char *at)
{
    unsigned char lead = at[0];
    size_t bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (bytes == 0 || lead > 0xf4)
        return 0;
    /* A NUL ends the string and fails the test of a continuation byte: nothing is read past it. */
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (lead == 0xe0 && at[1] < 0xa0) || (lead == 0xf0 && at[1] < 0x90);
    bool surrogate = lead == 0xed && at[1] > 0x9f;
    bool too_large = lead == 0xf4 && at[1] > 0x8f;
    return overlong || surrogate || too_large ? 0 : bytes;
}

static void append_character(struct text *text, const char *at, size_t bytes)
{
    static const char plain[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    const char *found = strchr(plain, *at);
    if (found) {
        char escape[2] = {'\\', letters[found - plain]};
        text_append_bytes(text, escape, sizeof escape);
    } else if ((unsigned char)*at < 0x20 || *at == 0x7f) {
        text_printf(text, "\\u%04x", (unsigned)(unsigned char)*at);
    } else {
        text_append_bytes(text, at, bytes);
    }
}

void json_append_string(struct text *text, const char *string)
{
    if (!string) {
        text_append(text, "null");
        return;
    }
    text_append(text, "\"");
    for (const char *at = string; *at;) {
        size_t bytes = character_bytes((const unsigned char *)at);
        if (bytes == 0)
            text_append(text, "\\ufffd");
        else
            append_character(text, at, bytes);
        at += bytes == 0 ? 1 : bytes;
    }
    text_append(text, "\"");
}

void json_append_value(struct text *text, struct value value)
{
    char number[VALUE_TEXT_BYTES];
    if (value.kind == VALUE_TEXT) {
        json_append_string(text, value.text);
        return;
    }
    bool finite = value.kind != VALUE_REAL || isfinite(value.real);
    text_append(text, finite && value_format(value, number, sizeof number) ? number : "null");
}

void json_append_object(struct text *text, const struct named_value *values, size_t count)
{
    text_append(text, "{");
    for (size_t i = 0; i < count; i++) {
        text_append(text, i > 0 ? "," : "");
        json_append_string(text, values[i].name);
        text_append(text, ":");
        json_append_value(text, values[i].value);
    }
    text_append(text, "}");
}
