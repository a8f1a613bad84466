#include "tuner/exchange/tried.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "tuner/exchange/csv.h"

/* Kernel Tuner's number for the time of a failed configuration. */
static const double failed_time = 1e19;

static enum status add_value(struct tried *tried, const char *name, const json_t *value,
                             struct error *error)
{
    if (tried->count == TRIED_VALUES_MAX)
        return error_set(error, STATUS_BAD_INPUT, "more than %d parameters", TRIED_VALUES_MAX);
    struct tried_value *out = &tried->values[tried->count];
    char *number = tried->numbers[tried->count++];
    *out = (struct tried_value){.name = name, .text = json_string_value(value)};
    if (out->text)
        return STATUS_OK;
    if (!json_is_number(value) && !json_is_boolean(value))
        return error_set(error, STATUS_BAD_INPUT,
                         "a parameter is missing, or neither a number nor a text");
    const double real = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
    for (int digits = 15; digits <= 17; digits++) {
        (void)string_format(number, TRIED_NUMBER_BYTES, "%.*g", digits, real);
        if (strtod(number, NULL) == real)
            break;
    }
    out->text = number;
    out->is_number = true;
    return STATUS_OK;
}

static double finite_time(const json_t *value, double unit_ns)
{
    const double time = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return time > 0 && time < failed_time ? time * unit_ns : (double)NAN;
}

static double sum_of(const json_t *object, const char *const *names, size_t count, double unit_ns)
{
    double sum_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(object, names[i]);
        size_t index = 0;
        const json_t *item;
        const double one = json_number_value(value) * unit_ns;
        sum_ns += one > 0 && isfinite(one) ? one : 0;
        json_array_foreach(value, index, item) sum_ns += fmax(0, json_number_value(item)) * unit_ns;
    }
    return sum_ns;
}

/* Refuses an objective other than time: of scores and GFLOP/s more are better. */
static enum status refuse_objective(const char *objective, struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT,
                     "its objective is '%.60s', and no configuration has a time: only times are "
                     "replayed",
                     objective);
}

/* Reads a member for each tried configuration; times are milliseconds, and a failure is a text in
 * place of the objective. */
static enum status read_cache(const json_t *root, struct tried *tried, tried_take *take,
                              void *context, struct error *error)
{
    static const char *const costs[] = {"compile_time", "verification_time", "benchmark_time",
                                        "framework_time"};
    const json_t *keys = json_object_get(root, "tune_params_keys");
    const json_t *objective = json_object_get(root, "objective");
    const char *name = json_is_string(objective) ? json_string_value(objective) : "time";
    bool has_times = strcmp(name, "time") == 0;
    tried->device = json_string_value(json_object_get(root, "device_name"));
    const char *member;
    json_t *entry;
    json_object_foreach(json_object_get(root, "cache"), member, entry)
    {
        const json_t *time = json_object_get(entry, "time");
        const char *why = json_string_value(json_object_get(entry, name));
        const char *failure = why ? why : json_string_value(time);
        tried->count = 0;
        tried->time_ns = failure ? (double)NAN : finite_time(time, 1e6);
        has_times = has_times || !isnan(tried->time_ns);
        tried->failure = failure ? failure : "";
        tried->cost_ns = sum_of(entry, costs, sizeof costs / sizeof *costs, 1e6);
        enum status status = STATUS_OK;
        for (size_t i = 0; status == STATUS_OK && i < json_array_size(keys); i++) {
            const char *key = json_string_value(json_array_get(keys, i));
            status =
                add_value(tried, key ? key : "", key ? json_object_get(entry, key) : NULL, error);
        }
        if (status == STATUS_OK)
            status = take(context, tried, error);
        if (status != STATUS_OK)
            return error_prefix(error, "cache: \"%s\"", member);
    }
    return has_times ? STATUS_OK : refuse_objective(name, error);
}

/* Returns the nanoseconds of a unit as tools write units, in any case of letters; Kernel Tuner
 * wrote "miliseconds" for years. NaN: no unit of time. `absent_ns`: for a missing or empty unit. */
