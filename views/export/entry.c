/* The text of an entry out of a row of conf.sql. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/json.h"
#include "tuner/device/traits.h"
#include "tuner/stats/estimate.h"
#include "views/export/elsewhere.h"
#include "views/export/embedded.h"

#define OF(member) offsetof(struct conf_row, member)
static const struct store_column columns[] = {
    {"kind", OF(kind), STORE_TEXT},
    {"problem", OF(problem), STORE_TEXT},
    {"trial_id", OF(trial), STORE_TEXT},
    {"parameters", OF(parameters), STORE_TEXT},
    {"derived", OF(derived), STORE_TEXT},
    {"l2_mode", OF(l2_mode), STORE_TEXT},
    {"source", OF(source), STORE_TEXT},
    {"facts", OF(facts), STORE_TEXT},
    {"unit_count", OF(units), STORE_INTEGER},
    {"n", OF(n), STORE_INTEGER},
    {"experiment", OF(experiment), STORE_INTEGER},
    {"threads", OF(threads), STORE_INTEGER},
    {"shared_bytes", OF(shared_bytes), STORE_INTEGER},
    {"registers", OF(registers), STORE_INTEGER},
    {"active_blocks", OF(active_blocks), STORE_INTEGER},
    {"multiple", OF(multiple), STORE_INTEGER},
    {"least", OF(least), STORE_INTEGER},
    {"most", OF(most), STORE_INTEGER},
    {"is_listed", OF(is_listed), STORE_INTEGER},
    {"multiples", OF(multiples), STORE_TEXT},
    {"compute_capability", OF(capability), STORE_TEXT},
    {"name", OF(name), STORE_TEXT},
    {"device_driver", OF(device_driver), STORE_TEXT},
    {"device_compiler", OF(device_compiler), STORE_TEXT},
    {"driver", OF(driver), STORE_TEXT},
    {"compiler", OF(compiler), STORE_TEXT},
    {"measured_id", OF(measured), STORE_TEXT},
    {"stage", OF(stage), STORE_TEXT},
    {"date", OF(date), STORE_TEXT},
    {"trust", OF(trust), STORE_TEXT},
    {"device_facts", OF(device_facts), STORE_TEXT},
    {"memory_bytes", OF(memory_bytes), STORE_INTEGER},
    {"range_id", OF(range), STORE_INTEGER},
    {"winner_id", OF(winner), STORE_INTEGER},
    {"configuration_id", OF(configuration), STORE_INTEGER},
    {"n_low", OF(n_low), STORE_INTEGER},
    {"n_high", OF(n_high), STORE_INTEGER},
    {"family", OF(family), STORE_TEXT},
    {"further", OF(further), STORE_TEXT},
    {"issue", OF(issue), STORE_TEXT},
    {"is_inside", OF(is_inside), STORE_TRUTH},
    {"samples", OF(samples), STORE_INTEGER},
    {"coverage", OF(coverage), STORE_TEXT},
    {"as_fast", OF(as_fast), STORE_INTEGER},
    {"not_compared", OF(not_compared), STORE_INTEGER},
    {"compared", OF(compared), STORE_INTEGER},
    {"inputs", OF(inputs), STORE_TEXT},
    {"states", OF(states), STORE_TEXT},
    {"dirty_ns", OF(dirty_ns), STORE_REAL},
    {"hot_ns", OF(hot_ns), STORE_REAL},
    {"time_ns", OF(time_ns), STORE_REAL},
    {"mad_ns", OF(mad_ns), STORE_REAL},
    {"energy_j", OF(energy_j), STORE_REAL},
    {"value", OF(value), STORE_REAL},
    {"ceiling_percent", OF(ceiling_percent), STORE_REAL},
    {"bound_percent", OF(bound_percent), STORE_REAL},
    {"claim_percent", OF(claim_percent), STORE_REAL},
    {"confidence", OF(confidence), STORE_REAL},
};
enum { COLUMNS_OF_DEVICES = 21 }; /* the first ones, common to both queries */

enum status conf_rows_read(struct store *store, const char *sql, bool of_devices,
                           const struct store_parameter parameters[CONF_PARAMETERS],
                           struct arena *arena, struct conf_row **rows, size_t *count,
                           struct error *error)
{
    const struct store_reading reading = {
        .sql = sql,
        .parameters = parameters,
        .parameter_count = parameters[1].name ? 2 : 1,
        .columns = columns,
        .column_count = of_devices ? COLUMNS_OF_DEVICES : COUNT(columns),
        .row_bytes = sizeof(struct conf_row),
    };
    return store_read(store, &reading, arena, rows, count, error);
}

/* Appends the parameters, then the other derived values. */
static enum status append_values(struct text *out, const struct conf_row *row, struct error *error)
{
    json_t *parameters = json_read(row->parameters, 0, NULL);
    json_t *derived = json_read(row->derived && row->derived[0] ? row->derived : "{}", 0, NULL);
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
                         row->trial);
    return STATUS_OK;
}

/* Appends a real of any magnitude. */
static void append_real(struct text *out, const char *name, double value)
{
    char text[VALUE_TEXT_BYTES];
    if (isfinite(value) && string_format(text, sizeof text, "%.6g", value))
        append_field(out, name, text);
}

