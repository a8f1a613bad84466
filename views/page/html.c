#include "views/page/html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void escape(struct text *out, const char *string, const char *end)
{
    static const char special[] = "<>&\"'";
    static const char *const escaped[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (const char *at = string; at < end;) {
        size_t bytes = utf8_bytes(at);
        unsigned char lead = (unsigned char)*at;
        const char *found = strchr(special, *at);
        /* Control characters: those of ASCII but for blanks, and those of Latin 1 (U+0080 ...). */
        bool control = (lead < 0x20 && !strchr("\t\n", *at)) || lead == 0x7f ||
                       (lead == 0xc2 && bytes == 2 && (unsigned char)at[1] < 0xa0);
        if (found)
            text_append(out, escaped[found - special]);
        else if (bytes == 0 || control)
            text_append(out, "\xef\xbf\xbd");
        else
            text_append_bytes(out, at, bytes);
        at += bytes == 0 ? 1 : bytes;
    }
}

void html_escape(struct text *out, const char *string)
{
    escape(out, string, string + strlen(string));
}

void html_json(struct text *out, const char *json)
{
    for (const char *at = json; *at;) {
        const char *plain = at;
        while (*at >= ' ' && *at < 0x7f && *at != '<')
            at++;
        text_append_bytes(out, plain, (size_t)(at - plain));
        if (!*at)
            break;
        const size_t bytes = utf8_bytes(at);
        const unsigned long code = bytes > 0 ? utf8_code(at, bytes) : 0xfffd;
        if (bytes < 2 || code < 0xa0)
            text_printf(out, "\\u%04lx", code);
        else
            text_append_bytes(out, at, bytes);
        at += bytes > 0 ? bytes : 1;
    }
}

void html(struct text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "%");
        text_append_bytes(out, at, plain);
        at += plain;
        if (!*at)
            break;
        char *end = NULL;
        const int digits = *++at == '.' ? (int)strtol(at + 1, &end, 10) : 0;
        if (strncmp(at, "lld", 3) == 0) {
            text_printf(out, "%lld", va_arg(arguments, long long));
            at += 3;
        } else if (strncmp(at, "zu", 2) == 0) {
            text_printf(out, "%zu", va_arg(arguments, size_t));
            at += 2;
        } else if (strncmp(at, ".*s", 3) == 0) {
            const int length = va_arg(arguments, int);
            const char *string = va_arg(arguments, const char *);
            escape(out, string, string + length);
            at += 3;
        } else if (end && (*end == 'g' || *end == 'f')) {
            text_printf(out, *end == 'g' ? "%.*g" : "%.*f", digits, va_arg(arguments, double));
            at = end + 1;
        } else if (*at == 's') {
            html_escape(out, va_arg(arguments, const char *));
            at++;
        } else if (*at == 'd') {
            text_printf(out, "%d", va_arg(arguments, int));
            at++;
        } else if (*at == '%') {
            text_append(out, "%");
            at++;
        } else {
            out->failed = true; /* its argument cannot be passed over: nothing behind it is right */
            break;
        }
    }
    va_end(arguments);
}
