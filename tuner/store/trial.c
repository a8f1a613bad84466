/* Trials: the hot path, with one transaction each, on statements that stay prepared. Known trials,
 * and launches under way. */
#include "tuner/store/internal.h"

#include "tuner/base/clock.h"
#include "tuner/store/measured.h"

static const char trial_doing[] = "store a trial";

/* Values of a trial, computed when storing. */
struct trial_worked_out {
    int64_t same_as_trial_id;          /* the measured trial: duplicates never form a chain */
    int64_t launch_count, grid, block; /* first launch's; 0: failed before the plan */
    double occupancy;
};

/* Places of samples and launches. */
struct trial_place {
    int64_t trial_id, ordinal;
};
#define LAUNCH(column, member) ROW_COLUMN(column, .kind = ROW_INTEGER, ROW_MEMBER(row_type, member))
#define RESOURCE(member, kind_)                                                                    \
    ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(struct kernel_resources, member),          \
               .source = 2)

static int64_t volume(const uint32_t size[3])
{
    return (int64_t)size[0] * size[1] * size[2];
}

/* Inserts the trial's own row. */
static enum status insert_trial(struct store *store, const struct store_trial *trial,
                                int64_t measured, int64_t *trial_id, struct error *error)
{
    ROW_TABLE(struct store_trial, trials, trial_doing, VALUE(run_id, INTEGER),
              KEY(environment_id, INTEGER), KEY(problem_id, INTEGER),
              KEY(configuration_id, INTEGER), KEY(stage, TEXT), KEY(objective, OBJECTIVE),
              KEY(l2_mode, MODE), VALUE(status, STATUS), VALUE(detail, TEXT),
              VALUE(compile_log, TEXT),
              SHARED(struct trial_worked_out, same_as_trial_id, INTEGER_FROM_1),
              VALUE(binary_hash, TEXT), VALUES(derived, VALUES_IF_ANY, ROW_VALUE, derived_count),
              VALUES(metrics, VALUES_IF_ANY, ROW_VALUE, metric_count),
              SHARED(struct trial_worked_out, launch_count, INTEGER_FROM_1),
              SHARED(struct trial_worked_out, grid, INTEGER_FROM_1),
              SHARED(struct trial_worked_out, block, INTEGER_FROM_1),
              SHARED(struct trial_worked_out, occupancy, REAL_FROM_0), VALUE(sample_count, INTEGER),
              VALUE(median_ns, REAL), VALUE(mad_ns, REAL), VALUE(min_ns, REAL), VALUE(max_ns, REAL),
              VALUE(energy_j, REAL), VALUE(value, REAL), VALUE(deviation, REAL),
              VALUE(duration_ns, INTEGER), WRITTEN_AT("measured_at", ROW_VALUE));
    const struct launch_plan *plan = trial->plan;
    struct trial_worked_out worked_out = {.same_as_trial_id = measured, .occupancy = -1};
    if (plan && plan->launch_count > 0)
        worked_out = (struct trial_worked_out){
            .same_as_trial_id = measured,
            .launch_count = (int64_t)plan->launch_count,
            .grid = plan->launches[0].is_function ? 0 : volume(plan->launches[0].grid),
            .block = plan->launches[0].is_function ? 0 : volume(plan->launches[0].block),
            .occupancy = trial->resources ? trial->resources[0].occupancy : -1,
        };
    return store_put(store, &trials, STORE_SOURCES(trial, &worked_out), trial_id, error);
}

static enum status insert_samples(struct store *store, const struct store_trial *trial,
                                  int64_t trial_id, struct error *error)
{
    ROW_TABLE(struct store_sample, samples, trial_doing,
              SHARED(struct trial_place, trial_id, INTEGER),
              SHARED(struct trial_place, ordinal, INTEGER), VALUE(process, INTEGER),
              VALUE(round, INTEGER), VALUE(runs, INTEGER), VALUE(invalid, INTEGER),
              VALUE(elapsed_ns, REAL), VALUE(energy_j, REAL));
    TRY(store_run(store, "DELETE FROM samples WHERE trial_id = ?1", trial_doing,
                  STORE_VALUES(value_integer(trial_id)), NULL, NULL, error));
    for (size_t i = 0; i < trial->sample_count; i++) {
        const struct trial_place place = {trial_id, (int64_t)i};
        TRY(store_put(store, &samples, STORE_SOURCES(&trial->samples[i], &place), NULL, error));
    }
    return STATUS_OK;
}

