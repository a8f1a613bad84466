/* T4 out of the database. */
#include "tuner/exchange/t4.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/json.h"
#include "tuner/device/traits.h"
#include "tuner/exchange/embedded.h"
#include "tuner/experiment/experiment.h"
#include "tuner/store/query.h"

/* db/queries/t4_problems.sql, db/queries/t4.sql */

/* Columns of t4_problems.sql and of t4.sql, in order. */
enum problem_column {
    PROBLEM_ENVIRONMENT,
    PROBLEM_ID,
    PROBLEM_MODE,
    PROBLEM_RUN,
    PROBLEM_KEY,
    PROBLEM_N,
    PROBLEM_EXPERIMENT,
    PROBLEM_DEVICE,
    PROBLEM_KIND,
    PROBLEM_FACTS,
    PROBLEM_DRIVER,
    PROBLEM_COMPILER,
    PROBLEM_TOOL,
    PROBLEM_STARTED,
};
enum trial_column {
    TRIAL_PARAMETERS,
    TRIAL_STATUS,
    TRIAL_MEASURED_AT,
    TRIAL_MEDIAN,
    TRIAL_ENERGY,
    TRIAL_DURATION,
    TRIAL_OWN,
    TRIAL_COMPILE,
    TRIAL_SEARCH,
    TRIAL_SAMPLES,
    TRIAL_METRICS,
    TRIAL_OCCUPANCY,
    TRIAL_REGISTERS,
};

static const char *const versions[] = {[T4_1_0_0] = "1.0.0", [T4_1_1_0] = "1.1.0"};

enum status t4_version_parse(const char *text, enum t4_version *out, struct error *error)
{
    *out = (enum t4_version)WORD_INDEX(text, versions, COUNT(versions));
    return *out <= T4_1_1_0
               ? STATUS_OK
               : error_set(error, STATUS_USAGE, "--t4-version %.20s: write 1.0.0 or 1.1.0", text);
}

/* A trial's status in T4's terms, and the word in place of its time. Readers know only these three
 * words. */
struct outcome {
    enum trial_status status;
    const char *invalidity;
    const char *instead; /* NULL: the time */
};
static const struct outcome outcomes[] = {
    {TRIAL_OK, "correct", NULL},
    {TRIAL_UNSTABLE, "correct", NULL},
    {TRIAL_COMPILE_FAILED, "compile", "CompilationFailedConfig"},
    {TRIAL_LAUNCH_FAILED, "runtime", "RuntimeFailedConfig"},
    {TRIAL_CRASHED, "runtime", "RuntimeFailedConfig"},
    {TRIAL_TIMED_OUT, "timeout", "RuntimeFailedConfig"},
    {TRIAL_WRONG_RESULT, "correctness", "InvalidConfig"},
    {TRIAL_SKIPPED, "constraints", "InvalidConfig"},
};

/* Converts to seconds; 0 if unknown or negative (a share below the clock's resolution). */
static json_t *seconds(double nanoseconds)
{
    return json_real(isfinite(nanoseconds) && nanoseconds > 0 ? nanoseconds * 1e-9 : 0);
}

/* Writes the times. The schema of 1.0.0 has compilation_time where readers look for compilation, so
 * both are written. Without this repetition, the sum is the trial's cost. */
static json_t *times_of(struct store_query *query, bool timed)
{
    const char *samples = timed ? store_query_text(query, TRIAL_SAMPLES) : NULL;
    json_t *all = samples ? json_read(samples, 0, NULL) : NULL;
    json_t *runtimes = json_array();
    double compile_ns = store_query_real(query, TRIAL_COMPILE);
    double framework_ns = store_query_real(query, TRIAL_DURATION);
    const json_t *sample;
    size_t index;
    json_array_foreach(all, index, sample)
    {
        (void)json_array_append_new(runtimes, seconds(json_number_value(sample)));
        if (store_query_integer(query, TRIAL_OWN) != 0)
            framework_ns -= json_number_value(sample);
    }
    json_decref(all);
    json_t *times = json_pack(
        "{s:o, s:o, s:o, s:o, s:f}", "compilation_time", seconds(compile_ns), "compilation",
        seconds(compile_ns), "framework", seconds(framework_ns), "search_algorithm",
        seconds(store_query_real(query, TRIAL_SEARCH)), "validation", 0.0); /* within framework */
    if (timed)
        (void)json_object_set(times, "runtimes", runtimes);
    json_decref(runtimes);
    return times;
}

static void add_measurement(json_t *list, const char *name, json_t *value, const char *unit)
{
    (void)json_array_append_new(
        list, json_pack("{s:s, s:o, s:s}", "name", name, "value", value, "unit", unit));
}