static double named_unit(const char *unit, double absent_ns)
{
    static const struct {
        const char *names[8];
        double ns;
    } units[] = {
        {{"ns", "nsec", "nanosecond", "nanoseconds"}, 1},
        {{"us", "usec", "microsecond", "microseconds", "\u00b5s", "\u03bcs"}, 1e3},
        {{"ms", "msec", "millisecond", "milliseconds", "miliseconds"}, 1e6},
        {{"s", "sec", "second", "seconds"}, 1e9},
    };
    if (!unit || !*unit)
        return absent_ns;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (const char *const *name = units[i].names; *name; name++)
            if (strcasecmp(*name, unit) == 0)
                return units[i].ns;
    return (double)NAN;
}

static enum status refuse_unit(const char *what, const char *unit, struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT,
                     "the unit of '%s' is '%.60s', which is none of time: ns, us, ms, s", what,
                     unit);
}

static const char *t4_objective(const json_t *result)
{
    const char *name = json_string_value(json_array_get(json_object_get(result, "objectives"), 0));
    return name ? name : "time";
}

/* Finds the time: the objective if its unit is one of time, else the measurement named time.
 * `absent_ns`: the file's unit, for a measurement without one. */
static enum status t4_time(const json_t *result, double absent_ns, double *out, struct error *error)
{
    const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
    const char *objective = t4_objective(result);
    size_t i;
    json_t *measurement;
    *out = (double)NAN;
    if (invalidity && strcmp(invalidity, "correct") != 0)
        return STATUS_OK;
    json_array_foreach(json_object_get(result, "measurements"), i, measurement)
    {
        const char *name = json_string_value(json_object_get(measurement, "name"));
        const bool is_time = name && strcmp(name, "time") == 0;
        const char *unit = json_string_value(json_object_get(measurement, "unit"));
        const double unit_ns = named_unit(unit, is_time ? absent_ns : (double)NAN);
        const bool is_objective = name && strcmp(name, objective) == 0 && !isnan(unit_ns);
        if (is_time && isnan(unit_ns))
            return refuse_unit(name, unit, error);
        if (is_objective || (is_time && isnan(*out)))
            *out = finite_time(json_object_get(measurement, "value"), unit_ns);
    }
    return STATUS_OK;
}

static enum status read_t4(const json_t *root, struct tried *tried, tried_take *take, void *context,
                           struct error *error)
{
    static const char *const costs[] = {"compilation_time", "compilation",      "runtimes",
                                        "framework",        "search_algorithm", "validation"};
    const json_t *metadata = json_object_get(root, "metadata");
    const char *unit = json_string_value(json_object_get(metadata, "timeunit"));
    const double unit_ns = named_unit(unit, 1e9), absent_ns = named_unit(unit, 1e6);
    const json_t *first = NULL; /* whose order of parameters is that of all */
    const char *objective = "time";
    bool has_times = false;
    size_t i;
    json_t *result;
    if (isnan(unit_ns))
        return refuse_unit("timeunit", unit, error);
    json_array_foreach(json_object_get(root, "results"), i, result)
    {
        const json_t *configuration = json_object_get(result, "configuration");
        const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
        const char *name;
        json_t *value;
        if (invalidity && strcmp(invalidity, "constraints") == 0)
            continue; /* no point of the space */
        first = first ? first : configuration;
        tried->count = 0;
        enum status status = t4_time(result, absent_ns, &tried->time_ns, error);
        has_times = has_times || !isnan(tried->time_ns);
        objective = t4_objective(result);
        tried->failure = invalidity && strcmp(invalidity, "correct") != 0 ? invalidity : "";
        tried->cost_ns =
            sum_of(json_object_get(result, "times"), costs, sizeof costs / sizeof *costs, unit_ns);
        json_object_foreach((json_t *)(uintptr_t)first, name, value) if (status == STATUS_OK)
            status = add_value(tried, name, json_object_get(configuration, name), error);
        if (status == STATUS_OK)
            status = take(context, tried, error);
        if (status != STATUS_OK)
            return error_prefix(error, "results[%zu]", i);
    }
    return has_times || strcmp(objective, "time") == 0 ? STATUS_OK
                                                       : refuse_objective(objective, error);
}

/* ---- tables ---- */

/* Returns the nanoseconds of a column's unit by its name: "time_us" of "time"; 0: another column.
 */
static double unit_of(const char *column, const char *what)
{
    static const struct {
        const char *behind;
        double ns;
    } units[] = {{"", 1e6}, {"_ns", 1}, {"_us", 1e3}, {"_ms", 1e6}, {"_s", 1e9}};
    const size_t length = strlen(what);
    for (size_t i = 0; strncmp(column, what, length) == 0 && i < sizeof units / sizeof *units; i++)
        if (strcmp(column + length, units[i].behind) == 0)
            return units[i].ns;
    return 0;
}

