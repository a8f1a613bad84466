/* Within the room only: the open database and what its files share. */
#ifndef TUNE_STORE_INTERNAL_H
#define TUNE_STORE_INTERNAL_H

#include <sqlite3.h>
#include <stddef.h>
#include <sys/types.h>

#include "tuner/base/launch.h"
#include "tuner/base/temporary.h"
#include "tuner/base/text.h"
#include "tuner/store/query.h"
#include "tuner/store/store.h"

#define STORE_APPLICATION_ID 0x54756e65 /* "Tune"; set by db/schema.sql too */
#define STORE_SCHEMA_VERSION 15         /* user_version, set by db/schema.sql too */

enum {
    STORE_BUSY_MS = 10000,
    STORE_SYNC_MS = 100, /* trials wait for the disk so often at most: of what a power cut takes */
};

/* What a database should look like. store_open takes the one that is built in; tests make older
 * and newer ones. */
struct store_schema {
    int version;
    const char *create;     /* db/schema.sql: makes an empty file one of this version */
    const char *migrations; /* db/migrations one after the other; each begins with a line
                               "-- migration N: what it does" and brings N - 1 to N */
};
enum status store_open_as(const char *path, enum store_mode mode, const struct store_schema *schema,
                          struct store **out, struct error *error);

/* A statement that is prepared once, on first use, and then kept: known by the address of its text,
 * or of its row table. */
struct kept_statement {
    const void *key;
    sqlite3_stmt *statement;
};

/* Queries that were closed, for when the same is asked again: of a thousand winners each is asked
 * the same, and preparing takes longer than the answer. */
enum { STORE_QUERIES_KEPT = 8 };
void store_query_free(struct store_query *query);

struct store {
    sqlite3 *db;
    char *path;
    dev_t device; /* of the file that was opened, and its number there */
    ino_t inode;
    struct kept_statement *kept;
    size_t kept_count, kept_capacity;
    struct store_query *queries[STORE_QUERIES_KEPT]; /* the latest first; behind the last NULL */
    struct text json[2];                             /* kept, so that a trial allocates nothing */
    struct store_wait *wait; /* NULL: a writer is waited for for STORE_BUSY_MS */
    int64_t synced_ns;       /* clock_now_ns of the last commit that waited for the disk */
    int64_t copied_version;  /* 0: the file itself is open; else its copy in `scratch` */
    struct temporary scratch;
    int64_t steps_left; /* of what is bounded by them */
    bool batch;         /* store_batch_begin was called */
    bool batch_failed;  /* and something in it failed: it can only be rolled back */
};

/* Turns what SQLite says into the status and the line for people; `doing` is a verb: "store a
 * trial". Returns the status. */
enum status store_fail(const struct store *store, int code, const char *doing, struct error *error);
bool store_code_is_shared_memory(int code);

/* guard.c: settings of a connection, by which what it reads is bounded. */
void store_guard(struct store *store);
/* Whether tables are tables, no views that might never end; of what is written or copied, whether
 * triggers are tune's, too, and values as small as any that tune writes. */
enum status store_check_tables(struct store *store, const struct store_schema *schema, bool writes,
                               struct error *error);
/* Drops or creates every view; OWN: this connection's, if all columns of the schema are there. */
enum store_views_action { STORE_VIEWS_DROP, STORE_VIEWS_CREATE, STORE_VIEWS_OWN };
enum status store_views(struct store *store, const struct store_schema *schema,
                        enum store_views_action action, struct error *error);
/* Goes on with a copy of the newest schema, in TMPDIR, which goes when the store is closed. */
enum status store_view_copy(struct store *store, int64_t version, const struct store_schema *schema,
                            struct error *error);
/* Opens another file in place of the one that is open. */
enum status store_reconnect(struct store *store, const char *path, struct error *error);

