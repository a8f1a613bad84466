#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tuner/explain/internal.h"

void put_time(struct text *out, double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    while (fabs(ns) >= 999.5 && unit < 3) {
        ns /= 1000;
        unit++;
    }
    const int digits = fabs(ns) < 9.995 ? 2 : fabs(ns) < 99.95 ? 1 : 0;
    text_printf(out, "%.*f %s", unit == 0 ? 0 : digits, ns, units[unit]);
}

void put_percent(struct text *out, double share)
{
    const double percent = 100 * share;
    const int digits = fabs(percent) < 9.995 ? 2 : fabs(percent) < 99.95 ? 1 : 0;
    text_printf(out, "%.*f %%", digits, percent);
}

void put_more(struct text *out, double share)
{
    if (share >= 1) {
        put_number(out, 1 + share);
        text_append(out, " times as long");
        return;
    }
    put_percent(out, fabs(share));
    text_append(out, share < 0 ? " less" : " more");
}

void put_bytes(struct text *out, double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit < 3) {
        bytes /= 1024;
        unit++;
    }
    const int digits = bytes < 10 && bytes != floor(bytes) ? 1 : 0;
    text_printf(out, "%.*f %s", digits, bytes, units[unit]);
}

void put_number(struct text *out, double value)
{
    const int digits = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
    text_printf(out, "%.*f", value == floor(value) ? 0 : digits, value);
}

void put_count(struct text *out, int64_t count, const char *noun)
{
    text_printf(out, "%" PRId64 " %s%s", count, noun,
                count == 1                      ? ""
                : noun[strlen(noun) - 1] == 'h' ? "es"
                                                : "s");
}
