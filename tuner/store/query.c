/* Read-only queries for show, plot and export, row by row, or as structs by a table of members. */
#include "tuner/store/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"

struct store_query {
    struct store *store;
    sqlite3_stmt *statement; /* NULL: preparing failed */
    char *sql;
};

/* Allows a SELECT to read and call functions; refuses anything else while the statement is
 * prepared. */
static int allow_reading(void *context, int action, const char *a, const char *b, const char *c,
                         const char *d)
{
    (void)context, (void)b, (void)c, (void)d;
    switch (action) {
    case SQLITE_UPDATE: /* needed by json_each; a real update is not read-only */
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

void store_query_free(struct store_query *query)
{
    if (!query)
        return;
    (void)sqlite3_finalize(query->statement);
    free(query->sql);
    free(query);
}

static enum status make_query(struct store *store, const char *sql, struct store_query **out,
                              struct error *error)
{
    struct store_query *query = calloc(1, sizeof *query);
    *out = query;
    if (!query || !(query->sql = strdup(sql)))
        return error_no_memory(error);
    query->store = store;
    const char *tail = "";
    (void)sqlite3_set_authorizer(store->db, allow_reading, NULL);
    int code = sqlite3_prepare_v2(store->db, sql, -1, &query->statement, &tail);
    /* No second statement follows; blanks and comments may. */
    sqlite3_stmt *second = NULL;
    const bool single = code == SQLITE_OK &&
                        sqlite3_prepare_v2(store->db, tail, -1, &second, NULL) == SQLITE_OK &&
                        !second;
    (void)sqlite3_finalize(second);
    (void)sqlite3_set_authorizer(store->db, NULL, NULL);
    if (code == SQLITE_AUTH)
        return error_set(error, STATUS_BAD_INPUT, "the query does more than read: write a SELECT");
    if ((code & 0xff) == SQLITE_ERROR)
        return error_set(error, STATUS_BAD_INPUT, "the query is wrong: %s",
                         sqlite3_errmsg(store->db));
    if (code != SQLITE_OK)
        return store_fail(store, code, "read the database", error);
    if (!query->statement || !single || !sqlite3_stmt_readonly(query->statement) ||
        sqlite3_column_count(query->statement) == 0)
        return error_set(error, STATUS_BAD_INPUT, "the query is not one SELECT");
    return STATUS_OK;
}

const char *store_number(char room[24], int64_t number)
{
    (void)string_format(room, 24, "%" PRId64, number);
    return room;
}

enum status store_query_open(struct store *store, const char *sql,
                             const struct store_parameter *parameters, size_t count,
                             struct store_query **out, struct error *error)
{
    struct store_query **kept = store->queries, *query = NULL;
    for (size_t i = 0; !query && i < STORE_QUERIES_KEPT && kept[i]; i++) {
        if (strcmp(kept[i]->sql, sql) != 0)
            continue;
        query = kept[i]; /* no longer kept */
        memmove(&kept[i], &kept[i + 1], (STORE_QUERIES_KEPT - 1 - i) * sizeof(*kept));
        kept[STORE_QUERIES_KEPT - 1] = NULL;
    }
    enum status status = query ? STATUS_OK : make_query(store, sql, &query, error);
    *out = NULL;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        char name[64];
        if (!parameters[i].value || !string_format(name, sizeof name, ":%s", parameters[i].name))
            continue;
        const int index = sqlite3_bind_parameter_index(query->statement, name);
        const int code = index == 0 ? SQLITE_OK
                                    : sqlite3_bind_text(query->statement, index,
                                                        parameters[i].value, -1, SQLITE_TRANSIENT);
        if (code != SQLITE_OK)
            status = store_fail(store, code, "bind a parameter", error);
    }
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
    if (code == SQLITE_ROW || code == SQLITE_DONE) {
        store_go_on(query->store);
        return STATUS_OK;
    }
    /* Bad values fail only when reached: a bad LIMIT, a bad JSON path. */
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

/* Keeps the query in place of the least recently used one. */
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

/* ---- rows as structs ---- */

enum { COLUMNS_MAX = 64 };

/* Finds each member's column in the query. */
static enum status find_columns(struct store_query *query, const struct store_selection *selection,
                                int at[COLUMNS_MAX], struct error *error)
{
    const int count = store_query_columns(query);
    if (selection->column_count > COLUMNS_MAX)
        return error_set(error, STATUS_INTERNAL, "more than %d columns of a query", COLUMNS_MAX);
    for (size_t i = 0; i < selection->column_count; i++) {
        const char *name = selection->columns[i].name;
        at[i] = 0;
        while (at[i] < count && strcmp(store_query_name(query, at[i]), name) != 0)
            at[i]++;
        if (at[i] == count)
            return error_set(error, STATUS_INTERNAL, "a query has no column '%s'", name);
    }
    return STATUS_OK;
}

static bool is_known(struct store_query *query, int at)
{
    return store_query_is_number(query, at) || store_query_text(query, at);
}

/* Copies the row's texts into the arena; without an arena they are valid until the next row. False:
 * out of memory. */
static bool take_row(struct store_query *query, const struct store_selection *selection,
                     const int *at, struct arena *arena, char *row)
{
    for (size_t i = 0; i < selection->column_count; i++) {
        char *member = row + selection->columns[i].offset;
        const char *text = NULL;
        switch (selection->columns[i].kind) {
        case STORE_TEXT:
            text = store_query_text(query, at[i]);
            *(const char **)(void *)member = text && arena ? arena_strdup(arena, text) : text;
            if (text && !*(const char **)(void *)member)
                return false;
            break;
        case STORE_REAL:
            *(double *)(void *)member = store_query_real(query, at[i]);
            break;
        case STORE_INTEGER:
            *(int64_t *)(void *)member =
                is_known(query, at[i]) ? store_query_integer(query, at[i]) : -1;
            break;
        case STORE_TRUTH:
            *(bool *)member = is_known(query, at[i]) && store_query_integer(query, at[i]) != 0;
        }
    }
    return true;
}

/* Reads up to `row_max` rows; 0: all. */
static enum status take_rows(struct store_query *query, const struct store_selection *selection,
                             size_t row_max, struct arena *arena, void *rows, size_t *count,
                             struct error *error)
{
    int at[COLUMNS_MAX];
    size_t capacity = 0;
    char *taken = NULL;
    void *kept = NULL;
    bool more = true;
    *count = 0;
    enum status status = find_columns(query, selection, at, error);
    while (status == STATUS_OK && (row_max == 0 || *count < row_max)) {
        status = store_query_next(query, &more, error);
        if (status != STATUS_OK || !more)
            break;
        if (!array_grow(&taken, *count, &capacity, selection->row_bytes)) {
            status = error_no_memory(error);
            break;
        }
        char *row = taken + (*count)++ * selection->row_bytes;
        memset(row, 0, selection->row_bytes);
        if (!take_row(query, selection, at, arena, row))
            status = error_no_memory(error);
    }
    if (status == STATUS_OK && *count > 0) {
        kept = arena_copy(arena, taken, *count * selection->row_bytes);
        status = kept ? STATUS_OK : error_no_memory(error);
    }
    if (status != STATUS_OK)
        *count = 0;
    memcpy(rows, &kept, sizeof kept);
    free(taken);
    return status;
}

enum status store_read(struct store *store, const struct store_reading *reading,
                       struct arena *arena, void *rows, size_t *count, struct error *error)
{
    const struct store_selection selection = {reading->sql, reading->columns, reading->column_count,
                                              reading->row_bytes};
    struct store_query *query = NULL;
    void *none = NULL;
    *count = 0;
    memcpy(rows, &none, sizeof none);
    enum status status = store_query_open(store, reading->sql, reading->parameters,
                                          reading->parameter_count, &query, error);
    if (status == STATUS_OK)
        status = take_rows(query, &selection, reading->row_max, arena, rows, count, error);
    store_query_close(query);
    return status;
}

/* Opens a query of our own, without the checks on statements of users. */
static enum status open_selection(struct store *store, const struct store_selection *selection,
                                  const struct value *values, size_t value_count,
                                  struct store_query *query, struct error *error)
{
    *query = (struct store_query){.store = store};
    TRY(store_statement(store, selection->sql, &query->statement, error));
    for (size_t i = 0; i < value_count; i++)
        store_bind(query->statement, (int)i + 1, values[i]);
    return STATUS_OK;
}

static void close_selection(struct store_query *query)
{
    (void)sqlite3_reset(query->statement);
    (void)sqlite3_clear_bindings(query->statement);
}

enum status store_select(struct store *store, const struct store_selection *selection,
                         const struct value *values, size_t value_count, struct arena *arena,
                         void *rows, size_t *count, struct error *error)
{
    struct store_query query;
    *count = 0;
    TRY(open_selection(store, selection, values, value_count, &query, error));
    enum status status = take_rows(&query, selection, 0, arena, rows, count, error);
    close_selection(&query);
    return status;
}

enum status store_select_one(struct store *store, const struct store_selection *selection,
                             const struct value *values, size_t value_count, struct arena *arena,
                             void *row, bool *found, struct error *error)
{
    struct store_query query;
    int at[COLUMNS_MAX];
    *found = false;
    TRY(open_selection(store, selection, values, value_count, &query, error));
    enum status status = find_columns(&query, selection, at, error);
    if (status == STATUS_OK)
        status = store_query_next(&query, found, error);
    if (*found && !take_row(&query, selection, at, arena, row)) {
        *found = false;
        status = error_no_memory(error);
    }
    close_selection(&query);
    return status;
}

enum status store_select_each(struct store *store, const struct store_selection *selection,
                              const struct value *values, size_t value_count, void *row,
                              store_take_row *take, void *context, struct error *error)
{
    struct store_query query;
    int at[COLUMNS_MAX];
    bool more = true;
    TRY(open_selection(store, selection, values, value_count, &query, error));
    enum status status = find_columns(&query, selection, at, error);
    while (status == STATUS_OK && more) {
        status = store_query_next(&query, &more, error);
        if (status != STATUS_OK || !more)
            break;
        (void)take_row(&query, selection, at, NULL, row);
        status = take(context, error);
    }
    close_selection(&query);
    return status;
}

enum status store_no_such(const char *kind, const char *word, const char *database,
                          const char *const *names, size_t count, struct error *error)
{
    const char *nearest = nearest_word(word, names, count);
    struct text list = {0};
    if (nearest)
        return error_set(error, STATUS_NOT_FOUND, "no %s '%s' in %s; did you mean '%s'?", kind,
                         word, database, nearest);
    for (size_t i = 0; i < count && i < 12; i++)
        text_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    (void)error_set(error, STATUS_NOT_FOUND, "no %s '%s' in %s; there %s: %s%s", kind, word,
                    database, count == 1 ? "is" : "are", text_string(&list),
                    count > 12 ? ", ..." : "");
    text_free(&list);
    return error->status;
}
