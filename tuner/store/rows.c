/* Writing of rows: each table lists its columns once, with the members for their values; its
 * statement is built from that list, and its values are bound by it. */
#include "tuner/store/internal.h"

#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/json.h"

/* Appends "a, b, c" for the columns of that use; `format` gets the name and the parameter's
 * number. */
static void append_columns(struct text *sql, const struct row_table *table, int uses, bool assigned)
{
    const char *between = "";
    for (size_t i = 0; i < table->column_count; i++) {
        const struct row_column *column = &table->columns[i];
        if (!(uses & 1 << column->use))
            continue;
        text_printf(sql, assigned ? "%s%s = ?%zu" : "%s%s", between, column->name, i + 1);
        between = ", ";
    }
}

static enum status insert_statement(struct store *store, const struct row_table *table,
                                    bool gives_id, sqlite3_stmt **out, struct error *error)
{
    struct text sql = {0};
    if ((*out = store_kept_statement(store, table)))
        return STATUS_OK;
    text_printf(&sql, "INSERT INTO %s (", table->name);
    append_columns(&sql, table, 1 << ROW_KEY | 1 << ROW_VALUE | 1 << ROW_ONCE, false);
    text_append(&sql, ") VALUES (");
    for (size_t i = 0; i < table->column_count; i++)
        text_printf(&sql, "%s?%zu", i > 0 ? ", " : "", i + 1);
    text_append(&sql, ")");
    /* A row whose keys conflict takes all values except those kept from its first writing. An
     * update without changes still makes RETURNING return the id. */
    size_t first_key = 0;
    bool has_values = false;
    while (first_key < table->column_count && table->columns[first_key].use != ROW_KEY)
        first_key++;
    for (size_t i = 0; i < table->column_count; i++)
        has_values = has_values || table->columns[i].use == ROW_VALUE;
    if (first_key < table->column_count) {
        text_append(&sql, " ON CONFLICT (");
        append_columns(&sql, table, 1 << ROW_KEY, false);
        text_append(&sql, ") DO UPDATE SET ");
        if (has_values)
            append_columns(&sql, table, 1 << ROW_VALUE, true);
        else
            text_printf(&sql, "%s = ?%zu", table->columns[first_key].name, first_key + 1);
    }
    text_append(&sql, gives_id ? " RETURNING id" : "");
    enum status status = sql.failed
                             ? error_no_memory(error)
                             : store_keep_statement(store, table, text_string(&sql), out, error);
    text_free(&sql);
    return status;
}

/* Binds a column's value; false: out of memory. */
static bool bind_column(sqlite3_stmt *statement, int at, const struct row_column *column,
                        const void *source, struct text *json)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    if (column->kind == ROW_NOW) {
        clock_timestamp(now);
        (void)sqlite3_bind_text(statement, at, now, -1, SQLITE_TRANSIENT);
        return true;
    }
    if (!source)
        return true;
    const void *member = (const char *)source + column->offset;
    double real = 0;
    switch (column->kind) {
    case ROW_INTEGER:
    case ROW_INTEGER_FROM_0:
    case ROW_INTEGER_FROM_1: {
        int64_t integer = 0;
        int32_t narrow = 0;
        if (column->bytes == sizeof(bool)) {
            integer = *(const bool *)member;
        } else if (column->bytes == sizeof narrow) {
            memcpy(&narrow, member, sizeof narrow);
            integer = narrow;
        } else {
            memcpy(&integer, member, sizeof integer);
        }
        if (column->kind == ROW_INTEGER || integer >= (column->kind == ROW_INTEGER_FROM_1 ? 1 : 0))
            store_bind(statement, at, value_integer(integer));
        return true;
    }
    case ROW_REAL:
    case ROW_REAL_FROM_0:
    case ROW_REAL_ABOVE_0:
        memcpy(&real, member, sizeof real);
        if (!((column->kind == ROW_REAL_FROM_0 && !(real >= 0)) ||
              (column->kind == ROW_REAL_ABOVE_0 && !(real > 0))))
            store_bind(statement, at, value_real(real));
        return true;
    case ROW_VALUES:
    case ROW_VALUES_IF_ANY: {
        /* A JSON object in `json`, which must not change until the statement has run. */
        const struct named_value *values = NULL;
        size_t count = 0;
        memcpy(&values, (const char *)source + column->offset, sizeof(values));
        memcpy(&count, (const char *)source + column->count_offset, sizeof count);
        if (count == 0 && column->kind == ROW_VALUES_IF_ANY)
            return true; /* an unbound parameter is NULL */
        text_clear(json);
        json_append_object(json, values, count);
        store_bind(statement, at, value_text(text_string(json)));
        return !json->failed;
    }
    default: {
        const char *text = column->kind == ROW_MODE ? l2_mode_name(*(const enum l2_mode *)member)
                           : column->kind == ROW_STATUS
                               ? trial_status_name(*(const enum trial_status *)member)
                               : *(const char *const *)member;
        if (column->kind == ROW_OBJECTIVE && !text)
            text = "time";
        store_bind(statement, at, value_text(text));
        return true;
    }
    }
}

enum status store_put(struct store *store, const struct row_table *table,
                      const void *const sources[], int64_t *id, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    size_t texts = 0;
    TRY(insert_statement(store, table, id != NULL, &statement, error));
    for (size_t i = 0; i < table->column_count; i++) {
        const struct row_column *column = &table->columns[i];
        struct text *json = &store->json[texts];
        if (column->kind == ROW_VALUES || column->kind == ROW_VALUES_IF_ANY)
            texts++;
        if (!bind_column(statement, (int)i + 1, column, sources[column->source], json)) {
            (void)sqlite3_clear_bindings(statement);
            return error_no_memory(error);
        }
    }
    return store_take(store, statement, id, NULL, table->doing, error);
}
