/* What stands in the file, as text for experiment files. */
#include <math.h>
#include <string.h>

#include "tuner/exchange/internal.h"

const json_t *json_member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

bool json_text(struct translation *t, const json_t *object, const char *key, const char *origin,
               const char **out)
{
    const json_t *value = json_member(object, key);
    *out = json_string_value(value);
    if (value && !*out)
        return t1_error(t, origin, "%s must be a text", key);
    return true;
}

static const char *real_text(struct translation *t, double real)
{
    char text[VALUE_TEXT_BYTES];
    if (!isfinite(real) || !value_format(value_real(real), text, sizeof text))
        return NULL;
    return t1_printf(t, "%s", text);
}

const char *json_number_text(struct translation *t, const json_t *value, bool integer)
{
    if (json_is_boolean(value))
        return json_is_true(value) ? "1" : "0";
    if (json_is_integer(value))
        return t1_printf(t, "%lld", (long long)json_integer_value(value));
    if (!json_is_real(value))
        return NULL;
    double real = json_real_value(value);
    if (integer && real == floor(real) && fabs(real) < 9e15)
        return t1_printf(t, "%.0f", real);
    return real_text(t, real);
}

bool json_expression(struct translation *t, const json_t *object, const char *key,
                     const char *origin, const char **out)
{
    const json_t *value = json_member(object, key);
    *out = NULL;
    if (!value)
        return true;
    *out = json_is_string(value) ? json_string_value(value) : json_number_text(t, value, true);
    if (!*out)
        return t1_error(t, origin, "must be a number or a text with an expression");
    return true;
}
