/* Rows that trials refer to: environments, experiments, problems, configurations, runs, searches,
 * baselines, ceilings, and times of other implementations. */
#include "tuner/store/internal.h"

#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/json.h"
#include "tuner/store/evidence.h"
#include "tuner/store/measured.h"

/* Columns from a device's facts. */
struct device_row {
    const char *uuid, *kind, *name, *architecture, *facts;
    int64_t memory_bytes, unit_count;
};
struct environment_row {
    int64_t device_id;
    const char *driver, *compiler, *tool_version, *host;
};

static enum status insert_environment(struct store *store,
                                      const struct store_environment *environment,
                                      int64_t device_id, int64_t *environment_id,
                                      struct error *error)
{
    ROW_TABLE(struct environment_row, environments, "store an environment", KEY(device_id, INTEGER),
              KEY(driver, TEXT), KEY(compiler, TEXT), KEY(tool_version, TEXT), KEY(host, TEXT),
              WRITTEN_AT("first_seen_at", ROW_ONCE));
    const struct environment_row row = {device_id, facts_text(environment->facts, "driver", ""),
                                        facts_text(environment->facts, "compiler", ""),
                                        environment->tool_version, environment->host};
    return store_put(store, &environments, STORE_SOURCES(&row), environment_id, error);
}

enum status store_environment(struct store *store, const struct store_environment *environment,
                              int64_t *environment_id, struct error *error)
{
    static const char doing[] = "store a device";
    ROW_TABLE(struct device_row, devices, doing, KEY(uuid, TEXT), VALUE(kind, TEXT),
              VALUE(name, TEXT), VALUE(architecture, TEXT), VALUE(memory_bytes, INTEGER),
              VALUE(unit_count, INTEGER), VALUE(facts, TEXT),
              WRITTEN_AT("first_seen_at", ROW_ONCE));
    int64_t device_id = 0;
    const struct facts *facts = environment->facts;
    /* The device's unique name, or its place if it has none. */
    const char *uuid = facts_text(facts, "uuid", "");
    text_clear(&store->json[1]);
    if (uuid[0] != '\0')
        text_append(&store->json[1], uuid);
    else
        text_printf(&store->json[1], "%s:%lld:%s@%s", facts_text(facts, "kind", ""),
                    (long long)facts_integer(facts, "index", 0), facts_text(facts, "name", ""),
                    environment->host);
    /* Every fact by its key: {"sm_count":132,...} */
    struct text *json = &store->json[0];
    text_clear(json);
    text_append(json, "{");
    for (size_t i = 0; i < facts->count; i++) {
        text_append(json, i > 0 ? "," : "");
        json_append_string(json, facts->items[i].key);
        text_append(json, ":");
        json_append_value(json, facts->items[i].value);
    }
    text_append(json, "}");
    TRY_MEMORY(!store->json[1].failed && !json->failed);
    const struct device_row device = {
        .uuid = text_string(&store->json[1]),
        .kind = facts_text(facts, "kind", ""),
        .name = facts_text(facts, "name", ""),
        .architecture = facts_text(facts, "architecture", ""),
        .facts = text_string(&store->json[0]),
        .memory_bytes = facts_integer(facts, "memory_bytes", 0),
        .unit_count = facts_integer(facts, "sm_count", facts_integer(facts, "cores", 0)),
    };
    TRY(store_begin(store, doing, error));
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(store_put(store, &devices, STORE_SOURCES(&device), &device_id, error));
    TRY_OR_CLEANUP(insert_environment(store, environment, device_id, environment_id, error));
cleanup:
    return store_end(store, status, doing, error);
}

enum status store_experiment(struct store *store, const struct store_experiment *experiment,
                             int64_t *experiment_id, struct error *error)
{
    ROW_TABLE(struct store_experiment, experiments, "store an experiment", KEY(name, TEXT),
              KEY(device_kind, TEXT), KEY(definition_hash, TEXT), VALUE(content_hash, TEXT),
              VALUE(path, TEXT), VALUE(text, TEXT), WRITTEN_AT("first_seen_at", ROW_ONCE));
    struct store_experiment row = *experiment;
    if (!row.definition_hash)
        row.definition_hash = row.content_hash;
    return store_put(store, &experiments, STORE_SOURCES(&row), experiment_id, error);
}