/* Takes a line of a table: time, cost, and a parameter in each other column. */
static enum status take_line(const struct csv_record *header, const struct csv_record *line,
                             struct tried *tried, tried_take *take, void *context,
                             struct error *error)
{
    tried->count = 0;
    tried->cost_ns = 0;
    if (line->count != header->count)
        return error_set(error, STATUS_BAD_INPUT, "%s, where the header has %zu",
                         count_text(line->count, "field").text, header->count);
    for (size_t i = 0; i < line->count; i++) {
        const double time_unit = unit_of(header->fields[i], "time");
        const double cost_unit = unit_of(header->fields[i], "cost");
        char *end = NULL;
        double number = strtod(line->fields[i], &end);
        if (end == line->fields[i] || *end != '\0')
            number = (double)NAN;
        if (time_unit > 0) {
            tried->time_ns = number > 0 && number < failed_time ? number * time_unit : (double)NAN;
            tried->failure = isnan(number) ? line->fields[i] : "";
        } else if (cost_unit > 0) {
            tried->cost_ns = number > 0 && isfinite(number) ? number * cost_unit : 0;
        } else {
            json_t *value = isfinite(number) ? json_real(number) : json_string(line->fields[i]);
            enum status status = add_value(tried, header->fields[i], value, error);
            if (!isfinite(number)) /* the text is the reader's, which outlives this */
                tried->values[tried->count - 1].text = line->fields[i];
            json_decref(value);
            if (status != STATUS_OK)
                return status;
        }
    }
    return take(context, tried, error);
}

enum status tried_read(char *text, size_t length, struct arena *arena, tried_take *take,
                       void *context, struct error *error)
{
    json_error_t wrong;
    struct tried *tried = arena_alloc(arena, 1, sizeof *tried);
    enum status status = STATUS_OK;
    const size_t mark = json_mark_bytes(text, length);
    text += mark;
    length -= mark;
    if (tried && text[strspn(text, " \r\n\t")] != '{') {
        struct csv_reader reader;
        struct csv_record *header = arena_alloc(arena, 1, sizeof *header);
        struct csv_record *line = arena_alloc(arena, 1, sizeof *line);
        bool more = false;
        size_t times = 0;
        TRY_MEMORY(header && line);
        status = csv_start(&reader, "the table", text, length, error);
        if (status == STATUS_OK)
            status = csv_next(&reader, header, &more, error);
        for (size_t i = 0; status == STATUS_OK && more && i < header->count; i++)
            times += unit_of(header->fields[i], "time") > 0;
        if (status == STATUS_OK && times != 1)
            status =
                error_set(error, STATUS_BAD_INPUT,
                          "a table has a header line with the names of parameters and one column "
                          "of times: time_ns, time_us, time_ms or time_s");
        while (status == STATUS_OK) {
            status = csv_next(&reader, line, &more, error);
            if (status != STATUS_OK || !more)
                return status;
            status = take_line(header, line, tried, take, context, error);
            if (status != STATUS_OK)
                return error_prefix(error, "line %" PRId64, line->line);
        }
        return status;
    }
    json_t *root = json_read_bytes(text, length, 0, &wrong);
    /* A cache that Kernel Tuner did not close ends in a comma. */
    while (!root && length > 0 && strchr(", \r\n\t", text[length - 1]))
        text[--length] = '\0';
    const char *closed = root ? NULL : arena_printf(arena, "%s}}", text);
    if (closed)
        root = json_read(closed, 0, NULL);
    if (!root)
        return error_set(error, STATUS_BAD_INPUT, "line %d: %s", wrong.line, wrong.text);
    if (!tried)
        status = error_no_memory(error);
    else if (json_is_object(json_object_get(root, "cache")))
        status = read_cache(root, tried, take, context, error);
    else if (json_is_array(json_object_get(root, "results")))
        status = read_t4(root, tried, take, context, error);
    else
        status =
            error_set(error, STATUS_BAD_INPUT,
                      "neither a T4 file (\"results\") nor a cache of Kernel Tuner (\"cache\")");
    json_decref(root);
    return status;
}
