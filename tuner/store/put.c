/* The rows that trials hang on: environments, experiments, problems, configurations, runs, and
 * baselines. */
#include "tuner/store/internal.h"

#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/json.h"

/* {"sm_count":132,...}: every fact by its key. */
static bool facts_to_json(const struct facts *facts, struct text *out)
{
    text_clear(out);
    text_append(out, "{");
    for (size_t i = 0; i < facts->count; i++) {
        text_append(out, i > 0 ? "," : "");
        json_append_string(out, facts->items[i].key);
        text_append(out, ":");
        json_append_value(out, facts->items[i].value);
    }
    text_append(out, "}");
    return !out->failed;
}

/* A device that cannot tell its unique name is known by where it sits. */
static bool device_uuid(const struct store_environment *environment, struct text *out)
{
    const struct facts *facts = environment->facts;
    const char *uuid = facts_text(facts, "uuid", "");
    text_clear(out);
    if (uuid[0] != '\0')
        text_append(out, uuid);
    else
        text_printf(out, "%s:%lld:%s@%s", facts_text(facts, "kind", ""),
                    (long long)facts_integer(facts, "index", 0), facts_text(facts, "name", ""),
                    environment->host);
    return !out->failed;
}

static enum status put_device(struct store *store, const struct store_environment *environment,
                              int64_t *device_id, struct error *error)
{
    const struct facts *facts = environment->facts;
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    if (!device_uuid(environment, &store->json[1]) || !facts_to_json(facts, &store->json[0]))
        return error_no_memory(error);
    sqlite3_stmt *add = NULL;
    enum status status = store_prepare(
        store,
        "INSERT INTO devices (uuid, kind, name, architecture, memory_bytes, unit_count, facts,"
        " first_seen_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
        "ON CONFLICT (uuid) DO UPDATE SET kind = ?2, name = ?3, architecture = ?4,"
        " memory_bytes = ?5, unit_count = ?6, facts = ?7 RETURNING id",
        &add, error);
    if (status != STATUS_OK)
        return status;
    store_bind_text(add, 1, text_string(&store->json[1]));
    store_bind_text(add, 2, facts_text(facts, "kind", ""));
    store_bind_text(add, 3, facts_text(facts, "name", ""));
    store_bind_text(add, 4, facts_text(facts, "architecture", ""));
    (void)sqlite3_bind_int64(add, 5, facts_integer(facts, "memory_bytes", 0));
    (void)sqlite3_bind_int64(add, 6,
                             facts_integer(facts, "sm_count", facts_integer(facts, "cores", 0)));
    store_bind_text(add, 7, text_string(&store->json[0]));
    store_bind_text(add, 8, now);
    return store_take_once(store, add, device_id, NULL, "store a device", error);
}

