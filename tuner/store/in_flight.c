/* What is being launched right now, for whoever starts after a crash. */
#include "tuner/store/internal.h"

#include "tuner/base/clock.h"

static const char put_doing[] = "note what is launched";

static enum status put_row(struct store *store, const struct store_in_flight *row,
                           struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    sqlite3_stmt *statement = NULL;
    enum status status = store_statement(store, STATEMENT_IN_FLIGHT_PUT, &statement, error);
    if (status != STATUS_OK)
        return status;
    clock_timestamp(now);
    (void)sqlite3_bind_int64(statement, 1, row->environment_id);
    (void)sqlite3_bind_int64(statement, 2, row->problem_id);
    (void)sqlite3_bind_int64(statement, 3, row->configuration_id);
    (void)sqlite3_bind_int64(statement, 4, row->run_id);
    store_bind_text(statement, 5, row->boot_id);
    store_bind_text(statement, 6, now);
    return store_take(store, statement, NULL, NULL, put_doing, error);
}

enum status store_in_flight_put(struct store *store, const struct store_in_flight *row,
                                bool durable, struct error *error)
{
    if (durable) {
        enum status put = put_row(store, row, error);
        store->synced_ns = clock_now_ns();
        return put;
    }
    enum status status = store_relax(store, true, error);
    if (status == STATUS_OK)
        status = put_row(store, row, error);
    return store_relaxed_end(store, status, error);
}

static enum status clear_row(struct store *store, int64_t environment_id, int64_t problem_id,
                             int64_t configuration_id, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_statement(store, STATEMENT_IN_FLIGHT_CLEAR, &statement, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, environment_id);
    (void)sqlite3_bind_int64(statement, 2, problem_id);
    (void)sqlite3_bind_int64(statement, 3, configuration_id);
    return store_take(store, statement, NULL, NULL, put_doing, error);
}

enum status store_in_flight_clear(struct store *store, int64_t environment_id, int64_t problem_id,
                                  int64_t configuration_id, struct error *error)
{
    enum status status = store_relax(store, true, error);
    if (status == STATUS_OK)
        status = clear_row(store, environment_id, problem_id, configuration_id, error);
    return store_relaxed_end(store, status, error);
}

struct in_flight_list {
    struct in_flight_list *next;
    struct store_in_flight row;
};

/* NULL too where SQLite had no memory for it. */
static const char *copy_text(sqlite3_stmt *statement, int column, struct arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? arena_strdup(arena, text) : NULL;
}

static enum status copy_row(sqlite3_stmt *statement, struct arena *arena,
                            struct in_flight_list **list, struct error *error)
{
    struct in_flight_list *item = arena_alloc(arena, 1, sizeof *item);
    if (!item)
        return error_no_memory(error);
    item->row = (struct store_in_flight){
        .configuration_id = sqlite3_column_int64(statement, 0),
        .run_id = sqlite3_column_int64(statement, 1),
        .boot_id = copy_text(statement, 2, arena),
        .attempts = sqlite3_column_int64(statement, 3),
        .started_at = copy_text(statement, 4, arena),
        .configuration_key = copy_text(statement, 5, arena),
        .parameters = copy_text(statement, 6, arena),
    };
    item->next = *list;
    *list = item;
    const struct store_in_flight *row = &item->row;
    return row->boot_id && row->started_at && row->configuration_key && row->parameters
               ? STATUS_OK
               : error_no_memory(error);
}

/* `take` may clear rows: all are read before the first is given. */
enum status store_in_flight_each(struct store *store, int64_t environment_id, int64_t problem_id,
                                 store_take_in_flight *take, void *context, struct error *error)
{
    struct arena arena = {0};
    struct in_flight_list *list = NULL;
    sqlite3_stmt *statement = NULL;
    bool more = true;
    enum status status =
        store_prepare(store,
                      "SELECT f.configuration_id, f.run_id, f.boot_id, f.attempts, f.started_at,"
                      " c.key, c.parameters "
                      "FROM in_flight AS f JOIN configurations AS c ON c.id = f.configuration_id "
                      "WHERE f.environment_id = ?1 AND f.problem_id = ?2",
                      &statement, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, environment_id);
    (void)sqlite3_bind_int64(statement, 2, problem_id);
    while (status == STATUS_OK && more) {
        status = store_step(store, statement, &more, "read what was launched", error);
        if (status == STATUS_OK && more)
            status = copy_row(statement, &arena, &list, error);
    }
    (void)sqlite3_finalize(statement);
    for (; status == STATUS_OK && list; list = list->next) {
        list->row.environment_id = environment_id;
        list->row.problem_id = problem_id;
        status = take(context, &list->row, error);
    }
    arena_free(&arena);
    return status;
}

enum status store_other_trials(struct store *store, int64_t environment_id, int64_t *trials,
                               struct error *error)
{
    sqlite3_stmt *statement = NULL;
    *trials = 0;
    enum status status =
        store_prepare(store,
                      "SELECT count(*) FROM trials WHERE environment_id IN ("
                      "SELECT other.id FROM environments AS other "
                      "JOIN environments AS own ON own.device_id = other.device_id "
                      "WHERE own.id = ?1 AND other.id <> own.id)",
                      &statement, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, environment_id);
    return store_take_once(store, statement, trials, NULL, "count trials", error);
}
