#include "tuner/report/html.h"

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

/* The arguments in a struct, so that a function can take from them. */
struct arguments {
    va_list list;
};

/* One conversion, `at` behind its %; what follows it. */
static const char *convert(struct text *out, const char *at, struct arguments *arguments)
{
    if (strncmp(at, "lld", 3) == 0) {
        text_printf(out, "%lld", va_arg(arguments->list, long long));
        return at + 3;
    }
    if (strncmp(at, "zu", 2) == 0) {
        text_printf(out, "%zu", va_arg(arguments->list, size_t));
        return at + 2;
    }
    if (strncmp(at, ".*s", 3) == 0) {
        int length = va_arg(arguments->list, int);
        const char *string = va_arg(arguments->list, const char *);
        escape(out, string, string + length);
        return at + 3;
    }
    if (*at == 's')
        html_escape(out, va_arg(arguments->list, const char *));
    else if (*at == 'd')
        text_printf(out, "%d", va_arg(arguments->list, int));
    else if (*at == '%')
        text_append(out, "%");
    else if (*at == '.') {
        char *end = NULL;
        int digits = (int)strtol(at + 1, &end, 10);
        double value = va_arg(arguments->list, double);
        text_printf(out, *end == 'g' ? "%.*g" : "%.*f", digits, value);
        return end + 1;
    }
    return at + 1;
}

void html(struct text *out, const char *format, ...)
{
    struct arguments arguments;
    va_start(arguments.list, format);
    for (const char *at = format; *at;) {
        size_t plain = strcspn(at, "%");
        text_append_bytes(out, at, plain);
        at += plain;
        if (*at)
            at = convert(out, at + 1, &arguments);
    }
    va_end(arguments.list);
}
