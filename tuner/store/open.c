/* Opening of a database: kind of file, permission, settings. */
#include "tuner/store/internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/shell.h"
#include "tuner/base/temporary.h"
#include "tuner/base/trust.h"
#include "tuner/store/embedded.h"

enum { SQLITE_PATH_BYTES_MAX = 500 };

static const char open_doing[] = "open the database";

static enum status connect_to(struct store *store, const char *path, const char *options, int flags,
                              struct error *error)
{
    struct text uri = {0};
    /* SQLite URI of the path. "./" keeps SQLite from seeing ":memory:" or an empty name. */
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-~";
    text_append(&uri, path[0] == '/' ? "file://" : "file:./");
    for (const char *c = path; *c; c++) {
        if (strchr(plain, *c))
            text_append_bytes(&uri, c, 1);
        else
            text_printf(&uri, "%%%02x", (unsigned)(unsigned char)*c);
    }
    text_append(&uri, options);
    if (uri.failed) {
        text_free(&uri);
        return error_no_memory(error);
    }
    int code =
        sqlite3_open_v2(text_string(&uri), &store->db,
                        flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL);
    text_free(&uri);
    if (code != SQLITE_OK)
        return store_fail(store, code, open_doing, error);
    (void)sqlite3_extended_result_codes(store->db, 1);
    (void)sqlite3_busy_timeout(store->db, STORE_BUSY_MS);
    return STATUS_OK;
}

static enum status connect(struct store *store, const char *options, int flags, struct error *error)
{
    return connect_to(store, store->path, options, flags, error);
}

static void disconnect(struct store *store)
{
    for (size_t i = 0; i < store->kept_count; i++)
        (void)sqlite3_finalize(store->kept[i].statement);
    store->kept_count = 0;
    for (size_t i = 0; i < STORE_QUERIES_KEPT; i++) {
        store_query_free(store->queries[i]);
        store->queries[i] = NULL;
    }
    (void)sqlite3_close_v2(store->db);
    store->db = NULL;
}

/* Checks the file; *fresh: absent or empty. */
static enum status check_file(struct store *store, enum store_mode mode, bool *fresh,
                              struct error *error)
{
    struct stat info;
    *fresh = false;
    if (stat(store->path, &info) != 0) {
        if (errno == ENOENT && mode == STORE_CREATE) {
            *fresh = true;
            return STATUS_OK;
        }
        if (errno == ENOENT)
            return error_set(error, STATUS_NOT_FOUND,
                             "%s: no such database; 'tune run' makes one, --db names another",
                             store->path);
        return error_set_errno(error, errno, "%s", store->path);
    }
    if (!S_ISREG(info.st_mode))
        return error_set(error, STATUS_BAD_INPUT, "%s: %s, not a database; name a file with --db",
                         store->path, S_ISDIR(info.st_mode) ? "a folder" : "a special file");
    if (info.st_size == 0 && mode == STORE_CREATE) {
        *fresh = true;
        return STATUS_OK;
    }
    if (info.st_size == 0)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: the file is empty; 'tune run' makes a database of it", store->path);
    /* Verifies that the file is tune's database, by its header alone, on a connection that takes no
     * lock and leaves no trace (immutable), since other files must stay as they are. SQL would call
     * a file damaged whose log is not yet played in: a full disk ends a checkpoint, and the file is
     * shorter than its header says. open() and close() would drop all locks of this process on the
     * file. The id is in the file itself: written before the database is turned to WAL.
     * https://www.sqlite.org/fileformat2.html#the_database_header */
    enum { HEADER_BYTES = 100, APPLICATION_ID_AT = 68 };
    static const char magic[] = "SQLite format 3";
    unsigned char header[HEADER_BYTES] = {0};
    sqlite3_file *file = NULL;
    enum status status = connect(store, "?mode=ro&immutable=1", SQLITE_OPEN_READONLY, error);
    int code = SQLITE_OK;
    if (status == STATUS_OK)
        code = sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (status == STATUS_OK && code == SQLITE_OK && file && file->pMethods)
        code = file->pMethods->xRead(file, header, sizeof header, 0);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
        status = store_fail(store, code, open_doing, error);
    disconnect(store);
    if (status == STATUS_PERMISSION)
        return error_set(error, status,
                         "%s: may not be read; change its permissions, or name another file with "
                         "--db",
                         store->path);
    uint32_t application = 0;
    for (int i = 0; i < 4; i++)
        application = application << 8 | header[APPLICATION_ID_AT + i];
    bool is_ours = memcmp(header, magic, sizeof magic) == 0 && application == STORE_APPLICATION_ID;
    if (status == STATUS_OK && !is_ours)
        return store_fail(store, SQLITE_NOTADB, open_doing, error);
    return status;
}

