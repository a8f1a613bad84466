/* What several devices have in common in one configuration at one size. */
#include "tuner/export/common.h"

#include <stdlib.h>
#include <string.h>

void common_clear(struct common *common)
{
    text_clear(&common->values);
    text_clear(&common->elsewhere);
    text_clear(&common->origin);
    common->threads = common->shared_bytes = common->registers = common->devices = 0;
    common->needs = (struct needs){0};
    common->majors = 0;
    common->loss = 0;
}

void common_free(struct common *common)
{
    text_free(&common->values);
    text_free(&common->elsewhere);
    text_free(&common->origin);
}

bool common_failed(const struct common *common)
{
    return common->values.failed || common->elsewhere.failed || common->origin.failed;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Keeps of `shared` what this device has as well: what depends on neither size nor device, or has
 * one formula on all of them. Formulas that name what is not kept stay without a value. */
static enum status share_values(json_t *shared, json_t *formulas, struct experiments *experiments,
                                struct store_query *query, bool first, struct error *error)
{
    const char *name = NULL;
    json_t *value = NULL;
    void *next = NULL;
    struct elsewhere here = {0};
    json_t *own = json_loads(column_text(query, COLUMN_DERIVED), 0, NULL);
    enum status status = elsewhere_fill(&here, experiments, query, error);
    if (first) {
        (void)json_object_update(shared, own);
        (void)json_object_update(formulas, here.formulas);
    }
    json_object_foreach_safe(formulas, next, name, value)
    {
        if (!json_equal(value, json_object_get(here.formulas, name)))
            (void)json_object_del(formulas, name);
    }
    json_object_foreach_safe(shared, next, name, value)
    {
        if (!json_object_get(formulas, name) &&
            (json_object_get(here.formulas, name) || json_object_get(here.varying, name) ||
             !json_equal(value, json_object_get(own, name))))
            (void)json_object_del(shared, name);
    }
    json_decref(own);
    elsewhere_free(&here);
    return status;
}

static void take_needs(struct common *common, struct experiments *experiments,
                       struct store_query *query)
{
    struct needs needs;
    common->threads = greater(common->threads, store_query_integer(query, COLUMN_THREADS));
    common->shared_bytes =
        greater(common->shared_bytes, store_query_integer(query, COLUMN_SHARED_BYTES));
    common->registers = greater(common->registers, store_query_integer(query, COLUMN_REGISTERS));
    elsewhere_needs(experiments, query, &needs);
    common->needs.least = greater(common->needs.least, needs.least);
    common->needs.cluster = greater(common->needs.cluster, needs.cluster);
    if (common->devices == 0 || needs.most < common->needs.most)
        common->needs.most = needs.most;
    common->majors |= UINT64_C(1) << (strtol(column_text(query, COLUMN_CAPABILITY), NULL, 10) & 63);
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

static void put_values(struct common *common, json_t *parameters, json_t *shared, json_t *formulas)
{
    const char *name = NULL;
    json_t *value = NULL;
    struct text derived = {0};
    append_members(&common->values, parameters, NULL);
    json_object_foreach(shared, name, value)
    {
        if (json_object_get(parameters, name))
            continue;
        append_value(&common->values, name, value);
        text_printf(&derived, "%s%s", derived.length > 0 ? "," : "", name);
    }
    append_known(&common->elsewhere, "derived", text_string(&derived));
    json_object_foreach(formulas, name, value)
    {
        char field[CONFIGURATION_KEY_BYTES];
        if (string_format(field, sizeof field, "%s%s", strchr(name, '.') ? "" : "formula.", name))
            append_field(&common->elsewhere, field, json_string_value(value));
    }
    common->elsewhere.failed = common->elsewhere.failed || derived.failed;
    text_free(&derived);
}

enum status common_take(struct experiments *experiments, struct store_query *query,
                        struct common *common, json_t *shared, json_t *formulas,
                        struct error *error)
{
    json_t *parameters = NULL;
    bool row = false;
    enum status status = store_query_next(query, &row, error);
    while (status == STATUS_OK && row) {
        if (!parameters)
            parameters = json_loads(column_text(query, COLUMN_PARAMETERS), 0, NULL);
        status = share_values(shared, formulas, experiments, query, common->devices == 0, error);
        take_needs(common, experiments, query);
        take_origin(common, query);
        if (status == STATUS_OK)
            status = store_query_next(query, &row, error);
    }
    if (status == STATUS_OK)
        put_values(common, parameters, shared, formulas);
    json_decref(parameters);
    return status;
}
