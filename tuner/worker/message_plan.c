/* Launch plans as JSON, and back. */
#include "tuner/worker/message.h"

/* Alignments and offsets of vectors, in bytes: more makes no sense. */
enum { VECTOR_SHIFT_MAX = 1 << 20 };

static json_t *from_launch(const struct launch *launch)
{
    json_t *arguments = json_array();
    for (size_t i = 0; i < launch->argument_count; i++)
        arguments = message_with(arguments, json_integer(launch->arguments[i]));
    return json_pack("{s:s, s:b, s:[iii], s:[iii], s:I, s:I, s:i, s:I, s:o}", "kernel",
                     launch->kernel, "dependent", (int)launch->dependent, "grid",
                     (int)launch->grid[0], (int)launch->grid[1], (int)launch->grid[2], "block",
                     (int)launch->block[0], (int)launch->block[1], (int)launch->block[2], "shared",
                     (json_int_t)launch->shared_bytes, "threads", (json_int_t)launch->threads,
                     "schedule", (int)launch->schedule, "repeat", (json_int_t)launch->repeat,
                     "arguments", arguments);
}

static json_t *from_fields(const struct argument *argument)
{
    json_t *fields = json_array();
    for (size_t i = 0; i < argument->field_count; i++)
        fields = message_with(fields, json_pack("[io]", (int)argument->fields[i].type,
                                                message_from_value(argument->fields[i].value)));
    return fields;
}

static json_t *from_argument(const struct argument *argument)
{
    json_t *scalar =
        argument->role == ARGUMENT_SCALAR ? message_from_value(argument->scalar) : json_integer(0);
    return json_pack(
        "{s:s, s:i, s:i, s:i, s:I, s:f, s:f, s:s*, s:s*, s:I, s:I, s:I, s:o, s:o}", "name",
        argument->name, "type", (int)argument->type, "role", (int)argument->role, "fill",
        (int)argument->fill, "seed", (json_int_t)argument->seed, "low", argument->fill_low, "high",
        argument->fill_high, "fill_text", argument->fill_text, "symbol", argument->symbol, "count",
        (json_int_t)argument->count, "alignment", (json_int_t)argument->alignment_bytes, "offset",
        (json_int_t)argument->offset_bytes, "scalar", scalar, "fields", from_fields(argument));
}

json_t *message_from_plan(const struct launch_plan *plan)
{
    json_t *launches = json_array();
    json_t *arguments = json_array();
    for (size_t i = 0; i < plan->launch_count; i++)
        launches = message_with(launches, from_launch(&plan->launches[i]));
    for (size_t i = 0; i < plan->argument_count; i++)
        arguments = message_with(arguments, from_argument(&plan->arguments[i]));
    return json_pack("{s:o, s:o}", "launches", launches, "arguments", arguments);
}

static bool to_triple(const json_t *json, uint32_t out[3])
{
    for (size_t i = 0; i < 3; i++) {
        json_int_t value = json_integer_value(json_array_get(json, i));
        if (value < 1 || value > INT32_MAX)
            return false;
        out[i] = (uint32_t)value;
    }
    return true;
}

static enum status to_launch(const json_t *json, size_t argument_count, struct arena *arena,
                             struct launch *out, struct error *error)
{
    const json_t *arguments = json_object_get(json, "arguments");
    int64_t shared = message_integer(json, "shared", -1);
    int64_t threads = message_integer(json, "threads", -1);
    int64_t schedule = message_integer(json, "schedule", -1);
    int64_t repeat = message_integer(json, "repeat", -1);
    if (!to_triple(json_object_get(json, "grid"), out->grid) ||
        !to_triple(json_object_get(json, "block"), out->block) ||
        !message_in_range(shared, 0, INT32_MAX) || !message_in_range(threads, 0, 65536) ||
        !message_in_range(schedule, SCHEDULE_STATIC, SCHEDULE_QUEUED) ||
        !message_in_range(repeat, 0, REPEAT_MAX) || json_array_size(arguments) > ARGUMENTS_MAX)
        return message_malformed(error, "launch");
    out->repeat = (uint32_t)repeat;
    out->shared_bytes = (uint32_t)shared;
    out->threads = (uint32_t)threads;
    out->schedule = (enum schedule)schedule;
    out->dependent = json_is_true(json_object_get(json, "dependent"));
    out->argument_count = json_array_size(arguments);
    for (size_t i = 0; i < out->argument_count; i++) {
        json_int_t index = json_integer_value(json_array_get(arguments, i));
        if (!message_in_range(index, 0, (int64_t)argument_count - 1))
            return message_malformed(error, "argument index");
        out->arguments[i] = (uint8_t)index;
    }
    out->kernel = arena_strdup(arena, message_text(json, "kernel", ""));
    return out->kernel ? STATUS_OK : error_no_memory(error);
}

