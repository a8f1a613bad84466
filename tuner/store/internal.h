/* Internals of the room: the open database, and helpers shared by its files. */
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
#define STORE_SCHEMA_VERSION 20         /* user_version, set by db/schema.sql too */

enum {
    STORE_BUSY_MS = 10000,
    STORE_SYNC_MS = 100, /* shortest time between trials that wait for the disk, and so the most a
                            power cut takes */
};

/* Schema of the database: the built-in one for store_open; tests make older and newer ones. */
struct store_schema {
    int version;
    const char *create;     /* db/schema.sql: makes an empty file one of this version */
    const char *migrations; /* all of db/migrations; each begins with a line "-- migration N: text"
                               and brings N - 1 to N */
};
enum status store_open_as(const char *path, enum store_mode mode, const struct store_schema *schema,
                          struct store **out, struct error *error);

/* A statement that is prepared on first use and kept; its key is the address of its text, or of its
 * row table. */
struct kept_statement {
    const void *key;
    sqlite3_stmt *statement;
};

/* Closed queries, kept for repeats: a view of a thousand winners repeats the same query for each,
 * and preparing takes longer than running. */
enum { STORE_QUERIES_KEPT = 8 };
void store_query_free(struct store_query *query);

struct store {
    sqlite3 *db;
    char *path;
    dev_t device; /* device and inode of the opened file */
    ino_t inode;
    struct kept_statement *kept;
    size_t kept_count, kept_capacity;
    struct store_query *queries[STORE_QUERIES_KEPT]; /* latest first; NULL after the last */
    struct text json[2];                             /* kept, so that a trial allocates nothing */
    struct store_wait *wait;                         /* NULL: waits STORE_BUSY_MS for a writer */
    int64_t synced_ns;      /* clock_now_ns of the last commit that waited for the disk */
    int64_t copied_version; /* 0: the file itself is open; else a copy in `scratch` */
    struct temporary scratch;
    int64_t steps_left; /* before a bounded operation is stopped */
    bool batch;         /* between store_batch_begin and store_batch_end */
    bool batch_failed;  /* a call in the batch failed: only a rollback is possible */
};

/* Turns SQLite's error into a status and a line for people; `doing` is a verb: "store a trial".
 * Returns the status. */
enum status store_fail(const struct store *store, int code, const char *doing, struct error *error);
bool store_code_is_shared_memory(int code);

/* Limits a connection's reads (guard.c). */
void store_guard(struct store *store);
/* Verifies that tables are tables, not views that might never end; if `writes` (also for a copy),
 * that triggers are tune's and values no larger than any that tune writes. */
enum status store_check_tables(struct store *store, const struct store_schema *schema, bool writes,
                               struct error *error);
/* Drops or creates every view; OWN: temporary ones, after checking all columns of the schema. */
enum store_views_action { STORE_VIEWS_DROP, STORE_VIEWS_CREATE, STORE_VIEWS_OWN };
enum status store_views(struct store *store, const struct store_schema *schema,
                        enum store_views_action action, struct error *error);
/* Switches to a copy of the newest schema in TMPDIR, removed when the store is closed. */
enum status store_view_copy(struct store *store, int64_t version, const struct store_schema *schema,
                            struct error *error);
/* Opens another file in place of the current one. */
enum status store_reconnect(struct store *store, const char *path, struct error *error);

/* Finds the statement with this key; NULL: none yet. */
sqlite3_stmt *store_kept_statement(const struct store *store, const void *key);
/* Prepares and keeps a statement. */
enum status store_keep_statement(struct store *store, const void *key, const char *sql,
                                 sqlite3_stmt **out, struct error *error);
/* Finds or prepares the statement for a text of static storage duration. */
enum status store_statement(struct store *store, const char *sql, sqlite3_stmt **out,
                            struct error *error);
/* Steps to the end and resets. *value (may be NULL) gets the first column of the first row, and is
 * unchanged if there is none (*found false; may be NULL). */
enum status store_take(const struct store *store, sqlite3_stmt *statement, int64_t *value,
                       bool *found, const char *doing, struct error *error);
/* Runs a statement, whose text has static storage duration, with values for ?1, ?2 ...; results as
 * for store_take. */
enum status store_run(struct store *store, const char *sql, const char *doing,
                      const struct value *values, size_t count, int64_t *value, bool *found,
                      struct error *error);
/* An array of values, and its length. NULL texts and NaN are SQL NULL. */
#define STORE_VALUES(...)                                                                          \
    (const struct value[]){__VA_ARGS__},                                                           \
        sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value)
/* Binds a value; the text is not copied. */
void store_bind(sqlite3_stmt *statement, int index, struct value value);
enum status store_execute(const struct store *store, const char *sql, const char *doing,
                          struct error *error);
enum status store_pragma(struct store *store, const char *sql, int64_t *value, struct error *error);

/* Copies the whole database into a new file. */
enum status store_copy(struct store *store, const char *path, const char *doing,
                       struct error *error);

/* Reports the end of an announced wait; called after each statement that was not refused. */
void store_go_on(const struct store *store);
/* Returns whether the user ended the wait for another program. */
bool store_gave_up(const struct store *store);

/* Begin and end one transaction. store_end commits if `status` is STATUS_OK, else rolls back, and
 * returns the first failure. In a batch neither has an effect of its own. */
enum status store_begin(struct store *store, const char *doing, struct error *error);
enum status store_end(struct store *store, enum status status, const char *doing,
                      struct error *error);

/* Sets whether commits wait for the disk, so that no power cut undoes them. Relaxed ones do not:
 * for rows that the next full commit makes durable, or that may be lost. No effect in a batch. */
