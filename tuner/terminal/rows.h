/* Rows, of a query or of structs, printed as an aligned table, CSV or JSON. */
#ifndef TUNE_TERMINAL_ROWS_H
#define TUNE_TERMINAL_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/text.h"
#include "tuner/store/query.h"

enum cell_kind {
    CELL_TEXT,
    CELL_NUMBER,
    CELL_JSON, /* text that is JSON already */
};
struct cell {
    const char *text; /* as CSV and JSON have it; NULL: SQL NULL */
    double number;    /* of a CELL_NUMBER with a text */
    enum cell_kind kind;
};

/* Zero-initialise; freed by rows_free. */
struct rows {
    struct arena arena;
    size_t column_count;
    const char **names;
    size_t row_count;
    struct cell **cells; /* [row][column] */
};

/* Text of the columns baselines, parameters, derived, checks, metrics and launches is JSON. */
enum status rows_read(struct store *store, const char *sql,
                      const struct store_parameter *parameters, size_t count, struct rows *rows,
                      struct error *error);
/* Rows without values, for a caller to fill; the names stay the caller's. False when memory is
 * short. */
bool rows_make(struct rows *rows, const char *const *names, size_t columns, size_t count);
void rows_free(struct rows *rows);

/* A member of a struct: what it is called, and how it becomes a cell. */
enum member_kind {
    MEMBER_TEXT,    /* const char * */
    MEMBER_JSON,    /* the same, JSON already */
    MEMBER_REAL,    /* double; not finite: unknown */
    MEMBER_SHARE,   /* the same; tables and CSV have it in percent */
    MEMBER_INTEGER, /* int64_t; below 0: unknown */
    MEMBER_TRUTH,   /* bool */
};
struct row_member {
    const char *key;    /* in JSON; NULL: not there */
    const char *column; /* in tables and CSV; NULL: not there */
    size_t offset;
    enum member_kind kind;
    const char *label; /* above its column; NULL: tables have none */
};
enum members_for { MEMBERS_FOR_JSON, MEMBERS_FOR_TABLE };
/* One row for each of `count` structs of so many bytes. False when memory is short. */
bool rows_make_of(struct rows *rows, const struct row_member *members, size_t member_count,
                  enum members_for printing, const void *structs, size_t struct_bytes,
                  size_t count);

/* -1 when there is no such column. */
int rows_column(const struct rows *rows, const char *name);
/* The cell's text; `otherwise` when it is NULL or there is no such column. */
const char *rows_text(const struct rows *rows, size_t row, const char *name, const char *otherwise);
/* The cell's number; NaN when it is none. */
double rows_number(const struct rows *rows, size_t row, const char *name);
bool rows_same_text(const struct rows *rows, size_t a, size_t b, const char *name);
/* Adds empty columns; false when memory is short. */
bool rows_add_columns(struct rows *rows, const char *const *names, size_t count);
/* The cell becomes a number, with up to 15 digits; NULL when it is not finite. False when memory is
 * short. */
bool rows_set_number(struct rows *rows, size_t row, size_t column, double value);

enum { ROWS_CELL_BYTES = 64 };
/* A cell of the column as tables show it: "-", its own text, or a number, which goes to `out`. */
const char *rows_shown(const char *column, const struct cell *cell, char out[ROWS_CELL_BYTES]);
/* To stdout, control characters as blanks: what people wrote must not command a terminal. */
void rows_put_text(const char *text);
void rows_put_bytes(const char *text, size_t bytes);
/* `first`, bold, and the text as one paragraph, broken between words to `width` columns (0: one
 * line); every line but the first begins with `indent`. */
void rows_put_paragraph(const char *first, const char *indent, const char *text, int width);

/* The columns of the experiments' own metrics begin so: numbers of any size. */
#define METRIC_COLUMN "metric."

/* One column of a table. How a value is written goes by the name of its column: _ns with a unit of
 * time, _percent, gbs, gain; other texts and integers as they are. */
struct row_column {
    const char *name;
    const char *label;
};
/* Rows [first, end) under one header, as wide as a page. A column without a value in any of them is
 * left out. Labels, configurations and reasons are broken into lines within their column: nothing
 * is cut. */
void rows_print_table(const struct rows *rows, size_t first, size_t end,
                      const struct row_column *columns, size_t count);
/* The same in so many columns, wherever stdout goes; 0: as wide as it gets. */
void rows_print_table_within(const struct rows *rows, size_t first, size_t end,
                             const struct row_column *columns, size_t count, int width);
/* The same for a command with --wide and --csv: where a page is too narrow even so, columns are
 * left out, the least important first, and named below the table. */
void rows_print_page(const struct rows *rows, size_t first, size_t end,
                     const struct row_column *columns, size_t count);
/* Returns whether the word stands in rows_print_page of all rows, as a label or a whole cell. */
bool rows_tell(const struct rows *rows, const struct row_column *columns, size_t count,
               const char *word, size_t length);
/* The members that have a label, of all rows of structs, in their order. */
void rows_print_members(const struct rows *rows, size_t first, size_t end,
                        const struct row_member *members, size_t member_count);
/* One row as "label   value" lines: all columns that have a value. */
void rows_print_list(const struct rows *rows, size_t row);
/* RFC 4180, numbers as they are stored; the version is the first column. */
void rows_print_csv(const struct rows *rows);
/* An array of objects, each with the version first; the same appended to a text. */
void rows_print_json(const struct rows *rows);
void rows_append_array(struct text *out, const struct rows *rows);
/* An array inside of an object that has it: each of its objects begins with `lead` (members, each
 * with a comma). */
void rows_print_json_within(const struct rows *rows, const char *lead);
/* The object of one row. */
void rows_append_json(struct text *out, const struct rows *rows, size_t row);

#endif
