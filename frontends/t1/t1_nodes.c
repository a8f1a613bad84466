/* Errors, reading JSON values, and making nodes. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/t1/internal.h"
#include "tuner/base/array.h"
#include "tuner/base/files.h"

bool t1_error(struct translation *t, const char *origin, const char *format, ...)
{
    char text[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)error_set(t->error, STATUS_BAD_INPUT, "%s: %s: %s", t->path, origin ? origin : "the file",
                    text);
    return false;
}

const char *t1_printf(struct translation *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(&t->document->arena, format, arguments);
    va_end(arguments);
    t->failed |= !text;
    return text ? text : "";
}

const char *t1_path(struct translation *t, const char *name)
{
    return name[0] == '/'
               ? name
               : t1_printf(t, "%.*s%s", (int)(path_file(t->path) - t->path), t->path, name);
}

void t1_ignore(struct translation *t, const char *key)
{
    enum { IGNORED_BYTES_MAX = 4096 };
    const size_t length = strlen(key);
    const char *const all = text_string(&t->ignored);
    for (const char *at = length > 0 ? strstr(all, key) : NULL; at; at = strstr(at + length, key))
        if ((at == all || at[-1] == ' ') && (at[length] == '\0' || at[length] == ','))
            return;
    if (length > 0 && t->ignored.length < IGNORED_BYTES_MAX)
        text_printf(&t->ignored, "%s%s", t->ignored.length ? ", " : "", key);
}

/* ---- JSON ---- */

const json_t *json_member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

const char *json_word(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

const json_t *json_item(const json_t *value, size_t index)
{
    return json_is_array(value) ? json_array_get(value, index) : index == 0 ? value : NULL;
}

bool json_has_text(const json_t *object, const char *key, const char *text)
{
    const char *its = json_word(object, key);
    return its && strcmp(its, text) == 0;
}

bool json_text(struct translation *t, const json_t *object, const char *key, const char *origin,
               const char **out)
{
    *out = json_word(object, key);
    return *out || !json_member(object, key) || t1_error(t, origin, "%s must be a text", key);
}

const char *json_number_text(struct translation *t, const json_t *value, bool integer)
{
    char text[VALUE_TEXT_BYTES];
    const double real = json_number_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "1" : "0";
    if (json_is_integer(value))
        return t1_printf(t, "%lld", (long long)json_integer_value(value));
    if (!json_is_real(value))
        return NULL;
    if (integer && real == floor(real) && fabs(real) < 9e15)
        return t1_printf(t, "%.0f", real);
    return isfinite(real) && value_format(value_real(real), text, sizeof text)
               ? t1_printf(t, "%s", text)
               : NULL;
}

const char *json_dumped(struct translation *t, const json_t *value)
{
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17));
    const char *kept = t1_printf(t, "%s", dumped ? dumped : "");
    t->failed |= !dumped;
    free(dumped);
    return kept;
}

/* ---- nodes ---- */

/* Returns the number of an origin. Consecutive equal origins share one. */
static uint32_t number_of(struct translation *t, const char *origin)
{
    if (!origin)
        return 0;
    if (t->origin_count > 0 && t->origins[t->origin_count - 1] == origin)
        return (uint32_t)t->origin_count;
    if (!array_grow(&t->origins, t->origin_count, &t->origin_capacity, sizeof *t->origins)) {
        t->failed = true;
        return 0;
    }
    t->origins[t->origin_count++] = origin;
    t->document->file->origins = t->origins;
    t->document->file->origin_count = t->origin_count;
    return (uint32_t)t->origin_count;
}

static struct node *add_node(struct translation *t, struct node *parent, const char *key,
                             const char *origin, enum node_kind kind, const char *text, bool plain)
{
    const struct place place = {t->document->file, number_of(t, origin), 1};
    const char *name = key ? arena_strdup(&t->document->arena, key) : NULL;
    const char *kept = text ? arena_strdup(&t->document->arena, text) : NULL;
    struct node *node = document_node(t->document, kind, place, kept, plain);
    struct node *child =
        key ? document_node(t->document, NODE_SCALAR, place, name, document_is_plain(key)) : node;
    t->failed |= !node || !child || (text && !kept) || (key && !name);
    if (t->failed)
        return &t->spare;
    if (key)
        child->value = node;
    if (parent)
        t->failed = document_add(t->document, parent, child, t->error) != STATUS_OK;
    return node;
}

struct node *put_list(struct translation *t, struct node *parent, const char *key,
                      const char *origin)
{
    return add_node(t, parent, key, origin, NODE_LIST, NULL, false);
}

struct node *put_mapping(struct translation *t, struct node *parent, const char *key,
                         const char *origin)
{
    return add_node(t, parent, key, origin, NODE_MAPPING, NULL, false);
}

void put_text(struct translation *t, struct node *parent, const char *key, const char *origin,
              const char *text)
{
    (void)add_node(t, parent, key, origin, NODE_SCALAR, text, document_is_plain(text));
}

void put_quoted(struct translation *t, struct node *parent, const char *key, const char *origin,
                const char *text)
{
    (void)add_node(t, parent, key, origin, NODE_SCALAR, text, false);
}

/* Adds a JSON value; `deep` bounds the recursion. */
static void put_value(struct translation *t, struct node *parent, const char *key,
                      const char *origin, const json_t *value, int levels, int deep)
{
    const char *name;
    const json_t *item;
    size_t index;
    if (deep > DOCUMENT_DEPTH_MAX) {
        t->failed = true;
        (void)t1_error(t, origin, "nested too deeply");
    } else if (json_is_array(value)) {
        struct node *list = put_list(t, parent, key, origin);
        list->flow = levels == 0;
        json_array_foreach(value, index, item)
        {
            const char *of = levels > 0 ? t1_printf(t, "%s[%zu]", origin, index) : origin;
            put_value(t, list, NULL, of, item, levels > 0 ? levels - 1 : 0, deep + 1);
        }
    } else if (json_is_object(value)) {
        struct node *mapping = put_mapping(t, parent, key, origin);
        mapping->flow = levels == 0;
        /* jansson's iteration takes no const object */
        json_object_foreach((json_t *)value, name, item)
        {
            const char *of = levels > 0 ? t1_printf(t, "%s.%s", origin, name) : origin;
            put_value(t, mapping, name, of, item, levels > 0 ? levels - 1 : 0, deep + 1);
        }
    } else if (json_is_string(value)) {
        put_quoted(t, parent, key, origin, json_string_value(value));
    } else {
        (void)add_node(t, parent, key, origin, NODE_SCALAR, json_dumped(t, value), true);
    }
}

void put_json(struct translation *t, struct node *parent, const char *key, const char *origin,
              const json_t *value, int levels)
{
    put_value(t, parent, key, origin, value, levels, 1);
}

bool put_ours(struct translation *t, const char *key)
{
    const json_t *value = json_member(t->tune, key);
    const char *origin = t1_printf(t, "tune.%s", key);
    if (json_is_string(value))
        put_text(t, t->root_node, key, origin, json_string_value(value));
    else if (value)
        put_json(t, t->root_node, key, origin, value, 1);
    return value != NULL;
}