enum status store_relax(struct store *store, bool relaxed, struct error *error);
/* Restores full commits; returns the first failure. */
enum status store_relaxed_end(struct store *store, enum status status, struct error *error);

/* ---- writing rows (rows.c) ---- */

/* Conversion of a member to a column's value. */
enum row_kind {
    ROW_INTEGER,        /* 4 or 8 bytes, or a bool */
    ROW_INTEGER_FROM_0, /* NULL below 0 */
    ROW_INTEGER_FROM_1, /* NULL below 1 */
    ROW_REAL,           /* double; NULL when NaN */
    ROW_REAL_FROM_0,
    ROW_REAL_ABOVE_0,
    ROW_TEXT,      /* const char * */
    ROW_OBJECTIVE, /* const char *; "time" when NULL */
    ROW_MODE,      /* enum l2_mode, by name */
    ROW_STATUS,    /* enum trial_status, by name */
    ROW_VALUES,    /* const struct named_value *, with the count at count_offset: a JSON object */
    ROW_VALUES_IF_ANY, /* NULL when empty */
    ROW_NOW,           /* no member: the time of writing */
};
/* Treatment of a column if a row with the same keys exists. */
enum row_use {
    ROW_VALUE, /* replaced */
    ROW_KEY,
    ROW_ONCE, /* left unchanged */
};
struct row_column {
    const char *name;
    enum row_kind kind;
    size_t offset, bytes; /* member's */
    enum row_use use;
    size_t source; /* index of the source with the member */
    size_t count_offset;
};
/* Columns of a ROW_TABLE, named as its type's members. `kind_`: without its ROW_. */
#define ROW_COLUMN(column, ...)                                                                    \
    {                                                                                              \
        .name = column, __VA_ARGS__                                                                \
    }
#define ROW_MEMBER(type, member)                                                                   \
    .offset = offsetof(type, member), .bytes = sizeof(((type *)0)->member)
#define VALUE(member, kind_) ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(row_type, member))
#define KEY(member, kind_)                                                                         \
    ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(row_type, member), .use = ROW_KEY)
/* JSON object of values; the member `count` is their number. */
#define VALUES(member, kind_, use_, count)                                                         \
    ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(row_type, member), .use = use_,            \
               .count_offset = offsetof(row_type, count))
/* Members of the second source, shared by several rows: a struct, or an id. */
#define SHARED(type, member, kind_)                                                                \
    ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(type, member), .source = 1)
#define SHARED_KEY(type, member, kind_)                                                            \
    ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(type, member), .use = ROW_KEY, .source = 1)
#define SHARED_ID(column, use_)                                                                    \
    ROW_COLUMN(column, .kind = ROW_INTEGER, .bytes = sizeof(int64_t), .source = 1, .use = use_)
/* Time of writing, or of first writing. */
#define WRITTEN_AT(column, use_) ROW_COLUMN(column, .kind = ROW_NOW, .use = use_)

struct row_table {
    const char *name;
    const char *doing; /* a verb, for messages: "store a trial" */
    const struct row_column *columns;
    size_t column_count;
};
/* Defines the row table `table`, named as in the database, for a function that writes its rows. */
#define ROW_TABLE(type, table, doing, ...)                                                         \
    typedef type row_type;                                                                         \
    static const struct row_column table##_columns[] = {__VA_ARGS__};                              \
    static const struct row_table table = {#table, doing, table##_columns,                         \
                                           sizeof table##_columns / sizeof *table##_columns}

/* Inserts a row, or updates the one with the same keys. A NULL source gives NULL for its columns.
 * *id (may be NULL) gets the row's id, if the table has one. */
enum status store_put(struct store *store, const struct row_table *table,
                      const void *const sources[], int64_t *id, struct error *error);
#define STORE_SOURCES(...)                                                                         \
    (const void *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* ---- reading rows (query.c) ---- */

/* A statement, whose text has static storage duration, and the members for its columns. */
struct store_selection {
    const char *sql;
    const struct store_column *columns;
    size_t column_count;
    size_t row_bytes;
};
/* Defines the selection `name` of rows of `type`; columns are named as members. `kind`: without its
 * STORE_. */
#define SELECTION(type, name, sql, ...)                                                            \
    typedef type selected_type;                                                                    \
    static const struct store_column name##_columns[] = {__VA_ARGS__};                             \
    static const struct store_selection name = {                                                   \
        sql, name##_columns, sizeof name##_columns / sizeof *name##_columns, sizeof(type)}
#define SELECTED(member, kind) STORE_MEMBER(selected_type, member, kind)
/* Reads rows like store_read. */
enum status store_select(struct store *store, const struct store_selection *selection,
                         const struct value *values, size_t value_count, struct arena *arena,
                         void *rows, size_t *count, struct error *error);
/* Reads the first row into `row`, whose texts are in the arena (NULL: a selection without texts).
 * *found false: there is none, and the row is unchanged. */
enum status store_select_one(struct store *store, const struct store_selection *selection,
                             const struct value *values, size_t value_count, struct arena *arena,
                             void *row, bool *found, struct error *error);
/* Calls `take` for each row, after reading it into `row`; its texts are valid until the next
 * one. */
typedef enum status store_take_row(void *context, struct error *error);
enum status store_select_each(struct store *store, const struct store_selection *selection,
                              const struct value *values, size_t value_count, void *row,
                              store_take_row *take, void *context, struct error *error);

/* Migrates to the schema's version; `keeps`: after copying the database aside. */
enum status store_migrate(struct store *store, int64_t version, const struct store_schema *schema,
                          bool keeps, struct error *error);

#endif
