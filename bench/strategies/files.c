/* Spaces of the community's formats: tables of times, T4 files, caches of Kernel Tuner. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/strategies/recorded.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/exchange/csv.h"

enum { BYTES_MAX = 1 << 30 };
/* What Kernel Tuner writes as the time of what failed, where it writes a number. */
static const double failed_time = 1e19;

/* What is no number to its end is a text. */
static bool is_number(const char *text)
{
    char *end = NULL;
    (void)strtod(text, &end);
    return end != text && *end == '\0';
}

static enum status read_csv(struct recorded_rows *rows, const char *path, char *text, size_t length,
                            struct error *error)
{
    struct csv_reader reader;
    struct csv_record head, record;
    bool more = false;
    size_t time_column = SIZE_MAX;
    enum status status = csv_start(&reader, path, text, length, error);
    if (status == STATUS_OK)
        status = csv_next(&reader, &head, &more, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; more && i < head.count; i++)
        if (strcmp(head.fields[i], "time_ns") == 0)
            time_column = i;
    if (time_column == SIZE_MAX)
        return error_set(error, STATUS_BAD_INPUT, "no column is named time_ns");
    while ((status = csv_next(&reader, &record, &more, error)) == STATUS_OK && more) {
        const char *time = record.count == head.count ? record.fields[time_column] : "";
        size_t dimension = 0;
        if (record.count != head.count)
            return error_set(error, STATUS_BAD_INPUT,
                             "line %lld has %zu fields, the first line %zu", (long long)record.line,
                             record.count, head.count);
        status = recorded_add_row(rows, is_number(time) ? strtod(time, NULL) : (double)NAN, error);
        for (size_t i = 0; status == STATUS_OK && i < head.count; i++)
            if (i != time_column && strcmp(head.fields[i], "cost_ms") != 0)
                status = recorded_add_value(rows, dimension++, record.fields[i],
                                            is_number(record.fields[i]), error);
        if (status != STATUS_OK)
            return status;
    }
    return status;
}

static enum status add_json_value(struct recorded_rows *rows, size_t dimension, const json_t *value,
                                  struct error *error)
{
    char text[64];
    if (json_is_string(value))
        return recorded_add_value(rows, dimension, json_string_value(value), false, error);
    if (!json_is_number(value) && !json_is_boolean(value))
        return error_set(error, STATUS_BAD_INPUT,
                         "a parameter is missing, or neither a number nor a text");
    (void)string_format(text, sizeof text, "%.17g",
                        json_is_boolean(value) ? json_is_true(value) : json_number_value(value));
    return recorded_add_value(rows, dimension, text, true, error);
}

static double finite_time(const json_t *value, double unit_ns)
{
    const double time = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return time > 0 && time < failed_time ? time * unit_ns : (double)NAN;
}

/* A member for each configuration that was tried; times are milliseconds, and a text where it
 * failed. */
static enum status read_cache(struct recorded_rows *rows, const json_t *root, struct error *error)
{
    const json_t *keys = json_object_get(root, "tune_params_keys");
    const json_t *objective = json_object_get(root, "objective");
    const char *name = json_is_string(objective) ? json_string_value(objective) : "time";
    const char *member;
    json_t *entry;
    enum status status = STATUS_OK;
    json_object_foreach(json_object_get(root, "cache"), member, entry)
    {
        status = recorded_add_row(rows, finite_time(json_object_get(entry, name), 1e6), error);
        for (size_t i = 0; status == STATUS_OK && i < json_array_size(keys); i++) {
            const char *key = json_string_value(json_array_get(keys, i));
            status = add_json_value(rows, i, key ? json_object_get(entry, key) : NULL, error);
        }
        if (status != STATUS_OK)
            return error_prefix(error, "cache: \"%s\"", member);
    }
    return status;
}