static void add_known(json_t *list, const char *name, double value, const char *unit)
{
    if (isfinite(value))
        add_measurement(list, name, json_real(value), unit);
}

/* Writes the measurements. In 1.1.0, the unit of time is in the metadata, and is left empty here.
 */
static json_t *measurements_of(struct store_query *query, const struct outcome *outcome,
                               enum t4_version version)
{
    json_t *list = json_array();
    double median_ns = store_query_real(query, TRIAL_MEDIAN);
    json_t *time = outcome->instead ? json_string(outcome->instead) : seconds(median_ns);
    add_measurement(list, "time", time, outcome->instead || version == T4_1_1_0 ? "" : "s");
    if (!outcome->instead)
        add_known(list, "energy", store_query_real(query, TRIAL_ENERGY), "J");
    if (!outcome->instead) {
        /* The experiment's own metrics, by name; none hides another measurement. */
        const char *metrics = store_query_text(query, TRIAL_METRICS);
        json_t *all = metrics ? json_read(metrics, 0, NULL) : NULL;
        const char *name;
        json_t *value;
        json_object_foreach(all, name, value)
        {
            if (json_is_number(value) && strcmp(name, "time") != 0)
                add_known(list, name, json_number_value(value), "");
        }
        json_decref(all);
    }
    add_known(list, "occupancy", store_query_real(query, TRIAL_OCCUPANCY), "");
    add_known(list, "registers", store_query_real(query, TRIAL_REGISTERS), "");
    return list;
}

static json_t *result_of(struct store_query *query, enum t4_version version)
{
    const char *status = store_query_text(query, TRIAL_STATUS);
    const char *parameters = store_query_text(query, TRIAL_PARAMETERS);
    const char *at = store_query_text(query, TRIAL_MEASURED_AT);
    struct outcome outcome = {TRIAL_CRASHED, "runtime", "RuntimeFailedConfig"};
    for (size_t i = 0; status && i < sizeof outcomes / sizeof outcomes[0]; i++)
        if (strcmp(trial_status_name(outcomes[i].status), status) == 0 &&
            (outcomes[i].instead || !isnan(store_query_real(query, TRIAL_MEDIAN))))
            outcome = outcomes[i];
    return json_pack("{s:s, s:o?, s:[s], s:o, s:s, s:i, s:o}", "timestamp", at ? at : "",
                     "configuration", parameters ? json_read(parameters, 0, NULL) : NULL,
                     "objectives", "time", "times", times_of(query, !outcome.instead), "invalidity",
                     outcome.invalidity, "correctness", outcome.instead ? 0 : 1, "measurements",
                     measurements_of(query, &outcome, version));
}

static enum status append_json(struct text *out, json_t *value, struct error *error)
{
    char *text = value ? json_dumps(value, JSON_REAL_PRECISION(15)) : NULL;
    if (text)
        text_append(out, text);
    bool done = text != NULL;
    free(text);
    json_decref(value);
    return done ? STATUS_OK : error_no_memory(error);
}

/* ---- which problem ---- */

struct chosen {
    char environment[24], problem[24], mode[16];
    json_t *metadata;
    size_t others; /* problems besides */
    char key[PROBLEM_KEY_BYTES];
    int64_t n;
    struct text names; /* names of all possible problems */
};

static const char *text_of(struct store_query *query, int column)
{
    const char *text = store_query_text(query, column);
    return text ? text : "";
}