static enum status put_environment(struct store *store, const struct store_environment *environment,
                                   int64_t device_id, int64_t *environment_id, struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    sqlite3_stmt *add = NULL;
    /* The update that changes nothing makes RETURNING give the row that is there. */
    enum status status = store_prepare(
        store,
        "INSERT INTO environments (device_id, driver, compiler, tool_version, host, first_seen_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
        "ON CONFLICT (device_id, driver, compiler, tool_version, host) "
        "DO UPDATE SET host = ?5 RETURNING id",
        &add, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(add, 1, device_id);
    store_bind_text(add, 2, facts_text(environment->facts, "driver", ""));
    store_bind_text(add, 3, facts_text(environment->facts, "compiler", ""));
    store_bind_text(add, 4, environment->tool_version);
    store_bind_text(add, 5, environment->host);
    store_bind_text(add, 6, now);
    return store_take_once(store, add, environment_id, NULL, "store an environment", error);
}

enum status store_environment(struct store *store, const struct store_environment *environment,
                              int64_t *environment_id, struct error *error)
{
    int64_t device_id = 0;
    enum status status = store_begin(store, "store a device", error);
    if (status != STATUS_OK)
        return status;
    status = put_device(store, environment, &device_id, error);
    if (status == STATUS_OK)
        status = put_environment(store, environment, device_id, environment_id, error);
    return store_end(store, status, "store a device", error);
}

enum status store_experiment(struct store *store, const struct store_experiment *experiment,
                             int64_t *experiment_id, struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    sqlite3_stmt *add = NULL;
    enum status status = store_prepare(
        store,
        "INSERT INTO experiments (name, device_kind, content_hash, path, text, first_seen_at,"
        " definition_hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
        "ON CONFLICT (name, device_kind, definition_hash) DO UPDATE SET"
        " content_hash = ?3, path = ?4, text = ?5 RETURNING id",
        &add, error);
    if (status != STATUS_OK)
        return status;
    store_bind_text(add, 1, experiment->name);
    store_bind_text(add, 2, experiment->device_kind);
    store_bind_text(add, 3, experiment->content_hash);
    store_bind_text(add, 4, experiment->path);
    store_bind_text(add, 5, experiment->text);
    store_bind_text(add, 6, now);
    store_bind_text(add, 7,
                    experiment->definition_hash ? experiment->definition_hash
                                                : experiment->content_hash);
    return store_take_once(store, add, experiment_id, NULL, "store an experiment", error);
}

static void bind_positive(sqlite3_stmt *statement, int index, double value)
{
    if (value > 0)
        (void)sqlite3_bind_double(statement, index, value);
    else
        (void)sqlite3_bind_null(statement, index);
}

static void bind_problem(sqlite3_stmt *statement, const struct store_problem *problem)
{
    (void)sqlite3_bind_int64(statement, 1, problem->experiment_id);
    store_bind_text(statement, 2, problem->key);
    (void)sqlite3_bind_int64(statement, 3, problem->n);
    (void)sqlite3_bind_double(statement, 4, problem->bytes_moved);
    store_bind_text(statement, 5, problem->ceiling ? problem->ceiling : "read");
    bind_positive(statement, 6, problem->operations);
    store_bind_text(statement, 7, problem->operations > 0 ? problem->operations_type : NULL);
}

enum status store_problem(struct store *store, const struct store_problem *problem,
                          int64_t *problem_id, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    bool found = false;
    enum status status = store_statement(store, STATEMENT_PROBLEM_FIND, &statement, error);
    if (status == STATUS_OK) {
        bind_problem(statement, problem);
        status = store_take(store, statement, problem_id, &found, "find a problem", error);
    }
    if (status != STATUS_OK || found)
        return status;
    text_clear(&store->json[0]);
    json_append_object(&store->json[0], problem->axes, problem->axis_count);
    if (store->json[0].failed)
        return error_no_memory(error);
    status = store_statement(store, STATEMENT_PROBLEM_ADD, &statement, error);
    if (status != STATUS_OK)
        return status;
    bind_problem(statement, problem);
    store_bind_text(statement, 8, text_string(&store->json[0]));
    return store_take(store, statement, problem_id, NULL, "store a problem", error);
}

static enum status add_configuration(struct store *store, int64_t experiment_id, const char *key,
                                     const struct named_value *parameters, size_t count,
                                     int64_t *configuration_id, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    text_clear(&store->json[0]);
    json_append_object(&store->json[0], parameters, count);
    if (store->json[0].failed)
        return error_no_memory(error);
    enum status status = store_statement(store, STATEMENT_CONFIGURATION_ADD, &statement, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, experiment_id);
    store_bind_text(statement, 2, key);
    store_bind_text(statement, 3, text_string(&store->json[0]));
    return store_take(store, statement, configuration_id, NULL, "store a configuration", error);
}

/* Thousands come at once, and none means anything before its first trial, whose commit makes it
 * durable. */
enum status store_configuration(struct store *store, int64_t experiment_id, const char *key,
                                const struct named_value *parameters, size_t count,
                                int64_t *configuration_id, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    bool found = false;
    enum status status = store_statement(store, STATEMENT_CONFIGURATION_FIND, &statement, error);
    if (status == STATUS_OK) {
        (void)sqlite3_bind_int64(statement, 1, experiment_id);
        store_bind_text(statement, 2, key);
        status =
            store_take(store, statement, configuration_id, &found, "find a configuration", error);
    }
    if (status != STATUS_OK || found)
        return status;
    status = store_relax(store, true, error);
    if (status == STATUS_OK)
        status = add_configuration(store, experiment_id, key, parameters, count, configuration_id,
                                   error);
    return store_relaxed_end(store, status, error);
}

enum status store_ceilings_put(struct store *store, int64_t environment_id,
                               const struct store_ceilings *ceilings, struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    sqlite3_stmt *add = NULL;
    enum status status = store_prepare(
        store,
        "INSERT INTO ceilings (environment_id, measured_at, buffer_bytes, host_to_device_gbs,"
        " device_to_host_gbs, copy_gbs, read_gbs, write_gbs) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        &add, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(add, 1, environment_id);
    store_bind_text(add, 2, now);
    (void)sqlite3_bind_int64(add, 3, ceilings->buffer_bytes);
    bind_positive(add, 4, ceilings->host_to_device_gbs);
    bind_positive(add, 5, ceilings->device_to_host_gbs);
    bind_positive(add, 6, ceilings->copy_gbs);
    bind_positive(add, 7, ceilings->read_gbs);
    bind_positive(add, 8, ceilings->write_gbs);
    return store_take_once(store, add, NULL, NULL, "store the ceilings", error);
}

enum status store_ceilings_get(struct store *store, int64_t environment_id, bool *found,
                               struct store_ceilings *out, struct error *error)
{
    sqlite3_stmt *get = NULL;
    *found = false;
    enum status status =
        store_prepare(store,
                      "SELECT buffer_bytes, host_to_device_gbs, device_to_host_gbs, copy_gbs,"
                      " read_gbs, write_gbs FROM ceilings WHERE environment_id = ?1 "
                      "ORDER BY id DESC LIMIT 1",
                      &get, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(get, 1, environment_id);
    status = store_step(store, get, found, "read the ceilings", error);
    if (status == STATUS_OK && *found)
        *out = (struct store_ceilings){
            .buffer_bytes = sqlite3_column_int64(get, 0),
            .host_to_device_gbs = sqlite3_column_double(get, 1),
            .device_to_host_gbs = sqlite3_column_double(get, 2),
            .copy_gbs = sqlite3_column_double(get, 3),
            .read_gbs = sqlite3_column_double(get, 4),
            .write_gbs = sqlite3_column_double(get, 5),
        };
    (void)sqlite3_finalize(get);
    return status;
}

enum status store_arithmetic_put(struct store *store, int64_t environment_id, const char *type,
                                 double gops, struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    sqlite3_stmt *add = NULL;
    enum status status =
        store_prepare(store,
                      "INSERT INTO arithmetic_ceilings (environment_id, type, measured_at, gops) "
                      "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (environment_id, type, measured_at) "
                      "DO UPDATE SET gops = max(gops, ?4)",
                      &add, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(add, 1, environment_id);
    store_bind_text(add, 2, type);
    store_bind_text(add, 3, now);
    (void)sqlite3_bind_double(add, 4, gops);
    return store_take_once(store, add, NULL, NULL, "store the ceilings of arithmetic", error);
}

enum status store_arithmetic_get(struct store *store, int64_t environment_id, const char *type,
                                 double *gops, struct error *error)
{
    sqlite3_stmt *get = NULL;
    bool found = false;
    *gops = 0;
    enum status status = store_prepare(store,
                                       "SELECT gops FROM arithmetic_ceilings WHERE"
                                       " environment_id = ?1 AND type = ?2 "
                                       "ORDER BY measured_at DESC LIMIT 1",
                                       &get, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(get, 1, environment_id);
    store_bind_text(get, 2, type);
    status = store_step(store, get, &found, "read the ceilings of arithmetic", error);
    if (status == STATUS_OK && found)
        *gops = sqlite3_column_double(get, 0);
    (void)sqlite3_finalize(get);
    return status;
}

enum status store_run_start(struct store *store, const struct store_run_start *run, int64_t *run_id,
                            struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    sqlite3_stmt *add = NULL;
    enum status status = store_prepare(
        store,
        "INSERT INTO runs (environment_id, started_at, seed, l2_mode, tick_ns,"
        " empty_pair_ns, node_gap_ns, effort, budget_ns, objective, protocol,"
        " worker_cpus, near, command) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) RETURNING id",
        &add, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(add, 1, run->environment_id);
    store_bind_text(add, 2, now);
    (void)sqlite3_bind_int64(add, 3, (int64_t)(run->seed & INT64_MAX));
    store_bind_text(add, 4, l2_mode_name(run->l2_mode));
    (void)sqlite3_bind_double(add, 5, run->tick_ns);
    (void)sqlite3_bind_double(add, 6, run->empty_pair_ns);
    (void)sqlite3_bind_double(add, 7, run->node_gap_ns);
    store_bind_text(add, 8, run->effort);
    store_bind_from(add, 9, run->budget_ns, 1);
    store_bind_objective(add, 10, run->objective);
    store_bind_text(add, 11, run->protocol);
    store_bind_text(add, 12, run->worker_cpus);
    store_bind_text(add, 13, run->near);
    store_bind_text(add, 14, run->command);
    return store_take_once(store, add, run_id, NULL, "store a run", error);
}

enum status store_run_end(struct store *store, int64_t run_id, const struct store_run_end *end,
                          struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    sqlite3_stmt *put = NULL;
    bool found = false;
    enum status status = store_prepare(
        store,
        "UPDATE runs SET ended_at = ?2, outcome = ?3, wall_ns = ?4, measuring_ns = ?5,"
        " compile_wait_ns = ?6, binaries_compiled = ?7, binaries_cached = ?8 WHERE id = ?1 "
        "RETURNING id",
        &put, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(put, 1, run_id);
    store_bind_text(put, 2, now);
    store_bind_text(put, 3, end->outcome);
    (void)sqlite3_bind_int64(put, 4, end->wall_ns);
    (void)sqlite3_bind_int64(put, 5, end->measuring_ns);
    (void)sqlite3_bind_int64(put, 6, end->compile_wait_ns);
    (void)sqlite3_bind_int64(put, 7, end->binaries_compiled);
    (void)sqlite3_bind_int64(put, 8, end->binaries_cached);
    status = store_take_once(store, put, NULL, &found, "store the end of a run", error);
    if (status == STATUS_OK && !found)
        return error_set(error, STATUS_INTERNAL, "%s: there is no run %lld to end", store->path,
                         (long long)run_id);
    return status;
}

enum status store_baseline(struct store *store, int64_t environment_id, int64_t problem_id,
                           const char *name, const char *about, int64_t configuration_id,
                           struct error *error)
{
    sqlite3_stmt *put = NULL;
    enum status status = store_prepare(
        store,
        "INSERT INTO baselines (environment_id, problem_id, name, about, configuration_id) "
        "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (environment_id, problem_id, name) "
        "DO UPDATE SET about = ?4, configuration_id = ?5",
        &put, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(put, 1, environment_id);
    (void)sqlite3_bind_int64(put, 2, problem_id);
    store_bind_text(put, 3, name);
    store_bind_text(put, 4, about);
    (void)sqlite3_bind_int64(put, 5, configuration_id);
    return store_take_once(store, put, NULL, NULL, "store a baseline", error);
}