/* Finds the row without writing; else inserts or updates it: another tuner may have added it
 * meanwhile, or the file's metrics changed, which makes no trial stale. */
enum status store_problem(struct store *store, const struct store_problem *problem,
                          int64_t *problem_id, struct error *error)
{
    ROW_TABLE(struct store_problem, problems, "store a problem", KEY(experiment_id, INTEGER),
              KEY(key, TEXT), KEY(n, INTEGER), VALUE(family, TEXT), VALUE(bytes_moved, REAL),
              VALUE(ceiling, TEXT), VALUE(operations, REAL_ABOVE_0), VALUE(operations_type, TEXT),
              VALUES(axes, VALUES, ROW_ONCE, axis_count));
    struct store_problem row = *problem;
    bool found = false;
    if (!row.ceiling)
        row.ceiling = "read";
    if (!(row.operations > 0))
        row.operations_type = NULL;
    TRY(store_run(
        store,
        "SELECT id FROM problems WHERE experiment_id = ?1 AND key = ?2 AND n = ?3 "
        "AND bytes_moved = ?4 AND ceiling = ?5 AND operations IS ?6 AND operations_type IS ?7 "
        "AND family IS ?8",
        "find a problem",
        STORE_VALUES(value_integer(row.experiment_id), value_text(row.key), value_integer(row.n),
                     value_real(row.bytes_moved), value_text(row.ceiling),
                     row.operations > 0 ? value_real(row.operations) : value_text(NULL),
                     value_text(row.operations_type), value_text(row.family)),
        problem_id, &found, error));
    return found ? STATUS_OK : store_put(store, &problems, STORE_SOURCES(&row), problem_id, error);
}

struct configuration_row {
    int64_t experiment_id;
    const char *key;
    const struct named_value *parameters;
    size_t parameter_count;
};

/* Inserts without waiting for the disk: thousands come at once, and the commit of a row's first
 * trial makes it durable. */
enum status store_configuration(struct store *store, int64_t experiment_id, const char *key,
                                const struct named_value *parameters, size_t count,
                                int64_t *configuration_id, struct error *error)
{
    ROW_TABLE(struct configuration_row, configurations, "store a configuration",
              KEY(experiment_id, INTEGER), KEY(key, TEXT),
              VALUES(parameters, VALUES, ROW_ONCE, parameter_count));
    const struct configuration_row row = {experiment_id, key, parameters, count};
    bool found = false;
    enum status status = store_run(
        store, "SELECT id FROM configurations WHERE experiment_id = ?1 AND key = ?2",
        "find a configuration", STORE_VALUES(value_integer(experiment_id), value_text(key)),
        configuration_id, &found, error);
    if (status != STATUS_OK || found)
        return status;
    status = store_relax(store, true, error);
    if (status == STATUS_OK)
        status = store_put(store, &configurations, STORE_SOURCES(&row), configuration_id, error);
    return store_relaxed_end(store, status, error);
}

enum status store_ceilings_put(struct store *store, int64_t environment_id,
                               const struct store_ceilings *measured, struct error *error)
{
    ROW_TABLE(struct store_ceilings, ceilings, "store the ceilings",
              SHARED_ID("environment_id", ROW_VALUE), WRITTEN_AT("measured_at", ROW_VALUE),
              VALUE(buffer_bytes, INTEGER), VALUE(host_to_device_gbs, REAL_ABOVE_0),
              VALUE(device_to_host_gbs, REAL_ABOVE_0), VALUE(copy_gbs, REAL_ABOVE_0),
              VALUE(read_gbs, REAL_ABOVE_0), VALUE(write_gbs, REAL_ABOVE_0));
    return store_put(store, &ceilings, STORE_SOURCES(measured, &environment_id), NULL, error);
}

