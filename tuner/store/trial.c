/* Trials: the hot path. One transaction each, on statements that stay prepared. */
#include "tuner/store/internal.h"

#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/base/json.h"

static const char trial_doing[] = "store a trial";

/* The trial that was really measured: duplicates never form a chain. */
static enum status resolve_same_as(struct store *store, int64_t same_as, int64_t *measured,
                                   struct error *error)
{
    sqlite3_stmt *statement = NULL;
    bool found = false;
    *measured = 0;
    if (same_as == 0)
        return STATUS_OK;
    enum status status = store_statement(store, STATEMENT_TRIAL_MEASURED, &statement, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, same_as);
    status = store_take(store, statement, measured, &found, trial_doing, error);
    if (status == STATUS_OK && !found)
        return error_set(error, STATUS_INTERNAL, "%s: there is no trial %lld to be the same as",
                         store->path, (long long)same_as);
    return status;
}

static int64_t volume(const uint32_t size[3])
{
    return (int64_t)size[0] * size[1] * size[2];
}

static void bind_plan(sqlite3_stmt *statement, const struct store_trial *trial)
{
    const struct launch_plan *plan = trial->plan;
    double occupancy = trial->resources ? trial->resources[0].occupancy : -1.0;
    if (!plan || plan->launch_count == 0)
        return; /* cleared bindings are NULL */
    (void)sqlite3_bind_int64(statement, 12, (int64_t)plan->launch_count);
    (void)sqlite3_bind_int64(statement, 13, volume(plan->launches[0].grid));
    (void)sqlite3_bind_int64(statement, 14, volume(plan->launches[0].block));
    if (occupancy >= 0)
        (void)sqlite3_bind_double(statement, 15, occupancy);
}

static void bind_trial(sqlite3_stmt *statement, const struct store_trial *trial, int64_t measured,
                       const char *derived, const char *metrics, const char *now)
{
    (void)sqlite3_bind_int64(statement, 1, trial->run_id);
    (void)sqlite3_bind_int64(statement, 2, trial->environment_id);
    (void)sqlite3_bind_int64(statement, 3, trial->problem_id);
    (void)sqlite3_bind_int64(statement, 4, trial->configuration_id);
    store_bind_text(statement, 5, trial->stage);
    store_bind_text(statement, 6, l2_mode_name(trial->l2_mode));
    store_bind_text(statement, 7, trial_status_name(trial->status));
    store_bind_text(statement, 8, trial->detail);
    store_bind_from(statement, 9, measured, 1);
    store_bind_text(statement, 10, trial->binary_hash);
    store_bind_text(statement, 11, derived);
    bind_plan(statement, trial);
    (void)sqlite3_bind_int64(statement, 16, (int64_t)trial->sample_count);
    /* SQLite stores NaN as NULL. */
    (void)sqlite3_bind_double(statement, 17, trial->median_ns);
    (void)sqlite3_bind_double(statement, 18, trial->mad_ns);
    (void)sqlite3_bind_double(statement, 19, trial->min_ns);
    (void)sqlite3_bind_double(statement, 20, trial->max_ns);
    (void)sqlite3_bind_int64(statement, 21, trial->duration_ns);
    store_bind_text(statement, 22, now);
    store_bind_text(statement, 23, trial->compile_log);
    store_bind_objective(statement, 24, trial->objective);
    (void)sqlite3_bind_double(statement, 25, trial->energy_j);
    (void)sqlite3_bind_double(statement, 26, trial->value);
    store_bind_text(statement, 27, metrics);
}

static enum status put_trial(struct store *store, const struct store_trial *trial, int64_t measured,
                             int64_t *trial_id, struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    struct text *derived = &store->json[0];
    struct text *metrics = &store->json[1];
    text_clear(derived);
    text_clear(metrics);
    json_append_object(derived, trial->derived, trial->derived_count);
    json_append_object(metrics, trial->metrics, trial->metric_count);
    if (derived->failed || metrics->failed)
        return error_no_memory(error);
    sqlite3_stmt *statement = NULL;
    enum status status = store_statement(store, STATEMENT_TRIAL_PUT, &statement, error);
    if (status != STATUS_OK)
        return status;
    bind_trial(statement, trial, measured, trial->derived_count > 0 ? text_string(derived) : NULL,
               trial->metric_count > 0 ? text_string(metrics) : NULL, now);
    return store_take(store, statement, trial_id, NULL, trial_doing, error);
}