static enum status set_up(struct store *store, struct error *error)
{
    store_guard(store);
    return store_execute(store,
                         "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;"
                         "PRAGMA secure_delete = OFF; PRAGMA cache_size = -65536",
                         open_doing, error);
}

static enum status check_version(const struct store *store, const struct store_schema *schema,
                                 int64_t version, enum store_mode mode, struct error *error)
{
    char room[SHELL_WORD_BYTES];
    if (version < 1)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: its schema is %lld, and tune has made none below 1: it is not read",
                         store->path, (long long)version);
    if (version > schema->version)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: made by a newer tune (schema %lld; this one knows %d); update tune, "
                         "or name another file with --db",
                         store->path, (long long)version, schema->version);
    if (version < schema->version && mode == STORE_READ)
        return error_set(
            error, STATUS_BAD_INPUT,
            "%s: made by an older tune (schema %lld; this one reads %d); 'tune merge "
            "NEW.db %s' makes one that it reads; the next 'tune run' brings it up to date",
            store->path, (long long)version, schema->version, shell_word(store->path, room));
    return STATUS_OK;
}

static enum status check_writable(struct store *store, const struct store_schema *schema,
                                  bool fresh, bool with_log, struct error *error)
{
    TRY(connect(store, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error));
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return store_fail(store, SQLITE_READONLY, "write", error);
    /* Turn the log off while no other process can have the database open; must be the first
     * statement, since every other one reads first. */
    if (!with_log)
        TRY(store_execute(store,
                          "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;"
                          "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema",
                          open_doing, error));
    TRY(set_up(store, error));
    if (fresh) {
        /* Creates the tables in one transaction: two programs that start at once create them once,
         * and a killed program leaves an empty file. */
        TRY(store_begin(store, "make the database", error));
        int64_t tables = 0;
        enum status status =
            store_pragma(store, "SELECT count(*) FROM sqlite_schema", &tables, error);
        if (status == STATUS_OK && tables == 0)
            status = store_execute(store, schema->create, "make the database", error);
        TRY(store_end(store, status, "make the database", error));
    }
    int64_t version = 0;
    TRY(store_check_tables(store, schema, true, error));
    TRY(store_pragma(store, "PRAGMA user_version", &version, error));
    TRY(check_version(store, schema, version, STORE_CREATE, error));
    if (version < schema->version)
        TRY(store_migrate(store, version, schema, true, error));
    TRY(store_views(store, schema, STORE_VIEWS_OWN, error));
    if (with_log) {
        /* WAL needs shared memory from the file system; SQLite finds out only at the first read. */
        int64_t ignored = 0;
        FAILPOINT("store.ready");
        TRY(store_execute(store, "PRAGMA journal_mode = WAL", open_doing, error));
        TRY(store_pragma(store, "SELECT count(*) FROM sqlite_schema", &ignored, error));
    }
    return STATUS_OK;
}

/* Opens for writing. A file system without WAL gets the rollback journal: slower, as safe. When
 * processes turn a database to WAL at once, SQLite refuses some without waiting, to avoid a
 * deadlock; those retry within the usual time for a lock. */
static enum status open_to_write(struct store *store, const struct store_schema *schema, bool fresh,
                                 struct error *error)
{
    const int64_t until_ns = clock_now_ns() + (int64_t)STORE_BUSY_MS * 1000000;
    enum status status = check_writable(store, schema, fresh, true, error);
    while (status != STATUS_OK && store->db && (sqlite3_errcode(store->db) & 0xff) == SQLITE_BUSY &&
           clock_now_ns() < until_ns) {
        disconnect(store);
        (void)sqlite3_sleep(10);
        error_clear(error);
        status = check_writable(store, schema, fresh, true, error);
    }
    const int code = store->db ? sqlite3_extended_errcode(store->db) : SQLITE_OK;
    if (status == STATUS_OK ||
        !(store_code_is_shared_memory(code) || (code & 0xff) == SQLITE_CANTOPEN))
        return status;
    disconnect(store);
    struct error ignored = {0};
    enum status second = check_writable(store, schema, fresh, false, &ignored);
    if (second == STATUS_OK)
        error_clear(error);
    return second == STATUS_OK ? STATUS_OK : status;
}

