#include "tuner/base/json.h"

#include <math.h>
#include <string.h>

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
        size_t bytes = utf8_bytes(at);
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
