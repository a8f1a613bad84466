/* Statements, transactions, and what SQLite's failures mean for people. */
#include "tuner/store/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/failpoint.h"

static const char *const statement_sql[STATEMENT_COUNT] = {
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_ROLLBACK] = "ROLLBACK",
    [STATEMENT_PROBLEM_FIND] =
        "SELECT id FROM problems WHERE experiment_id = ?1 AND key = ?2 AND n = ?3 "
        "AND bytes_moved = ?4 AND ceiling = ?5 AND operations IS ?6 AND operations_type IS ?7",
    /* Another tuner may have added it since it was looked for; or the file says other metrics of it
     * than it did, which makes no trial stale. */
    [STATEMENT_PROBLEM_ADD] =
        "INSERT INTO problems (experiment_id, key, n, bytes_moved, ceiling, operations,"
        " operations_type, axes) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (experiment_id, key, n) "
        "DO UPDATE SET bytes_moved = ?4, ceiling = ?5, operations = ?6, operations_type = ?7 "
        "RETURNING id",
    [STATEMENT_CONFIGURATION_FIND] =
        "SELECT id FROM configurations WHERE experiment_id = ?1 AND key = ?2",
    [STATEMENT_CONFIGURATION_ADD] = "INSERT INTO configurations (experiment_id, key, parameters) "
                                    "VALUES (?1, ?2, ?3) "
                                    "ON CONFLICT (experiment_id, key) DO UPDATE SET key = ?2 "
                                    "RETURNING id",
    [STATEMENT_TRIAL_MEASURED] = "SELECT coalesce(same_as_trial_id, id) FROM trials WHERE id = ?1",
    /* The row is kept when a trial is measured again, since winners and duplicates point to it. */
    [STATEMENT_TRIAL_PUT] =
        "INSERT INTO trials (run_id, environment_id, problem_id, configuration_id, stage, l2_mode,"
        " status, detail, same_as_trial_id, binary_hash, derived, launch_count, grid, block,"
        " occupancy, sample_count, median_ns, mad_ns, min_ns, max_ns, duration_ns, measured_at,"
        " compile_log, objective, energy_j, value, metrics) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,"
        " ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27) "
        "ON CONFLICT (environment_id, problem_id, configuration_id, stage, objective, l2_mode)"
        " DO UPDATE SET"
        " run_id = ?1, status = ?7, detail = ?8, same_as_trial_id = ?9, binary_hash = ?10,"
        " derived = ?11, launch_count = ?12, grid = ?13, block = ?14, occupancy = ?15,"
        " sample_count = ?16, median_ns = ?17, mad_ns = ?18, min_ns = ?19, max_ns = ?20,"
        " duration_ns = ?21, measured_at = ?22, compile_log = ?23, energy_j = ?25, value = ?26,"
        " metrics = ?27 "
        "RETURNING id",
    [STATEMENT_TRIAL_FOLLOW] =
        "UPDATE trials SET same_as_trial_id = ?2 WHERE same_as_trial_id = ?1",
    [STATEMENT_SAMPLES_DROP] = "DELETE FROM samples WHERE trial_id = ?1",
    [STATEMENT_SAMPLE_ADD] =
        "INSERT INTO samples (trial_id, ordinal, process, round, runs, invalid, elapsed_ns,"
        " energy_j) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [STATEMENT_RESOURCES_DROP] = "DELETE FROM resources WHERE trial_id = ?1",
    [STATEMENT_RESOURCE_ADD] =
        "INSERT INTO resources (trial_id, launch, kernel, grid_x, grid_y, grid_z, block_x, block_y,"
        " block_z, threads, dynamic_shared_bytes, static_shared_bytes, registers, local_bytes,"
        " spill_bytes, active_blocks_per_sm, occupancy) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    [STATEMENT_IN_FLIGHT_PUT] =
        "INSERT INTO in_flight (environment_id, problem_id, configuration_id, run_id, boot_id,"
        " attempts, started_at) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6) "
        "ON CONFLICT (environment_id, problem_id, configuration_id) DO UPDATE SET"
        " run_id = ?4, boot_id = ?5, attempts = attempts + 1, started_at = ?6",
    [STATEMENT_IN_FLIGHT_CLEAR] = "DELETE FROM in_flight WHERE environment_id = ?1 AND"
                                  " problem_id = ?2 AND configuration_id = ?3",
    [STATEMENT_SEARCH_PUT] =
        "INSERT OR REPLACE INTO searches (run_id, problem_id, strategy, product_count, space_count,"
        " points_most, points, trials, unlaunchable, duplicates, failures, asked) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    [STATEMENT_ROUNDS_DROP] = "DELETE FROM rounds WHERE run_id = ?1 AND problem_id = ?2 AND"
                              " stage = ?3 AND objective = ?4 AND process = ?5",
    [STATEMENT_ROUND_ADD] =
        "INSERT INTO rounds (run_id, problem_id, stage, objective, process, ordinal, fault,"
        " anchor_first_ns, anchor_last_ns, twin_configuration_id, first_ns, twin_ns, sm_clock_mhz,"
        " memory_clock_mhz, temperature_c, power_w, energy_j, throttle, ecc_errors,"
        " other_processes, at_ns) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,"
        " ?19, ?20, ?21)",
    [STATEMENT_WINNER_PUT] =
        "INSERT INTO winners (environment_id, problem_id, l2_mode, objective, trial_id, run_id,"
        " stage, candidate_count, space_count, value, time_low_ns, time_high_ns, delta, floor,"
        " claim, confidence, processes, rounds, rounds_dropped, tied_count, kept_incumbent, trust,"
        " trust_reason, chosen_at, compared) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,"
        " ?19, ?20, ?21, ?22, ?23, ?24, ?25) "
        "ON CONFLICT (environment_id, problem_id, objective, l2_mode) DO UPDATE SET"
        " trial_id = ?5, run_id = ?6, stage = ?7, candidate_count = ?8, space_count = ?9,"
        " value = ?10, time_low_ns = ?11, time_high_ns = ?12, delta = ?13, floor = ?14,"
        " claim = ?15, confidence = ?16, processes = ?17, rounds = ?18, rounds_dropped = ?19,"
        " tied_count = ?20, kept_incumbent = ?21, trust = ?22, trust_reason = ?23,"
        " chosen_at = ?24, compared = ?25 "
        "RETURNING id",
    [STATEMENT_CONTENDERS_DROP] = "DELETE FROM contenders WHERE winner_id = ?1",
    [STATEMENT_CONTENDER_ADD] =
        "INSERT INTO contenders (winner_id, configuration_id, trial_id, place, difference,"
        " difference_low, difference_high, proven, tied, out) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [STATEMENT_RANGES_DROP] = "DELETE FROM ranges WHERE environment_id = ?1 AND experiment_id = ?2"
                              " AND problem_key = ?3 AND l2_mode = ?4 AND objective = ?5",
    [STATEMENT_WINNER_DROP] = "DELETE FROM winners WHERE environment_id = ?1 AND problem_id = ?2"
                              " AND l2_mode = ?3 AND objective = ?4",
    [STATEMENT_WINNER_RANGES_DROP] =
        "DELETE FROM ranges WHERE environment_id = ?1 AND l2_mode = ?3 AND objective = ?4"
        " AND (experiment_id, problem_key)"
        " = (SELECT experiment_id, key FROM problems WHERE id = ?2)",
    [STATEMENT_RANGE_ADD] =
        "INSERT INTO ranges (environment_id, experiment_id, problem_key, l2_mode, objective,"
        " run_id, n_low, n_high, configuration_id, within, bound, chosen_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) RETURNING id",
    [STATEMENT_RANGE_CHECK_ADD] =
        "INSERT INTO range_checks (range_id, n, measured, loss, loss_low, loss_high,"
        " best_configuration_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
};