static enum status read_version(struct store *store, const char *options, int flags,
                                int64_t *version, struct error *error)
{
    TRY(connect(store, options, flags, error));
    TRY(set_up(store, error));
    return store_pragma(store, "PRAGMA user_version", version, error);
}

enum status store_reconnect(struct store *store, const char *path, struct error *error)
{
    disconnect(store);
    TRY(connect_to(store, path, "", SQLITE_OPEN_READWRITE, error));
    return set_up(store, error);
}

/* Opens for reading: with write access if permitted, so that the log's files are removed at the
 * end, but with query_only. In a folder without write permission SQLite cannot create them; the
 * file is then read as it is, which is right as long as there is no log. */
static enum status open_to_read(struct store *store, const struct store_schema *schema,
                                enum store_mode mode, struct error *error)
{
    int64_t version = 0;
    enum status status = read_version(store, "", SQLITE_OPEN_READWRITE, &version, error);
    if (status == STATUS_PERMISSION) {
        disconnect(store);
        /* The log beside the database holds writes that are not in the file yet. */
        struct text name = {0};
        struct stat info;
        text_printf(&name, "%s-wal", store->path);
        bool has = name.failed || (stat(text_string(&name), &info) == 0 && info.st_size > 0);
        text_free(&name);
        if (has)
            return error_set(error, STATUS_PERMISSION,
                             "%s: its folder may not be written, and %s-wal holds writes that are "
                             "not in it yet; copy both to another folder and name that with --db",
                             store->path, store->path);
        status = read_version(store, "?mode=ro&immutable=1", SQLITE_OPEN_READONLY, &version, error);
    }
    if (status != STATUS_OK)
        return status;
    TRY(check_version(store, schema, version, mode, error));
    TRY(store_check_tables(store, schema, mode == STORE_COPY || version < schema->version, error));
    if (mode == STORE_VIEW && version < schema->version) {
        TRY(store_view_copy(store, version, schema, error));
        version = schema->version;
    }
    if (version == schema->version)
        TRY(store_views(store, schema, STORE_VIEWS_OWN, error));
    return store_execute(store, "PRAGMA query_only = ON", open_doing, error);
}

/* Refuses another user's log or journal beside the database in a folder open to all, since SQLite
 * would play it in. */
static enum status check_siblings(const struct store *store, struct error *error)
{
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    struct text name = {0};
    struct stat info;
    struct stat database;
    enum status status = STATUS_OK;
    if ((path_folder_mode(store->path) & S_IWOTH) == 0)
        return STATUS_OK;
    uid_t owner = stat(store->path, &database) == 0 ? database.st_uid : geteuid();
    for (size_t i = 0; status == STATUS_OK && i < sizeof ends / sizeof ends[0]; i++) {
        text_clear(&name);
        text_printf(&name, "%s%s", store->path, ends[i]);
        if (name.failed)
            status = error_no_memory(error);
        else if (lstat(text_string(&name), &info) == 0 && info.st_uid != owner &&
                 info.st_uid != geteuid())
            status = error_set(error, STATUS_PERMISSION,
                               "%s: %s beside it belongs to another user (%lld), in a folder open "
                               "to all: not opened; move the database to a folder of your own",
                               store->path, ends[i], (long long)info.st_uid);
    }
    text_free(&name);
    return status;
}

/* Refuses paths too long for SQLite, which uses absolute ones. */
static enum status check_length(const char *path, struct error *error)
{
    char folder[PATH_MAX] = "";
    if (path[0] != '/' && !getcwd(folder, sizeof folder))
        return error_set_errno(error, errno, "the current folder");
    size_t length = strlen(folder) + 1 + strlen(path);
    if (length <= SQLITE_PATH_BYTES_MAX)
        return STATUS_OK;
    return error_set(error, STATUS_BAD_INPUT,
                     "%.400s: its path has %zu bytes, and SQLite takes %d: name a file with a "
                     "shorter path",
                     path, length, (int)SQLITE_PATH_BYTES_MAX);
}

