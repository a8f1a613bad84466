#include "tuner/cli/rows.h"

#include <string.h>

static bool take_names(struct rows *rows, const struct store_query *query)
{
    rows->column_count = (size_t)store_query_columns(query);
    rows->names = arena_alloc(&rows->arena, rows->column_count, sizeof *rows->names);
    for (size_t i = 0; rows->names && i < rows->column_count; i++) {
        rows->names[i] = arena_strdup(&rows->arena, store_query_name(query, (int)i));
        if (!rows->names[i])
            return false;
    }
    return rows->names != NULL;
}

static bool grow(struct rows *rows)
{
    if (rows->row_count < rows->row_capacity)
        return true;
    size_t capacity = rows->row_capacity ? rows->row_capacity * 2 : 64;
    struct cell **cells = arena_alloc(&rows->arena, capacity, sizeof(struct cell *));
    if (!cells)
        return false;
    if (rows->row_count > 0)
        memcpy(cells, rows->cells, rows->row_count * sizeof(struct cell *));
    rows->cells = cells;
    rows->row_capacity = capacity;
    return true;
}

static bool take_row(struct rows *rows, struct store_query *query)
{
    struct cell *row = arena_alloc(&rows->arena, rows->column_count, sizeof *row);
    if (!row || !grow(rows))
        return false;
    for (size_t i = 0; i < rows->column_count; i++) {
        row[i].number = store_query_is_number(query, (int)i);
        const char *text = store_query_text(query, (int)i);
        row[i].text = text ? arena_strdup(&rows->arena, text) : NULL;
        if (text && !row[i].text)
            return false;
    }
    rows->cells[rows->row_count++] = row;
    return true;
}

enum status rows_read(struct store *store, const char *sql,
                      const struct store_parameter *parameters, size_t count, struct rows *rows,
                      struct error *error)
{
    struct store_query *query = NULL;
    enum status status = store_query_open(store, sql, parameters, count, &query, error);
    if (status == STATUS_OK && !take_names(rows, query))
        status = error_no_memory(error);
    bool more = status == STATUS_OK;
    while (more) {
        status = store_query_next(query, &more, error);
        if (status != STATUS_OK)
            break;
        if (more && !take_row(rows, query)) {
            status = error_no_memory(error);
            break;
        }
    }
    store_query_close(query);
    return status;
}

bool rows_make(struct rows *rows, const char *const *names, size_t columns, size_t count)
{
    rows->names = arena_copy(&rows->arena, names, columns * sizeof *names);
    rows->cells = arena_alloc(&rows->arena, count + 1, sizeof(struct cell *));
    if (!rows->names || !rows->cells)
        return false;
    rows->column_count = columns;
    for (; rows->row_count < count; rows->row_count++) {
        struct cell *row = arena_alloc(&rows->arena, columns, sizeof *row);
        if (!row)
            return false;
        rows->cells[rows->row_count] = row;
    }
    rows->row_capacity = count;
    return true;
}

void rows_free(struct rows *rows)
{
    arena_free(&rows->arena);
    *rows = (struct rows){0};
}

int rows_column(const struct rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->column_count; i++)
        if (strcmp(rows->names[i], name) == 0)
            return (int)i;
    return -1;
}

const char *rows_text(const struct rows *rows, size_t row, const char *name, const char *otherwise)
{
    int column = rows_column(rows, name);
    const char *text = column < 0 ? NULL : rows->cells[row][column].text;
    return text ? text : otherwise;
}

bool rows_add_columns(struct rows *rows, const char *const *names, size_t count)
{
    size_t old = rows->column_count;
    const char **all = arena_alloc(&rows->arena, old + count, sizeof *all);
    if (!all)
        return false;
    memcpy(all, rows->names, old * sizeof *all);
    memcpy(all + old, names, count * sizeof *all);
    for (size_t i = 0; i < rows->row_count; i++) {
        struct cell *row = arena_alloc(&rows->arena, old + count, sizeof *row);
        if (!row)
            return false;
        memcpy(row, rows->cells[i], old * sizeof *row);
        rows->cells[i] = row;
    }
    rows->names = all;
    rows->column_count = old + count;
    return true;
}