/* NULL: there is none of that key yet. */
sqlite3_stmt *store_kept_statement(const struct store *store, const void *key);
/* Prepares it and keeps it. */
enum status store_keep_statement(struct store *store, const void *key, const char *sql,
                                 sqlite3_stmt **out, struct error *error);
/* The statement of a text that lives as long as the program. */
enum status store_statement(struct store *store, const char *sql, sqlite3_stmt **out,
                            struct error *error);
/* Steps once; *row (may be NULL): there is a row. */
enum status store_step(const struct store *store, sqlite3_stmt *statement, bool *row,
                       const char *doing, struct error *error);
/* Steps to the end and resets; the first column of the first row goes to *value when not NULL (it
 * is left alone when there is no row, and *found, when not NULL, is false). */
enum status store_take(const struct store *store, sqlite3_stmt *statement, int64_t *value,
                       bool *found, const char *doing, struct error *error);
/* Runs a statement whose text lives as long as the program, with values for ?1, ?2 ...; the rest as
 * store_take. */
enum status store_run(struct store *store, const char *sql, const char *doing,
                      const struct value *values, size_t count, int64_t *value, bool *found,
                      struct error *error);
/* An array of values and how many. A text that is NULL is SQL NULL, and so is NaN. */
#define STORE_VALUES(...)                                                                          \
    (const struct value[]){__VA_ARGS__},                                                           \
        sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value)
/* The text is not copied. */
void store_bind(sqlite3_stmt *statement, int index, struct value value);
enum status store_execute(const struct store *store, const char *sql, const char *doing,
                          struct error *error);
enum status store_pragma(struct store *store, const char *sql, int64_t *value, struct error *error);

/* The whole database into a new file. */
enum status store_copy(struct store *store, const char *path, const char *doing,
                       struct error *error);
/* Whether rows point to others that are not there. */
enum status store_check_references(struct store *store, const char *doing, bool *broken,
                                   struct error *error);

/* After each statement that was not refused: tells that a wait is over, when one was told of. */
void store_go_on(const struct store *store);
/* The user wanted to end while another program held the database. */
bool store_gave_up(const struct store *store);

/* One transaction; store_end commits when `status` is STATUS_OK, else rolls back, and returns the
 * first failure. Inside a batch both leave it to that. */
enum status store_begin(struct store *store, const char *doing, struct error *error);
enum status store_end(struct store *store, enum status status, const char *doing,
                      struct error *error);

/* A commit waits for the disk, so that no power cut takes back what was stored. Relaxed, it does
 * not: for rows that the next full commit makes durable with its own, or that may be lost. Inside a
 * batch it makes no difference. */
enum status store_relax(struct store *store, bool relaxed, struct error *error);
/* Ends that, whatever came of it; returns the first failure. */
enum status store_relaxed_end(struct store *store, enum status status, struct error *error);

/* ---- rows that are written (rows.c) ---- */

/* How a member becomes the value of a column. */
enum row_kind {
    ROW_INTEGER,        /* of 4 or 8 bytes, or a bool */
    ROW_INTEGER_FROM_0, /* NULL below 0 */
    ROW_INTEGER_FROM_1, /* NULL below 1 */
    ROW_REAL,           /* double; NULL when NaN */
    ROW_REAL_FROM_0,
    ROW_REAL_ABOVE_0,
    ROW_TEXT,          /* const char * */
    ROW_OBJECTIVE,     /* const char *; "time" when NULL */
    ROW_MODE,          /* enum l2_mode, by its name */
    ROW_STATUS,        /* enum trial_status, by its name */
    ROW_VALUES,        /* const struct named_value *, how many at count_offset: a JSON object */
    ROW_VALUES_IF_ANY, /* NULL when there is none */
    ROW_NOW,           /* no member: the time of writing */
};
/* What becomes of a column where a row with the same keys is there already. */
enum row_use {
    ROW_VALUE, /* it is replaced */
    ROW_KEY,
    ROW_ONCE, /* it stays as it is */
};
struct row_column {
    const char *name;
    enum row_kind kind;
    size_t offset, bytes; /* of the member */
    enum row_use use;
    size_t source; /* which of store_put's sources has the member */
    size_t count_offset;
};
/* Columns for ROW_TABLE: of members of its type, with their names. `kind`: without its ROW_. */
#define ROW_COLUMN(column, ...)                                                                    \
    {                                                                                              \
        .name = column, __VA_ARGS__                                                                \
    }