static enum status drop_rows(struct store *store, enum statement_id id, int64_t trial_id,
                             struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_statement(store, id, &statement, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, trial_id);
    return store_take(store, statement, NULL, NULL, trial_doing, error);
}

static enum status put_samples(struct store *store, const struct store_trial *trial,
                               int64_t trial_id, struct error *error)
{
    enum status status = drop_rows(store, STATEMENT_SAMPLES_DROP, trial_id, error);
    for (size_t i = 0; status == STATUS_OK && i < trial->sample_count; i++) {
        const struct store_sample *sample = &trial->samples[i];
        sqlite3_stmt *statement = NULL;
        status = store_statement(store, STATEMENT_SAMPLE_ADD, &statement, error);
        if (status != STATUS_OK)
            break;
        (void)sqlite3_bind_int64(statement, 1, trial_id);
        (void)sqlite3_bind_int64(statement, 2, (int64_t)i);
        (void)sqlite3_bind_int(statement, 3, sample->process);
        (void)sqlite3_bind_int(statement, 4, sample->round);
        (void)sqlite3_bind_int(statement, 5, sample->runs);
        (void)sqlite3_bind_int(statement, 6, sample->invalid);
        (void)sqlite3_bind_double(statement, 7, sample->elapsed_ns);
        (void)sqlite3_bind_double(statement, 8, sample->energy_j);
        status = store_take(store, statement, NULL, NULL, trial_doing, error);
    }
    return status;
}

static void bind_resources(sqlite3_stmt *statement, const struct kernel_resources *resources)
{
    store_bind_from(statement, 12, resources->static_shared_bytes, 0);
    store_bind_from(statement, 13, resources->registers, 0);
    store_bind_from(statement, 14, resources->local_bytes, 0);
    store_bind_from(statement, 15, resources->spill_bytes, 0);
    store_bind_from(statement, 16, resources->active_blocks_per_sm, 0);
    if (resources->occupancy >= 0)
        (void)sqlite3_bind_double(statement, 17, resources->occupancy);
}

static enum status put_launch(struct store *store, const struct store_trial *trial, size_t index,
                              int64_t trial_id, struct error *error)
{
    const struct launch *launch = &trial->plan->launches[index];
    sqlite3_stmt *statement = NULL;
    enum status status = store_statement(store, STATEMENT_RESOURCE_ADD, &statement, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, trial_id);
    (void)sqlite3_bind_int64(statement, 2, (int64_t)index);
    store_bind_text(statement, 3, launch->kernel);
    for (int axis = 0; axis < 3; axis++) {
        (void)sqlite3_bind_int64(statement, 4 + axis, launch->grid[axis]);
        (void)sqlite3_bind_int64(statement, 7 + axis, launch->block[axis]);
    }
    (void)sqlite3_bind_int64(statement, 10, launch->threads);
    (void)sqlite3_bind_int64(statement, 11, launch->shared_bytes);
    if (trial->resources)
        bind_resources(statement, &trial->resources[index]);
    return store_take(store, statement, NULL, NULL, trial_doing, error);
}

static enum status put_launches(struct store *store, const struct store_trial *trial,
                                int64_t trial_id, struct error *error)
{
    enum status status = drop_rows(store, STATEMENT_RESOURCES_DROP, trial_id, error);
    size_t count = trial->plan ? trial->plan->launch_count : 0;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = put_launch(store, trial, i, trial_id, error);
    return status;
}

/* A trial that others pointed to has itself become a duplicate: they follow. */
static enum status follow(struct store *store, int64_t trial_id, int64_t measured,
                          struct error *error)
{
    sqlite3_stmt *statement = NULL;
    if (measured == 0)
        return STATUS_OK;
    if (measured == trial_id)
        return error_set(error, STATUS_INTERNAL, "%s: trial %lld cannot be the same as itself",
                         store->path, (long long)trial_id);
    enum status status = store_statement(store, STATEMENT_TRIAL_FOLLOW, &statement, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, trial_id);
    (void)sqlite3_bind_int64(statement, 2, measured);
    return store_take(store, statement, NULL, NULL, trial_doing, error);
}

