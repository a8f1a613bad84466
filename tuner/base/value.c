#include "tuner/base/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"

bool value_number(struct value value, double *out)
{
    if (value.kind == VALUE_TEXT)
        return false;
    *out = value.kind == VALUE_REAL ? value.real : (double)value.integer;
    return true;
}

/* Converts exactly: a long double with a mantissa of 64 bits holds every int64_t and every
 * double. */
static long double exact_number(struct value value)
{
    return value.kind == VALUE_REAL ? (long double)value.real : (long double)value.integer;
}

int value_order(struct value a, struct value b)
{
    if (value_is_integer(a) && value_is_integer(b))
        return (a.integer > b.integer) - (a.integer < b.integer);
    return (exact_number(a) > exact_number(b)) - (exact_number(a) < exact_number(b));
}

bool value_equal(struct value a, struct value b)
{
    if (a.kind == VALUE_TEXT || b.kind == VALUE_TEXT)
        return a.kind == b.kind && strcmp(a.text, b.text) == 0;
    if (value_is_integer(a) && value_is_integer(b))
        return a.integer == b.integer;
    return exact_number(a) == exact_number(b);
}

bool value_format(struct value value, char *out, size_t bytes)
{
    switch (value.kind) {
    case VALUE_INTEGER:
        return string_format(out, bytes, "%lld", (long long)value.integer);
    case VALUE_REAL: {
        /* Use the fewest of 15 to 17 digits that read back as the same number, always with a point
         * or an exponent, so that the text reads back as a real. */
        bool fits = false;
        for (int digits = 15; digits <= 17; digits++) {
            fits = string_format(out, bytes, "%.*g", digits, value.real);
            if (fits && strtod(out, NULL) == value.real)
                break;
        }
        if (fits && isfinite(value.real) && !strpbrk(out, ".e")) {
            size_t length = strlen(out);
            fits = string_format(out + length, bytes - length, ".0");
        }
        return fits;
    }
    case VALUE_BOOLEAN:
        return string_format(out, bytes, "%s", value.integer ? "true" : "false");
    case VALUE_TEXT:
        return string_format(out, bytes, "%s", value.text);
    }
    return false;
}
