/* Migration of an older database: a copy first, then all steps in one transaction. */
#include "tuner/store/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/failpoint.h"
#include "tuner/base/files.h"
#include "tuner/base/temporary.h"

static const char migrate_doing[] = "bring the database up to date";
static const char migration_head[] = "-- migration ";

/* Finds the head of the next migration at or after `at`, at the start of a line; NULL: none. */
static const char *next_migration(const char *text, const char *at)
{
    while ((at = strstr(at, migration_head)) && at > text && at[-1] != '\n')
        at += strlen(migration_head);
    return at;
}

/* Runs the steps in order up to this program's version. */
static enum status run_migrations(struct store *store, int64_t version,
                                  const struct store_schema *schema, struct error *error)
{
    const char *text = schema->migrations;
    for (const char *at = next_migration(text, text); at;) {
        const char *next = next_migration(text, at + strlen(migration_head));
        int64_t number = strtoll(at + strlen(migration_head), NULL, 10);
        if (number == version + 1 && number <= schema->version) {
            struct text sql = {0};
            text_append_bytes(&sql, at, next ? (size_t)(next - at) : strlen(at));
            text_printf(&sql, "\nPRAGMA user_version = %lld;", (long long)number);
            enum status status =
                sql.failed ? error_no_memory(error)
                           : store_execute(store, text_string(&sql), migrate_doing, error);
            text_free(&sql);
            TRY(status);
            version = number;
        }
        at = next;
    }
    if (version == schema->version)
        return STATUS_OK;
    return error_set(error, STATUS_BAD_INPUT,
                     "%s: this tune cannot bring schema %lld up to %d; move the database away, or "
                     "name another file with --db",
                     store->path, (long long)version, schema->version);
}

static enum status migrate_inside(struct store *store, const struct store_schema *schema,
                                  bool *changed, struct error *error)
{
    /* The version is read again under the lock: another program may have migrated meanwhile. */
    int64_t version = 0;
    bool broken = false;
    *changed = false;
    TRY(store_pragma(store, "PRAGMA user_version", &version, error));
    *changed = version < schema->version;
    if (*changed) {
        /* Views hold no data; the newest ones are created after all steps. */
        TRY(store_views(store, schema, STORE_VIEWS_DROP, error));
        TRY(run_migrations(store, version, schema, error));
        TRY(store_views(store, schema, STORE_VIEWS_CREATE, error));
    }
    TRY(store_run(store, "PRAGMA foreign_key_check", migrate_doing, NULL, 0, NULL, &broken, error));
    return broken
               ? error_set(error, STATUS_INTERNAL,
                           "%s: a migration would have left rows that point nowhere; nothing was "
                           "changed",
                           store->path)
               : STATUS_OK;
}

/* Copies the whole database into a folder beside the file; the next program removes it if this one
 * is killed. */
static enum status make_copy(struct store *store, const char *copy, struct error *error)
{
    TRY(store_copy(store, copy, "keep a copy of it", error));
    /* The copy gets the database's permissions, and is on the disk before anything changes. */
    struct stat info;
    int file = open(copy, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool good = file >= 0 && stat(store->path, &info) == 0 &&
                fchmod(file, info.st_mode & 0777) == 0 && fsync(file) == 0;
    int failure = errno;
    file_close(file);
    return good ? STATUS_OK : error_set_errno(error, failure, "%s: cannot keep the copy", copy);
}

/* Returns whether the files have equal bytes: a copy may be left by a program killed just before
 * its commit. */
static bool is_same_file(const char *path, const char *other)
{
    enum { PART_BYTES = 4096 };
    char part[2][PART_BYTES];
    FILE *files[2] = {fopen(path, "rbe"), fopen(other, "rbe")};
    bool same = files[0] && files[1];
    for (size_t got = PART_BYTES; same && got == PART_BYTES;) {
        got = fread(part[0], 1, PART_BYTES, files[0]);
        same = fread(part[1], 1, PART_BYTES, files[1]) == got && memcmp(part[0], part[1], got) == 0;
    }
    for (int i = 0; i < 2; i++)
        if (files[i])
            (void)fclose(files[i]);
    return same;
}

/* Renames to a name that must be free: atomically if the file system can. */
static int move_to_free(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    struct stat info;
    if (lstat(to, &info) == 0)
        return EEXIST;
    return rename(from, to) == 0 ? 0 : errno;
}

/* Names the copy FILE.schema-1, or the first free one of FILE.schema-1.2, .3 ...: a copy is never
 * overwritten, and an equal one suffices. */
static enum status publish_copy(const char *copy, const char *path, int64_t version,
                                struct text *name, struct error *error)
{
    int failure = EEXIST;
    for (int i = 1; failure == EEXIST && i < 1000; i++) {
        text_clear(name);
        text_printf(name, "%s.schema-%lld", path, (long long)version);
        if (i > 1)
            text_printf(name, ".%d", i);
        TRY_MEMORY(!name->failed);
        failure = move_to_free(copy, text_string(name));
        if (failure == EEXIST && is_same_file(copy, text_string(name))) {
            text_clear(name);
            failure = 0;
        }
    }
    if (failure == 0)
        return STATUS_OK;
    text_clear(name);
    return error_set_errno(error, failure, "%s: cannot keep a copy of it", path);
}

/* Migrates; the copy (NULL: none) gets its name just before the commit, so that a failed or killed
 * migration leaves none. */
static enum status migrate_with(struct store *store, int64_t version,
                                const struct store_schema *schema, const char *copy,
                                struct error *error)
{
    struct text name = {0};
    enum status status = copy ? make_copy(store, copy, error) : STATUS_OK;
    /* Tables are rebuilt with references off, which works only outside a transaction; references
     * are checked before the commit. */
    if (status == STATUS_OK)
        status = store_execute(store, "PRAGMA foreign_keys = OFF", migrate_doing, error);
    if (status == STATUS_OK)
        status = store_begin(store, migrate_doing, error);
    if (status == STATUS_OK) {
        bool changed = false;
        status = migrate_inside(store, schema, &changed, error);
        if (status == STATUS_OK && changed && copy)
            status = publish_copy(copy, store->path, version, &name, error);
        FAILPOINT("migrate.ready");
        status = store_end(store, status, migrate_doing, error);
        if (status != STATUS_OK && name.length > 0)
            (void)unlink(text_string(&name));
    }
    if (status == STATUS_OK)
        status = store_execute(store, "PRAGMA foreign_keys = ON", migrate_doing, error);
    text_free(&name);
    return status;
}

enum status store_migrate(struct store *store, int64_t version, const struct store_schema *schema,
                          bool keeps, struct error *error)
{
    if (!keeps)
        return migrate_with(store, version, schema, NULL, error);
    struct arena arena = {0};
    struct temporary folder = {.file = -1};
    const char *prefix = arena_printf(&arena, "%s.migrate-", store->path);
    enum status status =
        prefix ? temporary_folder_make(prefix, &folder, error) : error_no_memory(error);
    const char *copy = arena_printf(&arena, "%s/copy.db", folder.path);
    if (status == STATUS_OK)
        status = copy ? migrate_with(store, version, schema, copy, error) : error_no_memory(error);
    temporary_folder_remove(&folder);
    arena_free(&arena);
    return status;
}
