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
    const char *text; /* text in CSV and JSON; NULL: SQL NULL */
    double number;    /* number of a CELL_NUMBER with a text */
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

/* Reads a query's rows. Text of the columns baselines, parameters, derived, checks, metrics and
 * launches is JSON, that of kept_incumbent and cooperative true or false. */
enum status rows_read(struct store *store, const char *sql,
                      const struct store_parameter *parameters, size_t count, struct rows *rows,
                      struct error *error);
/* Makes rows without values, for a caller to fill; the names stay the caller's. Returns false when
 * memory is short. */
bool rows_make(struct rows *rows, const char *const *names, size_t columns, size_t count);
void rows_free(struct rows *rows);

/* A member of a struct: the column's name, and the conversion to a cell. */
enum member_kind {
    MEMBER_TEXT,    /* const char * */
    MEMBER_JSON,    /* text that is JSON already */
    MEMBER_REAL,    /* double; not finite: unknown */
    MEMBER_SHARE,   /* number; tables and CSV show percent */
    MEMBER_INTEGER, /* int64_t; below 0: unknown */
    MEMBER_TRUTH,   /* bool */
};
struct row_member {
    const char *key;    /* in JSON; NULL: not there */
    const char *column; /* in tables and CSV; NULL: not there */
    size_t offset;
    enum member_kind kind;
    const char *label; /* heading of the column; NULL: none in tables */
};
enum members_for { MEMBERS_FOR_JSON, MEMBERS_FOR_TABLE };
/* Makes one row per struct, `count` structs of `bytes` bytes. Returns false when memory is short.
 */
bool rows_make_of(struct rows *rows, const struct row_member *members, size_t member_count,
                  enum members_for printing, const void *structs, size_t struct_bytes,
                  size_t count);

/* Returns the column's index, or -1. */
int rows_column(const struct rows *rows, const char *name);
/* Returns the cell's text; `otherwise` for NULL or a missing column. */
const char *rows_text(const struct rows *rows, size_t row, const char *name, const char *otherwise);
/* Returns the cell's number; NaN if there is none. */
double rows_number(const struct rows *rows, size_t row, const char *name);
bool rows_same_text(const struct rows *rows, size_t a, size_t b, const char *name);
/* Adds empty columns; false when memory is short. */
bool rows_add_columns(struct rows *rows, const char *const *names, size_t count);
/* Sets a cell to a copy of the text; NULL: none. Returns false when memory is short. */
bool rows_set_text(struct rows *rows, size_t row, const char *column, const char *text);
/* Sets a cell to a number with up to 15 digits; to NULL if not finite. Returns false when memory is
 * short. */
bool rows_set_number(struct rows *rows, size_t row, size_t column, double value);

enum { ROWS_CELL_BYTES = 64 };
/* Returns a cell's text in tables: "-", the text, or a number formatted into `out`. */
const char *rows_shown(const char *column, const struct cell *cell, char out[ROWS_CELL_BYTES]);
/* Prints to stdout with control characters as blanks, so that texts of others command no terminal.
 */
void rows_put_text(const char *text);
void rows_put_bytes(const char *text, size_t bytes);
/* Prints `first` in bold and the text as one paragraph, broken between words to `width` columns (0:
 * one line); further lines begin with `indent`. */
void rows_put_paragraph(const char *first, const char *indent, const char *text, int width);

/* The columns of the experiments' own metrics begin so: numbers of any size. */
#define METRIC_COLUMN "metric."

/* One column of a table. The column's name selects the format: _ns with a unit of time, _percent,
 * gbs, gain; other texts and integers unchanged. */
struct row_column {
    const char *name;
    const char *label;
};
/* Prints rows [first, end) under one header in `width` columns; 0: no limit. Columns without
 * values, and sizes that are 1 in all rows, are left out. Labels, configurations and reasons are
 * broken into lines, never cut. */
void rows_print_table_within(const struct rows *rows, size_t first, size_t end,
                             const struct row_column *columns, size_t count, int width);
/* Prints a table for a command with --wide and --csv: on a narrow page the least important columns
 * are left out and named below the table. */
void rows_print_page(const struct rows *rows, size_t first, size_t end,
                     const struct row_column *columns, size_t count);
/* Returns whether the word stands in rows_print_page of all rows, as a label or a whole cell. */
bool rows_have(const struct rows *rows, const struct row_column *columns, size_t count,
               const char *word, size_t length);
/* Prints the members with a label, for rows made from structs, in their order. `leaves_out`: as
 * rows_print_page, for a command with --wide and --csv. */
void rows_print_members(const struct rows *rows, size_t first, size_t end,
                        const struct row_member *members, size_t member_count, bool leaves_out);
/* Prints one row as "label value" lines, as wide as a page, without empty columns. */
void rows_print_list(const struct rows *rows, size_t row);
/* Prints CSV (RFC 4180) with stored numbers; the version is the first column. */
void rows_print_csv(const struct rows *rows);
/* Prints, or appends, an array of objects, each with the version first. */
void rows_print_json(const struct rows *rows);
void rows_append_array(struct text *out, const struct rows *rows);
/* Prints an array inside of an enclosing object: each of its objects begins with `lead` (members,
 * each with a comma). */
void rows_print_json_within(const struct rows *rows, const char *lead);
/* Appends the object of one row. */
void rows_append_json(struct text *out, const struct rows *rows, size_t row);

#endif
