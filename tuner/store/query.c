/* Read-only queries for show, plot and export. */
#include "tuner/store/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct store_query {
    struct store *store;
    sqlite3_stmt *statement; /* NULL: could not be prepared */
    char *sql;
};

/* A SELECT reads and calls functions; whatever else a statement wants to do is refused while it is
 * prepared. */
static int allow_reading(void *context, int action, const char *a, const char *b, const char *c,
                         const char *d)
{
    (void)context, (void)b, (void)c, (void)d;
    switch (action) {
    case SQLITE_UPDATE: /* asked when json_each is set up; a real update is not read-only */
        return a && strcmp(a, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

/* Only one statement is taken; what follows may be blanks and comments. */
static bool ends_there(sqlite3 *db, const char *tail)
{
    sqlite3_stmt *more = NULL;
    bool ends = sqlite3_prepare_v2(db, tail, -1, &more, NULL) == SQLITE_OK && !more;
    (void)sqlite3_finalize(more);
    return ends;
}

static enum status prepare_query(const struct store *store, const char *sql, sqlite3_stmt **out,
                                 struct error *error)
{
    const char *tail = "";
    (void)sqlite3_set_authorizer(store->db, allow_reading, NULL);
    int code = sqlite3_prepare_v2(store->db, sql, -1, out, &tail);
    bool single = code == SQLITE_OK && ends_there(store->db, tail);
    (void)sqlite3_set_authorizer(store->db, NULL, NULL);
    if (code == SQLITE_AUTH)
        return error_set(error, STATUS_BAD_INPUT, "the query does more than read: write a SELECT");
    if ((code & 0xff) == SQLITE_ERROR)
        return error_set(error, STATUS_BAD_INPUT, "the query is wrong: %s",
                         sqlite3_errmsg(store->db));
    if (code != SQLITE_OK)
        return store_fail(store, code, "read the database", error);
    if (!*out || !single || !sqlite3_stmt_readonly(*out) || sqlite3_column_count(*out) == 0)
        return error_set(error, STATUS_BAD_INPUT, "the query is not one SELECT");
    return STATUS_OK;
}

static enum status bind_parameter(const struct store *store, sqlite3_stmt *statement,
                                  const struct store_parameter *parameter, struct error *error)
{
    char name[64];
    if (!parameter->value || !string_format(name, sizeof name, ":%s", parameter->name))
        return STATUS_OK;
    int index = sqlite3_bind_parameter_index(statement, name);
    if (index == 0)
        return STATUS_OK;
    int code = sqlite3_bind_text(statement, index, parameter->value, -1, SQLITE_TRANSIENT);
    return code == SQLITE_OK ? STATUS_OK : store_fail(store, code, "bind a parameter", error);
}

void store_query_free(struct store_query *query)
{
    if (!query)
        return;
    (void)sqlite3_finalize(query->statement);
    free(query->sql);
    free(query);
}

/* The kept query of that text, which is then kept no longer; NULL: there is none. */
static struct store_query *take_kept(struct store *store, const char *sql)
{
    struct store_query **queries = store->queries;
    for (size_t i = 0; i < STORE_QUERIES_KEPT && queries[i]; i++) {
        struct store_query *query = queries[i];
        if (strcmp(query->sql, sql) != 0)
            continue;
        memmove(&queries[i], &queries[i + 1], (STORE_QUERIES_KEPT - 1 - i) * sizeof(*queries));
        queries[STORE_QUERIES_KEPT - 1] = NULL;
        return query;
    }
    return NULL;
}

static enum status make_query(struct store *store, const char *sql, struct store_query **out,
                              struct error *error)
{
    struct store_query *query = calloc(1, sizeof *query);
    *out = query;
    if (!query || !(query->sql = strdup(sql)))
        return error_no_memory(error);
    query->store = store;
    return prepare_query(store, sql, &query->statement, error);
}

enum status store_query_open(struct store *store, const char *sql,
                             const struct store_parameter *parameters, size_t count,
                             struct store_query **out, struct error *error)
{
    struct store_query *query = take_kept(store, sql);
    enum status status = query ? STATUS_OK : make_query(store, sql, &query, error);
    *out = NULL;
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = bind_parameter(store, query->statement, &parameters[i], error);
    if (status == STATUS_OK)
        *out = query;
    else
        store_query_free(query);
    return status;
}

enum status store_query_next(struct store_query *query, bool *row, struct error *error)
{
    int code = sqlite3_step(query->statement);
    *row = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return STATUS_OK;
    /* A query can fail on its values only when they are reached: a bad LIMIT, a bad JSON path. */
    if ((code & 0xff) == SQLITE_ERROR || (code & 0xff) == SQLITE_MISMATCH)
        return error_set(error, STATUS_BAD_INPUT, "the query failed: %s",
                         sqlite3_errmsg(query->store->db));
    return store_fail(query->store, code, "read the database", error);
}

int store_query_columns(const struct store_query *query)
{
    return sqlite3_column_count(query->statement);
}

const char *store_query_name(const struct store_query *query, int column)
{
    const char *name = sqlite3_column_name(query->statement, column);
    return name ? name : "";
}

const char *store_query_text(struct store_query *query, int column)
{
    return (const char *)sqlite3_column_text(query->statement, column);
}

double store_query_real(struct store_query *query, int column)
{
    if (sqlite3_column_type(query->statement, column) == SQLITE_NULL)
        return (double)NAN;
    return sqlite3_column_double(query->statement, column);
}

int64_t store_query_integer(struct store_query *query, int column)
{
    return sqlite3_column_int64(query->statement, column);
}

bool store_query_is_number(struct store_query *query, int column)
{
    int type = sqlite3_column_type(query->statement, column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Kept in place of the one that was used longest ago. */
void store_query_close(struct store_query *query)
{
    if (!query)
        return;
    struct store_query **queries = query->store->queries;
    (void)sqlite3_reset(query->statement);
    (void)sqlite3_clear_bindings(query->statement);
    store_query_free(queries[STORE_QUERIES_KEPT - 1]);
    memmove(&queries[1], &queries[0], (STORE_QUERIES_KEPT - 1) * sizeof(*queries));
    queries[0] = query;
}
