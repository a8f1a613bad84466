/* Rows of a query as structs, by a table of their members. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/store/store.h"

enum { COLUMNS_MAX = 64 };

/* Where each member's column stands in the query. */
static enum status find_columns(struct store_query *query, const struct store_reading *reading,
                                int at[COLUMNS_MAX], struct error *error)
{
    const int count = store_query_columns(query);
    if (reading->column_count > COLUMNS_MAX)
        return error_set(error, STATUS_INTERNAL, "more than %d columns of a query", COLUMNS_MAX);
    for (size_t i = 0; i < reading->column_count; i++) {
        const char *name = reading->columns[i].name;
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

/* False when memory is short. */
static bool take_member(struct store_query *query, int at, enum store_kind kind,
                        struct arena *arena, void *member)
{
    const char *text = NULL;
    switch (kind) {
    case STORE_TEXT:
        text = store_query_text(query, at);
        *(const char **)member = text ? arena_strdup(arena, text) : NULL;
        return !text || *(const char **)member;
    case STORE_REAL:
        *(double *)member = store_query_real(query, at);
        return true;
    case STORE_INTEGER:
        *(int64_t *)member = is_known(query, at) ? store_query_integer(query, at) : -1;
        return true;
    default:
        *(bool *)member = is_known(query, at) && store_query_integer(query, at) != 0;
        return true;
    }
}

static enum status take_rows(struct store_query *query, const struct store_reading *reading,
                             struct arena *arena, char **rows, size_t *count, struct error *error)
{
    int at[COLUMNS_MAX];
    size_t capacity = 0;
    bool row = true;
    enum status status = find_columns(query, reading, at, error);
    while (status == STATUS_OK && (reading->row_most == 0 || *count < reading->row_most)) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        bool taken = array_grow(rows, *count, &capacity, reading->row_bytes);
        char *next = taken ? *rows + (*count)++ * reading->row_bytes : NULL;
        if (next)
            memset(next, 0, reading->row_bytes);
        for (size_t i = 0; taken && i < reading->column_count; i++)
            taken = take_member(query, at[i], reading->columns[i].kind, arena,
                                next + reading->columns[i].offset);
        if (!taken)
            status = error_no_memory(error);
    }
    return status;
}

enum status store_read(struct store *store, const struct store_reading *reading,
                       struct arena *arena, void *rows, size_t *count, struct error *error)
{
    struct store_query *query = NULL;
    char *taken = NULL;
    void *kept = NULL;
    *count = 0;
    enum status status = store_query_open(store, reading->sql, reading->parameters,
                                          reading->parameter_count, &query, error);
    if (status == STATUS_OK)
        status = take_rows(query, reading, arena, &taken, count, error);
    if (status == STATUS_OK && *count > 0) {
        kept = arena_copy(arena, taken, *count * reading->row_bytes);
        status = kept ? STATUS_OK : error_no_memory(error);
    }
    if (status != STATUS_OK)
        *count = 0;
    memcpy(rows, &kept, sizeof kept);
    free(taken);
    store_query_close(query);
    return status;
}