enum status store_ceilings_get(struct store *store, int64_t environment_id, bool *found,
                               struct store_ceilings *ceilings, struct error *error)
{
    SELECTION(struct store_ceilings, newest,
              "SELECT buffer_bytes, coalesce(host_to_device_gbs, 0.0) AS host_to_device_gbs,"
              " coalesce(device_to_host_gbs, 0.0) AS device_to_host_gbs,"
              " coalesce(copy_gbs, 0.0) AS copy_gbs, coalesce(read_gbs, 0.0) AS read_gbs,"
              " coalesce(write_gbs, 0.0) AS write_gbs "
              "FROM ceilings WHERE environment_id = ?1 ORDER BY id DESC LIMIT 1",
              SELECTED(buffer_bytes, INTEGER), SELECTED(host_to_device_gbs, REAL),
              SELECTED(device_to_host_gbs, REAL), SELECTED(copy_gbs, REAL),
              SELECTED(read_gbs, REAL), SELECTED(write_gbs, REAL));
    return store_select_one(store, &newest, STORE_VALUES(value_integer(environment_id)), NULL,
                            ceilings, found, error);
}

enum status store_arithmetic_put(struct store *store, int64_t environment_id, const char *type,
                                 double gops, struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    return store_run(store,
                     "INSERT INTO arithmetic_ceilings (environment_id, type, measured_at, gops) "
                     "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (environment_id, type, measured_at) "
                     "DO UPDATE SET gops = max(gops, ?4)",
                     "store the ceilings of arithmetic",
                     STORE_VALUES(value_integer(environment_id), value_text(type), value_text(now),
                                  value_real(gops)),
                     NULL, NULL, error);
}

enum status store_arithmetic_get(struct store *store, int64_t environment_id, const char *type,
                                 double *gops, struct error *error)
{
    struct row {
        double gops;
    } row = {0};
    bool found = false;
    SELECTION(struct row, newest,
              "SELECT gops FROM arithmetic_ceilings WHERE environment_id = ?1 AND type = ?2 "
              "ORDER BY measured_at DESC LIMIT 1",
              SELECTED(gops, REAL));
    enum status status = store_select_one(
        store, &newest, STORE_VALUES(value_integer(environment_id), value_text(type)), NULL, &row,
        &found, error);
    *gops = row.gops;
    return status;
}

enum status store_run_start(struct store *store, const struct store_run_start *run, int64_t *run_id,
                            struct error *error)
{
    ROW_TABLE(struct store_run_start, runs, "store a run", VALUE(environment_id, INTEGER),
              WRITTEN_AT("started_at", ROW_VALUE), VALUE(seed, INTEGER), VALUE(l2_mode, MODE),
              VALUE(tick_ns, REAL), VALUE(empty_pair_ns, REAL), VALUE(node_gap_ns, REAL),
              VALUE(effort, TEXT), VALUE(budget_ns, INTEGER_FROM_1), VALUE(objective, OBJECTIVE),
              VALUE(protocol, TEXT), VALUE(worker_cpus, TEXT), VALUE(near, TEXT),
              VALUE(command, TEXT));
    struct store_run_start row = *run;
    row.seed &= INT64_MAX;
    return store_put(store, &runs, STORE_SOURCES(&row), run_id, error);
}

enum status store_run_end(struct store *store, int64_t run_id, const struct store_run_end *end,
                          struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    bool found = false;
    TRY(store_run(
        store,
        "UPDATE runs SET ended_at = ?2, outcome = ?3, wall_ns = ?4, measuring_ns = ?5,"
        " compile_wait_ns = ?6, binaries_compiled = ?7, binaries_cached = ?8 WHERE id = ?1 "
        "RETURNING id",
        "store the end of a run",
        STORE_VALUES(value_integer(run_id), value_text(now), value_text(end->outcome),
                     value_integer(end->wall_ns), value_integer(end->measuring_ns),
                     value_integer(end->compile_wait_ns), value_integer(end->binaries_compiled),
                     value_integer(end->binaries_cached)),
        NULL, &found, error));
    if (!found)
        return error_set(error, STATUS_INTERNAL, "%s: there is no run %lld to end", store->path,
                         (long long)run_id);
    return STATUS_OK;
}

/* Stores without waiting for the disk: a power failure takes no more than counts. A count above
 * INT64_MAX is stored as NULL. */
