/* The text of an entry out of a row of conf.sql. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "tuner/device/traits.h"
#include "tuner/export/elsewhere.h"

/* db/queries/conf_gains.sql */
extern const char conf_gains_query[];

const char *column_text(struct store_query *query, enum column column)
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

void append_quoted(struct text *out, const char *text)
{
    text_append(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            text_append(out, "\\");
        text_append_bytes(out, text, 1);
    }
    text_append(out, "\"");
}

void append_field(struct text *out, const char *name, const char *value)
{
    text_printf(out, " %s=", name);
    if (is_word(value))
        text_append(out, value);
    else
        append_quoted(out, value);
}

void append_known(struct text *out, const char *name, const char *value)
{
    if (value[0] != '\0')
        append_field(out, name, value);
}

void append_count(struct text *out, const char *name, int64_t value)
{
    if (value > 0)
        text_printf(out, " %s=%lld", name, (long long)value);
}

void append_decimal(struct text *out, const char *name, int decimals, double value)
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

/* As append_decimal, never below the value: it stays a bound. */
void append_bound(struct text *out, const char *name, int decimals, double value)
{
    double unit = pow(10, decimals);
    append_decimal(out, name, decimals, ceil(value * unit - 1e-6) / unit + 0.0); /* no -0 */
}

/* Whatever its size. */
static void append_real(struct text *out, const char *name, double value)
{
    char text[VALUE_TEXT_BYTES];
    if (isfinite(value) && string_format(text, sizeof text, "%.6g", value))
        append_field(out, name, text);
}

void append_value(struct text *out, const char *name, const json_t *value)
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
void append_members(struct text *out, json_t *object, const json_t *but)
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
                                const char *objective, struct error *error)
{
    struct store_query *query = NULL;
    const struct store_parameter parameters[] = {{"trial", trial}, {"objective", objective}};
    enum status status = store_query_open(store, conf_gains_query, parameters, 2, &query, error);
    while (status == STATUS_OK) {
        char name[VALUE_TEXT_BYTES * 2];
        bool row = false;
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        if (string_format(name, sizeof name, "gain.%s", store_query_text(query, 0)))
            append_decimal(out, name, 3, store_query_real(query, 1));
    }
    store_query_close(query);
    return status;
}

/* What a device must be able to give, so that libtuned hands out nothing that does not launch. */
static void append_needs(struct text *out, struct experiments *experiments,
                         struct store_query *query)
{
    struct needs needs;
    if (!device_traits(column_text(query, COLUMN_KIND))->is_gpu)
        return;
    append_count(out, "threads", store_query_integer(query, COLUMN_THREADS));
    append_count(out, "shared_bytes", store_query_integer(query, COLUMN_SHARED_BYTES));
    append_count(out, "registers", store_query_integer(query, COLUMN_REGISTERS));
    elsewhere_needs(experiments, query, &needs);
    append_capability(out, &needs);
}

static enum status append_evidence(struct text *out, struct store *store,
                                   struct experiments *experiments, struct store_query *query,
                                   const char *objective, struct error *error)
{
    append_decimal(out, "time_ns", 1, store_query_real(query, COLUMN_TIME));
    append_decimal(out, "mad_ns", 1, store_query_real(query, COLUMN_MAD));
    if (strcmp(objective, "time") != 0) {
        append_field(out, "objective", objective);
        append_real(out, "value", store_query_real(query, COLUMN_VALUE));
        append_real(out, "energy_j", store_query_real(query, COLUMN_ENERGY));
    }
    enum status status =
        append_gains(store, out, column_text(query, COLUMN_MEASURED), objective, error);
    append_bound(out, "bound_percent", 2, store_query_real(query, COLUMN_BOUND));
    append_decimal(out, "ceiling_percent", 1, store_query_real(query, COLUMN_CEILING));
    append_count(out, "tied", store_query_integer(query, COLUMN_TIED));
    append_bound(out, "claim_percent", 3, store_query_real(query, COLUMN_CLAIM));
    append_decimal(out, "confidence", 4, store_query_real(query, COLUMN_CONFIDENCE));
    append_count(out, "compared", store_query_integer(query, COLUMN_COMPARED));
    append_needs(out, experiments, query);
    return status;
}

static void append_origin(struct text *out, struct store_query *query)
{
    char flags[HASH_TEXT_BYTES];
    experiment_flags_hash(column_text(query, COLUMN_EXPERIMENT_TEXT), flags);
    append_count(out, "samples", store_query_integer(query, COLUMN_SAMPLES));
    append_known(out, "stage", column_text(query, COLUMN_STAGE));
    append_known(out, "l2", column_text(query, COLUMN_L2_MODE));
    append_known(out, "source", column_text(query, COLUMN_SOURCE));
    append_known(out, "flags", flags);
    append_known(out, "date", column_text(query, COLUMN_DATE));
    if (strcmp(column_text(query, COLUMN_DRIVER), column_text(query, COLUMN_DEVICE_DRIVER)) != 0)
        append_known(out, "driver", column_text(query, COLUMN_DRIVER));
    if (strcmp(column_text(query, COLUMN_COMPILER), column_text(query, COLUMN_DEVICE_COMPILER)) !=
        0)
        append_known(out, "compiler", column_text(query, COLUMN_COMPILER));
}

enum status entry_fill(struct entry *entry, struct store *store, struct experiments *experiments,
                       struct store_query *query, const char *objective, struct error *error)
{
    text_clear(&entry->values);
    text_clear(&entry->evidence);
    text_clear(&entry->origin);
    append_origin(&entry->origin, query);
    enum status status = append_values(&entry->values, query, error);
    if (status == STATUS_OK)
        status = append_evidence(&entry->evidence, store, experiments, query, objective, error);
    struct elsewhere elsewhere = {0};
    if (status == STATUS_OK)
        status = elsewhere_fill(&elsewhere, experiments, query, error);
    if (status == STATUS_OK)
        status = elsewhere_append(&entry->evidence, &elsewhere, store, query, error);
    elsewhere_free(&elsewhere);
    return status;
}

bool entry_failed(const struct entry *entry)
{
    return entry->values.failed || entry->evidence.failed || entry->origin.failed;
}

void entry_free(struct entry *entry)
{
    text_free(&entry->values);
    text_free(&entry->evidence);
    text_free(&entry->origin);
}
