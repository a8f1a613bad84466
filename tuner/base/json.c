#include "tuner/base/json.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void json_append_string(struct text *text, const char *string)
{
    if (!string) {
        text_append(text, "null");
        return;
    }
    text_append(text, "\"");
    for (const char *at = string; *at;) {
        size_t bytes = utf8_bytes(at);
        if (bytes == 0) {
            text_append(text, "\\ufffd");
        } else {
            static const char plain[] = "\"\\\b\f\n\r\t";
            static const char letters[] = "\"\\bfnrt";
            const char *found = strchr(plain, *at);
            if (found) {
                char escape[2] = {'\\', letters[found - plain]};
                text_append_bytes(text, escape, sizeof escape);
            } else if ((unsigned char)*at < 0x20 || *at == 0x7f) {
                text_printf(text, "\\u%04x", (unsigned)(unsigned char)*at);
            } else {
                text_append_bytes(text, at, bytes);
            }
        }
        at += bytes == 0 ? 1 : bytes;
    }
    text_append(text, "\"");
}

void json_append_value(struct text *text, struct value value)
{
    char number[VALUE_TEXT_BYTES];
    if (value.kind == VALUE_TEXT) {
        json_append_string(text, value.text);
        return;
    }
    bool finite = value.kind != VALUE_REAL || isfinite(value.real);
    text_append(text, finite && value_format(value, number, sizeof number) ? number : "null");
}

void json_append_object(struct text *text, const struct named_value *values, size_t count)
{
    text_append(text, "{");
    for (size_t i = 0; i < count; i++) {
        text_append(text, i > 0 ? "," : "");
        json_append_string(text, values[i].name);
        text_append(text, ":");
        json_append_value(text, values[i].value);
    }
    text_append(text, "}");
}

static _Thread_local bool allocation_failed;

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        allocation_failed = true;
    return memory;
}

static void watch_allocations(void)
{
    json_set_alloc_funcs(allocate, free);
}

size_t json_mark_bytes(const char *json, size_t bytes)
{
    static const char mark[] = "\xef\xbb\xbf";
    return bytes >= 3 && memcmp(json, mark, 3) == 0 ? 3 : 0;
}

json_t *json_read_bytes(const char *json, size_t bytes, size_t flags, json_error_t *problem)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_allocations);
    allocation_failed = false;
    const size_t mark_bytes = json_mark_bytes(json, bytes);
    json_t *value = json_loadb(json + mark_bytes, bytes - mark_bytes, flags, problem);
    if (!allocation_failed)
        return value;
    json_decref(value);
    if (problem)
        (void)snprintf(problem->text, sizeof problem->text, "out of memory");
    return NULL;
}

json_t *json_read(const char *json, size_t flags, json_error_t *problem)
{
    const char *text = json ? json : "";
    return json_read_bytes(text, strlen(text), flags, problem);
}

bool json_to_value(const json_t *json, struct value *out)
{
    if (json_is_integer(json))
        *out = value_integer((int64_t)json_integer_value(json));
    else if (json_is_real(json))
        *out = value_real(json_real_value(json));
    else if (json_is_boolean(json))
        *out = value_boolean(json_is_true(json));
    else if (json_is_string(json))
        *out = value_text(json_string_value(json));
    else
        return false;
    return true;
}
