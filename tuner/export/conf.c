#include "tuner/export/export.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/tuned.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/files.h"

/* db/queries/conf.sql, conf_gains.sql */
extern const char conf_query[];
extern const char conf_gains_query[];

/* The columns of conf.sql, in its order. */
enum column {
    COLUMN_KIND,
    COLUMN_NAME,
    COLUMN_CAPABILITY,
    COLUMN_UNITS,
    COLUMN_MEMORY,
    COLUMN_DEVICE_DRIVER,
    COLUMN_DEVICE_COMPILER,
    COLUMN_DRIVER,
    COLUMN_COMPILER,
    COLUMN_PROBLEM,
    COLUMN_N,
    COLUMN_TRIAL,
    COLUMN_PARAMETERS,
    COLUMN_DERIVED,
    COLUMN_L2_MODE,
    COLUMN_STAGE,
    COLUMN_TIME,
    COLUMN_MAD,
    COLUMN_SAMPLES,
    COLUMN_DATE,
    COLUMN_SOURCE,
    COLUMN_CEILING,
    COLUMN_COUNT
};

static const char *column_text(struct store_query *query, enum column column)
{
    const char *text = store_query_text(query, (int)column);
    return text ? text : "";
}

/* Whether libtuned takes it without quotes. */
static bool is_word(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c >= 0x7f || strchr("\"\\|#=[]", *c))
            return false;
    return text[0] != '\0';
}

static void append_quoted(struct text *out, const char *text)
{
    text_append(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            text_append(out, "\\");
        text_append_bytes(out, text, 1);
    }
    text_append(out, "\"");
}

static void append_field(struct text *out, const char *name, const char *value)
{
    text_printf(out, " %s=", name);
    if (is_word(value))
        text_append(out, value);
    else
        append_quoted(out, value);
}

/* Left out when it is empty. */
static void append_known(struct text *out, const char *name, const char *value)
{
    if (value[0] != '\0')
        append_field(out, name, value);
}

/* Without zeros at the end; left out when it is no number. */
static void append_real(struct text *out, const char *name, int decimals, double value)
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

static void append_count(struct text *out, const char *name, int64_t value)
{
    if (value > 0)
        text_printf(out, " %s=%lld", name, (long long)value);
}

static void append_section(struct text *out, struct store_query *query)
{
    const char *kind = column_text(query, COLUMN_KIND);
    text_printf(out, "\n[%s ", kind);
    append_quoted(out, column_text(query, COLUMN_NAME));
    text_append(out, "]");
    append_known(out, "compute_capability", column_text(query, COLUMN_CAPABILITY));
    append_count(out, strcmp(kind, "cpu") == 0 ? "cores" : "sm_count",
                 store_query_integer(query, COLUMN_UNITS));
    append_count(out, "memory_bytes", store_query_integer(query, COLUMN_MEMORY));
    append_known(out, "driver", column_text(query, COLUMN_DEVICE_DRIVER));
    append_known(out, "compiler", column_text(query, COLUMN_DEVICE_COMPILER));
    text_append(out, "\n");
}

static void append_value(struct text *out, const char *name, const json_t *value)
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

/* The members of a JSON object, in its order, less those that `but` has too (NULL: none). */
static void append_members(struct text *out, json_t *object, const json_t *but)
{
    void *at = json_object_iter(object);
    for (; at; at = json_object_iter_next(object, at))
        if (!json_object_get(but, json_object_iter_key(at)))
            append_value(out, json_object_iter_key(at), json_object_iter_value(at));
}

/* The parameters, then the derived values that are no parameters. */
static enum status append_values(struct text *out, struct store_query *query, struct error *error)
{
    const char *derived_text = column_text(query, COLUMN_DERIVED);
    json_t *parameters = json_loads(column_text(query, COLUMN_PARAMETERS), 0, NULL);
    json_t *derived = json_loads(derived_text[0] ? derived_text : "{}", 0, NULL);
    bool read = json_is_object(parameters) && json_is_object(derived);
    if (read) {
        append_members(out, parameters, NULL);
        append_members(out, derived, parameters);
    }
    json_decref(parameters);
    json_decref(derived);
    if (!read)
        return error_set(error, STATUS_BAD_INPUT,
                         "the database holds a configuration that is no JSON object (trial %s)",
                         column_text(query, COLUMN_TRIAL));
    return STATUS_OK;
}

/* gain.NAME of each baseline. */
static enum status append_gains(struct store *store, struct text *out, const char *trial,
                                struct error *error)
{
    struct store_query *query = NULL;
    const struct store_parameter parameter = {"trial", trial};
    enum status status = store_query_open(store, conf_gains_query, &parameter, 1, &query, error);
    while (status == STATUS_OK) {
        char name[VALUE_TEXT_BYTES * 2];
        bool row = false;
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        if (string_format(name, sizeof name, "gain.%s", store_query_text(query, 0)))
            append_real(out, name, 3, store_query_real(query, 1));
    }
    store_query_close(query);
    return status;
}