static enum status to_fields(const json_t *fields, struct arena *arena, struct argument *out,
                             struct error *error)
{
    enum status status = STATUS_OK;
    size_t count = json_array_size(fields);
    if (count > FIELDS_MAX)
        return message_malformed(error, "list of fields");
    struct field *items = arena_alloc(arena, count, sizeof *items);
    if (!items)
        return error_no_memory(error);
    out->field_count = count;
    out->fields = items;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const json_t *pair = json_array_get(fields, i);
        const json_t *type = json_array_get(pair, 0);
        if (!json_is_integer(type) ||
            !message_in_range(json_integer_value(type), 0, ELEMENT_TYPE_COUNT - 1))
            return message_malformed(error, "field");
        items[i].type = (enum element_type)json_integer_value(type);
        status = message_to_value(json_array_get(pair, 1), arena, &items[i].value, error);
    }
    return status;
}

static enum status to_argument_texts(const json_t *json, struct arena *arena, struct argument *out,
                                     struct error *error)
{
    out->name = arena_strdup(arena, message_text(json, "name", ""));
    if (!out->name)
        return error_no_memory(error);
    enum status status = message_to_text(json, "fill_text", arena, &out->fill_text, error);
    if (status == STATUS_OK)
        status = message_to_text(json, "symbol", arena, &out->symbol, error);
    bool needs_text = role_is_filled(out->role) &&
                      (out->fill == FILL_SERIES || out->fill == FILL_FILE) && !out->fill_text;
    return status == STATUS_OK && needs_text ? message_malformed(error, "fill") : status;
}

static enum status to_argument(const json_t *json, struct arena *arena, struct argument *out,
                               struct error *error)
{
    int64_t type = message_integer(json, "type", -1);
    int64_t role = message_integer(json, "role", -1);
    int64_t fill = message_integer(json, "fill", -1);
    int64_t alignment = message_integer(json, "alignment", 0);
    int64_t offset = message_integer(json, "offset", 0);
    out->count = message_integer(json, "count", -1);
    if (!message_in_range(type, 0, ELEMENT_TYPE_COUNT - 1) ||
        !message_in_range(role, ARGUMENT_INPUT, ARGUMENT_STRUCT) ||
        !message_in_range(fill, FILL_ZERO, ARGUMENT_FILLS - 1) ||
        !message_in_range(out->count, 0, INT64_C(1) << 44) ||
        !message_in_range(alignment, 0, VECTOR_SHIFT_MAX) ||
        !message_in_range(offset, 0, VECTOR_SHIFT_MAX))
        return message_malformed(error, "argument");
    out->alignment_bytes = (uint32_t)alignment;
    out->offset_bytes = (uint32_t)offset;
    out->type = (enum element_type)type;
    out->role = (enum argument_role)role;
    out->fill = (enum argument_fill)fill;
    out->seed = (uint64_t)message_integer(json, "seed", 0);
    out->fill_low = message_real(json, "low", 0);
    out->fill_high = message_real(json, "high", 0);
    enum status status = to_argument_texts(json, arena, out, error);
    if (status == STATUS_OK)
        status = to_fields(json_object_get(json, "fields"), arena, out, error);
    return status == STATUS_OK
               ? message_to_value(json_object_get(json, "scalar"), arena, &out->scalar, error)
               : status;
}

enum status message_to_plan(const json_t *json, struct arena *arena, struct launch_plan *out,
                            struct error *error)
{
    const json_t *launches = json_object_get(json, "launches");
    const json_t *arguments = json_object_get(json, "arguments");
    *out = (struct launch_plan){.launch_count = json_array_size(launches),
                                .argument_count = json_array_size(arguments)};
    if (out->launch_count > LAUNCHES_MAX || out->argument_count > ARGUMENTS_MAX)
        return message_malformed(error, "plan");
    for (size_t i = 0; i < out->argument_count; i++) {
        enum status status =
            to_argument(json_array_get(arguments, i), arena, &out->arguments[i], error);
        if (status != STATUS_OK)
            return status;
    }
    for (size_t i = 0; i < out->launch_count; i++) {
        enum status status = to_launch(json_array_get(launches, i), out->argument_count, arena,
                                       &out->launches[i], error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}
