/* How spaces were searched. */
#include "tuner/store/internal.h"

static void bind_count(sqlite3_stmt *statement, int index, uint64_t count)
{
    store_bind_from(statement, index, count > INT64_MAX ? -1 : (int64_t)count, 0);
}

/* Not waited for: a power failure takes no more than counts. */
enum status store_search_put(struct store *store, const struct store_search *search,
                             struct error *error)
{
    sqlite3_stmt *put = NULL;
    enum status status = store_relax(store, true, error);
    if (status == STATUS_OK)
        status = store_statement(store, STATEMENT_SEARCH_PUT, &put, error);
    if (status == STATUS_OK) {
        (void)sqlite3_bind_int64(put, 1, search->run_id);
        (void)sqlite3_bind_int64(put, 2, search->problem_id);
        store_bind_text(put, 3, search->strategy);
        bind_count(put, 4, search->product_count);
        bind_count(put, 5, search->space_count);
        bind_count(put, 6, search->points_most);
        bind_count(put, 7, search->points);
        bind_count(put, 8, search->trials);
        bind_count(put, 9, search->unlaunchable);
        bind_count(put, 10, search->duplicates);
        bind_count(put, 11, search->failures);
        store_bind_text(put, 12, search->asked);
        status = store_take(store, put, NULL, NULL, "store how a space was searched", error);
    }
    return store_relaxed_end(store, status, error);
}