static bool is_full(int code, int system_errno)
{
    return code == SQLITE_FULL ||
           (code == SQLITE_IOERR &&
            (system_errno == ENOSPC || system_errno == EDQUOT || system_errno == EFBIG));
}

/* What the operating system said. SQLite forgets it on some ways out of a commit, but the files, of
 * which the log is one, remember it. */
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

static bool folder_is_there(const char *path)
{
    struct stat info;
    const char *slash = strrchr(path, '/');
    struct text folder = {0};
    if (!slash)
        return true;
    text_append_bytes(&folder, path, (size_t)(slash - path) + 1);
    bool is = stat(text_string(&folder), &info) == 0;
    text_free(&folder);
    return is;
}

/* The error number is that of SQLite's last try, to open for reading what it could not make for
 * writing: ENOENT also when it may not write in a folder that is there. */
static enum status fail_to_open(const char *path, int system_errno, const char *doing,
                                struct error *error)
{
    bool absent = system_errno == ENOENT || system_errno == ENOTDIR;
    if (absent && !folder_is_there(path))
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
    if (is_full(primary, system_errno))
        return error_set(error, STATUS_IO,
                         "%s: cannot %s: the disk is full; free some space and run again: what was "
                         "stored before is kept",
                         path, doing);
    switch (primary) {
    case SQLITE_NOMEM:
        return error_no_memory(error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        if (store_gave_up(store))
            return error_set(error, STATUS_INTERRUPTED,
                             "%s: cannot %s: another process keeps it locked; stopped, and what "
                             "was stored before is kept: run again to go on",
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

enum status store_prepare(const struct store *store, const char *sql, sqlite3_stmt **out,
                          struct error *error)
{
    int code = sqlite3_prepare_v2(store->db, sql, -1, out, NULL);
    return code == SQLITE_OK ? STATUS_OK : store_fail(store, code, "read the database", error);
}

enum status store_statement(struct store *store, enum statement_id id, sqlite3_stmt **out,
                            struct error *error)
{
    if (!store->statements[id]) {
        int code = sqlite3_prepare_v3(store->db, statement_sql[id], -1, SQLITE_PREPARE_PERSISTENT,
                                      &store->statements[id], NULL);
        if (code != SQLITE_OK)
            return store_fail(store, code, "use the database", error);
    }
    *out = store->statements[id];
    return STATUS_OK;
}

enum status store_step(const struct store *store, sqlite3_stmt *statement, bool *row,
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
                             : store_step(store, statement, &row, doing, error);
    if (found)
        *found = status == STATUS_OK && row;
    if (status == STATUS_OK && row && value)
        *value = sqlite3_column_int64(statement, 0);
    while (status == STATUS_OK && row)
        status = store_step(store, statement, &row, doing, error);
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    FAILPOINT("store.stepped");
    return status;
}

enum status store_take_once(const struct store *store, sqlite3_stmt *statement, int64_t *value,
                            bool *found, const char *doing, struct error *error)
{
    enum status status = store_take(store, statement, value, found, doing, error);
    (void)sqlite3_finalize(statement);
    return status;
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

enum status store_pragma(const struct store *store, const char *sql, int64_t *value,
                         struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_prepare(store, sql, &statement, error);
    if (status != STATUS_OK)
        return status;
    return store_take_once(store, statement, value, NULL, "read the database", error);
}

static enum status run_statement(struct store *store, enum statement_id id, const char *doing,
                                 struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_statement(store, id, &statement, error);
    return status == STATUS_OK ? store_take(store, statement, NULL, NULL, doing, error) : status;
}

enum status store_begin(struct store *store, const char *doing, struct error *error)
{
    if (store->batch_failed)
        return error_set(error, STATUS_INTERNAL,
                         "%s: cannot %s: what was stored with it could not be", store->path, doing);
    if (store->batch)
        return STATUS_OK;
    FAILPOINT("store.begin");
    return run_statement(store, STATEMENT_BEGIN, doing, error);
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
        status = run_statement(store, STATEMENT_COMMIT, doing, error);
    FAILPOINT("store.committed");
    /* SQLite has rolled back by itself after some failures. */
    if (status != STATUS_OK && !sqlite3_get_autocommit(store->db)) {
        struct error ignored = {0};
        (void)run_statement(store, STATEMENT_ROLLBACK, doing, &ignored);
    }
    return status;
}

static const char batch_doing[] = "store what belongs together";

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

void store_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    /* Failures to bind show as a failure of the step: a bound text is never copied here. */
    if (text)
        (void)sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
    else
        (void)sqlite3_bind_null(statement, index);
}

void store_bind_from(sqlite3_stmt *statement, int index, int64_t value, int64_t least)
{
    if (value >= least)
        (void)sqlite3_bind_int64(statement, index, value);
    else
        (void)sqlite3_bind_null(statement, index);
}

void store_bind_objective(sqlite3_stmt *statement, int index, const char *objective)
{
    store_bind_text(statement, index, objective ? objective : "time");
}

enum status store_relax(struct store *store, bool relaxed, struct error *error)
{
    if (!sqlite3_get_autocommit(store->db))
        return STATUS_OK; /* cannot be changed inside a transaction, whose commit decides */
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
