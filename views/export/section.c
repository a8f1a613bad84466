/* Makes a section of tuned.conf from its lines: shared fields go to the heading, and fields that
 * change with every measurement to separate lines, so that two tunings differ only in lines with
 * another configuration. */
#include <string.h>

#include "tuner/base/array.h"
#include "views/export/internal.h"

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
