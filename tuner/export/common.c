/* What several devices have in common in one configuration at one size. */
#include "tuner/export/common.h"

#include <string.h>

void common_clear(struct common *common)
{
    text_clear(&common->values);
    text_clear(&common->per_unit);
    text_clear(&common->origin);
    common->threads = common->shared_bytes = common->registers = common->devices = 0;
    common->loss = 0;
}

void common_free(struct common *common)
{
    text_free(&common->values);
    text_free(&common->per_unit);
    text_free(&common->origin);
}

bool common_failed(const struct common *common)
{
    return common->values.failed || common->per_unit.failed || common->origin.failed;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Whether "grid,workers" names it. */
static bool names(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* Keeps of `shared` what this device has as well: values that follow its units as a multiple of one
 * unit, the others as they are. */
static enum status share_values(json_t *shared, json_t *multiples, struct experiments *experiments,
                                struct store_query *query, bool first, struct error *error)
{
    struct text list = {0};
    const char *name = NULL;
    json_t *value = NULL;
    void *next = NULL;
    int64_t units = store_query_integer(query, COLUMN_UNITS);
    json_t *own = json_loads(column_text(query, COLUMN_DERIVED), 0, NULL);
    per_unit_names(&list, experiments, query);
    if (first)
        (void)json_object_update(shared, own);
    json_object_foreach_safe(shared, next, name, value)
    {
        const json_t *here = json_object_get(own, name);
        const json_t *multiple = json_object_get(multiples, name);
        bool follows = names(text_string(&list), name);
        json_int_t of_unit = follows ? json_integer_value(here) / units : 0;
        if (follows && (first || (multiple && json_integer_value(multiple) == of_unit)))
            (void)json_object_set_new(multiples, name, json_integer(of_unit));
        else if (follows || multiple || !json_equal(value, here)) {
            (void)json_object_del(multiples, name);
            (void)json_object_del(shared, name);
        }
    }
    json_decref(own);
    bool good = !list.failed;
    text_free(&list);
    return good ? STATUS_OK : error_no_memory(error);
}

static void take_needs(struct common *common, struct store_query *query)
{
    common->threads = greater(common->threads, store_query_integer(query, COLUMN_THREADS));
    common->shared_bytes =
        greater(common->shared_bytes, store_query_integer(query, COLUMN_SHARED_BYTES));
    common->registers = greater(common->registers, store_query_integer(query, COLUMN_REGISTERS));
    common->devices++;
}

static void take_origin(struct common *common, struct store_query *query)
{
    char flags[HASH_TEXT_BYTES];
    text_clear(&common->origin);
    experiment_flags_hash(column_text(query, COLUMN_EXPERIMENT_TEXT), flags);
    append_known(&common->origin, "l2", column_text(query, COLUMN_L2_MODE));
    append_known(&common->origin, "source", column_text(query, COLUMN_SOURCE));
    append_known(&common->origin, "flags", flags);
}

static void put_values(struct common *common, json_t *parameters, json_t *shared,
                       const json_t *multiples)
{
    const char *name = NULL;
    json_t *value = NULL;
    append_members(&common->values, parameters, NULL);
    json_object_foreach(shared, name, value)
    {
        const json_t *multiple = json_object_get(multiples, name);
        if (json_object_get(parameters, name))
            continue;
        append_value(&common->values, name, multiple ? multiple : value);
        if (multiple)
            text_printf(&common->per_unit, "%s%s", common->per_unit.length > 0 ? "," : "", name);
    }
}

enum status common_take(struct experiments *experiments, struct store_query *query,
                        struct common *common, json_t *shared, json_t *multiples,
                        struct error *error)
{
    json_t *parameters = NULL;
    bool row = false;
    enum status status = store_query_next(query, &row, error);
    while (status == STATUS_OK && row) {
        if (!parameters)
            parameters = json_loads(column_text(query, COLUMN_PARAMETERS), 0, NULL);
        status = share_values(shared, multiples, experiments, query, common->devices == 0, error);
        take_needs(common, query);
        take_origin(common, query);
        if (status == STATUS_OK)
            status = store_query_next(query, &row, error);
    }
    if (status == STATUS_OK)
        put_values(common, parameters, shared, multiples);
    json_decref(parameters);
    return status;
}
