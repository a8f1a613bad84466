/* The database: the only user of sqlite3.h. One process writes; others may read at the same time.
 * Every function with an error returns STATUS_IO (disk full, busy too long), STATUS_PERMISSION or
 * STATUS_BAD_INPUT (no database, a newer schema), and says how to go on. */
#ifndef TUNE_STORE_STORE_H
#define TUNE_STORE_STORE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/error.h"

struct store;

enum store_mode {
    STORE_CREATE, /* read and write; created when absent; migrated when older */
    STORE_READ,   /* must exist; never changed (an older schema is refused, with advice) */
    STORE_VIEW,   /* like STORE_READ; of an older schema a migrated copy is read */
    STORE_COPY,   /* like STORE_READ; an older schema is accepted, for readers of all columns */
};

enum status store_open(const char *path, enum store_mode mode, struct store **store,
                       struct error *error);
void store_close(struct store *store);
/* Returns the schema of a file that is read through a copy; 0: read directly. */
int64_t store_copied_version(const struct store *store);
/* Returns the path of the file that is read: the copy's, if there is one. */
const char *store_file(const struct store *store);

/* Returns whether the name still refers to the opened file: if it was removed or replaced, rows go
 * to a file without a name from then on. */
bool store_is_in_place(const struct store *store);
/* Saves the whole database to FILE.saved-1, or the first free one of -2, -3 ..., if the file was
 * removed or replaced. Returns STATUS_IO, always a failure, with a message about the cause and the
 * copy's place; STATUS_OK: still in place. */
enum status store_rescue(struct store *store, struct error *error);

/* Wait for another program that holds the database for writing: ten seconds by default; with this,
 * as long as necessary, for all writes. */
struct store_patience {
    /* Reports in one line the program waited for, after some seconds, and later the end of the
     * wait. */
    void (*note)(void *context, const char *line);
    void *context;
    const volatile sig_atomic_t
        *stop; /* non-zero: a wait of some seconds ends, STATUS_INTERRUPTED */
};
/* Copies *patience; NULL: ten seconds again. */
enum status store_wait_for_writers(struct store *store, const struct store_patience *patience,
                                   struct error *error);

/* Keeps one moment of the database for all further reads until it is closed, whatever is written
 * meanwhile; once is enough. For a store that is only read. */
enum status store_hold(struct store *store, struct error *error);

/* Begin and end a batch: all writes in between are one transaction, which waits for the disk once.
 * store_batch_end takes the status of the calls in between: commits on STATUS_OK, else rolls back
 * and returns it (also after a failed call that was ignored). After a failure nothing more may be
 * stored before the end. Batches do not nest; other programs cannot write meanwhile, so measure
 * before, not between. */
enum status store_batch_begin(struct store *store, struct error *error);
enum status store_batch_end(struct store *store, enum status status, struct error *error);

/* Checks another database completely and copies it, in the newest schema, to `copy`, which must not
 * exist. The other one is only read. STATUS_BAD_INPUT: damaged, or no database. */
enum status store_merge_prepare(const char *path, const char *copy, struct error *error);
struct store_merge_counts {
    int64_t devices, problems, trials, winners; /* numbers of rows added */
};
/* Merges such a copy, all of it or none (db/merge.sql); adds to the counts. */
enum status store_merge(struct store *store, const char *copy, struct store_merge_counts *counts,
                        struct error *error);

#endif
