/* Rows: out of a query or out of structs, as CSV and as JSON. */
#include "tuner/terminal/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/json.h"

/* Columns of structs; text of an answer. */
enum { MEMBERS_MAX = 64, ROWS_BYTES_MAX = 1 << 30 };

static bool take_row(struct rows *rows, size_t *capacity, struct store_query *query, size_t *bytes)
{
    static const char json_columns[] =
        "baselines parameters derived checks metrics launches kept_incumbent cooperative";
    struct cell *row = arena_alloc(&rows->arena, rows->column_count, sizeof *row);
    if (!row || !array_grow(&rows->cells, rows->row_count, capacity, sizeof *rows->cells))
        return false;
    for (size_t i = 0; i < rows->column_count; i++) {
        const bool number = store_query_is_number(query, (int)i);
        row[i].kind = number ? CELL_NUMBER
                      : word_is_in(rows->names[i], strlen(rows->names[i]), json_columns)
                          ? CELL_JSON
                          : CELL_TEXT;
        row[i].number = number ? store_query_real(query, (int)i) : 0;
        const char *text = store_query_text(query, (int)i);
        row[i].text = text ? arena_strdup(&rows->arena, text) : NULL;
        *bytes += text ? strlen(text) : 0;
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
    size_t capacity = 0, bytes = 0;
    bool more = true;
    enum status status = store_query_open(store, sql, parameters, count, &query, error);
    if (status == STATUS_OK) {
        rows->column_count = (size_t)store_query_columns(query);
        rows->names = arena_alloc(&rows->arena, rows->column_count, sizeof *rows->names);
    }
    for (size_t i = 0; status == STATUS_OK && rows->names && i < rows->column_count; i++)
        rows->names[i] = arena_strdup(&rows->arena, store_query_name(query, (int)i));
    if (status == STATUS_OK && rows->arena.failed)
        status = error_no_memory(error);
    while (status == STATUS_OK) {
        status = store_query_next(query, &more, error);
        if (status != STATUS_OK || !more)
            break;
        if (!take_row(rows, &capacity, query, &bytes))
            status = error_no_memory(error);
        else if (bytes > ROWS_BYTES_MAX)
            status = error_set(error, STATUS_BAD_INPUT,
                               "the answer is larger than %d MiB: ask for less of it",
                               ROWS_BYTES_MAX >> 20);
    }
    store_query_close(query);
    return status;
}

bool rows_make(struct rows *rows, const char *const *names, size_t columns, size_t count)
{
    rows->names = arena_copy(&rows->arena, names, columns * sizeof *names);
    rows->cells = calloc(count + 1, sizeof *rows->cells);
    if (!rows->names || !rows->cells)
        return false;
    rows->column_count = columns;
    for (rows->row_count = 0; rows->row_count < count; rows->row_count++) {
        struct cell *row = arena_alloc(&rows->arena, columns, sizeof *row);
        if (!row)
            return false;
        rows->cells[rows->row_count] = row;
    }
    return true;
}

void rows_free(struct rows *rows)
{
    arena_free(&rows->arena);
    free(rows->cells);
    *rows = (struct rows){0};
}

/* ---- rows from structs ---- */

bool rows_set_text(struct rows *rows, size_t row, const char *column, const char *text)
{
    const char *copy = text ? arena_strdup(&rows->arena, text) : NULL;
    rows->cells[row][rows_column(rows, column)] = (struct cell){.text = copy};
    return copy || !text;
}

bool rows_set_number(struct rows *rows, size_t row, size_t column, double value)
{
    const char *text = isfinite(value) ? arena_printf(&rows->arena, "%.15g", value) : NULL;
    rows->cells[row][column] = (struct cell){.text = text, .number = value, .kind = CELL_NUMBER};
    return text || !isfinite(value);
}

static bool set_member(struct rows *rows, size_t row, size_t column, enum member_kind kind,
                       bool in_percent, const void *value)
{
    struct cell *cell = &rows->cells[row][column];
    switch (kind) {
    case MEMBER_REAL:
        return rows_set_number(rows, row, column, *(const double *)value);
    case MEMBER_SHARE:
        return rows_set_number(rows, row, column, (in_percent ? 100 : 1) * *(const double *)value);
    case MEMBER_INTEGER: {
        const int64_t integer = *(const int64_t *)value;
        *cell = (struct cell){.number = (double)integer, .kind = CELL_NUMBER};
        cell->text = integer < 0 ? NULL : arena_printf(&rows->arena, "%" PRId64, integer);
        return integer < 0 || cell->text;
    }
    case MEMBER_TRUTH:
        *cell = (struct cell){.text = *(const bool *)value ? "true" : "false", .kind = CELL_JSON};
        return true;
    default:
        *cell = (struct cell){.text = *(const char *const *)value,
                              .kind = kind == MEMBER_JSON ? CELL_JSON : CELL_TEXT};
        return true;
    }
}

bool rows_make_of(struct rows *rows, const struct row_member *members, size_t member_count,
                  enum members_for printing, const void *structs, size_t struct_bytes, size_t count)
{
    const char *names[MEMBERS_MAX];
    const struct row_member *chosen[MEMBERS_MAX];
    size_t columns = 0;
    for (size_t i = 0; i < member_count && columns < MEMBERS_MAX; i++) {
        names[columns] = printing == MEMBERS_FOR_JSON ? members[i].key : members[i].column;
        chosen[columns] = &members[i];
        columns += names[columns] != NULL;
    }
    if (!rows_make(rows, names, columns, count))
        return false;
    for (size_t row = 0; row < count; row++)
        for (size_t i = 0; i < columns; i++)
            if (!set_member(rows, row, i, chosen[i]->kind, printing == MEMBERS_FOR_TABLE,
                            (const char *)structs + row * struct_bytes + chosen[i]->offset))
                return false;
    return true;
}

/* ---- cells by name ---- */

int rows_column(const struct rows *rows, const char *name)
{
    const size_t index = WORD_INDEX(name, rows->names, rows->column_count);
    return index < rows->column_count ? (int)index : -1;
}

const char *rows_text(const struct rows *rows, size_t row, const char *name, const char *otherwise)
{
    const int column = rows_column(rows, name);
    const char *text = column < 0 ? NULL : rows->cells[row][column].text;
    return text ? text : otherwise;
}

double rows_number(const struct rows *rows, size_t row, const char *name)
{
    const int column = rows_column(rows, name);
    const struct cell *cell = column < 0 ? NULL : &rows->cells[row][column];
    return cell && cell->text && cell->kind == CELL_NUMBER ? cell->number : (double)NAN;
}

bool rows_same_text(const struct rows *rows, size_t a, size_t b, const char *name)
{
    return strcmp(rows_text(rows, a, name, ""), rows_text(rows, b, name, "")) == 0;
}

bool rows_add_columns(struct rows *rows, const char *const *names, size_t count)
{
    const size_t old = rows->column_count;
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

/* ---- CSV and JSON ---- */

/* Prints a line of CSV; the header if `row` is NULL. Baselines and metrics have columns of their
 * own beside their JSON. */
static void put_csv_line(const struct rows *rows, const struct cell *row)
{
    const char *separator = "";
    for (size_t i = 0; i < rows->column_count; i++) {
        if (strcmp(rows->names[i], "baselines") == 0 || strcmp(rows->names[i], "metrics") == 0)
            continue;
        const char *text = row ? row[i].text : rows->names[i];
        text = text ? text : "";
        fputs(separator, stdout);
        const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
        fputs(quoted ? "\"" : "", stdout);
        for (size_t bytes = 0; *text; text += bytes) {
            bytes = strcspn(text, "\"\n");
            rows_put_bytes(text, bytes);
            if (text[bytes])
                fputs(text[bytes++] == '"' ? "\"\"" : "\n", stdout);
        }
        fputs(quoted ? "\"" : "", stdout);
        separator = ",";
    }
    putchar('\n');
}

void rows_print_csv(const struct rows *rows)
{
    fputs("version,", stdout);
    put_csv_line(rows, NULL);
    for (size_t row = 0; row < rows->row_count; row++) {
        printf("%d,", JSON_VERSION);
        put_csv_line(rows, rows->cells[row]);
    }
}

void rows_append_json(struct text *out, const struct rows *rows, size_t row)
{
    for (size_t i = 0; i < rows->column_count; i++) {
        const struct cell *cell = &rows->cells[row][i];
        text_append(out, i == 0 ? "{" : ", ");
        json_append_string(out, rows->names[i]);
        text_append(out, ": ");
        if (cell->kind == CELL_TEXT || !cell->text)
            json_append_string(out, cell->text);
        else
            text_append(out,
                        cell->kind == CELL_JSON || isfinite(cell->number) ? cell->text : "null");
    }
    text_append(out, "}");
}

static void append_within(struct text *out, const struct rows *rows, const char *lead)
{
    text_append(out, "[");
    for (size_t row = 0; row < rows->row_count; row++) {
        struct text line = {0};
        rows_append_json(&line, rows, row);
        text_printf(out, "%s{%s%s", row == 0 ? "\n  " : ",\n  ", lead, text_string(&line) + 1);
        out->failed = out->failed || line.failed;
        text_free(&line);
    }
    text_append(out, rows->row_count > 0 ? "\n]" : "]");
}

void rows_print_json_within(const struct rows *rows, const char *lead)
{
    struct text array = {0};
    append_within(&array, rows, lead);
    fputs(text_string(&array), stdout);
    text_free(&array);
}

void rows_append_array(struct text *out, const struct rows *rows)
{
    char lead[32];
    (void)string_format(lead, sizeof lead, "\"version\": %d, ", JSON_VERSION);
    append_within(out, rows, lead);
}

void rows_print_json(const struct rows *rows)
{
    struct text array = {0};
    rows_append_array(&array, rows);
    fputs(text_string(&array), stdout);
    text_free(&array);
}