static enum status insert_launches(struct store *store, const struct store_trial *trial,
                                   int64_t trial_id, struct error *error)
{
    ROW_TABLE(struct launch, resources, trial_doing, SHARED(struct trial_place, trial_id, INTEGER),
              ROW_COLUMN("launch", .kind = ROW_INTEGER, ROW_MEMBER(struct trial_place, ordinal),
                         .source = 1),
              VALUE(kernel, TEXT), LAUNCH("grid_x", grid[0]), LAUNCH("grid_y", grid[1]),
              LAUNCH("grid_z", grid[2]), LAUNCH("block_x", block[0]), LAUNCH("block_y", block[1]),
              LAUNCH("block_z", block[2]), LAUNCH("threads", threads),
              LAUNCH("dynamic_shared_bytes", shared_bytes),
              RESOURCE(static_shared_bytes, INTEGER_FROM_0), RESOURCE(registers, INTEGER_FROM_0),
              RESOURCE(local_bytes, INTEGER_FROM_0), RESOURCE(spill_bytes, INTEGER_FROM_0),
              RESOURCE(active_blocks_per_sm, INTEGER_FROM_0), RESOURCE(occupancy, REAL_FROM_0),
              LAUNCH("cluster_x", cluster[0]), LAUNCH("cluster_y", cluster[1]),
              LAUNCH("cluster_z", cluster[2]), LAUNCH("cooperative", cooperative));
    size_t count = trial->plan ? trial->plan->launch_count : 0;
    TRY(store_run(store, "DELETE FROM resources WHERE trial_id = ?1", trial_doing,
                  STORE_VALUES(value_integer(trial_id)), NULL, NULL, error));
    for (size_t i = 0; i < count; i++) {
        const struct trial_place place = {trial_id, (int64_t)i};
        const void *used = trial->resources ? &trial->resources[i] : NULL;
        struct launch launch = trial->plan->launches[i];
        if (launch.is_function) /* without a shape */
            launch = (struct launch){.kernel = launch.kernel};
        TRY(store_put(store, &resources, STORE_SOURCES(&launch, &place, used), NULL, error));
    }
    return STATUS_OK;
}

