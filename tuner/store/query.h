/* Queries, and their rows as structs. */
#ifndef TUNE_STORE_QUERY_H
#define TUNE_STORE_QUERY_H

#include "tuner/base/arena.h"
#include "tuner/store/store.h"

/* Opens a read-only query for show, plot and export: a statement of db/queries/ or plots/ (only a
 * SELECT) with named parameters (":n"), their values as texts; parameters that the statement does
 * not have are ignored. Rows are read one after the other. */
struct store_query;
struct store_parameter {
    const char *name;  /* without the colon */
    const char *value; /* NULL: SQL NULL; numbers compare as numbers if the column is numeric */
};
/* Writes a number as a parameter's value; STORE_NUMBER lives as long as the block around. */
const char *store_number(char room[24], int64_t number);
#define STORE_NUMBER(number) store_number((char[24]){0}, number)
enum status store_query_open(struct store *store, const char *sql,
                             const struct store_parameter *parameters, size_t count,
                             struct store_query **out, struct error *error);
/* Reads the next row; *row false at the end. */
enum status store_query_next(struct store_query *query, bool *row, struct error *error);
int store_query_columns(const struct store_query *query);
const char *store_query_name(const struct store_query *query, int column);
/* Returns NULL for SQL NULL; valid until the next row. */
const char *store_query_text(struct store_query *query, int column);
double store_query_real(struct store_query *query, int column); /* NaN for NULL */
int64_t store_query_integer(struct store_query *query, int column);
bool store_query_is_number(struct store_query *query, int column);
void store_query_close(struct store_query *query);

/* Conversion of a query's column to a member of a struct. */
enum store_kind {
    STORE_TEXT,    /* const char *, in the arena; NULL for SQL NULL */
    STORE_REAL,    /* double; NaN for SQL NULL */
    STORE_INTEGER, /* int64_t; -1 for SQL NULL */
    STORE_TRUTH,   /* bool; false for SQL NULL */
};
struct store_column {
    const char *name;
    size_t offset; /* member's */
    enum store_kind kind;
};
/* A column named as a member, for a table of columns; `kind`: without its STORE_. */
#define STORE_MEMBER(type, member, kind_)                                                          \
    {                                                                                              \
        .name = #member, .offset = offsetof(type, member), .kind = STORE_##kind_                   \
    }
/* A query whose rows are read as structs. */
struct store_reading {
    const char *sql; /* text and parameters: as for store_query_open */
    const struct store_parameter *parameters;
    size_t parameter_count;
    const struct store_column *columns; /* required columns; the query may have others */
    size_t column_count;
    size_t row_bytes; /* size of the struct; members without a column are zero */
    size_t row_max;   /* limit on rows; 0: none */
};
#define STORE_PARAMETERS(table)                                                                    \
    .parameters = (table), .parameter_count = sizeof(table) / sizeof *(table)
#define STORE_COLUMNS(table) .columns = (table), .column_count = sizeof(table) / sizeof *(table)
/* Reads the rows; `rows` is the address of a pointer to the struct, set to an array of `count` in
 * the arena, or to NULL. */
enum status store_read(struct store *store, const struct store_reading *reading,
                       struct arena *arena, void *rows, size_t *count, struct error *error);

/* Returns STATUS_NOT_FOUND: the database has no `kind` with that name; the message names the
 * nearest ones, or all. */
enum status store_no_such(const char *kind, const char *word, const char *database,
                          const char *const *names, size_t count, struct error *error);

#endif
