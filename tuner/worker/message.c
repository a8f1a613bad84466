#include "tuner/worker/message.h"

#include <math.h>
#include <string.h>

const char *message_text(const json_t *object, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : otherwise;
}

int64_t message_integer(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : otherwise;
}

double message_real(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

enum status message_set(json_t *object, const char *key, json_t *value, struct error *error)
{
    return json_object_set_new(object, key, value) == 0 ? STATUS_OK : error_no_memory(error);
}

enum status message_append(json_t *list, json_t *item, struct error *error)
{
    return json_array_append_new(list, item) == 0 ? STATUS_OK : error_no_memory(error);
}

json_t *message_with(json_t *list, json_t *item)
{
    if (json_array_append_new(list, item) == 0)
        return list;
    json_decref(list);
    return NULL;
}

json_t *message_from_value(struct value value)
{
    switch (value.kind) {
    case VALUE_INTEGER:
        return json_integer(value.integer);
    case VALUE_REAL:
        return json_real(value.real);
    case VALUE_BOOLEAN:
        return json_boolean(value.integer);
    case VALUE_TEXT:
        return json_string(value.text);
    }
    return NULL;
}

enum status message_malformed(struct error *error, const char *what)
{
    return error_set(error, STATUS_INTERNAL, "a worker message with a wrong %s", what);
}

enum status message_to_value(const json_t *json, struct arena *arena, struct value *out,
                             struct error *error)
{
    if (json_is_integer(json))
        *out = value_integer((int64_t)json_integer_value(json));
    else if (json_is_real(json))
        *out = value_real(json_real_value(json));
    else if (json_is_boolean(json))
        *out = value_boolean(json_boolean_value(json));
    else if (json_is_string(json))
        *out = value_text(arena_strdup(arena, json_string_value(json)));
    else
        return message_malformed(error, "value");
    return out->kind == VALUE_TEXT && !out->text ? error_no_memory(error) : STATUS_OK;
}

bool message_in_range(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

enum status message_to_text(const json_t *json, const char *key, struct arena *arena,
                            const char **out, struct error *error)
{
    const char *text = message_text(json, key, NULL);
    *out = text ? arena_strdup(arena, text) : NULL;
    return text && !*out ? error_no_memory(error) : STATUS_OK;
}

static json_t *from_texts(const char *const *texts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        array = message_with(array, json_string(texts[i]));
    return array;
}

json_t *message_from_request(const struct binary_request *request)
{
    json_t *defines = json_array();
    for (size_t i = 0; i < request->define_count; i++)
        defines = message_with(defines, json_pack("[so]", request->defines[i].name,
                                                  message_from_value(request->defines[i].value)));
    json_t *units = json_array();
    for (size_t i = 0; i < request->unit_count; i++)
        units = message_with(units, json_pack("[ss?]", request->units[i], request->unit_hashes[i]));
    return json_pack("{s:s, s:s*, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "source",
                     request->source_path, "source_hash", request->source_hash, "architecture",
                     request->architecture, "units", units, "folders",
                     from_texts(request->folders, request->folder_count), "defines", defines,
                     "flags", from_texts(request->flags, request->flag_count), "kernels",
                     from_texts(request->kernels, request->kernel_count), "symbols",
                     from_texts(request->symbols, request->symbol_count));
}

static enum status to_texts(const json_t *array, size_t most, struct arena *arena, const char **out,
                            size_t *count, struct error *error)
{
    *count = json_array_size(array);
    if (*count > most)
        return message_malformed(error, "list");
    for (size_t i = 0; i < *count; i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (!text)
            return message_malformed(error, "text");
        out[i] = arena_strdup(arena, text);
        if (!out[i])
            return error_no_memory(error);
    }
    return STATUS_OK;
}

static enum status to_defines(const json_t *defines, struct arena *arena,
                              struct binary_request *out, struct error *error)
{
    out->define_count = json_array_size(defines);
    if (out->define_count > DEFINES_MAX)
        return message_malformed(error, "list of defines");
    for (size_t i = 0; i < out->define_count; i++) {
        const json_t *pair = json_array_get(defines, i);
        const char *name = json_string_value(json_array_get(pair, 0));
        if (!name)
            return message_malformed(error, "define");
        out->defines[i].name = arena_strdup(arena, name);
        if (!out->defines[i].name)
            return error_no_memory(error);
        enum status status =
            message_to_value(json_array_get(pair, 1), arena, &out->defines[i].value, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status to_units(const json_t *units, struct arena *arena, struct binary_request *out,
                            struct error *error)
{
    out->unit_count = json_array_size(units);
    if (out->unit_count > UNITS_MAX)
        return message_malformed(error, "list of units");
    for (size_t i = 0; i < out->unit_count; i++) {
        const json_t *pair = json_array_get(units, i);
        const char *path = json_string_value(json_array_get(pair, 0));
        const char *hash = json_string_value(json_array_get(pair, 1));
        if (!path)
            return message_malformed(error, "unit");
        out->units[i] = arena_strdup(arena, path);
        out->unit_hashes[i] = hash ? arena_strdup(arena, hash) : NULL;
        if (!out->units[i] || (hash && !out->unit_hashes[i]))
            return error_no_memory(error);
    }
    return STATUS_OK;
}

/* What has lists, the defines aside. */
static enum status to_request_lists(const json_t *json, struct arena *arena,
                                    struct binary_request *out, struct error *error)
{
    enum status status = to_units(json_object_get(json, "units"), arena, out, error);
    if (status == STATUS_OK)
        status = to_texts(json_object_get(json, "folders"), UNITS_MAX, arena, out->folders,
                          &out->folder_count, error);
    if (status == STATUS_OK)
        status = to_texts(json_object_get(json, "flags"), FLAGS_MAX, arena, out->flags,
                          &out->flag_count, error);
    if (status == STATUS_OK)
        status = to_texts(json_object_get(json, "kernels"), LAUNCHES_MAX, arena, out->kernels,
                          &out->kernel_count, error);
    if (status == STATUS_OK)
        status = to_texts(json_object_get(json, "symbols"), ARGUMENTS_MAX, arena, out->symbols,
                          &out->symbol_count, error);
    return status;
}

enum status message_to_request(const json_t *json, struct arena *arena, struct binary_request *out,
                               struct error *error)
{
    *out = (struct binary_request){0};
    out->source_path = arena_strdup(arena, message_text(json, "source", ""));
    out->architecture = arena_strdup(arena, message_text(json, "architecture", ""));
    if (!out->source_path || !out->architecture)
        return error_no_memory(error);
    enum status status = message_to_text(json, "source_hash", arena, &out->source_hash, error);
    if (status == STATUS_OK)
        status = to_defines(json_object_get(json, "defines"), arena, out, error);
    return status == STATUS_OK ? to_request_lists(json, arena, out, error) : status;
}

json_t *message_from_facts(const struct facts *facts)
{
    json_t *array = json_array();
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->items[i];
        array = message_with(array, json_pack("[ssso]", fact->key, fact->label, fact->unit,
                                              message_from_value(fact->value)));
    }
    return array;
}

enum status message_to_facts(const json_t *json, struct facts *out, struct error *error)
{
    for (size_t i = 0; i < json_array_size(json); i++) {
        const json_t *row = json_array_get(json, i);
        const char *key = json_string_value(json_array_get(row, 0));
        const char *label = json_string_value(json_array_get(row, 1));
        const char *unit = json_string_value(json_array_get(row, 2));
        struct value value;
        if (!key || !label || !unit)
            return message_malformed(error, "fact");
        enum status status = message_to_value(json_array_get(row, 3), &out->arena, &value, error);
        if (status != STATUS_OK)
            return status;
        facts_add(out, key, label, unit, value);
    }
    return out->failed ? error_no_memory(error) : STATUS_OK;
}

json_t *message_from_resources(const struct kernel_resources *resources)
{
    return json_pack(
        "{s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:i, s:i}", "registers", resources->registers,
        "static_shared", resources->static_shared_bytes, "local", resources->local_bytes, "spill",
        resources->spill_bytes, "max_threads", resources->max_threads_per_block, "active_blocks",
        resources->active_blocks_per_sm, "occupancy", resources->occupancy, "suggested_block",
        resources->suggested_block, "suggested_grid", resources->suggested_grid);
}

static int32_t resource(const json_t *json, const char *key)
{
    int64_t value = message_integer(json, key, -1);
    return message_in_range(value, -1, INT32_MAX) ? (int32_t)value : -1;
}

enum status message_to_resources(const json_t *json, struct kernel_resources *out,
                                 struct error *error)
{
    if (!json_is_object(json))
        return message_malformed(error, "list of resources");
    *out = (struct kernel_resources){
        .registers = resource(json, "registers"),
        .static_shared_bytes = resource(json, "static_shared"),
        .local_bytes = resource(json, "local"),
        .spill_bytes = resource(json, "spill"),
        .max_threads_per_block = resource(json, "max_threads"),
        .active_blocks_per_sm = resource(json, "active_blocks"),
        .occupancy = message_real(json, "occupancy", -1),
        .suggested_block = resource(json, "suggested_block"),
        .suggested_grid = resource(json, "suggested_grid"),
    };
    return STATUS_OK;
}

/* JSON has no NaN. */
static json_t *real_or_null(double real)
{
    return isfinite(real) ? json_real(real) : json_null();
}

json_t *message_from_conditions(const struct conditions *conditions)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I}", "sm_clock_mhz",
        real_or_null(conditions->sm_clock_mhz), "memory_clock_mhz",
        real_or_null(conditions->memory_clock_mhz), "temperature_c",
        real_or_null(conditions->temperature_c), "power_w", real_or_null(conditions->power_w),
        "energy_j", real_or_null(conditions->energy_j), "throttle",
        (json_int_t)conditions->throttle, "ecc_errors", (json_int_t)conditions->ecc_errors,
        "other_processes", (json_int_t)conditions->other_processes);
}

void message_to_conditions(const json_t *json, struct conditions *out)
{
    *out = (struct conditions){
        .sm_clock_mhz = message_real(json, "sm_clock_mhz", NAN),
        .memory_clock_mhz = message_real(json, "memory_clock_mhz", NAN),
        .temperature_c = message_real(json, "temperature_c", NAN),
        .power_w = message_real(json, "power_w", NAN),
        .energy_j = message_real(json, "energy_j", NAN),
        .throttle = message_integer(json, "throttle", -1),
        .ecc_errors = message_integer(json, "ecc_errors", -1),
        .other_processes = message_integer(json, "other_processes", -1),
    };
}

json_t *message_from_results(const struct worker_results *results)
{
    return json_pack("{s:I, s:b, s:b, s:b, s:[b, b], s:[I, I], s:I}", "outputs",
                     (json_int_t)results->outputs, "exact", (int)results->exact, "unsteady",
                     (int)results->unsteady, "unsure", (int)results->unsure, "known",
                     (int)results->known[0], (int)results->known[1], "sums",
                     (json_int_t)results->sums[0], (json_int_t)results->sums[1], "compared",
                     (json_int_t)results->compared);
}

void message_to_results(const json_t *json, struct worker_results *out)
{
    *out = (struct worker_results){
        .outputs = (uint32_t)message_integer(json, "outputs", 0),
        .exact = json_is_true(json_object_get(json, "exact")),
        .unsteady = json_is_true(json_object_get(json, "unsteady")),
        .unsure = json_is_true(json_object_get(json, "unsure")),
        .compared = message_integer(json, "compared", 0),
    };
    for (size_t i = 0; i < WORKER_SIDES; i++) {
        out->known[i] = json_is_true(json_array_get(json_object_get(json, "known"), i));
        out->sums[i] =
            (uint64_t)json_integer_value(json_array_get(json_object_get(json, "sums"), i));
    }
}

enum status message_to_samples(const json_t *json, struct worker_samples *out, struct error *error)
{
    const json_t *list = json_object_get(json, "samples");
    int64_t runs = message_integer(json, "runs", 0);
    *out =
        (struct worker_samples){.runs = message_in_range(runs, 1, INT32_MAX) ? (uint32_t)runs : 0};
    if (json_array_size(list) > WORKER_SAMPLES_MAX)
        return message_malformed(error, "count of samples");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *sample = json_array_get(list, i);
        if (!json_is_number(sample))
            return message_malformed(error, "sample");
        out->elapsed_ns[out->count++] = json_number_value(sample);
    }
    return STATUS_OK;
}

json_t *message_from_error(const struct error *error)
{
    json_t *text = json_string(error->text);
    if (!text) /* a kernel's own name may be no UTF-8 */
        text = json_string(status_text(error->status));
    return json_pack("{s:i, s:o}", "error", (int)error->status, "text", text);
}

enum status message_to_error(const json_t *message, struct error *error)
{
    const json_t *status = json_object_get(message, "error");
    if (!json_is_integer(status))
        return STATUS_OK;
    int64_t value = json_integer_value(status);
    if (!message_in_range(value, STATUS_OK + 1, STATUS_INTERNAL))
        value = STATUS_INTERNAL;
    const char *text = message_text(message, "text", "");
    return error_set(error, (enum status)value, "%s",
                     *text ? text : status_text((enum status)value));
}
