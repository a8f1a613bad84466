/* Writing the experiment file, line by line, each with what of the T1 file it is made of. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/exchange/internal.h"

void yaml_line(struct translation *t, const char *origin, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *line = arena_vprintf(t->arena, format, arguments);
    va_end(arguments);
    if (!line || !array_grow(&t->origins, t->line_count, &t->line_capacity, sizeof *t->origins)) {
        t->failed = true;
        return;
    }
    text_printf(&t->yaml, "%s\n", line);
    t->origins[t->line_count++] = origin;
}

/* What a plain scalar may hold without meaning something else to YAML. */
static bool is_plain(const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || text[length - 1] == ' ')
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool word =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        if (!word && (i == 0 ? c != '(' : !strchr(" ()+-*/%<>=!.,[]", c)))
            return false;
    }
    return true;
}

const char *yaml_quoted(struct translation *t, const char *text)
{
    struct text out = {0};
    text_append(&out, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_printf(&out, "\\%c", *c);
        else if (*c < ' ' || *c == 0x7f)
            text_printf(&out, "\\x%02x", *c);
        else
            text_append_bytes(&out, c, 1);
    }
    text_append(&out, "\"");
    const char *kept = t1_printf(t, "%s", text_string(&out));
    t->failed = t->failed || out.failed;
    text_free(&out);
    return kept;
}

const char *yaml_scalar(struct translation *t, const char *text)
{
    return is_plain(text) ? text : yaml_quoted(t, text);
}

const char *yaml_of_json(struct translation *t, const json_t *value)
{
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17));
    if (!dumped)
        t->failed = true;
    const char *kept = t1_printf(t, "%s", dumped ? dumped : "");
    free(dumped);
    return kept;
}

/* A line an item where there are several, for a person to read. */
static void write_ours(struct translation *t, const char *key, const json_t *value)
{
    const char *origin = t1_printf(t, "tune.%s", key);
    const json_t *item;
    const char *name;
    size_t index;
    if (json_is_string(value)) {
        yaml_line(t, origin, "%s: %s", key, yaml_scalar(t, json_string_value(value)));
    } else if (json_is_array(value) && json_array_size(value) > 0) {
        yaml_line(t, origin, "%s:", key);
        json_array_foreach(value, index, item)
        {
            yaml_line(t, t1_printf(t, "tune.%s[%zu]", key, index), "  - %s", yaml_of_json(t, item));
        }
    } else if (json_is_object(value) && json_object_size(value) > 0) {
        yaml_line(t, origin, "%s:", key);
        /* jansson's iteration takes no const object */
        json_object_foreach((json_t *)value, name, item)
        {
            yaml_line(t, t1_printf(t, "tune.%s.%s", key, name), "  %s: %s", yaml_scalar(t, name),
                      yaml_of_json(t, item));
        }
    } else {
        yaml_line(t, origin, "%s: %s", key, yaml_of_json(t, value));
    }
}

bool yaml_overridden(struct translation *t, const char *key)
{
    const json_t *value = json_member(t->tune, key);
    if (value)
        write_ours(t, key, value);
    return value != NULL;
}

void yaml_rest(struct translation *t)
{
    static const char *const placed[] = {
        "experiment", "about",    "device",  "source",      "sources",  "std",       "include",
        "flags",      "defaults", "defines", "constraints", "launches", "arguments", "check"};
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)t->tune, key, value)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof placed / sizeof placed[0]; i++)
            known = known || strcmp(placed[i], key) == 0;
        if (!known && is_name(key) && !json_is_null(value))
            write_ours(t, key, value);
        else if (!known)
            t1_ignore(t, t1_printf(t, "tune.%s", key));
    }
}
