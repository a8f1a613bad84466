/* Which values follow the number of units: what the experiment's expressions give on a device that
 * has one unit less. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/device/traits.h"
#include "tuner/export/internal.h"
#include "tuner/export/recall.h"

void experiments_forget(struct experiments *experiments)
{
    for (size_t i = 0; i < experiments->count; i++)
        experiment_free(experiments->items[i].experiment);
    free(experiments->items);
    arena_free(&experiments->arena);
    *experiments = (struct experiments){0};
}

/* As the database has it, with the sources that are here now; NULL: they are not. */
static struct experiment *load(struct experiments *experiments, struct store_query *query)
{
    struct error ignored = {0};
    struct experiment *experiment = NULL;
    const char *text = column_text(query, COLUMN_EXPERIMENT_TEXT);
    enum status status = STATUS_OK;
    if (!experiments->data_folder)
        status = data_folder(&experiments->arena, &experiments->data_folder, &ignored);
    if (status != STATUS_NO_MEMORY && text[0] != '\0')
        status =
            experiment_load_text(column_text(query, COLUMN_EXPERIMENT_PATH), text, strlen(text),
                                 experiments->data_folder, &experiment, &ignored);
    experiments->short_of_memory |= status == STATUS_NO_MEMORY;
    return status == STATUS_OK ? experiment : NULL;
}

static const struct experiment *find(struct experiments *experiments, struct store_query *query)
{
    int64_t id = store_query_integer(query, COLUMN_EXPERIMENT);
    for (size_t i = 0; i < experiments->count; i++)
        if (experiments->items[i].id == id)
            return experiments->items[i].experiment;
    if (!array_grow(&experiments->items, experiments->count, &experiments->capacity,
                    sizeof *experiments->items)) {
        experiments->short_of_memory = true;
        return NULL;
    }
    struct experiment *experiment = load(experiments, query);
    experiments->items[experiments->count++] = (struct known_experiment){id, experiment};
    return experiment;
}

/* The facts of the row's device, but with so many units. */
static void fill_facts(struct facts *facts, const char *text, const char *units_key, int64_t units)
{
    const char *key = NULL;
    json_t *member = NULL;
    json_t *json = json_loads(text, 0, NULL); /* the store's own: it is right, or memory is short */
    facts->failed = facts->failed || (!json && text[0] != '\0');
    json_object_foreach(json, key, member)
    {
        if (strcmp(key, units_key) == 0)
            facts_add_integer(facts, key, "", "", units);
        else if (json_is_integer(member))
            facts_add_integer(facts, key, "", "", (int64_t)json_integer_value(member));
        else if (json_is_real(member))
            facts_add(facts, key, "", "", value_real(json_real_value(member)));
        else if (json_is_boolean(member))
            facts_add(facts, key, "", "", value_boolean(json_is_true(member)));
        else if (json_is_string(member))
            facts_add_text(facts, key, "", json_string_value(member));
    }
    json_decref(json);
}

static bool find_problem(const struct experiment *experiment, const char *key, int64_t n,
                         struct problem *out)
{
    for (size_t i = 0; i < experiment_problem_count(experiment); i++) {
        experiment_problem(experiment, i, out);
        if (strcmp(out->key, key) != 0)
            continue;
        struct problem like = *out;
        experiment_problem_at(experiment, &like, n, out);
        return true;
    }
    return false;
}

/* The derived values of the row on its device with so many units; how many. */
static size_t derive(struct experiments *experiments, const struct experiment *experiment,
                     struct arena *arena, struct store_query *query, int64_t units,
                     struct named_value out[EXPERIMENT_DERIVED_MAX])
{
    struct problem problem;
    struct configuration configuration;
    struct facts facts = {0};
    struct error ignored = {0};
    size_t count = 0;
    bool found = find_problem(experiment, column_text(query, COLUMN_PROBLEM),
                              store_query_integer(query, COLUMN_N), &problem);
    fill_facts(&facts, column_text(query, COLUMN_FACTS),
               device_traits(column_text(query, COLUMN_KIND))->unit_fact, units);
    const struct point point = {.experiment = experiment,
                                .problem = &problem,
                                .facts = &facts,
                                .configuration = &configuration,
                                .active_blocks = store_query_integer(query, COLUMN_ACTIVE_BLOCKS)};
    enum status status = facts.failed ? STATUS_NO_MEMORY : STATUS_OK;
    if (status == STATUS_OK && found)
        status = recall_configuration(experiment, column_text(query, COLUMN_PARAMETERS), arena,
                                      &configuration, &found, &ignored);
    if (status == STATUS_OK && found)
        status = point_derived(&point, arena, out, &count, &ignored);
    experiments->short_of_memory |= status == STATUS_NO_MEMORY;
    facts_free(&facts);
    return status == STATUS_OK && found ? count : 0;
}

/* Also that today's expressions give what was launched. */
static bool is_per_unit(const struct named_value *here, const struct named_value *less,
                        const json_t *recorded, int64_t units)
{
    const json_t *launched = json_object_get(recorded, here->name);
    int64_t value = here->value.integer;
    return here->value.kind == VALUE_INTEGER && less->value.kind == VALUE_INTEGER && value > 0 &&
           value % units == 0 && less->value.integer == value / units * (units - 1) &&
           json_is_integer(launched) && json_integer_value(launched) == value;
}

void per_unit_names(struct text *out, struct experiments *experiments, struct store_query *query)
{
    struct named_value here[EXPERIMENT_DERIVED_MAX];
    struct named_value less[EXPERIMENT_DERIVED_MAX];
    struct arena arena = {0};
    const size_t start = out->length;
    int64_t units = store_query_integer(query, COLUMN_UNITS);
    const struct experiment *experiment = units > 1 ? find(experiments, query) : NULL;
    json_t *recorded = json_loads(column_text(query, COLUMN_DERIVED), 0, NULL);
    size_t count = experiment ? derive(experiments, experiment, &arena, query, units, here) : 0;
    if (count > 0 && derive(experiments, experiment, &arena, query, units - 1, less) != count)
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (is_per_unit(&here[i], &less[i], recorded, units))
            text_printf(out, "%s%s", out->length > start ? "," : "", here[i].name);
    out->failed = out->failed || experiments->short_of_memory ||
                  (count > 0 && !recorded && column_text(query, COLUMN_DERIVED)[0] != '\0');
    json_decref(recorded);
    arena_free(&arena);
}
