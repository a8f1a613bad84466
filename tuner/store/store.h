/* The database: the only user of sqlite3.h. One process writes; others may read at the same time.
 * Every function that takes an error returns STATUS_IO (disk full, busy too long),
 * STATUS_PERMISSION, STATUS_BAD_INPUT (no database, a newer schema) with what to do. */
#ifndef TUNE_STORE_STORE_H
#define TUNE_STORE_STORE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/error.h"

struct store;

enum store_mode {
    STORE_CREATE, /* read and write; made when absent; migrated when older */
    STORE_READ,   /* must be there; never changed (an older schema is refused with what to do) */
    STORE_VIEW,   /* as STORE_READ, and of an older schema a copy is read, which is brought up to it
                   */
    STORE_COPY,   /* as STORE_READ, and an older schema is taken, by what reads all */
};

enum status store_open(const char *path, enum store_mode mode, struct store **store,
                       struct error *error);
void store_close(struct store *store);
/* The schema of a file that is read through a copy; 0: it is read itself. */
int64_t store_copied_version(const struct store *store);

/* Whether the name still means the file that was opened: it may have been removed, or another put
 * in its place, and what is stored goes to a file without a name from then on. */
bool store_is_in_place(const struct store *store);
/* Saves such a file, whole, to FILE.saved-1, or the first of -2, -3 ... that is not there. Always a
 * failure, STATUS_IO: it says what happened, and where everything is. STATUS_OK: it is in place. */
enum status store_rescue(struct store *store, struct error *error);

/* Another program that holds the database for writing is waited for for ten seconds, or, with this,
 * for as long as it takes, whatever is stored meanwhile. */
struct store_patience {
    /* One line: who is waited for, after some seconds of it, and that it goes on. */
    void (*note)(void *context, const char *line);
    void *context;
    const volatile sig_atomic_t
        *stop; /* non-zero: a wait of some seconds ends, STATUS_INTERRUPTED */
};
/* What `patience` points to is copied; NULL: ten seconds again. */
enum status store_wait_for_writers(struct store *store, const struct store_patience *patience,
                                   struct error *error);

/* Between these, everything that is stored is one transaction, which waits for the disk once: all
 * of it is there, or nothing. store_batch_end takes what came of the calls between: it commits when
 * that is STATUS_OK, else rolls back and returns it (also when a call between failed and was passed
 * over). After a failure nothing more is to be stored before the end. Batches do not nest; others
 * cannot write meanwhile, so measure before, not between. */
enum status store_batch_begin(struct store *store, struct error *error);
enum status store_batch_end(struct store *store, enum status status, struct error *error);

/* Checks another database whole and makes a copy of it, of the newest schema, at `copy`, where
 * nothing is yet. The other one is only read. STATUS_BAD_INPUT: it is damaged, or none. */
enum status store_merge_prepare(const char *path, const char *copy, struct error *error);
struct store_merge_counts {
    int64_t devices, problems, trials, winners; /* that came to what was there */
};
/* Takes in such a copy, all of it or nothing (db/merge.sql); adds to the counts. */
enum status store_merge(struct store *store, const char *copy, struct store_merge_counts *counts,
                        struct error *error);

#endif