static enum status append_evidence(struct text *out, struct experiments *experiments,
                                   const struct conf_row *row, const char *objective,
                                   struct error *error)
{
    append_decimal(out, "time_ns", 1, row->time_ns);
    append_decimal(out, "mad_ns", 1, row->mad_ns);
    append_known(out, "states", row->states);
    append_decimal(out, "dirty_ns", 1, row->dirty_ns);
    append_decimal(out, "hot_ns", 1, row->hot_ns);
    if (strcmp(objective, "time") != 0) {
        append_field(out, "objective", objective);
        append_real(out, "value", row->value);
        append_real(out, "energy_j", row->energy_j);
    }
    /* Appends gain.NAME for each baseline. */
    struct gain_row {
        const char *baseline;
        double gain;
    } *gains = NULL;
    static const struct store_column gain_columns[] = {
        {"baseline", offsetof(struct gain_row, baseline), STORE_TEXT},
        {"gain", offsetof(struct gain_row, gain), STORE_REAL},
    };
    const struct store_parameter parameters[] = {{"trial", row->measured},
                                                 {"objective", objective}};
    const struct store_reading reading = {.sql = conf_gains_query,
                                          .parameters = parameters,
                                          .parameter_count = COUNT(parameters),
                                          STORE_COLUMNS(gain_columns),
                                          .row_bytes = sizeof *gains};
    struct arena arena = {0};
    size_t count = 0;
    const enum status status =
        store_read(experiments->store, &reading, &arena, &gains, &count, error);
    for (size_t i = 0; i < count; i++) {
        char name[VALUE_TEXT_BYTES * 2];
        if (string_format(name, sizeof name, "gain.%s", gains[i].baseline))
            append_decimal(out, name, 3, gains[i].gain);
    }
    arena_free(&arena);
    /* A pick that replaced a range's configuration has no bound from looks. */
    append_bound(out, row->pick ? "loss_percent" : "bound_percent", 2,
                 row->pick ? 100 * row->loss : row->bound_percent);
    append_decimal(out, "ceiling_percent", 1, row->ceiling_percent);
    append_count(out, "as_fast", row->as_fast);
    append_count(out, "not_compared", row->not_compared);
    const double claim = (1 + row->claim_percent / 100) * (1 + (row->pick ? row->loss : 0));
    if (bounds_are_narrow(1, claim))
        append_bound(out, "claim_percent", 3, 100 * (claim - 1));
    append_decimal(out, "confidence", 4, row->confidence);
    append_count(out, "compared", row->pick ? 0 : row->compared);
    append_known(out, "inputs", row->pick ? NULL : row->inputs);
    for (size_t i = 0; i < EXPORT_ALTERNATIVES && row->also[i]; i++) {
        text_printf(out, " also%zu=", i + 1);
        append_quoted(out, row->also[i]);
    }
    if (!device_traits(row->kind)->is_gpu)
        return status;
    struct needs needs;
    elsewhere_needs(experiments, row, &needs);
    append_needs(out, &needs);
    return status;
}

/* Appends a value that differs from the device section's. */
static void append_if_other(struct text *out, const char *name, const char *value,
                            const char *of_device)
{
    if (strcmp(value ? value : "", of_device ? of_device : "") != 0)
        append_known(out, name, value);
}

enum status entry_fill(struct entry *entry, struct experiments *experiments,
                       const struct conf_row *row, const char *objective, struct error *error)
{
    struct text *origin = &entry->origin;
    const struct known_experiment *experiment = experiments_find(experiments, row->experiment);
    text_clear(&entry->values);
    text_clear(&entry->domain);
    text_clear(&entry->evidence);
    text_clear(origin);
    if (!experiment)
        return experiments_status(experiments, true, error);
    append_count(origin, "samples", row->samples);
    append_known(origin, "coverage", row->coverage);
    append_known(origin, "stage", row->stage);
    append_known(origin, "l2", row->l2_mode);
    append_known(origin, "source", row->source);
    append_known(origin, "flags", experiment->flags);
    append_known(origin, "date", row->date);
    append_if_other(origin, "driver", row->driver, row->device_driver);
    append_if_other(origin, "compiler", row->compiler, row->device_compiler);
    struct elsewhere elsewhere = {0};
    enum status status = append_values(&entry->values, row, error);
    if (status == STATUS_OK)
        status = append_evidence(&entry->evidence, experiments, row, objective, error);
    if (status == STATUS_OK)
        status = elsewhere_fill(&elsewhere, experiments, row, error);
    if (status == STATUS_OK)
        status = elsewhere_append(&entry->evidence, &elsewhere, experiments->store, row, error);
    append_known(&entry->domain, "domain", text_string(&elsewhere.domain));
    entry->is_listed = elsewhere.is_listed;
    elsewhere_free(&elsewhere);
    return status;
}

bool entry_failed(const struct entry *entry)
{
    return entry->values.failed || entry->domain.failed || entry->evidence.failed ||
           entry->origin.failed;
}

void entry_free(struct entry *entry)
{
    text_free(&entry->values);
    text_free(&entry->domain);
    text_free(&entry->evidence);
    text_free(&entry->origin);
}
