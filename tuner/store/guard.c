/* Databases of unknown origin: queries use our own views only, and end. */
#include "tuner/store/internal.h"
#include "tuner/store/query.h"

#include <limits.h>
#include <string.h>

#include "tuner/base/files.h"

enum {
    VALUE_BYTES_MAX = 16 << 20, /* the largest value, an experiment's text, has 1 MiB at most */
    STEPS_BETWEEN = 1 << 20,
};
/* Limits on SQLite's machine steps for a migration: the recordings take up to 2,000 per page of
 * 4096 bytes. */
static const int64_t steps_min = 30000000, steps_a_page = 50000;

void store_guard(struct store *store)
{
    int on = 0;
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, &on);
    sqlite3 *db = NULL;
    /* SQLite 3.38 to 3.40 does not trust its JSON functions, and our tables check values with them.
     */
    const bool trusts_json =
        sqlite3_open(":memory:", &db) == SQLITE_OK &&
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &on) == SQLITE_OK &&
        sqlite3_exec(db, "CREATE TABLE a (b CHECK (json_valid(b))); INSERT INTO a VALUES ('1')",
                     NULL, NULL, NULL) == SQLITE_OK;
    (void)sqlite3_close(db);
    if (trusts_json)
        (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &on);
    (void)sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
}

/* Finds the next statement of the schema `text` from `at` on that begins with `beginning` at the
 * start of a line; NULL: none. */
static const char *next_statement(const char *text, const char *at, const char *beginning)
{
    while ((at = strstr(at, beginning)) && at != text && at[-1] != '\n')
        at += strlen(beginning);
    return at;
}

/* Reads all of a table that every run reads, maybe much later, so that too large a value is refused
 * now. */
static enum status read_values(struct store *store, const char *table, struct error *error)
{
    static const char *const tables[] = {"devices",  "environments",   "experiments",
                                         "problems", "configurations", "runs"};
    char sql[128];
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (strcmp(tables[i], table) == 0 &&
            string_format(sql, sizeof sql, "SELECT * FROM %s", table))
            return store_execute(store, sql, "read the database", error);
    return STATUS_OK;
}

