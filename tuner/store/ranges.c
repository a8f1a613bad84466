/* Ranges of sizes with one configuration each, and what was looked at to say so. */
#include "tuner/store/internal.h"

#include "tuner/base/clock.h"

static const char ranges_doing[] = "store ranges of sizes";

static void bind_ranges_group(sqlite3_stmt *statement, const struct store_ranges *ranges)
{
    (void)sqlite3_bind_int64(statement, 1, ranges->environment_id);
    (void)sqlite3_bind_int64(statement, 2, ranges->experiment_id);
    store_bind_text(statement, 3, ranges->problem_key);
    store_bind_text(statement, 4, l2_mode_name(ranges->l2_mode));
    store_bind_objective(statement, 5, ranges->objective);
}

static enum status drop_ranges(struct store *store, const struct store_ranges *ranges,
                               struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_statement(store, STATEMENT_RANGES_DROP, &statement, error);
    if (status != STATUS_OK)
        return status;
    bind_ranges_group(statement, ranges);
    return store_take(store, statement, NULL, NULL, ranges_doing, error);
}

static enum status add_check(struct store *store, int64_t range_id,
                             const struct store_range_check *check, struct error *error)
{
    sqlite3_stmt *add = NULL;
    enum status status = store_statement(store, STATEMENT_RANGE_CHECK_ADD, &add, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(add, 1, range_id);
    (void)sqlite3_bind_int64(add, 2, check->n);
    (void)sqlite3_bind_int(add, 3, check->measured);
    (void)sqlite3_bind_double(add, 4, check->loss);
    (void)sqlite3_bind_double(add, 5, check->loss_low);
    (void)sqlite3_bind_double(add, 6, check->loss_high);
    store_bind_from(add, 7, check->best_configuration_id, 1);
    return store_take(store, add, NULL, NULL, ranges_doing, error);
}

static enum status add_range(struct store *store, const struct store_ranges *ranges,
                             const struct store_range *range, const char *now, struct error *error)
{
    int64_t range_id = 0;
    sqlite3_stmt *add = NULL;
    enum status status = store_statement(store, STATEMENT_RANGE_ADD, &add, error);
    if (status != STATUS_OK)
        return status;
    bind_ranges_group(add, ranges);
    (void)sqlite3_bind_int64(add, 6, ranges->run_id);
    (void)sqlite3_bind_int64(add, 7, range->n_low);
    (void)sqlite3_bind_int64(add, 8, range->n_high);
    (void)sqlite3_bind_int64(add, 9, range->configuration_id);
    (void)sqlite3_bind_double(add, 10, ranges->within);
    (void)sqlite3_bind_double(add, 11, range->bound);
    store_bind_text(add, 12, now);
    status = store_take(store, add, &range_id, NULL, ranges_doing, error);
    for (size_t i = 0; status == STATUS_OK && i < range->check_count; i++)
        status = add_check(store, range_id, &range->checks[i], error);
    return status;
}

enum status store_ranges_put(struct store *store, const struct store_ranges *ranges,
                             struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    enum status status = store_begin(store, ranges_doing, error);
    if (status != STATUS_OK)
        return status;
    status = drop_ranges(store, ranges, error);
    for (size_t i = 0; status == STATUS_OK && i < ranges->count; i++)
        status = add_range(store, ranges, &ranges->ranges[i], now, error);
    return store_end(store, status, ranges_doing, error);
}
