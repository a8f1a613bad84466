/* A database whose file was removed or replaced while it was open. */
#include <errno.h>
#include <sys/stat.h>

#include "tuner/store/internal.h"

bool store_is_in_place(const struct store *store)
{
    struct stat info;
    return stat(store->path, &info) == 0 && info.st_dev == store->device &&
           info.st_ino == store->inode;
}

static enum status save_to(struct store *store, const char *copy, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_prepare(store, "VACUUM INTO ?1", &statement, error);
    if (status != STATUS_OK)
        return status;
    store_bind_text(statement, 1, copy);
    return store_take_once(store, statement, NULL, NULL, "save it", error);
}

static enum status save_beside(struct store *store, struct text *name, struct error *error)
{
    struct stat info;
    for (int i = 1; i < 1000; i++) {
        text_clear(name);
        text_printf(name, "%s.saved-%d", store->path, i);
        if (name->failed)
            return error_no_memory(error);
        if (lstat(text_string(name), &info) != 0)
            return save_to(store, text_string(name), error);
    }
    return error_set_errno(error, EEXIST, "%s", text_string(name));
}

enum status store_rescue(struct store *store, struct error *error)
{
    static const char what[] = "removed, or replaced by another file, during the run";
    if (store_is_in_place(store))
        return STATUS_OK;
    struct text name = {0};
    struct error failure = {0};
    if (save_beside(store, &name, &failure) != STATUS_OK) {
        (void)error_set(error, STATUS_IO, "%s: %s; what was measured could not be saved: %.400s",
                        store->path, what, failure.text);
    } else {
        /* The log still has its name: what took the database's place must not have it played in. */
        (void)store_execute(store, "PRAGMA wal_checkpoint(TRUNCATE)", "empty its log", &failure);
        (void)error_set(error, STATUS_IO,
                        "%s: %s; what was measured is saved in %s: move it back, or name it with "
                        "--db, and run again to go on",
                        store->path, what, text_string(&name));
    }
    text_free(&name);
    return STATUS_IO;
}