enum status store_search_put(struct store *store, const struct store_search *search,
                             struct error *error)
{
    ROW_TABLE(struct store_search, searches, "store how a space was searched", KEY(run_id, INTEGER),
              KEY(problem_id, INTEGER), VALUE(asked, TEXT), VALUE(strategy, TEXT),
              VALUE(product_count, INTEGER_FROM_0), VALUE(space_count, INTEGER_FROM_0),
              VALUE(points_most, INTEGER_FROM_0), VALUE(points, INTEGER_FROM_0),
              VALUE(trials, INTEGER_FROM_0), VALUE(unlaunchable, INTEGER_FROM_0),
              VALUE(duplicates, INTEGER_FROM_0), VALUE(failures, INTEGER_FROM_0),
              VALUE(chance_of_better, REAL), VALUE(most_better, REAL), VALUE(sweep_ns, INTEGER),
              VALUE(near_ns, INTEGER));
    enum status status = store_relax(store, true, error);
    if (status == STATUS_OK)
        status = store_put(store, &searches, STORE_SOURCES(search), NULL, error);
    return store_relaxed_end(store, status, error);
}

enum status store_search_settled(struct store *store, int64_t environment_id,
                                 const struct store_search *search, uint64_t *points,
                                 struct error *error)
{
    struct store_search row = {0};
    bool found = false;
    SELECTION(struct store_search, newest,
              "SELECT s.points FROM searches AS s JOIN runs AS r ON r.id = s.run_id "
              "WHERE r.environment_id = ?1 AND s.problem_id = ?2 AND s.asked = ?3 "
              "AND s.points_most = ?4 AND s.space_count = ?5 AND s.points < s.points_most "
              "AND r.outcome = 'complete' AND r.budget_ns IS NULL ORDER BY r.id DESC LIMIT 1",
              SELECTED(points, INTEGER));
    const enum status status = store_select_one(
        store, &newest,
        STORE_VALUES(value_integer(environment_id), value_integer(search->problem_id),
                     value_text(search->asked), value_integer((int64_t)search->points_most),
                     value_integer((int64_t)search->space_count)),
        NULL, &row, &found, error);
    *points = row.points;
    return status;
}

enum status store_baseline(struct store *store, int64_t environment_id, int64_t problem_id,
                           const char *name, const char *about, int64_t configuration_id,
                           struct error *error)
{
    return store_run(
        store,
        "INSERT INTO baselines (environment_id, problem_id, name, about, configuration_id) "
        "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (environment_id, problem_id, name) "
        "DO UPDATE SET about = ?4, configuration_id = ?5",
        "store a baseline",
        STORE_VALUES(value_integer(environment_id), value_integer(problem_id), value_text(name),
                     value_text(about), value_integer(configuration_id)),
        NULL, NULL, error);
}

/* Common origin of all peers of one import. */
struct peer_origin {
    int64_t environment_id;
    const char *source;
};

enum status store_peers_put(struct store *store, int64_t environment_id, const char *source,
                            const struct store_peer *items, size_t count, struct error *error)
{
    static const char doing[] = "store times of other implementations";
    ROW_TABLE(struct store_peer, peers, doing,
              SHARED_KEY(struct peer_origin, environment_id, INTEGER), KEY(problem_key, TEXT),
              KEY(n, INTEGER), KEY(l2_mode, MODE), KEY(name, TEXT),
              SHARED(struct peer_origin, source, TEXT), WRITTEN_AT("imported_at", ROW_VALUE),
              VALUE(time_ns, REAL), VALUE(mad_ns, REAL), VALUE(tuned_ns, REAL), VALUE(ratio, REAL),
              VALUE(ratio_low, REAL), VALUE(ratio_high, REAL), VALUE(rounds, INTEGER_FROM_0));
    const struct peer_origin origin = {environment_id, source};
    TRY(store_begin(store, doing, error));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        TRY_OR_CLEANUP(store_put(store, &peers, STORE_SOURCES(&items[i], &origin), NULL, error));
cleanup:
    return store_end(store, status, doing, error);
}
