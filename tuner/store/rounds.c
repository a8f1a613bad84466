/* What was looked at around the trials: the rounds they were measured in, and the gauntlet. */
#include "tuner/store/internal.h"

#include <string.h>

#include "tuner/base/clock.h"

static const char rounds_doing[] = "store the rounds";

static void bind_round_group(sqlite3_stmt *statement, const struct store_round *round)
{
    (void)sqlite3_bind_int64(statement, 1, round->run_id);
    (void)sqlite3_bind_int64(statement, 2, round->problem_id);
    store_bind_text(statement, 3, round->stage);
    store_bind_objective(statement, 4, round->objective);
    (void)sqlite3_bind_int(statement, 5, round->process);
}

static bool same_objective(const char *a, const char *b)
{
    return strcmp(a ? a : "time", b ? b : "time") == 0;
}

static bool same_group(const struct store_round *a, const struct store_round *b)
{
    return a->run_id == b->run_id && a->problem_id == b->problem_id && a->process == b->process &&
           strcmp(a->stage, b->stage) == 0 && same_objective(a->objective, b->objective);
}

static enum status drop_rounds(struct store *store, const struct store_round *round,
                               struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_statement(store, STATEMENT_ROUNDS_DROP, &statement, error);
    if (status != STATUS_OK)
        return status;
    bind_round_group(statement, round);
    return store_take(store, statement, NULL, NULL, rounds_doing, error);
}

/* NaN is stored as NULL by SQLite. */
static void bind_conditions(sqlite3_stmt *statement, const struct conditions *conditions)
{
    (void)sqlite3_bind_double(statement, 13, conditions->sm_clock_mhz);
    (void)sqlite3_bind_double(statement, 14, conditions->memory_clock_mhz);
    (void)sqlite3_bind_double(statement, 15, conditions->temperature_c);
    (void)sqlite3_bind_double(statement, 16, conditions->power_w);
    (void)sqlite3_bind_double(statement, 17, conditions->energy_j);
    store_bind_from(statement, 18, conditions->throttle, 0);
    store_bind_from(statement, 19, conditions->ecc_errors, 0);
    store_bind_from(statement, 20, conditions->other_processes, 0);
}

static enum status add_round(struct store *store, const struct store_round *round,
                             struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_statement(store, STATEMENT_ROUND_ADD, &statement, error);
    if (status != STATUS_OK)
        return status;
    bind_round_group(statement, round);
    (void)sqlite3_bind_int(statement, 6, round->ordinal);
    store_bind_text(statement, 7, round->fault);
    (void)sqlite3_bind_double(statement, 8, round->anchor_first_ns);
    (void)sqlite3_bind_double(statement, 9, round->anchor_last_ns);
    store_bind_from(statement, 10, round->twin_configuration_id, 1);
    (void)sqlite3_bind_double(statement, 11, round->first_ns);
    (void)sqlite3_bind_double(statement, 12, round->twin_ns);
    bind_conditions(statement, &round->conditions);
    (void)sqlite3_bind_int64(statement, 21, round->at_ns);
    return store_take(store, statement, NULL, NULL, rounds_doing, error);
}

/* All that is replaced goes first, so that the order of the rounds does not matter. */
enum status store_rounds(struct store *store, const struct store_round *rounds, size_t count,
                         struct error *error)
{
    enum status status = store_begin(store, rounds_doing, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (i == 0 || !same_group(&rounds[i], &rounds[i - 1]))
            status = drop_rounds(store, &rounds[i], error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = add_round(store, &rounds[i], error);
    return store_end(store, status, rounds_doing, error);
}

enum status store_gauntlet_put(struct store *store, const struct store_gauntlet *row,
                               struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    sqlite3_stmt *put = NULL;
    enum status status = store_prepare(
        store,
        "INSERT INTO gauntlets (environment_id, problem_id, configuration_id, binary_hash, passed,"
        " cases, detail, checked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
        "ON CONFLICT (environment_id, problem_id, configuration_id, binary_hash) DO UPDATE SET"
        " passed = ?5, cases = ?6, detail = ?7, checked_at = ?8",
        &put, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(put, 1, row->environment_id);
    (void)sqlite3_bind_int64(put, 2, row->problem_id);
    (void)sqlite3_bind_int64(put, 3, row->configuration_id);
    store_bind_text(put, 4, row->binary_hash);
    (void)sqlite3_bind_int(put, 5, row->passed);
    (void)sqlite3_bind_int(put, 6, row->cases);
    store_bind_text(put, 7, row->detail);
    store_bind_text(put, 8, now);
    return store_take_once(store, put, NULL, NULL, "store what the gauntlet said", error);
}

enum status store_gauntlet_get(struct store *store, int64_t environment_id, int64_t problem_id,
                               int64_t configuration_id, const char *binary_hash, bool *found,
                               bool *passed, char *detail, struct error *error)
{
    sqlite3_stmt *get = NULL;
    *found = false;
    *passed = false;
    if (detail)
        detail[0] = '\0';
    enum status status =
        store_prepare(store,
                      "SELECT passed, coalesce(detail, '') FROM gauntlets WHERE environment_id = ?1"
                      " AND problem_id = ?2 AND configuration_id = ?3 AND binary_hash = ?4",
                      &get, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(get, 1, environment_id);
    (void)sqlite3_bind_int64(get, 2, problem_id);
    (void)sqlite3_bind_int64(get, 3, configuration_id);
    store_bind_text(get, 4, binary_hash);
    status = store_step(store, get, found, "read what the gauntlet said", error);
    if (status == STATUS_OK && *found) {
        const char *text = (const char *)sqlite3_column_text(get, 1);
        *passed = sqlite3_column_int(get, 0) != 0;
        if (detail)
            (void)string_format(detail, ERROR_TEXT_BYTES, "%s", text ? text : "");
    }
    (void)sqlite3_finalize(get);
    return status;
}
