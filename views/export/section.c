/* Fields of tuned.conf, and a section made from its lines: shared fields go to the heading, and
 * fields that change with every measurement to separate lines, so that two tunings differ only in
 * lines with another configuration. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "tuner/base/array.h"
#include "views/export/internal.h"

/* ---- fields ---- */

/* Returns true if libtuned reads the text unquoted. */
static bool is_word(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c >= 0x7f || strchr("\"\\|#=[]", *c))
            return false;
    return text[0] != '\0';
}

void append_quoted(struct text *out, const char *text)
{
    text_append(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            text_append(out, "\\");
        text_append_bytes(out, text, 1);
    }
    text_append(out, "\"");
}

void append_field(struct text *out, const char *name, const char *value)
{
    text_printf(out, " %s=", name);
    if (is_word(value))
        text_append(out, value);
    else
        append_quoted(out, value);
}

void append_known(struct text *out, const char *name, const char *value)
{
    if (value && value[0] != '\0')
        append_field(out, name, value);
}

void append_count(struct text *out, const char *name, int64_t value)
{
    if (value > 0)
        text_printf(out, " %s=%lld", name, (long long)value);
}

void append_decimal(struct text *out, const char *name, int decimals, double value)
{
    char digits[VALUE_TEXT_BYTES];
    if (!isfinite(value) || !string_format(digits, sizeof digits, "%.*f", decimals, value))
        return;
    char *end = digits + strlen(digits);
    if (strchr(digits, '.')) {
        while (end[-1] == '0')
            *--end = '\0';
        if (end[-1] == '.')
            end[-1] = '\0';
    }
    append_field(out, name, digits);
}

/* Appends a bound as append_decimal does, rounded up. */
void append_bound(struct text *out, const char *name, int decimals, double value)
{
    double unit = pow(10, decimals);
    append_decimal(out, name, decimals, ceil(value * unit - 1e-6) / unit + 0.0); /* no -0 */
}

void append_value(struct text *out, const char *name, const json_t *value)
{
    char text[VALUE_TEXT_BYTES];
    if (json_is_string(value))
        append_field(out, name, json_string_value(value));
    else if (json_is_integer(value))
        text_printf(out, " %s=%lld", name, (long long)json_integer_value(value));
    else if (json_is_boolean(value))
        append_field(out, name, json_is_true(value) ? "true" : "false");
    else if (json_is_real(value) &&
             value_format(value_real(json_real_value(value)), text, sizeof text))
        append_field(out, name, text);
}

/* Appends a JSON object's members in order, except those in `but` (NULL: none). */
void append_members(struct text *out, json_t *object, const json_t *but)
{
    void *at = json_object_iter(object);
    for (; at; at = json_object_iter_next(object, at))
        if (!json_object_get(but, json_object_iter_key(at)))
            append_value(out, json_object_iter_key(at), json_object_iter_value(at));
}

int64_t geometric_middle(int64_t low, int64_t high)
{
    int64_t middle = (int64_t)floor(sqrt((double)low * (double)high));
    return middle < low ? low : middle >= high ? high - 1 : middle;
}

/* ---- sections ---- */

/* A piece of a line: ` NAME=VALUE`, or all that stands before the '|'. */
struct piece {
    const char *text;
    size_t length;
};

/* Fields on the origin of entries: in the heading if most lines agree. */
static const char *const shared[] = {"verdict", "coverage", "stage", "l2",     "confidence",
                                     "date",    "source",   "flags", "samples"};

static bool is_named(struct piece field, const char *name)
{
    const size_t length = strlen(name);
    return field.length > length + 1 && strncmp(field.text + 1, name, length) == 0 &&
           field.text[length + 1] == '=';
}

/* Returns true for fields that change each time a configuration is measured. */
static bool is_changing(struct piece field)
{
    static const char *const names[] = {
        "time_ns",       "mad_ns",          "value",    "energy_j",
        "bound_percent", "ceiling_percent", "as_fast",  "not_compared",
        "claim_percent", "compared",        "inputs",   "worst_loss_percent",
        "loss_percent",  "states",          "dirty_ns", "hot_ns"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (is_named(field, names[i]))
            return true;
    for (size_t i = 0; i < COUNT(shared); i++)
        if (is_named(field, shared[i]))
            return true;
    return strncmp(field.text, " gain.", 6) == 0;
}

/* Takes a blank and the text up to the next one or the line's end, with quotes as written by
 * append_field. Advances *at. */
static struct piece take_field(const char **at)
{
    struct piece field = {*at, 0};
    bool is_quoted = false;
    do {
        if (is_quoted && **at == '\\')
            ++*at;
        else if (**at == '"')
            is_quoted = !is_quoted;
        ++*at;
    } while (**at && **at != '\n' && (is_quoted || **at != ' '));
    field.length = (size_t)(*at - field.text);
    return field;
}

/* Takes the text before the line's '|', and advances *at behind it. */
static struct piece take_values(const char **at)
{
    struct piece values = {*at, 0};
    while (**at != '\n') {
        const struct piece field = take_field(at);
        if (field.length == 2 && field.text[1] == '|')
            break;
        values.length = (size_t)(*at - values.text);
    }
    return values;
}

static bool is_same(struct piece a, struct piece b)
{
    return a.length == b.length && strncmp(a.text, b.text, a.length) == 0;
}

/* Finds the field's most common text, if all lines have the field; the first among equals. The
 * length is 0 if there is none. */
static struct piece find_common(const char *lines, const char *name)
{
    struct {
        struct piece field;
        size_t count;
    } found[32] = {0}, most = {0};
    size_t line_count = 0, having = 0, distinct = 0;
    for (const char *at = lines; *at; at++) {
        line_count++;
        (void)take_values(&at);
        while (*at != '\n') {
            const struct piece field = take_field(&at);
            size_t i = 0;
            if (!is_named(field, name))
                continue;
            having++;
            while (i < distinct && !is_same(found[i].field, field))
                i++;
            if (i == distinct && distinct < COUNT(found))
                found[distinct++].field = field;
            if (i < distinct)
                found[i].count++;
        }
    }
    for (size_t i = 0; i < distinct; i++)
        if (found[i].count > most.count)
            memcpy(&most, &found[i], sizeof most);
    return having == line_count && most.count > 1 ? most.field : (struct piece){"", 0};
}

void section_append(struct text *out, const char *heading, const struct text *lines)
{
    struct piece common[COUNT(shared)];
    if (lines->length == 0)
        return;
    text_printf(out, "\n%s", heading);
    for (size_t i = 0; i < COUNT(shared); i++) {
        common[i] = find_common(lines->data, shared[i]);
        text_append_bytes(out, common[i].text, common[i].length);
    }
    text_append(out, "\n");
    for (const char *at = lines->data; *at; at++) {
        struct text changing = {0};
        const struct piece values = take_values(&at);
        text_append_bytes(out, values.text, values.length);
        text_append(out, " |");
        while (*at != '\n') {
            const struct piece field = take_field(&at);
            bool is_common = false;
            for (size_t k = 0; k < COUNT(shared); k++)
                is_common = is_common || is_same(field, common[k]);
            if (!is_common)
                text_append_bytes(is_changing(field) ? &changing : out, field.text, field.length);
        }
        if (changing.length > 0)
            text_printf(out, "\n  |%s", text_string(&changing));
        text_append(out, "\n");
        out->failed = out->failed || changing.failed;
        text_free(&changing);
    }
    out->failed = out->failed || lines->failed;
}
