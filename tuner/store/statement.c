/* Statements, transactions, and messages for SQLite's failures. */
#include "tuner/store/internal.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/trust.h"

/* Returns the operating system's error number. SQLite forgets it on some paths out of a commit, but
 * its files, the log among them, keep it. */
static int last_errno(sqlite3 *db, int code)
{
    int value = db ? sqlite3_system_errno(db) : 0;
    sqlite3_file *log = NULL;
    if (!db || value != 0 || code != SQLITE_IOERR)
        return value;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, (void *)&log) == SQLITE_OK &&
        log && log->pMethods)
        (void)log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &value);
    if (value == 0)
        (void)sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &value);
    return value;
}

/* Reports a failure to open. The error number is from SQLite's last try, reading a file that it
 * could not create for writing: ENOENT also without write permission in an existing folder. */
static enum status fail_to_open(const char *path, int system_errno, const char *doing,
                                struct error *error)
{
    bool absent = system_errno == ENOENT || system_errno == ENOTDIR;
    if (absent && path_folder_mode(path) == 0)
        return error_set(error, STATUS_NOT_FOUND,
                         "%s: cannot %s: its folder is not there; make it, or name another file "
                         "with --db",
                         path, doing);
    if (absent || system_errno == 0 || system_errno == EACCES || system_errno == EPERM ||
        system_errno == EROFS)
        return error_set(error, STATUS_PERMISSION,
                         "%s: cannot %s: the file or its folder may not be written; change their "
                         "permissions, or name another file with --db",
                         path, doing);
    return error_set_errno(error, system_errno, "%s: cannot %s", path, doing);
}

bool store_code_is_shared_memory(int code)
{
    return code == SQLITE_IOERR_SHMOPEN || code == SQLITE_IOERR_SHMSIZE ||
           code == SQLITE_IOERR_SHMLOCK || code == SQLITE_IOERR_SHMMAP;
}

enum status store_fail(const struct store *store, int code, const char *doing, struct error *error)
{
    const char *path = store->path;
    int primary = code & 0xff;
    int system_errno = last_errno(store->db, primary);
    if (primary == SQLITE_FULL ||
        (primary == SQLITE_IOERR &&
         (system_errno == ENOSPC || system_errno == EDQUOT || system_errno == EFBIG)))
        return error_set(error, STATUS_IO,
                         "%s: cannot %s: the disk is full; free some space and run again: earlier "
                         "measurements are kept",
                         path, doing);
    switch (primary) {
    case SQLITE_NOMEM:
        return error_no_memory(error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        if (store_gave_up(store))
            return error_set(error, STATUS_INTERRUPTED,
                             "%s: cannot %s: another process keeps it locked; stopped, earlier "
                             "measurements are kept: run again to continue",
                             path, doing);
        return error_set(error, STATUS_IO,
                         "%s: cannot %s: another process keeps it locked; wait until that has "
                         "ended, or name another file with --db",
                         path, doing);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return fail_to_open(path, EACCES, doing, error);
    case SQLITE_CANTOPEN:
        return fail_to_open(path, system_errno, doing, error);
    case SQLITE_TOOBIG:
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: a value in it is larger than any that tune writes: it is not read",
                         path);
    case SQLITE_NOTADB:
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: not a database of tune, and left as it is; name another file with "
                         "--db",
                         path);
    case SQLITE_CORRUPT:
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: the database is damaged; restore a copy, or move it away and run "
                         "again",
                         path);
    case SQLITE_IOERR:
        if (store_code_is_shared_memory(code))
            return error_set(error, STATUS_IO,
                             "%s: cannot %s: its file system has no shared memory (%s); copy it to "
                             "a local disk, or name another file with --db",
                             path, doing, system_errno ? strerror(system_errno) : "a network one?");
        return error_set(error, STATUS_IO, "%s: cannot %s: %s", path, doing,
                         system_errno ? strerror(system_errno) : sqlite3_errstr(code));
    default:
        return error_set(error, STATUS_INTERNAL, "%s: cannot %s: %s", path, doing,
                         store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(code));
    }
}

sqlite3_stmt *store_kept_statement(const struct store *store, const void *key)
{
    for (size_t i = 0; i < store->kept_count; i++)
        if (store->kept[i].key == key)
            return store->kept[i].statement;
    return NULL;
}

enum status store_keep_statement(struct store *store, const void *key, const char *sql,
                                 sqlite3_stmt **out, struct error *error)
{
    TRY_MEMORY(
        array_grow(&store->kept, store->kept_count, &store->kept_capacity, sizeof *store->kept));
    int code = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
    if (code != SQLITE_OK)
        return store_fail(store, code, "use the database", error);
    store->kept[store->kept_count++] = (struct kept_statement){key, *out};
    return STATUS_OK;
}

enum status store_statement(struct store *store, const char *sql, sqlite3_stmt **out,
                            struct error *error)
{
    *out = store_kept_statement(store, sql);
    return *out ? STATUS_OK : store_keep_statement(store, sql, sql, out, error);
}

/* Steps once; *row (may be NULL): a row was returned. */
static enum status step(const struct store *store, sqlite3_stmt *statement, bool *row,
                        const char *doing, struct error *error)
{
    int code = sqlite3_step(statement);
    if (row)
        *row = code == SQLITE_ROW;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return store_fail(store, code, doing, error);
    store_go_on(store);
    return STATUS_OK;
}