enum status store_trial(struct store *store, const struct store_trial *trial, int64_t *trial_id,
                        struct error *error)
{
    int64_t measured = 0;
    int64_t id = 0;
    /* A sync of milliseconds would cost more than most trials. */
    bool relaxed = trial->cheap || (store->synced_ns != 0 && clock_now_ns() - store->synced_ns <
                                                                 (int64_t)STORE_SYNC_MS * 1000000);
    enum status status = relaxed ? store_relax(store, true, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = store_begin(store, trial_doing, error);
    if (status != STATUS_OK)
        return relaxed ? store_relaxed_end(store, status, error) : status;
    if (trial->same_as_trial_id != 0) {
        bool found = false;
        status = store_run(store, "SELECT coalesce(same_as_trial_id, id) FROM trials WHERE id = ?1",
                           trial_doing, STORE_VALUES(value_integer(trial->same_as_trial_id)),
                           &measured, &found, error);
        if (status == STATUS_OK && !found)
            status =
                error_set(error, STATUS_INTERNAL, "%s: there is no trial %lld to be the same as",
                          store->path, (long long)trial->same_as_trial_id);
    }
    if (status == STATUS_OK)
        status = insert_trial(store, trial, measured, &id, error);
    if (status == STATUS_OK)
        status = insert_samples(store, trial, id, error);
    if (status == STATUS_OK)
        status = insert_launches(store, trial, id, error);
    if (status == STATUS_OK && measured != 0 && measured == id)
        status = error_set(error, STATUS_INTERNAL, "%s: trial %lld cannot be the same as itself",
                           store->path, (long long)id);
    else if (status == STATUS_OK && measured != 0) /* duplicates of it are the measured one's now */
        status =
            store_run(store, "UPDATE trials SET same_as_trial_id = ?2 WHERE same_as_trial_id = ?1",
                      trial_doing, STORE_VALUES(value_integer(id), value_integer(measured)), NULL,
                      NULL, error);
    status = store_end(store, status, trial_doing, error);
    if (relaxed)
        status = store_relaxed_end(store, status, error);
    else
        store->synced_ns = clock_now_ns();
    if (status == STATUS_OK)
        *trial_id = id;
    return status;
}

/* ---- known trials ---- */

struct known_row {
    struct store_known_trial known;
    const char *status;
    const struct store *store;
    store_take_trial *take;
    void *context;
};

static enum status take_known(void *context, struct error *error)
{
    struct known_row *row = context;
    if (!row->status || !trial_status_from_name(row->status, &row->known.status))
        return error_set(error, STATUS_BAD_INPUT, "%s: trial %lld has an unknown status '%s'",
                         row->store->path, (long long)row->known.trial_id,
                         row->status ? row->status : "");
    return row->take(row->context, &row->known, error);
}

enum status store_known_trials(struct store *store, int64_t environment_id, int64_t problem_id,
                               const char *stage, enum l2_mode mode, store_take_trial *take,
                               void *context, struct error *error)
{
#define KNOWN(member, kind_)                                                                       \
    ROW_COLUMN(#member, .offset = offsetof(struct known_row, known.member), .kind = STORE_##kind_)
    SELECTION(
        struct known_row, selection,
        "SELECT t.id AS trial_id, c.id AS configuration_id, c.key AS configuration_key,"
        " c.parameters, coalesce(t.binary_hash, '') AS binary_hash, t.status, t.median_ns,"
        " coalesce(t.same_as_trial_id, 0) AS same_as_trial_id,"
        " iif(g.passed = 0, coalesce(g.detail, ''), NULL) AS rejected "
        "FROM trials AS t CROSS JOIN configurations AS c ON c.id = t.configuration_id "
        "LEFT JOIN gauntlets AS g ON g.environment_id = t.environment_id AND"
        " g.problem_id = t.problem_id AND g.configuration_id = t.configuration_id AND"
        " g.binary_hash = t.binary_hash "
        "WHERE t.environment_id = ?1 AND t.problem_id = ?2 AND t.stage = ?3 AND t.l2_mode = ?4 "
        "ORDER BY t.id",
        KNOWN(trial_id, INTEGER), KNOWN(configuration_id, INTEGER), KNOWN(configuration_key, TEXT),
        KNOWN(parameters, TEXT), KNOWN(binary_hash, TEXT), SELECTED(status, TEXT),
        KNOWN(median_ns, REAL), KNOWN(same_as_trial_id, INTEGER), KNOWN(rejected, TEXT));
    struct known_row row = {.store = store, .take = take, .context = context};
    return store_select_each(store, &selection,
                             STORE_VALUES(value_integer(environment_id), value_integer(problem_id),
                                          value_text(stage), value_text(l2_mode_name(mode))),
                             &row, take_known, &row, error);
}

enum status store_other_trials(struct store *store, int64_t environment_id, int64_t *trials,
                               struct error *error)
{
    *trials = 0;
    return store_run(store,
                     "SELECT count(*) FROM trials WHERE environment_id IN ("
                     "SELECT other.id FROM environments AS other "
                     "JOIN environments AS own ON own.device_id = other.device_id "
                     "WHERE own.id = ?1 AND other.id <> own.id)",
                     "count trials", STORE_VALUES(value_integer(environment_id)), trials, NULL,
                     error);
}

/* ---- launches under way, for the next start after a crash ---- */

static const char launch_doing[] = "note the launch";

static enum status insert_in_flight(struct store *store, const struct store_in_flight *row,
                                    struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    return store_run(
        store,
        "INSERT INTO in_flight (environment_id, problem_id, configuration_id, run_id, boot_id,"
        " attempts, started_at) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6) "
        "ON CONFLICT (environment_id, problem_id, configuration_id) DO UPDATE SET"
        " run_id = ?4, boot_id = ?5, attempts = attempts + 1, started_at = ?6",
        launch_doing,
        STORE_VALUES(value_integer(row->environment_id), value_integer(row->problem_id),
                     value_integer(row->configuration_id), value_integer(row->run_id),
                     value_text(row->boot_id), value_text(now)),
        NULL, NULL, error);
}

enum status store_in_flight_put(struct store *store, const struct store_in_flight *row,
                                bool durable, struct error *error)
{
    if (durable) {
        enum status inserted = insert_in_flight(store, row, error);
        store->synced_ns = clock_now_ns();
        return inserted;
    }
    enum status status = store_relax(store, true, error);
    if (status == STATUS_OK)
        status = insert_in_flight(store, row, error);
    return store_relaxed_end(store, status, error);
}

enum status store_in_flight_clear(struct store *store, int64_t environment_id, int64_t problem_id,
                                  int64_t configuration_id, struct error *error)
{
    enum status status = store_relax(store, true, error);
    if (status == STATUS_OK)
        status = store_run(store,
                           "DELETE FROM in_flight WHERE environment_id = ?1 AND problem_id = ?2"
                           " AND configuration_id = ?3",
                           launch_doing,
                           STORE_VALUES(value_integer(environment_id), value_integer(problem_id),
                                        value_integer(configuration_id)),
                           NULL, NULL, error);
    return store_relaxed_end(store, status, error);
}

/* Reads all rows before the first call, since `take` may clear rows. */
enum status store_in_flight_each(struct store *store, int64_t environment_id, int64_t problem_id,
                                 store_take_in_flight *take, void *context, struct error *error)
{
    SELECTION(struct store_in_flight, selection,
              "SELECT f.*, c.key AS configuration_key, c.parameters "
              "FROM in_flight AS f JOIN configurations AS c ON c.id = f.configuration_id "
              "WHERE f.environment_id = ?1 AND f.problem_id = ?2",
              SELECTED(environment_id, INTEGER), SELECTED(problem_id, INTEGER),
              SELECTED(configuration_id, INTEGER), SELECTED(run_id, INTEGER),
              SELECTED(boot_id, TEXT), SELECTED(attempts, INTEGER), SELECTED(started_at, TEXT),
              SELECTED(configuration_key, TEXT), SELECTED(parameters, TEXT));
    struct arena arena = {0};
    struct store_in_flight *rows = NULL;
    size_t count = 0;
    enum status status = store_select(
        store, &selection, STORE_VALUES(value_integer(environment_id), value_integer(problem_id)),
        &arena, &rows, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = take(context, &rows[i], error);
    arena_free(&arena);
    return status;
}