#define ROW_MEMBER(type, member)                                                                   \
    .offset = offsetof(type, member), .bytes = sizeof(((type *)0)->member)
#define VALUE(member, kind_) ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(row_type, member))
#define KEY(member, kind_)                                                                         \
    ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(row_type, member), .use = ROW_KEY)
/* A JSON object of values, of which the member `count` says how many there are. */
#define VALUES(member, kind_, use_, count)                                                         \
    ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(row_type, member), .use = use_,            \
               .count_offset = offsetof(row_type, count))
/* Of the second source, what several rows share: a struct, or an id. */
#define SHARED(type, member, kind_)                                                                \
    ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(type, member), .source = 1)
#define SHARED_KEY(type, member, kind_)                                                            \
    ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(type, member), .use = ROW_KEY, .source = 1)
#define SHARED_ID(column, use_)                                                                    \
    ROW_COLUMN(column, .kind = ROW_INTEGER, .bytes = sizeof(int64_t), .source = 1, .use = use_)
/* When the row was written, or first written. */
#define WRITTEN_AT(column, use_) ROW_COLUMN(column, .kind = ROW_NOW, .use = use_)

struct row_table {
    const char *name;
    const char *doing; /* a verb, for messages: "store a trial" */
    const struct row_column *columns;
    size_t column_count;
};
/* Defines the row table `table`, named as in the database, for a function that puts rows of it. */
#define ROW_TABLE(type, table, doing, ...)                                                         \
    typedef type row_type;                                                                         \
    static const struct row_column table##_columns[] = {__VA_ARGS__};                              \
    static const struct row_table table = {#table, doing, table##_columns,                         \
                                           sizeof table##_columns / sizeof *table##_columns}

/* Inserts a row; one with the same keys is updated, where the table has any. A source that is NULL
 * gives NULL for all its columns. *id (unless NULL) gets the row's id, of a table that has one. */
enum status store_put(struct store *store, const struct row_table *table,
                      const void *const sources[], int64_t *id, struct error *error);
#define STORE_SOURCES(...)                                                                         \
    (const void *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* ---- rows that are read (query.c) ---- */

/* A statement whose text lives as long as the program, and the members that its columns become. */
struct store_selection {
    const char *sql;
    const struct store_column *columns;
    size_t column_count;
    size_t row_bytes;
};
/* Defines the selection `name` of rows of that type; columns are named as their members. `kind`:
 * without its STORE_. */
#define SELECTION(type, name, sql, ...)                                                            \
    typedef type selected_type;                                                                    \
    static const struct store_column name##_columns[] = {__VA_ARGS__};                             \
    static const struct store_selection name = {                                                   \
        sql, name##_columns, sizeof name##_columns / sizeof *name##_columns, sizeof(type)}
#define SELECTED(member, kind) STORE_MEMBER(selected_type, member, kind)
/* As store_read. */
enum status store_select(struct store *store, const struct store_selection *selection,
                         const struct value *values, size_t value_count, struct arena *arena,
                         void *rows, size_t *count, struct error *error);
/* Row by row: into `row`, whose texts are borrowed until the next one, and on to `take`. */
typedef enum status store_take_row(void *context, struct error *error);
enum status store_select_each(struct store *store, const struct store_selection *selection,
                              const struct value *values, size_t value_count, void *row,
                              store_take_row *take, void *context, struct error *error);

/* Copies the database aside, which `keeps` leaves there, then brings it to the schema's version. */
enum status store_migrate(struct store *store, int64_t version, const struct store_schema *schema,
                          bool keeps, struct error *error);

#endif