enum status store_take(const struct store *store, sqlite3_stmt *statement, int64_t *value,
                       bool *found, const char *doing, struct error *error)
{
    bool row = false;
    enum status status = FAILPOINT_FAILS("store.step")
                             ? store_fail(store, SQLITE_IOERR, doing, error)
                             : step(store, statement, &row, doing, error);
    if (found)
        *found = status == STATUS_OK && row;
    if (status == STATUS_OK && row && value)
        *value = sqlite3_column_int64(statement, 0);
    while (status == STATUS_OK && row)
        status = step(store, statement, &row, doing, error);
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    FAILPOINT("store.stepped");
    return status;
}

/* Binds a value; a failure shows as a failure of the step. */
void store_bind(sqlite3_stmt *statement, int index, struct value value)
{
    if (value.kind == VALUE_REAL)
        (void)sqlite3_bind_double(statement, index, value.real); /* NaN becomes NULL */
    else if (value.kind != VALUE_TEXT)
        (void)sqlite3_bind_int64(statement, index, value.integer);
    else if (value.text)
        (void)sqlite3_bind_text(statement, index, value.text, -1, SQLITE_STATIC);
    else
        (void)sqlite3_bind_null(statement, index);
}

enum status store_run(struct store *store, const char *sql, const char *doing,
                      const struct value *values, size_t count, int64_t *value, bool *found,
                      struct error *error)
{
    sqlite3_stmt *statement = NULL;
    TRY(store_statement(store, sql, &statement, error));
    for (size_t i = 0; i < count; i++)
        store_bind(statement, (int)i + 1, values[i]);
    return store_take(store, statement, value, found, doing, error);
}

enum status store_execute(const struct store *store, const char *sql, const char *doing,
                          struct error *error)
{
    int code = FAILPOINT_FAILS("store.execute") ? SQLITE_IOERR
                                                : sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return store_fail(store, code, doing, error);
    store_go_on(store);
    return STATUS_OK;
}

enum status store_pragma(struct store *store, const char *sql, int64_t *value, struct error *error)
{
    return store_run(store, sql, "read the database", NULL, 0, value, NULL, error);
}

enum status store_copy(struct store *store, const char *path, const char *doing,
                       struct error *error)
{
    return store_run(store, "VACUUM INTO ?1", doing, STORE_VALUES(value_text(path)), NULL, NULL,
                     error);
}

enum status store_begin(struct store *store, const char *doing, struct error *error)
{
    if (store->batch_failed)
        return error_set(error, STATUS_INTERNAL,
                         "%s: cannot %s: the rows stored with it could not be", store->path, doing);
    if (store->batch)
        return STATUS_OK;
    FAILPOINT("store.begin");
    return store_run(store, "BEGIN IMMEDIATE", doing, NULL, 0, NULL, NULL, error);
}

enum status store_end(struct store *store, enum status status, const char *doing,
                      struct error *error)
{
    if (store->batch) {
        store->batch_failed = store->batch_failed || status != STATUS_OK;
        return status;
    }
    FAILPOINT("store.commit");
    if (status == STATUS_OK)
        status = store_run(store, "COMMIT", doing, NULL, 0, NULL, NULL, error);
    FAILPOINT("store.committed");
    /* SQLite has rolled back by itself after some failures. */
    if (status != STATUS_OK && !sqlite3_get_autocommit(store->db)) {
        struct error ignored = {0};
        (void)store_run(store, "ROLLBACK", doing, NULL, 0, NULL, NULL, &ignored);
    }
    return status;
}

enum status store_hold(struct store *store, struct error *error)
{
    int64_t version = 0;
    if (!sqlite3_get_autocommit(store->db))
        return STATUS_OK;
    TRY(store_execute(store, "BEGIN", "read the database", error));
    return store_pragma(store, "PRAGMA user_version", &version, error); /* the moment is now */
}

static const char batch_doing[] = "store rows that belong together";

enum status store_batch_begin(struct store *store, struct error *error)
{
    if (store->batch)
        return error_set(error, STATUS_INTERNAL, "%s: a batch is open already", store->path);
    enum status status = store_begin(store, batch_doing, error);
    store->batch = status == STATUS_OK;
    return status;
}

enum status store_batch_end(struct store *store, enum status status, struct error *error)
{
    bool failed = store->batch_failed;
    if (!store->batch)
        return error_set(error, STATUS_INTERNAL, "%s: no batch is open", store->path);
    store->batch = store->batch_failed = false;
    if (status == STATUS_OK && failed)
        status = error_set(error, STATUS_INTERNAL, "%s: cannot %s: a part of it failed",
                           store->path, batch_doing);
    return store_end(store, status, batch_doing, error);
}

enum status store_relax(struct store *store, bool relaxed, struct error *error)
{
    if (!sqlite3_get_autocommit(store->db))
        return STATUS_OK; /* cannot be changed inside a transaction; the commit of that one decides
                           */
    return store_execute(store,
                         relaxed ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL",
                         "set how the database is written", error);
}

enum status store_relaxed_end(struct store *store, enum status status, struct error *error)
{
    struct error ending = {0};
    enum status ended = store_relax(store, false, &ending);
    if (status == STATUS_OK && ended != STATUS_OK)
        *error = ending;
    return status == STATUS_OK ? ended : status;
}
