/* Merging another database, which is never changed: a copy is checked, migrated, and read. */
#include "tuner/store/embedded.h"
#include "tuner/store/internal.h"

#include <string.h>

static const char merge_doing[] = "merge databases";

/* Sizes of SQLite's caches. Rows are found in, and added to, all places of indexes: with SQLite's 2
 * MB each for `other` and the tables of the merge, a million trials took twenty times as long as a
 * hundred thousand. */
static const char merge_caches[] =
    "PRAGMA main.cache_size = -131072;"
    "PRAGMA other.cache_size = -65536; PRAGMA temp.cache_size = -65536";

static enum status check_whole(struct store *store, const char *path, struct error *error)
{
    bool broken = false;
    int64_t good = 0;
    TRY(store_pragma(
        store, "SELECT count(*) = 1 AND min(integrity_check) = 'ok' FROM pragma_integrity_check",
        &good, error));
    TRY(store_run(store, "PRAGMA foreign_key_check", merge_doing, NULL, 0, NULL, &broken, error));
    if (!good || broken)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: the database is damaged; nothing of it is taken", path);
    return STATUS_OK;
}

enum status store_merge_prepare(const char *path, const char *copy, struct error *error)
{
    struct store *store = NULL;
    int64_t version = STORE_SCHEMA_VERSION;
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(store_open(path, STORE_COPY, &store, error));
    TRY_OR_CLEANUP(check_whole(store, path, error));
    TRY_OR_CLEANUP(store_pragma(store, "PRAGMA user_version", &version, error));
    TRY_OR_CLEANUP(store_execute(store, "PRAGMA query_only = OFF", merge_doing, error));
    TRY_OR_CLEANUP(store_copy(store, copy, "copy a database", error));
    store_close(store);
    store = NULL;
    TRY_OR_CLEANUP(store_open(copy, STORE_CREATE, &store, error)); /* migrates */
    if (version != STORE_SCHEMA_VERSION)
        TRY_OR_CLEANUP(check_whole(store, path, error));
cleanup:
    store_close(store);
    return status;
}

static enum status count_rows(struct store *store, struct store_merge_counts *counts,
                              struct error *error)
{
    TRY(store_pragma(store, "SELECT count(*) FROM main.devices", &counts->devices, error));
    TRY(store_pragma(store, "SELECT count(*) FROM main.problems", &counts->problems, error));
    TRY(store_pragma(store, "SELECT count(*) FROM main.trials", &counts->trials, error));
    return store_pragma(store, "SELECT count(*) FROM main.winners", &counts->winners, error);
}

static enum status merge_attached(struct store *store, struct store_merge_counts *counts,
                                  struct error *error)
{
    struct store_merge_counts before = {0};
    struct store_merge_counts after = {0};
    TRY(store_begin(store, merge_doing, error));
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(count_rows(store, &before, error));
    TRY_OR_CLEANUP(store_execute(store, merge_caches, merge_doing, error));
    TRY_OR_CLEANUP(store_execute(store, store_merge_sql, merge_doing, error));
    TRY_OR_CLEANUP(count_rows(store, &after, error));
cleanup:
    status = store_end(store, status, merge_doing, error);
    counts->devices += after.devices - before.devices;
    counts->problems += after.problems - before.problems;
    counts->trials += after.trials - before.trials;
    counts->winners += after.winners - before.winners;
    return status;
}

enum status store_merge(struct store *store, const char *copy, struct store_merge_counts *counts,
                        struct error *error)
{
    struct error ignored = {0};
    TRY(store_run(store, "ATTACH DATABASE ?1 AS other", merge_doing, STORE_VALUES(value_text(copy)),
                  NULL, NULL, error));
    enum status status = merge_attached(store, counts, error);
    enum status detached = store_execute(store, "DETACH DATABASE other", merge_doing, &ignored);
    if (status == STATUS_OK && detached != STATUS_OK) {
        *error = ignored;
        return detached;
    }
    return status;
}