static enum status append_entry(struct store *store, struct text *out, struct store_query *query,
                                struct error *error)
{
    text_printf(out, "%s n=%lld", column_text(query, COLUMN_PROBLEM),
                (long long)store_query_integer(query, COLUMN_N));
    enum status status = append_values(out, query, error);
    if (status != STATUS_OK)
        return status;
    text_append(out, " |");
    append_real(out, "time_ns", 1, store_query_real(query, COLUMN_TIME));
    append_real(out, "mad_ns", 1, store_query_real(query, COLUMN_MAD));
    status = append_gains(store, out, column_text(query, COLUMN_TRIAL), error);
    append_real(out, "ceiling_percent", 1, store_query_real(query, COLUMN_CEILING));
    append_count(out, "samples", store_query_integer(query, COLUMN_SAMPLES));
    append_known(out, "stage", column_text(query, COLUMN_STAGE));
    append_known(out, "l2", column_text(query, COLUMN_L2_MODE));
    append_known(out, "source", column_text(query, COLUMN_SOURCE));
    append_known(out, "date", column_text(query, COLUMN_DATE));
    if (strcmp(column_text(query, COLUMN_DRIVER), column_text(query, COLUMN_DEVICE_DRIVER)) != 0)
        append_known(out, "driver", column_text(query, COLUMN_DRIVER));
    if (strcmp(column_text(query, COLUMN_COMPILER), column_text(query, COLUMN_DEVICE_COMPILER)) !=
        0)
        append_known(out, "compiler", column_text(query, COLUMN_COMPILER));
    text_append(out, "\n");
    return status;
}

/* Remembers the device of the row in `device`; true when it is another than before. */
static bool next_device(struct text *device, struct store_query *query)
{
    struct text now = {0};
    for (int i = COLUMN_KIND; i <= COLUMN_UNITS; i++)
        text_printf(&now, "%s\n", column_text(query, (enum column)i));
    bool other = strcmp(text_string(&now), text_string(device)) != 0;
    text_free(device);
    *device = now;
    return other;
}

static enum status append_entries(struct store *store, struct text *out, size_t *entries,
                                  struct error *error)
{
    struct text device = {0};
    struct store_query *query = NULL;
    enum status status = store_query_open(store, conf_query, NULL, 0, &query, error);
    if (status == STATUS_OK && store_query_columns(query) != COLUMN_COUNT)
        status = error_set(error, STATUS_INTERNAL, "db/queries/conf.sql has %d columns, not %d",
                           store_query_columns(query), (int)COLUMN_COUNT);
    while (status == STATUS_OK) {
        bool row = false;
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        if (next_device(&device, query))
            append_section(out, query);
        status = append_entry(store, out, query, error);
        (*entries)++;
    }
    store_query_close(query);
    bool failed = device.failed || out->failed;
    text_free(&device);
    return status == STATUS_OK && failed ? error_no_memory(error) : status;
}

/* Nothing is handed out that production would refuse. */
static enum status check_readable(const char *text, size_t bytes, struct error *error)
{
    struct tuned_error refused;
    struct tuned *tuned = tuned_load_memory(text, bytes, "tuned.conf", &refused);
    if (!tuned)
        return error_set(error, STATUS_BAD_INPUT,
                         "a winner cannot be written to tuned.conf so that libtuned reads it (%s); "
                         "rename what it complains of in the experiment file",
                         refused.text);
    tuned_free(tuned);
    return STATUS_OK;
}

enum status export_conf_text(struct store *store, struct text *out, size_t *entries,
                             struct error *error)
{
    size_t start = out->length;
    size_t count = 0;
    text_printf(out,
                "tuned-conf %d\n"
                "# Written by 'tune export', read by libtuned. A device, then its winners:\n"
                "# problem n=SIZE configuration | evidence\n",
                TUNED_FORMAT_VERSION);
    enum status status = append_entries(store, out, &count, error);
    text_append(out, "\nend\n");
    if (status == STATUS_OK && out->failed)
        status = error_no_memory(error);
    if (status == STATUS_OK && count == 0)
        status = error_set(error, STATUS_NO_WINNER,
                           "the database has no winner yet: 'tune run' finds them");
    if (status == STATUS_OK)
        status = check_readable(out->data + start, out->length - start, error);
    if (entries)
        *entries = count;
    return status;
}

enum status export_conf(struct store *store, const char *path, struct error *error)
{
    struct text text = {0};
    enum status status = export_conf_text(store, &text, NULL, error);
    FAILPOINT("export.ready");
    if (status == STATUS_OK)
        status = file_write_atomically(path, text.data, text.length, error);
    text_free(&text);
    return status;
}