/* Where a sync takes milliseconds it would cost more than most trials. */
static bool was_just_synced(const struct store *store)
{
    return store->synced_ns != 0 &&
           clock_now_ns() - store->synced_ns < (int64_t)STORE_SYNC_MS * 1000000;
}

enum status store_trial(struct store *store, const struct store_trial *trial, int64_t *trial_id,
                        struct error *error)
{
    int64_t measured = 0;
    int64_t id = 0;
    bool relaxed = trial->cheap || was_just_synced(store);
    enum status status = relaxed ? store_relax(store, true, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = store_begin(store, trial_doing, error);
    if (status != STATUS_OK)
        return relaxed ? store_relaxed_end(store, status, error) : status;
    status = resolve_same_as(store, trial->same_as_trial_id, &measured, error);
    if (status == STATUS_OK)
        status = put_trial(store, trial, measured, &id, error);
    if (status == STATUS_OK)
        status = put_samples(store, trial, id, error);
    if (status == STATUS_OK)
        status = put_launches(store, trial, id, error);
    if (status == STATUS_OK)
        status = follow(store, id, measured, error);
    status = store_end(store, status, trial_doing, error);
    if (relaxed)
        status = store_relaxed_end(store, status, error);
    else
        store->synced_ns = clock_now_ns();
    if (status == STATUS_OK)
        *trial_id = id;
    return status;
}

static const char *column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

static enum status take_known(const struct store *store, sqlite3_stmt *statement,
                              store_take_trial *take, void *context, struct error *error)
{
    struct store_known_trial known = {
        .trial_id = sqlite3_column_int64(statement, 0),
        .configuration_id = sqlite3_column_int64(statement, 6),
        .configuration_key = column_text(statement, 1),
        .parameters = column_text(statement, 7),
        .binary_hash = column_text(statement, 2),
        .median_ns = sqlite3_column_type(statement, 4) == SQLITE_NULL
                         ? (double)NAN
                         : sqlite3_column_double(statement, 4),
        .same_as_trial_id = sqlite3_column_int64(statement, 5),
        .rejected = (const char *)sqlite3_column_text(statement, 8),
    };
    if (!trial_status_from_name(column_text(statement, 3), &known.status))
        return error_set(error, STATUS_BAD_INPUT, "%s: trial %lld has an unknown status '%s'",
                         store->path, (long long)known.trial_id, column_text(statement, 3));
    return take(context, &known, error);
}

enum status store_known_trials(struct store *store, int64_t environment_id, int64_t problem_id,
                               const char *stage, enum l2_mode mode, store_take_trial *take,
                               void *context, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_prepare(
        store,
        "SELECT t.id, c.key, t.binary_hash, t.status, t.median_ns, t.same_as_trial_id, c.id,"
        " c.parameters, iif(g.passed = 0, coalesce(g.detail, ''), NULL) "
        "FROM trials AS t CROSS JOIN configurations AS c ON c.id = t.configuration_id "
        "LEFT JOIN gauntlets AS g ON g.environment_id = t.environment_id AND"
        " g.problem_id = t.problem_id AND g.configuration_id = t.configuration_id AND"
        " g.binary_hash = t.binary_hash "
        "WHERE t.environment_id = ?1 AND t.problem_id = ?2 AND t.stage = ?3 AND t.l2_mode = ?4 "
        "ORDER BY t.id",
        &statement, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, environment_id);
    (void)sqlite3_bind_int64(statement, 2, problem_id);
    store_bind_text(statement, 3, stage);
    store_bind_text(statement, 4, l2_mode_name(mode));
    bool row = true;
    while (status == STATUS_OK && row) {
        status = store_step(store, statement, &row, "read the trials", error);
        if (status == STATUS_OK && row)
            status = take_known(store, statement, take, context, error);
    }
    (void)sqlite3_finalize(statement);
    return status;
}