enum status store_check_tables(struct store *store, const struct store_schema *schema, bool writes,
                               struct error *error)
{
    static const char word[] = "CREATE TABLE ";
    static const char question[] = "SELECT type <> 'table' OR sql NOT LIKE 'CREATE TABLE %' "
                                   "FROM sqlite_schema WHERE name = ?1 ORDER BY 1 DESC";
    int64_t bytes = 0;
    TRY(store_pragma(store,
                     "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                     &bytes, error));
    for (const char *at = schema->create;
         (at = next_statement(schema->create, at, word)) != NULL;) {
        char name[64];
        int64_t wrong = 0;
        bool found = false;
        at += strlen(word);
        (void)string_format(name, sizeof name, "%.*s", (int)strcspn(at, " ("), at);
        TRY(store_run(store, question, "read the database", STORE_VALUES(value_text(name)), &wrong,
                      &found, error));
        if (wrong)
            return error_set(error, STATUS_BAD_INPUT,
                             "%s: its '%s' is no table: tune did not make it so, and it is not "
                             "read",
                             store->path, name);
        if (found && writes && bytes > VALUE_BYTES_MAX)
            TRY(read_values(store, name, error));
    }
    if (!writes)
        return STATUS_OK;
    /* Each written row would run a trigger that is not tune's own. */
    int64_t foreign = 0;
    TRY(store_run(
        store, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND instr(?1, sql) = 0",
        "read the database", STORE_VALUES(value_text(schema->create)), &foreign, NULL, error));
    if (foreign > 0)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: it has a trigger that is not tune's, which need not end: nothing is "
                         "written to it, nor to a copy; drop the trigger, or name another file",
                         store->path);
    return STATUS_OK;
}

/* A row per column of a database's tables. */
#define COLUMNS "FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table'"

/* Verifies that all columns of the newest schema exist. */
static enum status check_columns(struct store *store, const struct store_schema *schema,
                                 struct error *error)
{
    static const char all[] = "SELECT json_group_array(json_array(t.name, c.name)) " COLUMNS;
    static const char missing[] = "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') "
                                  "FROM json_each(:all) EXCEPT SELECT t.name, c.name " COLUMNS;
    sqlite3 *made = NULL;
    sqlite3_stmt *columns = NULL;
    struct store_query *query = NULL;
    enum status status = STATUS_OK;
    bool row = false;
    if (sqlite3_open(":memory:", &made) != SQLITE_OK ||
        sqlite3_exec(made, schema->create, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(made, all, -1, &columns, NULL) != SQLITE_OK ||
        sqlite3_step(columns) != SQLITE_ROW) {
        status = error_no_memory(error);
        goto cleanup;
    }
    const struct store_parameter parameter = {
        .name = "all", .value = (const char *)sqlite3_column_text(columns, 0)};
    TRY_OR_CLEANUP(store_query_open(store, missing, &parameter, 1, &query, error));
    TRY_OR_CLEANUP(store_query_next(query, &row, error));
    if (row)
        status = error_set(error, STATUS_BAD_INPUT,
                           "%s: its table '%s' has no '%s': tune did not make it so, and it is "
                           "not read",
                           store->path, store_query_text(query, 0), store_query_text(query, 1));
cleanup:
    store_query_close(query);
    (void)sqlite3_finalize(columns);
    (void)sqlite3_close(made);
    return status;
}

enum status store_views(struct store *store, const struct store_schema *schema,
                        enum store_views_action action, struct error *error)
{
    static const char word[] = "CREATE VIEW ";
    static const struct {
        const char *head;
        const char *doing;
    } statements[] = {
        [STORE_VIEWS_DROP] = {"DROP VIEW IF EXISTS", "bring the database up to date"},
        [STORE_VIEWS_CREATE] = {"CREATE VIEW", "bring the database up to date"},
        [STORE_VIEWS_OWN] = {"CREATE TEMP VIEW", "read the database"},
    };
    struct text sql = {0};
    for (const char *at = schema->create;
         (at = next_statement(schema->create, at, word)) != NULL;) {
        at += strlen(word);
        const char *end = strstr(at, action == STORE_VIEWS_DROP ? " " : ";\n");
        end = end ? end : at + strlen(at);
        text_printf(&sql, "%s %.*s;\n", statements[action].head, (int)(end - at), at);
    }
    enum status status =
        action == STORE_VIEWS_OWN ? check_columns(store, schema, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = sql.failed
                     ? error_no_memory(error)
                     : store_execute(store, text_string(&sql), statements[action].doing, error);
    text_free(&sql);
    return status;
}

static int count_steps(void *context)
{
    struct store *store = context;
    store->steps_left -= STEPS_BETWEEN;
    return store->steps_left < 0;
}

enum status store_view_copy(struct store *store, int64_t version, const struct store_schema *schema,
                            struct error *error)
{
    char copy[PATH_MAX];
    TRY(temporary_folder_in_tmp("read", &store->scratch, error));
    store->copied_version = version;
    if (!string_format(copy, sizeof copy, "%s/%s", store->scratch.path, path_file(store->path)))
        return error_set(error, STATUS_BAD_INPUT, "%s: the path is too long", store->scratch.path);
    TRY(store_execute(store, "PRAGMA query_only = OFF", "copy it", error));
    TRY(store_copy(store, copy, "copy it", error));
    TRY(store_reconnect(store, copy, error));
    int64_t pages = 0;
    enum status status = store_pragma(store, "PRAGMA page_count", &pages, error);
    if (status == STATUS_OK)
        status = store_execute(store, "PRAGMA synchronous = OFF", "read the database", error);
    store->steps_left = steps_min + steps_a_page * pages;
    sqlite3_progress_handler(store->db, STEPS_BETWEEN, count_steps, store);
    if (status == STATUS_OK)
        status = store_migrate(store, version, schema, false, error);
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    if (status != STATUS_OK && store->steps_left < 0)
        status = error_set(error, STATUS_BAD_INPUT,
                           "%s: of schema %lld, and bringing a copy of it up to date does not end: "
                           "tune did not make it so, and it is not read",
                           store->path, (long long)version);
    return status;
}