static double t4_time(const json_t *result)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"seconds", 1e9}};
    const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
    const json_t *objectives = json_object_get(result, "objectives");
    const char *objective = json_string_value(json_array_get(objectives, 0));
    size_t i;
    json_t *measurement;
    if (invalidity && strcmp(invalidity, "correct") != 0)
        return (double)NAN;
    json_array_foreach(json_object_get(result, "measurements"), i, measurement)
    {
        const char *name = json_string_value(json_object_get(measurement, "name"));
        const char *unit = json_string_value(json_object_get(measurement, "unit"));
        double unit_ns = 1e6;
        for (size_t k = 0; unit && k < sizeof units / sizeof units[0]; k++)
            if (strcmp(units[k].name, unit) == 0)
                unit_ns = units[k].ns;
        if (name && strcmp(name, objective ? objective : "time") == 0)
            return finite_time(json_object_get(measurement, "value"), unit_ns);
    }
    return (double)NAN;
}

static enum status read_t4(struct recorded_rows *rows, const json_t *root, struct error *error)
{
    const json_t *first = NULL; /* whose order of parameters is that of all */
    size_t i;
    json_t *result;
    json_array_foreach(json_object_get(root, "results"), i, result)
    {
        const json_t *configuration = json_object_get(result, "configuration");
        const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
        const char *name;
        json_t *value;
        size_t dimension = 0;
        if (invalidity && strcmp(invalidity, "constraints") == 0)
            continue; /* no point of the space */
        first = first ? first : configuration;
        enum status status = recorded_add_row(rows, t4_time(result), error);
        json_object_foreach((json_t *)(uintptr_t)first, name, value) if (status == STATUS_OK)
            status = add_json_value(rows, dimension++, json_object_get(configuration, name), error);
        if (status != STATUS_OK)
            return error_prefix(error, "results[%zu]", i);
    }
    return STATUS_OK;
}

/* A cache that Kernel Tuner did not close ends in a comma. */
static json_t *parse(struct arena *arena, char *text, size_t length, json_error_t *wrong)
{
    json_t *root = json_loadb(text, length, 0, wrong);
    while (!root && length > 0 && strchr(", \r\n\t", text[length - 1]))
        text[--length] = '\0';
    const char *closed = root ? NULL : arena_printf(arena, "%s}}", text);
    return closed ? json_loads(closed, 0, NULL) : root;
}

static enum status read_json(struct recorded_rows *rows, char *text, size_t length,
                             struct error *error)
{
    json_error_t wrong;
    json_t *root = parse(rows->arena, text, length, &wrong);
    enum status status = STATUS_OK;
    if (!root)
        return error_set(error, STATUS_BAD_INPUT, "line %d: %s", wrong.line, wrong.text);
    if (json_is_object(json_object_get(root, "cache")))
        status = read_cache(rows, root, error);
    else if (json_is_array(json_object_get(root, "results")))
        status = read_t4(rows, root, error);
    else
        status =
            error_set(error, STATUS_BAD_INPUT,
                      "neither a T4 file (\"results\") nor a cache of Kernel Tuner (\"cache\")");
    json_decref(root);
    return status;
}

enum status recorded_read_file(const char *path, struct arena *arena, struct recorded *recorded,
                               struct error *error)
{
    struct recorded_rows rows = {.arena = arena};
    const char *name = strrchr(path, '/');
    char *text = NULL;
    size_t length = 0;
    enum status status = file_read(arena, path, BYTES_MAX, &text, &length, error);
    if (status != STATUS_OK)
        return status;
    (void)string_format(recorded->name, sizeof recorded->name, "%s", name ? name + 1 : path);
    size_t begin = strspn(text, " \r\n\t");
    if (text[begin] == '{')
        status = read_json(&rows, text, length, error);
    else
        status = read_csv(&rows, path, text, length, error);
    if (status == STATUS_OK)
        status = recorded_finish(&rows, recorded, error);
    if (status != STATUS_OK)
        (void)error_prefix(error, "%s", path);
    recorded_rows_free(&rows);
    return status;
}