static void take_problem(struct chosen *chosen, struct store_query *query, struct t4_counts *counts,
                         enum t4_version version)
{
    const char *key = text_of(query, PROBLEM_KEY);
    int64_t n = store_query_integer(query, PROBLEM_N);
    if (chosen->metadata) {
        if (strcmp(chosen->key, key) == 0 && chosen->n == n)
            return; /* elsewhere, and longer ago */
        chosen->others++;
        if (chosen->names.length < ERROR_TEXT_BYTES / 2)
            text_printf(&chosen->names, ", %s n=%lld", key, (long long)n);
        return;
    }
    (void)string_format(chosen->environment, sizeof chosen->environment, "%lld",
                        (long long)store_query_integer(query, PROBLEM_ENVIRONMENT));
    (void)string_format(chosen->problem, sizeof chosen->problem, "%lld",
                        (long long)store_query_integer(query, PROBLEM_ID));
    (void)string_format(chosen->mode, sizeof chosen->mode, "%s", text_of(query, PROBLEM_MODE));
    (void)string_format(chosen->key, sizeof chosen->key, "%s", key);
    chosen->n = n;
    json_t *metadata = json_object();
    const char *compute_api = device_traits(text_of(query, PROBLEM_KIND))->compute_api;
    json_t *facts = json_read(text_of(query, PROBLEM_FACTS), 0, NULL);
    if (compute_api)
        (void)json_object_set_new(metadata, "compute_api", json_string(compute_api));
    const char *const texts[][2] = {
        {"platform", text_of(query, PROBLEM_DRIVER)},
        {"device", text_of(query, PROBLEM_DEVICE)},
        {"autotuner", "tune"},
        {"autotuner_version", text_of(query, PROBLEM_TOOL)},
        {"timestamp", text_of(query, PROBLEM_STARTED)},
        {"timeunit", "seconds"},
        {"kernel", text_of(query, PROBLEM_KEY)},
        {"compiler", text_of(query, PROBLEM_COMPILER)},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        (void)json_object_set_new(metadata, texts[i][0], json_string(texts[i][1]));
    (void)json_object_set_new(metadata, "n", json_integer(store_query_integer(query, PROBLEM_N)));
    if (version == T4_1_0_0 && facts) {
        json_t *query_of = json_pack("{s:O}", "tune", facts);
        (void)json_object_set_new(metadata, "environment",
                                  json_pack("{s:o}", "device_query", query_of));
    }
    json_decref(facts);
    chosen->metadata = metadata;
    text_printf(&chosen->names, "%s n=%lld", key, (long long)n);
    (void)string_format(counts->what, sizeof counts->what, "%s n=%lld on %s (%s)", key,
                        (long long)n, text_of(query, PROBLEM_DEVICE), chosen->mode);
}

static enum status choose(struct store *store, const struct t4_options *options,
                          struct chosen *chosen, struct t4_counts *counts, struct error *error)
{
    const struct store_parameter parameters[] = {{"problem", options->problem}, {"n", options->n}};
    struct store_query *query = NULL;
    bool row = true;
    enum status status = store_query_open(store, t4_problems_query, parameters, 2, &query, error);
    while (status == STATUS_OK && row) {
        status = store_query_next(query, &row, error);
        if (status == STATUS_OK && row)
            take_problem(chosen, query, counts, options->version);
    }
    store_query_close(query);
    if (status != STATUS_OK)
        return status;
    if (!chosen->metadata)
        return error_set(
            error, STATUS_NOT_FOUND, "no trials of %s%s%s", options->problem ? "'" : "",
            options->problem ? options->problem : "any problem", options->problem ? "'" : "");
    if (chosen->others > 0)
        return error_set(error, STATUS_NOT_FOUND,
                         "a file of T4 is about one problem, and there are %zu: %s; name one with "
                         "--problem and --n",
                         chosen->others + 1, text_string(&chosen->names));
    return STATUS_OK;
}

/* ---- the file ---- */

enum { PART_BYTES = 1 << 16 };

struct file {
    t4_take *take;
    void *context;
    struct text part;
};

static enum status hand_over(struct file *file, size_t least, struct error *error)
{
    TRY_MEMORY(!file->part.failed);
    if (file->part.length <= least)
        return STATUS_OK;
    enum status status = file->take(file->context, file->part.data, file->part.length, error);
    text_clear(&file->part);
    return status;
}

enum status t4_write(struct store *store, const struct t4_options *options, t4_take *take,
                     void *context, struct t4_counts *counts, struct error *error)
{
    struct chosen chosen = {.n = 0};
    struct file file = {.take = take, .context = context};
    *counts = (struct t4_counts){.results = 0};
    enum status status = choose(store, options, &chosen, counts, error);
    if (status == STATUS_OK) {
        text_printf(&file.part,
                    "{\"schema_version\": \"%s\",\n\"metadata\": ", versions[options->version]);
        status = append_json(&file.part, chosen.metadata, error);
        chosen.metadata = NULL;
        text_append(&file.part, ",\n\"results\": [");
    }
    if (status == STATUS_OK) {
        const struct store_parameter parameters[] = {
            {"environment", chosen.environment},
            {"problem", chosen.problem},
            {"l2_mode", chosen.mode},
        };
        struct store_query *query = NULL;
        bool row = true;
        status = store_query_open(store, t4_query, parameters, 3, &query, error);
        while (status == STATUS_OK && row) {
            status = store_query_next(query, &row, error);
            if (status != STATUS_OK || !row)
                break;
            text_append(&file.part, counts->results++ > 0 ? ",\n" : "\n");
            status = append_json(&file.part, result_of(query, options->version), error);
            if (status == STATUS_OK)
                status = hand_over(&file, PART_BYTES, error);
        }
        store_query_close(query);
    }
    text_append(&file.part, "\n]}\n");
    if (status == STATUS_OK)
        status = hand_over(&file, 0, error);
    json_decref(chosen.metadata);
    text_free(&chosen.names);
    text_free(&file.part);
    return status;
}
