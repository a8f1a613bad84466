/* Within the room only: the open database and what its files share. */
#ifndef TUNE_STORE_INTERNAL_H
#define TUNE_STORE_INTERNAL_H

#include <sqlite3.h>
#include <sys/types.h>

#include "tuner/store/store.h"

#define STORE_APPLICATION_ID 0x54756e65 /* "Tune"; set by db/schema.sql too */
#define STORE_SCHEMA_VERSION 7          /* user_version, set by db/schema.sql too */

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

/* Statements of the hot paths, prepared once, on first use. */
enum statement_id {
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_PROBLEM_FIND,
    STATEMENT_PROBLEM_ADD,
    STATEMENT_CONFIGURATION_FIND,
    STATEMENT_CONFIGURATION_ADD,
    STATEMENT_TRIAL_MEASURED,
    STATEMENT_TRIAL_PUT,
    STATEMENT_TRIAL_FOLLOW,
    STATEMENT_SAMPLES_DROP,
    STATEMENT_SAMPLE_ADD,
    STATEMENT_RESOURCES_DROP,
    STATEMENT_RESOURCE_ADD,
    STATEMENT_IN_FLIGHT_PUT,
    STATEMENT_IN_FLIGHT_CLEAR,
    STATEMENT_SEARCH_PUT,
    STATEMENT_ROUNDS_DROP,
    STATEMENT_ROUND_ADD,
    STATEMENT_WINNER_PUT,
    STATEMENT_CONTENDERS_DROP,
    STATEMENT_CONTENDER_ADD,
    STATEMENT_RANGES_DROP,
    STATEMENT_WINNER_DROP,
    STATEMENT_WINNER_RANGES_DROP,
    STATEMENT_RANGE_ADD,
    STATEMENT_RANGE_CHECK_ADD,
    STATEMENT_COUNT
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
    sqlite3_stmt *statements[STATEMENT_COUNT];
    struct store_query *queries[STORE_QUERIES_KEPT]; /* the latest first; behind the last NULL */
    struct text json[2];                             /* kept, so that a trial allocates nothing */
    struct store_wait *wait; /* NULL: a writer is waited for for STORE_BUSY_MS */
    int64_t synced_ns;       /* clock_now_ns of the last commit that waited for the disk */
    bool batch;              /* store_batch_begin was called */
    bool batch_failed;       /* and something in it failed: it can only be rolled back */
};

/* Turns what SQLite says into the status and the line for people; `doing` is a verb: "store a
 * trial". Returns the status. */
enum status store_fail(const struct store *store, int code, const char *doing, struct error *error);
bool store_code_is_shared_memory(int code);

/* The kept statement, ready for binding. */
enum status store_statement(struct store *store, enum statement_id id, sqlite3_stmt **out,
                            struct error *error);
/* A statement of its own, to be finalised by the caller. */
enum status store_prepare(const struct store *store, const char *sql, sqlite3_stmt **out,
                          struct error *error);
/* Steps once; *row (may be NULL) tells whether there is a row. */
enum status store_step(const struct store *store, sqlite3_stmt *statement, bool *row,
                       const char *doing, struct error *error);
/* Steps to the end and resets; the first column of the first row goes to *value when not NULL (it
 * is left alone when there is no row, and *found, when not NULL, is false). */
enum status store_take(const struct store *store, sqlite3_stmt *statement, int64_t *value,
                       bool *found, const char *doing, struct error *error);
/* As store_take for a statement of its own, which it finalises. */
enum status store_take_once(const struct store *store, sqlite3_stmt *statement, int64_t *value,
                            bool *found, const char *doing, struct error *error);
enum status store_execute(const struct store *store, const char *sql, const char *doing,
                          struct error *error);
enum status store_pragma(const struct store *store, const char *sql, int64_t *value,
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

/* Binding: NULL, NaN and (for integers) values below `least` become SQL NULL. */
void store_bind_text(sqlite3_stmt *statement, int index, const char *text);
void store_bind_from(sqlite3_stmt *statement, int index, int64_t value, int64_t least);
/* NULL becomes "time". */
void store_bind_objective(sqlite3_stmt *statement, int index, const char *objective);

/* Copies the database aside, then brings it from its version to the schema's. */
enum status store_migrate(struct store *store, int64_t version, const struct store_schema *schema,
                          struct error *error);

#endif