enum status store_open_as(const char *path, enum store_mode mode, const struct store_schema *schema,
                          struct store **out, struct error *error)
{
    *out = NULL;
    if (path[0] == '\0')
        return error_set(error, STATUS_BAD_INPUT, "--db: the name of the database is empty");
    if (strcmp(path, "-") == 0)
        return error_set(error, STATUS_USAGE,
                         "--db -: a database is a file; one of that name is ./-");
    struct store *store = calloc(1, sizeof *store);
    TRY_MEMORY(store);
    bool fresh = false;
    /* The path is kept without links, so that none can be inserted later. */
    struct arena arena = {0};
    const char *real = NULL;
    enum status status = path_without_links(&arena, path, &real, error);
    if (status == STATUS_NOT_FOUND) { /* a missing file is reported later, as a missing database */
        real = path;
        status = STATUS_OK;
    }
    if (status == STATUS_OK) {
        store->path = real ? strdup(real) : NULL;
        status = store->path ? STATUS_OK : error_no_memory(error);
    }
    arena_free(&arena);
    if (status == STATUS_OK)
        status = check_length(store->path, error);
    if (status == STATUS_OK)
        status = check_siblings(store, error);
    if (status == STATUS_OK && mode == STORE_CREATE) {
        /* Remove copies beside the database left by killed merges and migrations. */
        static const char *const words[] = {"merge", "migrate"};
        char prefix[PATH_MAX];
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (string_format(prefix, sizeof prefix, "%s.%s-", store->path, words[i]))
                temporary_folders_sweep(prefix);
    }
    if (status == STATUS_OK)
        status = check_file(store, mode, &fresh, error);
    if (status == STATUS_OK)
        status = mode == STORE_CREATE ? open_to_write(store, schema, fresh, error)
                                      : open_to_read(store, schema, mode, error);
    struct stat info;
    if (status == STATUS_OK && stat(store->path, &info) != 0)
        status = error_set_errno(error, errno, "%s", store->path);
    if (status != STATUS_OK) {
        store_close(store);
        return status;
    }
    store->device = info.st_dev;
    store->inode = info.st_ino;
    *out = store;
    return STATUS_OK;
}

enum status store_open(const char *path, enum store_mode mode, struct store **store,
                       struct error *error)
{
    const struct store_schema schema = {
        .version = STORE_SCHEMA_VERSION, .create = store_schema, .migrations = store_migrations};
    return store_open_as(path, mode, &schema, store, error);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    disconnect(store);
    if (store->copied_version > 0)
        temporary_folder_remove(&store->scratch);
    for (size_t i = 0; i < sizeof store->json / sizeof store->json[0]; i++)
        text_free(&store->json[i]);
    free(store->kept);
    free(store->wait);
    free(store->path);
    free(store);
}

int64_t store_copied_version(const struct store *store)
{
    return store->copied_version;
}

const char *store_file(const struct store *store)
{
    return sqlite3_db_filename(store->db, "main");
}

/* ---- a file removed or replaced while open ---- */

bool store_is_in_place(const struct store *store)
{
    struct stat info;
    return stat(store->path, &info) == 0 && info.st_dev == store->device &&
           info.st_ino == store->inode;
}

static enum status save_beside(struct store *store, struct text *name, struct error *error)
{
    struct stat info;
    for (int i = 1; i < 1000; i++) {
        text_clear(name);
        text_printf(name, "%s.saved-%d", store->path, i);
        TRY_MEMORY(!name->failed);
        if (lstat(text_string(name), &info) != 0)
            return store_copy(store, text_string(name), "save it", error);
    }
    return error_set_errno(error, EEXIST, "%s", text_string(name));
}

enum status store_rescue(struct store *store, struct error *error)
{
    static const char cause[] = "removed, or replaced by another file, during the run";
    if (store_is_in_place(store))
        return STATUS_OK;
    struct text name = {0};
    struct error failure = {0};
    if (save_beside(store, &name, &failure) != STATUS_OK) {
        (void)error_set(error, STATUS_IO, "%s: %s; the measurements could not be saved: %.400s",
                        store->path, cause, failure.text);
    } else {
        /* The log still has its name, and must not be played into the file that took the database's
         * place. */
        (void)store_execute(store, "PRAGMA wal_checkpoint(TRUNCATE)", "empty its log", &failure);
        (void)error_set(error, STATUS_IO,
                        "%s: %s; the measurements are saved in %s: move it back, or name it with "
                        "--db, and run again to continue",
                        store->path, cause, text_string(&name));
    }
    text_free(&name);
    return STATUS_IO;
}
