#include "tuner/worker/message.h"

#include <math.h>
#include <string.h>

#include "tuner/base/json.h"

static int64_t integer_at(const void *at, size_t bytes, bool is_signed)
{
    uint8_t small = 0;
    uint32_t middle = 0;
    int64_t large = 0;
    switch (bytes) {
    case sizeof small:
        memcpy(&small, at, sizeof small);
        return small;
    case sizeof middle:
        memcpy(&middle, at, sizeof middle);
        return is_signed ? (int64_t)(int32_t)middle : (int64_t)middle;
    default:
        memcpy(&large, at, sizeof large);
        return large;
    }
}

static int64_t absent_integer(const struct message_member *member)
{
    return member->low == INT64_MIN ? 0 : member->low;
}

static void set_integer(void *at, size_t bytes, int64_t value)
{
    const uint8_t small = (uint8_t)value;
    const uint32_t middle = (uint32_t)value;
    if (bytes == sizeof small)
        memcpy(at, &small, sizeof small);
    else if (bytes == sizeof middle)
        memcpy(at, &middle, sizeof middle);
    else
        memcpy(at, &value, sizeof value);
}

static const void *pointer_at(const void *at)
{
    const void *pointer = NULL;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static double real_at(const void *at)
{
    double real = 0;
    memcpy(&real, at, sizeof real);
    return real;
}

/* Returns a list's length. `base`: the struct with the list. */
static size_t count_of(const struct message_member *member, const char *base)
{
    return member->count_bytes == 0
               ? (size_t)member->high
               : (size_t)integer_at(base + member->count_offset, member->count_bytes, false);
}

/* ---- writing ---- */

/* Returns whether the member has the default value, which is not sent. */
static bool is_default(const struct message_member *member, const char *base)
{
    const char *at = base + member->offset;
    struct value value;
    switch (member->kind) {
    case MESSAGE_INTEGER:
        return integer_at(at, member->bytes, member->low < 0) == absent_integer(member);
    case MESSAGE_TRUTH:
        return !*(const bool *)at;
    case MESSAGE_REAL:
        return !(real_at(at) < 0) && !(real_at(at) > 0);
    case MESSAGE_KNOWN_REAL:
        return !isfinite(real_at(at));
    case MESSAGE_TEXT:
    case MESSAGE_POINTED_OBJECT:
        return !pointer_at(at);
    case MESSAGE_CHARS:
        return *at == '\0';
    case MESSAGE_VALUE:
        memcpy(&value, at, sizeof value);
        return value.kind == VALUE_INTEGER && value.integer == 0;
    case MESSAGE_LIST:
        if (member->count_bytes == 0 && member->of->bare) {
            for (size_t i = 0; i < (size_t)member->high; i++)
                if (!is_default(member->of->members, at + i * member->of->bytes))
                    return false;
            return true;
        }
        return count_of(member, base) == 0;
    case MESSAGE_POINTED_LIST:
        return count_of(member, base) == 0;
    case MESSAGE_OBJECT:
        for (size_t i = 0; i < member->of->count; i++)
            if (!is_default(&member->of->members[i], at))
                return false;
        return true;
    }
    return false;
}

static json_t *encode_member(const struct message_member *member, const char *base)
{
    const char *at = base + member->offset;
    struct value value;
    switch (member->kind) {
    case MESSAGE_INTEGER:
        return json_integer(integer_at(at, member->bytes, member->low < 0));
    case MESSAGE_TRUTH:
        return json_boolean(*(const bool *)at);
    case MESSAGE_REAL:
    case MESSAGE_KNOWN_REAL:
        return isfinite(real_at(at)) ? json_real(real_at(at)) : json_null();
    case MESSAGE_TEXT:
        return pointer_at(at) ? json_string(pointer_at(at)) : json_null();
    case MESSAGE_CHARS:
        return json_string(at);
    case MESSAGE_VALUE:
        memcpy(&value, at, sizeof value);
        return value.kind == VALUE_INTEGER   ? json_integer(value.integer)
               : value.kind == VALUE_REAL    ? json_real(value.real)
               : value.kind == VALUE_BOOLEAN ? json_boolean(value.integer)
                                             : json_string(value.text);
    case MESSAGE_LIST:
    case MESSAGE_POINTED_LIST: {
        const char *items = member->kind == MESSAGE_POINTED_LIST ? pointer_at(at) : at;
        json_t *list = json_array();
        for (size_t i = 0; list && i < count_of(member, base); i++) {
            if (json_array_append_new(
                    list, message_encode(member->of, items + i * member->of->bytes)) == 0)
                continue;
            json_decref(list);
            list = NULL;
        }
        return list;
    }
    case MESSAGE_OBJECT:
        return message_encode(member->of, at);
    case MESSAGE_POINTED_OBJECT:
        return message_encode(member->of, pointer_at(at));
    }
    return NULL;
}

json_t *message_encode(const struct message_shape *shape, const void *message)
{
    if (shape->bare)
        return encode_member(shape->members, message);
    json_t *object = json_object();
    for (size_t i = 0; object && i < shape->count; i++) {
        const struct message_member *member = &shape->members[i];
        if (is_default(member, message) ||
            json_object_set_new(object, member->name, encode_member(member, message)) == 0)
            continue;
        json_decref(object); /* never send an incomplete message */
        object = NULL;
    }
    return object;
}

/* ---- reading ---- */

/* Arena and error of a message being decoded. */
struct decoding {
    struct arena *arena;
    struct error *error;
};

static enum status malformed(const struct decoding *decoding, const char *subject)
{
    return error_set(decoding->error, STATUS_INTERNAL, "a worker message with a wrong %s", subject);
}

static enum status decode_shape(const struct decoding *decoding, const struct message_shape *shape,
                                const char *subject, const json_t *json, char *out);

static enum status decode_list(const struct decoding *decoding, const struct message_member *member,
                               const char *subject, const json_t *json, char *base)
{
    char *items = base + member->offset;
    size_t count = json_array_size(json);
    bool fits = member->parallel           ? count == count_of(member, base)
                : member->count_bytes == 0 ? count == 0 || (int64_t)count == member->high
                                           : (int64_t)count <= member->high;
    if ((json && !json_is_array(json)) || !fits)
        return malformed(decoding, subject);
    if (member->count_bytes > 0)
        set_integer(base + member->count_offset, member->count_bytes, (int64_t)count);
    if (member->kind == MESSAGE_POINTED_LIST) {
        items = count > 0 ? arena_alloc(decoding->arena, count, member->of->bytes) : NULL;
        memcpy(base + member->offset, &items, sizeof(items));
        if (count > 0 && !items)
            return error_no_memory(decoding->error);
    }
    for (size_t i = 0; i < count_of(member, base); i++)
        TRY(decode_shape(decoding, member->of, subject, json_array_get(json, i),
                         items + i * member->of->bytes));
    return STATUS_OK;
}

static enum status decode_number(const struct decoding *decoding,
                                 const struct message_member *member, const char *subject,
                                 const json_t *json, char *at)
{
    double real = member->kind == MESSAGE_REAL ? 0 : (double)NAN;
    int64_t integer = absent_integer(member);
    if (member->kind == MESSAGE_INTEGER) {
        if (json)
            integer = (int64_t)json_integer_value(json);
        if ((json && !json_is_integer(json)) || integer < member->low || integer > member->high)
            return malformed(decoding, subject);
        set_integer(at, member->bytes, integer);
        return STATUS_OK;
    }
    if (json && !json_is_number(json))
        return malformed(decoding, subject);
    if (json)
        real = json_number_value(json);
    memcpy(at, &real, sizeof real);
    return STATUS_OK;
}

/* Decodes a member; `json` is NULL if the message lacks the member. */
static enum status decode_member(const struct decoding *decoding,
                                 const struct message_member *member, const char *subject,
                                 const json_t *json, char *base)
{
    char *at = base + member->offset;
    const char *text = json_string_value(json);
    if (json_is_null(json))
        json = NULL;
    switch (member->kind) {
    case MESSAGE_INTEGER:
    case MESSAGE_REAL:
    case MESSAGE_KNOWN_REAL:
        return decode_number(decoding, member, subject, json, at);
    case MESSAGE_TRUTH:
        *(bool *)at = json_is_true(json);
        return json && !json_is_boolean(json) ? malformed(decoding, subject) : STATUS_OK;
    case MESSAGE_TEXT:
        if (!text)
            return json || member->needed ? malformed(decoding, subject) : STATUS_OK;
        text = arena_strdup(decoding->arena, text);
        memcpy(at, &text, sizeof text);
        return text ? STATUS_OK : error_no_memory(decoding->error);
    case MESSAGE_CHARS:
        (void)string_format(at, member->bytes, "%s", text ? text : "");
        return json && !text ? malformed(decoding, subject) : STATUS_OK;
    case MESSAGE_VALUE: {
        struct value value = value_integer(0);
        if (json && !json_to_value(json, &value))
            return malformed(decoding, subject);
        if (value.kind == VALUE_TEXT)
            value.text = arena_strdup(decoding->arena, value.text);
        memcpy(at, &value, sizeof value);
        return value.kind == VALUE_TEXT && !value.text ? error_no_memory(decoding->error)
                                                       : STATUS_OK;
    }
    case MESSAGE_LIST:
    case MESSAGE_POINTED_LIST:
        return decode_list(decoding, member, subject, json, base);
    case MESSAGE_OBJECT:
        return decode_shape(decoding, member->of, subject, json, at);
    case MESSAGE_POINTED_OBJECT:
        if (!json)
            return member->needed ? malformed(decoding, subject) : STATUS_OK;
        char *object = arena_alloc(decoding->arena, 1, member->of->bytes);
        memcpy(at, &object, sizeof(object));
        return object ? decode_shape(decoding, member->of, subject, json, object)
                      : error_no_memory(decoding->error);
    }
    return malformed(decoding, subject);
}

/* Decodes a struct into `out`, which is zeroed. */
static enum status decode_shape(const struct decoding *decoding, const struct message_shape *shape,
                                const char *subject, const json_t *json, char *out)
{
    if (shape->bare)
        return decode_member(decoding, shape->members, subject, json, out);
    enum status status = json && !json_is_object(json) ? malformed(decoding, subject) : STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < shape->count; i++)
        status = decode_member(decoding, &shape->members[i], shape->members[i].name,
                               json_object_get(json, shape->members[i].name), out);
    bool sound = status != STATUS_OK || !json || !shape->is_sound || shape->is_sound(out);
    return sound ? status : malformed(decoding, shape->name);
}

enum status message_decode(const struct message_shape *shape, const json_t *json,
                           struct arena *arena, void *out, struct error *error)
{
    const struct decoding decoding = {arena, error};
    memset(out, 0, shape->bytes);
    return decode_shape(&decoding, shape, shape->name, json, out);
}

/* ---- failures ---- */

json_t *message_from_error(const struct error *error)
{
    json_t *text = json_string(error->text);
    if (!text) /* a kernel's name may be invalid UTF-8 */
        text = json_string(status_text(error->status));
    return json_pack("{s:i, s:o}", "error", (int)error->status, "text", text);
}

enum status message_to_error(const json_t *message, struct error *error)
{
    const json_t *status = json_object_get(message, "error");
    if (!json_is_integer(status))
        return STATUS_OK;
    int64_t value = json_integer_value(status);
    if (value <= STATUS_OK || value > STATUS_INTERNAL)
        value = STATUS_INTERNAL;
    const char *text = json_string_value(json_object_get(message, "text"));
    return error_set(error, (enum status)value, "%s",
                     text && *text ? text : status_text((enum status)value));
}
