#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "views/explain/internal.h"

static void put_time(struct text *text, double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    while (fabs(ns) >= 999.5 && unit < 3) {
        ns /= 1000;
        unit++;
    }
    const int digits = fabs(ns) < 9.995 ? 2 : fabs(ns) < 99.95 ? 1 : 0;
    text_printf(text, "%.*f %s", unit == 0 ? 0 : digits, ns, units[unit]);
}

static void put_percent(struct text *text, double share)
{
    const double percent = 100 * share;
    const int digits = fabs(percent) < 9.995 ? 2 : fabs(percent) < 99.95 ? 1 : 0;
    text_printf(text, "%.*f %%", digits, percent);
}

static void put_number(struct text *text, double value)
{
    const int digits = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
    text_printf(text, "%.*f", value == floor(value) ? 0 : digits, value);
}

static void put_bytes(struct text *text, double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit < 3) {
        bytes /= 1024;
        unit++;
    }
    const int digits = bytes < 10 && bytes != floor(bytes) ? 1 : 0;
    text_printf(text, "%.*f %s", digits, bytes, units[unit]);
}

void append_sentence(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "%");
        text_append_bytes(text, at, plain);
        at += plain;
        if (!*at)
            break;
        const char conversion = at[1];
        at += conversion ? 2 : 1;
        if (conversion == 'T') {
            put_time(text, va_arg(arguments, double));
        } else if (conversion == 'P') {
            put_percent(text, va_arg(arguments, double));
        } else if (conversion == 'M') {
            const double share = va_arg(arguments, double);
            if (share >= 1) {
                put_number(text, 1 + share);
                text_append(text, " times as long");
            } else {
                put_percent(text, fabs(share));
                text_append(text, share < 0 ? " less" : " more");
            }
        } else if (conversion == 'B') {
            put_bytes(text, va_arg(arguments, double));
        } else if (conversion == 'N') {
            put_number(text, va_arg(arguments, double));
        } else if (conversion == 'D') {
            text_printf(text, "%lld", (long long)va_arg(arguments, int64_t));
        } else if (conversion == 'C') {
            const int64_t count = va_arg(arguments, int64_t);
            text_append(text, count_text((uint64_t)count, va_arg(arguments, const char *)).text);
        } else if (conversion == 's') {
            text_append(text, va_arg(arguments, const char *));
        } else {
            text->failed = true; /* unknown conversion: its argument's size is unknown too */
            break;
        }
    }
    va_end(arguments);
}
